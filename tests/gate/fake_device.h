// SPDX-License-Identifier: Apache-2.0
// A device whose kernels are functions of the test, and a compiler that compiles nothing: the gate's stages alone are under test.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "compile/compile.h"
#include "device/device.h"

namespace ww::test {

class FakeExecution;
using Kernel = std::function<std::optional<device::Fault>(FakeExecution&, const candidate::PlannedLaunch&, const device::LaunchOptions&)>;

class FakeExecution final : public device::Execution {
 public:
  explicit FakeExecution(const std::map<std::string, Kernel>& kernels) : kernels_(kernels) {}
  // For kernels: elements by number. Reading or writing outside a buffer lands in its guard zone.
  double get(const std::string& name, std::int64_t i) const;
  void set(const std::string& name, std::int64_t i, double value);
  std::int64_t count(const std::string& name) const { return buffers_.at(name).count; }
  int state = 0;  // what a device global would be

  Status allocate(const std::string& name, DType dtype, std::int64_t count, device::Access access) override;
  Status write(const std::string& name, std::span<const std::byte> bytes) override;
  Status poison(const std::string& name, std::uint8_t pattern) override;
  Status zero(const std::string& name) override;
  Status read(const std::string& name, std::span<std::byte> bytes) const override;
  Result<bool> holds(const std::string& name, std::span<const std::byte> bytes) const override;
  Result<Unwritten> unwritten(const std::string& name) const override;
  Result<std::optional<device::Fault>> check_guards() const override;
  Result<device::LaunchOutcome> launch(const candidate::PlannedLaunch& launch, const device::LaunchOptions& options) override;

 private:
  static constexpr std::size_t guard = 64;
  struct Buffer {
    DType dtype = DType::f32;
    std::int64_t count = 0;
    std::vector<std::byte> bytes;   // with a guard zone on both sides
    std::vector<bool> written;      // per byte, without the guards
    std::size_t size() const { return bytes.size() - 2 * guard; }
  };
  const std::map<std::string, Kernel>& kernels_;
  std::map<std::string, Buffer> buffers_;
};

class FakeDevice final : public device::Device {
 public:
  std::map<std::string, Kernel> kernels;
  std::optional<Error> load_error, fit_error;
  device::Facts what{"fake", "functions of the test", "simulated", 0, 1e5, true};
  const device::Facts& facts() const override { return what; }
  Result<std::shared_ptr<const device::Module>> load(const compile::Output& output) override;
};

class FakeCompiler final : public compile::Compiler {
 public:
  std::optional<Error> error;
  compile::Request last;
  Result<compile::Output> compile(const compile::Request& request) override;
  const compile::Toolkit& toolkit() const override { return toolkit_; }
  std::vector<std::string> headers() const override { return {}; }
  void preload() override {}

 private:
  compile::Toolkit toolkit_;
};

}  // namespace ww::test
