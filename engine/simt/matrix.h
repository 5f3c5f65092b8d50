// SPDX-License-Identifier: Apache-2.0
// Shapes of matrix instructions, packed into Op::imm. Plain data: the exec_*.cpp files include it.
#pragma once
#include <cstdint>

namespace ww::simt {

enum class MatrixType : std::uint8_t { f16, bf16, tf32, s8, u8, f32, s32 };

struct MmaShape {
  MatrixType a = MatrixType::f16, b = MatrixType::f16, c = MatrixType::f32, accumulate = MatrixType::f32;
  std::uint8_t k = 16;
  bool saturate = false;
  unsigned per() const {
    return a == MatrixType::tf32 ? 1 : a == MatrixType::s8 || a == MatrixType::u8 ? 4 : 2;
  }  // elements a register
  std::int64_t pack() const {
    return static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b) << 4 | static_cast<std::int64_t>(c) << 8 |
           static_cast<std::int64_t>(accumulate) << 12 | std::int64_t{k} << 16 | std::int64_t{saturate} << 24;
  }
  static MmaShape unpack(std::int64_t v) {
    return {static_cast<MatrixType>(v & 15),        static_cast<MatrixType>((v >> 4) & 15),
            static_cast<MatrixType>((v >> 8) & 15), static_cast<MatrixType>((v >> 12) & 15),
            static_cast<std::uint8_t>(v >> 16),     ((v >> 24) & 1) != 0};
  }
};

struct WmmaShape {  // m16n16k16
  MatrixType type = MatrixType::f16;
  bool is_accumulator = false, column_major = false;
  std::int32_t offset = 0;                                                                   // of the address operand
  unsigned elements() const { return type == MatrixType::f16 && !is_accumulator ? 16 : 8; }  // a lane
  unsigned registers() const { return type == MatrixType::f32 ? 8 : elements() / 2; }
  std::int64_t pack() const {
    return static_cast<std::int64_t>(type) | std::int64_t{is_accumulator} << 4 | std::int64_t{column_major} << 5 |
           std::int64_t{offset} * 256;
  }
  static WmmaShape unpack(std::int64_t v) {
    return {static_cast<MatrixType>(v & 15), ((v >> 4) & 1) != 0, ((v >> 5) & 1) != 0,
            static_cast<std::int32_t>(v >> 8)};
  }
};

}  // namespace ww::simt
