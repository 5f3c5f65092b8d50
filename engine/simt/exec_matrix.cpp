// SPDX-License-Identifier: Apache-2.0
// Tensor-core instructions: mma.sync, ldmatrix, stmatrix, wmma (PTX ISA 9.0, section 9.7.14).
//
// Products are exact and their sum with the accumulator is taken in f64 and rounded once, to f32 toward zero. PTX
// leaves the rounding open; the hardware truncates as well, but keeps fewer bits on the way (op/bounds.cpp), so the
// last bits of f32 results may differ. The registers of an instruction are in
// Exec::lists from Op::target on: destinations, a, b, c.
#include "simt/half.h"
#include "simt/matrix.h"
#include "simt/shared_access.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr unsigned max_k = 32;

f32 canonical_sum(f64 v) { return v == v ? zero_float(v) : from_bits(0x7fffffffu); }

f64 element_value(MatrixType type, u32 word, unsigned part) {
  switch (type) {
    case MatrixType::f16: return half_to_float(static_cast<u16>(word >> (16 * part)));
    case MatrixType::bf16: return bf16_to_float(static_cast<u16>(word >> (16 * part)));
    case MatrixType::tf32: return from_bits(word & ~0x1fffu);
    case MatrixType::s8: return static_cast<s8>(word >> (8 * part));
    case MatrixType::u8: return static_cast<u8>(word >> (8 * part));
    default: return from_bits(word);
  }
}

// mma.sync.m16n8kK: lane = 4 * group + t. A register of a holds `per` neighbours in k; registers alternate between rows
// group and group + 8, then go on in k. b the same with columns of `group`. (Figures 39 to 104 of the section.)
void mma(Exec& x, const Op& o, u32) {
  const MmaShape s = MmaShape::unpack(o.imm);
  const u32* const list = x.lists + o.target;
  const unsigned per = s.per();
  const unsigned a_regs = 2 * s.k / (4 * per), b_regs = s.k / (4 * per);
  const unsigned d_regs = s.accumulate == MatrixType::f16 ? 2 : 4;
  f64 a[16][max_k], b[max_k][8];
  for (unsigned r = 0; r < a_regs; ++r) {
    const u32* const reg = x.at<u32>(list[d_regs + r]);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned p = 0; p < per; ++p)
        a[lane / 4 + 8 * (r % 2)][(lane % 4) * per + p + 4 * per * (r / 2)] = element_value(s.a, reg[lane], p);
  }
  for (unsigned r = 0; r < b_regs; ++r) {
    const u32* const reg = x.at<u32>(list[d_regs + a_regs + r]);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned p = 0; p < per; ++p)
        b[(lane % 4) * per + p + 4 * per * r][lane / 4] = element_value(s.b, reg[lane], p);
  }
  u32 result[4][32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < 4; ++e) {
      const unsigned row = lane / 4 + 8 * (e / 2), column = (lane % 4) * 2 + e % 2;
      f64 sum = 0;
      for (unsigned k = 0; k < s.k; ++k) sum += a[row][k] * b[k][column];
      const unsigned r = d_regs == 2 ? e / 2 : e;
      const u32 c = x.at<u32>(list[d_regs + a_regs + b_regs + r])[lane];
      if (s.accumulate == MatrixType::s32) {
        const s64 exact = static_cast<s64>(sum) + static_cast<s32>(c);  // sums of at most 32 products of bytes
        result[e][lane] = !s.saturate             ? static_cast<u32>(exact)
                          : exact > 2147483647    ? 0x7fffffffu
                          : exact < -2147483648LL ? 0x80000000u
                                                  : static_cast<u32>(exact);
      } else if (s.accumulate == MatrixType::f16) {
        const u32 h = float_to_half(odd_float(sum + half_to_float(static_cast<u16>(c >> (16 * (e % 2))))));
        result[r][lane] = e % 2 == 0 ? h : result[r][lane] | (h << 16);
      } else {
        result[e][lane] = bits(canonical_sum(sum + static_cast<f64>(from_bits(c))));
      }
    }
  }
  for (unsigned r = 0; r < d_regs; ++r) std::memcpy(x.at<u32>(list[r]), result[r], sizeof result[r]);
}

