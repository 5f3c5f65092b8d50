// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ww {
namespace {

struct Info {
  std::string_view name, cuda;
  std::size_t size;
  int precision;     // significand bits including the hidden one; 0 for integers
  int min_exponent;  // of the smallest normal: 2^min_exponent
  int max_exponent;  // of the largest finite: (2 - 2^(1-p)) * 2^max_exponent
};
constexpr std::array<Info, 14> infos = {{{"f64", "double", 8, 53, -1022, 1023},
                                         {"f32", "float", 4, 24, -126, 127},
                                         {"f16", "__half", 2, 11, -14, 15},
                                         {"bf16", "__nv_bfloat16", 2, 8, -126, 127},
                                         {"i64", "long long", 8, 0, 0, 0},
                                         {"i32", "int", 4, 0, 0, 0},
                                         {"i8", "signed char", 1, 0, 0, 0},
                                         {"u8", "unsigned char", 1, 0, 0, 0},
                                         {"bool", "bool", 1, 0, 0, 0},
                                         {"u16", "unsigned short", 2, 0, 0, 0},
                                         {"u32", "unsigned int", 4, 0, 0, 0},
                                         {"u64", "unsigned long long", 8, 0, 0, 0},
                                         {"e4m3", "__nv_fp8_e4m3", 1, 4, -6, 8},
                                         {"e5m2", "__nv_fp8_e5m2", 1, 3, -14, 15}}};
const Info& info(DType type) { return infos[static_cast<std::size_t>(type)]; }

// Rounds to `p` significand bits with the given exponent range; the result is exact in f64.
double round_real(double v, int p, int emin, int emax) {
  if (!std::isfinite(v) || v == 0) return v;
  int e;
  std::frexp(v, &e);  // |v| in [2^(e-1), 2^e)
  const int quantum = std::max(e - p, emin - (p - 1));
  const double scaled = std::ldexp(v, -quantum);
  const double rounded = std::nearbyint(scaled);  // ties to even in the default rounding mode
  const double r = std::ldexp(rounded, quantum);
  const double limit = std::ldexp(2.0 - std::ldexp(1.0, 1 - p), emax);
  if (std::abs(r) > limit) return std::copysign(std::numeric_limits<double>::infinity(), v);
  return r == 0 ? std::copysign(0.0, v) : r;
}

// The magnitude of a rounded finite number.
unsigned encode_finite(double r, int p, int emin) {
  const int fraction_bits = p - 1;
  if (r == 0) return 0;
  int e;
  std::frexp(r, &e);
  --e;  // r in [2^e, 2^(e+1))
  if (e < emin) return static_cast<unsigned>(std::ldexp(r, fraction_bits - emin));
  const unsigned fraction = static_cast<unsigned>(std::ldexp(r, fraction_bits - e)) & ((1u << fraction_bits) - 1);
  return (static_cast<unsigned>(e - emin + 1) << fraction_bits) | fraction;
}

std::uint16_t encode16(double v, int p, int emin, int emax, int exponent_bits) {
  const int fraction_bits = p - 1;
  const std::uint16_t exponent_all = static_cast<std::uint16_t>(((1u << exponent_bits) - 1) << fraction_bits);
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (std::isnan(v)) return static_cast<std::uint16_t>(exponent_all | (1u << (fraction_bits - 1)) | sign);
  const double r = std::abs(round_real(v, p, emin, emax));
  if (std::isinf(r)) return sign | exponent_all;
  return static_cast<std::uint16_t>(sign | encode_finite(r, p, emin));
}

template <class T>
T read(const void* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <class T>
void write(void* at, T v) {
  std::memcpy(at, &v, sizeof v);
}

template <class T>
T saturate(double v) {
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (v >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(v);
}

}  // namespace

std::string_view dtype_name(DType type) { return info(type).name; }
std::string_view dtype_cuda_name(DType type) { return info(type).cuda; }
std::size_t dtype_size(DType type) { return info(type).size; }

std::int64_t least_integer(DType type) {
  if (is_unsigned(type) || type == DType::boolean) return 0;
  return -most_integer(type) - 1;
}
std::int64_t most_integer(DType type) {
  if (type == DType::boolean) return 1;
  if (type == DType::u64) return std::numeric_limits<std::int64_t>::max();
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * dtype_size(type));
  return static_cast<std::int64_t>(is_unsigned(type) ? all : all >> 1);
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (DType t : all_dtypes)
    if (info(t).name == name) return t;
  return std::nullopt;
}

double unit_roundoff(DType type) { return is_real(type) ? std::ldexp(1.0, -info(type).precision) : 0.0; }
double smallest_normal(DType type) { return is_real(type) ? std::ldexp(1.0, info(type).min_exponent) : 0.0; }
double largest_finite(DType type) {
  if (type == DType::e4m3) return 448;  // all bits set are NaN
  const Info& i = info(type);
  return is_real(type) ? std::ldexp(2.0 - std::ldexp(1.0, 1 - i.precision), i.max_exponent) : 0.0;
}

std::uint16_t f64_to_f16(double v) { return encode16(v, 11, -14, 15, 5); }
std::uint16_t f64_to_bf16(double v) { return encode16(v, 8, -126, 127, 8); }

double f16_to_f64(std::uint16_t b) {
  const int e = (b >> 10) & 31, f = b & 1023;
  const double s = b & 0x8000 ? -1.0 : 1.0;
  if (e == 31) return f ? std::numeric_limits<double>::quiet_NaN() : s * std::numeric_limits<double>::infinity();
  return e == 0 ? s * std::ldexp(f, -24) : s * std::ldexp(f + 1024, e - 25);
}
double bf16_to_f64(std::uint16_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16); }

