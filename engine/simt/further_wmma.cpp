// SPDX-License-Identifier: Apache-2.0
#include "simt/further_wmma.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>
#include "base/dtype.h"
#include "simt/further_mma.h"
#include "simt/race_detector.h"

namespace ww::simt {
namespace {

using WmmaElement = FurtherWmma::Element;
using WmmaSize = FurtherWmma::Shape;
using WmmaPart = FurtherWmma::Part;

double wmma_value(WmmaElement e, std::uint64_t raw) {
  switch (e) {
    case WmmaElement::f16: return f16_to_f64(static_cast<std::uint16_t>(raw));
    case WmmaElement::bf16: return bf16_to_f64(static_cast<std::uint16_t>(raw));
    case WmmaElement::tf32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw) & ~0x1fffu));
    case WmmaElement::f32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
    case WmmaElement::f64: return std::bit_cast<double>(raw);
    case WmmaElement::s8: return static_cast<std::int8_t>(raw);
    case WmmaElement::u8: return static_cast<std::uint8_t>(raw);
    case WmmaElement::s32: return static_cast<std::int32_t>(raw);
  }
  return 0;
}

class WmmaRegisters {
 public:
  WmmaRegisters(Exec& x, const std::uint32_t* list, const WmmaFragment& f) : x_(x), list_(list), f_(f) {}
  std::uint64_t get(unsigned lane, unsigned e) const {
    const std::uint32_t at = list_[e / f_.per_register()];
    if (f_.bits() == 64) return x_.at<std::uint64_t>(at)[lane];
    const std::uint32_t word = x_.at<std::uint32_t>(at)[lane] >> shift(e);
    return f_.bits() == 32 ? word : word & ((1u << f_.bits()) - 1);
  }
  void put(unsigned lane, unsigned e, std::uint64_t raw) {
    const std::uint32_t at = list_[e / f_.per_register()];
    if (f_.bits() == 64) {
      x_.at<std::uint64_t>(at)[lane] = raw;
      return;
    }
    std::uint32_t& word = x_.at<std::uint32_t>(at)[lane];
    const std::uint32_t field = f_.bits() == 32 ? full_mask : ((1u << f_.bits()) - 1) << shift(e);
    word = (word & ~field) | ((static_cast<std::uint32_t>(raw) << shift(e)) & field);
  }

 private:
  unsigned shift(unsigned e) const { return f_.bits() * (e % f_.per_register()); }
  Exec& x_;
  const std::uint32_t* list_;
  const WmmaFragment& f_;
};

std::vector<double> wmma_matrix(Exec& x, const std::uint32_t* list, const WmmaFragment& f) {
  std::vector<double> m(std::size_t{f.rows} * f.columns);
  const WmmaRegisters registers(x, list, f);
  for (unsigned lane = 0; lane < warp_lanes; ++lane)
    for (unsigned e = 0; e < f.in_lane; ++e) m[f.number(lane, e)] = wmma_value(f.element, registers.get(lane, e));
  return m;
}

std::uint64_t wmma_rounded(WmmaElement to, double v, bool saturate) {
  switch (to) {
    case WmmaElement::f16: return f64_to_f16(v);
    case WmmaElement::f64: return std::bit_cast<std::uint64_t>(v);
    case WmmaElement::s32: {  // exact until here: at most 16 products of bytes and a word
      const auto whole = static_cast<std::int64_t>(v);
      constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(),
                             most = std::numeric_limits<std::int32_t>::max();
      return static_cast<std::uint32_t>(saturate ? std::clamp(whole, least, most) : whole);
    }
    default: return std::bit_cast<std::uint32_t>(rounded_toward_zero(v));
  }
}

void note_wmma(Exec& x, const Op& op, unsigned lane, Space space, std::uint64_t address, const std::byte* place,
               unsigned bytes, bool store) {
  if (space == Space::shared && x.races != nullptr) {
    const auto at = static_cast<std::uint32_t>(place - x.shared);
    store ? note_shared_write(x, op, lane, at, bytes, nullptr) : note_shared_read(x, op, lane, at, bytes);
  } else if (space == Space::global && x.races_everywhere) {
    note_global(x, op, lane, address, place, bytes, store ? RaceDetector::Access::write : RaceDetector::Access::read,
                nullptr);
  }
}

void count_wmma(Exec& x, const Op& op, const std::set<std::uint64_t>& sectors, bool shared, unsigned bytes) {
  if (x.counts == nullptr) return;
  PcCount& c = x.counts[&op - x.code];
  if (shared) {
    ++c.shared_requests;
    c.shared_threads += warp_lanes;
    c.wavefronts += (bytes + 127) / 128;  // the least possible
  } else {
    ++c.global_requests;
    c.global_threads += warp_lanes;
    c.sectors += sectors.size();
  }
}

