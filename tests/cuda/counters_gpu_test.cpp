// SPDX-License-Identifier: Apache-2.0
// Counters of kernels whose numbers follow from their text.
#include <QtTest>
#include <cmath>
#include "compile/compile.h"
#include "cuda/counters.h"
#include "cuda/device.h"

using namespace ww;
using candidate::PlannedArg;
using candidate::PlannedLaunch;

namespace {

constexpr int n = 1 << 20;

const char* code = R"(extern "C" __global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" __global__ void add(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
extern "C" __global__ void conflicts(const float* x, float* y, int n) {
  __shared__ float s[1024];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = s[threadIdx.x % 32 * 32];
}
)";

PlannedLaunch launch(const char* kernel, int block = 256) {
  PlannedLaunch l;
  l.kernel = kernel;
  l.grid = {static_cast<std::uint32_t>(n / block), 1, 1};
  l.block = {static_cast<std::uint32_t>(block), 1, 1};
  const auto tensor = PlannedArg::Kind::tensor;
  l.args = {{.kind = tensor, .tensor = "x"}, {.kind = tensor, .tensor = "y"}, {.integer = n}};
  return l;
}

double value(const profile::KernelCounters& k, const std::string& name) {
  for (const profile::Counter& c : k.values)
    if (c.name == name) return c.value;
  return profile::unknown;
}

const char* loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const char* stores = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

}  // namespace

class CountersGpuTest : public QObject {
  Q_OBJECT
  std::unique_ptr<device::Device> gpu_;
  std::shared_ptr<const device::Module> module_;
  std::unique_ptr<device::Execution> execution_;

 private slots:
  void initTestCase() {
    if (cuda::device_count() == 0) {
      const auto none = cuda::open("cuda:0");
      QSKIP(("no GPU: " + (none ? std::string("it counts none") : none.error().text())).c_str());
    }
    if (Status s = cuda::preload_counters(); !s) QSKIP(("no GPU counters: " + s.error().text()).c_str());
    auto gpu = cuda::open("cuda:0");
    QVERIFY2(gpu, gpu ? "" : gpu.error().text().c_str());
    gpu_ = std::move(*gpu);
    auto compiler = compile::Compiler::open();
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    compile::Request request;
    request.code = code;
    request.architecture = gpu_->facts().architecture;
    const auto output = (*compiler)->compile(request);
    QVERIFY2(output, output ? "" : output.error().text().c_str());
    const auto module = gpu_->load(*output);
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    module_ = *module;
  }
  void init() {
    auto e = module_->execution();
    QVERIFY2(e, e ? "" : e.error().text().c_str());
    execution_ = std::move(*e);
    std::vector<float> ones(n, 1.0f);
    QVERIFY(execution_->allocate("x", DType::f32, n, device::Access::read_only) &&
            execution_->allocate("y", DType::f32, n, device::Access::read_write));
    QVERIFY(execution_->write("x", std::as_bytes(std::span(ones))) &&
            execution_->write("y", std::as_bytes(std::span(ones))));
  }

  void copyTouchesEachSectorOnce() {
    const PlannedLaunch l = launch("copy");
    const auto report = gpu_->count(*execution_, std::span(&l, 1), "small", {});
    QVERIFY2(report, report ? "" : report.error().text().c_str());
    if (!report->why_not.empty()) QSKIP(("no GPU counters: " + report->why_not).c_str());
    QCOMPARE(report->set, std::string("small"));
    QCOMPARE(report->kernels.size(), std::size_t{1});
    QVERIFY(report->passes > 1 && report->seconds > 0);
    const profile::KernelCounters& k = report->kernels[0];
    QCOMPARE(k.kernel, std::string("copy"));
    QCOMPARE(value(k, loads), n * 4 / 32.0);
    QCOMPARE(value(k, stores), n * 4 / 32.0);
    QCOMPARE(value(k, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), n / 32.0);
    QCOMPARE(value(k, "smsp__inst_executed_op_global_ld.sum"), n / 32.0);
    QCOMPARE(value(k, "smsp__thread_inst_executed_per_inst_executed.ratio"), 32.0);
    QCOMPARE(value(k, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), 0.0);
    QCOMPARE(value(k, "sm__inst_executed_pipe_tensor.sum"), 0.0);
    const double read = value(k, "dram__bytes_read.sum");  // the caches are cold
    QVERIFY2(std::abs(read - n * 4.0) < 0.02 * n * 4.0, std::to_string(read).c_str());
  }

  // Each launch of a plan has its own counters, and the content after counting is that of one run of the plan.
  void plansAreReplayedOnRestoredTensors() {
    const PlannedLaunch plan[] = {launch("add"), launch("conflicts", 1024), launch("add")};
    const auto report = gpu_->count(*execution_, plan, "small", {});
    QVERIFY2(report, report ? "" : report.error().text().c_str());
    if (!report->why_not.empty()) QSKIP(("no GPU counters: " + report->why_not).c_str());
    QCOMPARE(report->kernels.size(), std::size_t{3});
    QCOMPARE(report->kernels[2].launch, 2);
    QCOMPARE(value(report->kernels[0], loads), 2 * n * 4 / 32.0);
    QCOMPARE(value(report->kernels[1], "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") > n / 32.0 * 32, true);
    QVERIFY(value(report->kernels[1], "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") >= n / 32.0 * 31);
    QCOMPARE(value(report->kernels[2], loads), 2 * n * 4 / 32.0);
    std::vector<float> y(n);
    QVERIFY(execution_->read("y", std::as_writable_bytes(std::span(y))));
    QCOMPARE(y[5], 2.0f);  // add, then conflicts writes x, then add
    const PlannedLaunch twice[] = {launch("add"), launch("add")};
    const auto again = gpu_->count(*execution_, twice, "small", {});
    QVERIFY(again);
    QVERIFY(execution_->read("y", std::as_writable_bytes(std::span(y))));
    QCOMPARE(y[n - 1], 4.0f);
  }

  void fullSetSamplesLines() {
    const PlannedLaunch l = launch("add");
    const auto report = gpu_->count(*execution_, std::span(&l, 1), "full", {});
    QVERIFY2(report, report ? "" : report.error().text().c_str());
    if (report->kernels.empty()) QSKIP(("no GPU counters: " + report->why_not).c_str());
    const profile::KernelCounters& k = report->kernels[0];
    QCOMPARE(value(k, loads), 2 * n * 4 / 32.0);
    QCOMPARE(value(k, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), static_cast<double>(n));
    if (k.lines.empty()) QSKIP("no GPU counters: this CUPTI gives no samples per line; the log says why");
    std::uint64_t on_the_line = 0, all = 0;
    for (const profile::StallSamples& s : k.lines)
      for (const auto& [reason, samples] : s.reasons) {
        all += samples;
        if (s.line == 7) on_the_line += samples;
      }
    QVERIFY2(2 * on_the_line > all, (std::to_string(on_the_line) + " of " + std::to_string(all)).c_str());
  }

  void refusesWhatItDoesNotKnow() {
    const PlannedLaunch l = launch("copy");
    const auto report = gpu_->count(*execution_, std::span(&l, 1), "everything", {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Code::invalid_argument);
    QVERIFY(report.error().message.find("small, full") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = gpu_->count(*execution_, std::span(&l, 1), "small", stop.get_token());
    QVERIFY(!cancelled);
    QCOMPARE(cancelled.error().code, Code::cancelled);
  }
};
QTEST_GUILESS_MAIN(CountersGpuTest)
#include "counters_gpu_test.moc"
