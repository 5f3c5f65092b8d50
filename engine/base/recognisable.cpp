// SPDX-License-Identifier: Apache-2.0
#include "base/recognisable.h"
#include <algorithm>
#include <cstddef>

namespace ww {

bool is_recognisable(std::string_view text) {
  constexpr std::size_t least = 3;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return text.size() >= least && std::ranges::any_of(text, is_letter) && !std::ranges::all_of(text, is_letter);
}

bool is_redacted(std::string_view secret) {
  constexpr std::size_t always = 8;  // from so many characters on
  return secret.size() >= always || is_recognisable(secret);
}

}  // namespace ww
