// SPDX-License-Identifier: Apache-2.0
// Input sets with their references in device memory, and the kernels that generate and compare them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "cuda/code.h"
#include "cuda/internal.h"
#include "cuda/memory.h"
#include "device/resident.h"

namespace ww::cuda {

class Service {  // the service kernels and the reference code on one device
 public:
  static Result<std::shared_ptr<Service>> get(Context& context,
                                              compile::Compiler& compiler);  // compiled on the first call
  LoadedCode& kernels() { return *kernels_; }
  Result<std::shared_ptr<LoadedCode>> program(Context& context, const std::string& code, compile::Compiler& compiler);

 private:
  std::unique_ptr<LoadedCode> kernels_;
  std::vector<std::pair<std::string, std::shared_ptr<LoadedCode>>> programs_;  // by source text, the latest last; few
};

class CudaSet final : public device::ResidentSet {
 public:
  struct Input {
    Memory memory;
    DType dtype = DType::f32;
    std::size_t bytes = 0;
  };
  struct Output {
    Memory value, bound;  // f64 or i64; f64, or empty if every element is exact
    bool has_bound = false;
    DType dtype = DType::f32;
    std::int64_t count = 0;
  };
  explicit CudaSet(std::shared_ptr<Context> context);
  CudaSet(const CudaSet&) = delete;
  CudaSet& operator=(const CudaSet&) = delete;
  ~CudaSet() override;
  std::size_t bytes() const override;
  bool has_references() const override { return references; }
  const std::map<std::string, std::vector<std::int64_t>>& shapes() const override { return all_shapes; }
  Result<op::HostTensor> input(const std::string& name) const override;
  Result<op::ReferenceTensor> reference(const std::string& name) const override;
  bool of(const Context& context) const { return context_.get() == &context; }

  std::map<std::string, std::vector<std::int64_t>> all_shapes;
  std::map<std::string, Input> inputs;
  std::map<std::string, Output> outputs;
  bool references = false;

  struct Sealed {      // a part of the set's memory that no kernel may change, and its original digest
    std::string name;  // "the input x", "the reference of y"
    CUdeviceptr address = 0;
    std::int64_t words = 0;
    std::uint64_t digest = 0;
  };
  const std::vector<Sealed>& sealed() const { return sealed_; }
  Status seal();  // call when everything is generated

 private:
  Status copy(void* to, const Memory& from, std::size_t bytes) const;
  const std::shared_ptr<Context> context_;
  std::vector<Sealed> sealed_;
};

// Names what a kernel changed in the resident sets; empty: nothing. Reads all of them: about 0.3 ms per GiB on an H200.
Result<std::string> damage(Context& context);

Result<std::shared_ptr<const device::ResidentSet>> make_resident_set(std::shared_ptr<Context> context,
                                                                     const op::Spec& spec,
                                                                     const device::SetRequest& request,
                                                                     compile::Compiler& compiler);
std::string architecture_of(const Context& context);  // "sm_90a"

}  // namespace ww::cuda
