// SPDX-License-Identifier: Apache-2.0
// Extended precision: the carry of each lane is one bit of the mask at carry_offset in the frame (PTX ISA,
// section 9.7.2). A subtraction adds the complement, as the hardware does: it leaves a carry where it does not borrow,
// which an addition that follows sees.
#include "simt/frame.h"
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

// kind: what feeds the addition: 0 add, 1 subtract, 2 low product + c, 3 high product + c.
template <class T, int kind, bool in, bool out>
void carry(Exec& x, const Op& o, u32 m) {
  using U = std::make_unsigned_t<T>;
  using W = std::conditional_t<sizeof(T) == 4, s64, s128>;
  constexpr unsigned bits = 8 * sizeof(T);
  T* const d = x.at<T>(o.d);
  const T* const a = x.at<T>(o.a);
  const T* const b = x.at<T>(o.b);
  const T* const c = x.at<T>(o.c);
  u32* const cc = x.at<u32>(carry_offset);
  const u32 carry_in = *cc;
  u32 carry_out = 0;
  each_lane(m, [&](unsigned i) {
    U left = 0, right = 0;
    if constexpr (kind < 2) {
      left = static_cast<U>(a[i]);
      right = static_cast<U>(b[i]);
    } else {
      using P = std::conditional_t<std::is_signed_v<T>, W, std::conditional_t<sizeof(T) == 4, u64, u128>>;
      const P p = static_cast<P>(a[i]) * static_cast<P>(b[i]);
      left = static_cast<U>(kind == 2 ? p : p >> bits);
      right = static_cast<U>(c[i]);
    }
    const bool flag = (carry_in >> i) & 1;
    const U carried = in && flag != (kind == 1) ? 1 : 0;
    U sum = 0;
    bool over = false;
    if constexpr (kind == 1) {  // `carried`, `over`: borrows
      sum = left - right - carried;
      over = left < right || (left == right && carried != 0);
    } else {
      sum = left + right + carried;
      over = sum < left || (sum == left && carried != 0 && right == static_cast<U>(~U{0}));
    }
    d[i] = static_cast<T>(sum);
    if (over != (kind == 1)) carry_out |= 1u << i;
  });
  if (out) *cc = (carry_in & ~m) | carry_out;
}

template <class T>
void register_type(Registry& r, const char* t) {
  constexpr auto I = InstrClass::integer;
  r.alu("add.cc.$", t, carry<T, 0, false, true>, "$ $ $", I);
  r.alu("addc.$", t, carry<T, 0, true, false>, "$ $ $", I);
  r.alu("addc.cc.$", t, carry<T, 0, true, true>, "$ $ $", I);
  r.alu("sub.cc.$", t, carry<T, 1, false, true>, "$ $ $", I);
  r.alu("subc.$", t, carry<T, 1, true, false>, "$ $ $", I);
  r.alu("subc.cc.$", t, carry<T, 1, true, true>, "$ $ $", I);
  r.alu("mad.lo.cc.$", t, carry<T, 2, false, true>, "$ $ $ $", I);
  r.alu("mad.hi.cc.$", t, carry<T, 3, false, true>, "$ $ $ $", I);
  r.alu("madc.lo.$", t, carry<T, 2, true, false>, "$ $ $ $", I);
  r.alu("madc.lo.cc.$", t, carry<T, 2, true, true>, "$ $ $ $", I);
  r.alu("madc.hi.$", t, carry<T, 3, true, false>, "$ $ $ $", I);
  r.alu("madc.hi.cc.$", t, carry<T, 3, true, true>, "$ $ $ $", I);
}

}  // namespace

void register_carry(Registry& r) {
  register_type<u32>(r, "u32");
  register_type<s32>(r, "s32");
  register_type<u64>(r, "u64");
  register_type<s64>(r, "s64");
}

}  // namespace ww::simt::WW_SIMT_ISA
