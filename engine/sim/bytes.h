// SPDX-License-Identifier: Apache-2.0
// Bytes as hex digits and as elements.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "base/dtype.h"
#include "base/hex.h"
#include "base/result.h"

namespace ww::sim {

using Number = std::variant<std::int64_t, std::uint64_t, double>;

// Spaces between the digits and a leading "0x" are skipped. Code::parse: other characters, an odd number of digits.
Result<std::string> bytes_of_hex(std::string_view hex);
// Elements in memory. Code::invalid_argument: a number that the type does not hold.
Result<std::string> bytes_of_numbers(const std::vector<Number>& numbers, DType type);
// One element: "0.5", "-3"; of a real with as many digits as tell it apart.
std::string element_text(DType type, const char* at);

}  // namespace ww::sim
