// SPDX-License-Identifier: Apache-2.0
// The kernels of tests/simt/kernels against host code.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include "simt/elements.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

class KernelsTest : public QObject {
  Q_OBJECT
 private slots:
  void bench4() {
    Bed bed(fixture_of("00_bench4"));
    Numbers random(1);
    const int n = 1000;
    const auto a = random.reals(n, -5, 5), b = random.reals(n, -5, 5);
    const auto pa = bed.put(a), pb = bed.put(b), pc = bed.room<float>(n);
    GOOD(bed.run("vadd", {4}, {256}, pa, pb, pc, n));
    std::vector<float> sum(n);
    for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
    GOOD(same(bed.get<float>(pc, n), sum));

    const int size = 48;
    const auto x = random.reals(size * size, -1, 1), y = random.reals(size * size, -1, 1);
    const auto px = bed.put(x), py = bed.put(y), pz = bed.room<float>(size * size);
    std::vector<float> product(size * size);
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) {
        float s = 0;
        for (int k = 0; k < size; ++k) s = std::fma(x[r * size + k], y[k * size + c], s);
        product[r * size + c] = s;
      }
    GOOD(bed.run("mm_naive", {4, 3}, {16, 16}, px, py, pz, size));  // one column of blocks is beyond the matrix
    GOOD(same(bed.get<float>(pz, size * size), product));
    (void)bed.memory.poison(pz, size * size * 4);
    GOOD(bed.run("mm_tiled", {3, 3}, {16, 16}, px, py, pz, size));
    GOOD(same(bed.get<float>(pz, size * size), product));

