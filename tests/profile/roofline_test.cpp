// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <set>
#include "base/files.h"
#include "op/parse.h"
#include "profile/datasheet.h"
#include "profile/roofline.h"

using namespace ww;
using namespace ww::profile;

namespace {

DeviceDetails details() {
  DeviceDetails d;
  d.gpu = "NVIDIA H200";
  d.l2 = 60'000'000;
  d.peak_bandwidth = 4.9e12;
  d.peak_f32 = 66.9e12, d.peak_f64 = 33.5e12;
  d.datasheet = {{"bandwidth", 4.8e12}, {"f32", 67e12},    {"f64", 34e12},    {"f64_tensor", 67e12},
                 {"tf32", 494.5e12},    {"f16", 989.5e12}, {"bf16", 989.5e12}};
  return d;
}

Ceilings ceilings() {
  Ceilings c;
  c.copy_bandwidth = 4.2e12;
  c.matrix_rate = {{"f32", 50e12}, {"tf32", 400e12}, {"f16", 750e12}, {"bf16", 780e12}, {"f64", 60e12}};
  return c;
}

Roofline of(const char* text, op::Binding binding = {}) {
  const auto spec = op::parse_spec(text);
  if (!spec) qFatal("%s", spec.error().text().c_str());
  const auto r = roofline(*spec, binding, details(), ceilings());
  if (!r) qFatal("%s", r.error().text().c_str());
  return *r;
}

Roofline of_library(const char* path, op::Binding binding) {
  const auto text = read_file(resources_dir() / "ops" / path);
  if (!text) qFatal("%s", text.error().text().c_str());
  return of(text->c_str(), std::move(binding));
}

bool near(double a, double b, double tolerance = 1e-3) { return std::abs(a - b) <= tolerance * std::abs(b); }

constexpr double n = 8192;

}  // namespace

class RooflineTest : public QObject {
  Q_OBJECT
 private slots:
  void copy();
  void products();
  void impossible();
  void bytes_that_may_be_skipped();
  void work_that_may_be_shared();
  void nothing_known();
  void every_library_op();
  void datasheets_are_sound();
};

void RooflineTest::copy() {
  const Roofline r = of_library("map/copy.op", {{{"R", 1 << 14}, {"C", 1 << 14}}, {}});
  const double bytes = 2.0 * 4 * (1 << 28);
  QCOMPARE(r.bytes_read + r.bytes_written, bytes);
  QVERIFY(near(r.measured.us, bytes / 4.2e12 * 1e6));
  QVERIFY(near(r.datasheet.us, bytes / 4.8e12 * 1e6));
  QCOMPARE(r.measured.limit, Limit::memory);
  // Outputs may stay in the cache; the highest bandwidth known counts.
  QVERIFY(near(r.least_cold_us, (bytes - 60e6) / 4.9e12 * 1e6));
  QVERIFY(near(r.least_warm_us, (bytes - 60e6) / 4.9e12 * 1e6));
  const Achieved a = achieved(r, Cache::cold, r.measured.us * 2);
  QVERIFY(near(a.fraction, 0.5) && near(a.bandwidth, 2.1e12) && !a.impossible);
  // All of it fits in the cache: no statement when warm, the inputs alone when cold.
  const Roofline small = of_library("map/copy.op", {{{"R", 1 << 10}, {"C", 1 << 10}}, {}});
  QCOMPARE(small.least_warm_us, 0.0);
  QVERIFY(near(small.least_cold_us, 4.0 * (1 << 20) / 4.9e12 * 1e6));
}

