// SPDX-License-Identifier: Apache-2.0
// ASCII letters in lower case, whatever the locale; all other bytes stay as they are.
#pragma once
#include <string>

namespace ww {

constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string ascii_lower(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

}  // namespace ww
