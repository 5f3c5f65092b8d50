// SPDX-License-Identifier: Apache-2.0
#include "store/workspace.h"
#include <mutex>
#include "evidence/verdict_json.h"
#include "store/blobs.h"
#include "store/candidates.h"
#include "store/database_file.h"
#include "store/exchanges.h"
#include "store/owner.h"
#include "store/readers.h"
#include "store/reviews.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ww::store {
namespace fs = std::filesystem;
namespace {

// Counts of an imported run include only verdicts made here since. Other runs have no imported verdicts, so their
// counts need only the candidates.
#define WW_RUN_IMPORTED "EXISTS(SELECT 1 FROM imported i WHERE r.id BETWEEN i.first_run AND i.last_run)"
#define WW_OF_RUN "(SELECT count(*) FROM candidate c WHERE c.run = r.id "
#define WW_JUDGED_HERE(state)                                                                                      \
  "CASE WHEN " WW_RUN_IMPORTED                                                                                     \
  " THEN (SELECT count(*) FROM candidate c JOIN verdict v ON v.candidate = c.id WHERE c.run = r.id AND v.imported" \
  " = 0 AND c.state " state ") ELSE " WW_OF_RUN "AND c.state " state ") END"
constexpr const char* run_columns =
    "SELECT r.id, r.op, o.name, r.generator, r.device, r.architecture, r.state, r.options, r.created, r.ended, r.why,"
    " " WW_OF_RUN "), " WW_JUDGED_HERE("NOT IN ('queued', 'duplicate')") ", " WW_JUDGED_HERE(
        "= 'accepted'") ", " WW_RUN_IMPORTED " FROM run r JOIN op o ON o.id = r.op ";
#undef WW_OF_RUN
#undef WW_JUDGED_HERE
#undef WW_RUN_IMPORTED

RunRecord read_run(const Statement& s) {
  RunRecord r;
  s.read(r.id, r.op, r.op_name, r.generator, r.device, r.architecture, r.state, r.options, r.created, r.ended, r.why,
         r.proposed, r.judged, r.accepted, r.imported);
  return r;
}

Result<std::unique_ptr<Database>> open_to_write(const fs::path& file, bool create) {
  std::unique_ptr<Database> db =
      WW_TRY(Database::open(file, create ? Database::Access::create : Database::Access::write));
  WW_TRY(check_ours(*db, migrations(), file));
  WW_TRY(db->make_durable());
  WW_TRY(migrate(*db, migrations(), file));
  return db;
}

struct Opened {
  std::unique_ptr<Database> db;
  Database::Access reading = Database::Access::read;  // how further connections read it
  bool foreign = false;                               // all is shown as imported
};

Result<Opened> opened_to_write(const fs::path& file, bool create) {
  std::unique_ptr<Database> db = WW_TRY(open_to_write(file, create));
  WW_TRY(take_over(*db, file));
  return Opened{std::move(db)};
}

Result<Opened> opened_to_read(const fs::path& file) {
  ReadOnly opened = WW_TRY(open_to_read(file));
  const bool ours = WW_TRY(is_ours(*opened.db, file));
  return Opened{std::move(opened.db), opened.access, !ours};
}

Result<Opened> opened_as(const fs::path& file, Workspace::Access access) {
  const bool create = access == Workspace::Access::create;
  Result<Opened> first = access == Workspace::Access::read ? opened_to_read(file) : opened_to_write(file, create);
  if (first || create) return first;
  if (access == Workspace::Access::write) {
    if (first.error().code != Code::io) return first;
    Result<Opened> second = opened_to_read(file);
    return second ? std::move(second) : std::move(first);
  }
  WW_TRY(open_to_write(file, false));  // brings an older schema up to date, or says best what is wrong with the file
  return opened_to_read(file);
}

class SqliteWorkspace final : public Workspace {
 public:
  SqliteWorkspace(fs::path folder, std::unique_ptr<Database> db, Database::Access reading, bool foreign)
      : folder_(std::move(folder)), db_(std::move(db)), readers_(database_of(folder_), reading, foreign) {}

  const fs::path& folder() const override { return folder_; }

