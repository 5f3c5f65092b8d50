// SPDX-License-Identifier: Apache-2.0
// Instructions in which the lanes of a warp see each other: shfl, vote, match, redux, elect (PTX ISA 9.0,
// section 9.7.9.6 and 9.7.13). The loop in run.cpp has already made sure that every lane which the member mask names is
// here.
#include <type_traits>
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

enum class Mode { up, down, bfly, idx };

template <Mode mode>
void shfl(Exec& x, const Op& o, u32 m) {
  const u32* const a = x.at<u32>(o.a);
  const u32* const b = x.at<u32>(o.b);
  const u32* const c = x.at<u32>(o.c);
  alignas(64) u32 r[32] = {};
  u32 inside = 0, read_gone = 0;
  each_lane(m, [&](unsigned lane) {
    const u32 bval = b[lane] & 31, cval = c[lane] & 31, segment = (c[lane] >> 8) & 31;
    const u32 highest = (lane & segment) | (cval & ~segment & 31), lowest = lane & segment;
    int j = 0;
    bool ok = false;
    if constexpr (mode == Mode::up) {
      j = static_cast<int>(lane) - static_cast<int>(bval);
      ok = j >= static_cast<int>(highest);
    } else if constexpr (mode == Mode::down) {
      j = static_cast<int>(lane + bval);
      ok = j <= static_cast<int>(highest);
    } else if constexpr (mode == Mode::bfly) {
      j = static_cast<int>(lane ^ bval);
      ok = j <= static_cast<int>(highest);
    } else {
      j = static_cast<int>(lowest | (bval & ~segment & 31));
      ok = j <= static_cast<int>(highest);
    }
    if (!ok) j = static_cast<int>(lane);
    // A source lane that does not take part gives an undefined value.
    r[lane] = ((m >> j) & 1) != 0 ? a[j] : x.garbage;
    read_gone |= ((x.gone >> j) & 1) != 0 ? 1u << lane : 0u;
    inside |= ok ? 1u << lane : 0u;
  });
  x.read_gone = read_gone;
  u32* const d = x.at<u32>(o.d);
  if (m == full_mask)
    std::memcpy(d, r, sizeof r);
  else
    blend(d, r, m);
  if ((o.flags & op_second) != 0) write_predicate(x, static_cast<u32>(o.imm), inside, m);
}

// Calls f(lanes) for each set of active lanes that hold the same member mask.
template <class F>
void each_group(Exec& x, const Op& o, u32 m, F f) {
  const u32* const members = x.at<u32>(o.e);
  while (m != 0) {
    const u32 mask = members[__builtin_ctz(m)];
    u32 group = 0;
    for (unsigned i = 0; i < 32; ++i) group |= members[i] == mask ? (1u << i) & m : 0u;
    f(group);
    m &= ~group;
  }
}

u32 predicate_source(Exec& x, const Op& o) { return *x.at<u32>(o.a) ^ ((o.flags & op_negate) != 0 ? full_mask : 0); }

void vote_all(Exec& x, const Op& o, u32 m) {
  const u32 p = predicate_source(x, o);
  each_group(x, o, m, [&](u32 g) { write_predicate(x, o.d, (p & g) == g ? full_mask : 0, g); });
}
void vote_any(Exec& x, const Op& o, u32 m) {
  const u32 p = predicate_source(x, o);
  each_group(x, o, m, [&](u32 g) { write_predicate(x, o.d, (p & g) != 0 ? full_mask : 0, g); });
}
void vote_uni(Exec& x, const Op& o, u32 m) {
  const u32 p = predicate_source(x, o);
  each_group(x, o, m, [&](u32 g) { write_predicate(x, o.d, (p & g) == g || (p & g) == 0 ? full_mask : 0, g); });
}
void vote_ballot(Exec& x, const Op& o, u32 m) {
  const u32 p = predicate_source(x, o);
  u32* const d = x.at<u32>(o.d);
  each_group(x, o, m, [&](u32 g) { each_lane(g, [&](unsigned i) { d[i] = p & g; }); });
}

