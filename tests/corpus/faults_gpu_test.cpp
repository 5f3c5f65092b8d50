// SPDX-License-Identifier: Apache-2.0
// The kernels of tests/corpus/faults on a GPU, one after another in the real worker, each followed by a good candidate.
#include <QtTest>
#include "cuda/device.h"
#include "expectation.h"
#include "fault_run.h"
#include "rpc/supervisor.h"

using namespace ww;
using namespace ww::corpus;

class FaultsGpuTest : public QObject {
  Q_OBJECT
  std::vector<FaultKernel> kernels_;
  std::unique_ptr<rpc::Supervisor> supervisor_;
  std::string good_;

  void kernels() {
    if (!kernels_.empty()) return;
    kernels_ = fault_kernels(faults_folder()).value();
    // Each kernel that never ends costs the device's whole limit: one of them will do here.
    std::erase_if(kernels_, [](const FaultKernel& k) {
      return k.cuda.find("out-of-budget") != std::string::npos && k.name != "infinite_loop";
    });
  }
  Result<evidence::Verdict> judge(const std::string& text, bool measure) {
    rpc::GateRequest request;
    request.spec = relu_spec().value();
    request.candidate = text;
    request.device = "cuda:0";
    request.architecture.clear();
    request.binding = binding_of("R = 64, C = 256").value();
    request.seeds = 1;
    request.measure = measure;
    return supervisor_->gate(request);
  }

 private slots:
  void initTestCase() {
    if (cuda::device_count() == 0) {
      const auto device = cuda::open("cuda:0");
      QSKIP(("no GPU: " + (device ? std::string() : device.error().text())).c_str());
    }
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::cuda;
    supervisor_ = std::make_unique<rpc::Supervisor>(options);
    const Status warm = supervisor_->warm_up();
    QVERIFY2(warm.has_value(), warm ? "" : warm.error().text().c_str());
    good_ =
        "//@ candidate relu\n//@ launch k grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)\n"
        "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
        "  const int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n}\n";
  }
  void each_is_what_it_says_and_harms_nothing_data() {
    kernels();
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kernels_.size(); ++i) QTest::newRow(kernels_[i].name.c_str()) << static_cast<int>(i);
  }
  void each_is_what_it_says_and_harms_nothing() {
    QFETCH(int, index);
    const FaultKernel& k = kernels_[static_cast<std::size_t>(index)];
    const auto v = judge(k.text, k.cuda.starts_with("stage=measure"));
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    const std::string wrong = mismatch(*v, k.cuda);
    QVERIFY2(wrong.empty(), (wrong + "\n" + seen(*v)).c_str());
    const auto after = judge(good_, false);
    QVERIFY2(after.has_value(), after ? "" : after.error().text().c_str());
    QVERIFY2(after->accepted, seen(*after).c_str());
  }
};

QTEST_GUILESS_MAIN(FaultsGpuTest)
#include "faults_gpu_test.moc"
