// SPDX-License-Identifier: Apache-2.0
#include "store/bundle.h"
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include "base/foreign_file.h"
#include "base/fresh_file.h"
#include "base/hash.h"
#include "store/blobs.h"
#include "store/database_file.h"
#include "store/deletion.h"
#include "store/exchanges.h"
#include "store/foreign_schema.h"
#include "store/owner.h"
#include "store/readers.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/workspace.h"

namespace ww::store {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t bundle_id = 0x57575242;  // "WWRB" in SQLite's header
constexpr const char* bundle_format = "1";
constexpr const char* bundle_tables =  // in addition to the workspace's own
    "CREATE TABLE bundle(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID; CREATE TABLE blob(hash TEXT "
    "PRIMARY KEY, bytes BLOB NOT NULL);";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

Result<std::vector<std::string>> texts(Statement s) {  // of the first column
  return rows_of(s, [](const Statement& row) { return row.text(0); });
}

// Over every row of every table but `bundle`, in an order that does not depend on the file's pages.
Result<std::string> digest_of(Database& db) {
  const std::vector<std::string> tables = WW_TRY(
      texts(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'bundle' AND name NOT LIKE "
                       "'sqlite_%' ORDER BY name")));
  Hasher hasher;
  for (const std::string& table : tables) {
    const std::vector<std::string> columns =
        WW_TRY(texts(std::move(db.prepare("SELECT name FROM pragma_table_info(?)").bind(table))));
    hasher.field(table);
    std::string sql = "SELECT ";
    for (const std::string& c : columns) sql += (c == columns.front() ? "\"" : ", \"") + c + "\"";
    Statement s = db.prepare(sql + " FROM \"" + table + "\" ORDER BY 1");  // the first column is each table's key
    WW_TRY(each_row(s, [&](Statement& row) {
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
        if (row.holds_real(i)) {  // its bits: SQLite's versions do not all print reals alike
          const double value = row.real(i);
          hasher.field("real").field({reinterpret_cast<const char*>(&value), sizeof value});
        } else {
          hasher.field(row.null(i) ? "null" : "text").field(row.text(i));
        }
      }
      return Status();
    }));
  }
  return hasher.hex();
}

Result<std::string> entry(Database& db, const std::string& key) {
  Statement s = db.prepare("SELECT value FROM bundle WHERE key = ?");
  const bool row = WW_TRY(s.bind(key).step());
  return row ? s.text(0) : std::string();
}

Result<BundleFacts> facts_of(Database& db) {
  BundleFacts f;
  for (const auto& [member, key] : {std::pair{&f.digest, "digest"}, {&f.created, "created"}, {&f.program, "program"}}) {
    std::string value = WW_TRY(entry(db, key));
    *member = std::move(value);
  }
  for (const auto& [member, table] : {std::pair{&f.runs, "run"},
                                      {&f.candidates, "candidate"},
                                      {&f.measurements, "measurement"},
                                      {&f.blobs, "blob"}}) {
    const std::int64_t n = WW_TRY(db.integer(std::string("SELECT count(*) FROM ") + table));
    *member = n;
  }
  return f;
}

std::string only_run(std::int64_t run) {  // what a bundle of one run leaves out
  const std::string id = std::to_string(run), others = "SELECT id FROM candidate WHERE run <> " + id;
  return "DROP TRIGGER review_kept; DELETE FROM review WHERE candidate IN (" + others +
         "); DELETE FROM mark WHERE candidate IN (" + others +
         "); DELETE FROM measurement WHERE candidate IS NULL OR candidate IN (" + others +
         "); DELETE FROM verdict WHERE candidate IN (" + others + "); DELETE FROM candidate WHERE run <> " + id +
         "; DELETE FROM message WHERE run <> " + id + "; DELETE FROM move WHERE run <> " + id +
         "; DELETE FROM exchange WHERE run IS NOT " + id +
         "; UPDATE candidate SET exchange = NULL WHERE exchange NOT IN (SELECT id FROM exchange);"
         " DELETE FROM run WHERE id <> " +
         id +
         "; DELETE FROM source WHERE hash NOT IN (SELECT hash FROM candidate); DELETE FROM op WHERE id NOT IN (SELECT "
         "op FROM run) AND id NOT IN"
         " (SELECT op FROM measurement);";
}

