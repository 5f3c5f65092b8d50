// SPDX-License-Identifier: Apache-2.0
#include "sim/value_text.h"
#include <cstdlib>
#include <fmt/format.h>
#include "sim/bytes.h"

namespace ww::sim {

using simt::Type;

std::string value_text(Type type, std::uint64_t bits) {
  const auto element = [&](DType t) { return element_text(t, reinterpret_cast<const char*>(&bits)); };
  switch (type) {
    case Type::f32: return element(DType::f32);
    case Type::f64: return element(DType::f64);
    case Type::f16: return element(DType::f16);
    case Type::bf16: return element(DType::bf16);
    case Type::s8: return element(DType::i8);
    case Type::s16: return std::to_string(static_cast<std::int16_t>(bits));
    case Type::s32: return element(DType::i32);
    case Type::s64: return element(DType::i64);
    case Type::pred:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64: return std::to_string(bits);
    default: return fmt::format("{:#x}", bits);
  }
}

double value_number(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::b16: return static_cast<double>(static_cast<std::int16_t>(bits));
    case Type::b32: return static_cast<double>(static_cast<std::int32_t>(bits));
    case Type::b64: return static_cast<double>(static_cast<std::int64_t>(bits));
    default: return std::strtod(value_text(type, bits).c_str(), nullptr);
  }
}

}  // namespace ww::sim
