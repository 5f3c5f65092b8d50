// SPDX-License-Identifier: Apache-2.0
// Instructions that few programs use, against values computed another way: video, packed conversions, lop3 with a
// predicate, signs by exclusive or, 128 bits, memory of the stack.
#include <array>
#include "simt/instruction.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

// Some 3,000 operands.
std::string checked(const std::string& opcode, const std::string& types, std::vector<Input> (*inputs)(u64),
                    const std::function<u64(u64, u64, u64)>& want, const std::string& tail = "") {
  for (u64 seed = 1; seed <= 3; ++seed)
    if (const std::string bad = check(opcode, types, inputs(seed), want, tail); !bad.empty()) return bad;
  return "";
}

s64 clamped(s64 v, unsigned bits, bool is_signed) {
  const s64 least = is_signed ? -(s64{1} << (bits - 1)) : 0, most = (s64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::min(std::max(v, least), most);
}

// The k-th part of a register.
s64 part(u64 word, unsigned parts, unsigned k, bool is_signed) {
  const unsigned bits = 32 / parts;
  const u64 v = (word >> (k * bits)) & ((u64{1} << bits) - 1);
  return is_signed && (v >> (bits - 1)) != 0 ? static_cast<s64>(v) - (s64{1} << bits) : static_cast<s64>(v);
}

using Step = s64 (*)(s64, s64);
struct Named {
  const char* name;
  Step step;
};
const Named steps[] = {{"vadd", [](s64 a, s64 b) { return a + b; }},
                       {"vsub", [](s64 a, s64 b) { return a - b; }},
                       {"vabsdiff", [](s64 a, s64 b) { return std::abs(a - b); }},
                       {"vmin", [](s64 a, s64 b) { return std::min(a, b); }},
                       {"vmax", [](s64 a, s64 b) { return std::max(a, b); }}};
const Named compares[] = {
    {"eq", [](s64 a, s64 b) { return s64{a == b}; }}, {"ne", [](s64 a, s64 b) { return s64{a != b}; }},
    {"lt", [](s64 a, s64 b) { return s64{a < b}; }},  {"le", [](s64 a, s64 b) { return s64{a <= b}; }},
    {"gt", [](s64 a, s64 b) { return s64{a > b}; }},  {"ge", [](s64 a, s64 b) { return s64{a >= b}; }}};

float half_of(u64 v) { return static_cast<float>(f16_to_f64(static_cast<u16>(v))); }

// Bodies of kernels of one warp, whose input and output are 16 bytes a thread.
std::vector<u64> ran(const std::string& declarations, const std::string& body, const std::vector<u64>& in,
                     unsigned threads, std::string& wrong, const std::string& target = "") {
  std::string text = kernel_text(declarations, body);
  if (!target.empty()) text.replace(text.find("sm_80"), 5, target);
  Bed bed(text);
  const auto out = bed.put(std::vector<u64>(2 * threads, 0), "out"), from = bed.put(in, "in");
  wrong = bed.error.empty() ? bed.run("k", {1}, {threads}, out, from) : bed.error;
  return bed.get<u64>(out, 2 * threads);
}

}  // namespace

