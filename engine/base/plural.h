// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <string>
#include <string_view>

namespace ww {

// "1 run", "2 runs"; for nouns whose plural ends in s.
std::string plural(std::integral auto n, std::string_view noun) {
  return std::to_string(n).append(" ").append(noun).append(n == 1 ? "" : "s");
}

}  // namespace ww
