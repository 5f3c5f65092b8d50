// SPDX-License-Identifier: Apache-2.0
#include "store/workspace.h"
#include <algorithm>
#include <cmath>
#include <mutex>
#include "base/hash.h"
#include "base/log.h"
#include "evidence/verdict_json.h"
#include "store/blobs.h"
#include "store/exchanges.h"
#include "store/readers.h"
#include "store/reviews.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ww::store {
namespace fs = std::filesystem;
namespace {

constexpr const char* now = "strftime('%Y-%m-%dT%H:%M:%fZ','now')";

constexpr const char* run_columns =
    "SELECT r.id, r.op, o.name, r.generator, r.device, r.architecture, r.state, r.options, r.created, r.ended,"
    " (SELECT count(*) FROM candidate c WHERE c.run = r.id),"
    " (SELECT count(*) FROM candidate c WHERE c.run = r.id AND c.state NOT IN ('queued', 'duplicate')),"
    " (SELECT count(*) FROM candidate c WHERE c.run = r.id AND c.state = 'accepted')"
    " FROM run r JOIN op o ON o.id = r.op ";

RunRecord read_run(const Statement& s) {
  RunRecord r;
  r.id = s.integer(0);
  r.op = s.integer(1);
  r.op_name = s.text(2);
  r.generator = s.text(3);
  r.device = s.text(4);
  r.architecture = s.text(5);
  r.state = enum_or_unknown<RunState>(s.text(6));
  r.options = s.text(7);
  r.created = s.text(8);
  r.ended = s.text(9);
  r.proposed = static_cast<int>(s.integer(10));
  r.judged = static_cast<int>(s.integer(11));
  r.accepted = static_cast<int>(s.integer(12));
  return r;
}

#define WW_CANDIDATE_COLUMNS(text, draft)                                                                            \
  "SELECT c.id, c.run, c.hash, c.parent, c.structure, c.title, c.generator, c.note, " text                           \
  ", s.language, c.state, c.created, c.summary, c.score, c.score_provenance, c.score_unit, c.resources, v.created, " \
  "v.id, c.exchange, c.duplicate_of, c.strategy, c.lineage, c.task, c.step, c.subject, c.move, " draft               \
  ", c.identity, c.q1, c.q3, c.floor, c.samples, c.gpu, c.changed, c.failed_stage"                                   \
  " FROM candidate c JOIN source s ON s.hash = c.hash LEFT JOIN verdict v ON v.candidate = c.id "
constexpr const char* candidate_columns = WW_CANDIDATE_COLUMNS("s.text", "c.draft");
constexpr const char* columns_without_texts = WW_CANDIDATE_COLUMNS("''", "''");
#undef WW_CANDIDATE_COLUMNS

Result<CandidateRecord> read_candidate(const Statement& s) {
  CandidateRecord c;
  c.id = s.integer(0);
  c.run = s.integer(1);
  c.hash = s.text(2);
  c.parent = s.text(3);
  c.structure = s.text(4);
  c.title = s.text(5);
  c.generator = s.text(6);
  c.note = s.text(7);
  c.text = s.text(8);
  const Result<candidate::Language> language = candidate::language_from_name(s.text(9));
  if (!language) return fail(Code::corrupt, "candidate " + std::to_string(c.id) + " is in an unknown language");
  c.language = *language;
  c.state = enum_or_unknown<CandidateState>(s.text(10));
  c.created = s.text(11);
  c.summary = s.text(12);
  if (!s.null(13)) c.score = s.real(13);
  c.score_provenance = enum_or_unknown<Provenance>(s.text(14));
  c.score_unit = s.text(15);
  if (auto resources = evidence::resources_from_json(s.text(16)))
    c.resources = std::move(*resources);  // a list without them is better than none
  c.judged = s.text(17);
  c.order = s.integer(18);
  c.exchange = s.integer(19);
  c.duplicate_of = s.text(20);
  c.origin = {s.text(21), s.text(22), static_cast<std::uint64_t>(s.integer(23)), enum_or_unknown<Step>(s.text(24)),
              s.text(25), s.text(26)};
  c.draft = s.text(27);
  if (!s.null(28)) c.identity = s.text(28);
  const auto known = [&](int column) { return s.holds_real(column) ? s.real(column) : profile::unknown; };
  c.spread = {known(29), known(30), known(31), known(32), s.text(33)};
  c.changed = s.integer(34);
  c.failed_stage = enum_from_name<evidence::Stage>(s.text(35));
  return c;
}

fs::path database_of(const fs::path& folder) { return folder / "workspace.sqlite"; }

Result<std::unique_ptr<Database>> open_to_write(const fs::path& file, bool create) {
  std::unique_ptr<Database> db =
      WW_TRY(Database::open(file, create ? Database::Access::create : Database::Access::write));
  WW_TRY(check_ours(*db, migrations(), file));
  WW_TRY(db->make_durable());
  WW_TRY(migrate(*db, migrations(), file));
  return db;
}

// Where this user or this disk takes no writing. Immutable only without a log: what is in one would be missed.
Result<std::unique_ptr<Database>> open_to_read(const fs::path& file, Database::Access& access) {
  Result<std::unique_ptr<Database>> db = fail(Code::io, "");
  for (const Database::Access how : {Database::Access::read, Database::Access::immutable}) {
    std::error_code ec;
    if (how == Database::Access::immutable && fs::exists(file.string() + "-wal", ec)) break;
    db = Database::open(file, how);
    if (!db) continue;
    const Status current = check_current(**db, migrations(), file);
    if (current) {
      access = how;
      return db;
    }
    db = fail(current.error());
  }
  return db;
}

std::string failed_stage_of(const evidence::Verdict& verdict) {
  if (!verdict.accepted)
    for (const evidence::StageResult& s : verdict.stages)
      if (s.outcome == evidence::Outcome::failed) return enum_string(s.stage);
  return {};
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

tl::unexpected<Error> absent(const char* what, std::int64_t id) {
  return fail(Code::not_found, "the workspace holds no " + std::string(what) + " " + std::to_string(id));
}

class SqliteWorkspace final : public Workspace {
 public:
  SqliteWorkspace(fs::path folder, std::unique_ptr<Database> db, Database::Access reading)
      : folder_(std::move(folder)), db_(std::move(db)), readers_(database_of(folder_), reading) {}

  const fs::path& folder() const override { return folder_; }

  Result<std::int64_t> add_op(const std::string& name, const std::string& text, const std::string& sentence) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return fail(transaction.begun().error());
    {
      Statement s = db_->prepare("SELECT id FROM op WHERE name = ? AND text = ? AND sentence = ?");
      const bool row = WW_TRY(s.bind(name).bind(text).bind(sentence).step());
      if (row) return s.integer(0);
    }
    return insert(
        transaction,
        db_->prepare(std::string("INSERT INTO op(name, text, sentence, created) VALUES(?, ?, ?, ") + now + ")")
            .bind(name)
            .bind(text)
            .bind(sentence));
  }

  Result<OpRecord> op(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare("SELECT id, name, text, sentence, created FROM op WHERE id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent("op", id);
    return OpRecord{s.integer(0), s.text(1), s.text(2), s.text(3), s.text(4)};
  }

  Result<std::int64_t> add_run(const RunRecord& run) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return fail(transaction.begun().error());
    return insert(
        transaction,
        db_->prepare(std::string("INSERT INTO run(op, generator, device, architecture, options, state, created)"
                                 " VALUES(?, ?, ?, ?, ?, ?, ") +
                     now + ")")
            .bind(run.op)
            .bind(run.generator)
            .bind(run.device)
            .bind(run.architecture)
            .bind(run.options)
            .bind(enum_string(run.state == RunState::unknown ? RunState::running : run.state)));
  }

  Status set_run_state(std::int64_t run, RunState state) override {
    const std::string ended = state == RunState::running ? "''" : now;
    return change("run", run, "UPDATE run SET state = ?, ended = " + ended + " WHERE id = ?",
                  [&](Statement& s) { s.bind(enum_string(state)).bind(run); });
  }

  Status set_run_options(std::int64_t run, const std::string& options) override {
    return change("run", run, "UPDATE run SET options = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(options).bind(run); });
  }

  Status add_message(std::int64_t run, MessageLevel level, const std::string& text) override {
    return change("run", run,
                  std::string("INSERT INTO message(run, level, text, created) VALUES(?, ?, ?, ") + now + ")",
                  [&](Statement& s) { s.bind(run).bind(enum_string(level)).bind(text); });
  }

  Result<std::vector<MessageRecord>> messages(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare("SELECT level, text, created FROM message WHERE run = ? ORDER BY id");
    s.bind(run);
    std::vector<MessageRecord> list;
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back({enum_or_unknown<MessageLevel>(s.text(0)), s.text(1), s.text(2)});
    }
  }

  Result<RunRecord> run(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(std::string(run_columns) + "WHERE r.id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent("run", id);
    return read_run(s);
  }

  Result<std::vector<RunRecord>> runs() override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(std::string(run_columns) + "ORDER BY r.id DESC");
    std::vector<RunRecord> list;
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back(read_run(s));
    }
  }

