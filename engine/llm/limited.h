// SPDX-License-Identifier: Apache-2.0
// Applies the user's limits (consent.h) to a prompt's sheet.
#pragma once
#include <string>
#include <string_view>
#include "llm/consent.h"
#include "llm/prompt.h"

namespace ww::llm {

// sources false: keeps only texts that quote no code (an unknown name counts as quoting), or their variant without
// code. paths false: absolute file names become "[path]". device_name false: "device" becomes its variant without the
// name, or is removed; in texts that users may have written, GPU names become "the device".
Sheet limited(const Sheet& sheet, const Limits& limits);
std::string without_paths(std::string_view text);
std::string without_device_names(std::string_view text);

}  // namespace ww::llm