std::uint8_t f64_to_fp8(DType type, double v) {
  const Info& i = info(type);
  const unsigned sign = std::signbit(v) ? 0x80 : 0;
  if (std::isnan(v)) return static_cast<std::uint8_t>(sign | 0x7f);
  return static_cast<std::uint8_t>(sign | encode_finite(std::abs(round_to(type, v)), i.precision, i.min_exponent));
}
double fp8_to_f64(DType type, std::uint8_t b) {
  const Info& i = info(type);
  const int fraction_bits = i.precision - 1, e = (b & 127) >> fraction_bits, f = b & ((1 << fraction_bits) - 1);
  const double s = b & 0x80 ? -1.0 : 1.0;
  if (type == DType::e4m3 ? (b & 127) == 127 : e == 31 && f != 0) return std::numeric_limits<double>::quiet_NaN();
  if (type == DType::e5m2 && e == 31) return s * std::numeric_limits<double>::infinity();
  return s * (e == 0 ? std::ldexp(f, i.min_exponent - fraction_bits)
                     : std::ldexp(f + (1 << fraction_bits), e - 1 + i.min_exponent - fraction_bits));
}

double round_to(DType type, double v) {
  if (type == DType::f64 || is_integer(type)) return v;
  if (type == DType::f32) return static_cast<float>(v);
  const Info& i = info(type);
  if (saturates(type) && !std::isnan(v)) v = std::clamp(v, -largest_finite(type), largest_finite(type));
  return round_real(v, i.precision, i.min_exponent, i.max_exponent);
}

double load_f64(DType type, const void* at) {
  switch (type) {
    case DType::f64: return read<double>(at);
    case DType::f32: return read<float>(at);
    case DType::f16: return f16_to_f64(read<std::uint16_t>(at));
    case DType::bf16: return bf16_to_f64(read<std::uint16_t>(at));
    case DType::e4m3:
    case DType::e5m2: return fp8_to_f64(type, read<std::uint8_t>(at));
    case DType::u64: return static_cast<double>(read<std::uint64_t>(at));
    default: return static_cast<double>(load_i64(type, at));
  }
}

std::int64_t load_i64(DType type, const void* at) {
  switch (type) {
    case DType::i64:
    case DType::u64: return read<std::int64_t>(at);
    case DType::i32: return read<std::int32_t>(at);
    case DType::i8: return read<std::int8_t>(at);
    case DType::u8: return read<std::uint8_t>(at);
    case DType::u16: return read<std::uint16_t>(at);
    case DType::u32: return read<std::uint32_t>(at);
    case DType::boolean: return read<std::uint8_t>(at) != 0;
    default: return saturate<std::int64_t>(load_f64(type, at));
  }
}

void store_f64(DType type, void* at, double v) {
  switch (type) {
    case DType::f64: return write(at, v);
    case DType::f32: return write(at, static_cast<float>(v));
    case DType::f16: return write(at, f64_to_f16(v));
    case DType::bf16: return write(at, f64_to_bf16(v));
    case DType::e4m3:
    case DType::e5m2: return write(at, f64_to_fp8(type, v));
    case DType::u64: return write(at, saturate<std::uint64_t>(v));
    default: return store_i64(type, at, saturate<std::int64_t>(v));
  }
}

void store_i64(DType type, void* at, std::int64_t v) {
  auto clamp = [&](std::int64_t lo, std::int64_t hi) { return v < lo ? lo : v > hi ? hi : v; };
  switch (type) {
    case DType::i64:
    case DType::u64: return write(at, v);
    case DType::i32: return write(at, static_cast<std::int32_t>(clamp(INT32_MIN, INT32_MAX)));
    case DType::i8: return write(at, static_cast<std::int8_t>(clamp(INT8_MIN, INT8_MAX)));
    case DType::u8: return write(at, static_cast<std::uint8_t>(clamp(0, UINT8_MAX)));
    case DType::u16: return write(at, static_cast<std::uint16_t>(clamp(0, UINT16_MAX)));
    case DType::u32: return write(at, static_cast<std::uint32_t>(clamp(0, UINT32_MAX)));
    case DType::boolean: return write(at, static_cast<std::uint8_t>(v != 0));
    default: return store_f64(type, at, static_cast<double>(v));
  }
}

std::uint64_t ulp_distance(DType type, double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::uint64_t>::max();
  // Map each value to an integer that counts representable values in order.
  auto order = [type](double v) -> std::int64_t {
    std::int64_t bits;
    bool negative = std::signbit(v);
    const double m = std::abs(v);
    switch (type) {
      case DType::f32: bits = std::bit_cast<std::uint32_t>(static_cast<float>(m)); break;
      case DType::f16: bits = f64_to_f16(m); break;
      case DType::bf16: bits = f64_to_bf16(m); break;
      case DType::e4m3:
      case DType::e5m2:  // infinity is no value that rounding gives
        bits = std::isinf(m) ? f64_to_fp8(type, largest_finite(type)) + 1 : f64_to_fp8(type, m);
        break;
      case DType::f64: bits = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(m)); break;
      default: return static_cast<std::int64_t>(v);
    }
    return negative ? -bits : bits;
  };
  const std::int64_t x = order(a), y = order(b);
  return x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
               : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
}

}  // namespace ww
