// SPDX-License-Identifier: Apache-2.0
// Matrix instructions and asynchronous copies, through kernels that NVRTC compiled, against host code.
#include <cmath>
#include "base/dtype.h"
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

std::vector<std::uint16_t> halves(Numbers& random, std::size_t n, std::uint16_t (*round)(double)) {
  std::vector<std::uint16_t> v(n);
  for (auto& x : v) x = round(random.real(-2, 2));
  return v;
}
// c = a (rows x k, row-major) times b(k, column), both as functions.
template <class A, class B>
std::string product(const std::vector<float>& got, int rows, int columns, int k, A a, B b, double tolerance) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      double want = 0;
      for (int i = 0; i < k; ++i) want += a(r, i) * b(i, c);
      if (std::abs(got[r * columns + c] - want) > tolerance * std::max(1.0, std::abs(want)))
        return "(" + std::to_string(r) + "," + std::to_string(c) + "): got " + std::to_string(got[r * columns + c]) +
               ", want " + std::to_string(want);
    }
  return "";
}
// Of a (16 x 16) and b (16 x columns), drawn at random, in one warp.
std::string warp_product(Bed& bed, const char* kernel, unsigned seed, int columns, std::uint16_t (*round)(double),
                         double (*value)(std::uint16_t)) {
  Numbers random(seed);
  const auto a = halves(random, 256, round), b = halves(random, 16 * columns, round);
  const auto c = bed.room<float>(16 * columns);
  if (const std::string bad = bed.run(kernel, {1}, {32}, bed.put(a), bed.put(b), c); !bad.empty()) return bad;
  return product(
      bed.get<float>(c, 16 * columns), 16, columns, 16, [&](int r, int k) { return value(a[r * 16 + k]); },
      [&](int k, int column) { return value(b[k * columns + column]); }, 1e-6);
}
}  // namespace

