// SPDX-License-Identifier: Apache-2.0
#include "sim/bytes.h"
#include <charconv>
#include <cmath>

namespace ww::sim {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

template <class T>
std::string text_of(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

std::string number_text(const Number& n) {
  return std::visit([](auto v) { return text_of(v); }, n);
}

// Stores an integer that the type holds.
bool store_integer(DType type, const Number& n, char* at) {
  if (const auto* u = std::get_if<std::uint64_t>(&n)) {
    if (type != DType::u64 && *u > static_cast<std::uint64_t>(most_integer(type))) return false;
    store_i64(type, at, static_cast<std::int64_t>(*u));
    return true;
  }
  const auto v = std::get<std::int64_t>(n);
  if (type == DType::u64 ? v < 0 : v < least_integer(type) || v > most_integer(type)) return false;
  store_i64(type, at, v);
  return true;
}

}  // namespace

Result<std::string> bytes_of_hex(std::string_view hex) {
  if (hex.starts_with("0x") || hex.starts_with("0X")) hex.remove_prefix(2);
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = digit_of(c);
    if (digit < 0) return fail(Code::parse, "these are not hex digits");
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) return fail(Code::parse, "the number of hex digits is odd");
  return bytes;
}

Result<std::string> bytes_of_numbers(const std::vector<Number>& numbers, DType type) {
  const std::size_t size = dtype_size(type);
  std::string bytes(numbers.size() * size, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    char* const at = bytes.data() + i * size;
    const Number& n = numbers[i];
    bool fits = true;
    if (is_real(type)) {
      const double value = std::visit([](auto v) { return static_cast<double>(v); }, n);
      store_f64(type, at, value);
      fits = !std::isfinite(value) || std::isfinite(load_f64(type, at));
    } else {
      fits = !std::holds_alternative<double>(n) && store_integer(type, n, at);
    }
    if (!fits)
      return fail(Code::invalid_argument, "element " + std::to_string(i) + ", " + number_text(n) +
                                              ", is no value of the type " + std::string(dtype_name(type)));
  }
  return bytes;
}

std::string element_text(DType type, const char* at) {
  if (type == DType::f32) return text_of(static_cast<float>(load_f64(type, at)));
  if (is_real(type)) {
    const double value = load_f64(type, at);
    return type == DType::f64 ? text_of(value) : text_of(static_cast<float>(value));
  }
  if (type == DType::u64) return text_of(static_cast<std::uint64_t>(load_i64(type, at)));
  return text_of(load_i64(type, at));
}

}  // namespace ww::sim
