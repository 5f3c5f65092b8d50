// SPDX-License-Identifier: Apache-2.0
#include "store/standing.h"
#include "base/hash.h"

namespace ww::store {

std::string review_hash(const ReviewRecord& r) {
  return Hasher()
      .field(enum_name(r.kind))
      .field(r.reviewer)
      .field(std::to_string(r.line))
      .field(r.text)
      .field(r.answers)
      .field(r.receipt)
      .field(r.created)
      .hex();
}

std::vector<Standing> standing_of(const std::vector<ReviewRecord>& reviews) {
  std::vector<Standing> list(reviews.size());
  for (std::size_t i = reviews.size(); i-- > 0;) {  // newest first: what could take back row i is settled when i comes
    if (reviews[i].kind != ReviewKind::withdrawn) continue;
    for (std::size_t k = i; k-- > 0 && list[i].withdraws == Standing::npos;)
      if (reviews[k].candidate == reviews[i].candidate && review_hash(reviews[k]) == reviews[i].text)
        list[i].withdraws = k;
    if (list[i].stands && list[i].withdraws != Standing::npos) list[list[i].withdraws].stands = false;
  }
  return list;
}

std::vector<ReviewRecord> standing_reviews(const std::vector<ReviewRecord>& reviews) {
  const std::vector<Standing> standing = standing_of(reviews);
  std::vector<ReviewRecord> list;
  for (std::size_t i = 0; i < reviews.size(); ++i)
    if (standing[i].stands && reviews[i].kind != ReviewKind::withdrawn) list.push_back(reviews[i]);
  return list;
}

std::string requested_changes(const std::vector<ReviewRecord>& reviews) {
  std::string changes;
  for (const ReviewRecord& r : standing_reviews(reviews)) {
    if (r.kind == ReviewKind::accepted) changes.clear();
    if (r.kind == ReviewKind::changes) changes += r.text + "\n";
    if (r.kind == ReviewKind::note && r.line > 0) changes += "Line " + std::to_string(r.line) + ": " + r.text + "\n";
    if (r.kind == ReviewKind::rejected) changes += "It was rejected: " + r.text + "\n";
  }
  return changes;
}

}  // namespace ww::store
