// SPDX-License-Identifier: Apache-2.0
// Timing, facts and ceilings on hardware.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <dlfcn.h>
#include <map>
#include <set>
#include "compile/compile.h"
#include "base/sealed_folder.h"
#include "cuda/device.h"
#include "device/device.h"
#include "profile/statistics.h"
#include "support/planned.h"

using namespace ww;
using testing::launch_of, testing::tensor, testing::whole;
using profile::Cache;

namespace {

constexpr const char* kernels = R"(
extern "C" __global__ void spin(float* y, int iterations) {
  float v = threadIdx.x;
  for (int i = 0; i < iterations; ++i) v = v * 0.999f + 0.5f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void count(int* y) { atomicAdd(y + threadIdx.x, 1); }
extern "C" __global__ void read(const float* x, float* y, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void wild(float* y) { y[(1ll << 40) + threadIdx.x] = 1; }
)";

}  // namespace

class TimingTest : public QObject {
  Q_OBJECT
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<compile::Compiler> compiler_;
  std::shared_ptr<const device::Module> module_;
  QTemporaryDir cache_;

  std::unique_ptr<device::Execution> execution(std::int64_t elements = 1 << 16) {
    auto e = module_->execution();
    if (!e || !(*e)->allocate("y", DType::f32, elements, device::Access::read_write) || !(*e)->zero("y"))
      qFatal("no execution");
    return std::move(*e);
  }

