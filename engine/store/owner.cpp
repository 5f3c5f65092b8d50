// SPDX-License-Identifier: Apache-2.0
#include "store/owner.h"
#include <sys/stat.h>
#include "base/files.h"
#include "base/log.h"
#include "base/seal_key.h"
#include "op/parse.h"

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

// Marks all rows as imported. The trigger that forbids changes of reviews is dropped meanwhile.
Status mark_all(Database& db) {
  std::string trigger;
  {
    Statement s = db.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'review_unchanged'");
    if (WW_TRY(s.step())) trigger = s.text(0);
  }
  if (!trigger.empty()) WW_TRY(db.exec("DROP TRIGGER review_unchanged"));
  WW_TRY(
      db.exec("UPDATE verdict SET imported = 1; UPDATE measurement SET imported = 1; UPDATE review SET imported = 1;"));
  if (!trigger.empty()) WW_TRY(db.exec(trigger));
  return db.exec(
      "INSERT OR IGNORE INTO imported(digest, first_run, last_run, created) SELECT 'owner ' || "
      "hex(randomblob(16)), min(id), max(id), " +
      now_sql + " FROM run HAVING count(*) > 0");
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

// Another person's checklist does not take the place of the program's.
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

Status take_over(Database& db, const std::filesystem::path& file) {
  if (WW_TRY(is_ours(db, file))) return {};
  Transaction transaction(db);
  WW_CHECK(transaction.begun());
  if (WW_TRY(is_ours(db, file))) return {};  // another program was faster
  WW_TRY(mark_all(db));
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
Status show_as_imported(Database& db) {
  const auto renamed = WW_TRY(renamed_ops(db));
  WW_TRY(
      db.exec("CREATE TEMP TABLE op_name(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
              "CREATE TEMP VIEW op AS SELECT o.id, coalesce(n.name, o.name) AS name, o.text, o.sentence, o.created"
              " FROM main.op o LEFT JOIN op_name n ON n.id = o.id;"));
  for (const auto& [id, name] : renamed)
    WW_TRY(db.prepare("INSERT INTO op_name(id, name) VALUES(?, ?)").bind(id, name).run());
  return db.exec(
      "CREATE TEMP VIEW verdict AS SELECT id, candidate, json, ptx, created, 1 AS imported FROM main.verdict;"
      "CREATE TEMP VIEW measurement AS SELECT id, op, candidate, kind, device, gpu, driver, json, created, 1 AS "
      "imported"
      " FROM main.measurement;"
      "CREATE TEMP VIEW review AS SELECT id, candidate, kind, reviewer, line, text, answers, receipt, created,"
      " 1 AS imported FROM main.review;"
      "CREATE TEMP VIEW imported AS SELECT '' AS digest, min(id) AS first_run, max(id) AS last_run, '' AS created"
      " FROM main.run;");
}

}  // namespace ww::store
