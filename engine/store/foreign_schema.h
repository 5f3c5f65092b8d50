// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>
#include "base/result.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ww::store {

// Describes what a database's schema has beyond Warpwright's, or lacks, as "it has the unknown trigger 'x'"; empty: it
// matches the first `version` steps and `more` (SQL). The author of a foreign file may have added views that never end,
// triggers that change stored data, or columns. `bundle`: triggers may be missing.
Result<std::string> foreign_in_schema(Database& db, const std::vector<Migration>& steps, std::int64_t version,
                                      const std::string& more = {}, bool bundle = false);

}  // namespace ww::store
