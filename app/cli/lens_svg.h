// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include "sim/lens.h"

namespace ww::cli {

// Three panels: by which thread each element was first written, how often it was read, how often written. `columns` of
// elements; 0: as wide as high, or 64.
std::string lens_svg(const sim::Lens& lens, std::int64_t columns);

}  // namespace ww::cli
