// SPDX-License-Identifier: Apache-2.0
#include "gate/fake_device.h"
#include <algorithm>
#include <cstring>
#include "gate/compare.h"
#include "gate/reference.h"

namespace ww::test {
namespace {

constexpr std::byte guard_byte{0xEE};

class FakeSet final : public device::ResidentSet {
 public:
  std::shared_ptr<const gate::Reference> host;
  std::map<std::string, op::ReferenceTensor> outputs;
  std::map<std::string, std::vector<std::int64_t>> all_shapes;
  bool references = true;
  std::size_t bytes() const override { return host->bytes; }
  bool has_references() const override { return references; }
  const std::map<std::string, std::vector<std::int64_t>>& shapes() const override { return all_shapes; }
  Result<op::HostTensor> input(const std::string& name) const override { return host->inputs.at(name); }
  Result<op::ReferenceTensor> reference(const std::string& name) const override { return outputs.at(name); }
};

const FakeSet& fake(const device::ResidentSet& set) { return dynamic_cast<const FakeSet&>(set); }

class FakeModule final : public device::Module {
 public:
  explicit FakeModule(FakeDevice& device) : device_(device), kernels_(device.kernels), fit_error_(device.fit_error) {
    for (const auto& [name, k] : kernels_) facts_.push_back({name, {}});
  }
  const std::vector<device::KernelFacts>& kernels() const override { return facts_; }
  Status fits(const candidate::PlannedLaunch& launch) const override {
    if (!kernels_.count(launch.kernel))
      return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
    if (fit_error_) return fail(*fit_error_);
    return {};
  }
  Result<std::unique_ptr<device::Execution>> execution() const override {
    return std::make_unique<FakeExecution>(kernels_, device_);
  }

