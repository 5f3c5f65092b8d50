// SPDX-License-Identifier: Apache-2.0
// Finds the review rows in force. Nothing is ever changed or deleted: a row of kind "withdrawn" withdraws an earlier
// one, which may itself be a withdrawal; the row withdrawn by that is then in force again.
#pragma once
#include <string>
#include <vector>
#include "store/workspace.h"

namespace ww::store {

// The hash of a row without its number and its candidate's: the same in every workspace that has the row. The text of a
// withdrawal is the hash of the withdrawn row.
std::string review_hash(const ReviewRecord& review);

struct Standing {
  bool stands = true;            // false: it was withdrawn
  std::size_t withdraws = npos;  // of kind "withdrawn": the index of the row that it withdraws
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};
std::vector<Standing> standing_of(
    const std::vector<ReviewRecord>& reviews);  // one per row; reviews oldest first, of one candidate or of several
std::vector<ReviewRecord> standing_reviews(
    const std::vector<ReviewRecord>& reviews);  // those in force, without withdrawals

// The requested changes and line notes on the candidate of these rows, for the next prompt. Requests before its last
// acceptance are resolved. Empty: none.
std::string requested_changes(const std::vector<ReviewRecord>& reviews);

}  // namespace ww::store