Result<BundleFacts> fill_bundle(Database& db, const fs::path& blobs, std::int64_t run, const std::string& program) {
  std::string sql =
      "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; BEGIN; DELETE FROM imported; DELETE FROM owner; "
      "DELETE FROM deleted; DELETE FROM former;";
  if (run != 0) sql += only_run(run);
  WW_TRY(db.exec(sql + bundle_tables));
  WW_TRY(keep_used_texts(db));
  for (const std::string& hash :
       WW_TRY(texts(db.prepare("SELECT DISTINCT ptx FROM verdict WHERE ptx <> '' ORDER BY ptx")))) {
    const Result<std::string> bytes = get_blob(blobs, hash);
    if (!bytes)
      return fail(bytes.error().code, "the workspace cannot be bundled whole: " + bytes.error().message,
                  bytes.error().cause);
    Statement s = db.prepare("INSERT INTO blob(hash, bytes) VALUES(?, CAST(? AS BLOB))");
    WW_TRY(s.bind(hash, *bytes).run());
  }
  const std::string digest = WW_TRY(digest_of(db));
  Statement s = db.prepare(
      std::string("INSERT INTO bundle(key, value) VALUES('format', ?), ('program', ?), ('digest', ?), ('created', ") +
      now_sql + ")");
  WW_TRY(s.bind(bundle_format, program, digest).run());
  WW_TRY(db.exec("PRAGMA application_id = " + std::to_string(bundle_id) + "; COMMIT"));
  return facts_of(db);
}

tl::unexpected<Error> no_bundle(const fs::path& file, std::string cause = {}) {
  return fail(Code::invalid_argument,
              "'" + file.string() + "' is not a Warpwright bundle; 'warpwright-cli bundle export' makes one",
              std::move(cause));
}
tl::unexpected<Error> damaged(const fs::path& file, std::string cause) {
  return fail(Code::corrupt, "the bundle '" + file.string() + "' is damaged; get a fresh copy of it", std::move(cause));
}

constexpr std::string_view sqlite_header("SQLite format 3\0", 16);
constexpr std::size_t largest_bundle = std::size_t{1} << 40;

// Is the file a whole bundle of a version that we know? `db` is a private copy of it, in which it is then brought to
// our schema.
Result<BundleFacts> check_bundle(Database& db, const fs::path& file) {
  const auto broken = [&](const Error& e) -> tl::unexpected<Error> {
    return e.code == Code::corrupt ? damaged(file, e.cause.empty() ? e.message : e.cause) : fail(e);
  };
  const Result<std::int64_t> owner = db.integer("PRAGMA application_id");
  if (!owner) return broken(owner.error());
  if (*owner == application_id)
    return no_bundle(file, "it is a workspace's database; open its folder with --workspace");
  if (*owner != bundle_id) return no_bundle(file);
  const Result<std::int64_t> version = db.integer("PRAGMA user_version");
  if (!version) return broken(version.error());
  const bool newer = *version > static_cast<std::int64_t>(migrations().size());
  if (!newer && *version >= 2) {  // before reading anything else: a view may be in the place of a table
    const Result<std::string> foreign = foreign_in_schema(db, migrations(), *version, bundle_tables, true);
    if (!foreign) return broken(foreign.error());
    if (!foreign->empty()) return damaged(file, *foreign);
  }
  const Result<std::string> format = newer ? std::string() : entry(db, "format");
  if (!format) return damaged(file, format.error().text());
  if (*format != bundle_format)
    return fail(Code::unsupported,
                "the bundle '" + file.string() + "' was written by a newer Warpwright; import it with that version");
  if (*version < 2) return damaged(file, "its schema predates bundles");
  {
    Statement s = db.prepare("PRAGMA integrity_check(1)");
    const Result<bool> row = s.step();
    if (!row) return broken(row.error());
    if (!*row || s.text(0) != "ok") return damaged(file, *row ? s.text(0) : "");
  }
  const Result<std::string> digest = digest_of(db);
  if (!digest) return broken(digest.error());
  Result<BundleFacts> facts = facts_of(db);
  if (!facts) return damaged(file, facts.error().text());
  {
    Statement s = db.prepare("SELECT hash, language, text FROM source");
    const Status whole = each_row(s, [&](Statement& row) -> Status {  // as candidate::parse makes it
      if (Hasher().field(row.text(1)).field(row.text(2)).hex() == row.text(0)) return {};
      return damaged(file, "the candidate " + row.text(0) + " does not match its hash");
    });
    if (!whole) return broken(whole.error());
  }
  if (*digest != facts->digest) return damaged(file, "its content does not match its digest");
  WW_TRY(db.exec("PRAGMA application_id = " + std::to_string(application_id)));
  WW_TRY(migrate(db, migrations(), file));
  {
    Statement s = db.prepare("SELECT hash, text FROM text");
    const Status whole = each_row(s, [&](Statement& row) -> Status {
      if (hash_hex(row.text(1)) == row.text(0)) return {};
      return damaged(file, "the text " + row.text(0) + " of an exchange does not match its hash");
    });
    if (!whole) return broken(whole.error());
  }
  return facts;
}

