// SPDX-License-Identifier: Apache-2.0
#include "picture/lens_picture.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ww::picture {
namespace {

constexpr std::int64_t usual_columns = 64, usual_width = 384, gap = 24, top = 40, least_panel = 420;

std::int64_t cell_of(std::int64_t columns) {
  return std::clamp<std::int64_t>(usual_width / std::max<std::int64_t>(columns, 1), 2, 24);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::int64_t columns_of(const sim::Lens& lens, const LensLook& look) {
  const auto count = static_cast<std::int64_t>(lens.reads.size());
  const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(count))));
  const std::int64_t wanted = look.columns > 0 ? look.columns : root * root == count ? root : usual_columns;
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(count, 1));
}

Raster lens_raster(const sim::Lens& lens, Shows shows, const LensLook& look, std::optional<std::size_t> frame) {
  const std::vector<Colour> colours = lens_colours(lens, shows, look, frame);
  const std::int64_t columns = columns_of(lens, look);
  const std::int64_t rows =
      std::max<std::int64_t>(1, (static_cast<std::int64_t>(colours.size()) + columns - 1) / columns);
  const std::int64_t size = cell_of(columns);
  Raster out(static_cast<int>(columns * size), static_cast<int>(rows * size), paper);
  const int inside = static_cast<int>(size >= 6 ? size - 1 : size);  // large cells have edges
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    out.fill(static_cast<int>(at % columns * size), static_cast<int>(at / columns * size), inside, inside, colours[i]);
  }
  return out;
}

std::string lens_svg(const sim::Lens& lens, const std::vector<Shows>& shows, const LensLook& look) {
  const auto count = static_cast<std::int64_t>(lens.reads.size());
  const std::int64_t columns = columns_of(lens, look), rows = (count + columns - 1) / columns, size = cell_of(columns);
  const std::int64_t width = std::max<std::int64_t>(columns * size, least_panel);
  const auto panels = static_cast<std::int64_t>(shows.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      panels * (width + gap) + gap, top + rows * size + gap);
  for (std::int64_t k = 0; k < panels; ++k) {
    const Shows what = shows[static_cast<std::size_t>(k)];
    const std::int64_t left = gap + k * (width + gap);
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left, top - 10,
                       escaped((k == 0 ? lens.buffer + ", " : "") + legend_of(lens, what)));
    const std::vector<Colour> colours = lens_colours(lens, what, look);
    for (std::int64_t i = 0; i < count;) {  // neighbours of one colour in a row are one rectangle
      const Colour c = colours[static_cast<std::size_t>(i)];
      std::int64_t end = i + 1;
      while (end < count && end % columns != 0 && colours[static_cast<std::size_t>(end)] == c) ++end;
      out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                         left + i % columns * size, top + i / columns * size, (end - i) * size, size, hex_of(c));
      i = end;
    }
  }
  return out + "</svg>\n";
}

Result<std::string> lens_gif(const sim::Lens& lens, Shows shows, const LensLook& look) {
  constexpr int delay = 12;  // hundredths of a second
  if (lens.frames.empty()) return fail(Code::invalid_argument, "the lens has no frames");
  LensLook with_scale = look;
  with_scale.scale = scale_of(lens, shows);
  std::vector<Raster> frames;
  for (std::size_t i = 0; i < lens.frames.size(); ++i) frames.push_back(lens_raster(lens, shows, with_scale, i));
  return gif_of(frames, delay);
}

}  // namespace ww::picture
