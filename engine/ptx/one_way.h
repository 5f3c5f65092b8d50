// SPDX-License-Identifier: Apache-2.0
// The SIMT machine and NVIDIA's assembler parse the same PTX with two parsers. If the two tokenised it differently, one
// text would be two programs.
#pragma once
#include <optional>
#include <string_view>
#include "ptx/syntax.h"

namespace ww::ptx {

// The first position that another PTX parser may read differently: control characters except tab and line ends,
// non-ASCII outside comments, a backslash outside comments or at the end of a line, lines that begin with "#",
// unterminated strings and block comments, strings that span lines.
std::optional<Problem> find_ambiguity(std::string_view text);

}  // namespace ww::ptx
