// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <bit>
#include <set>
#include "base/draw.h"
#include "base/files.h"
#include "evidence/case_kind.h"
#include "gate/cases.h"
#include "gate/distributions.h"
#include "gate/planted.h"
#include "gate/reference.h"
#include "gate/residues.h"
#include "op/evaluate.h"
#include "op/sentence/phrasebook.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::gate;
using testing::read_spec;

class CasesTest : public QObject {
  Q_OBJECT
  static const Case* find(const std::vector<Case>& all, const std::string& name) {
    for (const Case& c : all)
      if (c.name == name) return &c;
    return nullptr;
  }
  // What must hold for every op.
  static void check(const op::Spec& spec, const std::vector<Case>& cases, double limit) {
    QCOMPARE(cases.at(0).name, std::string("default"));
    std::set<std::string> names;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      QVERIFY2(names.insert(cases[i].name).second, cases[i].name.c_str());
      for (std::size_t j = 0; j < i; ++j) QVERIFY2(!(cases[i].binding == cases[j].binding), cases[i].name.c_str());
      QCOMPARE(cases[i].binding.symbols.size(), spec.symbols.size());
      if (i == 0) continue;
      const auto work = case_work(spec, cases[i].binding);
      QVERIFY(work.has_value());
      const bool is_long = cases[i].name == "tall" || cases[i].name == "wide" || cases[i].name.starts_with("long ");
      QVERIFY2(*work <= (is_long ? 3 * limit : limit), (cases[i].name + " " + std::to_string(*work)).c_str());
      const auto inputs = make_inputs(spec, {cases[i].binding, op::Distribution::normal, 3});
      QVERIFY(inputs.has_value());
      const auto out = op::evaluate(spec, cases[i].binding, *inputs);
      QVERIFY2(out.has_value(), out ? "" : out.error().text().c_str());
    }
  }
  static std::vector<Case> checked_cases(const op::Spec& spec, double limit) {
    const auto cases = derive_cases(spec, {}, {0, limit, {}});
    if (!cases) qFatal("%s", cases.error().text().c_str());
    check(spec, *cases, limit);
    return *cases;
  }
  // The cases of so many draws.
  static std::vector<Case> drawn(const op::Spec& spec, int draws, std::uint64_t state) {
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    std::vector<Case> all;
    for (int i = 0; i < draws; ++i) {
      const auto some = random_cases(
          spec, *known, {0, 1e5, {}}, [&] { return splitmix(state++); }, [](const Case&) { return true; }, 1);
      all.insert(all.end(), some->begin(), some->end());
    }
    return all;
  }

 private slots:
  void oneSymbol() {
    const op::Spec spec =
        read_spec("op scale(x: f32[N]) -> y: f32[N]\n  default N = 1048576\n{\n  y[i] = 2 * x[i]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 2e5);
    QVERIFY(cases.size() >= 10);
    QCOMPARE(find(cases, "default")->binding.symbols.at("N"), std::int64_t{1048576});
    QCOMPARE(find(cases, "ones")->binding.symbols.at("N"), std::int64_t{1});
    QVERIFY(find(cases, "odd")->binding.symbols.at("N") % 2 == 1);
    QVERIFY(find(cases, "ragged")->binding.symbols.at("N") % 4 != 0);
    QVERIFY(find(cases, "warps")->binding.symbols.at("N") % 32 == 0);
    QVERIFY(find(cases, "blocks")->binding.symbols.at("N") % 128 == 0);
    const auto claimed = [&](std::int64_t m) {
      return std::count_if(cases.begin(), cases.end(),
                           [&](const Case& c) { return c.binding.symbols.at("N") % m == 0; });
    };
    for (const std::int64_t m : {2, 4, 32, 128, 256, 1024, 4096}) QVERIFY2(claimed(m) >= 3, std::to_string(m).c_str());
  }
  void overridesAreTheDefault() {
    const op::Spec spec =
        read_spec("op scale(x: f32[N]; a = 1) -> y: f32[N]\n  default N = 1048576\n{\n  y[i] = a * x[i]\n}\n");
    op::Binding b;
    b.symbols["N"] = 96;
    b.constants["a"] = 3;
    const auto cases = derive_cases(spec, b);
    QCOMPARE(cases->at(0).binding, b);
    for (const Case& c : *cases) QCOMPARE(c.binding.constants.at("a"), 3.0);
  }
  void twoSymbols() {
    const op::Spec spec = read_spec(
        "op rowsum(x: f32[R, C]) -> y: f32[R]\n  default R = 4096, C = 1024\n{\n  y[r] = sum(c) x[r, c]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 1e5);
    QVERIFY(cases.size() >= 12);
    const auto& tall = find(cases, "tall")->binding.symbols;
    const auto& wide = find(cases, "wide")->binding.symbols;
    QVERIFY(tall.at("R") > 1000 && tall.at("C") < 8);
    QVERIFY(wide.at("C") > 1000 && wide.at("R") < 8);
    int full_rows = 0;  // a candidate that insists on the default's row length still has others to prove itself on
    for (const Case& c : cases) full_rows += c.binding.symbols.at("C") == 1024;
    QVERIFY(full_rows >= 2);
  }
  void symbolsThatMustDivideEachOther() {
    // Each of H query heads reads key head h / (H / G): only sound when G divides H.
    const op::Spec spec = read_spec(
        "op grouped(q: f32[H, D], k: f32[G, D]) -> y: f32[H]\n  default H = 32, G = 8, D = 64\n{\n  y[h] = sum(d) q[h, "
        "d] * k[h / (H / G), d]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 1e5);
    QVERIFY2(cases.size() >= 6, std::to_string(cases.size()).c_str());
  }
  void windowsKeepTheirSize() {
    const op::Spec spec = read_spec(
        "op conv(x: f32[N + K - 1], w: f32[K]) -> y: f32[N]\n  default N = 65536, K = 5\n{\n  y[i] = sum(k) x[i + k] * "
        "w[k]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 1e5);
    QVERIFY(cases.size() >= 8);
  }
  void shapesThatCanBeEmptyAreLeftOut() {
    const op::Spec spec = read_spec(
        "op valid(x: f32[N], w: f32[K]) -> y: f32[N - K + 1]\n  default N = 1024, K = 7\n{\n  y[i] = sum(k) x[i + k] * "
        "w[k]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 1e5);
    for (const Case& c : cases) QVERIFY(c.binding.symbols.at("N") >= c.binding.symbols.at("K"));
    QVERIFY(cases.size() >= 6);
  }
  void noSymbolsIsOneCase() {
    const op::Spec spec = read_spec("op fixed(x: f32[64]) -> y: f32[64]\n{\n  y[i] = x[i] + 1\n}\n");
    const auto cases = derive_cases(spec, {});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    QCOMPARE(cases->size(), std::size_t{1});
  }
  void manySymbols() {
    const op::Spec spec = read_spec(
        "op bmm(a: f32[B, M, K], b: f32[B, K, N]) -> y: f32[B, M, N]\n  default B = 16, M = 512, K = 512, N = 512\n{\n"
        "  y[b0, m, n] = sum(k) a[b0, m, k] * b[b0, k, n]\n}\n");
    const auto cases = derive_cases(spec, {}, {6e7, 2e5, {}});
    QVERIFY2(cases.has_value(), cases ? "" : cases.error().text().c_str());
    QCOMPARE(cases->at(1).name, std::string("reduced"));
    QVERIFY(*case_work(spec, cases->at(1).binding) <= 6e7);
    QVERIFY(*case_work(spec, cases->at(1).binding) > 1e7);
    QVERIFY(cases->size() >= 10);
  }
  void anUnfitDefaultIsAnError() {
    const op::Spec spec = read_spec("op scale(x: f32[N]) -> y: f32[N]\n{\n  y[i] = 2 * x[i]\n}\n");
    QVERIFY(!derive_cases(spec, {}));  // N has no value
    op::Binding b;
    b.symbols["M"] = 3;
    b.symbols["N"] = 3;
    QVERIFY(!derive_cases(spec, b));
    b.symbols.erase("M");
    b.symbols["N"] = -3;
    QVERIFY(!derive_cases(spec, b));
  }
  void everySymbolIsLongAndEveryPairIsToldApart() {
    const op::Spec spec = read_spec(
        "op conv(x: f32[N, C, H, W], w: f32[K, C, KH, KW]) -> y: f32[N, K, H - KH + 1, W - KW + 1]\n"
        "  default N = 2, C = 16, H = 32, W = 32, K = 16, KH = 3, KW = 3\n{\n"
        "  y[n, k, p, q] = sum(c, i, j) x[n, c, p + i, q + j] * w[k, c, i, j]\n}\n");
    const std::vector<Case> cases = checked_cases(spec, 4e5);
    for (const std::string& a : spec.symbols) {
      std::int64_t longest = 0;
      for (const Case& c : cases) longest = std::max(longest, c.binding.symbols.at(a));
      QVERIFY2(longest > 60, (a + " is never longer than " + std::to_string(longest)).c_str());
      for (const std::string& b : spec.symbols) {
        const auto apart = std::count_if(cases.begin(), cases.end(), [&](const Case& c) {
          return c.binding.symbols.at(a) != c.binding.symbols.at(b);
        });
        QVERIFY2(a == b || apart >= 3, (a + " and " + b + ": " + std::to_string(apart)).c_str());
      }
    }
    const op::Spec copy = read_spec(
        "op copy(x: f32[R, C]) -> y: f32[R, C]\n  default R = 64, C = 64\n{\n"
        "  y[r, c] = x[r, c]\n}\n");
    const auto long_ones = derive_cases(copy, {}, {0, 4e5, {}});
    QCOMPARE(find(*long_ones, "tall")->binding.symbols.at("R"), std::int64_t{65537});
    QCOMPARE(find(*long_ones, "wide")->binding.symbols.at("C"), std::int64_t{65537});
  }
  void randomShapesFitAndFollowTheirDraws() {
    const op::Spec spec = read_spec(
        "op valid(x: f32[N], w: f32[K]) -> y: f32[N - K + 1]\n  default N = 1024, K = 7\n"
        "{\n  y[i] = sum(k) x[i + k] * w[k]\n}\n");
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    const auto drawn = [&](std::uint64_t from) {
      return *random_cases(
          spec, *known, {0, 1e5, {}}, [&] { return from += 0x9e3779b97f4a7c15u; },
          [](const Case& c) { return c.binding.symbols.at("N") % 2 == 0; }, 3);
    };
    const auto first = drawn(1), again = drawn(1), other = drawn(2);
    QCOMPARE(first.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      QVERIFY(first[i].binding == again[i].binding);
      QCOMPARE(first[i].binding.symbols.at("N") % 2, std::int64_t{0});
    }
    QVERIFY(!(first[0].binding == other[0].binding && first[1].binding == other[1].binding));
    std::vector<Case> all = *known;
    all.insert(all.end(), first.begin(), first.end());
    check(spec, all, 1e5);
  }
  // A window of no elements has no mean: honest kernels divide by its size.
  void windowsKeepElements() {
    const op::Spec spec = testing::library_op("avg_pool2d");
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    std::uint64_t state = 7;
    const auto draw = [&] { return state += 0x9e3779b97f4a7c15u; };
    std::set<double> paddings;
    for (int round = 0; round < 60; ++round) {
      const auto drawn = *random_cases(
          spec, *known, {0, 1e5, {}}, draw, [](const Case&) { return true; }, 1);
      for (const Case& c : drawn) {
        if (!c.binding.constants.contains("kernel")) continue;
        QVERIFY2(c.binding.constants.at("kernel") >= 1, c.name.c_str());
        if (c.binding.constants.contains("padding")) paddings.insert(c.binding.constants.at("padding"));
      }
    }
    QVERIFY(paddings.contains(0) && paddings.size() > 1);  // what may be 0 still is
  }
  void constantsAreVaried() {
    const op::Spec spec = read_spec(
        "op pool(x: f32[N]; stride = 2, slope = 0.5, eps = 1e-5) -> y: f32[N / stride]\n  default N = 64\n"
        "{\n  y[i] = slope * rsqrt(x[i * stride] * x[i * stride] + eps)\n}\n");
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    std::uint64_t state = 7;
    const auto draw = [&] { return state += 0x9e3779b97f4a7c15u; };
    const auto drawn = *random_cases(
        spec, *known, {0, 1e5, {}}, draw, [](const Case&) { return true; }, 1);
    QVERIFY(drawn.size() > 4 && drawn.size() <= 12);
    QVERIFY(drawn[0].binding.constants.empty());
    const auto sizes_of_last = [&](const Case& c) { return c.binding.symbols == drawn.back().binding.symbols; };
    QVERIFY(std::any_of(known->begin(), known->end(), sizes_of_last));
    int afar = 0;
    for (std::size_t i = 3; i + 1 < drawn.size(); ++i) {  // small ones, for the whole or the real constants alone
      const std::map<std::string, double>& constants = drawn[i].binding.constants;
      if (constants.contains("stride")) {
        QVERIFY(constants.size() == 1 && constants.at("stride") != 2 && drawn[i].binding.symbols.at("N") <= 32);
        continue;
      }
      if (constants == std::map<std::string, double>{{"slope", 1e-5}, {"eps", 0.5}}) continue;  // exchanged
      ++afar;
      if (constants.contains("slope")) QVERIFY(constants.at("slope") < 0 || constants.at("slope") > 1);
      if (constants.contains("eps")) QCOMPARE(constants.at("eps"), 0.0);
    }
    QVERIFY(afar > 0);
    std::set<std::string> varied;
    for (std::size_t i = 1; i < 3; ++i) {
      QCOMPARE(drawn[i].name, evidence::case_names::constants + std::to_string(i));
      QVERIFY(is_secondary(drawn[i]) && !drawn[i].binding.constants.empty());
      for (const auto& [name, value] : drawn[i].binding.constants) {
        varied.insert(name);
        QVERIFY(name == "stride"  ? value >= 1 && value != 2 && value == std::floor(value)
                : name == "slope" ? value > 0.1 && value < 0.45
                                  : value > 5e-4 && value < 5e-2);
      }
    }
    QVERIFY(varied.size() >= 2);
    // A claim that leaves none is shown by one that is not claimed.
    const auto claimed = [](const Case& c) { return c.binding.constants.empty(); };
    const auto with_hole = *random_cases(spec, *known, {0, 1e5, {}}, draw, claimed, 1);
    QCOMPARE(with_hole.size(), std::size_t{2});
    QVERIFY(!claimed(with_hole[1]));
  }
  void constantsLeaveASpecDefined() {
    const op::Spec spec = testing::library_op("std");
    int zeros = 0;
    for (const Case& c : drawn(spec, 60, 11)) {
      const auto correction = c.binding.constants.find("correction");
      if (correction == c.binding.constants.end()) continue;
      QVERIFY2(correction->second < static_cast<double>(c.binding.symbols.at("C")), c.name.c_str());
      zeros += correction->second == 0;
    }
    QVERIFY(zeros > 0);
    // A divisor.
    for (const Case& c : drawn(testing::library_op("quantize_affine"), 60, 11))
      if (const auto scale = c.binding.constants.find("scale"); scale != c.binding.constants.end())
        QVERIFY2(scale->second > 0, c.name.c_str());
  }
  void aWholeConstantExceedsTheSizesInEachJudgement() {
    const op::Spec spec = testing::library_op("roll_rows");
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    std::uint64_t state = 3;
    for (int i = 0; i < 40; ++i) {
      const auto drawn = random_cases(
          spec, *known, {0, 1e5, {}}, [&] { return splitmix(state++); }, [](const Case&) { return true; }, 1);
      QVERIFY2(std::ranges::any_of(*drawn,
                                   [](const Case& c) {
                                     const auto shift = c.binding.constants.find("shift");
                                     const auto width = static_cast<double>(c.binding.symbols.at("C"));
                                     return shift != c.binding.constants.end() && shift->second > width && width > 1;
                                   }),
               std::to_string(i).c_str());
    }
  }
  void endsOfARangeComeInEitherOrder() {
    const op::Spec spec = testing::library_op("clamp");
    int crossed = 0;
    for (const Case& c : drawn(spec, 20, 5)) {
      const auto value = [&](const char* name, double own) {
        const auto at = c.binding.constants.find(name);
        return at == c.binding.constants.end() ? own : at->second;
      };
      crossed += value("lo", -0.5) > value("hi", 0.5);
    }
    QVERIFY2(crossed >= 20, std::to_string(crossed).c_str());
  }
  void constantsStayInTheirRange() {
    const op::Spec spec = read_spec(
        "op f(x: f32[N]; lo = -1.0, hi = 1.0 in lo.., share = 0.25 in 0..1, limit = 0.5 in 0..) -> y: f32[N]\n"
        "  default N = 64\n{\n  y[i] = clamp(x[i], lo, hi) * share + max(abs(x[i]) - limit, 0)\n}\n");
    std::set<double> limits;
    for (const Case& c : drawn(spec, 20, 3)) {
      const auto known_values = op::resolve(spec, c.binding);
      QVERIFY2(known_values.has_value(), known_values ? "" : known_values.error().text().c_str());
      if (const auto at = c.binding.constants.find("limit"); at != c.binding.constants.end()) limits.insert(at->second);
    }
    QVERIFY(limits.contains(0.0) && *limits.rbegin() > 1 && limits.size() > 10);
  }
  // Every time, not by chance.
  void twoConstantsAreExchanged() {
    const op::Spec spec = testing::library_op("clamp");
    const auto exchanged = [](const Case& c) {
      const auto& k = c.binding.constants;
      return k.contains("lo") && k.contains("hi") && k.at("lo") == 0.5 && k.at("hi") == -0.5;
    };
    for (std::uint64_t state = 1; state < 200; state += 10)
      QVERIFY(std::ranges::any_of(drawn(spec, 1, state), exchanged));
  }
  void wholeConstantsAreOnceNoPowerOfTwo() {
    const op::Spec spec = testing::library_op("upsample_nearest");
    const op::Resolved own = *op::resolve(spec, {});
    for (std::uint64_t state = 1; state < 300; state += 10) {
      const auto found = residues(
          spec, {"default", {own.symbols, {}}}, [&] { return splitmix(state++); },
          [](const op::Binding&) { return true; }, {});
      QVERIFY(std::ranges::any_of(*found, [](const Case& c) {
        const auto at = c.binding.constants.find("factor");
        return at != c.binding.constants.end() && at->second < 8 && static_cast<int>(at->second) % 2 == 1 &&
               c.binding.symbols.at("H") > 1 && c.binding.symbols.at("W") > 1;
      }));
    }
  }
  void sizesAtWhichAnIndexWrapsAreTried() {
    const std::string ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b16 %h<9>;\n"
        ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\nand.b64 %d1, %d2, 1048575;\nshl.b32 %r1, %r2, 13;\n"
        "shr.u32 %r3, %r2, 12;\nrem.s32 %r4, %r2, 5000;\ncvt.u16.u32 %h1, %r2;\nand.b32 %r5, %r2, 31;\n"
        "mul.wide.u32 %d3, %r2, 4;\nand.b64 %d4, %d5, 1048572;\nret;\n}\n";
    QCOMPARE(wraps_of_indices(ptx),
             (std::vector<std::int64_t>{1 << 20, (1 << 20) - 3, 1 << 19, 1 << 18, 1 << 16, 5000, 1 << 12}));
    const op::Spec spec = testing::library_op("copy");
    const auto known = derive_cases(spec, {}, {0, 1e6, {}});
    std::uint64_t state = 3;
    for (int i = 0; i < 20; ++i) {
      const auto found = wrapping_cases(
          spec, *known, {0, 1e6, {}}, {std::int64_t{1} << 40, 1 << 20, 5000}, [&] { return state = state * 25 + 13; },
          [](const Case&) { return true; }, 3);
      const std::vector<Case>& cases = *found;
      QCOMPARE(cases.size(), std::size_t{2});  // one is beyond the work allowed
      const auto elements = [](const Case& c) { return c.binding.symbols.at("R") * c.binding.symbols.at("C"); };
      QVERIFY(elements(cases[0]) > (1 << 20) && elements(cases[0]) <= (1 << 20) + 81);
      QVERIFY(elements(cases[1]) > 5000 && elements(cases[1]) <= 5000 + 81);
      QVERIFY(is_secondary(cases[0]) && evidence::case_kind(cases[0].name) == evidence::CaseKind::compared);
    }
  }
  void comparisonsAreWork() {
    const op::Spec bins =
        read_spec("op f(k: i32[N] in 0..V) -> y: i64[V]\n  default N = 9, V = 4\n{ y[v] = sum(n : k[n] == v) 1 }");
    QVERIFY(case_work(bins, {{{"N", 65537}, {"V", 65537}}, {}}).value_or(0) > 1e8);
    QVERIFY(case_work(bins, {{{"N", 65537}, {"V", 2}}, {}}).value_or(1e9) < 4e5);
  }

  void remaindersOfSizesAndConstants() {
    const op::Spec spec = read_spec(
        "op f(x: f32[R, L]; stride = 1) -> y: f32[R, (L - 1)/stride + 1]\n  default R = 64, L = 512\n"
        "{\n  y[r, i] = x[r, i*stride]\n}\n");
    const op::Resolved own = *op::resolve(spec, {});
    std::uint64_t state = 5;
    const auto found = residues(
        spec, {"default", {own.symbols, {}}}, [&] { return splitmix(state++); },
        [](const op::Binding&) { return true; }, {});
    QVERIFY(found);
    for (const std::string& s : spec.symbols)
      for (std::int64_t n = 2; n <= 16; ++n) {
        std::set<std::int64_t> left;
        for (const Case& c : *found) left.insert(c.binding.symbols.at(s) % n);
        QCOMPARE(std::int64_t(left.size()), n);
      }
    std::set<std::string> related;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const auto some = residues(
          spec, {"default", {own.symbols, {}}}, [&] { return splitmix(state++); },
          [](const op::Binding&) { return true; }, {});
      for (const Case& c : *some) {
        const std::int64_t r = c.binding.symbols.at("R"), l = c.binding.symbols.at("L");
        if (r < 9 || l < 9 || !c.binding.constants.empty()) continue;
        if (r == l) related.insert("equal");
        if (r == l + 1 || l == r + 1) related.insert("next");
        if (r == 2 * l || l == 2 * r) related.insert("double");
      }
    }
    QCOMPARE(related.size(), std::size_t{3});
    // Consecutive ones with the sizes, then those of which the last bits are not enough.
    std::set<double> with_sizes;
    int odd = 0, beyond_8 = 0, beyond_16 = 0;
    for (std::size_t i = 0; i < found->size(); ++i) {
      const Case& c = (*found)[i];
      const auto stride = c.binding.constants.find("stride");
      if (stride == c.binding.constants.end()) continue;
      if (i < residue_cases) {
        with_sizes.insert(stride->second);
        continue;
      }
      QVERIFY(c.binding.symbols.at("L") > stride->second);  // the second element shows the stride
      (stride->second < 8 ? odd : stride->second < 16 ? beyond_8 : beyond_16) += 1;
    }
    QCOMPARE(with_sizes.size(), std::size_t{residue_cases / 2});
    QCOMPARE(*with_sizes.rbegin() - *with_sizes.begin(), residue_cases / 2 - 1.0);
    QVERIFY(odd == 1 && beyond_8 == 1 && beyond_16 == 1);
    const auto none = residues(
        spec, {"default", {own.symbols, {}}}, [&] { return splitmix(state++); },
        [](const op::Binding&) { return false; }, {});
    QVERIFY(none && none->empty());
  }

  void distributionsRotate() {
    const op::Spec smooth =
        read_spec("op f(x: f32[N]) -> y: f32[N]\n  default N = 9\n{\n  y[i] = exp(x[i]) * x[i]\n}\n");
    const op::Spec choice = read_spec("op f(x: f32[N]) -> y: f32[N]\n  default N = 9\n{\n  y[i] = max(x[i], 0)\n}\n");
    QVERIFY(lets_nonfinite(smooth));
    QVERIFY(!lets_nonfinite(choice) && lets_infinite(choice));
    for (const char* word : {"propagate", "ignore"})
      QVERIFY(lets_nonfinite(op::parse_spec("//@ nan: " + std::string(word) + "\n" + choice.text).value()));
    QVERIFY(!lets_nonfinite(op::parse_spec("//@ nan: any\n" + smooth.text).value()));
    for (const char* value : {"max(x[i] - x[0], 0)", "max(x[i], 0) * x[i]", "exp(max(x[i], 0))", "max(x[i], 0) / x[i]"})
      QVERIFY(!lets_infinite(
          read_spec(std::string("op f(x: f32[N]) -> y: f32[N]\n  default N = 9\n{\n  y[i] = ") + value + "\n}\n")));
    QVERIFY(lets_infinite(read_spec(
        "op f(m: bool[N], x: f32[N]) -> y: f32[N]\n  default N = 9\n{\n  y[i] = if(m[i], x[i] * 2, 0)\n}\n")));
    const auto all = distributions_for(smooth, true), device = distributions_for(smooth, false);
    std::set<op::Distribution> seen;
    for (int c = 0; c < 9; ++c)
      for (int s = 0; s < 5; ++s) seen.insert(distribution_for(all, c, s, 5));
    QCOMPARE(seen, std::set<op::Distribution>(all.begin(), all.end()));
    for (int c = 0; c < 9; ++c) {
      QCOMPARE(distribution_for(all, c, 1, 5), op::Distribution::large);
      QCOMPARE(distribution_for(all, c, 0, 1), op::Distribution::normal);
      const op::Distribution second = distribution_for(all, c, 1, 2);
      QVERIFY(std::count(all.begin(), all.begin() + 3, second) == 0);
    }
    for (const op::Distribution d : device) QVERIFY(d <= op::Distribution::zeros);  // what a GPU makes
    QVERIFY(!large_distribution(smooth));
    const op::Spec position =
        read_spec("op f(x: f32[R, C]) -> y: i64[R]\n  default R = 9, C = 9\n{ y[r] = argmax(c) x[r, c] }");
    QVERIFY(large_distribution(position) == op::Distribution::ties);
    QCOMPARE(distribution_for(distributions_for(position, true), 0, 1, 5), op::Distribution::ties);
    const op::Spec bins =
        read_spec("op f(k: i32[N] in 0..V) -> y: i64[V]\n  default N = 9, V = 4\n{ y[v] = sum(n : k[n] == v) 1 }");
    QVERIFY(large_distribution(bins) == op::Distribution::crowded);
    QCOMPARE(std::count(all.begin(), all.end(), op::Distribution::nonfinite), 1);
    QCOMPARE(std::count(all.begin(), all.end(), op::Distribution::planted), 0);
    const auto planted = distributions_for(smooth, true, true);
    QCOMPARE(std::count(planted.begin(), planted.end(), op::Distribution::planted), 1);
    const auto of_choice = distributions_for(choice, true);
    QCOMPARE(std::count(of_choice.begin(), of_choice.end(), op::Distribution::nonfinite), 0);
    QCOMPARE(std::count(of_choice.begin(), of_choice.end(), op::Distribution::infinite), 1);
  }
  void sizesThatAreComparedWithAreTried() {
    const op::Spec spec =
        read_spec("op f(x: f32[R, C]) -> y: f32[R, C]\n  default R = 64, C = 256\n{\n  y[i, j] = x[i, j]\n}\n");
    const auto known = derive_cases(spec, {}, {0, 1e5, {}});
    std::uint64_t state = 3;
    const auto cases = [&](const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& limits,
                           const std::function<bool(const Case&)>& wanted) {
      return *compared_cases(
          spec, *known, {0, 1e5, {}}, sizes, limits, [&] { return state = state * 25 + 13; }, wanted, 2);
    };
    const auto any = [](const Case&) { return true; };
    const auto near = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) <= 1; };
    const auto two = cases({777, 12}, {}, any);
    QCOMPARE(two.size(), std::size_t{2});
    for (const Case& c : two) {
      QVERIFY(is_secondary(c) && evidence::case_kind(c.name) == evidence::CaseKind::compared);
      const std::int64_t r = c.binding.symbols.at("R"), columns = c.binding.symbols.at("C");
      QVERIFY(r == 777 || r == 12 || columns == 777 || columns == 12);
    }
    QVERIFY(two[0].name != two[1].name && two[0].binding != two[1].binding);
    std::set<std::int64_t> sides;
    bool products = false;
    for (int i = 0; i < 40; ++i)
      for (const Case& c : cases({777}, {777}, [](const Case& c) { return c.binding.symbols.at("R") < 100; })) {
        const std::int64_t columns = c.binding.symbols.at("C"), all = columns * c.binding.symbols.at("R");
        if (near(columns, 777)) {
          sides.insert(columns);
          continue;
        }
        products = true;
        QVERIFY2(all >= 777 - 9 && all <= 777 + 9, std::to_string(all).c_str());
      }
    QVERIFY(sides == std::set<std::int64_t>({776, 777, 778}) && products);
    QVERIFY(cases({1 << 30}, {1 << 30}, any).empty() && cases({}, {}, any).empty());
  }
  void waysOfThePlanAreTried() {
    const op::Spec spec =
        read_spec("op f(x: f32[R, C]) -> y: f32[R, C]\n  default R = 64, C = 256\n{\n  y[i, j] = x[i, j]\n}\n");
    const auto known = derive_cases(spec, {}, {0, 1e6, {}});
    const auto size = [](const op::Binding& b) { return b.symbols.at("R") * b.symbols.at("C"); };
    const auto any = [](const Case&) { return true; };
    const auto found = *cases_of_other_ways(
        spec, *known, {0, 1e6, {}}, [&](const op::Binding& b) { return Way{size(b) > 700000}; }, any, 8e6, 2);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(size(found[0].binding) > 700000 && is_secondary(found[0]));
    const auto beyond = *cases_of_other_ways(
        spec, *known, {0, 1e6, {}}, [&](const op::Binding& b) { return Way{size(b) > 7000000}; }, any, 8e6, 2);
    QVERIFY(beyond.empty());  // more work than a case may have
    QVERIFY(cases_of_other_ways(
                spec, *known, {0, 1e6, {}}, [](const op::Binding&) { return Way(); }, any, 8e6, 2)
                ->empty());
  }
  void comparedConstantsAreFound() {
    const std::string ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<9>;\n"
        ".reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .f64 %d<9>;\n"
        "setp.eq.f32 %p1, %f1, 0f449A5000;\nsetp.lt.f64 %p2, %d1, 0dC000000000000000;\n"
        "@%p1 setp.ne.s32 %p3, %r1, 1067282596;\nsetp.gt.s32 %p4, %r2, 7;\n"
        "setp.eq.f32 %p5, %f1, 0f7F800000;\nadd.f32 %f2, %f1, 0f40400000;\n"
        "setp.le.s32 %p6, %r2, 7;\nret;\n}\n";
    QCOMPARE(compared_constants(ptx),
             (std::vector<double>{1234.5, -2.0, 1067282596.0, std::bit_cast<float>(0x3f9d70a4u), 7.0, -3.0}));
    QVERIFY(std::ranges::count(compared_constants(".version 8.0\n.target sm_80\n.visible .entry k()\n{\n.reg .pred "
                                                  "%p<9>;\n.reg .f32 %f<9>;\nsetp.gt.f32 %p1, %f1, 0f40000000;\n"
                                                  "setp.lt.f32 %p2, %f1, 0f40800000;\nret;\n}\n"),
                               3.0) == 1);
    QVERIFY(compared_constants("not PTX { setp").empty());
    // 1300 <= n < 1400, as compilers ask it; what must be equal is no limit.
    QCOMPARE(limits_of_sizes(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                             "add.s32 %r2, %r1, -1300;\nsetp.lt.u32 %p1, %r2, 100;\nsetp.eq.s32 %p2, %r3, 77;\n"
                             "ret;\n}\n"),
             (std::vector<std::int64_t>{100, 1300, 1400}));
    std::string many = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n";
    for (int i = 0; i < 200; ++i) many += "setp.eq.s32 %p1, %r1, " + std::to_string(i) + ";\n";
    QCOMPARE(compared_constants(many + "ret;\n}\n").size(), most_planted);
  }
  void bitsThatAreComparedAreFound_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<std::function<bool(float)>>("meets");
    using Meets = std::function<bool(float)>;
    const auto bits = [](float v) { return std::bit_cast<std::uint32_t>(v); };
    QTest::newRow("mask") << "and.b32 %r2, %r1, 8388607;\nsetp.eq.s32 %p1, %r2, 2796202;\n"
                          << Meets([=](float v) { return (bits(v) & 0x7fffff) == 0x2aaaaa; });
    QTest::newRow("hash") << "mul.lo.s32 %r2, %r1, -1640531535;\nshr.u32 %r3, %r2, 12;\nsetp.ne.s32 %p1, %r3, 777;\n"
                          << Meets([=](float v) { return bits(v) * 2654435761u >> 12 == 777; });
    QTest::newRow("shift") << "shl.b32 %r2, %r1, 9;\nxor.b32 %r3, %r2, -1;\nsetp.eq.s32 %p1, %r3, 511;\n"
                           << Meets([=](float v) { return ~(bits(v) << 9) == 511; });
    QTest::newRow("shift of itself") << "shr.u32 %r2, %r1, 15;\nxor.b32 %r3, %r1, %r2;\nshr.u32 %r4, %r3, 10;\n"
                                        "setp.eq.s32 %p1, %r4, 1040187;\n"
                                     << Meets([=](float v) { return (bits(v) ^ bits(v) >> 15) >> 10 == 1040187; });
    QTest::newRow("register") << "mov.u32 %r5, 99;\nand.b32 %r2, %r1, 127;\nsetp.eq.s32 %p1, %r2, %r5;\n"
                              << Meets([=](float v) { return (bits(v) & 127) == 99; });
    QTest::newRow("line") << "fma.rn.f32 %f2, %f1, 0f40200000, 0f3F800000;\nsetp.eq.f32 %p1, %f2, 0f41080000;\n"
                          << Meets([](float v) { return std::fma(v, 2.5f, 1.0f) == 8.5f; });
    QTest::newRow("square") << "mul.f32 %f2, %f1, %f1;\nsetp.eq.f32 %p1, %f2, 0f42480000;\n"
                            << Meets([](float v) { return std::abs(v * v - 50.0f) < 1e-4f; });
    QTest::newRow("floor") << "cvt.rmi.s32.f32 %r2, %f1;\nsetp.eq.s32 %p1, %r2, 12345;\n"
                           << Meets([](float v) { return std::floor(v) == 12345; });
  }
  void bitsThatAreComparedAreFound() {
    QFETCH(QString, steps);
    QFETCH(std::function<bool(float)>, meets);
    const std::string ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<9>;\n"
        ".reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\nld.global.f32 %f1, [%d1];\nmov.b32 %r1, %f1;\n" +
        steps.toStdString() + "ret;\n}\n";
    const std::vector<double> found = compared_constants(ptx);
    QVERIFY(std::ranges::any_of(found, [&](double v) { return meets(static_cast<float>(v)); }));
  }
  void everyOpOfTheLibraryHasSixCases() {
    const auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    QVERIFY(!library->ops().empty());
    for (const op::LibraryOp& o : library->ops()) {
      const auto cases = derive_cases(o.spec, {}, {6e7, 2e5, {}});
      QVERIFY2(cases.has_value(), (o.spec.name + (cases ? "" : ": " + cases.error().text())).c_str());
      QVERIFY2(cases->size() >= 6 || o.spec.symbols.empty(),
               (o.spec.name + ": " + std::to_string(cases->size())).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(CasesTest)
#include "cases_test.moc"
