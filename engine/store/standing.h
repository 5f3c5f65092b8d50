// SPDX-License-Identifier: Apache-2.0
// Finds the review rows in force. Nothing is ever changed or deleted: a row of kind "withdrawn" withdraws an earlier
// one, which may be such a row itself; the one that it had withdrawn is then in force again.
#pragma once
#include <string>
#include <vector>
#include "store/workspace.h"

namespace ww::store {

// The hash of a row without its number and its candidate's: the same in every workspace that holds the row. The text of
// a row that withdraws is the hash of the row that it takes back.
std::string review_hash(const ReviewRecord& review);

struct Standing {
  bool stands = true;            // false: it was taken back
  std::size_t withdraws = npos;  // of kind "withdrawn": the place of the row that it takes back
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};
std::vector<Standing> standing_of(
    const std::vector<ReviewRecord>& reviews);  // one for each; reviews oldest first, of one candidate or of several
std::vector<ReviewRecord> standing_reviews(
    const std::vector<ReviewRecord>& reviews);  // those that stand, without the rows that only withdraw

// The requested changes and line notes on the candidate of these rows, for the next prompt. Requests before its last
// acceptance are done with. Empty: nothing.
std::string requested_changes(const std::vector<ReviewRecord>& reviews);

}  // namespace ww::store
