// SPDX-License-Identifier: Apache-2.0
// Compiled code: an image (the compiler's output, with the kernels' parameters) and its freshly loaded instances.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "compile/compile.h"
#include "cuda/internal.h"
#include "device/entries.h"

namespace ww::cuda {

struct Image {  // immutable
  std::string ptx, cubin;
  std::vector<device::Entry> entries;
  const device::Entry* entry(const std::string& kernel) const;
};
Result<std::shared_ptr<const Image>> make_image(const compile::Output& output);

// The outcome of an attempt to enqueue a launch.
struct Enqueued {
  CUresult code = CUDA_SUCCESS;
  std::string why;  // of a refusal: the numbers, if known
};

class LoadedCode {  // one instance with its own device globals. Must not outlive the context.
 public:
  // Loads the cubin, else the PTX. Code::compile with the driver's log if the code is at fault, Code::unsupported if it
  // is for another device.
  static Result<std::unique_ptr<LoadedCode>> load(Context& context, std::shared_ptr<const Image> image);
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();
  // On `stream`, without waiting. Errors: those of the arguments (see device/marshal.h).
  Result<Enqueued> enqueue(const candidate::PlannedLaunch& launch, const device::AddressOf& address_of,
                           CUstream stream);
  const std::shared_ptr<const Image>& image() const { return image_; }

 private:
  LoadedCode(Context& context, std::shared_ptr<const Image> image, CUmodule module)
      : context_(context), image_(std::move(image)), module_(module) {}
  struct Function {
    CUfunction handle = nullptr;
    int static_shared = 0, registers = 0, max_threads = 0;
    std::uint64_t dynamic_shared = 0;  // limit set so far
    bool large_clusters = false;       // allowed
  };
  Result<Function*> function(const std::string& kernel);
  Enqueued prepare(Function& function, const candidate::PlannedLaunch& launch);

  Context& context_;
  const std::shared_ptr<const Image> image_;
  CUmodule module_ = nullptr;
  std::map<std::string, Function> functions_;
};

}  // namespace ww::cuda
