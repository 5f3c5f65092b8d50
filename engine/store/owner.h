// SPDX-License-Identifier: Apache-2.0
// Whose workspace it is. Each database has a number of its own, sealed together with its file's (the inode) by a key of
// the person who made it (config_dir()/"workspace.key"). What is in a database without a seal that fits was judged
// elsewhere, whatever it says of itself: it counts as imported. So does a copy, which another's database with the seal
// of one's own could not be told from.
#pragma once
#include <filesystem>
#include <string>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

Result<bool> is_ours(Database& db, const std::filesystem::path& file);
// Marks all that a foreign database holds as imported, calls ops what their specs say, sets its checklist
// aside (review/policy.imported.json), and seals it. Changes nothing where it is ours.
Status take_over(Database& db, const std::filesystem::path& file);
// The name that a spec gives its op; `otherwise` where it cannot be read.
std::string op_name(const std::string& spec, const std::string& otherwise);
// For a connection that cannot write: shows all that the database holds as imported.
Status show_as_imported(Database& db);

}  // namespace ww::store