class WideTest : public QObject {
  Q_OBJECT
 private slots:
  void videoOfWords() {
    for (const Named& n : steps)
      for (const std::string types : {"s32.s32.s32", "u32.u32.u32", "s32.u32.s32", "u32.s32.u32"}) {
        const bool d = types[0] == 's', a = types[4] == 's', b = types[8] == 's';
        const auto tmp = [=](u64 x, u64 y) { return n.step(part(x, 1, 0, a), part(y, 1, 0, b)); };
        const std::string name = std::string(n.name) + "." + types;
        GOOD(checked(name, "www", integers, [&](u64 x, u64 y, u64) { return static_cast<u64>(tmp(x, y)); }));
        const auto sat = [&](u64 x, u64 y) { return static_cast<u32>(clamped(tmp(x, y), 32, d)); };
        GOOD(checked(name + ".sat", "www", integers, [&](u64 x, u64 y, u64) { return u64{sat(x, y)}; }));
        GOOD(checked(name + ".add", "wwww", integers,
                     [&](u64 x, u64 y, u64 z) { return static_cast<u64>(tmp(x, y)) + z; }));
        GOOD(checked(name + ".sat.min", "wwww", integers, [&](u64 x, u64 y, u64 z) {
          const u32 t = sat(x, y), c = static_cast<u32>(z);
          return u64{d ? static_cast<u32>(std::min(i(t), i(c))) : std::min(t, c)};
        }));
        GOOD(checked(name + ".max", "wwww", integers, [&](u64 x, u64 y, u64 z) {
          const u32 t = static_cast<u32>(tmp(x, y)), c = static_cast<u32>(z);
          return u64{d ? static_cast<u32>(std::max(i(t), i(c))) : std::max(t, c)};
        }));
      }
    for (const Named& n : compares)
      GOOD(checked(std::string("vset.s32.u32.") + n.name, "www", integers,
                   [&](u64 x, u64 y, u64) { return static_cast<u64>(n.step(i(x), static_cast<s64>(y))); }));
    GOOD(checked("vshl.u32.u32.u32.clamp", "www", integers, [](u64 x, u64 y, u64) { return y >= 32 ? 0 : x << y; }));
    GOOD(checked("vshl.s32.s32.u32.wrap", "www", integers,
                 [](u64 x, u64 y, u64) { return static_cast<u64>(s64{i(x)} << (y & 31)); }));
    GOOD(checked("vshr.s32.s32.u32.clamp", "www", integers,
                 [](u64 x, u64 y, u64) { return static_cast<u64>(s64{i(x)} >> std::min<u64>(y, 32)); }));
    GOOD(checked("vshr.u32.u32.u32.wrap.add", "wwww", integers,
                 [](u64 x, u64 y, u64 z) { return (x >> (y & 31)) + z; }));
  }

  void videoOfParts() {
    for (const unsigned parts : {2u, 4u}) {
      const unsigned bits = 32 / parts;
      const std::string count = std::to_string(parts);
      const auto average = [](s64 a, s64 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; };
      std::vector<Named> all(std::begin(steps), std::end(steps));
      all.push_back({"vavrg", average});
      for (const Named& n : all)
        for (const std::string types : {"s32.s32.s32", "u32.u32.u32", "u32.s32.u32"}) {
          const bool d = types[0] == 's', a = types[4] == 's', b = types[8] == 's';
          const auto each = [=](u64 x, u64 y, auto f) {
            for (unsigned k = 0; k < parts; ++k) f(k, n.step(part(x, parts, k, a), part(y, parts, k, b)));
          };
          const auto joined = [=](u64 x, u64 y, bool sat) {
            u64 r = 0;
            each(x, y, [&](unsigned k, s64 t) {
              r |= (static_cast<u64>(sat ? clamped(t, bits, d) : t) & ((u64{1} << bits) - 1)) << (k * bits);
            });
            return r;
          };
          const std::string name = n.name + count + "." + types;
          GOOD(checked(name, "wwww", integers, [&](u64 x, u64 y, u64) { return joined(x, y, false); }));
          GOOD(checked(name + ".sat", "wwww", integers, [&](u64 x, u64 y, u64) { return joined(x, y, true); }));
          GOOD(checked(name + ".add", "wwww", integers, [&](u64 x, u64 y, u64 z) {
            each(x, y, [&](unsigned, s64 t) { z += static_cast<u64>(t); });
            return z;
          }));
        }
      for (const Named& n : compares)
        GOOD(checked("vset" + count + ".u32.s32." + n.name, "wwww", integers, [&](u64 x, u64 y, u64) {
          u64 r = 0;
          for (unsigned k = 0; k < parts; ++k)
            r |= static_cast<u64>(n.step(part(x, parts, k, false), part(y, parts, k, true))) << (k * bits);
          return r;
        }));
    }
  }

  void videoThatIsNoInstructionIsRefused() {
    for (const char* bad : {"vadd4.s32.s32.s32.sat.add %r1, %r0, %r0, %r0;", "vadd.s32.s32 %r1, %r0, %r0;",
                            "vset.s32.s32 %r1, %r0, %r0;", "vshl.u32.u32.u32 %r1, %r0, %r0;",
                            "vavrg.s32.s32.s32 %r1, %r0, %r0;", "vmin2.s32.s32.s32.max %r1, %r0, %r0, %r0;",
                            "vshr.u32.u32.s32.wrap %r1, %r0, %r0;", "vadd.s32.s32.s32 %r1, %r0;"}) {
      std::string wrong;
      (void)ran("", bad, {0, 0}, 1, wrong);
      QVERIFY2(wrong.starts_with("unsupported: "), (std::string(bad) + " " + wrong).c_str());
    }
  }

