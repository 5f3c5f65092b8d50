// SPDX-License-Identifier: Apache-2.0
// printf as the device has it: conversions in the format, arguments packed with their natural alignment.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include "simt/block.h"

namespace ww::simt {

std::string read_text(Exec& x, const Op& op, unsigned lane, std::uint64_t address, std::size_t limit) {
  std::string text;
  while (text.size() < limit) {
    const auto c = static_cast<char>(*checked_lane(x, op, lane, Space::generic, address + text.size(), 1, false, true));
    if (c == '\0') break;
    text += c;
  }
  return text;
}

std::string format_printf(Exec& x, const Op& op, unsigned lane, std::uint64_t format_at, std::uint64_t at) {
  const std::string format = read_text(x, op, lane, format_at, 4096);
  std::string out;
  const auto take = [&](std::size_t bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    std::uint64_t v = 0;
    std::memcpy(&v, checked_lane(x, op, lane, Space::generic, at, bytes, false, true), bytes);
    at += bytes;
    return v;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    // Flags, width and precision are kept (bounded); the length decides how much to take.
    std::string spec = "%";
    std::size_t k = i + 1;
    while (k < format.size() && spec.size() < 16 && std::strchr("-+ #0123456789.", format[k]) != nullptr)
      spec += format[k++];
    int longs = 0;
    while (k < format.size() && std::strchr("lhzjt", format[k]) != nullptr)
      longs += format[k] == 'l' || format[k] == 'z' || format[k] == 'j' ? 1 : 0, ++k;
    const char kind = k < format.size() ? format[k] : '\0';
    // Widths beyond what a line needs are cut, so that a format cannot ask for gigabytes.
    std::size_t digits = 0;
    for (const char c : spec) digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (kind == '\0' || digits > 3) {
      out += format.substr(i, k - i);
      i = k > i ? k - 1 : i;
      continue;
    }
    char room[1400];
    room[0] = '\0';
    if (std::strchr("diouxX", kind) != nullptr) {
      const std::uint64_t raw = take(longs > 0 ? 8 : 4);
      const auto value = longs > 0                    ? static_cast<std::int64_t>(raw)
                         : kind == 'd' || kind == 'i' ? std::int64_t{static_cast<std::int32_t>(raw)}
                                                      : static_cast<std::int64_t>(raw);
      std::snprintf(room, sizeof room, (spec + "ll" + kind).c_str(), static_cast<long long>(value));
    } else if (std::strchr("fFeEgGaA", kind) != nullptr) {
      const std::uint64_t raw = take(8);
      double value = 0;
      std::memcpy(&value, &raw, 8);
      std::snprintf(room, sizeof room, (spec + kind).c_str(), value);
    } else if (kind == 'c') {
      std::snprintf(room, sizeof room, (spec + 'c').c_str(), static_cast<int>(take(4) & 0x7f));
    } else if (kind == 'p') {
      std::snprintf(room, sizeof room, "0x%llx", static_cast<unsigned long long>(take(8)));
    } else if (kind == 's') {
      std::snprintf(room, sizeof room, (spec + 's').c_str(), read_text(x, op, lane, take(8), 1024).c_str());
    } else {
      out += format.substr(i, k + 1 - i);
    }
    out += room;
    i = k;
  }
  return out;
}

}  // namespace ww::simt
