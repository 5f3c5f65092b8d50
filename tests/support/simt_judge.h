// SPDX-License-Identifier: Apache-2.0
// The gate with the SIMT machine, for tests that judge kernels.
#pragma once
#include "gate/gate.h"
#include "support/simt_machine.h"

namespace testing {

// For a test to derive from.
class WithSimtGate : protected WithSimt {
 protected:
  ww::evidence::Verdict verdict_of(const ww::gate::Request& request, int threads = 0) {
    if (!compiler_) open_simt();
    const auto verdict = ww::gate::judge(request, {compiler_.get(), simt_.get(), &references_, threads});
    if (!verdict) qFatal("%s", verdict.error().text().c_str());
    return *verdict;
  }
  // What it says, and where a stage failed, its details and the kernel.
  static std::string told(const ww::evidence::Verdict& verdict, const std::string& kernel) {
    std::string out = verdict.summary();
    for (const ww::evidence::StageResult& r : verdict.stages)
      if (r.outcome == ww::evidence::Outcome::failed) out += "\n" + r.detail + "\n" + kernel;
    return out;
  }
  ww::gate::ReferenceCache references_;
};

}  // namespace testing
