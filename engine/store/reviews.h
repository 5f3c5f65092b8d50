// SPDX-License-Identifier: Apache-2.0
// The rows that people add to candidates: reviews and marks. The caller must hold the transaction.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"
#include "store/workspace.h"

namespace ww::store {

Result<std::int64_t> insert_review(Database& db, const ReviewRecord& review);
Result<std::vector<ReviewRecord>> list_reviews(Database& db, std::int64_t candidate);

Status check_mark(MarkKind kind, const std::string& text, bool on);
Status set_mark(Database& db, std::int64_t candidate, MarkKind kind, const std::string& text, bool on);
Result<std::vector<MarkRecord>> list_marks(Database& db, std::int64_t run);

}  // namespace ww::store
