// SPDX-License-Identifier: Apache-2.0
#include "base/visible.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace ww {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode 15: categories Cc, Cf, Zl, Zp and default-ignorable code points.
constexpr Range invisible[] = {{0x0, 0x8},         {0xb, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},
                               {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
                               {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},
                               {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
                               {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
                               {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
                               {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

// The code point that begins at `at` and its bytes; no bytes: not UTF-8 (too long, a surrogate, beyond Unicode, cut).
std::pair<char32_t, std::size_t> decoded(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || size > text.size() - at) return {0, 0};
  if (size == 1) return {first, 1};
  char32_t c = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {0, 0};
    c = (c << 6) | (byte(at + i) & 0x3fU);
  }
  const bool shortest = size == 2 || c >= (size == 3 ? 0x800U : 0x10000U);
  return shortest && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? std::pair{c, size}
                                                                 : std::pair{char32_t{0}, std::size_t{0}};
}

}  // namespace

bool is_invisible(char32_t c) {
  if (c >= 0x20 && c < 0x7f) return false;
  const auto* after = std::upper_bound(std::begin(invisible), std::end(invisible), c,
                                       [](char32_t value, const Range& r) { return value < r.first; });
  return after != std::begin(invisible) && c <= std::prev(after)->last;
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, size] = decoded(text, at);
    out += size == 0 ? U'\ufffd' : c;
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string utf8(std::u32string_view text) {
  std::string out;
  const auto tail = [&](char32_t c, int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xc0 | (c >> 6));
      tail(c, 0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xe0 | (c >> 12));
      tail(c, 6);
      tail(c, 0);
    } else {
      out += static_cast<char>(0xf0 | (c >> 18));
      tail(c, 12);
      tail(c, 6);
      tail(c, 0);
    }
  }
  return out;
}

std::string visible(std::string_view text, Escapes escapes) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, size] = decoded(text, at);
    const auto value = static_cast<std::uint32_t>(c);
    if (size == 0)
      out += escapes == Escapes::json ? std::string("\\ufffd")
                                      : fmt::format("\\x{{{:02x}}}", static_cast<unsigned char>(text[at]));
    else if (!is_invisible(c))
      out += text.substr(at, size);
    else if (escapes == Escapes::text)
      out += fmt::format("\\u{{{:x}}}", value);
    else if (value < 0x10000)
      out += fmt::format("\\u{:04x}", value);
    else
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0U + (value >> 10), 0xdc00U | (value & 0x3ffU));
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out;
}

}  // namespace ww
