// SPDX-License-Identifier: Apache-2.0
// What of a sheet may go into a prompt under the limits that a person set (consent.h).
#pragma once
#include <string>
#include <string_view>
#include "llm/consent.h"
#include "llm/prompt.h"

namespace ww::llm {

// sources false: of the sheet only what quotes no code stays (an unknown name counts as quoting), a rejection by the
// compiler keeps its stage alone. paths false: absolute file names become "[path]". device_name false: "device" becomes
// the architecture, names of GPUs elsewhere "the device".
Sheet limited(const Sheet& sheet, const Limits& limits);
std::string without_paths(std::string_view text);
std::string without_device_names(std::string_view text);

}  // namespace ww::llm
