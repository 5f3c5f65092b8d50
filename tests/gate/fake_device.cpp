// SPDX-License-Identifier: Apache-2.0
#include "gate/fake_device.h"
#include <algorithm>
#include <cstring>

namespace ww::test {
namespace {

constexpr std::byte guard_byte{0xEE};

class FakeModule final : public device::Module {
 public:
  explicit FakeModule(const FakeDevice& device) : kernels_(device.kernels), fit_error_(device.fit_error) {
    for (const auto& [name, k] : kernels_) facts_.push_back({name, {}});
  }
  const std::vector<device::KernelFacts>& kernels() const override { return facts_; }
  Status fits(const candidate::PlannedLaunch& launch) const override {
    if (!kernels_.count(launch.kernel)) return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
    if (fit_error_) return fail(*fit_error_);
    return {};
  }
  Result<std::unique_ptr<device::Execution>> execution() const override { return std::make_unique<FakeExecution>(kernels_); }

 private:
  const std::map<std::string, Kernel> kernels_;
  const std::optional<Error> fit_error_;
  std::vector<device::KernelFacts> facts_;
};

}  // namespace

double FakeExecution::get(const std::string& name, std::int64_t i) const {
  const Buffer& b = buffers_.at(name);
  return load_f64(b.dtype, b.bytes.data() + guard + i * static_cast<std::int64_t>(dtype_size(b.dtype)));
}

void FakeExecution::set(const std::string& name, std::int64_t i, double value) {
  Buffer& b = buffers_.at(name);
  const auto size = static_cast<std::int64_t>(dtype_size(b.dtype));
  store_f64(b.dtype, b.bytes.data() + guard + i * size, value);
  if (i < 0 || i >= b.count) return;
  for (std::int64_t k = 0; k < size; ++k) b.written[static_cast<std::size_t>(i * size + k)] = true;
}

Status FakeExecution::allocate(const std::string& name, DType dtype, std::int64_t count, device::Access) {
  Buffer b;
  b.dtype = dtype;
  b.count = count;
  b.written.assign(static_cast<std::size_t>(count) * dtype_size(dtype), false);
  b.bytes.assign(b.written.size() + 2 * guard, guard_byte);
  buffers_[name] = std::move(b);
  return {};
}

Status FakeExecution::write(const std::string& name, std::span<const std::byte> bytes) {
  Buffer& b = buffers_.at(name);
  if (bytes.size() != b.size()) return fail(Code::internal, "wrong size");
  std::copy(bytes.begin(), bytes.end(), b.bytes.begin() + guard);
  b.written.assign(b.size(), true);
  return {};
}

Status FakeExecution::poison(const std::string& name, std::uint8_t pattern) {
  Buffer& b = buffers_.at(name);
  std::fill_n(b.bytes.begin() + guard, b.size(), std::byte{pattern});
  b.written.assign(b.size(), false);
  return {};
}

Status FakeExecution::zero(const std::string& name) {
  Buffer& b = buffers_.at(name);
  std::fill_n(b.bytes.begin() + guard, b.size(), std::byte{0});
  b.written.assign(b.size(), true);
  return {};
}

Status FakeExecution::read(const std::string& name, std::span<std::byte> bytes) const {
  const Buffer& b = buffers_.at(name);
  if (bytes.size() != b.size()) return fail(Code::internal, "wrong size");
  std::copy_n(b.bytes.begin() + guard, b.size(), bytes.begin());
  return {};
}

Result<bool> FakeExecution::holds(const std::string& name, std::span<const std::byte> bytes) const {
  const Buffer& b = buffers_.at(name);
  return bytes.size() == b.size() && std::equal(bytes.begin(), bytes.end(), b.bytes.begin() + guard);
}

Result<device::Execution::Unwritten> FakeExecution::unwritten(const std::string& name) const {
  const Buffer& b = buffers_.at(name);
  Unwritten u;
  u.count = static_cast<std::size_t>(std::count(b.written.begin(), b.written.end(), false));
  u.first = static_cast<std::size_t>(std::find(b.written.begin(), b.written.end(), false) - b.written.begin());
  return u;
}

Result<std::optional<device::Fault>> FakeExecution::check_guards() const {
  for (const auto& [name, b] : buffers_)
    for (std::size_t i = 0; i < guard; ++i)
      if (b.bytes[i] != guard_byte || b.bytes[b.bytes.size() - 1 - i] != guard_byte) {
        device::Fault f;
        f.kind = "out of bounds";
        f.message = "memory beside " + name + " was changed";
        f.buffer = name;
        return std::optional(f);
      }
  return std::optional<device::Fault>();
}

Result<device::LaunchOutcome> FakeExecution::launch(const candidate::PlannedLaunch& launch, const device::LaunchOptions& options) {
  if (options.cancel.cancelled()) return fail(Code::cancelled, "cancelled");
  device::LaunchOutcome out;
  out.fault = kernels_.at(launch.kernel)(*this, launch, options);
  if (options.counters) out.counts.values = {{"launches", 1}, {"threads", static_cast<double>(launch.grid[0]) * launch.block[0]}};
  return out;
}

Result<std::shared_ptr<const device::Module>> FakeDevice::load(const compile::Output&) {
  if (load_error) return fail(*load_error);
  return std::make_shared<const FakeModule>(*this);
}

Result<compile::Output> FakeCompiler::compile(const compile::Request& request) {
  last = request;
  if (error) return fail(*error);
  compile::Output out;
  out.ptx = "// fake";
  out.compiler = "fake compiler";
  return out;
}

}  // namespace ww::test