// Copies the rows of the attached database `b` behind those of the workspace, with new numbers.
class Merge {
 public:
  explicit Merge(Database& db) : db_(db) {}
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;

  Status all() {
    WW_TRY(copy_ops());
    WW_TRY(copy("run", "op, generator, device, architecture, options, state, created, ended, why", run_, {{1, &op_}}));
    for (const auto& [theirs, ours] : run_) runs.emplace_back(theirs, ours);
    WW_TRY(
        db_.exec("INSERT INTO source(hash, language, text) SELECT hash, language, text FROM b.source WHERE true ON "
                 "CONFLICT DO NOTHING"));
    WW_TRY(db_.exec("INSERT INTO text(hash, text) SELECT hash, text FROM b.text WHERE true ON CONFLICT DO NOTHING"));
    WW_TRY(copy("exchange",
                "run, role, label, model, provider, host, request, request_hash, prompt, state, reply, raw, why, code, "
                "outcome, candidate, prompt_tokens, cached_tokens, cache_written_tokens, completion_tokens, "
                "reasoning_tokens, tokens_reported, money, attempts, first_token_seconds, seconds, created, ended, "
                "strategy, lineage, task, step, subject, batch, batch_item",
                exchange_, {{1, &run_}}));
    WW_TRY(copy("candidate",
                "run, hash, parent, structure, title, tuning, generator, note, state, created, summary, score, "
                "score_provenance, score_unit, resources, exchange, duplicate_of, strategy, lineage, task, step, "
                "subject, move, draft, identity, q1, q3, floor, samples, gpu, failed_stage, proved_at, proved_cases, "
                "cases",
                candidate_, {{1, &run_}, {16, &exchange_}}));
    Numbers ignored;
    WW_TRY(copy("move", "run, parent, child, move, family, device, provenance, effect, low, high, created", ignored,
                {{1, &run_}}));
    WW_TRY(copy("verdict", "candidate, json, ptx, created", ignored, {{1, &candidate_}}, true));
    WW_TRY(copy("review", "candidate, kind, reviewer, line, text, answers, receipt, created", ignored,
                {{1, &candidate_}}, true));
    WW_TRY(copy("mark", "candidate, kind, text, created", ignored, {{1, &candidate_}}));
    WW_TRY(copy("message", "run, level, text, created", ignored, {{1, &run_}}));
    return copy("measurement", "op, candidate, kind, device, gpu, driver, json, created", ignored,
                {{1, &op_}, {2, &candidate_}}, true);
  }

 private:
  using Numbers = std::map<std::int64_t, std::int64_t>;  // theirs, ours

  Status copy_ops() {
    Statement from = db_.prepare("SELECT id, name, text, sentence, created FROM b.op ORDER BY id");
    return each_row(from, [&](Statement& row) -> Status {
      const std::string name = op_name(row.text(2), row.text(1));
      Statement known = db_.prepare("SELECT id FROM op WHERE name = ? AND text = ? AND sentence = ?");
      const bool there = WW_TRY(known.bind(name, row.text(2), row.text(3)).step());
      if (there) return op_[row.integer(0)] = known.integer(0), Status();
      Statement to = db_.prepare("INSERT INTO op(name, text, sentence, created) VALUES(?, ?, ?, ?)");
      WW_TRY(to.bind(name, row.text(2), row.text(3), row.text(4)).run());
      return op_[row.integer(0)] = db_.last_id(), Status();
    });
  }

  // `columns` besides the row's number; `references`: those, counted from 1, that hold numbers of other tables;
  // `marked`: the table says which of its rows were imported.
  Status copy(const std::string& table, const std::string& columns, Numbers& numbers,
              const std::map<int, const Numbers*>& references, bool marked = false) {
    Statement from = db_.prepare("SELECT id, " + columns + " FROM b." + table + " ORDER BY id");
    const int count = 1 + static_cast<int>(std::count(columns.begin(), columns.end(), ','));
    const bool numbered = table == "run" || table == "candidate" || table == "exchange";
    std::string insert = "INSERT INTO " + table + "(id, " + columns + (marked ? ", imported" : "") + ") VALUES(" +
                         (numbered ? fresh_number(table) : "NULL") + ", ?";
    for (int c = 1; c < count; ++c) insert += ", ?";
    insert += marked ? ", 1)" : ")";
    return each_row(from, [&](Statement& row) -> Status {
      Statement to = db_.prepare(insert);
      for (int c = 1; c <= count; ++c) {
        if (row.null(c)) {
          to.bind(std::optional<double>());
        } else if (const auto reference = references.find(c); reference != references.end()) {
          const auto ours = reference->second->find(row.integer(c));
          if (ours == reference->second->end())
            return fail(Code::corrupt, "the bundle refers to a row that it does not hold");
          to.bind(ours->second);
        } else if (row.holds_real(c)) {
          to.bind(row.real(c));
        } else {
          to.bind(row.text(c));
        }
      }
      WW_TRY(to.run());
      numbers[row.integer(0)] = db_.last_id();
      return {};
    });
  }

