// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include "base/result.h"
#include "base/secret.h"
#include "review/signing.h"

namespace ww::cli {

// Asks on the terminal, without echo; Code::unavailable without a terminal.
Result<Secret> ask_passphrase(const std::filesystem::path& key);

// This machine's key. If there is none, creates one and reports that on stderr.
Result<review::Signer> open_signer();

}  // namespace ww::cli
