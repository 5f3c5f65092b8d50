// SPDX-License-Identifier: Apache-2.0
#include "store/candidates.h"
#include <algorithm>
#include <cmath>
#include "evidence/metric.h"
#include "base/described_json.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/utf8.h"
#include "evidence/verdict_json.h"
#include "store/blobs.h"
#include "store/deletion.h"
#include "store/exchanges.h"

namespace ww::store {
namespace fs = std::filesystem;
namespace {

#define WW_CANDIDATE_COLUMNS(text, language, draft, source)                                                        \
  "SELECT c.id, c.run, c.hash, c.parent, c.structure, c.title, c.tuning, c.generator, c.note, " text ", " language \
  ", c.state, c.created, c.summary, c.score, c.score_provenance, c.score_unit, c.resources, v.created, "           \
  "v.id, c.exchange, c.duplicate_of, c.strategy, c.lineage, c.task, c.step, c.subject, c.move, " draft             \
  ", c.identity, c.q1, c.q3, c.floor, c.samples, c.gpu, c.changed, c.failed_stage, c.proved_at, c.proved_cases, "  \
  "c.cases, coalesce(v.imported, EXISTS(SELECT 1 FROM imported i WHERE c.run BETWEEN i.first_run AND i.last_run))" \
  " FROM candidate c " source "LEFT JOIN verdict v ON v.candidate = c.id "
constexpr const char* candidate_columns =
    WW_CANDIDATE_COLUMNS("s.text", "s.language", "c.draft", "JOIN source s ON s.hash = c.hash ");
constexpr const char* columns_without_texts = WW_CANDIDATE_COLUMNS("''", "NULL", "''", "");
#undef WW_CANDIDATE_COLUMNS

Result<CandidateRecord> read_row(const Statement& s) {
  CandidateRecord c;
  std::string language, resources, failed_stage, tuning;
  evidence::CaseCounts cases;
  s.read(c.id, c.run, c.hash, c.parent, c.structure, c.title, tuning, c.generator, c.note, c.text, language, c.state,
         c.created, c.summary, c.score, c.score_provenance, c.score_unit, resources, c.judged, c.order, c.exchange,
         c.duplicate_of, c.origin.strategy, c.origin.lineage, c.origin.task, c.origin.step, c.origin.subject,
         c.origin.move, c.draft, c.identity, c.spread.q1, c.spread.q3, c.spread.floor, c.spread.samples, c.spread.gpu,
         c.changed, failed_stage, c.proved_at, cases.proved, cases.all, c.imported);
  if (!s.null(10)) {  // read with its text
    const Result<candidate::Language> known = candidate::language_from_name(language);
    if (!known) return fail(Code::corrupt, "candidate " + std::to_string(c.id) + " is in an unknown language");
    c.language = *known;
  }
  if (auto read = evidence::resources_from_json(resources))
    c.resources = std::move(*read);  // a list without them is better than none
  if (auto read = json::read_text<Tuning>(tuning, "the tuning cannot be read")) c.tuning = std::move(*read);
  c.failed_stage = enum_from_name<evidence::Stage>(failed_stage);
  for (std::string* line : {&c.title, &c.structure, &c.generator})  // of a foreign workspace: of any length
    if (line->size() > 4096) *line = clipped(*line, 4096);
  if (c.score && !std::isfinite(*c.score)) c.score.reset();  // no run stores such a one
  if (cases.all > 0 && cases.proved >= 0 && cases.proved <= cases.all) c.cases = cases;
  return c;
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

CandidateState state_of(const evidence::Verdict& verdict) {
  switch (verdict.ruling()) {
    case evidence::Ruling::accepted: return CandidateState::accepted;
    case evidence::Ruling::rejected: return CandidateState::rejected;
    case evidence::Ruling::not_judged: break;
  }
  return CandidateState::not_judged;
}

tl::unexpected<Error> absent(const char* what, std::int64_t id) {
  return fail(Code::not_found, "the workspace has no " + std::string(what) + " " + std::to_string(id));
}

Spread spread_of(const evidence::Metrics& metrics) {
  Spread spread;
  const evidence::Times times = evidence::times_of(metrics);
  spread.q1 = times.q1;
  spread.q3 = times.q3;
  spread.samples = times.samples;
  if (metrics.floor) spread.floor = metrics.floor->us;
  spread.gpu = metrics.conditions.gpu;
  return spread;
}

Result<std::int64_t> insert_candidate(Database& db, const CandidateRecord& c, bool* known) {
  if (known) *known = false;
  {
    Statement s = db.prepare("SELECT id FROM candidate WHERE run = ? AND hash = ?");
    const bool row = WW_TRY(s.bind(c.run, c.hash).step());
    if (row) {
      if (known) *known = true;
      return s.integer(0);
    }
  }
  {
    Statement s = db.prepare("INSERT INTO source(hash, language, text) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
    WW_TRY(s.bind(c.hash, candidate::language_name(c.language), c.text).run());
  }
  WW_TRY(db.prepare("INSERT INTO candidate(id, run, hash, parent, structure, title, tuning, generator, note, exchange, "
                    "strategy, "
                    "lineage, task, step, subject, move, draft, state, created) VALUES(" +
                    fresh_number("candidate") +
                    ", ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, "
                    "0), ?, ?, ?, ?, ?, ?, ?, 'queued', " +
                    now_sql + ")")
             .bind(c.run, c.hash, c.parent, c.structure, c.title, json::text_of(c.tuning), c.generator, c.note,
                   c.exchange, c.origin.strategy, c.origin.lineage, static_cast<std::int64_t>(c.origin.task),
                   enum_string(c.origin.step), c.origin.subject, c.origin.move, c.draft)
             .run());
  return db.last_id();
}

Status store_verdict(Database& db, std::int64_t candidate, const evidence::Verdict& verdict, const std::string& json,
                     const std::string& ptx, const Judgement& judgement) {
  const auto& [score, provenance, unit, identity] = judgement;
  const std::optional<evidence::Stage> failed_stage = verdict.failed_stage();
  const evidence::CaseCounts cases = verdict.case_counts().value_or(evidence::CaseCounts());
  const Spread spread =
      score && provenance == Provenance::measured && verdict.metrics ? spread_of(*verdict.metrics) : Spread{};
  {
    Statement s = db.prepare(
        "UPDATE candidate SET state = ?, summary = ?, score = ?, score_provenance = ?, score_unit = ?, resources = ?,"
        " q1 = ?, q3 = ?, floor = ?, samples = ?, gpu = ?, identity = ?, failed_stage = ?, proved_at = ?,"
        " proved_cases = ?, cases = ? WHERE id = ?");
    WW_TRY(s.bind(enum_string(state_of(verdict)), verdict.summary(), score,
                  enum_string(score ? provenance : Provenance::unknown), score ? unit : std::string(),
                  evidence::resources_to_json(verdict.resources), finite(spread.q1), finite(spread.q3),
                  finite(spread.floor), finite(spread.samples), spread.gpu, identity,
                  failed_stage ? enum_string(*failed_stage) : std::string(), enum_string(verdict.proved_at()),
                  std::int64_t{cases.proved}, std::int64_t{cases.all}, candidate)
               .run());
  }
  if (db.changes() == 0) return absent("candidate", candidate);
  Statement s = db.prepare("INSERT INTO verdict(candidate, json, ptx, created) VALUES(?, ?, ?, " + now_sql +
                           ") ON CONFLICT(candidate) DO UPDATE SET json = excluded.json, ptx = excluded.ptx, created = "
                           "excluded.created, imported = 0");
  return s.bind(candidate, json, ptx).run();
}

bool candidate_of_replay(Database& db, std::int64_t candidate) {
  std::int64_t exchange = 0;
  {
    Statement s = db.prepare("SELECT exchange FROM candidate WHERE id = ?");
    if (const Result<bool> row = s.bind(candidate).step(); row && *row) exchange = s.integer(0);
  }
  return of_replay(db, exchange);
}

Result<CandidateRecord> read_candidate_row(Database& db, std::int64_t id) {
  Statement s = db.prepare(std::string(candidate_columns) + "WHERE c.id = ?");
  const bool row = WW_TRY(s.bind(id).step());
  if (!row) return absent("candidate", id);
  return read_row(s);
}

Result<CandidateRecord> read_candidate(Database& db, const fs::path& blobs, std::int64_t id) {
  CandidateRecord c = WW_TRY(read_candidate_row(db, id));
  std::string text, ptx;
  {
    // A duplicate has no verdict of its own: it takes that of the candidate that it repeats, from the same run if that
    // holds one.
    Statement s = db.prepare(c.state == CandidateState::duplicate
                                 ? "SELECT v.json, v.ptx FROM verdict v JOIN candidate o ON o.id = v.candidate "
                                   "JOIN candidate d ON d.id = ?"
                                   " WHERE o.hash = d.duplicate_of ORDER BY o.run = d.run DESC, v.id DESC LIMIT 1"
                                 : "SELECT json, ptx FROM verdict WHERE candidate = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return c;
    text = s.text(0);
    ptx = s.text(1);
  }
  Result<evidence::Verdict> verdict = evidence::verdict_from_json(text);
  if (!verdict)
    return fail(Code::corrupt, "the stored verdict of candidate " + std::to_string(id) + " cannot be read",
                verdict.error().text());
  c.verdict = std::move(*verdict);
  c.verdict_hash = hash_hex(text);
  if (!ptx.empty()) {
    Result<std::string> listing = get_blob(blobs, ptx);
    if (listing)
      c.verdict->ptx = std::move(*listing);
    else
      log::warn("the PTX of candidate " + std::to_string(id) +
                " is not shown: " + listing.error().text());  // the verdict itself is whole
  }
  return c;
}

Result<CandidateRecord> find_candidate(Database& db, const fs::path& blobs, const std::string& given) {
  const bool digits = !given.empty() && given.size() <= 18 &&
                      std::all_of(given.begin(), given.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) {
    Result<CandidateRecord> by_id = read_candidate(db, blobs, std::stoll(given));
    if (by_id || by_id.error().code != Code::not_found) return by_id;
  }
  const bool hex =
      std::all_of(given.begin(), given.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!hex || given.size() < 4 || given.size() > 64)
    return fail(Code::not_found,
                "the workspace has no candidate '" + given + "'; give its number, or at least four digits of its hash");
  std::int64_t newest = 0;
  std::vector<std::string> hashes;
  {
    Statement s = db.prepare("SELECT hash, max(id) FROM candidate WHERE hash >= ? AND hash < ? GROUP BY hash LIMIT 5");
    s.bind(given, given + "g");  // 'g' follows every hex digit
    WW_TRY(each_row(s, [&](const Statement& row) {
      hashes.push_back(row.text(0).substr(0, 16));
      newest = row.integer(1);
      return Status();
    }));
  }
  if (hashes.empty())
    return fail(Code::not_found, "the workspace has no candidate whose hash begins with '" + given + "'");
  if (hashes.size() > 1) {
    std::string list;
    for (const std::string& h : hashes) list += (list.empty() ? "" : ", ") + h;
    return fail(Code::invalid_argument,
                "several candidates have a hash that begins with '" + given + "' (" + list + "); give more digits");
  }
  return read_candidate(db, blobs, newest);
}

Result<std::vector<CandidateRecord>> list_candidates(Database& db, std::int64_t run) {
  Statement s = db.prepare(std::string(candidate_columns) + "WHERE c.run = ? ORDER BY c.id");
  s.bind(run);
  return rows_of(s, read_row);
}

Result<CandidateRecord> find_candidate_of(Database& db, const fs::path& blobs, std::int64_t run,
                                          const std::string& hash) {
  std::int64_t id = 0;
  {
    Statement s = db.prepare("SELECT id FROM candidate WHERE run = ? AND hash = ?");
    const bool row = WW_TRY(s.bind(run, hash).step());
    if (!row) return fail(Code::not_found, "run " + std::to_string(run) + " holds no candidate " + hash.substr(0, 12));
    id = s.integer(0);
  }
  return read_candidate(db, blobs, id);
}

Status each_candidate(Database& db, std::int64_t run, std::int64_t since,
                      const std::function<Status(const CandidateRecord&)>& take) {
  Statement s = db.prepare(std::string(columns_without_texts) + "WHERE c.run = ? AND c.changed > ? ORDER BY c.id");
  s.bind(run, since);
  return each_row(s, [&](const Statement& row) -> Status { return take(WW_TRY(read_row(row))); });
}

}  // namespace ww::store
