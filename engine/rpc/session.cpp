// SPDX-License-Identifier: Apache-2.0
#include "rpc/session.h"
#include <algorithm>
#include <cmath>
#include "gate/cases.h"
#include "gate/compare.h"
#include "gate/prepared.h"
#include "gate/timed.h"
#include "op/parse.h"
#include "oracle/oracle.h"

namespace ww::rpc {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double launch_seconds = 30;  // of a launch, before it is taken to hang
constexpr std::uint8_t poison = 0xFF;

// The common start of time and profile.
struct CaseContext {
  op::Spec spec;
  op::Binding binding;
  OpenDevice* device = nullptr;
  compile::Compiler* compiler = nullptr;
};

Result<CaseContext> context_for(Session& session, const std::string& spec, const op::Binding& binding,
                                const std::string& device) {
  CaseContext g;
  op::Spec parsed = WW_TRY(op::parse_spec(spec));
  g.spec = std::move(parsed);
  op::Binding whole = WW_TRY(gate::whole_binding(g.spec, binding));
  g.binding = std::move(whole);
  OpenDevice* opened = WW_TRY(session.open(device));
  g.device = opened;
  if (!session.compiler) return fail(session.compiler_error);
  g.compiler = session.compiler.get();
  return g;
}

Result<gate::Inputs> inputs_for(Session& session, const CaseContext& g, const gate::InputSet& set,
                                const std::stop_token& stop) {
  gate::Inputs inputs;
  const double work = gate::case_work(g.spec, g.binding).value_or(0);
  Result<std::string> no_reference = std::string("this device evaluates no reference");
  if (g.device->resident && (work > gate::host_work || g.device->device->facts().measures)) {
    no_reference = g.device->resident->no_reference(g.spec, g.binding, session.references, session.threads, stop);
    WW_CHECK(no_reference);
    if (!no_reference->empty() && work > gate::host_default_work)
      return fail(Code::unsupported, "the op has no reference on the device", *no_reference);
  }
  if (no_reference->empty()) {
    auto resident = WW_TRY(g.device->resident->get(g.spec, set, session.references, session.threads, stop));
    inputs.resident = std::move(resident);
    return inputs;
  }
  auto host = WW_TRY(session.references.get(g.spec, set, session.threads, stop));
  inputs.host = std::move(host);
  return inputs;
}

gate::RunOptions run_options(const Session& session, const std::stop_token& stop) {
  gate::RunOptions options;
  options.threads = session.threads;
  options.poison = poison;
  options.seconds = launch_seconds;
  options.keep_outputs = false;
  options.stop = stop;
  return options;
}

// A fault as one sentence with its place.
std::string sentence_of(const gate::RunOutcome& outcome) {
  std::string text = outcome.message;
  if (outcome.fault && outcome.fault->line > 0) text += " (line " + std::to_string(outcome.fault->line) + ")";
  return text;
}

// One subject of a timing, from its text to its trial.
struct Entrant {
  const TimeSubject* asked = nullptr;
  TimedOutcome* outcome = nullptr;
  std::unique_ptr<gate::Prepared> subject;
  std::unique_ptr<gate::Trial> trial;
  std::shared_ptr<const baseline::Baseline> library;
  std::unique_ptr<baseline::Prepared> work;  // destroyed before the trial, whose memory it uses
};

class Timing {
 public:
  Timing(Session& session, const TimeRequest& request, const std::stop_token& stop, const ProgressHandler& progress)
      : session_(session), request_(request), stop_(stop), progress_(progress) {}

  Result<TimeReply> run() {
    const Clock::time_point start = Clock::now();
    CaseContext g = WW_TRY(context_for(session_, request_.spec, request_.binding, request_.device));
    context_ = std::move(g);
    device::Device& device = *context_.device->device;
    if (!device.facts().measures)
      return fail(Code::unsupported,
                  "the device " + request_.device + " cannot measure times: they need a GPU (device cuda:0)");
    WW_TRY(make_sets());
    for (const TimeSubject& s : request_.subjects) {
      TimedOutcome outcome;
      outcome.name = s.name;
      reply_.subjects.push_back(std::move(outcome));
    }
    entrants_.resize(request_.subjects.size());
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
      report("preparing " + request_.subjects[i].name,
             0.5 * static_cast<double>(i) / static_cast<double>(entrants_.size()));
      Entrant& e = entrants_[i];
      e.asked = &request_.subjects[i];
      e.outcome = &reply_.subjects[i];
      if (Status s = prepare(e); !s) {
        if (s.error().code == Code::cancelled) return fail(s.error());
        e.outcome->error = s.error().text();
        e.trial.reset();
      }
      if (!device.usable()) {  // this subject took the device with it; the others are timed by another worker
        if (e.outcome->error.empty()) e.outcome->error = "the device was lost";
        reply_.device.name = device.facts().name;
        reply_.seconds = since(start);
        return std::move(reply_);
      }
    }
    WW_TRY(time(device));
    reply_.seconds = since(start);
    return std::move(reply_);
  }