 private slots:
  void initTestCase();
  void itself_and_twice_the_work();
  void regimes();
  void zeroed_buffers();
  void work_that_cannot_be_captured();
  void work_of_a_library();
  void rounds_and_their_ends();
  void bad_requests();
  void details();
  void ceilings();
  void a_fault_last();
};

void TimingTest::initTestCase() {
  qputenv("WARPWRIGHT_CACHE", cache_.path().toUtf8());
  auto opened = cuda::open("cuda:0");
  if (!opened) QSKIP(("no GPU: " + opened.error().text()).c_str());
  device_ = std::move(*opened);
  auto compiler = compile::Compiler::open(std::make_shared<SealedFolder>(cache_.path().toStdString() + "/compile"));
  QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
  compiler_ = std::move(*compiler);
  compile::Request request;
  request.code = kernels;
  request.architecture = device_->facts().architecture;
  const auto output = compiler_->compile(request);
  QVERIFY2(output, output ? "" : output.error().text().c_str());
  const auto module = device_->load(*output);
  QVERIFY2(module, module ? "" : module.error().text().c_str());
  module_ = *module;
}

void TimingTest::itself_and_twice_the_work() {
  const auto a = execution(), b = execution(), c = execution();
  const auto once = launch_of("spin", 132, 128, {tensor("y"), whole(20000)}),
             twice = launch_of("spin", 132, 128, {tensor("y"), whole(40000)});
  const device::TimedSubject subjects[] = {
      {"a", a.get(), {&once, 1}}, {"again", b.get(), {&once, 1}}, {"twice", c.get(), {&twice, 1}}};
  device::TimeOptions options;
  options.rounds = 8, options.samples = 3;
  const auto timings = device_->time(subjects, options);
  QVERIFY2(timings, timings ? "" : timings.error().text().c_str());
  QCOMPARE(timings->size(), std::size_t{6});
  for (const profile::SubjectTiming& t : *timings) {
    QCOMPARE(t.samples.size(), std::size_t{24});
    QVERIFY(t.graph || t.cache == Cache::cold);
    QVERIFY2(t.note.find("captured") == std::string::npos, t.note.c_str());
    std::set<int> rounds;
    for (const profile::TimedSample& s : t.samples) {
      QVERIFY(s.us > 1 && s.us < 1e5);
      QVERIFY(s.replays >= 1 && (t.cache == Cache::warm || s.replays == 1));
      rounds.insert(s.round);
    }
    QCOMPARE(rounds.size(), std::size_t{8});
  }
  for (const int regime : {0, 1}) {
    const auto &first = (*timings)[static_cast<std::size_t>(regime)],
               &again = (*timings)[static_cast<std::size_t>(2 + regime)],
               &more = (*timings)[static_cast<std::size_t>(4 + regime)];
    QCOMPARE(first.cache, regime == 0 ? Cache::cold : Cache::warm);
    QCOMPARE(again.subject, std::string("again"));
    const profile::Ratio same = profile::compare(again, first), slower = profile::compare(more, first);
    qInfo("%s: %.2f us; itself %.4f [%.4f, %.4f]; twice %.4f [%.4f, %.4f]", std::string(enum_name(first.cache)).c_str(),
          profile::summarise(profile::times_of(first)).median, same.ratio, same.low, same.high, slower.ratio,
          slower.low, slower.high);
    QCOMPARE(same.call, profile::Call::within_noise);
    QCOMPARE(slower.call, profile::Call::slower);
    QVERIFY(slower.ratio > 1.8 && slower.ratio < 2.2);
  }
}

void TimingTest::regimes() {
  auto e = execution();
  const std::int64_t n = 4 << 20;  // 16 MiB: within the cache
  QVERIFY(e->allocate("x", DType::f32, n, device::Access::read_only) && e->zero("x"));
  const auto launch = launch_of("read", 512, 128, {tensor("x"), tensor("y"), whole(n)});
  const device::TimedSubject subject{"read", e.get(), {&launch, 1}};
  device::TimeOptions options;
  options.rounds = 5;
  const auto timings = device_->time({&subject, 1}, options);
  QVERIFY2(timings, timings ? "" : timings.error().text().c_str());
  const double cold = profile::summarise(profile::times_of((*timings)[0])).median,
               warm = profile::summarise(profile::times_of((*timings)[1])).median;
  qInfo("16 MiB read: cold %.2f us, warm %.2f us", cold, warm);
  QVERIFY(cold > warm);
  options.warm = false;
  const auto only = device_->time({&subject, 1}, options);
  QVERIFY(only && only->size() == 1 && only->front().cache == Cache::cold);
}

void TimingTest::zeroed_buffers() {
  const auto e = execution();
  const auto launch = launch_of("count", 1, 128, {tensor("y")});
  device::TimedSubject subject{"count", e.get(), {&launch, 1}};
  subject.zeroed = {{"y", 4 << 16}};
  device::TimeOptions options;
  options.rounds = 2;
  const auto timings = device_->time({&subject, 1}, options);
  QVERIFY2(timings, timings ? "" : timings.error().text().c_str());
  std::vector<std::int32_t> y(1 << 16);
  QVERIFY(e->read("y", std::as_writable_bytes(std::span(y))));
  QCOMPARE(y[0], 1);  // of the last execution alone
  QCOMPARE(y[127], 1);
  QCOMPARE(y[128], 0);
}

void TimingTest::work_that_cannot_be_captured() {
  const auto synchronize =
      reinterpret_cast<int (*)(void*)>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW), "cuStreamSynchronize"));
  QVERIFY(synchronize);
  int calls = 0;
  device::TimedSubject subject;
  subject.name = "waits";
  subject.enqueue = [&](void* stream) -> Status {
    ++calls;
    if (synchronize(stream) != 0) return fail(Code::device, "it cannot wait here");
    return {};
  };
  device::TimeOptions options;
  options.rounds = 2, options.samples = 2;
  const auto timings = device_->time({&subject, 1}, options);
  QVERIFY2(timings, timings ? "" : timings.error().text().c_str());
  QVERIFY(calls > 8);
  QVERIFY(!timings->front().graph);
  QVERIFY2(timings->front().note.find("could not be captured") != std::string::npos, timings->front().note.c_str());
  QVERIFY(device_->usable());
}