template <class T>
void match_any(Exec& x, const Op& o, u32 m) {
  const T* const a = x.at<T>(o.a);
  alignas(64) u32 r[32] = {};
  each_group(x, o, m, [&](u32 g) {
    each_lane(g, [&](unsigned i) {
      for (unsigned j = 0; j < 32; ++j) r[i] |= ((g >> j) & 1) != 0 && a[j] == a[i] ? 1u << j : 0u;
    });
  });
  blend(x.at<u32>(o.d), r, m);
}
template <class T>
void match_all(Exec& x, const Op& o, u32 m) {
  const T* const a = x.at<T>(o.a);
  alignas(64) u32 r[32] = {};
  u32 same_lanes = 0;
  each_group(x, o, m, [&](u32 g) {
    const T value = a[__builtin_ctz(g)];
    bool same = true;
    each_lane(g, [&](unsigned i) { same = same && a[i] == value; });
    if (!same) return;
    same_lanes |= g;
    each_lane(g, [&](unsigned i) { r[i] = g; });
  });
  blend(x.at<u32>(o.d), r, m);
  if ((o.flags & op_second) != 0) write_predicate(x, static_cast<u32>(o.imm), same_lanes, m);
}

template <class T, class F>
void redux(Exec& x, const Op& o, u32 m) {
  const T* const a = x.at<T>(o.a);
  alignas(64) T r[32] = {};
  each_group(x, o, m, [&](u32 g) {
    T v = a[__builtin_ctz(g)];
    each_lane(g & (g - 1), [&](unsigned i) { v = F::f(v, a[i]); });
    each_lane(g, [&](unsigned i) { r[i] = v; });
  });
  blend(x.at<T>(o.d), r, m);
}
struct Add {
  template <class T>
  static T f(T a, T b) {
    return static_cast<T>(static_cast<u32>(a) + static_cast<u32>(b));
  }
};
struct Min {
  template <class T>
  static T f(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T f(T a, T b) {
    return a < b ? b : a;
  }
};
struct And {
  template <class T>
  static T f(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return a ^ b;
  }
};

void elect(Exec& x, const Op& o, u32 m) {
  u32 leaders = 0;
  u32* const d = x.at<u32>(o.d);
  each_group(x, o, m, [&](u32 g) {
    const auto leader = static_cast<u32>(__builtin_ctz(g));
    leaders |= 1u << leader;
    each_lane(g, [&](unsigned i) { d[i] = leader; });
  });
  if ((o.flags & op_second) != 0) write_predicate(x, static_cast<u32>(o.imm), leaders, m);
}

void nothing(Exec&, const Op&, u32) {}  // bar.warp.sync: the waiting is all

void active(Exec& x, const Op& o, u32 m) {
  u32* const d = x.at<u32>(o.d);
  each_lane(m, [&](unsigned i) { d[i] = m; });
}

}  // namespace

void register_warp(Registry& r) {
  r.sync("shfl.sync.up.b32", shfl<Mode::up>);
  r.sync("shfl.sync.down.b32", shfl<Mode::down>);
  r.sync("shfl.sync.bfly.b32", shfl<Mode::bfly>);
  r.sync("shfl.sync.idx.b32", shfl<Mode::idx>);
  r.sync("vote.sync.all.pred", vote_all);
  r.sync("vote.sync.any.pred", vote_any);
  r.sync("vote.sync.uni.pred", vote_uni);
  r.sync("vote.sync.ballot.b32", vote_ballot);
  r.sync("match.any.sync.b32", match_any<u32>);
  r.sync("match.any.sync.b64", match_any<u64>);
  r.sync("match.all.sync.b32", match_all<u32>);
  r.sync("match.all.sync.b64", match_all<u64>);
  r.sync("redux.sync.add.u32", redux<u32, Add>);
  r.sync("redux.sync.add.s32", redux<s32, Add>);
  r.sync("redux.sync.min.u32", redux<u32, Min>);
  r.sync("redux.sync.min.s32", redux<s32, Min>);
  r.sync("redux.sync.max.u32", redux<u32, Max>);
  r.sync("redux.sync.max.s32", redux<s32, Max>);
  r.sync("redux.sync.and.b32", redux<u32, And>);
  r.sync("redux.sync.or.b32", redux<u32, Or>);
  r.sync("redux.sync.xor.b32", redux<u32, Xor>);
  r.sync("elect.sync", elect);
  r.sync("bar.warp.sync", nothing);
  r.alu("activemask.b32", "", active, "b32", InstrClass::shuffle);
}

}  // namespace ww::simt::WW_SIMT_ISA
