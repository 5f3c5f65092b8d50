// SPDX-License-Identifier: Apache-2.0
// mov in all its forms, special registers, address space conversion, kernel and function parameters.
#include "simt/lanes.h"
#include "simt/special.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <class T>
void mov(Exec& x, const Op& o, u32 m) {
  map1<T, T>(x, o, m, [](T v) { return v; });
}

// Part of a wider register, from bit Op::imm on; and parts put together.
template <class D, class S>
void extract(Exec& x, const Op& o, u32 m) {
  const auto shift = static_cast<unsigned>(o.imm) & (8 * sizeof(S) - 1);
  map1<D, S>(x, o, m, [shift](S v) { return static_cast<D>(v >> shift); });
}
template <class D, class S>
void pack2(Exec& x, const Op& o, u32 m) {
  map2<D, S, S>(x, o, m,
                [](S a, S b) { return static_cast<D>(static_cast<D>(a) | (static_cast<D>(b) << (8 * sizeof(S)))); });
}

void special(Exec& x, const Op& o, u32 m) {
  alignas(64) u32 v[32];
  read_special(x, static_cast<Special>(o.imm), v);
  u32* const d = x.at<u32>(o.d);
  if (m == full_mask)
    std::memcpy(d, v, sizeof v);
  else
    blend(d, v, m);
}
void special64(Exec& x, const Op& o, u32 m) {
  const u64 v = read_special64(x, static_cast<Special>(o.imm));
  u64* const d = x.at<u64>(o.d);
  each_lane(m, [&](unsigned i) { d[i] = v; });
}

// Op::imm is the part of the address space: shared_window or local_window.
u64 window_of(const Exec& x, const Op& o) {
  return static_cast<u64>(o.imm) == shared_window ? x.shared_at : x.local_at;
}
void add_window(Exec& x, const Op& o, u32 m) {
  const u64 window = window_of(x, o);
  map1<u64, u64>(x, o, m, [window](u64 v) { return v + window; });
}
void subtract_window(Exec& x, const Op& o, u32 m) {
  const u64 window = window_of(x, o);
  map1<u64, u64>(x, o, m, [window](u64 v) { return v - window; });
}
void is_window(Exec& x, const Op& o, u32 m) {  // isspacep; Op::imm is the window, 0 for global
  const u64* const a = x.at<u64>(o.a);
  const auto window = static_cast<u64>(o.imm);
  u32 b = 0;
  WW_LANES b |= (a[i] & window_mask) == window ? 1u << i : 0u;
  write_predicate(x, o.d, b, m);
}

template <class T>
void param_broadcast(Exec& x, const Op& o, u32 m) {
  for (unsigned k = 0; k < o.n; ++k) {
    T v;
    std::memcpy(&v, x.params + o.imm + k * sizeof(T), sizeof v);
    T* const d = x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]);
    if (m == full_mask) {
      WW_LANES d[i] = v;
    } else {
      each_lane(m, [&](unsigned i) { d[i] = v; });
    }
  }
}
// Parameters of device functions: bytes per lane in the frame; Op::a the area, Op::b the bytes per lane.
template <class T>
void frame_load(Exec& x, const Op& o, u32 m) {
  const std::byte* const area = x.r + o.a;
  for (unsigned k = 0; k < o.n; ++k) {
    T* const d = x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]);
    each_lane(m, [&](unsigned i) { std::memcpy(&d[i], area + i * o.b + o.imm + k * sizeof(T), sizeof(T)); });
  }
}
template <class T>
void frame_store(Exec& x, const Op& o, u32 m) {
  std::byte* const area = x.r + o.a;
  for (unsigned k = 0; k < o.n; ++k) {
    const T* const s = x.at<T>(o.n == 1 ? o.d : x.lists[o.target + k]);
    each_lane(m, [&](unsigned i) { std::memcpy(area + i * o.b + o.imm + k * sizeof(T), &s[i], sizeof(T)); });
  }
}

}  // namespace

void register_moves(Registry& r) {
  constexpr auto M = InstrClass::move;
  for (const char* t : {"b8", "u8", "s8"}) r.alu("mov.$", t, mov<u8>, "$ $", M);
  for (const char* t : {"b16", "u16", "s16", "f16", "bf16"}) r.alu("mov.$", t, mov<u16>, "$ $", M);
  for (const char* t : {"b32", "u32", "s32", "f32", "f16x2", "bf16x2"}) r.alu("mov.$", t, mov<u32>, "$ $", M);
  for (const char* t : {"b64", "u64", "s64", "f64"}) r.alu("mov.$", t, mov<u64>, "$ $", M);
  r.alu("@extract.b8.b16", "", extract<u8, u16>, "b8 b16 imm", M);
  r.alu("@extract.b8.b32", "", extract<u8, u32>, "b8 b32 imm", M);
  r.alu("@extract.b8.b64", "", extract<u8, u64>, "b8 b64 imm", M);
  r.alu("@extract.b16.b32", "", extract<u16, u32>, "b16 b32 imm", M);
  r.alu("@extract.b16.b64", "", extract<u16, u64>, "b16 b64 imm", M);
  r.alu("@extract.b32.b64", "", extract<u32, u64>, "b32 b64 imm", M);
  r.alu("@pack.b16.b8", "", pack2<u16, u8>, "b16 b8 b8", M);
  r.alu("@pack.b32.b16", "", pack2<u32, u16>, "b32 b16 b16", M);
  r.alu("@pack.b64.b32", "", pack2<u64, u32>, "b64 b32 b32", M);
  r.alu("@special", "", special, "u32 imm", M);
  r.alu("@special64", "", special64, "u64 imm", M);
  r.alu("@window.add", "", add_window, "u64 u64 imm", M);
  r.alu("@window.subtract", "", subtract_window, "u64 u64 imm", M);
  r.alu("@window.is", "", is_window, "pred u64 imm", InstrClass::predicate);
  r.param_broadcast(1, param_broadcast<u8>);
  r.param_broadcast(2, param_broadcast<u16>);
  r.param_broadcast(4, param_broadcast<u32>);
  r.param_broadcast(8, param_broadcast<u64>);
  r.frame_param(false, 1, frame_load<u8>);
  r.frame_param(false, 2, frame_load<u16>);
  r.frame_param(false, 4, frame_load<u32>);
  r.frame_param(false, 8, frame_load<u64>);
  r.frame_param(true, 1, frame_store<u8>);
  r.frame_param(true, 2, frame_store<u16>);
  r.frame_param(true, 4, frame_store<u32>);
  r.frame_param(true, 8, frame_store<u64>);
}

}  // namespace ww::simt::WW_SIMT_ISA
