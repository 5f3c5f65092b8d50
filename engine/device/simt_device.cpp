// SPDX-License-Identifier: Apache-2.0
// The SIMT machine as a device. Guard zones need no check of their own here: what lies between buffers is unmapped, so
// that an access outside a buffer is a fault at the instruction that makes it. Read-only buffers likewise.
#include <algorithm>
#include <cstring>
#include <map>
#include "base/draw.h"
#include "device/device.h"
#include "device/marshal.h"
#include "device/simt_counts.h"
#include "device/work_limits.h"
#include "simt/simt.h"

namespace ww::device {
namespace {

constexpr std::size_t memory_limit = std::size_t{1}
                                     << 30;  // bytes of one execution's buffers; every input set fills them anew

// Code without line information is its own source: a PTX candidate's lines are those of its text.
bool has_source_lines(const simt::Program& program) {
  for (const simt::KernelInfo& kernel : program.kernels())
    for (const simt::InstructionInfo& i : program.instructions(kernel.name))
      if (i.source_line > 0) return true;
  return false;
}

std::vector<Parameter> parameters_of(const simt::KernelInfo& kernel) {
  std::vector<Parameter> out;
  for (const simt::ParamInfo& p : kernel.params) out.push_back({p.type, p.size, p.offset, p.is_array});
  return out;
}

class SimtExecution final : public Execution {
 public:
  SimtExecution(std::shared_ptr<const simt::Program> program, bool source_lines)
      : program_(std::move(program)), source_lines_(source_lines), memory_(memory_limit) {}

  Status renew(std::uint64_t place) override {
    for (const auto& [name, b] : buffers_) WW_TRY(memory_.free(b.address));
    buffers_.clear();
    memory_.scatter(place);
    garbage_ = place | 1;
    return {};
  }
  Status allocate(const std::string& name, DType dtype, std::int64_t count, Access access) override {
    if (count < 0)
      return fail(Code::invalid_argument, "the tensor " + name + " would have a negative number of elements");
    if (buffers_.count(name)) return fail(Code::internal, "the tensor " + name + " is allocated twice");
    const std::size_t bytes = static_cast<std::size_t>(count) * dtype_size(dtype);
    if (bytes > memory_limit)
      return fail(Code::unsupported,
                  "the tensor " + name + " of " + std::to_string(bytes) + " bytes does not fit in the device's memory");
    const std::uint64_t address = WW_TRY(memory_.allocate(bytes, name));
    return keep(name, {address, bytes, address}, access);
  }
  Status allocate_end(const std::string& name, DType dtype, std::int64_t count, std::int64_t held,
                      Access access) override {
    if (held < 0 || held > count) return fail(Code::invalid_argument, "the end of " + name + " is not a part of it");
    if (buffers_.count(name)) return fail(Code::internal, "the tensor " + name + " is allocated twice");
    const std::uint64_t ahead = static_cast<std::uint64_t>(count - held) * dtype_size(dtype);
    const std::size_t bytes = static_cast<std::size_t>(held) * dtype_size(dtype);
    const std::uint64_t address = WW_TRY(memory_.allocate_end(ahead, bytes, name));
    return keep(name, {address, bytes, address - ahead}, access);
  }
  Status write(const std::string& name, std::span<const std::byte> bytes) override {
    const Buffer* b = find(name, bytes.size());
    return b ? memory_.write(b->address, bytes.data(), bytes.size()) : misfit(name);
  }
  Status poison(const std::string& name, std::uint8_t pattern) override {
    const Buffer* b = find(name);
    if (!b) return misfit(name);
    WW_TRY(memory_.poison(b->address, b->bytes, pattern));
    if (garbage_ == 0) return {};
    // Every other byte is drawn: nothing is recognised by its sameness, and reals stay as large as the pattern is.
    const std::span<std::byte> bytes = WW_TRY(memory_.span(b->address));
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      garbage_ = mmix(garbage_);
      bytes[i] = static_cast<std::byte>(garbage_ >> 56);
    }
    return {};
  }
  Status zero(const std::string& name) override {
    const Buffer* b = find(name);
    return b ? memory_.fill(b->address, 0, b->bytes) : misfit(name);
  }
  Status read(const std::string& name, std::span<std::byte> bytes) const override {
    const Buffer* b = find(name, bytes.size());
    return b ? memory_.read(b->address, bytes.data(), bytes.size()) : misfit(name);
  }
  Result<bool> holds(const std::string& name, std::span<const std::byte> bytes) const override {
    const Buffer* b = find(name, bytes.size());
    if (!b) return fail(misfit(name).error());
    const std::span<std::byte> now = WW_TRY(memory_.span(b->address));
    return bytes.empty() || std::memcmp(now.data(), bytes.data(), bytes.size()) == 0;
  }
  Result<Unwritten> unwritten(const std::string& name) const override {
    const Buffer* b = find(name);
    if (!b) return fail(misfit(name).error());
    const auto found = WW_TRY(memory_.uninitialised(b->address, b->bytes));
    return Unwritten{found.count, found.first, found.last};
  }
  Result<std::optional<Fault>> check_guards() const override { return std::optional<Fault>(); }
  Result<std::uint64_t> address(const std::string& name) const override {
    const Buffer* b = find(name);
    if (!b) return fail(misfit(name).error());
    return b->start;
  }

