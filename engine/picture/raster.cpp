// SPDX-License-Identifier: Apache-2.0
#include "picture/raster.h"
#include <algorithm>
#include <fmt/format.h>

namespace ww::picture {

std::string hex_of(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

void Raster::fill(int x, int y, int w, int h, Colour c) {
  const int right = std::min(x + w, width), bottom = std::min(y + h, height);
  for (int row = std::max(y, 0); row < bottom; ++row)
    for (int column = std::max(x, 0); column < right; ++column)
      pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)] = c;
}

}  // namespace ww::picture
