// SPDX-License-Identifier: Apache-2.0
#include "base/unescaped.h"
#include <optional>
#include <sodium.h>
#include "base/visible.h"

namespace ww {
namespace {

// The number of so many hexadecimal digits.
std::optional<unsigned> hex_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (at > text.size() || text.size() - at < digits) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(at, digits)) {
    const bool lower = c >= 'a' && c <= 'f', upper = c >= 'A' && c <= 'F';
    if (!lower && !upper && (c < '0' || c > '9')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(lower ? c - 'a' + 10 : upper ? c - 'A' + 10 : c - '0');
  }
  return value;
}

struct Unit {
  std::string text;
  std::size_t size = 1;  // as written
};

// "%41", "%2541"; any other byte stands for itself.
Unit byte_at(std::string_view text, std::size_t at) {
  if (text[at] == '%') {
    std::size_t digits = at + 1;
    while (text.substr(digits, 2) == "25" && hex_at(text, digits + 2, 2)) digits += 2;
    if (const auto value = hex_at(text, digits, 2)) return {std::string(1, static_cast<char>(*value)), digits + 2 - at};
  }
  return {std::string(1, text[at]), 1};
}

// Behind backslashes: "n", "u00e9", "ud83d\ude00".
Unit escaped_at(std::string_view text, std::size_t at) {
  constexpr std::string_view letters = "bfnrt", controls = "\b\f\n\r\t";
  if (const std::size_t i = letters.find(text[at]); i != letters.npos) return {std::string(1, controls[i]), 1};
  const auto unit = text[at] == 'u' ? hex_at(text, at + 1, 4) : std::nullopt;
  if (!unit) return byte_at(text, at);
  char32_t point = *unit;
  std::size_t size = 5;
  if (point >= 0xd800 && point < 0xdc00) {
    std::size_t next = at + size;
    while (next < text.size() && text[next] == '\\') ++next;
    const auto low = next < text.size() && text[next] == 'u' ? hex_at(text, next + 1, 4) : std::nullopt;
    if (low && *low >= 0xdc00 && *low < 0xe000) {
      point = 0x10000 + ((point - 0xd800) << 10) + (*low - 0xdc00);
      size = next + 5 - at;
    }
  }
  return {utf8(std::u32string_view(&point, 1)), size};
}

// "\"", "\n", "\u00e9", at a backslash; another one stands for itself.
Unit json_unit(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return {"\\", 1};
  const char next = text[at + 1];
  if (next == '\\' || next == '"' || next == '/') return {std::string(1, next), 2};
  Unit unit = next == '%' ? Unit{"%", 1} : escaped_at(text, at + 1);
  if (unit.size == 1 && unit.text[0] == next) return {"\\", 1};
  return {std::move(unit.text), unit.size + 1};
}

Unit address_unit(std::string_view text, std::size_t at) {
  const auto value = hex_at(text, at + 1, 2);
  return value ? Unit{std::string(1, static_cast<char>(*value)), 3} : Unit{"%", 1};
}

}  // namespace

Unescaped::Unescaped(std::string_view written) {
  text_.reserve(written.size());
  if (!any(written)) {
    text_ = written;
    return;
  }
  places_.reserve(written.size() + 1);
  std::size_t end = 0;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t begin = at;
    if (written[at] != '\\' && written[at] != '%') {
      places_.push_back(at);
      text_ += written[at];
      end = ++at;
      continue;
    }
    Unit unit{"\\", 0};
    bool escaped = false;
    while (unit.text == "\\" && at < written.size()) {  // a run of backslashes belongs to what follows it
      unit = escaped ? escaped_at(written, at) : byte_at(written, at);
      at += unit.size;
      escaped = true;
    }
    if (unit.text == "\\") break;
    for (std::size_t i = 0; i < unit.text.size(); ++i) places_.push_back(i == 0 ? begin : at);
    text_ += unit.text;
    end = at;
  }
  places_.push_back(end);
}

Unescaped::~Unescaped() { sodium_memzero(text_.data(), text_.size()); }

Unescaped::Unescaped(std::string_view written, Kind one_level) {
  text_.reserve(written.size());
  places_.reserve(written.size() + 1);
  for (std::size_t at = 0; at < written.size();) {
    Unit unit{std::string(1, written[at]), 1};
    if (one_level == Kind::json && written[at] == '\\') unit = json_unit(written, at);
    if (one_level == Kind::address && written[at] == '%') unit = address_unit(written, at);
    for (std::size_t i = 0; i < unit.text.size(); ++i) places_.push_back(i == 0 ? at : at + unit.size);
    text_ += unit.text;
    at += unit.size;
  }
  places_.push_back(written.size());
}

}  // namespace ww
