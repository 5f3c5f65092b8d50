// SPDX-License-Identifier: Apache-2.0
// One instruction against values computed another way, edge cases first, with a full warp and with a partial one, so
// that both paths of a handler are seen.
#pragma once
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "simt/bed.h"
#include "simt/ptx.h"

namespace ww::simt::test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

struct Input {
  u64 a, b, c;
};  // up to three operands, in the low bits

// Letters for the types of an instruction: destination first. h 16 bits, w 32, d 64, p predicate (destination only).
inline std::string ptx_for(const std::string& opcode, const std::string& types, const std::string& tail) {
  const auto reg = [](char t, int n) {
    return std::string(t == 'h' ? "%h" : t == 'w' ? "%r" : "%rd") + std::to_string(n);
  };
  const auto suffix = [](char t) { return t == 'h' ? "u16" : t == 'w' ? "u32" : "u64"; };
  std::string body;
  for (std::size_t k = 1; k < types.size(); ++k)
    body += std::string("ld.global.") + suffix(types[k]) + " " + reg(types[k], static_cast<int>(k)) + ", [%rd19+" +
            std::to_string(8 * (k - 1)) + "];\n";
  body += opcode + " " + (types[0] == 'p' ? "%p1" : reg(types[0], 9));
  for (std::size_t k = 1; k < types.size(); ++k) body += ", " + reg(types[k], static_cast<int>(k));
  body += tail + ";\n";
  if (types[0] == 'p') body += "selp.u32 %r9, 1, 0, %p1;\n";
  body += std::string("st.global.") + (types[0] == 'p' ? "u32" : suffix(types[0])) + " [%o], " +
          reg(types[0] == 'p' ? 'w' : types[0], 9) + ";\n";
  return kernel_text("", "mul.wide.u32 %t, %r0, 8;\nadd.s64 %rd19, %i, %t;\n" + body);
}

inline u64 cut(u64 v, char type) { return type == 'h' ? v & 0xffff : type == 'w' || type == 'p' ? v & 0xffffffff : v; }

// Runs the instruction on all inputs and compares bits. "" when all agree.
inline std::string check(const std::string& opcode, const std::string& types, const std::vector<Input>& inputs,
                         const std::function<u64(u64, u64, u64)>& want, const std::string& tail = "") {
  Bed bed(ptx_for(opcode, types, tail));
  if (!bed.program) return bed.error;
  std::vector<u64> flat;
  for (const Input& i : inputs) flat.insert(flat.end(), {i.a, i.b, i.c});
  const auto out = bed.put(std::vector<u64>(2 * inputs.size(), 0)), in = bed.put(flat);
  const std::string bad = bed.run("k", {1}, {static_cast<u32>(inputs.size())}, out, in);
  if (!bad.empty()) return opcode + ": " + bad;
  const auto got = bed.get<u64>(out, 2 * inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto arg = [&](std::size_t k, u64 v) { return k < types.size() ? cut(v, types[k]) : 0; };
    const u64 expected = cut(want(arg(1, inputs[i].a), arg(2, inputs[i].b), arg(3, inputs[i].c)), types[0]);
    if (cut(got[2 * i], types[0]) == expected) continue;
    // The payload of an f64 NaN is left open by the ISA.
    if (opcode.ends_with(".f64") && types[0] == 'd' && std::isnan(std::bit_cast<double>(got[2 * i])) &&
        std::isnan(std::bit_cast<double>(expected)))
      continue;
    char text[200];
    std::snprintf(text, sizeof text, "%s(%llx, %llx, %llx) = %llx, want %llx", opcode.c_str(),
                  static_cast<unsigned long long>(inputs[i].a), static_cast<unsigned long long>(inputs[i].b),
                  static_cast<unsigned long long>(inputs[i].c),
                  static_cast<unsigned long long>(cut(got[2 * i], types[0])),
                  static_cast<unsigned long long>(expected));
    return text;
  }
  return "";
}

// 3 x 37 inputs: a full warp and a partial one twice, from edge values and random bits.
inline std::vector<Input> mixed(const std::vector<u64>& edges, u64 seed) {
  Numbers random(seed);
  std::vector<Input> v;
  for (const u64 a : edges)
    for (const u64 b : edges) v.push_back({a, b, edges[(v.size() * 7) % edges.size()]});
  while (v.size() < 200) v.push_back({random.next(), random.next(), random.next()});
  while (v.size() % 32 != 5) v.push_back({random.next(), edges[v.size() % edges.size()], random.next()});
  if (v.size() > 1000) v.resize(997);
  return v;
}
inline std::vector<Input> integers(u64 seed) {
  return mixed({0, 1, 2, 31, 32, 33, 63, 64, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~u64{0}},
               seed);
}
inline std::vector<Input> floats(u64 seed) {
  auto v = mixed({0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3effffff,
                  0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb},
                 seed);
  Numbers random(seed + 1);
  for (std::size_t i = 250; i < v.size(); i += 2)  // values whose exponents are near each other
    v[i] = {std::bit_cast<u32>(random.real(-4, 4)), std::bit_cast<u32>(random.real(-4, 4)),
            std::bit_cast<u32>(random.real(-4, 4))};
  return v;
}
inline std::vector<Input> doubles(u64 seed) {
  auto v = mixed({0, 1ull << 63, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                  0x3ff0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                  0x41dfffffffc00000, 0x43e0000000000000, 0xc3e0000000000000},
                 seed);
  return v;
}
inline std::vector<Input> halves(u64 seed) {
  return mixed({0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                0x7e00, 0x2e66, 0x5640, 0x6400, 0x68ff},
               seed);
}

inline float f(u64 v) { return std::bit_cast<float>(static_cast<u32>(v)); }
inline u64 b(float v) { return std::isnan(v) ? 0x7fffffffu : std::bit_cast<u32>(v); }
inline double d(u64 v) { return std::bit_cast<double>(v); }
inline u64 b(double v) { return std::bit_cast<u64>(v); }
inline s32 i(u64 v) { return static_cast<s32>(v); }
inline s64 l(u64 v) { return static_cast<s64>(v); }
inline float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

template <class F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  const volatile auto r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

#define CHECK(...) GOOD(check(__VA_ARGS__))

}  // namespace ww::simt::test
