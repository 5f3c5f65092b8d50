// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include "base/result.h"
#include "base/secret.h"
#include "review/signing.h"

namespace ww::cli {

// Asks on the terminal, without echo; Code::unavailable where there is none.
Result<Secret> ask_passphrase(const std::filesystem::path& key);

// This machine's key. Where there is none yet, one is made, and stderr says so.
Result<review::Signer> open_signer();

}  // namespace ww::cli
