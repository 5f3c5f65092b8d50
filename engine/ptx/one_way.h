// SPDX-License-Identifier: Apache-2.0
// The PTX that the SIMT machine runs and the PTX that NVIDIA's assembler compiles are the same text, read by two
// readers. Where the two might split it into other tokens, one text would be two programs.
#pragma once
#include <optional>
#include <string_view>
#include "ptx/syntax.h"

namespace ww::ptx {

// The first place that another reader of PTX may read otherwise: control characters beside tab and line ends, anything
// but ASCII outside comments, a backslash outside comments or at the end of a line, lines that begin with "#", strings
// and block comments without an end, strings that span lines.
std::optional<Problem> read_in_two_ways(std::string_view text);

}  // namespace ww::ptx
