// SPDX-License-Identifier: Apache-2.0
#include "gate/runner.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "evidence/explain.h"
#include "gate/compare.h"
#include "gate/positions.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

constexpr std::size_t printed_limit = 8 << 10;

// An error of a call that the candidate's own numbers can cause (too much memory, a launch the device refuses) is its
// failure.
bool is_ours(const Error& error) {
  return error.code == Code::cancelled || error.code == Code::internal || error.code == Code::unavailable;
}

FailingElement element_at(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape, std::int64_t at,
                          double expected, double actual, double tolerance) {
  FailingElement e;
  e.tensor = name;
  e.index = subscripts(at, shape);
  e.total = op::element_count(shape);
  e.expected = expected;
  e.actual = actual;
  e.tolerance = tolerance;
  e.error_ulps = is_real(dtype) ? static_cast<double>(ulp_distance(dtype, round_to(dtype, expected), actual))
                                : std::abs(actual - expected);
  return e;
}

FailingElement unwritten_element(const std::string& name, const op::ReferenceTensor& expected,
                                 const std::vector<std::byte>& bytes, device::Execution::Unwritten unwritten) {
  const std::size_t size = dtype_size(expected.dtype);
  const std::size_t at = unwritten.first / size;
  const bool real = is_real(expected.dtype);
  FailingElement e =
      element_at(name, expected.dtype, expected.shape, static_cast<std::int64_t>(at), expected.value_at(at),
                 load_f64(expected.dtype, &bytes[at * size]), real ? expected.bound[at] : 0);
  if (!real) e.error_ulps = 0;
  e.wrong = static_cast<std::int64_t>((unwritten.count + size - 1) / size);
  e.unwritten = true;
  return e;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const std::vector<std::int64_t>& Inputs::shape(const std::string& tensor) const {
  if (resident) return resident->shapes().at(tensor);
  const auto input = host->inputs.find(tensor);
  return input != host->inputs.end() ? input->second.shape : host->outputs.at(tensor).shape;
}

Status Trial::renew(const candidate::Plan& plan, std::uint64_t place) {
  plan_ = &plan;
  writable_.clear();
  allocated_ = false;
  return execution_->renew(place);
}

// In the order of the spec and the plan, or in one that is drawn from `order`.
Status Trial::allocate(const Inputs& inputs, std::uint64_t order) {
  struct Tensor {
    std::string name;
    DType dtype;
    std::int64_t count;
    device::Access access;
  };
  std::vector<Tensor> all;
  for (const op::Param& p : spec_.inputs)
    all.push_back({p.name, p.dtype, op::element_count(inputs.shape(p.name)), device::Access::read_only});
  for (const op::Param& p : spec_.outputs)
    all.push_back({p.name, p.dtype, op::element_count(inputs.shape(p.name)), device::Access::read_write});
  for (const candidate::PlannedTensor& t : plan_->temps)
    all.push_back({t.name, t.dtype, t.count, device::Access::read_write});
  if (order != 0)
    for (std::size_t i = all.size(); i > 1; --i) {
      std::swap(all[i - 1], all[order % i]);
      order = order / i + (order << 40);
    }
  for (const Tensor& t : all) {
    if (t.access == device::Access::read_write)
      writable_[t.name] = static_cast<std::size_t>(t.count) * dtype_size(t.dtype);
    if (Status s = execution_->allocate(t.name, t.dtype, t.count, t.access); !s) return s;
  }
  allocated_ = true;
  return {};
}

Status Trial::load(const Inputs& inputs, std::uint8_t poison, std::uint64_t order) {
  if (!allocated_)
    if (Status s = allocate(inputs, order); !s) return s;
  for (const op::Param& p : spec_.inputs)
    if (Status s = inputs.resident ? execution_->fill(p.name, *inputs.resident)
                                   : execution_->write(p.name, inputs.host->inputs.at(p.name).bytes);
        !s)
      return s;
  return reset(poison);
}

Status Trial::reset(std::uint8_t poison) {
  const auto set = [&](const std::string& name, bool zeroed) {
    return zeroed ? execution_->zero(name) : execution_->poison(name, poison);
  };
  for (const op::Param& p : spec_.outputs)
    if (Status s = set(p.name, contains(plan_->zeroed_outputs, p.name)); !s) return s;
  for (const candidate::PlannedTensor& t : plan_->temps)
    if (Status s = set(t.name, t.zeroed); !s) return s;
  return {};
}

std::vector<device::TimedSubject::Zeroed> Trial::zeroed() const {
  std::vector<device::TimedSubject::Zeroed> all;
  for (const std::string& name : plan_->zeroed_outputs) all.push_back({name, writable_.at(name)});
  for (const candidate::PlannedTensor& t : plan_->temps)
    if (t.zeroed) all.push_back({t.name, writable_.at(t.name)});
  return all;
}

Result<RunOutcome> Trial::run(const Inputs& inputs, const RunOptions& options) {
  out_ = RunOutcome{};
  out_.poison = options.poison;
  if (Status s = load(inputs, options.poison, options.surroundings); !s) return ended(s);
  if (Status s = launch_all(options); !s || !out_.right) return ended(s);
  return ended(check_all(inputs, options));
}

Result<RunOutcome> Trial::check(const Inputs& inputs, const RunOptions& options) {
  out_ = RunOutcome{};
  return ended(check_all(inputs, options));
}

Result<RunOutcome> Trial::ended(const Status& status) {
  if (status) return std::move(out_);
  const Error& error = status.error();
  if (is_ours(error)) return fail(error);
  out_.right = false;
  out_.message = error.text();
  out_.fault = Fault{};
  out_.fault->kind = error.code == Code::unsupported ? FaultKind::unsupported : FaultKind::launch_refused;
  out_.fault->message = error.text();
  return std::move(out_);
}

void Trial::faulty(const Fault& fault) {
  out_.right = false;
  out_.fault = fault;
  out_.message = fault.message;
}

Status Trial::launch_all(const RunOptions& options) {
  for (const candidate::PlannedLaunch& launch : plan_->launches) {
    device::LaunchOutcome done = WW_TRY(execution_->launch(launch, options));
    out_.seconds += done.seconds;
    if (options.counters) out_.counts += done.counts;
    out_.reach += done.reach;
    out_.undisturbed |= done.undisturbed;
    if (done.watched) out_.watched = std::move(done.watched);
    if (out_.printed.size() < printed_limit)
      out_.printed += done.printed.substr(0, printed_limit - out_.printed.size());
    if (done.fault) {
      faulty(*done.fault);
      return {};
    }
  }
  return {};
}

Status Trial::check_all(const Inputs& inputs, const RunOptions& options) {
  const auto guards = WW_TRY(execution_->check_guards());
  if (guards) {
    faulty(*guards);
    return {};
  }
  if (Status s = check_inputs(inputs); !s || !out_.right || !inputs.has_references()) return s;
  double worst_share = -1;
  forms_.reset();
  for (const op::Param& p : spec_.outputs) {
    if (Status s = check_output(p, inputs, options, worst_share); !s) return s;
    if (!out_.right && worst_share > 1) return {};  // an element that was never written
  }
  return {};
}

Status Trial::check_inputs(const Inputs& inputs) {
  for (const op::Param& p : spec_.inputs) {
    const bool same = WW_TRY(inputs.resident ? execution_->holds_set(p.name, *inputs.resident)
                                             : execution_->holds(p.name, inputs.host->inputs.at(p.name).bytes));
    if (same) continue;
    out_.right = false;
    out_.message = "the input " + p.name + " was changed";
    out_.fault = Fault{};
    out_.fault->kind = FaultKind::input_changed;
    out_.fault->message = out_.message;
    out_.fault->buffer = p.name;
    return {};
  }
  return {};
}

Result<Comparison> Trial::compare_with_forms(const op::Param& p, const Reference& reference,
                                             std::span<const std::byte> bytes, const RunOptions& options) {
  Comparison written = WW_TRY(compare(p.name, reference.outputs.at(p.name), bytes, options.threads));
  if (!written.worst) return written;
  if (!forms_) {
    auto forms = WW_TRY(with_forms(spec_, reference, options.threads, options.stop));
    forms_ = std::move(forms);
  }
  if (!*forms_) return written;
  Comparison in_forms = WW_TRY(compare(p.name, (*forms_)->at(p.name), bytes, options.threads));
  return in_forms.worst ? written : in_forms;
}

Status Trial::check_positions(const op::Param& p, const Reference& reference, std::span<const std::byte> bytes,
                              const RunOptions& options, Comparison& compared) {
  const Positions positions = WW_TRY(judge_positions(spec_, p.name, reference, bytes, options.threads, options.stop));
  const auto judged = static_cast<std::int64_t>(positions.right + positions.wrong.size());
  compared.unchecked = std::max<std::int64_t>(0, compared.unchecked - judged);
  if (positions.wrong.empty()) return {};
  const op::ReferenceTensor& expected = reference.outputs.at(p.name);
  const std::size_t at = positions.wrong.front();
  compared.worst = element_at(p.name, p.dtype, expected.shape, static_cast<std::int64_t>(at), expected.value_at(at),
                              load_f64(p.dtype, &bytes[at * dtype_size(p.dtype)]), 0);
  compared.worst->wrong = static_cast<std::int64_t>(positions.wrong.size());
  return {};
}

// The most telling of several wrong outputs: the one with the largest share of wrong elements (worst_share; 2: never
// written).
Status Trial::check_output(const op::Param& p, const Inputs& inputs, const RunOptions& options, double& worst_share) {
  std::optional<FailingElement> worst;
  if (inputs.resident) {
    if (Status s = check_resident(p, inputs, options, worst); !s) return s;
  } else {
    const op::ReferenceTensor& expected = inputs.host->outputs.at(p.name);
    std::vector<std::byte>& bytes = out_.outputs[p.name];
    bytes.resize(static_cast<std::size_t>(op::element_count(expected.shape)) * dtype_size(expected.dtype));
    if (Status s = execution_->read(p.name, bytes); !s) return s;
    const auto unwritten = WW_TRY(execution_->unwritten(p.name));
    if (unwritten.count > 0) {
      out_.right = false;
      out_.element = unwritten_element(p.name, expected, bytes, unwritten);
      out_.wrong[p.name] = *out_.element;
      out_.unwritten = static_cast<std::int64_t>(unwritten.count);
      out_.message = evidence::element_name(*out_.element) + " was never written (" +
                     std::to_string(out_.element->wrong) + " of " + std::to_string(out_.element->total) +
                     " elements were not)";
      worst_share = 2;
      return {};
    }
    Comparison compared = WW_TRY(compare_with_forms(p, *inputs.host, bytes, options));
    if (!compared.worst) WW_TRY(check_positions(p, *inputs.host, bytes, options, compared));
    out_.checked[p.name] = {compared.total - compared.unchecked, compared.total};
    out_.ratios[p.name] = compared.largest_ratio;
    if (compared.beyond_strict > 0) out_.losses[p.name] = {p.name, compared.beyond_strict, compared.lost_ulps};
    worst = compared.worst;
  }
  if (!worst) return {};
  out_.right = false;
  out_.wrong[p.name] = *worst;
  const double share = static_cast<double>(worst->wrong) / static_cast<double>(std::max<std::int64_t>(1, worst->total));
  if (share <= worst_share) return {};
  worst_share = share;
  out_.element = worst;
  out_.message = describe(*worst);
  return {};
}

Status Trial::check_resident(const op::Param& p, const Inputs& inputs, const RunOptions& options,
                             std::optional<FailingElement>& worst) {
  const device::ResidentComparison compared = WW_TRY(execution_->compare_set(p.name, *inputs.resident));
  out_.checked[p.name] = {compared.total - compared.unchecked, compared.total};
  out_.ratios[p.name] = compared.largest_ratio;
  if (compared.wrong > 0) {
    worst =
        element_at(p.name, p.dtype, inputs.shape(p.name), compared.worst, compared.expected, compared.actual,
                   is_real(p.dtype) && std::isfinite(compared.expected) ? tolerance_of(p.dtype, compared.bound) : 0);
    worst->wrong = compared.wrong;
  }
  if (!options.keep_outputs) return {};
  if (options.previous)
    if (const auto before = options.previous->find(p.name); before != options.previous->end()) {
      const bool same = WW_TRY(execution_->holds(p.name, before->second));
      if (same) return {};
    }
  std::vector<std::byte>& bytes = out_.outputs[p.name];
  bytes.resize(static_cast<std::size_t>(compared.total) * dtype_size(p.dtype));
  return execution_->read(p.name, bytes);
}

Result<RunOutcome> run_set(const op::Spec& spec, const candidate::Plan& plan, const device::Module& module,
                           const Inputs& inputs, const RunOptions& options) {
  std::unique_ptr<device::Execution> execution = WW_TRY(module.execution());
  return Trial(spec, plan, std::move(execution)).run(inputs, options);
}

std::vector<Difference> differences(const op::Spec& spec, const Inputs& inputs, const Outputs& a, const Outputs& b) {
  std::vector<Difference> out;
  for (const auto& [name, bytes] : a) {
    const auto other = b.find(name);
    const op::Param* p = op::find_param(spec, name);
    if (!p || other == b.end() || bytes == other->second) continue;
    const std::size_t size = dtype_size(p->dtype);
    Difference d;
    d.tensor = name;
    const std::vector<double>* bound = nullptr;  // of integers, where some may honestly differ
    if (is_integer(p->dtype) && inputs.host && !inputs.host->outputs.at(name).bound.empty())
      bound = &inputs.host->outputs.at(name).bound;
    d.total = static_cast<std::int64_t>(bytes.size() / size);
    for (std::int64_t i = 0; i < d.total; ++i) {
      const std::byte* x = &bytes[static_cast<std::size_t>(i) * size];
      const std::byte* y = &other->second[static_cast<std::size_t>(i) * size];
      if (std::memcmp(x, y, size) == 0) continue;
      const bool exact = is_integer(p->dtype) && !(bound && (*bound)[static_cast<std::size_t>(i)] > 0);
      if (d.count++ > 0 && (d.integer || !exact)) continue;  // the first, or the first that should be exact
      d.integer = exact;
      d.index = subscripts(i, inputs.shape(name));
      d.first = load_f64(p->dtype, x);
      d.second = load_f64(p->dtype, y);
    }
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace ww::gate