    const int rows = 5, columns = 700;
    const auto m = random.reals(rows * columns, -8, 8);
    const auto pm = bed.put(m), po = bed.room<float>(rows * columns);
    GOOD(bed.run("softmax", {rows}, {256}, pm, po, columns));
    std::vector<double> want(rows * columns);
    for (int r = 0; r < rows; ++r) {
      double total = 0;
      for (int c = 0; c < columns; ++c) total += std::exp(static_cast<double>(m[r * columns + c]));
      for (int c = 0; c < columns; ++c)
        want[r * columns + c] = std::exp(static_cast<double>(m[r * columns + c])) / total;
    }
    GOOD(compare(bed.get<float>(po, rows * columns), want, 2e-6));
  }

  void elementwise() {
    Bed bed(fixture_of("01_elementwise"));
    Numbers random(2);
    const int n = 500;
    auto a = random.reals(n, -6, 6);
    a[0] = 0;
    a[1] = -0.0f;
    a[2] = 1e-30f;
    const auto pa = bed.put(a), po = bed.room<float>(n);
    GOOD(bed.run("ew", {2}, {256}, pa, po, n));
    std::vector<double> want(n);
    for (int i = 0; i < n; ++i) {
      const double x = a[i];
      want[i] = std::exp(x) + std::tanh(x) + std::erf(x) + std::log(std::fabs(x) + 1) + std::sqrt(std::fabs(x)) +
                1 / std::sqrt(x * x + 1) + std::pow(std::fabs(x) + .5, 1.7) + 1 / (1 + std::exp(-x)) +
                std::fmin(x, 2.0) + std::fmax(x, -1.0) + std::floor(x) + std::rint(x) + x / 3.3;
    }
    GOOD(compare(bed.get<float>(po, n), want, 4e-6, 4e-6));
    GOOD(bed.run("gelu", {2}, {256}, pa, po, n));
    for (int i = 0; i < n; ++i) {
      const double x = a[i];
      want[i] = 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    }
    GOOD(compare(bed.get<float>(po, n), want, 4e-6, 1e-6));
    auto t = random.reals(n, -20, 20);
    t[0] = 1e6f;  // the slow path of the argument reduction: local memory
    t[1] = -3e7f;
    const auto pt = bed.put(t);
    GOOD(bed.run("trig", {2}, {256}, pt, po, n));
    const auto got = bed.get<float>(po, n);
    for (int i = 0; i < n; ++i) {
      const double x = t[i];
      const double sum = std::sin(x) + std::cos(x) + std::atan2(x, 2.0) + std::log1p(x * x) + std::expm1(x) +
                         std::cbrt(x) + static_cast<double>(std::fmod(t[i], 1.3f));
      if (i < 2) continue;  // __sinf has no stated error so far out
      QVERIFY2(close(got[i], sum + std::sin(x), 3e-6, 3e-5), differs(i, got[i], sum + std::sin(x)).c_str());
    }
  }

  void vectors() {
    Bed bed(fixture_of("02_vec4"));
    Numbers random(3);
    const int n4 = 300;
    const auto a = random.reals(4 * n4, -2, 2), b = random.reals(4 * n4, -2, 2);
    const auto pa = bed.put(a), pb = bed.put(b);
    GOOD(bed.run("axpy4", {2}, {64}, pa, pb, 1.5, n4));
    std::vector<float> want(4 * n4);
    for (int i = 0; i < 4 * n4; ++i) want[i] = std::fma(1.5f, a[i], b[i]);
    GOOD(same(bed.get<float>(pb, 4 * n4), want));
    const auto i2 = random.ints(64, -99, 99);
    std::vector<std::uint8_t> c4(128);
    for (auto& c : c4) c = static_cast<std::uint8_t>(random.next());
    std::vector<double> d2(64);
    for (auto& d : d2) d = random.real(-1, 1);
    const auto q2 = bed.room<int>(64), q4 = bed.room<std::uint8_t>(128), qd = bed.room<double>(64);
    GOOD(bed.run("cp2", {1}, {32}, bed.put(i2), q2, bed.put(c4), q4, bed.put(d2), qd));
    GOOD(same(bed.get<int>(q2, 64), i2));
    GOOD(same(bed.get<double>(qd, 64), d2));
    for (int i = 0; i < 32; ++i) {
      ++c4[4 * i];
      c4[4 * i + 3] = c4[4 * i + 1];
    }
    GOOD(same(bed.get<std::uint8_t>(q4, 128), c4));
  }

  void shuffles() {
    Bed bed(fixture_of("03_reduce_shfl"));
    Numbers random(4);
    const int n = 3000;
    std::vector<float> a(n);
    double total = 0;
    for (float& x : a) total += x = static_cast<float>(random.between(-50, 50));
    const auto po = bed.put(std::vector<float>{0});
    GOOD(bed.run("reduce", {3}, {256}, bed.put(a), po, n));
    QCOMPARE(static_cast<double>(bed.get<float>(po, 1)[0]), total);  // small integers: exact in any order
    const auto v = random.ints(64, -3, 12);
    const auto pv = bed.put(v), ps = bed.room<int>(64), pu = bed.room<unsigned>(64);
    GOOD(bed.run("scan", {1}, {64}, pv, ps));
    std::vector<int> prefix(64);
    for (int i = 0; i < 64; ++i) prefix[i] = v[i] + (i % 32 != 0 ? prefix[i - 1] : 0);
    GOOD(same(bed.get<int>(ps, 64), prefix));
    GOOD(bed.run("votes", {1}, {64}, pv, pu));
    std::vector<unsigned> want(64);
    unsigned positive = 0;
    int any = 0;
    for (const int x : v) positive += x > 0, any |= x;
    for (int i = 0; i < 64; ++i) {
      const int* w = v.data() + i / 32 * 32;
      const int lane = i % 32;
      unsigned ballot = 0, match = 0, sum = 0;
      bool some = false, all = true;
      for (int k = 0; k < 32; ++k) {
        ballot |= w[k] > 0 ? 1u << k : 0;
        match |= w[k] == v[i] ? 1u << k : 0;
        sum += static_cast<unsigned>(w[k]);
        some = some || w[k] > 3;
        all = all && w[k] < 9;
      }
      unsigned reversed = 0;
      for (int k = 0; k < 32; ++k) reversed |= ((static_cast<unsigned>(v[i]) >> k) & 1) << (31 - k);
      want[i] = ballot + some + all + static_cast<unsigned>(std::popcount(ballot)) +
                static_cast<unsigned>(std::countr_zero(ballot) + 1) +
                static_cast<unsigned>(std::countl_zero(static_cast<unsigned>(v[i]))) + reversed + match + 0xffffffffu +
                static_cast<unsigned>(lane < 31 ? w[lane + 1] : w[31]) + static_cast<unsigned>(w[5]) + sum + positive +
                (any != 0);
    }
    GOOD(same(bed.get<unsigned>(pu, 64), want));
  }

  void tiles() {
    Bed bed(fixture_of("04_tiled_mm"));
    Numbers random(5);
    const int M = 128, N = 64, K = 48;
    const auto a = random.reals(M * K, -1, 1), b = random.reals(K * N, -1, 1), c = random.reals(M * N, -1, 1);
    const auto pc = bed.put(c);
    bed.dynamic_shared = 2 * 16 * 64 * 4;
    GOOD(bed.run("sgemm", {N / 64, M / 64}, {256}, bed.put(a), bed.put(b), pc, M, N, K, 0.75, -0.5));
    std::vector<double> want(M * N);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double s = 0;
        for (int k = 0; k < K; ++k) s += static_cast<double>(a[i * K + k]) * b[k * N + j];
        want[i * N + j] = 0.75 * s - 0.5 * c[i * N + j];
      }
    GOOD(compare(bed.get<float>(pc, M * N), want, 1e-5, 1e-5));
    bed.dynamic_shared = 0;
    const int n = 96;
    const auto t = random.reals(n * n, -1, 1);
    const auto po = bed.room<float>(n * n);
    GOOD(bed.run("transpose", {3, 3}, {32, 8}, bed.put(t), po, n));
    std::vector<float> turned(n * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) turned[j * n + i] = t[i * n + j];
    GOOD(same(bed.get<float>(po, n * n), turned));
  }

  void atomics() {
    Bed bed(fixture_of("06_atomics"));
    Numbers random(7);
    const int n = 5000;
    std::vector<std::uint8_t> bytes(n);
    std::vector<unsigned> want(256);
    for (auto& b : bytes) ++want[b = static_cast<std::uint8_t>(random.next() >> 59)];
    const auto ph = bed.put(std::vector<unsigned>(256, 0));
    GOOD(bed.run("hist", {6}, {256}, bed.put(bytes), ph, n));
    GOOD(same(bed.get<unsigned>(ph, 256), want));

    bed.options.threads = 1;
    const int t = 32;
    std::vector<int> a(64, 0);
    std::vector<unsigned> u = {0, 5, 0xff};
    const auto pa = bed.put(a), pu = bed.put(u), pf = bed.put(std::vector<float>{1}),
               pd = bed.put(std::vector<double>{2}), pl = bed.put(std::vector<unsigned long long>{10, 0});
    GOOD(bed.run("ops", {1}, {t}, pa, pu, pf, pd, pl));
    const auto after = bed.get<int>(pa, 64);
    QCOMPARE(after[1], 31);  // the last lane's exchange
    QCOMPARE(after[2], 0);   // min
    QCOMPARE(after[3], 31);  // max
    QCOMPARE(after[4], 31);  // or of 0..31
    QCOMPARE(after[5], 0);   // xor of 0..31
    QCOMPARE(after[6], t);
    QCOMPARE(after[7], t);
    QCOMPARE(bed.get<unsigned>(pu, 3)[0], 0u);  // inc wraps after 7: 32 steps of 8
    unsigned dec = 5;
    for (int i = 0; i < t; ++i) dec = dec == 0 || dec > 7 ? 7 : dec - 1;
    QCOMPARE(bed.get<unsigned>(pu, 3)[1], dec);
    QCOMPARE(bed.get<unsigned>(pu, 3)[2], 0u);
    QCOMPARE(bed.get<float>(pf, 1)[0], 33.0f);
    QCOMPARE(bed.get<double>(pd, 1)[0], 34.0);
    QCOMPARE(bed.get<unsigned long long>(pl, 2)[0], 42ull);
    QCOMPARE(bed.get<unsigned long long>(pl, 2)[1], 5ull);

    bed.options.threads = 0;
    const int blocks = 37;
    std::vector<float> in(blocks);
    float total = 0;
    for (float& x : in) total += x = static_cast<float>(random.between(1, 9));
    const auto part = bed.room<float>(blocks), out = bed.room<float>(1), counter = bed.put(std::vector<unsigned>{0});
    GOOD(bed.run("lastblock", {blocks}, {32}, bed.put(in), part, counter, out));
    QCOMPARE(bed.get<float>(out, 1)[0], total);
  }

  void cooperativeGroups() {
    Bed bed(fixture_of("07_coop_groups"));
    Numbers random(8);
    const int n = 64;
    const auto a = random.ints(n, 0, 7);
    const auto po = bed.room<int>(n), pf = bed.room<float>(n);
    GOOD(bed.run("cgk", {1}, {n}, bed.put(a), po, pf));
    std::vector<int> want(n);
    std::vector<float> greatest(n);
    for (int i = 0; i < n; ++i) {
      int warp_sum = 0, scan = 0, rank = 0, size = 0;
      for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
        warp_sum += a[k];
        if (a[k] > 3) ++size, rank += k < i;
      }
      float most = 0;
      for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) {
        most = std::max(most, static_cast<float>(a[k]));
        if (k <= i) scan += a[k];
      }
      want[i] = warp_sum + (a[i] > 3 ? rank + size : 0) + scan + i / 32 + 32;
      greatest[i] = most;
    }
    GOOD(same(bed.get<int>(po, n), want));
    GOOD(same(bed.get<float>(pf, n), greatest));
  }

  void control() {
    Bed bed(fixture_of("12_control"));
    Numbers random(11);
    const int n = 40, t = 64;
    auto a = random.ints(n, -1, 9);
    a[35] = 99;
    std::vector<float> constants(64);
    for (int i = 0; i < 64; ++i) constants[i] = static_cast<float>(i) * 0.25f;
    const auto cst = bed.memory.symbol(*bed.program, "cst");
    QVERIFY(cst.has_value());
    QVERIFY(bed.memory.write(*cst, constants.data(), 256).has_value());
    const auto po = bed.room<float>(t);
    GOOD(bed.run("sw", {1}, {t}, bed.put(a), po, n));
    const auto got = bed.get<float>(po, t);
    const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (int i = 0; i < t; ++i) {
      float r = 0;
      for (int k = 0; k < n; ++k) {
        if (a[k] < 0) continue;
        if (a[k] == 99) break;
        switch (a[(i + k) % n]) {
          case 0: r += 1; break;
          case 1: r *= 2; break;
          case 2: r -= 3; break;
          case 3: r = std::fma(r, static_cast<float>(k), 1.0f); break;
          case 4: r = std::sqrt(r); break;
          case 5: r = std::fmod(r, 3.0f); break;
          case 6: r = -r; break;
          case 7: r = r * r; break;
          default: r = 0;
        }
      }
      while (r > 100.0f) r *= 0.5f;
      do r += 1;
      while (r < 0);
      const float want = r + static_cast<float>(fib[i & 7]) + constants[i & 63];
      QVERIFY2(std::isnan(want) ? std::isnan(got[i]) : got[i] == want, differs(i, got[i], want).c_str());
    }
    const auto count = bed.memory.symbol(*bed.program, "gcount");
    QVERIFY(bed.get<int>(*count, 1)[0] >= 0);
  }

  void indirectCalls() {
    Bed bed(fixture_of("12_control"));
    const auto pi = bed.put(std::vector<float>{2, 3, 4, 5});
    GOOD(bed.run("ind", {1}, {4}, pi, 1));
    GOOD(same(bed.get<float>(pi, 4), {4, 4, 16, 6}));
  }

  void localArrays() {
    Bed bed(fixture_of("12_control"));
    Numbers random(12);
    const int m = 32;
    const auto v = random.ints(32 * m, 0, 1000);
    const auto pl = bed.room<int>(m);
    GOOD(bed.run("loc", {1}, {m}, bed.put(v), pl, m));
    for (int l = 0; l < m; ++l) {
      int st[32], s = 0;
      for (int i = 0; i < 32; ++i) st[i] = v[i * m + l];
      for (int i = 0; i < m; ++i) {
        s += st[v[i] & 31];
        st[s & 31] = i;
      }
      QCOMPARE(bed.get<int>(pl, m)[l], s);
    }
  }

  void structures() {
    Bed bed(fixture_of("12_control"));
    struct S {
      float a;
      int b;
      double c;
      char d[5];
    };
    S one{2.5f, 7, 1.25, {1, 2, 3, 4, 5}};
    std::vector<std::byte> raw(sizeof(S), std::byte{0});
    std::memcpy(raw.data(), &one, sizeof one);
    std::vector<S> source(8);
    for (int i = 0; i < 8; ++i) source[i] = {static_cast<float>(i), i, i * 0.5, {9, 8, 7, 6, 5}};
    const auto ps = bed.put(source), pq = bed.put(std::vector<S>(8));
    GOOD(bed.run("strct", {1}, {8}, raw, ps, pq));
    const auto structs = bed.get<S>(pq, 8);
    for (int i = 0; i < 8; ++i) {
      QCOMPARE(structs[i].a, static_cast<float>(i) + 2.5f);
      QCOMPARE(structs[i].b, i);
      QCOMPARE(structs[i].c, i * 0.5);
      QCOMPARE(static_cast<int>(structs[i].d[2]), 4);
      QCOMPARE(static_cast<int>(structs[i].d[3]), 6);
    }
  }

  void printedAndAsserted() {
    Bed bed(fixture_of("12_control"));
    const auto pk = bed.put(std::vector<int>{1, -5, 3, -2});
    GOOD(bed.run("chk", {1}, {4}, pk, 4));
    QCOMPARE(QString::fromStdString(bed.report.printed), QString("neg -5\nneg -2\n"));
    const auto p7 = bed.put(std::vector<int>{7, 1});
    const auto failed = bed.launch("chk", {1}, {2}, p7, 2);
    QVERIFY(failed.has_value() && failed->fault.has_value());
    QCOMPARE(failed->fault->kind, FaultKind::assertion);
    QVERIFY2(failed->fault->message.find("a[0]!=7") != std::string::npos, failed->fault->message.c_str());
    const auto trapped = bed.launch("chk", {1}, {4}, p7, 2);
    QVERIFY(trapped.has_value() && trapped->fault.has_value());
    QCOMPARE(trapped->fault->kind, FaultKind::trap);
    QCOMPARE(trapped->fault->thread[0], 2u);
  }

  void templates() {
    Bed bed(fixture_of("12_control"));
    const auto pt = bed.put(std::vector<int>(64, -1));
    GOOD(bed.run("tmpl", {1}, {8}, pt));
    QCOMPARE(bed.get<int>(pt, 64)[42], 0);
    QCOMPARE(bed.get<int>(pt, 64)[6 * 5], bed.get<int>(pt, 64)[30]);
  }

  void misc() {
    Bed bed(fixture_of("13_misc"));
    const int t = 12;
    std::vector<int> a(64);
    for (int i = 0; i < 64; ++i) a[i] = i < t ? i : i * 37 - 600;
    const auto po = bed.put(std::vector<int>(64, 0));
    GOOD(bed.run("dense", {1}, {t}, bed.put(a), po));
    const auto got = bed.get<int>(po, 64);
    for (int i = 0; i < t; ++i) {
      int r = 0;
      switch (a[i]) {
        case 0: r = a[i + 1] * 3; break;
        case 1: r = a[i + 2] - 7; break;
        case 2: r = a[i + 3] ^ a[i]; break;
        case 3: r = a[i + 4] / 5; break;
        case 4: r = static_cast<int>(static_cast<unsigned>(a[i + 5]) << 2); break;
        case 5: r = std::popcount(static_cast<unsigned>(a[i + 6])); break;
        case 6: r = a[i + 7] % 9; break;
        case 7: r = a[i + 8] & a[i]; break;
        case 8: r = a[i + 9] | 3; break;
        case 9: r = 5; break;
        case 10: r = std::countl_zero(static_cast<unsigned>(a[3])); break;
        case 11: r = ~a[9]; break;
      }
      QCOMPARE(got[i], r);
    }
    const auto pr = bed.room<unsigned>(64), pq = bed.room<unsigned long long>(64);
    GOOD(bed.run("sreg", {1}, {64}, pr, pq));
    for (int i = 0; i < 64; ++i) {  // laneid + warpid + smid 0 + lanemask_lt + gridDim.z 1 + blockDim.z 1 + warpSize
      const unsigned lane = static_cast<unsigned>(i) % 32;
      QCOMPARE(bed.get<unsigned>(pr, 64)[i], lane + static_cast<unsigned>(i) / 32 + ((1u << lane) - 1) + 2 + 32);
    }
    std::vector<unsigned> x(128);
    for (int i = 0; i < 128; ++i) x[i] = static_cast<unsigned>(i) * 2654435761u;
    std::vector<float> f = {0.5f, 0.25f, 3, 4, 5, 6, 7, 8};
    const auto px = bed.put(x), pu = bed.put(std::vector<unsigned>(128, 0)), pf = bed.put(f),
               pg = bed.put(std::vector<float>(32, 0));
    GOOD(bed.run("asmk", {1}, {64}, px, pu, pf, pg));
    for (int i = 0; i < 64; ++i)
      QCOMPARE(bed.get<unsigned>(pu, 128)[i],
               ((x[i] ^ (x[i] >> 1) ^ (x[i] << 3)) > 3 ? 1u : 2u) + ((x[i] >> 4) & 255) + 1);
    QCOMPARE(bed.get<unsigned>(pu, 128)[99], x[0]);
    const auto g = bed.get<float>(pg, 32);
    QVERIFY(close(g[0], std::exp2(0.5) + std::tanh(0.25) + 4 + 5 + 6 + 7 + 8, 1e-5));
    QCOMPARE(g[1], 0.5f + 0.25f + 3 + 4);
    QCOMPARE(g[9], 1.0f);
    QCOMPARE(g[10], 2.0f);
    QCOMPARE(g[20], 64.0f);
    const auto pa = bed.put(std::vector<int>(32, 1)), pk = bed.put(std::vector<float>(32, 1));
    GOOD(bed.run("redk", {1}, {32}, pa, pk));
    QCOMPARE(bed.get<int>(pa, 32)[5], 7);
    QCOMPARE(bed.get<int>(pa, 32)[6], 2);
    QCOMPARE(bed.get<float>(pk, 1)[0], 65.0f);
    QCOMPARE(bed.get<float>(*bed.memory.symbol(*bed.program, "gtab"), 4)[1], 1.0f);
    const auto pm = bed.room<std::uint64_t>(8);
    GOOD(bed.run("mal", {1}, {8}, pm));
    const auto blocks = bed.get<std::uint64_t>(pm, 8);
    QCOMPARE(std::set<std::uint64_t>(blocks.begin(), blocks.end()).size(), std::size_t{8});
    QCOMPARE(bed.get<int>(blocks[5], 1)[0], 5);
    int gone = 0;
    QVERIFY(!bed.memory.read(blocks[3], &gone, 4).has_value());  // freed by its thread
  }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