 private:
  FakeDevice& device_;
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

Status FakeExecution::renew(std::uint64_t where) {
  buffers_.clear();
  place = where;
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
  if (!device_.what.tracks_writes) return u;
  u.count = static_cast<std::size_t>(std::count(b.written.begin(), b.written.end(), false));
  u.first = static_cast<std::size_t>(std::find(b.written.begin(), b.written.end(), false) - b.written.begin());
  return u;
}

Result<std::optional<Fault>> FakeExecution::check_guards() const {
  for (const auto& [name, b] : buffers_)
    for (std::size_t i = 0; i < guard; ++i)
      if (b.bytes[i] != guard_byte || b.bytes[b.bytes.size() - 1 - i] != guard_byte) {
        Fault f;
        f.kind = FaultKind::out_of_bounds;
        f.message = "memory beside " + name + " was changed";
        f.buffer = name;
        return std::optional(f);
      }
  return std::optional<Fault>();
}

Result<device::LaunchOutcome> FakeExecution::launch(const candidate::PlannedLaunch& launch,
                                                    const device::LaunchOptions& options) {
  if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  if (!device_.context) return fail(Code::unavailable, "the context is lost");
  device::LaunchOutcome out;
  out.fault = kernels_.at(launch.kernel)(*this, launch, options);
  if (device_.launch_seconds) out.seconds = device_.launch_seconds(launch);
  if (options.counters)
    out.counts.values = {{"launches", 1}, {"threads", static_cast<double>(launch.grid[0]) * launch.block[0]}};
  return out;
}

Result<std::shared_ptr<const device::Module>> FakeDevice::load(const compile::Output&) {
  if (load_error) return fail(*load_error);
  return std::make_shared<const FakeModule>(*this);
}

Status FakeExecution::fill(const std::string& name, const device::ResidentSet& set) {
  return write(name, fake(set).host->inputs.at(name).bytes);
}

Result<bool> FakeExecution::holds_set(const std::string& name, const device::ResidentSet& set) const {
  return holds(name, fake(set).host->inputs.at(name).bytes);
}

Result<device::ResidentComparison> FakeExecution::compare_set(const std::string& name,
                                                              const device::ResidentSet& set) const {
  const op::ReferenceTensor& expected = fake(set).outputs.at(name);
  const Buffer& b = buffers_.at(name);
  const Result<gate::Comparison> c = gate::compare(name, expected, std::span(b.bytes).subspan(guard, b.size()), 1);
  if (!c) return fail(c.error());
  device::ResidentComparison out;
  out.total = c->total;
  out.unchecked = c->unchecked;
  out.largest_ratio = c->largest_ratio;
  if (!c->worst) return out;
  out.wrong = c->worst->wrong;
  out.worst = 0;
  for (std::size_t d = 0; d < expected.shape.size(); ++d)
    out.worst = out.worst * expected.shape[d] + c->worst->index[d];
  out.expected = c->worst->expected;
  out.actual = c->worst->actual;
  out.bound = c->worst->tolerance;
  return out;
}

Result<std::uint64_t> FakeExecution::address(const std::string& name) const {
  return reinterpret_cast<std::uint64_t>(buffers_.at(name).bytes.data() + guard);
}

void FakeDevice::be_hardware() {
  what.name = "fake:0";
  what.provenance = Provenance::measured;
  what.makes_sets = what.measures = true;
  what.tracks_writes = false;
  what.architecture = "sm_90";
  what.memory = std::int64_t{1} << 30;
}

Result<std::shared_ptr<const device::ResidentSet>> FakeDevice::make_set(const op::Spec& spec,
                                                                        const device::SetRequest& request,
                                                                        compile::Compiler&) {
  if (set_error) return fail(*set_error);
  auto set = std::make_shared<FakeSet>();
  auto made = gate::make_reference(spec, {request.binding, request.distribution, request.seed}, 1, request.stop);
  if (!made) return fail(made.error());
  set->host = *made;
  set->outputs = (*made)->outputs;
  set->references = request.references;
  for (const auto& [name, t] : (*made)->inputs) set->all_shapes[name] = t.shape;
  for (auto& [name, t] : set->outputs) {
    set->all_shapes[name] = t.shape;
    if (spoil_reference) spoil_reference(t);
  }
  ++sets_made;
  return std::shared_ptr<const device::ResidentSet>(std::move(set));
}

Result<std::vector<profile::SubjectTiming>> FakeDevice::time(std::span<const device::TimedSubject> subjects,
                                                             const device::TimeOptions& options) {
  if (time_error) return fail(*time_error);
  std::vector<profile::SubjectTiming> out;
  for (const device::TimedSubject& s : subjects) {
    timed_zeroed.emplace_back();
    for (const auto& z : s.zeroed) timed_zeroed.back().push_back(z.name);
    for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
      if (!(cache == profile::Cache::cold ? options.cold : options.warm)) continue;
      profile::SubjectTiming t;
      t.subject = s.name;
      t.cache = cache;
      out.push_back(std::move(t));
    }
  }
  for (int round = 0; round < options.rounds; ++round) {
    if (options.before_round)
      if (Status s = options.before_round(round); !s) return fail(s.error());
    for (const device::TimedSubject& s : subjects)
      for (int sample = 0; sample < options.samples; ++sample) {
        for (const auto& z : s.zeroed)
          if (Status done = s.execution->zero(z.name); !done) return fail(done.error());
        if (s.enqueue)
          if (Status done = s.enqueue(nullptr); !done) return fail(done.error());
        for (const candidate::PlannedLaunch& l : s.launches) {
          const auto done = s.execution->launch(l, {});
          if (!done) return fail(done.error());
          if (done->fault) return fail(Code::device, done->fault->message);
        }
        for (profile::SubjectTiming& t : out) {
          if (t.subject != s.name) continue;
          profile::TimedSample one;
          one.us = time_us ? time_us(s.name) : 10;
          one.round = round;
          one.clocks.sm_mhz = 1500 + round;
          t.samples.push_back(one);
        }
      }
  }
  return out;
}

Result<profile::CounterReport> FakeDevice::count(device::Execution&, std::span<const candidate::PlannedLaunch> launches,
                                                 const std::string& set, const std::stop_token&) {
  profile::CounterReport report = counters;
  report.set = set;
  if (report.kernels.empty() && report.why_not.empty())
    for (std::size_t i = 0; i < launches.size(); ++i) {
      profile::KernelCounters k;
      k.kernel = launches[i].kernel;
      k.launch = static_cast<int>(i);
      k.values = {{"dram__bytes.sum", "byte", 100}, {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", 50}};
      report.kernels.push_back(std::move(k));
    }
  return report;
}

Result<profile::DeviceDetails> FakeDevice::details() {
  profile::DeviceDetails d;
  d.name = what.name;
  d.gpu = "Fake GPU";
  d.architecture = what.architecture;
  d.l2 = 1 << 12;
  d.peak_bandwidth = 1e10;
  d.peak_f32 = 1e13;
  return d;
}

Result<profile::Ceilings> FakeDevice::ceilings(compile::Compiler&, const std::stop_token&) {
  profile::Ceilings c;
  c.copy_bandwidth = 8e9;
  c.matrix_rate = {{"f32", 5e12}};
  c.device = "Fake GPU";
  return c;
}

Result<compile::Output> FakeCompiler::compile(const compile::Request& request) {
  last = request;
  if (error) return fail(*error);
  compile::Output out;
  out.ptx = ptx;
  out.compiler = "fake compiler";
  return out;
}

}  // namespace ww::test
