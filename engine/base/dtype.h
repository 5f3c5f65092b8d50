// SPDX-License-Identifier: Apache-2.0
// Element types of tensors, their sizes in bytes, and correctly rounded conversions between f64 and the
// narrow types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ww {

// e4m3 and e5m2: "OCP 8-bit Floating Point Specification" 1.0. e4m3 has no infinity and one NaN of each sign.
enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i8, u8, boolean, u16, u32, u64, e4m3, e5m2 };

inline constexpr DType all_dtypes[] = {DType::f64, DType::f32, DType::f16,  DType::bf16,    DType::i64,
                                       DType::i32, DType::i8,  DType::u8,   DType::boolean, DType::u16,
                                       DType::u32, DType::u64, DType::e4m3, DType::e5m2};
inline constexpr std::string_view dtype_list =
    "f64 f32 f16 bf16 e4m3 e5m2 i64 i32 i8 u64 u32 u16 u8 bool";  // for messages

std::string_view dtype_name(DType type);                      // "f32", "bool", …
std::optional<DType> dtype_from_name(std::string_view name);  // the names above
std::size_t dtype_size(DType type);                           // bytes; bool is one byte
constexpr bool is_real(DType type) { return type <= DType::bf16 || type >= DType::e4m3; }
constexpr bool is_integer(DType type) { return !is_real(type); }  // bool included
// Whether what is too large is rounded to the largest finite value, infinities too, as PTX rounds to 8 bits.
constexpr bool saturates(DType type) { return type >= DType::e4m3; }
constexpr bool is_unsigned(DType type) {
  return type == DType::u8 || type == DType::u16 || type == DType::u32 || type == DType::u64;
}
std::int64_t least_integer(DType type);        // of the integer types; bool: 0 and 1
std::int64_t most_integer(DType type);         // u64: the largest that i64 holds
std::string_view dtype_cuda_name(DType type);  // "float", "__half", "__nv_bfloat16", "long long", …

// Unit roundoff u = 2^-p of the real types, p the significand's bits (IEEE 754-2019; bf16 has p = 8). 0 for integers.
double unit_roundoff(DType type);
// Largest finite value and smallest positive normal value of the real types.
double largest_finite(DType type);
double smallest_normal(DType type);

// Round to nearest even, with overflow to infinity (see saturates()), gradual underflow, NaN kept.
std::uint16_t f64_to_f16(double value);
std::uint16_t f64_to_bf16(double value);
double f16_to_f64(std::uint16_t bits);
double bf16_to_f64(std::uint16_t bits);
std::uint8_t f64_to_fp8(DType type, double value);
double fp8_to_f64(DType type, std::uint8_t bits);
// Rounds `value` to a real type (identity for f64). Integers: unchanged.
double round_to(DType type, double value);

// One element at `at` in its memory layout (little endian), as f64 or as an integer. Integers convert by value, u64 by
// its bits: from 2^63 on, load_i64 gives it as a negative number. Storing a real into an integer type truncates toward
// zero and saturates.
double load_f64(DType type, const void* at);
std::int64_t load_i64(DType type, const void* at);
void store_f64(DType type, void* at, double value);
void store_i64(DType type, void* at, std::int64_t value);

// Distance between two values of a real type in units in the last place, as used in verdicts; NaN against a number
// gives the largest std::uint64_t. 0 means the same value (+0 and -0 are the same).
std::uint64_t ulp_distance(DType type, double a, double b);

}  // namespace ww
