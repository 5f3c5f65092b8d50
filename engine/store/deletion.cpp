// SPDX-License-Identifier: Apache-2.0
#include "store/deletion.h"
#include "store/exchanges.h"

namespace ww::store {
namespace {

Status refuse_reviewed(Database& db, std::int64_t run) {
  Statement s = db.prepare(
      "SELECT r.candidate, r.receipt <> '' FROM review r JOIN candidate c ON c.id = r.candidate WHERE c.run = ? "
      "ORDER BY r.receipt = '', r.id LIMIT 1");
  if (!WW_TRY(s.bind(run).step())) return {};
  const std::string of = "run " + std::to_string(run), candidate = " candidate " + std::to_string(s.integer(0));
  return fail(Code::invalid_argument,
              s.integer(1) != 0 ? of + " has the signed receipt of" + candidate + "; what was signed is never deleted"
                                : of + " has a reviewer's notes on" + candidate + "; that is never deleted");
}

}  // namespace

std::string fresh_number(const std::string& table) {
  return "(SELECT CASE WHEN max(last_" + table + ") >= coalesce((SELECT max(id) FROM " + table +
         "), 0) THEN max(last_" + table + ") + 1 END FROM deleted)";
}

Result<DeletedRun> deletion_preview(Database& db, std::int64_t run) {
  DeletedRun found;
  Statement s = db.prepare(
      "SELECT r.id, o.name, (SELECT count(*) FROM candidate WHERE run = r.id), (SELECT count(*) FROM exchange WHERE "
      "run = r.id), (SELECT count(*) FROM measurement m JOIN candidate c ON c.id = m.candidate WHERE c.run = r.id) "
      "FROM run r JOIN op o ON o.id = r.op WHERE r.id = ?");
  if (!WW_TRY(s.bind(run).step())) return fail(Code::not_found, "the workspace has no run " + std::to_string(run));
  s.read(found.run, found.op, found.candidates, found.exchanges, found.measurements);
  WW_TRY(refuse_reviewed(db, run));
  return found;
}

Result<DeletedRun> delete_run(Database& db, std::int64_t run) {
  const DeletedRun found = WW_TRY(deletion_preview(db, run));
  const std::string id = std::to_string(run), theirs = "(SELECT id FROM candidate WHERE run = " + id + ")";
  WW_TRY(db.exec("INSERT INTO deleted(last_run, last_candidate, last_exchange, created) VALUES(" + id +
                 ", coalesce((SELECT max(id) FROM candidate WHERE run = " + id +
                 "), 0), coalesce((SELECT max(id) FROM exchange WHERE run = " + id + "), 0), " + now_sql + ")"));
  WW_TRY(db.exec("DELETE FROM mark WHERE candidate IN " + theirs + "; DELETE FROM measurement WHERE candidate IN " +
                 theirs + "; DELETE FROM verdict WHERE candidate IN " + theirs +
                 "; DELETE FROM candidate WHERE run = " + id + "; DELETE FROM message WHERE run = " + id +
                 "; DELETE FROM move WHERE run = " + id +
                 "; UPDATE candidate SET exchange = NULL WHERE exchange IN (SELECT id FROM exchange WHERE run = " + id +
                 "); DELETE FROM exchange WHERE run = " + id + "; DELETE FROM run WHERE id = " + id));
  WW_TRY(
      db.exec("DELETE FROM source WHERE NOT EXISTS (SELECT 1 FROM candidate c WHERE c.hash = source.hash);"
              "DELETE FROM op WHERE id NOT IN (SELECT op FROM run) AND id NOT IN (SELECT op FROM measurement);"
              "DELETE FROM imported WHERE NOT EXISTS"
              " (SELECT 1 FROM run r WHERE r.id BETWEEN imported.first_run AND imported.last_run)"));
  WW_TRY(keep_used_texts(db));
  return found;
}

}  // namespace ww::store