 private:
  void report(const std::string& message, double fraction) {
    if (progress_) progress_({"time", message, fraction});
  }

  // Two input sets in turn; one if the second does not fit.
  Status make_sets() {
    gate::ResidentCache* resident = context_.device->resident.get();
    for (const std::uint64_t seed : {0, 1}) {
      gate::TimedSet set{{context_.binding, op::Distribution::normal, seed}, {}};
      Result<gate::Inputs> inputs = request_.verify && not_verified_.empty()
                                        ? inputs_for(session_, context_, set.what, stop_)
                                        : Result<gate::Inputs>(fail(Code::unsupported, "not asked for"));
      if (!inputs && inputs.error().code == Code::unsupported && resident) {
        not_verified_ = inputs.error().text();
        Result<std::shared_ptr<const device::ResidentSet>> alone =
            resident->inputs_only(context_.spec, set.what, stop_);
        if (alone)
          inputs = gate::Inputs{nullptr, std::move(*alone)};
        else
          inputs = fail(alone.error());
      }
      if (!inputs) {
        if (sets_.empty() || inputs.error().code == Code::cancelled) return fail(inputs.error());
        break;
      }
      set.inputs = std::move(*inputs);
      sets_.push_back(std::move(set));
    }
    return {};
  }

  // Compiled, loaded, and run once, so that faults show here.
  Status prepare(Entrant& e) {
    device::Device& device = *context_.device->device;
    const bool naive = e.asked->baseline == "naive";
    if (e.asked->candidate.empty() && !naive) return prepare_library(e);
    std::string text = e.asked->candidate;
    if (text.empty()) {
      std::string made = WW_TRY(oracle::naive_candidate(context_.spec));
      text = std::move(made);
      e.outcome->note = "one plain kernel per equation";
    }
    gate::Prepared subject = WW_TRY(gate::prepare(context_.spec, context_.binding, text,
                                                  naive ? candidate::Language::cuda : e.asked->language,
                                                  request_.architecture, *context_.compiler, device));
    e.subject = std::make_unique<gate::Prepared>(std::move(subject));
    if (Status s = make_trial(e); !s) return s;
    gate::RunOutcome ran = WW_TRY(e.trial->run(sets_[0].inputs, run_options(session_, stop_)));
    if (!ran.right) return fail(Code::device, sentence_of(ran));
    return {};
  }

  Status prepare_library(Entrant& e) {
    if (!session_.baselines_loaded) return fail(Code::unavailable, "this worker was started without baselines");
    std::shared_ptr<const baseline::Baseline> found = WW_TRY(baseline::find(session_.baselines, e.asked->baseline));
    e.library = found;
    const baseline::Applies applies = WW_TRY(e.library->applies(request_.spec, context_.binding));
    if (!applies.yes) return fail(Code::unsupported, applies.message);
    e.outcome->note = applies.message;
    gate::Prepared subject =
        WW_TRY(gate::prepare_empty(request_.architecture, *context_.compiler, *context_.device->device));
    e.subject = std::make_unique<gate::Prepared>(std::move(subject));
    if (Status s = make_trial(e); !s) return s;
    if (Status s = e.trial->load(sets_[0].inputs, poison); !s) return s;
    std::vector<baseline::Tensor> tensors;
    for (const auto* params : {&context_.spec.inputs, &context_.spec.outputs})
      for (const op::Param& p : *params) {
        const std::uint64_t address = WW_TRY(e.trial->execution().address(p.name));
        tensors.push_back({p.name, p.dtype, op::element_count(sets_[0].inputs.shape(p.name)), address});
      }
    std::unique_ptr<baseline::Prepared> work = WW_TRY(e.library->prepare(request_.spec, context_.binding, tensors));
    e.work = std::move(work);
    return {};
  }

  Status make_trial(Entrant& e) {
    std::unique_ptr<device::Execution> execution = WW_TRY(e.subject->module->execution());
    e.trial = std::make_unique<gate::Trial>(context_.spec, e.subject->plan, std::move(execution));
    return {};
  }

