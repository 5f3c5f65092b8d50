// SPDX-License-Identifier: Apache-2.0
// Applies the limits that a person set (consent.h) to the sheet of a prompt.
#pragma once
#include <string>
#include <string_view>
#include "llm/consent.h"
#include "llm/prompt.h"

namespace ww::llm {

// sources false: only texts that quote no code stay (an unknown name counts as quoting), or what their writer gave
// without code. paths false: absolute file names become "[path]". device_name false: "device" is what its writer gave
// without the name, or nothing; in texts that people may have written, names of GPUs become "the device".
Sheet limited(const Sheet& sheet, const Limits& limits);
std::string without_paths(std::string_view text);
std::string without_device_names(std::string_view text);

}  // namespace ww::llm
