// SPDX-License-Identifier: Apache-2.0
#include "gate/runner.h"
#include <algorithm>
#include <cstring>
#include "gate/compare.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

constexpr std::size_t printed_limit = 8 << 10;

// An error of a call that the candidate's own numbers can cause (too much memory, a launch the device refuses) is its failure.
bool is_ours(const Error& error) { return error.code == Code::cancelled || error.code == Code::internal || error.code == Code::unavailable; }

std::optional<FailingElement> unwritten_element(const std::string& name, const op::ReferenceTensor& expected, const std::vector<std::byte>& bytes,
                                                device::Execution::Unwritten unwritten) {
  const std::size_t size = dtype_size(expected.dtype);
  const std::size_t at = unwritten.first / size;
  FailingElement e;
  e.tensor = name;
  e.index = subscripts(static_cast<std::int64_t>(at), expected.shape);
  const bool real = is_real(expected.dtype);
  e.expected = real ? expected.value[at] : static_cast<double>(expected.integer[at]);
  e.actual = load_f64(expected.dtype, &bytes[at * size]);
  e.tolerance = real ? expected.bound[at] : 0;
  e.error_ulps = real ? static_cast<double>(ulp_distance(expected.dtype, round_to(expected.dtype, e.expected), e.actual)) : 0;
  e.wrong = static_cast<std::int64_t>((unwritten.count + size - 1) / size);
  e.total = static_cast<std::int64_t>(bytes.size() / size);
  return e;
}

std::string place_text(const FailingElement& e) {
  std::string text = e.tensor;
  if (e.index.empty()) return text;
  text += "[";
  for (std::size_t d = 0; d < e.index.size(); ++d) text += (d ? ", " : "") + std::to_string(e.index[d]);
  return text + "]";
}

class SetRun {
 public:
  SetRun(const op::Spec& spec, const candidate::Plan& plan, const Reference& reference, const RunOptions& options, device::Execution& execution)
      : spec_(spec), plan_(plan), reference_(reference), options_(options), execution_(execution) {}

  Result<RunOutcome> run() {
    if (Status s = prepare(); !s) return blame(s.error());
    for (const candidate::PlannedLaunch& launch : plan_.launches) {
      device::LaunchOptions how;
      how.checks = options_.checks;
      how.counters = options_.counters;
      how.threads = options_.threads;
      how.reverse = options_.reverse;
      how.budget = options_.budget;
      how.cancel = options_.cancel;
      Result<device::LaunchOutcome> done = execution_.launch(launch, how);
      if (!done) return blame(done.error());
      out_.seconds += done->seconds;
      if (options_.counters) out_.counts += done->counts;
      if (out_.printed.size() < printed_limit) out_.printed += done->printed.substr(0, printed_limit - out_.printed.size());
      if (done->fault) return faulty(*done->fault);
    }
    const auto guards = execution_.check_guards();
    if (!guards) return blame(guards.error());
    if (*guards) return faulty(**guards);
    if (Status s = check_inputs(); !s) return blame(s.error());
    if (!out_.right) return std::move(out_);
    if (Status s = check_outputs(); !s) return blame(s.error());
    return std::move(out_);
  }

 private:
  Status prepare() {
    for (const op::Param& p : spec_.inputs) {
      const op::HostTensor& t = reference_.inputs.at(p.name);
      const auto count = static_cast<std::int64_t>(t.bytes.size() / dtype_size(t.dtype));
      if (Status s = execution_.allocate(p.name, t.dtype, count, device::Access::read_only); !s) return s;
      if (Status s = execution_.write(p.name, t.bytes); !s) return s;
    }
    const auto writable = [&](const std::string& name, DType dtype, std::int64_t count, bool zeroed) -> Status {
      if (Status s = execution_.allocate(name, dtype, count, device::Access::read_write); !s) return s;
      return zeroed ? execution_.zero(name) : execution_.poison(name, options_.poison);
    };
    for (const op::Param& p : spec_.outputs) {
      const op::ReferenceTensor& t = reference_.outputs.at(p.name);
      const bool zeroed = std::find(plan_.zeroed_outputs.begin(), plan_.zeroed_outputs.end(), p.name) != plan_.zeroed_outputs.end();
      if (Status s = writable(p.name, t.dtype, op::element_count(t.shape), zeroed); !s) return s;
    }
    for (const candidate::PlannedTensor& t : plan_.temps)
      if (Status s = writable(t.name, t.dtype, t.count, t.zeroed); !s) return s;
    return {};
  }

