// SPDX-License-Identifier: Apache-2.0
// A device whose kernels are functions of the test, and a compiler that compiles nothing: the gate's stages alone are
// under test. With facts().makes_sets and facts().measures it does what real hardware does, in the host's memory and
// with times that the test gives.
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
class FakeDevice;
using Kernel =
    std::function<std::optional<Fault>(FakeExecution&, const candidate::PlannedLaunch&, const device::LaunchOptions&)>;

class FakeExecution final : public device::Execution {
 public:
  FakeExecution(const std::map<std::string, Kernel>& kernels, FakeDevice& device)
      : kernels_(kernels), device_(device) {}
  // For kernels: elements by number. Reading or writing outside a buffer lands in its guard zone.
  double get(const std::string& name, std::int64_t i) const;
  void set(const std::string& name, std::int64_t i, double value);
  std::int64_t count(const std::string& name) const { return buffers_.at(name).count; }
  int state = 0;  // what a device global would be
  std::uint64_t place = 0;

  Status renew(std::uint64_t place) override;
  Status allocate(const std::string& name, DType dtype, std::int64_t count, device::Access access) override;
  Status write(const std::string& name, std::span<const std::byte> bytes) override;
  Status poison(const std::string& name, std::uint8_t pattern) override;
  Status zero(const std::string& name) override;
  Status read(const std::string& name, std::span<std::byte> bytes) const override;
  Result<bool> holds(const std::string& name, std::span<const std::byte> bytes) const override;
  Result<Unwritten> unwritten(const std::string& name) const override;
  Result<std::optional<Fault>> check_guards() const override;
  Result<device::LaunchOutcome> launch(const candidate::PlannedLaunch& launch,
                                       const device::LaunchOptions& options) override;
  Status fill(const std::string& name, const device::ResidentSet& set) override;
  Result<bool> holds_set(const std::string& name, const device::ResidentSet& set) const override;
  Result<device::ResidentComparison> compare_set(const std::string& name,
                                                 const device::ResidentSet& set) const override;
  Result<std::uint64_t> address(const std::string& name) const override;

 private:
  static constexpr std::size_t guard = 64;
  struct Buffer {
    DType dtype = DType::f32;
    std::int64_t count = 0;
    std::vector<std::byte> bytes;  // with a guard zone on both sides
    std::vector<bool> written;     // per byte, without the guards
    std::size_t size() const { return bytes.size() - 2 * guard; }
  };
  const std::map<std::string, Kernel>& kernels_;
  FakeDevice& device_;
  std::map<std::string, Buffer> buffers_;
};

class FakeDevice final : public device::Device {
 public:
  std::map<std::string, Kernel> kernels;
  std::optional<Error> load_error, fit_error;
  device::Facts what{"fake", "functions of the test", "", Provenance::simulated, 0, 1e5, {}, true};
  const device::Facts& facts() const override { return what; }
  Result<std::shared_ptr<const device::Module>> load(const compile::Output& output) override;

  // The rest is that of hardware.
  void be_hardware();   // makes sets, measures, tracks no writes
  bool context = true;  // false: lost
  int sets_made = 0;
  std::optional<Error> set_error, time_error;
  std::function<void(op::ReferenceTensor&)> spoil_reference;              // of every output
  std::function<double(const candidate::PlannedLaunch&)> launch_seconds;  // of the host; none: 0
  std::function<double(const std::string& subject)> time_us;              // of each sample; none: 10
  profile::CounterReport counters;
  std::vector<std::vector<std::string>> timed_zeroed;  // per timed subject
  bool usable() const override { return context; }
  Result<std::shared_ptr<const device::ResidentSet>> make_set(const op::Spec& spec, const device::SetRequest& request,
                                                              compile::Compiler& compiler) override;
  Result<std::vector<profile::SubjectTiming>> time(std::span<const device::TimedSubject> subjects,
                                                   const device::TimeOptions& options) override;
  Result<profile::CounterReport> count(device::Execution& execution, std::span<const candidate::PlannedLaunch> launches,
                                       const std::string& set, const std::stop_token& stop) override;
  Result<profile::DeviceDetails> details() override;
  Result<profile::Ceilings> ceilings(compile::Compiler& compiler, const std::stop_token& stop) override;
};

class FakeCompiler final : public compile::Compiler {
 public:
  std::optional<Error> error;
  compile::Request last;
  std::string ptx = "// fake";
  Result<compile::Output> compile(const compile::Request& request) override;
  const compile::Toolkit& toolkit() const override { return toolkit_; }
  ResultCache* kept() const override { return nullptr; }
  std::vector<std::string> headers() const override { return {}; }
  void preload() override {}

 private:
  compile::Toolkit toolkit_;
};

// The kernel of y[i] = a * x[i] with the arguments x, y, N, a.
inline std::optional<Fault> good_scale(FakeExecution& e, const candidate::PlannedLaunch& l,
                                       const device::LaunchOptions&) {
  for (std::int64_t i = 0; i < l.args.at(2).integer; ++i)
    e.set("y", i, static_cast<float>(l.args.at(3).real) * static_cast<float>(e.get("x", i)));
  return {};
}

}  // namespace ww::test
