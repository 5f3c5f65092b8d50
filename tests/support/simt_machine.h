// SPDX-License-Identifier: Apache-2.0
// The SIMT machine and a compiler for it, for tests that judge kernels.
#pragma once
#include <QtTest>
#include <memory>
#include "device/device.h"
#include "support/kept_compiler.h"

namespace testing {

// For a test to derive from.
class WithSimt {
 protected:
  void open_simt() {  // in initTestCase()
    auto compiler = open_compiler();
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    compiler_ = std::move(*compiler);
    simt_ = ww::device::open_simt();
  }
  std::unique_ptr<ww::compile::Compiler> compiler_;
  std::unique_ptr<ww::device::Device> simt_;
};

}  // namespace testing
