// SPDX-License-Identifier: Apache-2.0
#include "store/workspace.h"
#include <algorithm>
#include <mutex>
#include "base/log.h"
#include "gate/verdict_json.h"
#include "store/blobs.h"
#include "store/exchanges.h"
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
  r.state = s.text(6);
  r.options = s.text(7);
  r.created = s.text(8);
  r.ended = s.text(9);
  r.proposed = static_cast<int>(s.integer(10));
  r.judged = static_cast<int>(s.integer(11));
  r.accepted = static_cast<int>(s.integer(12));
  return r;
}

constexpr const char* candidate_columns =
    "SELECT c.id, c.run, c.hash, c.parent, c.structure, c.title, c.generator, c.note, s.text, s.language, c.state, "
    "c.created, c.summary,"
    " c.score, c.score_provenance, c.score_unit, c.resources, v.created, v.id,"
    " c.exchange, c.duplicate_of"
    " FROM candidate c JOIN source s ON s.hash = c.hash LEFT JOIN verdict v ON v.candidate = c.id ";

CandidateRecord read_candidate(const Statement& s) {
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
  c.language = s.text(9);
  c.state = s.text(10);
  c.created = s.text(11);
  c.summary = s.text(12);
  if (!s.null(13)) c.score = s.real(13);
  c.score_provenance = s.text(14);
  c.score_unit = s.text(15);
  if (auto resources = gate::resources_from_json(s.text(16)))
    c.resources = std::move(*resources);  // a list without them is better than none
  c.judged = s.text(17);
  c.order = s.integer(18);
  c.exchange = s.integer(19);
  c.duplicate_of = s.text(20);
  return c;
}

tl::unexpected<Error> absent(const char* what, std::int64_t id) {
  return fail(Code::not_found, "the workspace holds no " + std::string(what) + " " + std::to_string(id));
}

