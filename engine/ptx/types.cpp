// SPDX-License-Identifier: Apache-2.0
#include "ptx/types.h"
#include <iterator>

namespace ww::ptx {
namespace {

struct TypeName {
  std::string_view name;
  unsigned bytes;
};
constexpr TypeName type_names[] = {  // in the order of Type
    {"none", 0},  {"pred", 0},   {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},
    {"s16", 2},   {"f16", 2},    {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},
    {"f16x2", 4}, {"bf16x2", 4}, {"b64", 8},  {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}};
static_assert(std::size(type_names) == static_cast<std::size_t>(Type::b128) + 1);

}  // namespace

std::optional<Type> type_from_name(std::string_view name) {
  for (std::size_t i = 1; i < std::size(type_names); ++i)
    if (type_names[i].name == name) return static_cast<Type>(i);
  return std::nullopt;
}

std::string_view type_name(Type type) { return type_names[static_cast<std::size_t>(type)].name; }
unsigned type_bytes(Type type) { return type_names[static_cast<std::size_t>(type)].bytes; }
bool type_is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }
bool type_is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 || t == Type::f16x2 || t == Type::bf16x2;
}

}  // namespace ww::ptx