  Result<std::int64_t> add_candidate(const CandidateRecord& c, bool* known) override {
    if (known) *known = false;
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, !of_replay(*db_, c.exchange));
    if (!transaction.begun()) return fail(transaction.begun().error());
    {
      Statement s = db_->prepare("SELECT id FROM candidate WHERE run = ? AND hash = ?");
      const bool row = WW_TRY(s.bind(c.run).bind(c.hash).step());
      if (row) {
        if (known) *known = true;
        return s.integer(0);
      }
    }
    {
      Statement s = db_->prepare("INSERT INTO source(hash, language, text) VALUES(?, ?, ?) ON CONFLICT DO NOTHING");
      WW_TRY(s.bind(c.hash).bind(candidate::language_name(c.language)).bind(c.text).run());
    }
    return insert(
        transaction,
        db_->prepare(
               std::string(
                   "INSERT INTO candidate(run, hash, parent, structure, title, "
                   "generator, note, exchange, strategy, lineage, task, step, subject, move, draft, state, created)"
                   " VALUES(?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, 'queued', ") +
               now + ")")
            .bind(c.run)
            .bind(c.hash)
            .bind(c.parent)
            .bind(c.structure)
            .bind(c.title)
            .bind(c.generator)
            .bind(c.note)
            .bind(c.exchange)
            .bind(c.origin.strategy)
            .bind(c.origin.lineage)
            .bind(static_cast<std::int64_t>(c.origin.task))
            .bind(enum_string(c.origin.step))
            .bind(c.origin.subject)
            .bind(c.origin.move)
            .bind(c.draft));
  }

  Status set_verdict(std::int64_t candidate, const evidence::Verdict& verdict, std::optional<double> score,
                     Provenance provenance, const std::string& unit,
                     const std::optional<std::string>& identity) override {
    const Spread spread =
        score && provenance == Provenance::measured && verdict.metrics ? spread_of(*verdict.metrics) : Spread{};
    evidence::Verdict without_ptx = verdict;
    without_ptx.ptx.clear();
    const std::string text = evidence::verdict_to_json(without_ptx);
    std::string ptx;
    if (!verdict.ptx.empty()) {
      std::string hash = WW_TRY(put_blob(verdict.ptx));
      ptx = std::move(hash);
    }
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, !candidate_of_replay(candidate));
    if (!transaction.begun()) return transaction.begun();
    {
      Statement s = db_->prepare(
          "UPDATE candidate SET state = ?, summary = ?, score = ?, score_provenance = ?, score_unit = ?, resources = ?,"
          " q1 = ?, q3 = ?, floor = ?, samples = ?, gpu = ?, identity = ?, failed_stage = ? WHERE id = ?");
      if (Status done = s.bind(enum_string(verdict.accepted ? CandidateState::accepted : CandidateState::rejected))
                            .bind(verdict.summary())
                            .bind(score)
                            .bind(enum_string(score ? provenance : Provenance::unknown))
                            .bind(score ? unit : std::string())
                            .bind(evidence::resources_to_json(verdict.resources))
                            .bind(finite(spread.q1))
                            .bind(finite(spread.q3))
                            .bind(finite(spread.floor))
                            .bind(finite(spread.samples))
                            .bind(spread.gpu)
                            .bind(identity)
                            .bind(failed_stage_of(verdict))
                            .bind(candidate)
                            .run();
          !done)
        return done;
    }
    if (db_->changes() == 0) return absent("candidate", candidate);
    {
      Statement s =
          db_->prepare(std::string("INSERT INTO verdict(candidate, json, ptx, created) VALUES(?, ?, ?, ") + now +
                       ") ON CONFLICT(candidate) DO UPDATE SET json = excluded.json, ptx = excluded.ptx, created = "
                       "excluded.created");
      if (Status done = s.bind(candidate).bind(text).bind(ptx).run(); !done) return done;
    }
    return transaction.commit();
  }

  Status set_identity(std::int64_t candidate, const std::string& identity) override {
    return change("candidate", candidate, "UPDATE candidate SET identity = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(identity).bind(candidate); });
  }

  Result<std::string> find_identity(std::int64_t run, const std::string& identity) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(
        "SELECT hash FROM candidate WHERE run = ? AND identity = ? AND state IN ('accepted', 'rejected') ORDER BY id "
        "LIMIT 1");
    const bool row = WW_TRY(s.bind(run).bind(identity).step());
    return row ? s.text(0) : std::string();
  }

  Status set_error(std::int64_t candidate, const std::string& message) override {
    return change("candidate", candidate, "UPDATE candidate SET state = 'error', summary = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(message).bind(candidate); });
  }

  Status set_duplicate(std::int64_t candidate, const std::string& of) override {
    return change(
        "candidate", candidate,
        "UPDATE candidate SET state = 'duplicate', duplicate_of = ?, summary = ?, score = NULL WHERE id = ?",
        [&](Statement& s) { s.bind(of).bind("the same program as candidate " + of.substr(0, 12)).bind(candidate); },
        [&] { return !candidate_of_replay(candidate); });
  }

  Result<CandidateRecord> candidate(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    return whole_candidate(*db, id);
  }

  Result<CandidateRecord> candidate_row(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    return row_of_candidate(*db, id);
  }

  Result<CandidateRecord> find_candidate(const std::string& given) override {
    const Reader db = WW_TRY(readers_.take());
    const bool digits = !given.empty() && given.size() <= 18 &&
                        std::all_of(given.begin(), given.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
      Result<CandidateRecord> by_id = whole_candidate(*db, std::stoll(given));
      if (by_id || by_id.error().code != Code::not_found) return by_id;
    }
    const bool hex = std::all_of(given.begin(), given.end(),
                                 [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (!hex || given.size() < 4 || given.size() > 64)
      return fail(Code::not_found, "the workspace holds no candidate '" + given +
                                       "'; give its number, or at least four digits of its hash");
    std::int64_t newest = 0;
    std::vector<std::string> hashes;
    {
      Statement s =
          db->prepare("SELECT hash, max(id) FROM candidate WHERE hash >= ? AND hash < ? GROUP BY hash LIMIT 5");
      s.bind(given).bind(given + "g");  // 'g' follows every hex digit
      for (;;) {
        const bool row = WW_TRY(s.step());
        if (!row) break;
        hashes.push_back(s.text(0).substr(0, 16));
        newest = s.integer(1);
      }
    }
    if (hashes.empty())
      return fail(Code::not_found, "the workspace holds no candidate whose hash begins with '" + given + "'");
    if (hashes.size() > 1) {
      std::string list;
      for (const std::string& h : hashes) list += (list.empty() ? "" : ", ") + h;
      return fail(Code::invalid_argument,
                  "several candidates have a hash that begins with '" + given + "' (" + list + "); give more digits");
    }
    return whole_candidate(*db, newest);
  }

  Result<std::vector<CandidateRecord>> candidates(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    std::vector<CandidateRecord> list;
    Statement s = db->prepare(std::string(candidate_columns) + "WHERE c.run = ? ORDER BY c.id");
    s.bind(run);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back(WW_TRY(read_candidate(s)));
    }
  }

  Result<CandidateRecord> candidate_of(std::int64_t run, const std::string& hash) override {
    const Reader db = WW_TRY(readers_.take());
    std::int64_t id = 0;
    {
      Statement s = db->prepare("SELECT id FROM candidate WHERE run = ? AND hash = ?");
      const bool row = WW_TRY(s.bind(run).bind(hash).step());
      if (!row)
        return fail(Code::not_found, "run " + std::to_string(run) + " holds no candidate " + hash.substr(0, 12));
      id = s.integer(0);
    }
    return whole_candidate(*db, id);
  }

  Status each_candidate(std::int64_t run, const std::function<Status(const CandidateRecord&)>& take,
                        std::int64_t since) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(std::string(columns_without_texts) + "WHERE c.run = ? AND c.changed > ? ORDER BY c.id");
    s.bind(run).bind(since);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return {};
      if (Status taken = take(WW_TRY(read_candidate(s))); !taken) return taken;
    }
  }

  Result<std::int64_t> add_measurement(const MeasurementRecord& m) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return fail(transaction.begun().error());
    return insert(
        transaction,
        db_->prepare(std::string("INSERT INTO measurement(op, candidate, kind, device, gpu, driver, json, created)"
                                 " VALUES(?, nullif(?, 0), ?, ?, ?, ?, ?, ") +
                     now + ")")
            .bind(m.op)
            .bind(m.candidate)
            .bind(m.kind)
            .bind(m.device)
            .bind(m.gpu)
            .bind(m.driver)
            .bind(m.json));
  }

  Result<std::vector<MeasurementRecord>> measurements(std::int64_t candidate) override {
    const Reader db = WW_TRY(readers_.take());
    std::vector<MeasurementRecord> list;
    Statement s = db->prepare(
        "SELECT id, op, coalesce(candidate, 0), kind, device, gpu, driver, json, created FROM measurement"
        " WHERE ?1 = 0 OR candidate = ?1 ORDER BY id DESC");
    s.bind(candidate);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back(
          {s.integer(0), s.integer(1), s.integer(2), s.text(3), s.text(4), s.text(5), s.text(6), s.text(7), s.text(8)});
    }
  }

  Result<std::int64_t> add_exchange(const ExchangeRecord& exchange) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, exchange.provider != "replay");
    if (!transaction.begun()) return fail(transaction.begun().error());
    Result<std::int64_t> id = insert_exchange(*db_, exchange);
    if (!id) return id;
    WW_TRY(transaction.commit());
    return id;
  }

  Status end_exchange(const ExchangeRecord& exchange) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, !of_replay(*db_, exchange.id));
    if (!transaction.begun()) return transaction.begun();
    if (Status s = finish_exchange(*db_, exchange); !s) return s;
    return transaction.commit();
  }

  Status set_outcome(std::int64_t exchange, const std::string& outcome, const std::string& candidate) override {
    return change(
        "exchange", exchange, "UPDATE exchange SET outcome = ?, candidate = ? WHERE id = ?",
        [&](Statement& s) { s.bind(outcome).bind(candidate).bind(exchange); },
        [&] { return !of_replay(*db_, exchange); });
  }

  Result<ExchangeRecord> exchange(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    return read_exchange(*db, id);
  }

  Result<std::vector<ExchangeRecord>> exchanges(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    return list_exchanges(*db, run);
  }

  Result<std::int64_t> add_move(const MoveRecord& move) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return fail(transaction.begun().error());
    Result<std::int64_t> id = insert_move(*db_, move);
    if (!id) return id;
    WW_TRY(transaction.commit());
    return id;
  }

  Result<std::vector<MoveRecord>> moves(const std::string& family, const std::string& device,
                                        std::size_t limit) override {
    const Reader db = WW_TRY(readers_.take());
    return list_moves(*db, family, device, limit);
  }

  Result<std::int64_t> add_review(const ReviewRecord& review) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    WW_CHECK(transaction.begun());
    const std::int64_t id = WW_TRY(insert_review(*db_, review));
    WW_TRY(transaction.commit());
    return id;
  }

  Result<std::vector<ReviewRecord>> reviews(std::int64_t candidate) override {
    const Reader db = WW_TRY(readers_.take());
    return list_reviews(*db, candidate);
  }

  Status set_marks(const std::vector<std::int64_t>& candidates, const std::string& kind, const std::string& text,
                   bool on) override {
    WW_TRY(check_mark(kind, text, on));
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    WW_CHECK(transaction.begun());
    for (const std::int64_t candidate : candidates) WW_TRY(store::set_mark(*db_, candidate, kind, text, on));
    return transaction.commit();
  }

  Result<std::vector<MarkRecord>> marks(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    return list_marks(*db, run);
  }

  Result<std::string> put_blob(std::string_view bytes) override {
    const std::lock_guard lock(blob_mutex_);
    return store::put_blob(folder_ / "blobs", bytes);
  }
  Result<std::string> get_blob(const std::string& hash) override { return store::get_blob(folder_ / "blobs", hash); }

 private:
  Result<std::int64_t> insert(Transaction& transaction, Statement& statement) {
    WW_TRY(statement.run());
    const std::int64_t id = db_->last_id();
    WW_TRY(transaction.commit());
    return id;
  }

  bool candidate_of_replay(std::int64_t candidate) {
    std::int64_t exchange = 0;
    {
      Statement s = db_->prepare("SELECT exchange FROM candidate WHERE id = ?");
      if (const Result<bool> row = s.bind(candidate).step(); row && *row) exchange = s.integer(0);
    }
    return of_replay(*db_, exchange);
  }

  static bool always() { return true; }
  // One statement that must change one row, in its own transaction; `flush` is called under the lock.
  template <class Bind, class Flush = bool (*)()>
  Status change(const char* what, std::int64_t id, const std::string& sql, const Bind& bind,
                const Flush& flush = always) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, flush());
    if (!transaction.begun()) return transaction.begun();
    {
      Statement s = db_->prepare(sql);
      bind(s);
      if (Status done = s.run(); !done) {
        if (done.error().code == Code::not_found) return absent(what, id);
        return done;
      }
    }
    if (db_->changes() == 0) return absent(what, id);
    return transaction.commit();
  }

  Result<CandidateRecord> row_of_candidate(Database& db, std::int64_t id) {
    Statement s = db.prepare(std::string(candidate_columns) + "WHERE c.id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent("candidate", id);
    return read_candidate(s);
  }

  Result<CandidateRecord> whole_candidate(Database& db, std::int64_t id) {
    CandidateRecord c = WW_TRY(row_of_candidate(db, id));
    std::string text, ptx;
    {
      // A duplicate has none of its own: that of the candidate that it repeats, of the same run where that holds it.
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
      Result<std::string> listing = store::get_blob(folder_ / "blobs", ptx);
      if (listing)
        c.verdict->ptx = std::move(*listing);
      else
        log::warn("the PTX of candidate " + std::to_string(id) +
                  " is not shown: " + listing.error().text());  // the verdict itself is whole
    }
    return c;
  }

  const fs::path folder_;
  const std::unique_ptr<Database> db_;  // for what writes
  std::mutex mutex_;                    // of db_
  Readers readers_;                     // before db_ in ending: the connection that ends last tidies the log
  std::mutex blob_mutex_;  // one writer of files per process: the temporary file's name holds the process id alone
};

}  // namespace

