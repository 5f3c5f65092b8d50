// SPDX-License-Identifier: Apache-2.0
// Workspace ownership. Each database has a random id, sealed together with its file's inode with a key of the user who
// created it (config_dir()/"workspace.key"). Everything in a database without a matching seal counts as imported: it
// was judged elsewhere, whatever it claims. So does a copy, because it cannot be distinguished from another user's
// database with a copied seal.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

// When everything in a workspace was marked as imported, since no key of this user had sealed it, and when the present
// key was made (ISO 8601, UTC; empty: there is none). Empty: that did not happen.
struct TakenOver {
  std::string when, key_made;
  bool operator==(const TakenOver&) const = default;
};
std::optional<TakenOver> taken_over(const std::filesystem::path& folder);

Result<bool> is_ours(Database& db, const std::filesystem::path& file);
// Marks everything in a foreign database as imported (except this user's own earlier work, which the seal records),
// renames ops to the names in their specs, sets its checklist aside (review/policy.imported.json), and seals it.
// Changes nothing if it is ours.
Status take_over(Database& db, const std::filesystem::path& file);
// The op's name in its spec; `otherwise` if that cannot be parsed.
std::string op_name(const std::string& spec, const std::string& otherwise);
// For a read-only connection: shows the contents of a foreign database as imported, as above, and ops under the names
// in their specs.
Status show_as_imported(Database& db, const std::filesystem::path& file);

}  // namespace ww::store
