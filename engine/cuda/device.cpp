// SPDX-License-Identifier: Apache-2.0
#include "cuda/device.h"
#include <charconv>
#include "cuda/context.h"
#include "cuda/internal.h"
#include "cuda/memory.h"
#include "cuda/module.h"
#include "cuda/resident.h"
#include "device/work_limits.h"

namespace ww::cuda {
namespace {

class CudaDevice final : public device::Device {
 public:
  explicit CudaDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {
    const Context& c = *context_;
    char gpu[256] = {};
    std::size_t total = 0, free = 0;
    c.driver->cuDeviceGetName_(gpu, sizeof gpu - 1, c.device);
    c.driver->cuDeviceTotalMem_(&total, c.device);
    c.driver->cuMemGetInfo_(&free, &total);
    const std::string release = driver_release();
    const std::string cuda =
        "CUDA " + std::to_string(c.driver->version / 1000) + "." + std::to_string(c.driver->version % 1000 / 10);
    facts_.name = c.name;
    facts_.gpu = gpu;
    facts_.description = facts_.gpu + ", " + std::to_string(c.multiprocessors) + " multiprocessors, " +
                         bytes_text(total) + ", " +
                         (release.empty() ? "driver for " + cuda : "driver " + release + " (" + cuda + ")");
    facts_.provenance = Provenance::measured;
    facts_.architecture = architecture_of(c);
    // Guard zones only show writes; the hardware detects page faults and misaligned addresses.
    using evidence::CheckCoverage;
    facts_.checks = {CheckCoverage::partly, CheckCoverage::yes, CheckCoverage::no, CheckCoverage::no};
    using evidence::Varied;
    facts_.surroundings = {0,          Varied::yes, Varied::yes, Varied::no, Varied::no,  Varied::no, Varied::no,
                           Varied::no, Varied::no,  Varied::no,  Varied::no, Varied::yes, Varied::yes};
    facts_.makes_sets = true;
    facts_.measures = true;
    const device::WorkLimits limits = device::work_limits(facts_.name);
    facts_.default_work_limit = limits.default_case;
    facts_.case_work_limit = limits.further_case;
    facts_.memory = static_cast<std::int64_t>(free - std::min(free, memory_reserve(c)));
  }

  const device::Facts& facts() const override { return facts_; }
  Result<std::shared_ptr<const device::Module>> load(const compile::Output& output) override {
    return load_module(context_, output);
  }
  bool usable() const override { return context_->usable; }
  Result<std::shared_ptr<const device::ResidentSet>> make_set(const op::Spec& spec, const device::SetRequest& request,
                                                              compile::Compiler& compiler) override {
    return make_resident_set(context_, spec, request, compiler);
  }
  Result<std::vector<profile::SubjectTiming>> time(std::span<const device::TimedSubject> subjects,
                                                   const device::TimeOptions& options) override {
    WW_TRY(enter(*context_));
    return time_subjects(*context_, subjects, options);
  }
  Result<profile::CounterReport> count(device::Execution& execution, std::span<const candidate::PlannedLaunch> launches,
                                       const std::string& set, const std::stop_token& stop) override {
    WW_TRY(enter(*context_));
    return count_launches(*context_, execution, launches, set, stop);
  }
  Result<profile::DeviceDetails> details() override {
    WW_TRY(enter(*context_));
    return read_details(*context_);
  }
  Result<profile::Ceilings> ceilings(compile::Compiler& compiler, const std::stop_token& stop) override {
    WW_TRY(enter(*context_));
    return measure_ceilings(*context_, compiler, stop);
  }

 private:
  const std::shared_ptr<Context> context_;
  device::Facts facts_;
};

}  // namespace

Result<std::unique_ptr<device::Device>> open(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  int ordinal = -1;
  const std::string_view digits = name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || ordinal < 0)
    return fail(Code::unavailable, "there is no device '" + std::string(name) + "': GPUs are called cuda:0, cuda:1, …");
  std::shared_ptr<Context> context = WW_TRY(open_context(ordinal));
  return std::make_unique<CudaDevice>(std::move(context));
}

void register_devices() {
  device::add_kind("cuda", [](std::string_view name) { return open(name); });
}

int device_count() {
  const Result<const Driver*> driver = Driver::get();
  int count = 0;
  return driver && (*driver)->cuDeviceGetCount_(&count) == CUDA_SUCCESS ? count : 0;
}

}  // namespace ww::cuda
