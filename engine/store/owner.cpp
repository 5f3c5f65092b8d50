// SPDX-License-Identifier: Apache-2.0
#include "store/owner.h"
#include <sys/stat.h>
#include "base/files.h"
#include "base/log.h"
#include "base/seal_key.h"
#include "base/utc.h"
#include "op/parse.h"
#include "store/database_file.h"

namespace ww::store {
namespace fs = std::filesystem;
namespace {

constexpr const char* sealed_name = "workspace";

// The sealed data; it changes when the file is copied.
std::string sealed_text(const std::string& number, const std::filesystem::path& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 ? number + ' ' + std::to_string(facts.st_ino) : std::string();
}

std::filesystem::path key_file() { return config_dir() / "workspace.key"; }

// Tables with rows that are either own or imported.
constexpr const char* kinds[] = {"verdict", "measurement", "review"};

// What is the present owner's own is kept for him, should he open the workspace again.
Status remember_owner(Database& db) {
  std::string sql;
  for (const std::string kind : kinds)
    sql += "INSERT OR IGNORE INTO former SELECT o.seal, o.number, '" + kind + "', t.id FROM owner o, " + kind +
           " t WHERE o.seal <> '' AND t.imported = 0;";
  return db.exec(
      sql +
      "INSERT OR IGNORE INTO former SELECT o.seal, o.number, 'run', r.id FROM owner o, run r WHERE o.seal <> "
      "'' AND NOT EXISTS(SELECT 1 FROM imported i WHERE r.id BETWEEN i.first_run AND i.last_run);");
}

// The seal of an earlier owner that is this user's; empty: none.
Result<std::string> own_former_seal(Database& db, const fs::path& file) {
  const SealKey key = SealKey::in(key_file(), false);
  Statement s = db.prepare("SELECT DISTINCT seal, number FROM main.former");
  while (key && WW_TRY(s.step()))
    if (key.fits(s.text(0), sealed_name, sealed_text(s.text(1), file))) return s.text(0);
  return std::string();
}

// After mark_all: restores this user's own rows.
Status give_back(Database& db, const std::string& seal) {
  for (const std::string kind : kinds)
    WW_TRY(db.prepare("UPDATE " + kind +
                      " SET imported = 0 WHERE id IN (SELECT row FROM former WHERE seal = ? AND kind = '" + kind + "')")
               .bind(seal)
               .run());
  WW_TRY(
      db.prepare("INSERT OR IGNORE INTO imported(digest, first_run, last_run, created) SELECT 'owner ' || "
                 "hex(randomblob(16)), r.id, r.id, " +
                 std::string(now_sql) +
                 " FROM run r WHERE NOT EXISTS(SELECT 1 FROM former f WHERE f.seal = ? AND f.kind = 'run' AND f.row = "
                 "r.id) AND NOT EXISTS(SELECT 1 FROM imported i WHERE i.digest NOT LIKE 'owner %' AND r.id BETWEEN "
                 "i.first_run AND i.last_run)")
          .bind(seal)
          .run());
  WW_TRY(db.exec("DELETE FROM imported WHERE digest LIKE 'owner %' AND first_run < last_run"));
  WW_TRY(
      db.prepare("DELETE FROM imported WHERE digest LIKE 'owner %' AND first_run IN (SELECT row FROM former WHERE seal "
                 "= ? AND kind = 'run')")
          .bind(seal)
          .run());
  return db.prepare("DELETE FROM former WHERE seal = ?").bind(seal).run();
}

// Marks all rows as imported, or those that are not this user's by `own_seal`. The trigger that forbids changes of
// reviews is dropped meanwhile.
Status mark_all(Database& db, const std::string& own_seal) {
  std::string trigger;
  {
    Statement s = db.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'review_unchanged'");
    if (WW_TRY(s.step())) trigger = s.text(0);
  }
  if (!trigger.empty()) WW_TRY(db.exec("DROP TRIGGER review_unchanged"));
  WW_TRY(
      db.exec("UPDATE verdict SET imported = 1; UPDATE measurement SET imported = 1; UPDATE review SET imported = 1;"));
  WW_TRY(
      db.exec("INSERT OR IGNORE INTO imported(digest, first_run, last_run, created) SELECT 'owner ' || "
              "hex(randomblob(16)), min(id), max(id), " +
              now_sql + " FROM run HAVING count(*) > 0"));
  if (!own_seal.empty()) WW_TRY(give_back(db, own_seal));
  return trigger.empty() ? Status() : db.exec(trigger);
}

// The names that their specs give the ops that have another one, by op.
Result<std::vector<std::pair<std::int64_t, std::string>>> renamed_ops(Database& db) {
  std::vector<std::pair<std::int64_t, std::string>> wrong;
  Statement s = db.prepare("SELECT id, name, text FROM main.op");
  while (WW_TRY(s.step()))
    if (std::string name = op_name(s.text(2), s.text(1)); name != s.text(1))
      wrong.emplace_back(s.integer(0), std::move(name));
  return wrong;
}

Status name_ops(Database& db) {
  for (const auto& [id, name] : WW_TRY(renamed_ops(db)))
    WW_TRY(db.prepare("UPDATE op SET name = ? WHERE id = ?").bind(name, id).run());
  return {};
}

// Another user's checklist does not replace the program's.
Status set_checklist_aside(Database& db, const fs::path& folder) {
  const fs::path own = folder / "review" / "policy.json", aside = folder / "review" / "policy.imported.json";
  std::error_code ec;
  if (!fs::exists(fs::symlink_status(own, ec)) || WW_TRY(db.integer("SELECT count(*) FROM run")) == 0) return {};
  fs::rename(own, aside, ec);
  if (ec)
    return fail(Code::io, "'" + own.string() + "' came with the workspace and cannot be set aside; move it yourself",
                ec.message());
  log::warn("the workspace came with a checklist: it is in '" + aside.string() + "' now; rename it to use it");
  return {};
}

}  // namespace

std::string op_name(const std::string& spec, const std::string& otherwise) {
  const Result<op::Spec> parsed = op::parse_spec(spec);
  return parsed ? parsed->name : otherwise;
}

Result<bool> is_ours(Database& db, const std::filesystem::path& file) {
  Statement s = db.prepare("SELECT number, seal FROM owner");
  const bool row = WW_TRY(s.step());
  return row && SealKey::in(key_file(), false).fits(s.text(1), sealed_name, sealed_text(s.text(0), file));
}

std::optional<TakenOver> taken_over(const fs::path& folder) {
  const auto db = Database::open(database_of(folder), Database::Access::read);
  if (!db) return std::nullopt;
  Statement s = (*db)->prepare("SELECT max(created) FROM imported WHERE digest LIKE 'owner %'");
  const Result<bool> row = s.step();
  if (!row || !*row || s.null(0)) return std::nullopt;
  TakenOver taken{s.text(0), {}};
  struct stat key {};
  if (::stat(key_file().c_str(), &key) == 0) taken.key_made = utc_text(key.st_mtime, "%Y-%m-%dT%H:%M:%SZ");
  return taken;
}

Status take_over(Database& db, const std::filesystem::path& file) {
  if (WW_TRY(is_ours(db, file))) return {};
  Transaction transaction(db);
  WW_CHECK(transaction.begun());
  if (WW_TRY(is_ours(db, file))) return {};  // another program was faster
  const std::string own = WW_TRY(own_former_seal(db, file));
  WW_TRY(remember_owner(db));
  WW_TRY(mark_all(db, own));
  WW_TRY(name_ops(db));
  WW_TRY(set_checklist_aside(db, file.parent_path()));
  std::string number;
  {
    Statement s = db.prepare("SELECT hex(randomblob(16))");
    WW_TRY(s.step());
    number = s.text(0);
  }
  const SealKey key = SealKey::in(key_file(), true);
  if (!key)
    log::warn("this workspace cannot be marked as yours: '" + key_file().string() +
              "' can be neither read nor made; when it is opened again, its verdicts count as imported");
  WW_TRY(db.exec("DELETE FROM owner"));
  {
    Statement s = db.prepare("INSERT INTO owner(number, seal) VALUES(?, ?)");
    WW_TRY(s.bind(number, key ? key.seal(sealed_name, sealed_text(number, file)) : std::string()).run());
  }
  return transaction.commit();
}

// Tables of the same name in "temp" come before those of the file.
Status show_as_imported(Database& db, const fs::path& file) {
  const std::string own = WW_TRY(own_former_seal(db, file));
  WW_TRY(db.exec(
      "CREATE TEMP TABLE mine(kind TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(kind, row)) WITHOUT ROWID"));
  WW_TRY(db.prepare("INSERT INTO mine SELECT kind, row FROM main.former WHERE seal = ?").bind(own).run());
  const auto renamed = WW_TRY(renamed_ops(db));
  WW_TRY(
      db.exec("CREATE TEMP TABLE op_name(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
              "CREATE TEMP VIEW op AS SELECT o.id, coalesce(n.name, o.name) AS name, o.text, o.sentence, o.created"
              " FROM main.op o LEFT JOIN op_name n ON n.id = o.id;"));
  for (const auto& [id, name] : renamed)
    WW_TRY(db.prepare("INSERT INTO op_name(id, name) VALUES(?, ?)").bind(id, name).run());
  const auto imported = [](const char* kind) {
    return " NOT EXISTS(SELECT 1 FROM mine m WHERE m.kind = '" + std::string(kind) + "' AND m.row = t.id) AS imported";
  };
  return db.exec(
      "CREATE TEMP VIEW verdict AS SELECT id, candidate, json, ptx, created," + imported("verdict") +
      " FROM main.verdict t;"
      "CREATE TEMP VIEW measurement AS SELECT id, op, candidate, kind, device, gpu, driver, json, created," +
      imported("measurement") +
      " FROM main.measurement t;"
      "CREATE TEMP VIEW review AS SELECT id, candidate, kind, reviewer, line, text, answers, receipt, created," +
      imported("review") +
      " FROM main.review t;"
      "CREATE TEMP VIEW imported AS SELECT '' AS digest, r.id AS first_run, r.id AS last_run, '' AS created"
      " FROM main.run r WHERE NOT EXISTS(SELECT 1 FROM mine m WHERE m.kind = 'run' AND m.row = r.id);");
}

}  // namespace ww::store