  Result<LaunchOutcome> launch(const candidate::PlannedLaunch& launch, const LaunchOptions& options) override {
    const simt::KernelInfo* kernel = program_->kernel(launch.kernel);
    if (!kernel) return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
    simt::LaunchConfig config;
    config.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    config.block = {launch.block[0], launch.block[1], launch.block[2]};
    config.dynamic_shared = launch.shared_bytes;
    LaunchOutcome out;
    const auto unsupported = [&](const std::string& why) {
      out.fault = Fault{};
      out.fault->kind = FaultKind::unsupported;
      out.fault->message = why;
      out.fault->kernel = launch.kernel;
      out.fault->line = source_lines_ ? kernel->source_line : kernel->ptx_line;
      return out;
    };
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1)
      return unsupported("the SIMT machine does not run thread-block clusters");
    std::vector<std::byte> block = WW_TRY(marshal(launch, parameters_of(*kernel), kernel->param_bytes,
                                                  [&](const std::string& tensor) -> std::optional<std::uint64_t> {
                                                    const Buffer* b = find(tensor);
                                                    return b ? std::optional(b->start) : std::nullopt;
                                                  }));
    config.params = std::move(block);
    simt::LaunchOptions how;
    how.checks = options.checks == Checks::full ? simt::Checks::full : simt::Checks::bounds;
    how.cooperative = launch.cooperative;
    how.counters = options.counters;
    how.threads = options.threads;
    how.order = options.order;
    how.instruction_budget = options.budget;
    how.surroundings = options.surroundings;
    how.inexact = options.inexact;
    how.first_block = {options.first_block[0], options.first_block[1], options.first_block[2]};
    if (const Buffer* b = options.watch.count > 0 ? find(options.watch.tensor) : nullptr)
      how.watch = {b->address + options.watch.first, options.watch.count};
    how.stop = options.stop;
    Result<simt::LaunchReport> report = simt::launch(*program_, launch.kernel, config, memory_, how);
    if (!report) {
      if (report.error().code == Code::unsupported) return unsupported(report.error().text());
      return fail(report.error());
    }
    if (report->fault) {
      out.fault = *report->fault;
      if (!source_lines_) out.fault->line = report->fault->ptx_line;
    }
    if (report->watched) {
      out.watched = *report->watched;
      if (!source_lines_) out.watched->line = report->watched->ptx_line;
    }
    if (options.counters)
      out.counts = counts_of(*report, config, source_lines_ ? nullptr : program_.get(), launch.kernel);
    out.reach = std::move(report->reach);
    out.printed = std::move(report->printed);
    if (report->printed_truncated) out.printed += "\n… (the rest of the output is left out)\n";
    out.seconds = report->seconds;
    return out;
  }

