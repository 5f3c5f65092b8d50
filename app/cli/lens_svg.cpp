// SPDX-License-Identifier: Apache-2.0
#include "lens_svg.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "report/html.h"

namespace ww::cli {
namespace {

constexpr std::int64_t most_columns = 64, gap = 24, top = 40;

struct Panel {
  std::string title;
  std::int64_t size = 0;  // of a cell
  std::int64_t columns = 0, left = 0;
  void begin(std::string& out) const {
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left, top - 10, report::html::escape(title));
  }
  // Neighbours of one colour in a row are one rectangle.
  template <class Colour>
  void cells(std::string& out, std::int64_t count, Colour colour) const {
    for (std::int64_t i = 0; i < count;) {
      const std::string c = colour(static_cast<std::size_t>(i));
      std::int64_t end = i + 1;
      while (end < count && end % columns != 0 && colour(static_cast<std::size_t>(end)) == c) ++end;
      out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                         left + i % columns * size, top + i / columns * size, (end - i) * size, size, c);
      i = end;
    }
  }
};

std::string shade(std::int64_t value, std::int64_t most) {  // white to dark blue
  if (value == 0) return "#f2f2f2";
  const double part = most <= 1 ? 1 : std::log1p(static_cast<double>(value)) / std::log1p(static_cast<double>(most));
  const auto mix = [&](int from, int to) { return static_cast<int>(from + part * (to - from)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(198, 8), mix(219, 48), mix(239, 107));
}

// A hue of its own for each block, darker from warp to warp.
std::string writer(const sim::Lens& lens, std::size_t i) {
  if (lens.blocks[i] < 0) return "#f2f2f2";
  const auto hue = lens.blocks[i] * 137 % 360;
  return fmt::format("hsl({},60%,{}%)", hue, 75 - lens.threads[i] / 32 % 8 * 6);
}

std::int64_t most_of(const std::vector<std::int64_t>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

}  // namespace

std::string lens_svg(const sim::Lens& lens, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(lens.reads.size());
  const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(count))));
  if (columns <= 0) columns = root * root == count ? root : most_columns;
  columns = std::clamp<std::int64_t>(columns, 1, std::max<std::int64_t>(count, 1));
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t size = std::clamp<std::int64_t>(384 / std::max(columns, std::int64_t{1}), 2, 24);
  const std::int64_t width = std::max<std::int64_t>(columns * size, 220);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      3 * width + 4 * gap, top + rows * size + gap);
  const std::int64_t read = most_of(lens.reads), written = most_of(lens.writes);
  const auto panel = [&](std::int64_t k, std::string title) {
    const Panel p{std::move(title), size, columns, gap + k * (width + gap)};
    p.begin(out);
    return p;
  };
  panel(0, lens.buffer + ": first writer (hue: block)").cells(out, count, [&](std::size_t i) {
    return writer(lens, i);
  });
  panel(1, fmt::format("times read (at most {})", read)).cells(out, count, [&](std::size_t i) {
    return shade(lens.reads[i], read);
  });
  panel(2, fmt::format("times written (at most {})", written)).cells(out, count, [&](std::size_t i) {
    return shade(lens.writes[i], written);
  });
  return out + "</svg>\n";
}

}  // namespace ww::cli