void RooflineTest::products() {
  const char* f32 =
      "op mm(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N]\n  default N = 8192\n{ y[i, j] = sum(k) a[i, k] * b[k, j] }";
  const char* bf16 =
      "op mm(a: bf16[N, N], b: bf16[N, N]) -> y: bf16[N, N]\n  default N = 8192\n{ y[i, j] = sum(k) a[i, k] * b[k, j] "
      "}";
  const char* f64 =
      "op mm(a: f64[N, N], b: f64[N, N]) -> y: f64[N, N]\n  default N = 8192\n{ y[i, j] = sum(k) a[i, k] * b[k, j] }";
  const double flops = 2 * n * n * n;
  const Roofline single = of(f32), half = of(bf16), twice = of(f64);
  QVERIFY(near(single.flops, flops, 1e-3));
  QCOMPARE(single.unit, std::string("f32"));
  QCOMPARE(half.unit, std::string("bf16"));
  QCOMPARE(twice.unit, std::string("f64"));
  QCOMPARE(single.measured.limit, Limit::compute);
  QVERIFY(near(single.measured.us, flops / 50e12 * 1e6));
  QVERIFY(near(half.measured.us, flops / 780e12 * 1e6));
  QVERIFY(near(twice.datasheet.us, flops / 67e12 * 1e6));
  QVERIFY(near(single.intensity, flops / (12 * n * n)));
  // The fastest unit that takes the dtype, and half the operations.
  QVERIFY(near(single.least_cold_us, flops / 2 / 494.5e12 * 1e6));
  QVERIFY(near(half.least_warm_us, flops / 2 / 989.5e12 * 1e6));
}

void RooflineTest::impossible() {
  const Roofline r = of_library("map/copy.op", {{{"R", 1 << 14}, {"C", 1 << 14}}, {}});
  QVERIFY(!achieved(r, Cache::cold, r.least_cold_us * 1.01).impossible);
  const Achieved a = achieved(r, Cache::cold, r.least_cold_us * 0.9);
  QVERIFY(a.impossible);
  QVERIFY2(a.why.find("cold") != std::string::npos && a.why.find("TB/s") != std::string::npos, a.why.c_str());
  QVERIFY(!achieved(r, Cache::cold, std::nan("")).impossible);
  QVERIFY(!achieved(r, Cache::cold, 0).impossible);
  QVERIFY(std::isnan(achieved(r, Cache::cold, -1).fraction));
  // Within what events can tell apart of a tiny floor: no statement.
  const Roofline tiny = of_library("map/copy.op", {{{"R", 1 << 8}, {"C", 1 << 8}}, {}});
  QVERIFY(!achieved(tiny, Cache::cold, 1e-3).impossible);
}

void RooflineTest::bytes_that_may_be_skipped() {
  const double small = 4 * 64;
  // any() may stop at the first element.
  QVERIFY(near(of("op f(x: f32[R, C]) -> y: bool[R]\n  default R = 64, C = 1048576\n{ y[r] = any(c) (x[r, c] > 0) }")
                   .least_cold_us,
               0, 1));
  // A branch may never be taken; its condition is always read.
  const Roofline branch =
      of("op f(m: f32[R], x: f32[R, C]) -> y: f32[R, C]\n  default R = 64, C = 1048576\n{ y[r, c] = if(m[r] > 0, x[r, "
         "c], 0) }");
  QVERIFY(near(branch.least_cold_us, (small + 64.0 * 1048576 * 4 - 60e6) / 4.9e12 * 1e6));
  // Rows that are gathered may be the same row each time.
  const Roofline gather =
      of("op f(t: f32[V, C], i: i32[N] in 0..V) -> y: f32[N, C]\n  default V = 1024, C = 1024, N = 65536\n{ y[n, c] = "
         "t[i[n], c] }");
  QVERIFY(near(gather.least_cold_us, (65536.0 * 4 + 65536.0 * 1024 * 4 - 60e6) / 4.9e12 * 1e6));
  // What a temporary reads is needed where the temporary is.
  const Roofline hidden =
      of("op f(m: f32[R], x: f32[R, C]) -> y: f32[R]\n  default R = 64, C = 1048576\n{ s[r] = sum(c) x[r, c]\n  y[r] = "
         "if(m[r] > 0, s[r], 0) }");
  QVERIFY(near(hidden.least_cold_us, small / 4.9e12 * 1e6));
  const Roofline open =
      of("op f(m: f32[R], x: f32[R, C]) -> y: f32[R]\n  default R = 64, C = 1048576\n{ s[r] = sum(c) x[r, c]\n  y[r] = "
         "m[r] * s[r] }");
  QVERIFY(near(open.least_cold_us, (small + 64.0 * 1048576 * 4) / 4.9e12 * 1e6));
}

