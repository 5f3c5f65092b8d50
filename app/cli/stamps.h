// SPDX-License-Identifier: Apache-2.0
// Time stamps of receipts, in the file FILE.tsr beside the receipt FILE.
#pragma once
#include <filesystem>
#include <optional>
#include "command.h"
#include "output.h"
#include "review/stamp.h"

namespace ww::cli {

// Empty: no FILE.tsr.
std::optional<review::Stamp> stamp_beside(const std::filesystem::path& file, const std::string& receipt,
                                          const std::filesystem::path& authorities);
Json stamp_json(const review::Stamp& stamp);
std::string stamp_text(const review::Stamp& stamp);
Result<int> receipt_stamp(const Common& common, const std::filesystem::path& file, const std::string& service);

}  // namespace ww::cli
