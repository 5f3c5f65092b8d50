// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include "base/result.h"
#include "base/secret.h"

namespace ww::cli {

// Asks on the terminal, without echo; Code::unavailable where there is none.
Result<Secret> ask_passphrase(const std::filesystem::path& key);

}  // namespace ww::cli
