// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>
#include "base/result.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace ww::store {

// Names what a database's schema has that Warpwright did not put there, or what it lacks, as "it has the unknown
// trigger 'x'"; empty: it is that of the first `version` steps and of `more` (SQL). Whoever gives a person a file may
// have put views that never end, triggers that change what is stored, or columns into it. `bundle`: triggers may be
// missing.
Result<std::string> foreign_in_schema(Database& db, const std::vector<Migration>& steps, std::int64_t version,
                                      const std::string& more = {}, bool bundle = false);

}  // namespace ww::store
