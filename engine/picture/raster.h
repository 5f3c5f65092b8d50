// SPDX-License-Identifier: Apache-2.0
// Pictures of plain colours, and the files that they become.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::picture {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};
std::string hex_of(Colour c);  // "#08306b"

struct Raster {
  int width = 0, height = 0;
  std::vector<Colour> pixels;  // row by row
  Raster(int w, int h, Colour fill)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill) {}
  void fill(int x, int y, int w, int h, Colour c);  // what lies within it
};

inline constexpr int most_pixels = 1 << 24;  // of a raster

// The bytes of a file. Code::invalid_argument: no pixel, or too many.
Result<std::string> png_of(const Raster& raster);
// One after the other, again and again. Frames of one size, at least one; beyond 256 colours a frame has the nearest.
Result<std::string> gif_of(std::span<const Raster> frames, int hundredths_of_a_second);

}  // namespace ww::picture