void RooflineTest::work_that_may_be_shared() {
  const Roofline scan = of_library("scan/cumsum.op", {{{"R", 64}, {"C", 65536}}, {}});
  QVERIFY(scan.shares_work);
  QCOMPARE(scan.measured.limit, Limit::memory);
  QVERIFY(std::isnan(scan.measured.compute_us));
  QVERIFY(near(scan.measured.us, 2.0 * 64 * 65536 * 4 / 4.2e12 * 1e6));
  const Roofline histogram = of_library("gather/histogram.op", {{{"N", 1 << 20}, {"V", 256}}, {}});
  QVERIFY(histogram.shares_work);
  // Each element of a product of triangles has terms of its own.
  const Roofline triangle = of_library("contract/lower_triangular_matmul.op", {{{"N", 4096}}, {}});
  QVERIFY(!triangle.shares_work);
  QCOMPARE(triangle.measured.limit, Limit::compute);
  // Winograd and FFT need fewer operations than a convolution's sum; its bytes stay.
  const Roofline conv = of_library("window/conv2d.op", {});
  QVERIFY(conv.flops > 0 && conv.least_cold_us <= conv.datasheet.us);
  QVERIFY(conv.least_why.find("FLOP") == std::string::npos);
}

void RooflineTest::nothing_known() {
  const auto spec = op::parse_spec("op f(x: f32[N]) -> y: f32[N]\n  default N = 1000000\n{ y[n] = x[n] * 2 }");
  QVERIFY(spec);
  const auto r = roofline(*spec, {}, DeviceDetails{}, Ceilings{});
  QVERIFY(r);
  QVERIFY(std::isnan(r->measured.us) && std::isnan(r->datasheet.us) && r->measured.limit == Limit::unknown);
  QCOMPARE(r->least_cold_us, 0.0);
  QVERIFY(!achieved(*r, Cache::cold, 0.001).impossible);
  QVERIFY(!roofline(*spec, {{{"N", -5}}, {}}, DeviceDetails{}, Ceilings{}));
}

// At the shapes of the library: floors are finite, and what is impossible lies below what is good.
void RooflineTest::every_library_op() {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(resources_dir() / "ops")) {
    if (entry.path().extension() != ".op") continue;
    const auto text = read_file(entry.path());
    QVERIFY(text);
    const auto spec = op::parse_spec(*text);
    QVERIFY(spec);
    const auto r = roofline(*spec, {}, details(), ceilings());
    QVERIFY2(r, entry.path().c_str());
    QVERIFY2(std::isfinite(r->measured.us) && r->measured.us > 0 && std::isfinite(r->datasheet.us),
             entry.path().c_str());
    QVERIFY2(r->least_cold_us >= r->least_warm_us && r->least_warm_us >= 0, entry.path().c_str());
    QVERIFY2(r->least_cold_us <= r->datasheet.us * (1 + 1e-9), entry.path().c_str());
    ++count;
  }
  QVERIFY(count > 100);
}

void RooflineTest::datasheets_are_sound() {
  const auto all = datasheets();
  QVERIFY2(all, all ? "" : all.error().text().c_str());
  QVERIFY(all->size() >= 7);
  std::set<std::string> names;
  for (const Datasheet& d : *all) {
    QVERIFY(!d.gpu.empty() && !d.source.empty() && !d.names.empty());
    QVERIFY(d.multiprocessors > 10 && d.multiprocessors < 1000);
    for (const std::string& name : d.names) QVERIFY2(names.insert(name).second, name.c_str());
    const std::map<std::string, double> rates(d.rates.begin(), d.rates.end());
    QVERIFY(rates.count("bandwidth") && rates.count("f32") && rates.count("tf32"));
    QVERIFY(rates.at("bandwidth") > 1e11 && rates.at("bandwidth") < 2e13);
    QVERIFY(rates.at("f16") >= rates.at("tf32") && rates.at("tf32") >= rates.at("f32"));
  }
  const auto h200 = datasheet("NVIDIA H200");
  QVERIFY(h200);
  QCOMPARE(h200->gpu, std::string("H200 SXM"));
  QVERIFY(!datasheet("NVIDIA H200 NVL"));  // another product
  QCOMPARE(datasheet("Voodoo 2").error().code, Code::not_found);
  // The one that is asked for, else the first of the architecture.
  QCOMPARE(modelled_gpu("L4", "sm_80")->gpu, std::string("L4"));
  QCOMPARE(modelled_gpu("", "sm_90")->architecture, std::string("sm_90"));
  QVERIFY(!modelled_gpu("", "sm_75"));
}

QTEST_GUILESS_MAIN(RooflineTest)
#include "roofline_test.moc"
