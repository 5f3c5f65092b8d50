// SPDX-License-Identifier: Apache-2.0
// The kernels by which a GPU makes inputs and compares outputs, executed on the SIMT machine: the same bits as
// op::fill_input, the same verdicts as gate::compare. The hardware's own run of them is in device_gpu_test.cpp.
#include <QtTest>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include "cuda/service.h"
#include "device/device.h"
#include "device/entries.h"
#include "gate/compare.h"
#include "support/kept_compiler.h"

using namespace ww;
using namespace ww::cuda;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}

}  // namespace

class ServiceTest : public QObject {
  Q_OBJECT

  std::unique_ptr<device::Device> device_ = device::open_simt();
  std::shared_ptr<const device::Module> module_;

  std::unique_ptr<device::Execution> execution() {
    auto e = module_->execution();
    return e ? std::move(*e) : nullptr;
  }
  static void run(device::Execution& e, const candidate::PlannedLaunch& launch) {
    const auto done = e.launch(launch, {});
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    QVERIFY2(!done->fault, done->fault ? done->fault->message.c_str() : "");
  }
  void fillsLikeTheHost(op::Distribution d, DType dtype, op::Domain domain, std::uint64_t seed, int ordinal,
                        std::int64_t count) {
    std::vector<std::byte> expected(static_cast<std::size_t>(count) * dtype_size(dtype)), actual(expected.size());
    op::fill_input(d, seed, ordinal, dtype, domain, count, expected.data());
    const auto e = execution();
    QVERIFY(e);
    QVERIFY(e->allocate("x", dtype, count, device::Access::read_write));
    run(*e, fill_launch("x", d, seed, ordinal, dtype, domain, count, 2));
    QVERIFY(e->read("x", actual));
    const auto at = std::mismatch(expected.begin(), expected.end(), actual.begin()).first - expected.begin();
    QVERIFY2(expected == actual, (std::string(op::distribution_name(d)) + " " + std::string(dtype_name(dtype)) +
                                  " differs at byte " + std::to_string(at))
                                     .c_str());
  }
  // The same judgement on the device and on the host.
  void judgedLikeTheHost(const op::ReferenceTensor& expected, const std::vector<std::byte>& actual,
                         std::uint32_t blocks = 3) {
    const auto n = static_cast<std::int64_t>(actual.size() / dtype_size(expected.dtype));
    const auto e = execution();
    QVERIFY(e);
    const bool real = is_real(expected.dtype);
    QVERIFY(e->allocate("y", expected.dtype, n, device::Access::read_only));
    QVERIFY(e->write("y", actual));
    QVERIFY(e->allocate("value", real ? DType::f64 : DType::i64, n, device::Access::read_only));
    QVERIFY(e->write("value", real ? bytes_of(expected.value) : bytes_of(expected.integer)));
    if (!expected.bound.empty()) {
      QVERIFY(e->allocate("bound", DType::f64, n, device::Access::read_only));
      QVERIFY(e->write("bound", bytes_of(expected.bound)));
    }
    QVERIFY(e->allocate("parts", DType::u8, static_cast<std::int64_t>(blocks * compare_part_bytes),
                        device::Access::read_write));
    QVERIFY(e->allocate("result", DType::u8, sizeof(CompareResult), device::Access::read_write));
    for (const auto& launch : compare_launches({"y", "value", expected.bound.empty() ? "" : "bound", "parts", "result"},
                                               expected.dtype, n, blocks))
      run(*e, launch);
    CompareResult r{};
    QVERIFY(e->read("result", std::as_writable_bytes(std::span(&r, 1))));

    const auto host = gate::compare("y", expected, actual);
    QVERIFY(host);
    QCOMPARE(r.unchecked, host->unchecked);
    QCOMPARE(r.largest_ratio, host->largest_ratio);
    QCOMPARE(r.worst >= 0, host->worst.has_value());
    if (!host->worst) {
      QCOMPARE(r.wrong, std::int64_t{0});
      return;
    }
    QCOMPARE(r.wrong, host->worst->wrong);
    QCOMPARE(r.worst, host->worst->index.at(0));
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    QVERIFY(same(r.expected, host->worst->expected));
    QVERIFY(same(r.actual, host->worst->actual));
    QVERIFY(same(r.bound, host->worst->tolerance));
  }

 private slots:
  void initTestCase() {
    auto compiler = testing::open_compiler();
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    compile::Request request;
    request.code = service_source;
    request.architecture = "sm_90a";
    request.resources = false;
    const auto output = (*compiler)->compile(request);
    QVERIFY2(output, output ? "" : output.error().text().c_str());
    const auto module = device_->load(*output);
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    module_ = *module;

    // The small reader of declarations sees what the machine's whole parser sees.
    const auto entries = device::read_entries(output->ptx);
    QVERIFY2(entries, entries ? "" : entries.error().text().c_str());
    QCOMPARE(entries->size(), module_->kernels().size());
    for (std::size_t k = 0; k < entries->size(); ++k) {
      QCOMPARE((*entries)[k].name, module_->kernels()[k].name);
      std::vector<std::string> types;
      for (const device::Parameter& p : (*entries)[k].parameters) types.push_back(p.type);
      QCOMPARE(types, module_->kernels()[k].parameters);
    }
  }