  void packedConversions() {
    for (const bool is_signed : {false, true}) {
      const std::string sign = is_signed ? "s" : "u";
      const auto two = [=](u64 x, u64 y, unsigned bits) {
        const u64 mask = (u64{1} << bits) - 1;
        return ((static_cast<u64>(clamped(i(x), bits, is_signed)) & mask) << bits) |
               (static_cast<u64>(clamped(i(y), bits, is_signed)) & mask);
      };
      GOOD(checked("cvt.pack.sat." + sign + "16.s32", "www", integers,
                   [&](u64 x, u64 y, u64) { return two(x, y, 16); }));
      for (const unsigned bits : {2u, 4u, 8u})
        GOOD(checked("cvt.pack.sat." + sign + std::to_string(bits) + ".s32.b32", "wwww", integers,
                     [&](u64 x, u64 y, u64 z) { return (z << (2 * bits)) | two(x, y, bits); }));
    }
  }

  void directedConversions() {
    const auto directed = [](bool up) {
      return [up](u64 v, u64, u64) -> u64 {
        const float x = f(v);
        if (std::isnan(x)) return 0x7fff;
        // The largest number that is not above, or the smallest that is not below.
        u64 best = up ? 0x7c00 : 0xfc00;
        for (u64 h = 0; h < 0x10000; ++h) {
          if ((h & 0x7fff) > 0x7c00 || h == 0x8000) continue;
          const float value = half_of(h), now = half_of(best);
          if (up ? value >= x && value < now : value <= x && value > now) best = h;
        }
        return (best & 0x7fff) == 0 && std::signbit(x) ? 0x8000 : best;
      };
    };
    auto some = floats(5);
    some.resize(300);
    CHECK("cvt.rp.f16.f32", "hw", some, directed(true));
    CHECK("cvt.rm.f16.f32", "hw", some, directed(false));
    const auto tf32 = [](bool toward_zero, bool relu, bool finite) {
      return [=](u64 v, u64, u64) -> u64 {
        if (std::isnan(f(v))) return 0x7fffffff;
        if (relu && std::signbit(f(v))) return 0;
        const double exact = std::abs(static_cast<double>(f(v)));
        if (std::isinf(exact)) return finite ? (v & 0x80000000) | 0x7f7fe000 : v;
        int exponent = 0;
        (void)std::frexp(exact, &exponent);
        const double step = std::ldexp(1.0, std::max(exponent - 11, -126 - 10));
        const float r =
            static_cast<float>((toward_zero ? std::trunc(exact / step) : std::nearbyint(exact / step)) * step);
        const u64 bits = std::isinf(r) && finite ? 0x7f7fe000 : std::bit_cast<u32>(r);
        return bits | (v & 0x80000000);
      };
    };
    GOOD(checked("cvt.rz.tf32.f32", "ww", floats, tf32(true, false, false)));
    GOOD(checked("cvt.rn.satfinite.tf32.f32", "ww", floats, tf32(false, false, true)));
    GOOD(checked("cvt.rz.relu.tf32.f32", "ww", floats, tf32(true, true, false)));
    GOOD(checked("cvt.rn.relu.satfinite.tf32.f32", "ww", floats, tf32(false, true, true)));
  }

  void signsByExclusiveOr() {
    const auto want = [](bool greatest, bool nan, bool brain) {
      return [=](u64 x, u64 y) -> u64 {
        const u64 infinity = brain ? 0x7f80 : 0x7c00, a = x & 0x7fff, b = y & 0x7fff;
        const bool a_nan = a > infinity, b_nan = b > infinity;
        if ((a_nan && b_nan) || (nan && (a_nan || b_nan))) return 0x7fff;
        const u64 r = a_nan ? b : b_nan ? a : greatest ? std::max(a, b) : std::min(a, b);
        return r | ((x ^ y) & 0x8000);
      };
    };
    for (const bool brain : {false, true})
      for (const bool greatest : {false, true})
        for (const bool nan : {false, true}) {
          const auto one = want(greatest, nan, brain);
          const std::string name = std::string(greatest ? "max" : "min") + (nan ? ".NaN" : "") + ".xorsign.abs.",
                            type = brain ? "bf16" : "f16";
          GOOD(checked(name + type, "hhh", halves, [&](u64 x, u64 y, u64) { return one(x, y); }));
          GOOD(checked(name + type + "x2", "www", integers,
                       [&](u64 x, u64 y, u64) { return one(x & 0xffff, y & 0xffff) | (one(x >> 16, y >> 16) << 16); }));
        }
  }

