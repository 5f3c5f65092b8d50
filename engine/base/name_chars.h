// SPDX-License-Identifier: Apache-2.0
// The characters of names in formulas and code: ASCII letters, digits and "_", independent of the locale.
#pragma once

namespace ww {

constexpr bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace ww
