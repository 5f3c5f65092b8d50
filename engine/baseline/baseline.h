// SPDX-License-Identifier: Apache-2.0
// Implementations of an op by well-known libraries, for comparison with candidates: modules in
// plugins_dir()/baselines/*.so with the C interface of plugin.h. Modules stay loaded until the program ends.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::baseline {

struct Tensor {  // an input or output of the spec, row-major, in device memory
  std::string name;
  DType dtype = DType::f32;
  std::int64_t count = 0;  // elements
  std::uint64_t address = 0;
};

struct Applies {
  bool yes = false;
  std::string message;  // what it will call, or why it cannot: a plain sentence
};

class Prepared {  // one owner, one thread; the device's context must be current, also during destruction
 public:
  virtual ~Prepared() = default;
  virtual Status enqueue(void* stream) = 0;  // one execution on a CUstream, capturable in a graph; does not wait
};

class Baseline {  // immutable; any thread
 public:
  virtual ~Baseline() = default;
  virtual const std::string& name() const = 0;                                                     // "cublas"
  virtual Result<Applies> applies(const std::string& spec, const op::Binding& binding) const = 0;  // needs no device
  // `tensors`: every input and output of the spec. Runs the work once, so that nothing is loaded or allocated later;
  // outputs are overwritten. Code::unsupported if it does not apply, Code::unavailable if its library is missing.
  virtual Result<std::unique_ptr<Prepared>> prepare(const std::string& spec, const op::Binding& binding,
                                                    const std::vector<Tensor>& tensors) const = 0;
};

struct RefusedModule {
  std::filesystem::path file;
  std::string reason;  // one plain sentence
};
struct List {
  std::vector<std::shared_ptr<const Baseline>> usable;  // by name
  std::vector<RefusedModule> refused;
};

// Modules are opened here, so call it before the process enters its sandbox.
List load(const std::filesystem::path& folder = {});  // empty: plugins_dir()/"baselines"
// Code::not_found lists the available ones, and why modules were refused.
Result<std::shared_ptr<const Baseline>> find(const List& list, const std::string& name);

}  // namespace ww::baseline
