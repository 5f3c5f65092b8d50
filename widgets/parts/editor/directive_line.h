// SPDX-License-Identifier: GPL-3.0-or-later
// "//@" lines are the launch plan and the options of a candidate, not comments: they have one colour wherever code is
// shown.
#pragma once
#include <optional>
#include <string_view>
#include "base/source.h"

namespace ww::widgets {

inline constexpr const char* directive_token = "code-directive";  // of the theme
std::optional<Span> directive_in(std::string_view line);          // bytes from "//@"; empty: the line is none

}  // namespace ww::widgets
