// SPDX-License-Identifier: Apache-2.0
#include "cuda/module.h"
#include <mutex>
#include "device/marshal.h"

namespace ww::cuda {
namespace {

class CudaModule final : public device::Module {
 public:
  CudaModule(std::shared_ptr<Context> context, std::shared_ptr<const Image> image, std::unique_ptr<LoadedCode> first)
      : context_(std::move(context)), image_(std::move(image)), first_(std::move(first)) {
    for (const device::Entry& e : image_->entries) {
      device::KernelFacts facts;
      facts.name = e.name;
      for (const device::Parameter& p : e.parameters) facts.parameters.push_back(p.type);
      kernels_.push_back(std::move(facts));
    }
  }
  const std::vector<device::KernelFacts>& kernels() const override { return kernels_; }
  Status fits(const candidate::PlannedLaunch& launch) const override {
    const device::Entry* entry = image_->entry(launch.kernel);
    if (!entry) return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
    WW_TRY(device::marshal(launch, entry->parameters, entry->bytes));
    return {};
  }
  Result<std::unique_ptr<device::Execution>> execution() const override {
    WW_TRY(enter(*context_));
    std::unique_ptr<LoadedCode> code;
    {
      std::lock_guard lock(mutex_);
      code = std::move(first_);
    }
    if (!code) {
      std::unique_ptr<LoadedCode> loaded = WW_TRY(LoadedCode::load(*context_, image_));
      code = std::move(loaded);
    }
    return make_execution(context_, std::move(code));
  }

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const Image> image_;
  std::vector<device::KernelFacts> kernels_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<LoadedCode>
      first_;  // the instance that load() created to check the code; nothing has run in it
};

}  // namespace

Result<std::shared_ptr<const device::Module>> load_module(std::shared_ptr<Context> context,
                                                          const compile::Output& output) {
  WW_TRY(enter(*context));
  const auto image = WW_TRY(make_image(output));
  std::unique_ptr<LoadedCode> first = WW_TRY(LoadedCode::load(*context, image));
  return std::make_shared<const CudaModule>(std::move(context), image, std::move(first));
}

}  // namespace ww::cuda