  void lop3WithAPredicate() {
    const std::string body =
        "ld.global.v2.u32 {%r1, %r2}, [%i];\nld.global.u32 %r3, [%i+8];\nsetp.lt.u32 %p2, %r0, 40;\n"
        "lop3.or.b32 %r4|%p1, %r1, %r2, %r3, 0x80, %p2;\nlop3.and.b32 _|%p3, %r1, %r2, %r3, 0x80, !%p2;\n"
        "selp.u32 %r5, 1, 0, %p1;\nselp.u32 %r6, 2, 0, %p3;\nadd.u32 %r5, %r5, %r6;\n"
        "st.global.v2.u32 [%o], {%r4, %r5};";
    Numbers random(3);
    std::vector<u64> in;
    for (int t = 0; t < 96; ++t) {
      in.push_back(random.next() & random.next());
      in.push_back(t % 3 == 0 ? 0 : random.next() & random.next());
    }
    std::string wrong;
    const auto out = ran("", body, in, 96, wrong);
    GOOD(wrong);
    for (std::size_t t = 0; t < 96; ++t) {
      const u32 d = static_cast<u32>(in[2 * t]) & static_cast<u32>(in[2 * t] >> 32) & static_cast<u32>(in[2 * t + 1]);
      QCOMPARE(static_cast<u32>(out[2 * t]), d);
      QCOMPARE(static_cast<u32>(out[2 * t] >> 32), (d != 0 || t < 40 ? 1u : 0u) + (d != 0 && t >= 40 ? 2u : 0u));
    }
  }

  void registersOf128Bits() {
    const std::string declarations = ".reg .b128 %q<4>;\n.shared .align 16 .b8 s[1024];\n.reg .b32 %s<4>;\n";
    std::vector<u64> in;
    Numbers random(4);
    for (int k = 0; k < 2 * 40; ++k) in.push_back(random.next());
    std::string wrong;
    // Through shared memory, taken apart, and put together the other way round.
    const auto out = ran(declarations,
                         "mov.u32 %s0, s;\nshl.b32 %s1, %r0, 4;\nadd.u32 %s0, %s0, %s1;\nld.global.b128 %q1, [%i];\n"
                         "st.shared.b128 [%s0], %q1;\nld.shared.b128 %q2, [%s0];\nmov.b128 {%rd1, %rd2}, %q2;\n"
                         "mov.b128 %q3, {%rd2, %rd1};\nmov.b128 %q0, %q3;\nst.global.b128 [%o], %q0;",
                         in, 40, wrong, "sm_90");
    GOOD(wrong);
    for (std::size_t t = 0; t < 40; ++t) {
      QCOMPARE(out[2 * t], in[2 * t + 1]);
      QCOMPARE(out[2 * t + 1], in[2 * t]);
    }
    (void)ran(declarations, "st.global.b128 [%o+8], %q1;", in, 2, wrong, "sm_90");
    QVERIFY2(wrong.find("aligned") != std::string::npos, wrong.c_str());
  }

