// SPDX-License-Identifier: Apache-2.0
// PTX to cubin within this process, with nvJitLink loaded at run time. Source of names and signatures: nvJitLink
// documentation.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::compile {

struct Assembled {
  bool done = false;       // false: `log` says why
  std::string log, cubin;  // with "-Xptxas=-v" the log has the resources
};

class NvJitLink {
 public:
  static Result<std::unique_ptr<NvJitLink>> open(const std::filesystem::path& library);
  virtual ~NvJitLink() = default;
  virtual Result<Assembled> assemble(const std::string& ptx, const std::vector<std::string>& options) const = 0;
};

}  // namespace ww::compile
