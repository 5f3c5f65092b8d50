// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "base/dtype.h"
#include "base/plural.h"
#include "picture/lens_picture.h"
#include "sim/bytes.h"

namespace ww::picture {
namespace {

constexpr int levels = 48;  // of a scale: a GIF has at most 256 colours
constexpr int hues = 20, shades = 8;

Colour mixed(Colour from, Colour to, double part) {
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + std::clamp(part, 0.0, 1.0) * (b - a)));
  };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

Colour from_white_to(Colour to, double part) {  // never quite white
  constexpr Colour pale{0xc6, 0xdb, 0xef};
  return mixed(pale, to, std::round(part * levels) / levels);
}

constexpr Colour blue{0x08, 0x30, 0x6b}, red{0xb2, 0x18, 0x2b}, green{0x1a, 0x98, 0x50}, amber{0xfe, 0xc4, 0x4f};

Colour of_count(std::int64_t value, std::int64_t most) {
  if (value == 0) return nothing;
  const double part = most <= 1 ? 1 : std::log1p(static_cast<double>(value)) / std::log1p(static_cast<double>(most));
  return from_white_to(blue, part);
}

// Full saturation; lightness from 0 to 1. T. Smith's hexcone turned by lightness.
Colour of_hue(double degrees, double lightness) {
  const double chroma = (1 - std::abs(2 * lightness - 1)) * 0.6;
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + degrees / 30, 12.0);
    const double v = lightness - chroma / 2 * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0, 1.0)));
  };
  return {channel(0), channel(8), channel(4)};
}

class Values {
 public:
  explicit Values(const sim::Lens& lens)
      : type_(dtype_from_name(lens.type)), words_(lens.type == "b32" ? 4 : 1), count_(lens.reads.size()) {}

  std::vector<double> of(const std::string& content) const {
    const Result<std::string> bytes = sim::bytes_of_hex(content);
    const std::size_t size = type_ ? dtype_size(*type_) : words_;
    std::vector<double> out;
    for (std::size_t i = 0; bytes && i < count_ && (i + 1) * size <= bytes->size(); ++i) {
      const char* const at = bytes->data() + i * size;
      if (type_)
        out.push_back(load_f64(*type_, at));
      else if (words_ == 4)
        out.push_back(load_f64(DType::f32, at));
      else
        out.push_back(static_cast<unsigned char>(*at));
    }
    out.resize(count_, std::nan(""));
    return out;
  }

 private:
  std::optional<DType> type_;
  std::size_t words_, count_;
};

bool holds_something(const sim::Lens& lens, const std::vector<std::int64_t>& writes, std::size_t i) {
  return lens.given || writes[i] > 0;
}

LensScale scale_of_values(const sim::Lens& lens) {
  const Values values(lens);
  LensScale scale;
  const auto add = [&](const std::string& content, const std::vector<std::int64_t>& writes) {
    const std::vector<double> all = values.of(content);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (holds_something(lens, writes, i) && std::isfinite(all[i])) {
        scale.least = std::min(scale.least, all[i]);
        scale.most = std::max(scale.most, all[i]);
      }
  };
  for (const sim::LensFrame& f : lens.frames) add(f.content, f.writes);
  add(lens.content, lens.writes);
  return scale;
}

// Blue below zero, red above, by the square root of the magnitude; NaN and infinities in amber.
Colour of_value(double v, const LensScale& scale) {
  if (!std::isfinite(v)) return amber;
  const double most = std::max(-scale.least, scale.most);
  const double part = most > 0 ? std::sqrt(std::abs(v) / most) : 0;
  return mixed({0xf7, 0xf7, 0xf7}, v < 0 ? Colour{0x21, 0x66, 0xac} : red, std::round(part * levels) / levels);
}

Colour of_error(double error) {
  if (std::isnan(error)) return nothing;
  if (error > 1) return mixed(amber, red, std::round(std::min(1.0, std::log10(error) / 6) * levels) / levels);
  return mixed({0xf7, 0xf7, 0xf7}, green, std::round(error * levels) / levels);
}

Colour of_writer(const sim::Lens& lens, std::size_t i) {
  if (lens.blocks[i] < 0) return nothing;
  const auto hue = static_cast<double>(lens.blocks[i] * 7 % hues) * (360.0 / hues);
  return of_hue(hue, 0.75 - static_cast<double>(lens.threads[i] / 32 % shades) * 0.06);
}