class TensorTest : public QObject {
  Q_OBJECT
 private slots:
  void wmmaF16() {
    Bed bed(fixture("08_wmma.sm80.ptx"));
    Numbers random(1);
    const int n = 64;
    const auto a = halves(random, 16 * n, f64_to_f16), b = halves(random, 16 * n, f64_to_f16);
    const auto c = bed.room<float>(16 * n);
    const auto pa = bed.put(a), pb = bed.put(b);
    GOOD(bed.run("wm", {1}, {32}, pa, pb, c, n));
    const auto raw = bed.get<float>(c, 16 * n);
    std::vector<float> got(256);
    for (int i = 0; i < 256; ++i) got[i] = raw[i / 16 * n + i % 16];
    GOOD(product(
        got, 16, 16, n, [&](int r, int k) { return f16_to_f64(a[r * n + k]); },
        [&](int k, int col) { return f16_to_f64(b[col * n + k]); }, 1e-6));
    QCOMPARE(bed.report.counters.total.flops_tensor, std::uint64_t{2 * 16 * 16 * n});
    const auto small = bed.room<float>(16);
    const auto r = bed.launch("wm", {1}, {32}, pa, pb, small, n);
    QVERIFY(r.has_value() && r->fault.has_value());
    QCOMPARE(r->fault->kind, FaultKind::out_of_bounds);
  }
  void wmmaBf16FromShared() {
    Bed bed(fixture("08_wmma.sm80.ptx"));
    GOOD(warp_product(bed, "wmbf", 2, 16, f64_to_bf16, bf16_to_f64));
  }
  void ldmatrixAndMma() {
    Bed bed(fixture("08_wmma.sm80.ptx"));
    GOOD(warp_product(bed, "mma16816", 3, 8, f64_to_f16, f16_to_f64));
    QCOMPARE(bed.report.counters.total.flops_tensor, std::uint64_t{2 * 16 * 8 * 16});
  }
  void mmaTf32() {  // the fragments go in and out as they are: lane * registers
    Bed bed(fixture("08_wmma.sm80.ptx"));
    Numbers random(4);
    std::vector<float> a(128), b(64);
    for (float& x : a) x = static_cast<float>(random.between(-512, 512)) / 64;  // exact in tf32
    for (float& x : b) x = static_cast<float>(random.between(-512, 512)) / 64;
    const auto c = bed.room<float>(128);
    GOOD(bed.run("mmatf32", {1}, {32}, bed.put(a), bed.put(b), c));
    const auto got = bed.get<float>(c, 128);
    std::vector<float> matrix(128);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) matrix[(lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2] = got[lane * 4 + i];
    const auto at = [&](int r, int k) { return static_cast<double>(a[(r % 8 * 4 + k % 4) * 4 + r / 8 + 2 * (k / 4)]); };
    const auto bt = [&](int k, int col) { return static_cast<double>(b[(col * 4 + k % 4) * 2 + k / 4]); };
    GOOD(product(matrix, 16, 8, 8, at, bt, 0));
  }
  void mmaS8() {
    Bed bed(fixture("08_wmma.sm80.ptx"));
    Numbers random(5);
    std::vector<std::int8_t> a(512), b(256);
    for (auto& x : a) x = static_cast<std::int8_t>(random.next());
    for (auto& x : b) x = static_cast<std::int8_t>(random.next());
    const auto c = bed.room<int>(128);
    GOOD(bed.run("mmas8", {1}, {32}, bed.put(a), bed.put(b), c));
    const auto got = bed.get<int>(c, 128);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
        int want = 0;
        for (int k = 0; k < 32; ++k) {
          const int ra = row / 8 + 2 * (k / 16), rb = k / 16;  // registers; bytes within them by k
          want += a[((row % 8 * 4 + k % 16 / 4) * 4 + ra) * 4 + k % 4] *
                  b[((column * 4 + k % 16 / 4) * 2 + rb) * 4 + k % 4];
        }
        QCOMPARE(got[lane * 4 + i], want);
      }
  }
  void asynchronousCopies() {
    Bed bed(fixture("09_cp_async.sm80.ptx"));
    Numbers random(6);
    const int tiles = 5;
    const auto a = random.reals(tiles * 512, -1, 1);
    const auto o = bed.room<float>(128), pa = bed.put(a);
    GOOD(bed.run("cpa", {1}, {128}, pa, o, tiles));
    const auto got = bed.get<float>(o, 128);
    for (int t = 0; t < 128; ++t) {
      float want = 0;
      for (int k = 0; k < tiles; ++k) {
        const float* v = a.data() + (k * 128 + 127 - t) * 4;
        want += v[0] + v[1] + v[2] + v[3];
      }
      QVERIFY(std::abs(got[t] - want) < 1e-5);
    }
    QCOMPARE(bed.report.counters.total.by_class[static_cast<std::size_t>(InstrClass::async_copy)].warp,
             std::uint64_t{4 * (5 + 6 + 5)});
    GOOD(bed.run("cpa4", {1}, {128}, pa, o));
    QCOMPARE(bed.get<float>(o, 128)[3], a[124]);
    const auto r = bed.launch("cpa", {1}, {128}, pa, o, tiles + 1);
    QVERIFY(r.has_value() && r->fault.has_value());
    QCOMPARE(r->fault->kind, FaultKind::out_of_bounds);
  }
  void aMissingWaitIsFound() {
    const std::string copy =
        "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 4;\nadd.u32 %r1, %r1, %r2;\ncp.async.ca.shared.global [%r1], [%i], "
        "16;\ncp.async.commit_group;\n";
    const std::string use = "ld.shared.u32 %r3, [%r1];\nst.global.u32 [%o], %r3;";
    const std::string shared = ".shared .align 16 .b8 s[512];\n";
    Bed missing(kernel_text(shared, copy + "cp.async.wait_group 1;\n" + use));
    const auto in = missing.put(std::vector<int>(128, 9)), out = missing.room<int>(128);
    const auto r = missing.launch("k", {1}, {32}, out, in);
    QVERIFY(r.has_value() && r->fault.has_value());
    QCOMPARE(r->fault->kind, FaultKind::uninitialised_read);
    Bed good(kernel_text(shared, copy + "cp.async.wait_group 0;\n" + use));
    const auto gin = good.put(std::vector<int>(128, 9)), gout = good.room<int>(128);
    GOOD(good.run("k", {1}, {32}, gout, gin));
    QCOMPARE(good.get<int>(gout, 128)[4 * 31], 9);
  }
  void electAndStmatrix() {
    Bed bed(fixture("14_sm90.sm90.ptx"));
    const auto o = bed.room<unsigned>(33);
    GOOD(bed.run("el", {1}, {32}, o));
    for (unsigned i = 0; i < 32; ++i) QCOMPARE(bed.get<unsigned>(o, 33)[i + 1], i);
    QCOMPARE(bed.get<unsigned>(o, 33)[0], 0u);
  }
};

QTEST_GUILESS_MAIN(TensorTest)
#include "tensor_test.moc"
