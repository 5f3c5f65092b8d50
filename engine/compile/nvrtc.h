// SPDX-License-Identifier: Apache-2.0
// The NVRTC functions in use, declared here so that building needs no CUDA toolkit.
// Source of names and signatures: NVRTC documentation, "User Interface".
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"
#include "compile/compile.h"

namespace ww::compile {

struct NamedText {
  const char* name;
  const char* text;
};

struct NvrtcOutcome {
  int status = 0;  // 0: compiled
  std::string log, ptx, cubin;
};

class Nvrtc {
 public:
  static Result<std::unique_ptr<Nvrtc>> open(const std::filesystem::path& library);
  virtual ~Nvrtc() = default;
  virtual std::string version() const = 0;             // "13.0"
  virtual std::vector<int> architectures() const = 0;  // 75, 80, …
  virtual Result<NvrtcOutcome> compile(const std::string& code, const char* name, const std::vector<NamedText>& headers,
                                       const std::vector<std::string>& options) const = 0;
};

}  // namespace ww::compile
