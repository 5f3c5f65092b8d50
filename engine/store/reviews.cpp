// SPDX-License-Identifier: Apache-2.0
#include "store/reviews.h"

namespace ww::store {
namespace {

Status require_candidate(Database& db, std::int64_t id) {
  Statement s = db.prepare("SELECT 1 FROM candidate WHERE id = ?");
  const bool row = WW_TRY(s.bind(id).step());
  if (row) return {};
  return fail(Code::not_found, "the workspace has no candidate " + std::to_string(id));
}

}  // namespace

Result<std::int64_t> insert_review(Database& db, const ReviewRecord& r) {
  WW_TRY(require_candidate(db, r.candidate));
  WW_TRY(db.prepare(std::string("INSERT INTO review(candidate, kind, reviewer, line, text, answers, receipt, created)"
                                " VALUES(?, ?, ?, ?, ?, ?, ?, ") +
                    now_sql + ")")
             .bind(r.candidate, enum_string(r.kind), r.reviewer, std::int64_t{r.line}, r.text, r.answers, r.receipt)
             .run());
  return db.last_id();
}

Result<std::vector<ReviewRecord>> list_reviews(Database& db, std::int64_t candidate) {
  Statement s = db.prepare(
      "SELECT id, candidate, kind, reviewer, line, text, answers, receipt, created, imported FROM review WHERE ?1 = 0 "
      "OR "
      "candidate = ?1 ORDER BY id");
  s.bind(candidate);
  return rows_of(s, [](const Statement& row) -> Result<ReviewRecord> {
    const std::optional<ReviewKind> kind = enum_from_name<ReviewKind>(row.text(2));
    if (!kind)
      return fail(Code::corrupt,
                  "review " + std::to_string(row.integer(0)) + " is of the unknown kind '" + row.text(2) + "'");
    return ReviewRecord{row.integer(0), row.integer(1), *kind,       row.text(3), static_cast<int>(row.integer(4)),
                        row.text(5),    row.text(6),    row.text(7), row.text(8), row.integer(9) != 0};
  });
}

Status check_mark(MarkKind kind, const std::string& text, bool on) {
  if (kind == MarkKind::unknown) return fail(Code::invalid_argument, "marks are pin, note, tag and trash");
  const bool worded = kind == MarkKind::note || kind == MarkKind::tag;
  if (worded == text.empty() && (on || kind != MarkKind::note))
    return fail(Code::invalid_argument, worded ? "a " + enum_string(kind) + " needs a text"
                                               : "the mark '" + enum_string(kind) + "' takes no text");
  return {};
}

Status set_mark(Database& db, std::int64_t candidate, MarkKind kind, const std::string& text, bool on) {
  WW_TRY(require_candidate(db, candidate));
  if (!on || kind == MarkKind::note) {
    Statement s = db.prepare(
        "DELETE FROM mark WHERE candidate = ?1 AND kind = ?2 AND CASE WHEN ?2 = 'note' THEN ?4 = 0 OR text <> ?3 "
        "ELSE text = ?3 END");
    WW_TRY(s.bind(candidate, enum_string(kind), text, std::int64_t{on}).run());
  }
  if (!on) return {};
  Statement s = db.prepare("INSERT INTO mark(candidate, kind, text, created) VALUES(?, ?, ?, " + now_sql +
                           ") ON CONFLICT DO NOTHING");
  return s.bind(candidate, enum_string(kind), text).run();
}

Result<std::vector<MarkRecord>> list_marks(Database& db, std::int64_t run) {
  Statement s = db.prepare(
      "SELECT m.candidate, m.kind, m.text, m.created FROM mark m JOIN candidate c ON c.id = m.candidate WHERE c.run "
      "= ? ORDER BY m.id");
  s.bind(run);
  return rows_of(s, [](const Statement& row) {
    MarkRecord m;
    row.read(m.candidate, m.kind, m.text, m.created);
    return m;
  });
}

}  // namespace ww::store