template <bool store>
void move_wmma(Exec& x, const Op& op) {
  const WmmaFragment f =
      WmmaFragment::of(static_cast<WmmaElement>(op.imm & 255), static_cast<WmmaSize>((op.imm >> 8) & 255),
                       static_cast<WmmaPart>((op.imm >> 16) & 255));
  const bool by_columns = ((op.imm >> 24) & 1) != 0;
  const auto offset = static_cast<std::uint64_t>(op.imm >> 32);
  WmmaRegisters registers(x, x.lists + op.target, f);
  const unsigned bytes = f.bits() / 8;
  std::set<std::uint64_t> sectors;
  bool shared = false;
  for (unsigned lane = 0; lane < warp_lanes; ++lane)
    for (unsigned e = 0; e < f.in_lane; ++e) {
      const unsigned number = f.number(lane, e), row = number / f.columns, column = number % f.columns;
      const std::uint64_t base = ((op.flags & op_address32) != 0 ? std::uint64_t{x.at<std::uint32_t>(op.a)[lane]}
                                                                 : x.at<std::uint64_t>(op.a)[lane]) +
                                 offset;
      const std::uint64_t stride = x.at<std::uint32_t>(op.b)[lane];
      const std::uint64_t address = base + bytes * (by_columns ? column * stride + row : row * stride + column);
      Space found = op.space;
      std::byte* const place = checked_lane(x, op, lane, op.space, address, bytes, store, !store, &found);
      note_wmma(x, op, lane, found, address, place, bytes, store);
      shared = shared || found == Space::shared;
      if (x.counts != nullptr && found == Space::global) sectors.insert(address >> 5);
      std::uint64_t raw = store ? registers.get(lane, e) : 0;
      if constexpr (store) {
        std::memcpy(place, &raw, bytes);
        x.changed = true;
      } else {
        std::memcpy(&raw, place, bytes);
        registers.put(lane, e, raw);
      }
    }
  count_wmma(x, op, sectors, shared, f.rows * f.columns * bytes);
}

}  // namespace

std::optional<WmmaElement> FurtherWmma::element(std::string_view type) {
  static constexpr std::string_view names[] = {"f16", "bf16", "tf32", "f64", "s8", "u8", "f32", "s32"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == type) return static_cast<WmmaElement>(i);
  return std::nullopt;
}

std::optional<WmmaSize> FurtherWmma::shape(std::string_view name) {
  static constexpr std::string_view names[] = {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return static_cast<WmmaSize>(i);
  return std::nullopt;
}

bool FurtherWmma::has(WmmaElement input, WmmaSize s) {
  switch (input) {
    case WmmaElement::tf32: return s == WmmaSize::m16n16k8;
    case WmmaElement::f64: return s == WmmaSize::m8n8k4;
    case WmmaElement::f16:
    case WmmaElement::bf16:
    case WmmaElement::s8:
    case WmmaElement::u8: return depth(s) == 16;
    default: return false;
  }
}

bool FurtherWmma::adds(WmmaElement input, WmmaElement sum) {
  switch (input) {
    case WmmaElement::f16: return sum == WmmaElement::f16 || sum == WmmaElement::f32;
    case WmmaElement::bf16:
    case WmmaElement::tf32: return sum == WmmaElement::f32;
    case WmmaElement::f64: return sum == WmmaElement::f64;
    default: return sum == WmmaElement::s32;
  }
}

WmmaFragment WmmaFragment::of(WmmaElement e, WmmaSize s, WmmaPart part) {
  WmmaFragment f;
  f.element = e;
  f.rows = part == WmmaPart::b ? FurtherWmma::depth(s) : FurtherWmma::rows(s);
  f.columns = part == WmmaPart::a ? FurtherWmma::depth(s) : FurtherWmma::columns(s);
  f.in_lane = f.rows * f.columns / warp_lanes;
  if (part != WmmaPart::sums && e == WmmaElement::f16) f.in_lane = 16;  // 8 registers, whatever the shape
  return f;
}

void further_wmma_load(Exec& x, const Op& op, std::uint32_t) { move_wmma<false>(x, op); }
void further_wmma_store(Exec& x, const Op& op, std::uint32_t) { move_wmma<true>(x, op); }

void further_wmma(Exec& x, const Op& op, std::uint32_t) {
  const auto input = static_cast<WmmaElement>(op.imm & 255), to = static_cast<WmmaElement>((op.imm >> 16) & 15),
             from = static_cast<WmmaElement>((op.imm >> 20) & 15);
  const auto shape = static_cast<WmmaSize>((op.imm >> 8) & 255);
  const WmmaFragment d = WmmaFragment::of(to, shape, WmmaPart::sums), c = WmmaFragment::of(from, shape, WmmaPart::sums),
                     a = WmmaFragment::of(input, shape, WmmaPart::a), b = WmmaFragment::of(input, shape, WmmaPart::b);
  const std::uint32_t* const list = x.lists + op.target;
  const std::vector<double> left = wmma_matrix(x, list + d.registers(), a),
                            right = wmma_matrix(x, list + d.registers() + a.registers(), b),
                            addend = wmma_matrix(x, list + d.registers() + a.registers() + b.registers(), c);
  WmmaRegisters out(x, list, d);
  for (unsigned lane = 0; lane < warp_lanes; ++lane)
    for (unsigned e = 0; e < d.in_lane; ++e) {
      const unsigned number = d.number(lane, e), row = number / d.columns, column = number % d.columns;
      double sum = addend[number];
      for (unsigned k = 0; k < a.columns; ++k) {
        const double p = left[row * a.columns + k], q = right[k * b.columns + column];
        sum = input == WmmaElement::f64 ? std::fma(p, q, sum) : sum + p * q;
      }
      out.put(lane, e, wmma_rounded(to, sum, ((op.imm >> 24) & 1) != 0));
    }
}

}  // namespace ww::simt
