// SPDX-License-Identifier: Apache-2.0
// "1 of 4 elements is wrong", "33 of 4096 elements are wrong"
#pragma once
#include <cstdint>
#include <string>

namespace ww::evidence {

inline std::string wrong_count(std::int64_t wrong, std::int64_t total) {
  return std::to_string(wrong) + " of " + std::to_string(total) + (total == 1 ? " element" : " elements") +
         (wrong == 1 ? " is wrong" : " are wrong");
}

}  // namespace ww::evidence