  Status check_inputs() {
    for (const op::Param& p : spec_.inputs) {
      const Result<bool> same = execution_.holds(p.name, reference_.inputs.at(p.name).bytes);
      if (!same) return fail(same.error());
      if (*same) continue;
      out_.right = false;
      out_.message = "the input " + p.name + " was changed";
      out_.fault = Fault{};
      out_.fault->kind = "input changed";
      out_.fault->message = out_.message;
      out_.fault->buffer = p.name;
      return {};
    }
    return {};
  }

  Status check_outputs() {
    double worst = -1;
    for (const op::Param& p : spec_.outputs) {
      const op::ReferenceTensor& expected = reference_.outputs.at(p.name);
      std::vector<std::byte>& bytes = out_.outputs[p.name];
      bytes.resize(static_cast<std::size_t>(op::element_count(expected.shape)) * dtype_size(expected.dtype));
      if (Status s = execution_.read(p.name, bytes); !s) return s;
      const auto unwritten = execution_.unwritten(p.name);
      if (!unwritten) return fail(unwritten.error());
      if (unwritten->count > 0) {
        out_.right = false;
        out_.element = unwritten_element(p.name, expected, bytes, *unwritten);
        out_.message = place_text(*out_.element) + " was never written (" + std::to_string(out_.element->wrong) + " of " +
                       std::to_string(out_.element->total) + " elements were not)";
        return {};
      }
      const Result<Comparison> compared = compare(p.name, expected, bytes, options_.threads);
      if (!compared) return fail(compared.error());
      out_.checked[p.name] = compared->total - compared->unchecked;
      if (!compared->worst) continue;
      // The most telling of several wrong outputs: the one with the largest share of wrong elements.
      const double share = static_cast<double>(compared->worst->wrong) / static_cast<double>(std::max<std::int64_t>(1, compared->worst->total));
      if (share <= worst) continue;
      worst = share;
      out_.right = false;
      out_.element = compared->worst;
      out_.message = describe(*compared->worst);
    }
    return {};
  }

  Result<RunOutcome> faulty(const device::Fault& fault) {
    out_.right = false;
    out_.fault = to_fault(fault);
    out_.message = fault.message;
    return std::move(out_);
  }

  Result<RunOutcome> blame(const Error& error) {
    if (is_ours(error)) return fail(error);
    out_.right = false;
    out_.message = error.text();
    out_.fault = Fault{};
    out_.fault->kind = error.code == Code::unsupported ? "unsupported" : "launch refused";
    out_.fault->message = error.text();
    return std::move(out_);
  }

  const op::Spec& spec_;
  const candidate::Plan& plan_;
  const Reference& reference_;
  const RunOptions& options_;
  device::Execution& execution_;
  RunOutcome out_;
};

}  // namespace

Fault to_fault(const device::Fault& f) {
  Fault out;
  out.kind = f.kind;
  out.message = f.message;
  out.kernel = f.kernel;
  out.line = f.line;
  std::copy(f.block, f.block + 3, out.block);
  std::copy(f.thread, f.thread + 3, out.thread);
  out.address = f.address;
  out.buffer = f.buffer;
  out.offset = f.offset;
  return out;
}

Result<RunOutcome> run_set(const op::Spec& spec, const candidate::Plan& plan, const device::Module& module, const Reference& reference,
                           const RunOptions& options) {
  Result<std::unique_ptr<device::Execution>> execution = module.execution();
  if (!execution) return fail(execution.error());
  return SetRun(spec, plan, reference, options, **execution).run();
}

std::vector<Difference> differences(const Reference& reference, const Outputs& a, const Outputs& b) {
  std::vector<Difference> out;
  for (const auto& [name, expected] : reference.outputs) {
    const auto first = a.find(name), second = b.find(name);
    if (first == a.end() || second == b.end() || first->second == second->second) continue;
    const std::size_t size = dtype_size(expected.dtype);
    Difference d;
    d.tensor = name;
    d.integer = is_integer(expected.dtype);
    d.total = static_cast<std::int64_t>(first->second.size() / size);
    for (std::int64_t i = 0; i < d.total; ++i) {
      const std::byte* x = &first->second[static_cast<std::size_t>(i) * size];
      const std::byte* y = &second->second[static_cast<std::size_t>(i) * size];
      if (std::memcmp(x, y, size) == 0) continue;
      if (d.count++ > 0) continue;
      d.index = subscripts(i, expected.shape);
      d.first = load_f64(expected.dtype, x);
      d.second = load_f64(expected.dtype, y);
    }
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace ww::gate
