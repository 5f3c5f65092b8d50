// SPDX-License-Identifier: Apache-2.0
// A register's value as text and as a number.
#pragma once
#include <cstdint>
#include <string>
#include "simt/types.h"

namespace ww::sim {

std::string value_text(simt::Type type, std::uint64_t bits);  // of types that say only the width: hex
double value_number(simt::Type type, std::uint64_t bits);     // of these: as signed integers

}  // namespace ww::sim
