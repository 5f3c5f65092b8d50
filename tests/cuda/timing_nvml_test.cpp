// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include "cuda/nvml.h"

using namespace ww;

class NvmlTest : public QObject {
  Q_OBJECT
 private slots:
  // With NVML or without: of a GPU that is not there everything is unknown, and there is a reason.
  void absent() {
    const cuda::Gpu gpu = cuda::Gpu::at("9999:99:99.0");
    QVERIFY(!gpu.known());
    QVERIFY2(gpu.why_not().find("NVML") != std::string::npos, gpu.why_not().c_str());
    const profile::ClockState c = gpu.clocks();
    QVERIFY(std::isnan(c.sm_mhz) && std::isnan(c.memory_mhz) && std::isnan(c.temperature_c) && std::isnan(c.power_w));
    QVERIFY(!c.throttle);
    QVERIFY(std::isnan(gpu.max_sm_mhz()) && std::isnan(gpu.max_memory_mhz()));
    QVERIFY(gpu.uuid().empty() && gpu.driver().empty());
  }
};

QTEST_GUILESS_MAIN(NvmlTest)
#include "timing_nvml_test.moc"
