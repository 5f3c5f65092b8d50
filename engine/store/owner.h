// SPDX-License-Identifier: Apache-2.0
// Workspace ownership. Each database has a random id, sealed together with its file's inode with a key of the user who
// created it (config_dir()/"workspace.key"). Whatever is in a database without a matching seal counts as imported: it
// was judged elsewhere, whatever it claims. So does a copy, because it cannot be told from another user's database that
// carries the seal of one's own.
#pragma once
#include <filesystem>
#include <string>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

Result<bool> is_ours(Database& db, const std::filesystem::path& file);
// Marks all that a foreign database holds as imported (but what was this user's own before another took it over: that
// is remembered with the seal), renames ops to the names that their specs give, sets its
// checklist aside (review/policy.imported.json), and seals it. Changes nothing where it is ours.
Status take_over(Database& db, const std::filesystem::path& file);
// The name that a spec gives its op; `otherwise` where it cannot be read.
std::string op_name(const std::string& spec, const std::string& otherwise);
// For a connection that only reads: shows what a foreign database holds as imported, as above, and ops by the names
// that their specs give.
Status show_as_imported(Database& db, const std::filesystem::path& file);

}  // namespace ww::store
