// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"
#include <array>

namespace ww {
namespace {
constexpr std::array<std::string_view, 15> names = {
    "invalid_argument", "parse",   "unsupported", "not_found",   "io",     "compile",   "device",  "timeout",
    "cancelled",        "crashed", "corrupt",     "unavailable", "denied", "untrusted", "internal"};
}

std::string_view code_name(Code code) { return names[static_cast<std::size_t>(code)]; }

Code code_from_name(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Code>(i);
  return Code::internal;
}

}  // namespace ww