// ldmatrix and stmatrix: lane 8 * j + i names row i of matrix j; each row is 16 bytes.
template <bool store>
void move_matrices(Exec& x, const Op& o, u32 m) {
  const unsigned n = o.n;
  const bool transposed = (o.imm & 1) != 0;
  const u64 base = static_cast<u64>(o.imm >> 8);
  const u32* const list = x.lists + o.target;
  u16 rows[32][8];
  std::byte* place[32] = {};
  Pattern p;
  std::memset(p.offset, 0, sizeof p.offset);
  u32 first = 0;
  for (unsigned lane = 0; lane < 8 * n; ++lane) {
    const u64 address = ((o.flags & op_address32) != 0 ? u64{x.at<u32>(o.a)[lane]} : x.at<u64>(o.a)[lane]) + base;
    place[lane] = checked_lane(x, o, lane, Space::shared, address, 16, store, !store);
    if (lane == 0) first = static_cast<u32>(place[0] - x.shared);
    p.offset[lane] = static_cast<s32>(static_cast<u32>(place[lane] - x.shared) - first);
    if (x.races != nullptr) {
      const auto at = static_cast<u32>(place[lane] - x.shared);
      store ? note_shared_write(x, o, lane, at, 16, nullptr) : note_shared_read(x, o, lane, at, 16);
    }
    if (!store) std::memcpy(rows[lane], place[lane], 16);
  }
  for (unsigned j = 0; j < n; ++j) {
    u32* const d = x.at<u32>(list[j]);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned pair = (lane % 4) * 2, line = lane / 4;
      u16* const lo = transposed ? &rows[8 * j + pair][line] : &rows[8 * j + line][pair];
      u16* const hi = transposed ? &rows[8 * j + pair + 1][line] : &rows[8 * j + line][pair + 1];
      if constexpr (store) {
        *lo = static_cast<u16>(d[lane]);
        *hi = static_cast<u16>(d[lane] >> 16);
      } else {
        d[lane] = *lo | (static_cast<u32>(*hi) << 16);
      }
    }
  }
  if constexpr (store) {
    x.changed = true;
    for (unsigned lane = 0; lane < 8 * n; ++lane) std::memcpy(place[lane], rows[lane], 16);
  }
  if (x.counts != nullptr) {
    PcCount& c = x.counts[&o - x.code];
    const Passes passes = bank_passes(p, first, n == 4 ? full_mask : (1u << (8 * n)) - 1, 16);
    ++c.shared_requests;
    c.shared_threads += static_cast<u32>(__builtin_popcount(m));
    c.wavefronts += passes.wavefronts;
    c.conflicts += passes.wavefronts - passes.least;
  }
}

