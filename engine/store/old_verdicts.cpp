// SPDX-License-Identifier: Apache-2.0
#include "store/old_verdicts.h"
#include "evidence/verdict_json.h"

namespace ww::store {

Status mark_unjudged(Database& db) {
  std::vector<std::int64_t> rejected;
  {
    Statement s = db.prepare(
        "SELECT c.id FROM candidate c JOIN verdict v ON v.candidate = c.id WHERE c.state = 'rejected' AND (v.json LIKE "
        "'%\"infinite loop\"%' OR v.json LIKE '%\"timeout\"%' OR v.json LIKE '%\"unsupported\"%' OR v.json LIKE "
        "'%\"out of memory\"%' OR v.json LIKE '%\"device lost\"%')");
    rejected = WW_TRY(rows_of(s, [](const Statement& row) { return row.integer(0); }));
  }
  for (const std::int64_t id : rejected) {
    std::string json;
    {
      Statement s = db.prepare("SELECT json FROM verdict WHERE candidate = ?");
      if (WW_TRY(s.bind(id).step())) json = s.text(0);
    }
    const Result<evidence::Verdict> verdict = evidence::verdict_from_json(json);
    if (!verdict || verdict->ruling() != evidence::Ruling::not_judged) continue;
    Statement s = db.prepare("UPDATE candidate SET state = 'not judged', summary = ?, failed_stage = '' WHERE id = ?");
    WW_TRY(s.bind(verdict->summary(), id).run());
  }
  return {};
}

}  // namespace ww::store