  Result<std::int64_t> add_op(const std::string& name, const std::string& text, const std::string& sentence) override {
    return write([&]() -> Result<std::int64_t> {
      Statement s = db_->prepare("SELECT id FROM op WHERE name = ? AND text = ? AND sentence = ?");
      const bool row = WW_TRY(s.bind(name, text, sentence).step());
      if (row) return s.integer(0);
      return insert(
          db_->prepare(std::string("INSERT INTO op(name, text, sentence, created) VALUES(?, ?, ?, ") + now_sql + ")")
              .bind(name, text, sentence));
    });
  }

  Result<OpRecord> op(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare("SELECT id, name, text, sentence, created FROM op WHERE id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent("op", id);
    return OpRecord{s.integer(0), s.text(1), s.text(2), s.text(3), s.text(4)};
  }

  Result<std::int64_t> add_run(const RunRecord& run) override {
    return write([&] {
      return insert(
          db_->prepare(std::string("INSERT INTO run(id, op, generator, device, architecture, options, state, created)"
                                   " VALUES(") +
                       fresh_number("run") + ", ?, ?, ?, ?, ?, ?, " + now_sql + ")")
              .bind(run.op, run.generator, run.device, run.architecture, run.options,
                    enum_string(run.state == RunState::unknown ? RunState::running : run.state)));
    });
  }

  Status set_run_state(std::int64_t run, RunState state, const std::string& why) override {
    const std::string ended = state == RunState::running ? "''" : now_sql;
    return change("run", run, "UPDATE run SET state = ?, why = ?, ended = " + ended + " WHERE id = ?",
                  [&](Statement& s) { s.bind(enum_string(state), why, run); });
  }

  Status set_run_options(std::int64_t run, const std::string& options) override {
    return change("run", run, "UPDATE run SET options = ? WHERE id = ?", [&](Statement& s) { s.bind(options, run); });
  }

  Status add_message(std::int64_t run, MessageLevel level, const std::string& text) override {
    return change("run", run,
                  std::string("INSERT INTO message(run, level, text, created) VALUES(?, ?, ?, ") + now_sql + ")",
                  [&](Statement& s) { s.bind(run, enum_string(level), text); });
  }

  Result<std::vector<MessageRecord>> messages(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare("SELECT level, text, created FROM message WHERE run = ? ORDER BY id");
    s.bind(run);
    return rows_of(s, [](const Statement& row) {
      return MessageRecord{enum_or_unknown<MessageLevel>(row.text(0)), row.text(1), row.text(2)};
    });
  }

  Result<std::string> latest_worker(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare("SELECT text FROM message WHERE run = ? AND level = ? ORDER BY id DESC LIMIT 1");
    const bool row = WW_TRY(s.bind(run, enum_string(MessageLevel::environment)).step());
    return row ? s.text(0) : std::string();
  }

  Result<DeletedRun> deletion_preview(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    return store::deletion_preview(*db, run);
  }

  Result<DeletedRun> delete_run(std::int64_t run) override {
    return write([&] { return store::delete_run(*db_, run); });
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
    return rows_of(s, read_run);
  }

  Result<std::int64_t> add_candidate(const CandidateRecord& c, bool* known) override {
    return write([&] { return insert_candidate(*db_, c, known); }, [&] { return !of_replay(*db_, c.exchange); });
  }

  Status set_verdict(std::int64_t candidate, const evidence::Verdict& verdict, std::optional<double> score,
                     Provenance provenance, const std::string& unit,
                     const std::optional<std::string>& identity) override {
    std::string ptx;
    if (!verdict.ptx.empty()) ptx = WW_TRY(put_blob(verdict.ptx));
    evidence::Verdict without_ptx = verdict;
    without_ptx.ptx.clear();
    const std::string json = evidence::verdict_to_json(without_ptx);
    return write(
        [&] {
          return store_verdict(*db_, candidate, verdict, json, ptx, {score, provenance, unit, identity});
        },
        [&] { return !candidate_of_replay(*db_, candidate); });
  }

  Status set_identity(std::int64_t candidate, const std::string& identity) override {
    return change("candidate", candidate, "UPDATE candidate SET identity = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(identity, candidate); });
  }

  Result<std::string> find_identity(std::int64_t run, const std::string& identity) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(
        "SELECT hash FROM candidate c WHERE run = ? AND identity = ? AND state = 'accepted' AND NOT EXISTS (SELECT 1 "
        "FROM verdict v WHERE v.candidate = c.id AND v.imported <> 0) ORDER BY id LIMIT 1");
    const bool row = WW_TRY(s.bind(run, identity).step());
    return row ? s.text(0) : std::string();
  }

  Status set_not_judged(std::int64_t candidate, const std::string& message) override {
    return change("candidate", candidate, "UPDATE candidate SET state = 'not judged', summary = ? WHERE id = ?",
                  [&](Statement& s) { s.bind(message, candidate); });
  }

  Status set_duplicate(std::int64_t candidate, const std::string& of) override {
    return change(
        "candidate", candidate,
        "UPDATE candidate SET state = 'duplicate', duplicate_of = ?, summary = ?, score = NULL WHERE id = ?",
        [&](Statement& s) { s.bind(of, "the same program as candidate " + of.substr(0, 12), candidate); },
        [&] { return !candidate_of_replay(*db_, candidate); });
  }

  Result<CandidateRecord> candidate(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    return read_candidate(*db, blobs(), id);
  }

  Result<CandidateRecord> candidate_row(std::int64_t id) override {
    const Reader db = WW_TRY(readers_.take());
    return read_candidate_row(*db, id);
  }

  Result<CandidateRecord> find_candidate(const std::string& given) override {
    const Reader db = WW_TRY(readers_.take());
    return store::find_candidate(*db, blobs(), given);
  }

  Result<std::vector<CandidateRecord>> candidates(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    return list_candidates(*db, run);
  }

  Result<CandidateRecord> candidate_of(std::int64_t run, const std::string& hash) override {
    const Reader db = WW_TRY(readers_.take());
    return find_candidate_of(*db, blobs(), run, hash);
  }

  Status each_candidate(std::int64_t run, const std::function<Status(const CandidateRecord&)>& take,
                        std::int64_t since) override {
    const Reader db = WW_TRY(readers_.take());
    return store::each_candidate(*db, run, since, take);
  }

  Result<std::int64_t> add_measurement(const MeasurementRecord& m) override {
    return write([&] {
      return insert(
          db_->prepare(std::string("INSERT INTO measurement(op, candidate, kind, device, gpu, driver, json, created)"
                                   " VALUES(?, nullif(?, 0), ?, ?, ?, ?, ?, ") +
                       now_sql + ")")
              .bind(m.op, m.candidate, enum_string(m.kind), m.device, m.gpu, m.driver, m.json));
    });
  }

  Result<std::vector<MeasurementRecord>> measurements(std::int64_t candidate) override {
    const Reader db = WW_TRY(readers_.take());
    Statement s = db->prepare(
        "SELECT id, op, coalesce(candidate, 0), kind, device, gpu, driver, json, created, imported FROM measurement"
        " WHERE ?1 = 0 OR candidate = ?1 ORDER BY id DESC");
    s.bind(candidate);
    return rows_of(s, [](const Statement& r) {
      const auto kind = enum_or_unknown<profile::MeasurementKind>(r.text(3));
      return MeasurementRecord{r.integer(0), r.integer(1), r.integer(2), kind,      r.text(4),
                               r.text(5),    r.text(6),    r.text(7),    r.text(8), r.integer(9) != 0};
    });
  }

  Result<std::int64_t> add_exchange(const ExchangeRecord& exchange) override {
    return write([&] { return insert_exchange(*db_, exchange); }, [&] { return exchange.provider != "replay"; });
  }

  Status end_exchange(const ExchangeRecord& exchange) override {
    return write([&] { return finish_exchange(*db_, exchange); }, [&] { return !of_replay(*db_, exchange.id); });
  }

  Status set_batch(std::int64_t exchange, const std::string& batch, const std::string& item) override {
    return change(
        "exchange", exchange, "UPDATE exchange SET batch = ?, batch_item = ? WHERE id = ? AND state <> ?",
        [&](Statement& s) { s.bind(batch, item, exchange, enum_string(ExchangeState::replied)); }, [] { return true; });
  }

  Status set_outcome(std::int64_t exchange, ExchangeOutcome outcome, const std::string& candidate) override {
    return change(
        "exchange", exchange, "UPDATE exchange SET outcome = ?, candidate = ? WHERE id = ?",
        [&](Statement& s) { s.bind(enum_string(outcome), candidate, exchange); },
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
    return write([&] { return insert_move(*db_, move); });
  }

  Result<std::vector<MoveRecord>> moves(const std::string& family, const std::string& device,
                                        std::size_t limit) override {
    const Reader db = WW_TRY(readers_.take());
    return list_moves(*db, family, device, limit);
  }

  Result<std::int64_t> add_review(const ReviewRecord& review) override {
    return write([&] { return insert_review(*db_, review); });
  }

  Result<std::vector<ReviewRecord>> reviews(std::int64_t candidate) override {
    const Reader db = WW_TRY(readers_.take());
    return list_reviews(*db, candidate);
  }

  Status set_marks(const std::vector<std::int64_t>& candidates, MarkKind kind, const std::string& text,
                   bool on) override {
    WW_TRY(check_mark(kind, text, on));
    return write([&]() -> Status {
      for (const std::int64_t candidate : candidates) WW_TRY(store::set_mark(*db_, candidate, kind, text, on));
      return {};
    });
  }

  Result<std::vector<MarkRecord>> marks(std::int64_t run) override {
    const Reader db = WW_TRY(readers_.take());
    return list_marks(*db, run);
  }

  Result<std::string> put_blob(std::string_view bytes) override {
    const std::lock_guard lock(blob_mutex_);
    return store::put_blob(blobs(), bytes);
  }
  Result<std::string> get_blob(const std::string& hash) override { return store::get_blob(blobs(), hash); }

 private:
  Result<std::int64_t> insert(Statement& statement) {
    WW_TRY(statement.run());
    return db_->last_id();
  }

  static bool always() { return true; }
  // All that `work` does, in a transaction of its own; `flush` is called under the lock.
  template <class Work, class Flush = bool (*)()>
  auto write(const Work& work, const Flush& flush = always) -> decltype(work()) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(*db_, flush());
    WW_CHECK(transaction.begun());
    auto done = work();
    if (done) WW_TRY(transaction.commit());
    return done;
  }
  // One statement that must change one row, likewise.
  template <class Bind, class Flush = bool (*)()>
  Status change(const char* what, std::int64_t id, const std::string& sql, const Bind& bind,
                const Flush& flush = always) {
    return write(
        [&]() -> Status {
          Statement s = db_->prepare(sql);
          bind(s);
          const Status done = s.run();
          if (!done && done.error().code == Code::not_found) return absent(what, id);
          WW_CHECK(done);
          if (db_->changes() == 0) return absent(what, id);
          return {};
        },
        flush);
  }

  fs::path blobs() const { return folder_ / "blobs"; }

  const fs::path folder_;
  const std::unique_ptr<Database> db_;  // for what writes
  std::mutex mutex_;                    // of db_
  Readers readers_;                     // before db_ in ending: the connection that ends last tidies the log
  std::mutex blob_mutex_;  // one writer of files per process: the temporary file's name holds the process id alone
};

}  // namespace

namespace {

// Whether a database of no bytes stands where one with contents was. One that ended while it was being made has neither
// a log nor candidates beside it: `create` may go on with it.
bool lost_contents(const fs::path& folder, bool create) {
  std::error_code ec;
  const fs::path file = database_of(folder);
  if (fs::file_size(file, ec) != 0 || ec) return false;
  fs::path log = file;
  log += "-wal";
  if (const auto bytes = fs::file_size(log, ec); !ec && bytes > 0) return false;
  const fs::path blobs = folder / "blobs";
  return !create || (fs::exists(blobs, ec) && !fs::is_empty(blobs, ec));
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::open(const fs::path& folder, Access access) {
  std::error_code ec;
  const fs::path file = database_of(folder);
  if (fs::exists(folder, ec) && !fs::is_directory(folder, ec))
    return fail(Code::io, "'" + folder.string() + "' is a file; a workspace is a folder");
  const bool create = access == Access::create;
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
  for (const char* part : {"blobs", "review"})
    if (fs::is_symlink(fs::symlink_status(folder / part, ec)))
      return fail(Code::corrupt, "'" + (folder / part).string() + "' is a link; a workspace's folders are its own");
  if (lost_contents(folder, create))
    return fail(Code::corrupt, "'" + file.string() + "' is empty: its contents are lost",
                "Restore the file from a backup, or name another workspace.");
  Opened opened = WW_TRY(opened_as(file, access));
  return std::make_unique<SqliteWorkspace>(folder, std::move(opened.db), opened.reading, opened.foreign);
}

}  // namespace ww::store