Spread spread_of(const evidence::Metrics& metrics) {
  Spread spread;
  for (const auto& [name, member] :
       {std::pair{"q1_us", &spread.q1}, {"q3_us", &spread.q3}, {"samples", &spread.samples}})
    for (const auto& [metric, value] : metrics.values)
      if (metric == name) *member = value;
  if (metrics.floor) spread.floor = metrics.floor->us;
  for (const auto& [name, value] : metrics.conditions)
    if (name == "gpu") spread.gpu = value;
  return spread;
}

Result<std::unique_ptr<Workspace>> Workspace::open(const fs::path& folder, bool create) {
  std::error_code ec;
  const fs::path file = database_of(folder);
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec))
    return fail(Code::io, "'" + folder.string() + "' is a file; a workspace is a folder");
  if (!create && !fs::exists(file, ec)) {
    if (ec) return fail(Code::io, "cannot look into the folder '" + folder.string() + "'", ec.message());
    return fail(Code::not_found,
                "'" + folder.string() +
                    "' is not a Warpwright workspace; explore something there first or name another folder");
  }
  if (create) {
    fs::create_directories(folder, ec);
    if (ec) return fail(Code::io, "cannot create the workspace folder '" + folder.string() + "'", ec.message());
  }
  Database::Access reading = Database::Access::read;
  Result<std::unique_ptr<Database>> db = open_to_write(file, create);
  if (!db && !create && db.error().code == Code::io) {
    if (auto read_only = open_to_read(file, reading)) db = std::move(read_only);
  }
  return std::make_unique<SqliteWorkspace>(folder, WW_TRY(std::move(db)), reading);
}

}  // namespace ww::store
