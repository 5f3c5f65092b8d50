// SPDX-License-Identifier: Apache-2.0
// The first GPU and a compiler for it.
#pragma once
#include <QtTest>
#include "cuda/device.h"
#include "device/device.h"
#include "support/kept_compiler.h"

namespace testing {

// For a test to derive from.
class WithGpu {
 protected:
  bool open_gpu() {  // in initTestCase(); false: the tests are skipped, or it failed
    auto device = ww::cuda::open("cuda:0");
    if (ww::cuda::device_count() == 0) {
      QTest::qSkip(("no GPU: " + (device ? "" : device.error().text())).c_str(), __FILE__, __LINE__);
      return false;
    }
    auto compiler = open_compiler();
    const std::string why = !device ? device.error().text() : !compiler ? compiler.error().text() : "";
    if (!QTest::qVerify(device && compiler, "device && compiler", why.c_str(), __FILE__, __LINE__)) return false;
    device_ = std::move(*device);
    compiler_ = std::move(*compiler);
    return true;
  }
  std::unique_ptr<ww::device::Device> device_;
  std::unique_ptr<ww::compile::Compiler> compiler_;
};

}  // namespace testing