 private:
  struct Buffer {
    std::uint64_t address = 0;  // of what has memory
    std::size_t bytes = 0;      // that have memory
    std::uint64_t start = 0;    // of the tensor
  };
  Status keep(const std::string& name, const Buffer& b, Access access) {
    buffers_[name] = b;
    if (access == Access::read_only) return memory_.set_read_only(b.address, true);
    return {};
  }
  const Buffer* find(const std::string& name, std::optional<std::size_t> bytes = {}) const {
    const auto at = buffers_.find(name);
    return at == buffers_.end() || (bytes && *bytes != at->second.bytes) ? nullptr : &at->second;
  }
  Status misfit(const std::string& name) const {
    return fail(Code::internal, buffers_.count(name) ? "the tensor " + name + " has a different size on the device"
                                                     : "the tensor " + name + " has no memory");
  }

  std::shared_ptr<const simt::Program> program_;
  const bool source_lines_;
  mutable simt::Memory memory_;
  std::uint64_t garbage_ = 0;  // state of its generator; 0: only the poison pattern
  std::map<std::string, Buffer> buffers_;
};

class SimtModule final : public Module {
 public:
  explicit SimtModule(std::shared_ptr<const simt::Program> program)
      : program_(std::move(program)), source_lines_(has_source_lines(*program_)) {
    for (const simt::KernelInfo& k : program_->kernels()) {
      KernelFacts facts;
      facts.name = k.name;
      for (const simt::ParamInfo& p : k.params) facts.parameters.push_back(p.type);
      kernels_.push_back(std::move(facts));
    }
  }
  const std::vector<KernelFacts>& kernels() const override { return kernels_; }
  Status fits(const candidate::PlannedLaunch& launch) const override {
    const simt::KernelInfo* kernel = program_->kernel(launch.kernel);
    if (!kernel) return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
    WW_TRY(marshal(launch, parameters_of(*kernel), kernel->param_bytes));
    return {};
  }
  Result<std::unique_ptr<Execution>> execution() const override {
    return std::make_unique<SimtExecution>(program_, source_lines_);
  }

 private:
  std::shared_ptr<const simt::Program> program_;
  const bool source_lines_;
  std::vector<KernelFacts> kernels_;
};

class SimtDevice final : public Device {
 public:
  SimtDevice() {
    facts_.name = "simt";
    facts_.description = "Warpwright's SIMT machine: PTX executed on the CPU";
    facts_.provenance = Provenance::simulated;
    const WorkLimits limits = work_limits(facts_.name);
    facts_.default_work_limit = limits.default_case;
    facts_.case_work_limit = limits.further_case;
    using evidence::CheckCoverage;
    // Some races only: docs/gate.md.
    facts_.checks = {CheckCoverage::yes, CheckCoverage::yes, CheckCoverage::yes, CheckCoverage::partly};
    facts_.tracks_writes = true;
    facts_.holds_ends = true;
    facts_.chooses_order = true;
    using evidence::Varied;
    facts_.surroundings = {0,           Varied::yes,    Varied::yes,   Varied::yes, Varied::yes,
                           Varied::yes, Varied::yes,    Varied::yes,   Varied::yes, Varied::yes,
                           Varied::yes, Varied::absent, Varied::absent};
    facts_.memory = static_cast<std::int64_t>(memory_limit);
  }
  const Facts& facts() const override { return facts_; }
  Result<std::shared_ptr<const Module>> load(const compile::Output& output) override {
    std::shared_ptr<const simt::Program> program = WW_TRY(simt::load(output.ptx));
    return std::make_shared<const SimtModule>(std::move(program));
  }

 private:
  Facts facts_;
};

}  // namespace

std::unique_ptr<Device> open_simt() { return std::make_unique<SimtDevice>(); }

}  // namespace ww::device
