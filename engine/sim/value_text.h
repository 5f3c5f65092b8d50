// SPDX-License-Identifier: Apache-2.0
// A register's value as text and as a number.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include "simt/types.h"

namespace ww::sim {

std::string value_text(simt::Type type, std::uint64_t bits);  // of types that say only the width: hex
// What an access of the instruction ("st.global.v2.f32 [%rd1], {%f1, %f2}") left in memory, hex in memory order, by the
// type that the instruction names: "1.5, 2"; where it names none, the hex digits.
std::string stored_text(std::string_view instruction, const std::string& hex);
double value_number(simt::Type type, std::uint64_t bits);  // of these: as signed integers

}  // namespace ww::sim