std::size_t element_bytes(const sim::Lens& lens) {
  const auto type = dtype_from_name(lens.type);
  return type ? dtype_size(*type) : lens.type == "b32" ? 4 : 1;
}

// The share of the sector's bytes that were used when it moved.
double use_of(const sim::Lens& lens, std::size_t element) {
  const std::size_t sector = element * element_bytes(lens) / 32;
  if (sector >= lens.sector_moves.size() || lens.sector_moves[sector] == 0) return std::nan("");
  return static_cast<double>(lens.sector_bytes[sector]) / (32.0 * static_cast<double>(lens.sector_moves[sector]));
}

Colour of_use(double use) {
  return std::isnan(use) ? nothing : mixed(red, {0xd9, 0xef, 0x8b}, std::round(use * levels) / levels);
}

std::int64_t most_of(const std::vector<std::int64_t>& counts) {
  return counts.empty() ? 0 : *std::ranges::max_element(counts);
}

}  // namespace

LensScale scale_of(const sim::Lens& lens, Shows shows) {
  switch (shows) {
    case Shows::values: return scale_of_values(lens);
    case Shows::reads: return {0, 0, most_of(lens.reads)};
    case Shows::writes: return {0, 0, most_of(lens.writes)};
    default: return {};
  }
}

std::vector<Colour> lens_colours(const sim::Lens& lens, Shows shows, const LensLook& look,
                                 std::optional<std::size_t> frame) {
  const sim::LensFrame* const at = frame ? &lens.frames.at(*frame) : nullptr;
  const std::vector<std::int64_t>&reads = at ? at->reads : lens.reads, &writes = at ? at->writes : lens.writes;
  const LensScale scale = look.scale ? *look.scale : scale_of(lens, shows);
  const std::vector<double> values =
      shows == Shows::values ? Values(lens).of(at ? at->content : lens.content) : std::vector<double>();
  std::vector<Colour> out;
  out.reserve(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const bool touched = !at || reads[i] > 0 || writes[i] > 0, written = writes[i] > 0;
    switch (shows) {
      case Shows::values: out.push_back(holds_something(lens, writes, i) ? of_value(values[i], scale) : nothing); break;
      case Shows::error: out.push_back(written && i < look.errors.size() ? of_error(look.errors[i]) : nothing); break;
      case Shows::writer: out.push_back(written ? of_writer(lens, i) : nothing); break;
      case Shows::reads: out.push_back(of_count(reads[i], scale.most_count)); break;
      case Shows::writes: out.push_back(of_count(writes[i], scale.most_count)); break;
      case Shows::sectors: out.push_back(touched ? of_use(use_of(lens, i)) : nothing); break;
    }
  }
  return out;
}

std::string legend_of(const sim::Lens& lens, Shows shows) {
  switch (shows) {
    case Shows::values: {
      const LensScale scale = scale_of(lens, shows);
      return fmt::format("values: blue below 0 (minimum {:.4g}), red above 0 (maximum {:.4g}), amber not finite",
                         scale.least, scale.most);
    }
    case Shows::error: return "error: white to green within the bound, amber to red beyond it; empty: not written";
    case Shows::writer: return "first writer: a hue for each block, darker from warp to warp";
    case Shows::reads: return fmt::format("times read (at most {})", most_of(lens.reads));
    case Shows::writes: return fmt::format("times written (at most {})", most_of(lens.writes));
    case Shows::sectors: return "sector use: yellow-green all bytes of the sector are used, red few";
  }
  return {};
}

std::string element_words(const sim::Lens& lens, std::size_t i) {
  std::string out;
  const auto type = dtype_from_name(lens.type);
  const std::size_t digits = type ? 2 * dtype_size(*type) : 0;
  if (type && holds_something(lens, lens.writes, i) && (i + 1) * digits <= lens.content.size())
    if (const auto bytes = sim::bytes_of_hex(std::string_view(lens.content).substr(i * digits, digits)))
      out = sim::element_text(*type, bytes->data()) + "; ";
  out += lens.blocks[i] < 0 ? "never written"
                            : fmt::format("written first by thread {} of block {} at line {}", lens.threads[i],
                                          lens.blocks[i], lens.lines[i]);
  out += "; read " + plural(lens.reads[i], "time");
  if (lens.writes[i] > 1) out += fmt::format(", written {}", plural(lens.writes[i], "time"));
  if (const double use = use_of(lens, i); !std::isnan(use))
    out += fmt::format("; {:.0f} % of its sector's bytes were used", 100 * use);
  return out;
}

}  // namespace ww::picture