void TimingTest::work_of_a_library() {
  const auto e = execution();
  const auto set = reinterpret_cast<int (*)(std::uint64_t, unsigned, std::size_t, void*)>(
      ::dlsym(::dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD32Async"));
  QVERIFY(set);
  const auto at = e->address("y");
  QVERIFY(at);
  int calls = 0;
  device::TimedSubject subject;
  subject.name = "memset";
  subject.enqueue = [&](void* stream) -> Status {
    ++calls;
    return set(*at, 0x40490fdb, 1 << 16, stream) == 0 ? Status{} : fail(Code::device, "memset");
  };
  const auto timings = device_->time({&subject, 1}, {});
  QVERIFY2(timings, timings ? "" : timings.error().text().c_str());
  QVERIFY((*timings)[1].graph);
  QVERIFY((*timings)[1].samples.front().replays > 10);
  std::vector<float> y(1 << 16);
  QVERIFY(e->read("y", std::as_writable_bytes(std::span(y))));
  QVERIFY(y.back() > 3.14f && y.back() < 3.15f);
  subject.enqueue = [](void*) -> Status { return fail(Code::unsupported, "not this one"); };
  const auto refused = device_->time({&subject, 1}, {});
  QVERIFY(!refused);
  QCOMPARE(refused.error().message, std::string("not this one"));
}

void TimingTest::rounds_and_their_ends() {
  const auto e = execution();
  const auto launch = launch_of("spin", 132, 128, {tensor("y"), whole(1000)});
  const device::TimedSubject subject{"spin", e.get(), {&launch, 1}};
  device::TimeOptions options;
  options.rounds = 4;
  std::vector<int> seen;
  options.before_round = [&](int round) -> Status {
    seen.push_back(round);
    return {};
  };
  QVERIFY(device_->time({&subject, 1}, options));
  QCOMPARE(seen, (std::vector<int>{0, 1, 2, 3}));
  options.before_round = [](int round) -> Status {
    return round < 2 ? Status{} : fail(Code::corrupt, "no fresh inputs");
  };
  const auto refused = device_->time({&subject, 1}, options);
  QVERIFY(!refused);
  QCOMPARE(refused.error().code, Code::corrupt);
  std::stop_source stop;
  options.stop = stop.get_token();
  options.before_round = [&](int round) -> Status {
    if (round == 1) stop.request_stop();
    return {};
  };
  const auto cancelled = device_->time({&subject, 1}, options);
  QVERIFY(!cancelled);
  QCOMPARE(cancelled.error().code, Code::cancelled);
  QVERIFY(device_->usable());
  // A limit that is over at once: one round, and it says so.
  device::TimeOptions hurried;
  hurried.limit_seconds = 1e-6;
  const auto one = device_->time({&subject, 1}, hurried);
  QVERIFY(one);
  QCOMPARE(one->front().samples.back().round, 0);
  QVERIFY2(one->front().note.find("rounds in place of") != std::string::npos, one->front().note.c_str());
}

void TimingTest::bad_requests() {
  const auto e = execution();
  const auto launch = launch_of("spin", 132, 128, {tensor("y"), whole(1000)});
  const device::TimedSubject good{"spin", e.get(), {&launch, 1}}, nothing{"nothing", e.get(), {}};
  device::TimeOptions none;
  none.cold = none.warm = false;
  QCOMPARE(device_->time({&good, 1}, none).error().code, Code::invalid_argument);
  none = {};
  none.rounds = 0;
  QCOMPARE(device_->time({&good, 1}, none).error().code, Code::invalid_argument);
  QCOMPARE(device_->time({}, {}).error().code, Code::invalid_argument);
  QCOMPARE(device_->time({&nothing, 1}, {}).error().code, Code::invalid_argument);
  const auto unknown = launch_of("spin", 132, 128, {tensor("z"), whole(1000)});
  const device::TimedSubject wrong{"wrong", e.get(), {&unknown, 1}};
  QVERIFY(!device_->time({&wrong, 1}, {}));
  QVERIFY(device_->usable());
}

void TimingTest::details() {
  const auto d = device_->details();
  QVERIFY2(d, d ? "" : d.error().text().c_str());
  qInfo("%s %s driver %s CUDA %s %s: %d SMs, L2 %lld, %g/%g MHz, %g bit; %.3f TB/s, f32 %.1f TFLOP/s, f64 %.1f; %s",
        d->gpu.c_str(), d->uuid.c_str(), d->driver.c_str(), d->cuda.c_str(), d->architecture.c_str(),
        d->multiprocessors, static_cast<long long>(d->l2), d->sm_max_mhz, d->memory_max_mhz, d->memory_bus_bits,
        d->peak_bandwidth / 1e12, d->peak_f32 / 1e12, d->peak_f64 / 1e12, d->datasheet_source.c_str());
  QVERIFY(!d->gpu.empty() && d->uuid.starts_with("GPU-") && !d->driver.empty() && !d->cuda.empty());
  QVERIFY(d->multiprocessors > 0 && d->memory > 0 && d->free_memory <= d->memory && d->l2 > 0 && d->shared_per_sm > 0 &&
          d->registers_per_sm > 0);
  QVERIFY(d->sm_max_mhz > 100 && !d->datasheet_source.empty());
}

void TimingTest::ceilings() {
  const auto first = device_->ceilings(*compiler_, {});
  QVERIFY2(first, first ? "" : first.error().text().c_str());
  std::string text;
  for (const auto& [name, rate] : first->matrix_rate) text += " " + name + " " + std::to_string(rate / 1e12);
  qInfo("copy %.3f TB/s, L2 %.3f, L1 %.3f; TFLOP/s:%s; %s", first->copy_bandwidth / 1e12, first->l2_bandwidth / 1e12,
        first->l1_bandwidth / 1e12, text.c_str(), first->why_not.c_str());
  QVERIFY(first->copy_bandwidth > 1e10);
  QVERIFY(first->l2_bandwidth > first->copy_bandwidth && first->l1_bandwidth > first->l2_bandwidth);
  QVERIFY(!first->matrix_rate.empty() || !first->why_not.empty());
  const auto kept = device_->ceilings(*compiler_, {});
  QVERIFY(kept);
  if (!first->matrix_rate.empty()) QCOMPARE(kept->copy_bandwidth, first->copy_bandwidth);
  const auto details = device_->details();
  if (details && std::isfinite(details->peak_bandwidth)) QVERIFY(first->copy_bandwidth < details->peak_bandwidth);
  const std::map<std::string, double> rates(first->matrix_rate.begin(), first->matrix_rate.end());
  if (rates.count("f32") && std::isfinite(details->peak_f32)) QVERIFY(rates.at("f32") < details->peak_f32);
  if (rates.count("f32") && rates.count("bf16")) QVERIFY(rates.at("bf16") > rates.at("f32"));
}

void TimingTest::a_fault_last() {
  const auto good = execution(), bad = execution();
  const auto fine = launch_of("spin", 132, 128, {tensor("y"), whole(1000)}),
             wild = launch_of("wild", 1, 128, {tensor("y")});
  const device::TimedSubject subjects[] = {{"fine", good.get(), {&fine, 1}}, {"wild", bad.get(), {&wild, 1}}};
  const auto timings = device_->time(subjects, {});
  QVERIFY(!timings);
  qInfo("%s", timings.error().text().c_str());
  QCOMPARE(timings.error().code, Code::device);
  QVERIFY2(timings.error().message.find("'wild'") != std::string::npos, timings.error().message.c_str());
  QVERIFY(!device_->usable());
  QCOMPARE(device_->time(subjects, {}).error().code, Code::unavailable);
}

QTEST_GUILESS_MAIN(TimingTest)
#include "timing_test.moc"
