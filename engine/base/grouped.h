// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>

namespace ww {

// "1234567.5" as "1 234 567.5": narrow no-break spaces between the thousands of a decimal of five or more digits.
inline std::string grouped(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  const std::size_t digits = std::min(number.find_first_not_of("0123456789", first), number.size());
  if (digits - first > 4)
    for (std::size_t i = digits; i > first + 3; i -= 3) number.insert(i - 3, "\u202F");
  return number;
}

}  // namespace ww