class SqliteWorkspace final : public Workspace {
 public:
  SqliteWorkspace(fs::path folder, std::unique_ptr<Database> db) : folder_(std::move(folder)), db_(std::move(db)) {}

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
    const std::lock_guard lock(mutex_);
    Statement s = db_->prepare("SELECT id, name, text, sentence, created FROM op WHERE id = ?");
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
            .bind(run.state.empty() ? std::string("running") : run.state));
  }

  Status set_run_state(std::int64_t run, const std::string& state) override {
    const std::string ended = state == "running" ? "''" : now;
    return change("run", run, "UPDATE run SET state = ?, ended = " + ended + " WHERE id = ?",
                  [&](Statement& s) { s.bind(state).bind(run); });
  }

  Status set_run_options(std::int64_t run, const std::string& options) override {
    return change("run", run, "UPDATE run SET options = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(options).bind(run); });
  }

  Status add_message(std::int64_t run, const std::string& level, const std::string& text) override {
    return change("run", run,
                  std::string("INSERT INTO message(run, level, text, created) VALUES(?, ?, ?, ") + now + ")",
                  [&](Statement& s) { s.bind(run).bind(level).bind(text); });
  }

  Result<std::vector<MessageRecord>> messages(std::int64_t run) override {
    const std::lock_guard lock(mutex_);
    Statement s = db_->prepare("SELECT level, text, created FROM message WHERE run = ? ORDER BY id");
    s.bind(run);
    std::vector<MessageRecord> list;
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back({s.text(0), s.text(1), s.text(2)});
    }
  }

  Result<RunRecord> run(std::int64_t id) override {
    const std::lock_guard lock(mutex_);
    Statement s = db_->prepare(std::string(run_columns) + "WHERE r.id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent("run", id);
    return read_run(s);
  }

  Result<std::vector<RunRecord>> runs() override {
    const std::lock_guard lock(mutex_);
    Statement s = db_->prepare(std::string(run_columns) + "ORDER BY r.id DESC");
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
      WW_TRY(s.bind(c.hash).bind(c.language).bind(c.text).run());
    }
    return insert(transaction, db_->prepare(std::string("INSERT INTO candidate(run, hash, parent, structure, title, "
                                                        "generator, note, exchange, state, created)"
                                                        " VALUES(?, ?, ?, ?, ?, ?, ?, nullif(?, 0), 'queued', ") +
                                            now + ")")
                                   .bind(c.run)
                                   .bind(c.hash)
                                   .bind(c.parent)
                                   .bind(c.structure)
                                   .bind(c.title)
                                   .bind(c.generator)
                                   .bind(c.note)
                                   .bind(c.exchange));
  }

  Status set_verdict(std::int64_t candidate, const gate::Verdict& verdict, std::optional<double> score,
                     const std::string& provenance, const std::string& unit) override {
    gate::Verdict without_ptx = verdict;
    without_ptx.ptx.clear();
    const std::string text = gate::verdict_to_json(without_ptx);
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
          "UPDATE candidate SET state = ?, summary = ?, score = ?, score_provenance = ?, score_unit = ?, resources = ?"
          " WHERE id = ?");
      if (Status done = s.bind(verdict.accepted ? "accepted" : "rejected")
                            .bind(verdict.summary())
                            .bind(score)
                            .bind(score ? provenance : std::string())
                            .bind(score ? unit : std::string())
                            .bind(gate::resources_to_json(verdict.resources))
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
    const std::lock_guard lock(mutex_);
    return candidate_locked(id);
  }

  Result<CandidateRecord> find_candidate(const std::string& given) override {
    const std::lock_guard lock(mutex_);
    const bool digits = !given.empty() && given.size() <= 18 &&
                        std::all_of(given.begin(), given.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
      Result<CandidateRecord> by_id = candidate_locked(std::stoll(given));
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
          db_->prepare("SELECT hash, max(id) FROM candidate WHERE hash >= ? AND hash < ? GROUP BY hash LIMIT 5");
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
    return candidate_locked(newest);
  }

  Result<std::vector<CandidateRecord>> candidates(std::int64_t run) override {
    const std::lock_guard lock(mutex_);
    std::vector<CandidateRecord> list;
    Statement s = db_->prepare(std::string(candidate_columns) + "WHERE c.run = ? ORDER BY c.id");
    s.bind(run);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back(read_candidate(s));
    }
  }

  Result<CandidateRecord> candidate_of(std::int64_t run, const std::string& hash) override {
    const std::lock_guard lock(mutex_);
    std::int64_t id = 0;
    {
      Statement s = db_->prepare("SELECT id FROM candidate WHERE run = ? AND hash = ?");
      const bool row = WW_TRY(s.bind(run).bind(hash).step());
      if (!row)
        return fail(Code::not_found, "run " + std::to_string(run) + " holds no candidate " + hash.substr(0, 12));
      id = s.integer(0);
    }
    return candidate_locked(id);
  }

  Status each_candidate(std::int64_t run, const std::function<Status(const CandidateRecord&)>& take) override {
    const std::lock_guard lock(mutex_);
    Statement s = db_->prepare(
        "SELECT c.id, c.run, c.hash, c.parent, c.structure, c.title, c.generator, c.note, '', s.language, c.state, "
        "c.created, c.summary,"
        " c.score, c.score_provenance, c.score_unit, c.resources, v.created, v.id, c.exchange, c.duplicate_of"
        " FROM candidate c JOIN source s ON s.hash = c.hash LEFT JOIN verdict v ON v.candidate = c.id WHERE c.run = ? "
        "ORDER BY c.id");
    s.bind(run);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return {};
      if (Status taken = take(read_candidate(s)); !taken) return taken;
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
    const std::lock_guard lock(mutex_);
    std::vector<MeasurementRecord> list;
    Statement s = db_->prepare(
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
    const std::lock_guard lock(mutex_);
    return read_exchange(*db_, id);
  }

  Result<std::vector<ExchangeRecord>> exchanges(std::int64_t run) override {
    const std::lock_guard lock(mutex_);
    return list_exchanges(*db_, run);
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
    const std::lock_guard lock(mutex_);
    return list_moves(*db_, family, device, limit);
  }

  Result<std::int64_t> add_review(const ReviewRecord& r) override {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return fail(transaction.begun().error());
    {
      Statement s = db_->prepare("SELECT 1 FROM candidate WHERE id = ?");
      const bool row = WW_TRY(s.bind(r.candidate).step());
      if (!row) return absent("candidate", r.candidate);
    }
    return insert(
        transaction,
        db_->prepare(std::string("INSERT INTO review(candidate, kind, reviewer, line, text, answers, receipt, created)"
                                 " VALUES(?, ?, ?, ?, ?, ?, ?, ") +
                     now + ")")
            .bind(r.candidate)
            .bind(r.kind)
            .bind(r.reviewer)
            .bind(std::int64_t{r.line})
            .bind(r.text)
            .bind(r.answers)
            .bind(r.receipt));
  }

  Result<std::vector<ReviewRecord>> reviews(std::int64_t candidate) override {
    const std::lock_guard lock(mutex_);
    std::vector<ReviewRecord> list;
    Statement s = db_->prepare(
        "SELECT id, candidate, kind, reviewer, line, text, answers, receipt, created FROM review WHERE ?1 = 0 OR "
        "candidate = ?1 ORDER BY id");
    s.bind(candidate);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back({s.integer(0), s.integer(1), s.text(2), s.text(3), static_cast<int>(s.integer(4)), s.text(5),
                      s.text(6), s.text(7), s.text(8)});
    }
  }

  Status set_marks(const std::vector<std::int64_t>& candidates, const std::string& kind, const std::string& text,
                   bool on) override {
    const bool worded = kind == "note" || kind == "tag";
    if (!worded && kind != "pin" && kind != "trash")
      return fail(Code::invalid_argument, "there is no mark '" + kind + "'; marks are pin, note, tag and trash");
    if (worded == text.empty() && (on || kind != "note"))
      return fail(Code::invalid_argument,
                  worded ? "a " + kind + " needs a text" : "the mark '" + kind + "' takes no text");
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_);
    if (!transaction.begun()) return transaction.begun();
    for (const std::int64_t candidate : candidates)
      if (Status done = set_mark_locked(candidate, kind, text, on); !done) return done;
    return transaction.commit();
  }

  Result<std::vector<MarkRecord>> marks(std::int64_t run) override {
    const std::lock_guard lock(mutex_);
    std::vector<MarkRecord> list;
    Statement s = db_->prepare(
        "SELECT m.candidate, m.kind, m.text, m.created FROM mark m JOIN candidate c ON c.id = m.candidate WHERE c.run "
        "= ? ORDER BY m.id");
    s.bind(run);
    for (;;) {
      const bool row = WW_TRY(s.step());
      if (!row) return list;
      list.push_back({s.integer(0), s.text(1), s.text(2), s.text(3)});
    }
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

  Status set_mark_locked(std::int64_t candidate, const std::string& kind, const std::string& text, bool on) {
    {
      Statement s = db_->prepare("SELECT 1 FROM candidate WHERE id = ?");
      const bool row = WW_TRY(s.bind(candidate).step());
      if (!row) return absent("candidate", candidate);
    }
    if (!on || kind == "note") {
      Statement s = db_->prepare(
          "DELETE FROM mark WHERE candidate = ?1 AND kind = ?2 AND CASE WHEN ?2 = 'note' THEN ?4 = 0 OR text <> ?3 "
          "ELSE text = ?3 END");
      if (Status done = s.bind(candidate).bind(kind).bind(text).bind(std::int64_t{on}).run(); !done) return done;
    }
    if (!on) return {};
    Statement s = db_->prepare(std::string("INSERT INTO mark(candidate, kind, text, created) VALUES(?, ?, ?, ") + now +
                               ") ON CONFLICT DO NOTHING");
    return s.bind(candidate).bind(kind).bind(text).run();
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

  Result<CandidateRecord> candidate_locked(std::int64_t id) {
    CandidateRecord c;
    {
      Statement s = db_->prepare(std::string(candidate_columns) + "WHERE c.id = ?");
      const bool row = WW_TRY(s.bind(id).step());
      if (!row) return absent("candidate", id);
      c = read_candidate(s);
    }
    std::string text, ptx;
    {
      // A duplicate has none of its own: that of the candidate that it repeats, of the same run where that holds it.
      Statement s = db_->prepare(c.state == "duplicate"
                                     ? "SELECT v.json, v.ptx FROM verdict v JOIN candidate o ON o.id = v.candidate "
                                       "JOIN candidate d ON d.id = ?"
                                       " WHERE o.hash = d.duplicate_of ORDER BY o.run = d.run DESC, v.id DESC LIMIT 1"
                                     : "SELECT json, ptx FROM verdict WHERE candidate = ?");
      const bool row = WW_TRY(s.bind(id).step());
      if (!row) return c;
      text = s.text(0);
      ptx = s.text(1);
    }
    Result<gate::Verdict> verdict = gate::verdict_from_json(text);
    if (!verdict)
      return fail(Code::corrupt, "the stored verdict of candidate " + std::to_string(id) + " cannot be read",
                  verdict.error().text());
    c.verdict = std::move(*verdict);
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
  const std::unique_ptr<Database> db_;
  std::mutex mutex_;       // of the database
  std::mutex blob_mutex_;  // one writer of files per process: the temporary file's name holds the process id alone
};

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::open(const fs::path& folder, bool create) {
  std::error_code ec;
  const fs::path file = folder / "workspace.sqlite";
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec))
    return fail(Code::io, "'" + folder.string() + "' is a file; a workspace is a folder");
  if (!create && !fs::exists(file, ec))
    return fail(Code::not_found,
                "'" + folder.string() +
                    "' is not a Warpwright workspace; explore something there first or name another folder");
  if (create) {
    fs::create_directories(folder, ec);
    if (ec) return fail(Code::io, "cannot create the workspace folder '" + folder.string() + "'", ec.message());
  }
  std::unique_ptr<Database> db = WW_TRY(Database::open(file, create));
  WW_TRY(check_ours(*db, migrations(), file));
  WW_TRY(db->make_durable());
  WW_TRY(migrate(*db, migrations(), file));
  return std::make_unique<SqliteWorkspace>(folder, std::move(db));
}

}  // namespace ww::store
