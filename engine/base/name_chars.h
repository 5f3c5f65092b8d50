// SPDX-License-Identifier: Apache-2.0
// The characters of names in formulas and code: ASCII letters, digits and "_", independent of the locale.
#pragma once

namespace ww {

constexpr bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool in_name(char c) { return letter(c) || digit(c) || c == '_'; }

}  // namespace ww
