// SPDX-License-Identifier: Apache-2.0
// A buffer as a picture: a cell for each element, coloured by what the launch did to it.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "picture/raster.h"
#include "sim/lens.h"

namespace ww::picture {

enum class Shows : std::uint8_t { values, error, writer, reads, writes, sectors };
constexpr auto names_of(Shows) {
  using enum Shows;
  return std::to_array<Enumerator<Shows>>({{values, "values"},
                                           {error, "error"},
                                           {writer, "writer"},
                                           {reads, "reads"},
                                           {writes, "writes"},
                                           {sectors, "sectors"}});
}

// What the darkest colours stand for: one scale for all frames.
struct LensScale {
  double least = 0, most = 0;   // of `values`: finite ones, and 0
  std::int64_t most_count = 0;  // of `reads` and `writes`
};
LensScale scale_of(const sim::Lens& lens, Shows shows);  // reads all frames

struct LensLook {
  std::int64_t columns = 0;        // elements in a row; 0: a square's side, or 64
  std::vector<double> errors;      // of `error`, for each element: 1 is the most that is right; NaN: not compared
  std::optional<LensScale> scale;  // of what is shown; empty: scale_of() finds it each time
};

// Elements that hold nothing yet are grey.
inline constexpr Colour nothing{0xd9, 0xd9, 0xd9}, paper{0xff, 0xff, 0xff};

std::int64_t columns_of(const sim::Lens& lens, const LensLook& look);
// Of all elements; `frame`: as at that one of the lens's frames, with one scale for all. `error` and `sectors` are of
// the position itself: of a frame only the elements that it has written, or read or written.
std::vector<Colour> lens_colours(const sim::Lens& lens, Shows shows, const LensLook& look,
                                 std::optional<std::size_t> frame = std::nullopt);
// "values from -1.5 (blue) to 2 (red)"; what the colours mean.
std::string legend_of(const sim::Lens& lens, Shows shows);
// Of an element, in words without a verb: "1.5; written first by thread 3 of block 0 at line 9; read 4 times".
std::string element_words(const sim::Lens& lens, std::size_t element);

Raster lens_raster(const sim::Lens& lens, Shows shows, const LensLook& look,
                   std::optional<std::size_t> frame = std::nullopt);
// All of `shows` beside each other, with their legends.
std::string lens_svg(const sim::Lens& lens, const std::vector<Shows>& shows, const LensLook& look);
// One picture a frame. Code::invalid_argument: the lens has no frames.
Result<std::string> lens_gif(const sim::Lens& lens, Shows shows, const LensLook& look);

}  // namespace ww::picture