  void inputsHaveTheHostsBits() {
    int ordinal = 0;
    for (const DType dtype : all_dtypes)
      for (int d = 0; d <= static_cast<int>(op::Distribution::zeros); ++d)
        fillsLikeTheHost(static_cast<op::Distribution>(d), dtype, {},
                         0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(d + 1), ordinal++ % 5, 1531);
  }
  void inputsOfDomainsHaveTheHostsBits() {
    for (const DType dtype : all_dtypes) {
      if (is_real(dtype)) {
        for (const op::Domain domain :
             {op::Domain{true, 0, 1}, op::Domain{true, -3.7, 1e5}, op::Domain{true, 1e-40, 3e-40},
              op::Domain{true, -1e-7, 1e-9}, op::Domain{true, 65000, 70000},
              op::Domain{true, 1, std::nextafter(1.0, 2.0)}, op::Domain{true, -1e39, 1e39}})
          fillsLikeTheHost(op::Distribution::normal, dtype, domain, 7, 1, 700);
      } else {
        for (const op::Domain domain : {op::Domain{true, 0, 3}, op::Domain{true, -5, 1000},
                                        op::Domain{true, -1e15, 1e15}, op::Domain{true, 4, 5}})
          fillsLikeTheHost(op::Distribution::ramp, dtype, domain, 8, 2, 700);
      }
    }
  }
  void copiesAreCompared() {
    for (const std::int64_t n : {1, 15, 16, 17, 4096 + 5}) {
      for (const std::int64_t change : {std::int64_t{-1}, std::int64_t{0}, n / 2, n - 1}) {
        std::vector<std::byte> a(static_cast<std::size_t>(n));
        op::fill_input(op::Distribution::uniform, 3, 0, DType::u8, {}, n, a.data());
        std::vector<std::byte> b = a;
        if (change >= 0) b[static_cast<std::size_t>(change)] ^= std::byte{0x40};
        const auto e = execution();
        QVERIFY(e);
        QVERIFY(e->allocate("a", DType::u8, n, device::Access::read_only) &&
                e->allocate("b", DType::u8, n, device::Access::read_only));
        QVERIFY(e->allocate("flag", DType::i32, 1, device::Access::read_write));
        QVERIFY(e->write("a", a) && e->write("b", b) && e->zero("flag"));
        run(*e, differ_launch("a", "b", n, "flag", 2));
        std::uint32_t flag = 7;
        QVERIFY(e->read("flag", std::as_writable_bytes(std::span(&flag, 1))));
        QCOMPARE(flag, change >= 0 ? 1u : 0u);
      }
    }
  }
  void aDigestSeesEveryChange() {
    std::vector<std::uint64_t> words(1000);
    op::fill_input(op::Distribution::uniform, 9, 0, DType::i64, {true, -1e15, 1e15}, 1000, words.data());
    const auto digest = [&](std::int64_t count, std::uint32_t blocks) {
      const auto e = execution();
      std::uint64_t sum = 1;
      if (e && e->allocate("words", DType::i64, 1000, device::Access::read_only) &&
          e->write("words", bytes_of(words)) && e->allocate("sum", DType::i64, 1, device::Access::read_write) &&
          e->zero("sum")) {
        run(*e, digest_launch("words", count, "sum", blocks));
        if (!e->read("sum", std::as_writable_bytes(std::span(&sum, 1)))) sum = 2;
      }
      return sum;
    };
    const std::uint64_t whole = digest(1000, 3);
    QCOMPARE(digest(1000, 1), whole);
    QVERIFY(digest(999, 3) != whole);
    std::set<std::uint64_t> all{whole};
    for (const std::size_t at : {0u, 1u, 500u, 999u})
      for (const int bit : {0, 31, 32, 63}) {
        words[at] ^= std::uint64_t{1} << bit;
        QVERIFY(all.insert(digest(1000, 3)).second);
        words[at] ^= std::uint64_t{1} << bit;
      }
    std::swap(words[3], words[700]);
    QVERIFY(all.insert(digest(1000, 3)).second);
    std::swap(words[3], words[700]);
    QCOMPARE(digest(1000, 3), whole);
  }
  void specialValuesAreJudgedLikeOnTheHost() {
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
      const double top = largest_finite(dtype), beyond = dtype == DType::f64 ? inf : std::ldexp(top, 1);
      const std::vector<double> expected = {
          nan_value, inf, -inf, 0, 1, top, -top, top * (1 - 1e-9), beyond, smallest_normal(dtype), 1e-30};
      const std::vector<double> actual = {
          nan_value, inf, -inf, 0, -0.0, 1, top, -top, smallest_normal(dtype), smallest_normal(dtype) / 4, 2};
      const std::vector<double> bounds = {0, 1e-9, 0.5, inf, nan_value, top / 100, top};
      op::ReferenceTensor all;
      all.dtype = dtype;
      std::vector<double> given;
      for (const double e : expected)
        for (const double a : actual)
          for (const double b : bounds) {
            // One element at a time: the verdict of each; then all together.
            all.value.push_back(e);
            all.bound.push_back(b);
            given.push_back(a);
          }
      const std::size_t size = dtype_size(dtype);
      std::vector<std::byte> bytes(given.size() * size);
      for (std::size_t i = 0; i < given.size(); ++i) store_f64(dtype, &bytes[i * size], given[i]);
      all.shape = {static_cast<std::int64_t>(given.size())};
      judgedLikeTheHost(all, bytes);
      for (std::size_t i = 0; i < given.size(); i += 7) {  // shorter and shorter, so that other elements are the worst
        op::ReferenceTensor part = all;
        part.value.erase(part.value.begin(), part.value.begin() + static_cast<std::ptrdiff_t>(i));
        part.bound.erase(part.bound.begin(), part.bound.begin() + static_cast<std::ptrdiff_t>(i));
        part.value.resize(1), part.bound.resize(1);
        part.shape = {1};
        judgedLikeTheHost(part,
                          {bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                           bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)},
                          1);
      }
    }
  }
  void errorsAreJudgedLikeOnTheHost() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> value(-4, 4);
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
      for (const double spread : {0.5, 1.5}) {  // none wrong, some wrong
        const std::size_t n = 3001, size = dtype_size(dtype);
        op::ReferenceTensor t{.dtype = dtype, .shape = {static_cast<std::int64_t>(n)}};
        std::vector<std::byte> bytes(n * size);
        for (std::size_t i = 0; i < n; ++i) {
          t.value.push_back(value(random));
          t.bound.push_back(8 * unit_roundoff(dtype));
          store_f64(dtype, &bytes[i * size],
                    t.value[i] + spread * 2 * unit_roundoff(dtype) * value(random) * (i % 5 == 0));
        }
        judgedLikeTheHost(t, bytes);
      }
    }
  }
  void ties() {  // the first of several that are equally wrong, over blocks and threads
    op::ReferenceTensor t;
    t.dtype = DType::f32;
    t.shape = {2000};
    t.value.assign(2000, 0.0);
    t.bound.assign(2000, 1.0);
    std::vector<float> y(2000, 0.0f);
    for (const std::size_t at : {1999u, 1500u, 777u, 513u}) {
      y[at] = 3;
      judgedLikeTheHost(t, {bytes_of(y).begin(), bytes_of(y).end()});
    }
  }
  void wholeNumbersAreJudgedLikeOnTheHost() {
    for (const DType dtype :
         {DType::i64, DType::i32, DType::i8, DType::u8, DType::boolean, DType::u16, DType::u32, DType::u64}) {
      const std::size_t n = 900, size = dtype_size(dtype);
      op::ReferenceTensor t{.dtype = dtype, .shape = {static_cast<std::int64_t>(n)}};
      std::vector<std::byte> bytes(n * size);
      for (std::size_t i = 0; i < n; ++i) {
        t.integer.push_back(dtype == DType::boolean ? static_cast<std::int64_t>(i % 2)
                                                    : static_cast<std::int64_t>(i % 100));
        store_i64(dtype, &bytes[i * size], t.integer[i]);
      }
      judgedLikeTheHost(t, bytes);
      bytes[400 * size] = std::byte{0x7b};  // of a bool: a byte that is neither 0 nor 1
      bytes[700 * size] = std::byte{0x7c};
      judgedLikeTheHost(t, bytes);
    }
  }
  void aWholeNumberIsRightWithinItsBound() {
    const std::vector<std::int64_t> expected = {5, 5, 5, 5}, actual = {5, 7, 8, 9};
    const std::vector<double> bound = {0, 2, 2, inf};
    const auto e = execution();
    QVERIFY(e);
    for (const auto& [name, bytes] : {std::pair{"y", bytes_of(actual)}, std::pair{"value", bytes_of(expected)},
                                      std::pair{"bound", bytes_of(bound)}}) {
      QVERIFY(e->allocate(name, DType::i64, 4, device::Access::read_only));
      QVERIFY(e->write(name, bytes));
    }
    QVERIFY(e->allocate("parts", DType::u8, compare_part_bytes, device::Access::read_write) &&
            e->allocate("result", DType::u8, sizeof(CompareResult), device::Access::read_write));
    for (const auto& launch : compare_launches({"y", "value", "bound", "parts", "result"}, DType::i64, 4, 1))
      run(*e, launch);
    CompareResult r{};
    QVERIFY(e->read("result", std::as_writable_bytes(std::span(&r, 1))));
    QCOMPARE(r.wrong, std::int64_t{1});
    QCOMPARE(r.worst, std::int64_t{2});
    QCOMPARE(r.unchecked, std::int64_t{1});
    QCOMPARE(r.largest_ratio, 1.0);
    QCOMPARE(r.bound, 2.0);
  }
};

QTEST_APPLESS_MAIN(ServiceTest)
#include "device_service_test.moc"
