// SPDX-License-Identifier: Apache-2.0
#include "sim/value_text.h"
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
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

std::string stored_text(std::string_view instruction, const std::string& hex) {
  const std::string_view opcode = instruction.substr(0, instruction.find(' '));
  const std::optional<Type> type = ptx::type_from_name(opcode.substr(opcode.rfind('.') + 1));
  const unsigned size = type ? simt::type_bytes(*type) : 0;
  const Result<std::string> bytes = bytes_of_hex(hex);
  if (size == 0 || size > sizeof(std::uint64_t) || !bytes || bytes->size() % size != 0) return hex;
  std::string out;
  for (std::size_t at = 0; at < bytes->size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes->data() + at, size);
    out += (out.empty() ? "" : ", ") + value_text(*type, bits);
  }
  return out;
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
