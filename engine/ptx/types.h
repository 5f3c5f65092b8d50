// SPDX-License-Identifier: Apache-2.0
// The fundamental types of PTX (PTX ISA 9.0, section 5.2). Packed types keep the width of their register.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ww::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  bf16,
  b32,
  u32,
  s32,
  f32,
  f16x2,
  bf16x2,
  b64,
  u64,
  s64,
  f64,
  b128
};
std::optional<Type> type_from_name(std::string_view name);  // "u32", without the dot
std::string_view type_name(Type type);                      // "none" for Type::none
unsigned type_bytes(Type type);                             // pred and none: 0
bool type_is_signed(Type type);
bool type_is_float(Type type);

}  // namespace ww::ptx