  Status time(device::Device& device) {
    std::vector<gate::TimedTrial> trials;
    std::vector<Entrant*> timed;
    for (Entrant& e : entrants_) {
      if (!e.outcome->error.empty()) continue;
      gate::TimedTrial t;
      t.name = e.asked->name;
      t.trial = e.trial.get();
      if (e.work) t.enqueue = [work = e.work.get()](void* stream) { return work->enqueue(stream); };
      trials.push_back(std::move(t));
      timed.push_back(&e);
    }
    Result<profile::DeviceDetails> details = device.details();
    if (details)
      reply_.device = std::move(*details);
    else
      reply_.device.name = device.facts().name, reply_.device.architecture = device.facts().architecture;
    if (trials.empty()) return {};
    report("timing", 0.5);
    const device::TimeOptions options{.rounds = request_.rounds,
                                      .samples = request_.samples,
                                      .cold = request_.cold,
                                      .warm = request_.warm,
                                      .order_seed = request_.order_seed,
                                      .limit_seconds = 60,
                                      .stop = stop_};
    std::vector<profile::SubjectTiming> timings = WW_TRY(gate::time_trials(
        device, trials, sets_, static_cast<std::size_t>(request_.round_offset), request_.verify, options));
    for (profile::SubjectTiming& t : timings) {
      for (profile::TimedSample& s : t.samples) s.round += request_.round_offset;
      const auto entrant =
          std::find_if(timed.begin(), timed.end(), [&](const Entrant* e) { return e->asked->name == t.subject; });
      if (entrant != timed.end()) (*entrant)->outcome->timings.push_back(std::move(t));
    }
    for (std::size_t i = 0; i < timed.size(); ++i) conclude(*timed[i], trials[i]);
    return {};
  }

  void conclude(Entrant& e, const gate::TimedTrial& t) {
    TimedOutcome& o = *e.outcome;
    const auto add = [&](const std::string& sentence) { o.note += (o.note.empty() ? "" : "; ") + sentence; };
    if (t.wrong) {
      const std::string what = t.wrong->message + " after a timed launch";
      if (e.library)
        add("its outputs are not within the bounds of the reference: " + what);
      else
        o.error = what;
    } else if (request_.verify && not_verified_.empty()) {
      o.verified = t.verified > 0;
      add("outputs verified after " + std::to_string(t.verified) + (t.verified == 1 ? " round" : " rounds"));
    } else {
      add("outputs not verified: " + (request_.verify ? not_verified_ : std::string("not asked for")));
    }
    if (o.timings.empty() && o.error.empty()) o.error = "no time was measured";
  }

  Session& session_;
  const TimeRequest& request_;
  const std::stop_token& stop_;
  const ProgressHandler& progress_;
  CaseContext context_;
  std::vector<gate::TimedSet> sets_;
  std::string not_verified_;
  std::vector<Entrant> entrants_;
  TimeReply reply_;
};

}  // namespace

Result<OpenDevice*> Session::open(const std::string& name) {
  OpenDevice& entry = devices[name];
  if (!entry.device) {
    Result<std::unique_ptr<device::Device>> opened = device::open(name);
    if (!opened) {
      devices.erase(name);
      return fail(opened.error());
    }
    entry.device = std::move(*opened);
  }
  if (!entry.resident && compiler && entry.device->facts().makes_sets)
    entry.resident = std::make_unique<gate::ResidentCache>(*entry.device, *compiler);
  return &entry;
}

std::optional<std::string> Session::lost() const {
  for (const auto& [name, d] : devices)
    if (d.device && !d.device->usable()) return name;
  return std::nullopt;
}

Result<TimeReply> time(Session& session, const TimeRequest& request, const std::stop_token& stop,
                       const ProgressHandler& progress) {
  return Timing(session, request, stop, progress).run();
}

Result<profile::CounterReport> count(Session& session, const CountRequest& request, const std::stop_token& stop) {
  const CaseContext g = WW_TRY(context_for(session, request.spec, request.binding, request.device));
  device::Device& device = *g.device->device;
  if (!device.facts().measures || !g.device->resident)
    return fail(Code::unsupported,
                "the device " + request.device + " has no hardware counters: they need a GPU (device cuda:0)");
  gate::Prepared subject = WW_TRY(
      gate::prepare(g.spec, g.binding, request.candidate, request.language, request.architecture, *g.compiler, device));
  std::shared_ptr<const device::ResidentSet> set =
      WW_TRY(g.device->resident->inputs_only(g.spec, {g.binding, op::Distribution::normal, 0}, stop));
  const gate::Inputs inputs{nullptr, std::move(set)};
  std::unique_ptr<device::Execution> execution = WW_TRY(subject.module->execution());
  gate::Trial trial(g.spec, subject.plan, std::move(execution));
  gate::RunOutcome ran = WW_TRY(trial.run(inputs, run_options(session, stop)));
  if (!ran.right) return fail(Code::device, sentence_of(ran));
  WW_TRY(trial.reset(poison));
  return device.count(trial.execution(), subject.plan.launches, request.set, stop);
}

Result<DeviceReply> device_facts(Session& session, const DeviceRequest& request, const std::stop_token& stop) {
  OpenDevice* opened = WW_TRY(session.open(request.name));
  DeviceReply reply;
  profile::DeviceDetails details = WW_TRY(opened->device->details());
  reply.details = std::move(details);
  if (!request.ceilings) return reply;
  if (!session.compiler) return fail(session.compiler_error);
  profile::Ceilings ceilings = WW_TRY(opened->device->ceilings(*session.compiler, stop));
  reply.ceilings = std::move(ceilings);
  return reply;
}

}  // namespace ww::rpc