  Database& db_;
  Numbers op_, run_, exchange_, candidate_;
};

}  // namespace

Result<BundleFacts> export_bundle(const fs::path& folder, const fs::path& file, std::int64_t run,
                                  const std::string& program) {
  std::error_code ec;
  if (fs::is_directory(file, ec))
    return fail(Code::invalid_argument, "'" + file.string() + "' is a folder; name the file to write");
  {
    std::unique_ptr<Workspace> workspace = WW_TRY(Workspace::open(folder, Workspace::Access::read));
    if (run != 0) WW_TRY(workspace->run(run));
  }
  FreshFile whole = WW_TRY(FreshFile::beside(file));
  BundleFacts facts;
  {
    const ReadOnly source = WW_TRY(open_to_read(database_of(folder)));
    if (Status s = source.db->exec("VACUUM INTO " + quoted(whole.path().string())); !s)
      return fail(s.error().code, "the bundle '" + file.string() + "' cannot be written", s.error().text());
    std::unique_ptr<Database> copy = WW_TRY(Database::open(whole.path(), Database::Access::write));
    BundleFacts filled = WW_TRY(fill_bundle(*copy, folder / "blobs", run, program));
    WW_TRY(copy->exec("VACUUM"));
    facts = std::move(filled);
  }
  WW_TRY(whole.rename_to(file));
  return facts;
}

Result<Imported> import_bundle(const fs::path& file, const fs::path& folder, const std::stop_token& stop) {
  std::error_code ec;
  Result<ForeignFile> given = ForeignFile::open(file);
  if (!given) return fail(Code::invalid_argument, given.error().message, given.error().cause);
  FreshFile copy = WW_TRY(FreshFile::beside(fs::temp_directory_path(ec) / "warpwright-bundle", 0600));
  bool begun = false;
  WW_TRY(given->read(largest_bundle, [&](std::string_view part) -> Status {
    if (!std::exchange(begun, true) && !part.starts_with(sqlite_header)) return no_bundle(file);
    return copy.write(part);
  }));
  if (!begun) return no_bundle(file);
  Imported result;
  {
    std::unique_ptr<Database> bundle = WW_TRY(Database::open(copy.path(), Database::Access::write));
    bundle->cancel_with(stop);
    BundleFacts facts = WW_TRY(check_bundle(*bundle, file));
    result.bundle = std::move(facts);
  }
  WW_TRY(Workspace::open(folder));
  std::unique_ptr<Database> opened = WW_TRY(Database::open(database_of(folder), Database::Access::write));
  Database& db = *opened;
  db.cancel_with(stop);
  WW_TRY(db.make_durable());
  WW_TRY(db.exec("ATTACH " + quoted(copy.path().string()) + " AS b"));
  {
    Statement s = db.prepare("SELECT hash, bytes FROM b.blob");
    WW_TRY(each_row(s, [&](Statement& row) -> Status {
      const std::string hash = row.text(0), bytes = row.text(1);
      if (hash_hex(bytes) != hash) return damaged(file, "the content " + hash + " does not match its hash");
      const Result<std::string> stored = put_blob(folder / "blobs", bytes);
      return stored ? Status() : fail(stored.error());
    }));
  }
  Transaction transaction(db);
  if (!transaction.begun()) return fail(transaction.begun().error());
  {
    Statement s = db.prepare("SELECT first_run, last_run, created FROM imported WHERE digest = ?");
    const bool known = WW_TRY(s.bind(result.bundle.digest).step());
    if (known)
      return fail(Code::invalid_argument, "the bundle '" + file.string() +
                                              "' was imported into this workspace before (" + s.text(2).substr(0, 16) +
                                              "), as runs " + std::to_string(s.integer(0)) + " to " +
                                              std::to_string(s.integer(1)) + "; name another folder with --workspace");
  }
  Merge merge(db);
  if (Status s = merge.all(); !s)
    return s.error().code == Code::corrupt ? damaged(file, s.error().message) : fail(s.error());
  result.runs = std::move(merge.runs);
  {
    Statement s = db.prepare(
        std::string("INSERT INTO imported(digest, first_run, last_run, created) VALUES(?, ?, ?, ") + now_sql + ")");
    const std::int64_t first = result.runs.empty() ? 0 : result.runs.front().second,
                       last = result.runs.empty() ? 0 : result.runs.back().second;
    WW_TRY(s.bind(result.bundle.digest, first, last).run());
  }
  WW_TRY(transaction.commit());
  return result;
}

}  // namespace ww::store