  void atomicsOn128Bits() {
    const std::string declarations = ".reg .b128 %q<5>;\n";
    // Each thread adds {1, 3} to the first element by compare and swap; then one exchanges it.
    const std::string body =
        "ld.param.u64 %rd1, [pout];\nL: ld.relaxed.gpu.global.v2.u64 {%rd2, %rd3}, [%rd1];\nmov.b128 %q1, {%rd2, "
        "%rd3};\n"
        "add.s64 %rd4, %rd2, 1;\nadd.s64 %rd5, %rd3, 3;\nmov.b128 %q2, {%rd4, %rd5};\n"
        "atom.relaxed.gpu.global.cas.b128 %q3, [%rd1], %q1, %q2;\nmov.b128 {%rd6, %rd7}, %q3;\n"
        "setp.ne.u64 %p1, %rd6, %rd2;\nsetp.ne.u64 %p2, %rd7, %rd3;\n@%p1 bra L;\n@%p2 bra L;\nbar.sync 0;\n"
        "setp.ne.u32 %p3, %r0, 5;\n@%p3 bra E;\nmov.b128 %q2, {%rd1, %rd1};\n"
        "atom.global.exch.b128 %q4, [%rd1], %q2;\nst.global.b128 [%o], %q4;\nE:\n";
    std::string wrong;
    const auto out = ran(declarations, body, {0, 0}, 64, wrong, "sm_90");
    GOOD(wrong);
    QCOMPARE(out[2 * 5], u64{64});
    QCOMPARE(out[2 * 5 + 1], u64{3 * 64});
    QCOMPARE(out[0], out[1]);
    QVERIFY(out[0] != 0 && out[0] != 64);
    (void)ran(declarations, "atom.global.add.b128 %q1, [%o], %q2;", {0, 0}, 1, wrong, "sm_90");
    QVERIFY2(wrong.starts_with("unsupported: "), wrong.c_str());
  }

  void extremesOfHalvesByAtomics() {
    // Both halves of each: the least of 40 threads, and the greatest.
    std::string wrong;
    std::vector<u64> in(2 * 40);
    for (std::size_t t = 0; t < 40; ++t) in[2 * t] = 0x3c003c00 + (t << 16) + (39 - t);
    const auto out = ran("",
                         "ld.param.u64 %rd1, [pout];\nld.global.u32 %r1, [%i];\n"
                         "atom.global.max.noftz.f16x2 %r2, [%rd1], %r1;\n"
                         "red.global.v2.f16x2.max.noftz [%rd1+8], {%r1, %r1};\n"
                         "mov.b32 {%h1, %h2}, %r1;\nneg.f16 %h1, %h1;\natom.global.min.noftz.f16 %h3, [%rd1+4], %h1;\n",
                         in, 40, wrong, "sm_90");
    GOOD(wrong);
    QCOMPARE(static_cast<u32>(out[0]), 0x3c273c27u);
    QCOMPARE(out[1], u64{0x3c273c273c273c27});
    QCOMPARE(static_cast<u16>(out[0] >> 32), u16{0xbc27});
  }

