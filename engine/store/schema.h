// SPDX-License-Identifier: Apache-2.0
// The database's tables, as a list of steps: step i takes user_version i to i + 1. A released step is never changed.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

inline constexpr std::int64_t application_id = 0x57575257;  // "WWRW" in SQLite's header: identifies our databases

struct Migration {
  std::string_view sql;
  Status (*fill)(Database& db) = nullptr;  // for changes beyond SQL, after it and in its transaction
};
const std::vector<Migration>& migrations();

// Refuses another program's database, and one newer than the list; changes nothing.
Status check_ours(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);
// The same, and also refuses one that migrate() would change.
Status check_current(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);
// Brings the database to the last step, each step in its own transaction; safe if other programs do the same
// concurrently.
Status migrate(Database& db, const std::vector<Migration>& steps, const std::filesystem::path& file);

}  // namespace ww::store
