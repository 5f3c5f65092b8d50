// SPDX-License-Identifier: Apache-2.0
// PyTorch in a separate process (resources/python/torch_baseline.py). Only expressions of the op library reach it: a
// spec from elsewhere could contain arbitrary Python.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include <stop_token>
#include "measure/subject.h"
#include "op/sentence/phrasebook.h"
#include "profile/measurement.h"

namespace ww::rpc {
class PythonHelper;
}

namespace ww::measure {

class TorchHelper {
 public:
  struct Variant {
    std::string name, error, note;
  };  // "torch eager", "torch.compile"; error: why it is not timed
  ~TorchHelper();

  // $WARPWRIGHT_PYTHON, else the first python3 on the PATH that has torch and sees the device. Code::unavailable with a
  // plain sentence.
  static Result<std::unique_ptr<TorchHelper>> start(const std::string& device, const std::stop_token& cancel = {});
  const std::string& python() const { return python_; }
  const std::string& version() const { return version_; }  // of torch, with its CUDA

  // Creates inputs and captures graphs; torch.compile compiles (up to minutes). Code::unsupported if the library has no
  // expression for the op.
  Result<std::vector<Variant>> prepare(const op::Library& library, const Case& what,
                                       const std::stop_token& cancel = {});
  // One round of the prepared subjects.
  Result<std::vector<profile::SubjectTiming>> time(int round, int samples, const std::stop_token& cancel = {});

 private:
  TorchHelper(std::unique_ptr<rpc::PythonHelper> process, std::string python);

  std::unique_ptr<rpc::PythonHelper> process_;
  std::string python_, version_;
  int ordinal_ = 0;
};

// The library's PyTorch expression for this op with these constants (sizes and real dtype may differ); empty if there
// is none.
std::string torch_expression(const op::Library& library, const op::Spec& spec, const op::Binding& binding);

}  // namespace ww::measure