  void theStackHandsOutMemory() {
    // A function of two calls deep, each with an array of as many words as the thread's number and one more.
    const std::string sum =
        ".func (.param .b32 result) deep(.param .b32 level, .param .b32 count)\n{\n.reg .b32 %r<20>;\n.reg .b64 "
        "%rd<9>;\n"
        ".reg .pred %p<4>;\nld.param.u32 %r1, [level];\nld.param.u32 %r2, [count];\nstacksave.u64 %rd5;\n"
        "mul.wide.u32 %rd1, %r2, 4;\nalloca.u64 %rd2, %rd1;\nalloca.u64 %rd7, 64, 64;\nand.b64 %rd8, %rd7, 63;\n"
        "cvt.u32.u64 %r9, %rd8;\nmov.u32 %r3, 0;\n"
        "A: mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd2, %rd3;\nadd.u32 %r4, %r3, %r1;\nst.local.u32 [%rd3], %r4;\n"
        "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra A;\nmov.u32 %r5, 0;\nsetp.eq.u32 %p2, %r1, 0;\n"
        "@%p2 bra B;\nsub.u32 %r6, %r1, 1;\n{\n.param .b32 a;\n.param .b32 b;\n.param .b32 r;\nst.param.b32 [a], %r6;\n"
        "st.param.b32 [b], %r2;\ncall (r), deep, (a, b);\nld.param.b32 %r5, [r];\n}\n"
        "B: mov.u32 %r3, 0;\nC: mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd2, %rd3;\nld.local.u32 %r4, [%rd3];\n"
        "add.u32 %r5, %r5, %r4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra C;\n"
        "add.u32 %r5, %r5, %r9;\nstackrestore.u64 %rd5;\nalloca.u64 %rd6, 4;\nsetp.ne.u64 %p3, %rd6, %rd2;\n"
        "@%p3 add.u32 %r5, %r5, 100000;\nst.param.b32 [result], %r5;\nret;\n}\n";
    const std::string body =
        "add.u32 %r1, %r0, 1;\n{\n.param .b32 a;\n.param .b32 b;\n.param .b32 r;\nst.param.b32 [a], 1;\n"
        "st.param.b32 [b], %r1;\ncall (r), deep, (a, b);\nld.param.b32 %r2, [r];\n}\nst.global.u32 [%o], %r2;";
    Bed bed(kernel_text("", body, sum));
    bed.options.stack_bytes = 64 << 10;
    const auto out = bed.put(std::vector<u64>(2 * 40, 0), "out");
    GOOD(bed.run("k", {1}, {40}, out, out));
    const auto sums = bed.get<u64>(out, 2 * 40);
    for (u64 t = 0; t < 40; ++t) QCOMPARE(sums[2 * t], t * (t + 1) + (t + 1));
    const std::string faults[] = {"mov.u64 %rd1, 99999;\nalloca.u64 %rd2, %rd1;",
                                  "alloca.u64 %rd2, 16;\nstacksave.u64 %rd3;\nadd.s64 %rd3, %rd3, 64;\n"
                                  "stackrestore.u64 %rd3;",
                                  "alloca.u64 %rd2, 16;\nld.local.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\n"
                                  "st.global.u32 [%o], %r1;"};
    const FaultKind kinds[] = {FaultKind::stack_overflow, FaultKind::invalid_instruction,
                               FaultKind::uninitialised_read};
    for (std::size_t k = 0; k < std::size(faults); ++k) {
      Bed wrong(kernel_text("", faults[k]));
      const auto at = wrong.put(std::vector<u64>(2, 0), "out");
      const auto r = wrong.launch("k", {1}, {1}, at, at);
      QVERIFY2(r && r->fault, faults[k].c_str());
      QCOMPARE(r->fault->kind, kinds[k]);
    }
  }

  // Of a cluster of one block, shared memory is the cluster's.
  void theClustersSharedMemoryIsTheBlocks() {
    const std::string declarations = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b8 bar[8];\n.reg .b32 %s<9>;\n";
    const std::string start =
        "mov.u32 %s0, s;\nmov.u32 %s4, bar;\nshl.b32 %s1, %r0, 2;\nadd.u32 %s1, %s0, %s1;\n"
        "mapa.shared::cluster.u32 %s2, %s1, 0;\n";
    std::string wrong;
    auto out = ran(declarations,
                   start +
                       "st.shared::cluster.u32 [%s2], %r0;\natom.shared::cluster.add.u32 %r2, [%s2], 5;\n"
                       "ld.shared::cluster.u32 %r3, [%s2];\nld.shared.u32 %r4, [%s1];\n"
                       "st.global.v2.u32 [%o], {%r3, %r4};",
                   {0, 0}, 40, wrong, "sm_90");
    GOOD(wrong);
    for (u64 t = 0; t < 40; ++t) QCOMPARE(out[2 * t], (t + 5) << 32 | (t + 5));
    const std::string wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%s4], 0;\n@!%p1 bra W;\n";
    out = ran(declarations,
              start +
                  "setp.ne.u32 %p2, %r0, 0;\n@%p2 bra A;\nmbarrier.init.shared::cta.b64 [%s4], 1;\n"
                  "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%s4], 512;\nA: bar.sync 0;\n"
                  "st.shared.u32 [%s1], %r0;\nbar.sync 0;\nxor.b32 %s6, %s2, 64;\n"
                  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%s6], 100, [%s4];\n"
                  "add.u32 %s5, %s2, 512;\n"
                  "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s5], %r0, [%s4];\n" +
                  wait + "ld.shared.u32 %r3, [%s1];\nld.shared.u32 %r4, [%s1+512];\nst.global.v2.u32 [%o], {%r3, %r4};",
              {0, 0}, 64, wrong, "sm_90");
    GOOD(wrong);
    for (u64 t = 0; t < 64; ++t) QCOMPARE(out[2 * t], t << 32 | (t + 100));
  }
};

QTEST_GUILESS_MAIN(WideTest)
#include "wide_test.moc"