// wmma.m16n16k16: how elements lie in registers is the machine's own affair. a and b of f16 are held twice (16 elements
// a lane, element e of lane l is number 16 * (l % 16) + e), bf16 once (8 * l + e); accumulators 8 * l + e; numbers run
// row by row.
struct Spot {
  unsigned row, column;
};
Spot spot(const WmmaShape& s, unsigned lane, unsigned e) {
  const unsigned number = s.elements() == 16 ? 16 * (lane % 16) + e : 8 * lane + e;
  return {number / 16, number % 16};
}
u64 wmma_address(Exec& x, const Op& o, const WmmaShape& s, unsigned lane, unsigned e, unsigned bytes) {
  const Spot at = spot(s, lane, e);
  const u64 base =
      ((o.flags & op_address32) != 0 ? u64{x.at<u32>(o.a)[lane]} : x.at<u64>(o.a)[lane]) + static_cast<u64>(s.offset);
  const u64 stride = x.at<u32>(o.b)[lane];
  return base + bytes * (s.column_major ? at.column * stride + at.row : at.row * stride + at.column);
}
void count_wmma(Exec& x, const Op& o, const u64* sectors, u32 n, u32 wavefronts) {
  if (x.counts == nullptr) return;
  PcCount& c = x.counts[&o - x.code];
  if (n ==
      0) {  // shared memory; how the hardware orders these accesses is not documented: the least possible is counted
    ++c.shared_requests;
    c.shared_threads += 32;
    c.wavefronts += wavefronts;
    return;
  }
  ++c.global_requests;
  c.global_threads += 32;
  u64 distinct[128];  // a 16 x 16 matrix touches at most 16 rows of 32 or 64 bytes, or 256 single sectors
  u32 count = 0;
  for (u32 i = 0; i < n; ++i) {
    u32 j = 0;
    while (j < count && distinct[j] != sectors[i]) ++j;
    if (j < count) continue;
    ++c.sectors;
    if (count < 128) distinct[count++] = sectors[i];
  }
}
template <bool store>
void wmma_move(Exec& x, const Op& o, u32) {
  const WmmaShape s = WmmaShape::unpack(o.imm);
  const u32* const list = x.lists + o.target;
  const unsigned bytes = s.type == MatrixType::f32 ? 4 : 2;
  u64 sectors[32 * 16];
  u32 n = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < s.elements(); ++e) {
      const u64 address = wmma_address(x, o, s, lane, e, bytes);
      Space found = o.space;
      std::byte* const place = checked_lane(x, o, lane, o.space, address, bytes, store, !store, &found);
      if (found == Space::global) sectors[n++] = address >> 5;
      if (x.races != nullptr && found == Space::shared) {
        const auto at = static_cast<u32>(place - x.shared);
        store ? note_shared_write(x, o, lane, at, bytes, nullptr) : note_shared_read(x, o, lane, at, bytes);
      } else if (x.races_everywhere && found == Space::global) {
        note_global(x, o, lane, address, place, bytes, store ? RaceDetector::Access::write : RaceDetector::Access::read,
                    nullptr);
      }
      u32& word = x.at<u32>(list[bytes == 4 ? e : e / 2])[lane];
      if constexpr (store) {
        const u32 v = bytes == 4 ? word : word >> (16 * (e % 2));
        std::memcpy(place, &v, bytes);
        x.changed = true;
      } else {
        u32 v = 0;
        std::memcpy(&v, place, bytes);
        word = bytes == 4 || e % 2 == 0 ? v : (word & 0xffff) | (v << 16);
      }
    }
  }
  count_wmma(x, o, sectors, n, s.elements() * bytes * 32 / 128);
}
void wmma_mma(Exec& x, const Op& o, u32) {
  const MmaShape s = MmaShape::unpack(o.imm);
  const u32* const list = x.lists + o.target;
  const WmmaShape input{s.a}, sum_in{s.c, true}, sum_out{s.accumulate, true};
  const unsigned d_regs = sum_out.registers(), ab_regs = input.registers();
  f64 a[16][16], b[16][16], c[16][16];
  const auto take = [&](f64(&to)[16][16], const WmmaShape& shape, unsigned from) {
    const unsigned per = shape.elements() / shape.registers();
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned e = 0; e < shape.elements(); ++e) {
        const Spot at = spot(shape, lane, e);
        to[at.row][at.column] = element_value(shape.type, x.at<u32>(list[from + e / per])[lane], e % per);
      }
  };
  take(a, input, d_regs);
  take(b, input, d_regs + ab_regs);
  take(c, sum_in, d_regs + 2 * ab_regs);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < 8; ++e) {
      const Spot at = spot(sum_out, lane, e);
      f64 sum = c[at.row][at.column];
      for (unsigned k = 0; k < 16; ++k) sum += a[at.row][k] * b[k][at.column];
      if (s.accumulate == MatrixType::f32) {
        x.at<u32>(list[e])[lane] = bits(canonical_sum(sum));
      } else {
        u32& word = x.at<u32>(list[e / 2])[lane];
        const u32 h = float_to_half(odd_float(sum));
        word = e % 2 == 0 ? h : (word & 0xffff) | (h << 16);
      }
    }
  }
}

}  // namespace

void register_matrix(Registry& r) {
  r.sync("@mma", mma);
  r.sync("@ldmatrix", move_matrices<false>);
  r.sync("@stmatrix", move_matrices<true>);
  r.sync("@wmma.load", wmma_move<false>);
  r.sync("@wmma.store", wmma_move<true>);
  r.sync("@wmma.mma", wmma_mma);
}

}  // namespace ww::simt::WW_SIMT_ISA
