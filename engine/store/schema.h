// SPDX-License-Identifier: Apache-2.0
// The database's tables, as a list of steps: step i takes user_version i to i + 1. A step that was released is never
// changed.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

inline constexpr std::int64_t application_id =
    0x57575257;  // "WWRW" in SQLite's header: tells our database from another program's

struct Migration {
  std::string_view sql;
  Status (*fill)(Database& db) = nullptr;  // what SQL cannot say, after it and in its transaction
};
const std::vector<Migration>& migrations();

// Refuses a database of another program and one that is newer than the list; changes nothing.
Status check_ours(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);
// The same, and refuses one that migrate() would change.
Status check_current(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);
// Brings the database to the last step, each step in its own transaction, safely while other programs do the same.
Status migrate(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);

}  // namespace ww::store
