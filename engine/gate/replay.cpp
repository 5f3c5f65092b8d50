// SPDX-License-Identifier: Apache-2.0
#include "gate/replay.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include "base/ascii.h"
#include "gate/cases.h"
#include "gate/limits.h"
#include "gate/reference.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double failing_limit = 2e6;  // work (gate/cases.h) of a failing case that is run as it is
constexpr double other_limit = 4e5;    // of the others
constexpr std::size_t others = 4;
constexpr std::uint8_t poison = 0xFF;

// Requests the stop when the caller does or when the time is over, whichever comes first.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::stop_token outer)
      : until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::clamp(seconds, 0.0, 3600.0)))),
        forward_(std::move(outer), [this] { source_.request_stop(); }),
        clock_([this](std::stop_token ended) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any changed;
          changed.wait_until(lock, ended, until_, [] { return false; });
          if (!ended.stop_requested()) source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }
  bool over() const { return source_.stop_requested() || Clock::now() >= until_; }

 private:
  std::stop_source source_;
  const Clock::time_point until_;
  const std::stop_callback<std::function<void()>> forward_;
  std::jthread clock_;  // last: it uses the others
};

class Replayer {
 public:
  Replayer(const op::Spec& spec, const candidate::Candidate& candidate, const candidate::Tuning& tuning,
           const ReplayOptions& options, std::stop_token stop)
      : spec_(spec), candidate_(candidate), tuning_(tuning), options_(options), stop_(std::move(stop)) {}

  // The failing case, then the smallest of the others, each within its limit.
  std::vector<op::Binding> choose(const op::Binding& failing) const {
    const double own = case_work(spec_, failing).value_or(failing_limit + 1);
    std::vector<op::Binding> chosen;
    if (own <= failing_limit && claimed(failing)) chosen.push_back(failing);
    std::vector<std::pair<double, const op::Binding*>> rest;
    for (const Case& c : options_.cases)
      if (const Result<double> work = case_work(spec_, c.binding);
          work && *work <= other_limit && !(c.binding == failing) && claimed(c.binding))
        rest.emplace_back(*work, &c.binding);
    std::stable_sort(rest.begin(), rest.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [work, binding] : rest)
      if (chosen.size() < 1 + others) chosen.push_back(*binding);
    if (chosen.empty())
      if (const Result<Case> reduced = reduced_case(spec_, failing, other_limit); reduced && claimed(reduced->binding))
        chosen.push_back(reduced->binding);
    return chosen;
  }

  // One case; nothing when no fault is seen or the case cannot be run here.
  std::optional<Fault> run(const device::Module& module, const op::Binding& binding, device::Checks checks) const {
    const Result<candidate::Plan> plan = candidate::plan(candidate_, spec_, binding, tuning_);
    Result<std::unique_ptr<device::Execution>> execution = module.execution();
    if (!plan || !execution || !prepare(**execution, *plan, binding)) return {};
    for (const candidate::PlannedLaunch& launch : plan->launches) {
      device::LaunchOptions how;
      how.checks = checks;
      how.threads = options_.threads;
      how.budget = budget_for(case_work(spec_, binding).value_or(0), *plan);
      how.stop = stop_;
      const Result<device::LaunchOutcome> done = (*execution)->launch(launch, how);
      if (!done) return {};
      if (done->fault) return done->fault->kind == FaultKind::unsupported ? std::nullopt : done->fault;
    }
    return {};
  }

 private:
  bool claimed(const op::Binding& binding) const {
    return candidate::claims(candidate_, spec_, binding, tuning_).value_or(false);
  }

  bool prepare(device::Execution& execution, const candidate::Plan& plan, const op::Binding& binding) const {
    auto inputs = make_inputs(spec_, {binding, options_.distribution, options_.seed, options_.planted});
    if (!inputs) inputs = make_inputs(spec_, {binding, op::Distribution::normal, options_.seed, {}});
    if (!inputs) return false;
    for (const auto& [name, t] : *inputs) {
      const auto count = static_cast<std::int64_t>(t.bytes.size() / dtype_size(t.dtype));
      if (!execution.allocate(name, t.dtype, count, device::Access::read_only) || !execution.write(name, t.bytes))
        return false;
    }
    const auto writable = [&](const std::string& name, DType dtype, std::int64_t count, bool zeroed) {
      if (!execution.allocate(name, dtype, count, device::Access::read_write)) return false;
      return (zeroed ? execution.zero(name) : execution.poison(name, poison)).has_value();
    };
    for (const op::Param& p : spec_.outputs) {
      const auto shape = op::shape_of(spec_, p, binding);
      const bool zeroed =
          std::find(plan.zeroed_outputs.begin(), plan.zeroed_outputs.end(), p.name) != plan.zeroed_outputs.end();
      if (!shape || !writable(p.name, p.dtype, op::element_count(*shape), zeroed)) return false;
    }
    return std::all_of(plan.temps.begin(), plan.temps.end(),
                       [&](const auto& t) { return writable(t.name, t.dtype, t.count, t.zeroed); });
  }

  const op::Spec& spec_;
  const candidate::Candidate& candidate_;
  const candidate::Tuning& tuning_;
  const ReplayOptions& options_;
  const std::stop_token stop_;
};

}  // namespace

Result<std::optional<Replay>> replay_on_simt(const op::Spec& spec, const candidate::Candidate& candidate,
                                             const candidate::Tuning& tuning, const compile::Output& output,
                                             const op::Binding& failing, const ReplayOptions& options) {
  try {
    const std::unique_ptr<device::Device> simt = device::open_simt();
    const Result<std::shared_ptr<const device::Module>> module = simt->load(output);
    if (!module) return std::optional<Replay>();  // instructions that it does not know
    const TimeLimit limit(options.seconds, options.stop);
    const Replayer replayer(spec, candidate, tuning, options, limit.token());
    op::Binding whole = failing;
    if (const Result<op::Resolved> resolved = op::resolve(spec, failing)) whole.symbols = resolved->symbols;
    const std::vector<op::Binding> cases = replayer.choose(whole);
    // What the hardware would stop at comes before what only the SIMT machine minds (memory that was never written).
    for (const device::Checks checks : {device::Checks::bounds, device::Checks::full})
      for (const op::Binding& binding : cases) {
        if (limit.over()) break;
        if (std::optional<Fault> fault = replayer.run(**module, binding, checks))
          return Replay{binding, std::move(*fault)};
      }
    if (options.stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    return std::optional<Replay>();
  } catch (const std::exception& e) { return fail(Code::internal, "the replay on the SIMT machine failed", e.what()); }
}

std::string describe(const Replay& replay, const op::Spec& spec) {
  std::string text = "replayed on the SIMT machine", at;
  for (const std::string& s : spec.symbols)
    if (const auto value = replay.binding.symbols.find(s); value != replay.binding.symbols.end())
      at += (at.empty() ? " at " : ", ") + s + " = " + std::to_string(value->second);
  std::string what = replay.fault.message;
  if (what.size() > 1 && what[1] >= 'a' && what[1] <= 'z')  // the middle of a sentence; not of "PTX …"
    what[0] = ascii_lower(what[0]);
  if (!what.empty() && what.back() == '.') what.pop_back();
  return text + at + ": " + what;
}

}  // namespace ww::gate
