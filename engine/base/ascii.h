// SPDX-License-Identifier: Apache-2.0
// ASCII lower-casing and trimming, independent of the locale. Bytes outside ASCII are unchanged.
#pragma once
#include <string>
#include <string_view>

namespace ww {

constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string ascii_lower(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

// Without white space (space, \t, \n, \v, \f, \r) at either end.
constexpr std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace ww
