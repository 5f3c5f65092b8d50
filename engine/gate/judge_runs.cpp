// SPDX-License-Identifier: Apache-2.0
#include "gate/judge.h"
#include <algorithm>
#include "gate/compare.h"
#include "evidence/explain.h"
#include "gate/drawn.h"
#include "gate/limits.h"
#include "gate/order_dependence.h"
#include "gate/replay.h"
#include "gate/wrong_map.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

constexpr double most_host_work = 2e8;  // of a reference that is evaluated beside the device's

std::string without_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

}  // namespace

Result<Inputs> Judge::inputs_for(const JudgedCase& c, InputSet& set) {
  const auto get = [&]() -> Result<Inputs> {
    Inputs inputs;
    if (c.resident) {
      auto resident = WW_TRY(services_.resident->get(spec_, set, *services_.references, services_.threads, stop_));
      inputs.resident = std::move(resident);
    } else {
      auto host = WW_TRY(services_.references->get(spec_, set, services_.threads, stop_));
      inputs.host = std::move(host);
    }
    return inputs;
  };
  Result<Inputs> inputs = get();
  if (inputs || inputs.error().code == Code::cancelled || !services_.device->usable() ||
      set.distribution == op::Distribution::normal)
    return inputs;
  set.distribution = op::Distribution::normal;
  return get();
}

InputSet Judge::input_set(const JudgedCase& c, op::Distribution distribution, int number) const {
  // Exact in JSON's numbers, too.
  const std::uint64_t seed =
      secret_.draw(Secret::Use::inputs, static_cast<std::uint64_t>(c.ordinal), static_cast<std::uint64_t>(number)) >>
      11;
  if (distribution == op::Distribution::planted)
    return {c.what.binding, distribution, seed, planted_, request_.precision};
  return {c.what.binding, distribution, seed, {}, request_.precision};
}

RunOptions Judge::options_for(const JudgedCase& c, RunOptions options) {
  return drawn_options(secret_, runs_++, c.plan, {c.work, request_.launch_budget, stop_, one_by_one_},
                       std::move(options));
}

Result<RunOutcome> Judge::run_in(LoadedCase& loaded, const JudgedCase& c, const Inputs& inputs,
                                 const RunOptions& options) {
  if (!loaded.trial) {
    std::unique_ptr<device::Execution> execution = WW_TRY((loaded.module ? loaded.module : module_.get())->execution());
    loaded.trial.emplace(spec_, c.plan, std::move(execution));
  }
  WW_TRY(loaded.trial->renew(c.plan, options.surroundings));
  ++loaded.runs;
  Result<RunOutcome> outcome = loaded.trial->run(inputs, options);
  undisturbed_ |= outcome && outcome->undisturbed;
  if (outcome && outcome->right && !loaded.module) {
    reach_ += outcome->reach;
    if (branches_) branches_->note(c.what.binding, c.plan);
  }
  return outcome;
}

Result<std::optional<RunOutcome>> Judge::run_one(const JudgedCase& c, LoadedCase& loaded, InputSet set,
                                                 RunOptions options, Inputs* keep) {
  if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
  const Result<Inputs> inputs = keep && keep->has_references() ? Result<Inputs>(*keep) : inputs_for(c, set);
  if (!inputs) {
    const Error& error = inputs.error();
    if (error.code == Code::cancelled) return fail(error);
    if (error.code == Code::unsupported && c.resident) {  // no room
      refuse_case(c.what, error, FaultKind::out_of_memory);
      return std::optional<RunOutcome>();
    }
    return fail(error.code, "the reference of the case " + c.what.name + " cannot be evaluated", error.text());
  }
  if (c.resident) services_.resident->leave_room(tensor_bytes(spec_, c.what.binding, c.plan));
  options = options_for(c, std::move(options));
  options.keep_outputs = options.keep_outputs && keep_outputs_of(c);
  Result<RunOutcome> outcome = run_in(loaded, c, *inputs, options);
  if (!outcome) {
    if (!lost(outcome.error())) return fail(outcome.error());
    outcome = lost_outcome(outcome.error());
  }
  if (keep) *keep = *inputs;
  if (c.resident && !outcome->right && !outcome->fault && outcome->element && c.work <= most_host_work)
    WW_TRY(check_on_host(*loaded.trial, set, options, *outcome));
  for (const auto& [name, checked] : outcome->checked) {
    checked_[name].note(c.what.name, set.distribution, checked.bounded, checked.total);
    elements_.compared += checked.bounded;
    elements_.unproved += checked.total - checked.bounded;
  }
  for (const auto& [name, loss] : outcome->losses) note_loss(loss);
  if (inputs->host) note_masked(*inputs->host);
  if (outcome->right) {
    tried_.note(c.what.binding);
    return std::optional<RunOutcome>(std::move(*outcome));
  }
  DependsOn depends = DependsOn::unknown;
  if (!outcome->fault || decides(outcome->fault->kind))
    depends = WW_TRY(dependence_of(c, *inputs, options, outcome->element, loaded.runs > 1));
  std::optional<WriteSite> writer;
  if (services_.wrong && outcome->element) writer = WW_TRY(writer_of(c, *inputs, options, *outcome->element));
  wrong(c, set, std::move(*outcome), *inputs);
  if (services_.wrong && *services_.wrong) (*services_.wrong)->writer = std::move(writer);
  if (result_.failure) result_.failure->depends_on = depends;
  if (const std::string text = evidence::depends_text(depends); !text.empty()) result_.message += "; " + text;
  return std::optional<RunOutcome>();
}

// The device's reference knows the spec as it is written; the host's also knows its other forms (op/forms.h).
Status Judge::check_on_host(Trial& trial, const InputSet& set, const RunOptions& options, RunOutcome& outcome) {
  Inputs inputs;
  const auto reference = services_.references->get(spec_, set, services_.threads, stop_);
  if (!reference) return reference.error().code == Code::cancelled ? Status(fail(reference.error())) : Status();
  inputs.host = *reference;
  RunOutcome checked = WW_TRY(trial.check(inputs, options));
  if (!checked.right) return {};
  outcome.right = true;
  outcome.message.clear();
  outcome.element.reset();
  outcome.wrong.clear();
  outcome.checked = std::move(checked.checked);
  outcome.ratios = std::move(checked.ratios);
  outcome.losses = std::move(checked.losses);
  if (options.keep_outputs) outcome.outputs = std::move(checked.outputs);
  return {};
}

void Judge::note_loss(const evidence::Loss& loss) {
  auto& all = verdict_.proof.losses;
  const auto at = std::ranges::find(all, loss.tensor, &evidence::Loss::tensor);
  if (at == all.end()) return all.push_back(loss);
  at->count += loss.count;
  at->ulps = std::max(at->ulps, loss.ulps);
}

void Judge::note_masked(const Reference& reference) {
  if (reference.set.distribution != op::Distribution::masked) return;
  auto& all = verdict_.proof.masked;
  for (const auto& [name, t] : reference.outputs) {
    const auto own = reference.masked.find(name);
    if (own == reference.masked.end()) continue;
    const std::int64_t count = own->second, total = op::element_count(t.shape);
    const auto at = std::ranges::find(all, name, &evidence::Masked::tensor);
    if (at == all.end()) {
      all.push_back({name, count, total});
    } else {
      at->count += count;
      at->total += total;
    }
  }
}

Result<DependsOn> Judge::dependence_of(const JudgedCase& c, const Inputs& inputs, const RunOptions& options,
                                       const std::optional<FailingElement>& element, bool later_call) {
  if (!services_.device->usable()) return DependsOn::unknown;
  const auto freshly = [&](const device::Module& module) {
    return [this, &module, &c, &inputs](const RunOptions& how) {
      LoadedCase alone;
      alone.module = &module;
      return run_in(alone, c, inputs, how);
    };
  };
  WrongRun wrong{options, later_call, c.plan, verdict_.ptx};
  const device::Facts& facts = services_.device->facts();
  const bool many_orders = element && inputs.host && c.work <= most_work_repeated;
  if (many_orders && facts.chooses_order) return depends_on(freshly(*module_), wrong);
  const bool hardware = facts.provenance == Provenance::measured;
  const DependsOn seen = WW_TRY(repeated_unchanged(freshly(*module_), wrong, hardware ? 3 : 1));
  if (!many_orders || !hardware || seen == DependsOn::calls) return seen;
  const std::unique_ptr<device::Device> simt = device::open_simt();
  const Result<std::shared_ptr<const device::Module>> module = simt->load(output_);
  if (!module) return seen;
  wrong.options.threads = services_.threads;
  const DependsOn named = WW_TRY(depends_on(freshly(**module), wrong));
  return named == DependsOn::no_order || named == DependsOn::calls ? seen : named;
}

Result<std::optional<WriteSite>> Judge::writer_of(const JudgedCase& c, const Inputs& inputs, RunOptions options,
                                                  const FailingElement& element) {
  if (!services_.device->facts().tracks_writes || !inputs.host) return std::optional<WriteSite>();
  const op::ReferenceTensor& tensor = inputs.host->outputs.at(element.tensor);
  const std::size_t size = dtype_size(tensor.dtype);
  options.watch = {element.tensor, static_cast<std::size_t>(linear_index(element.index, tensor.shape)) * size, size};
  options.threads = 1;
  LoadedCase again;
  const Result<RunOutcome> outcome = run_in(again, c, inputs, options);
  if (!outcome && outcome.error().code == Code::cancelled) return fail(outcome.error());
  return outcome ? outcome->watched : std::nullopt;
}

RunOutcome Judge::lost_outcome(const Error& error) {
  RunOutcome outcome;
  outcome.right = false;
  outcome.message = "the device was lost: " + error.text();
  outcome.fault = Fault{};
  outcome.fault->kind = FaultKind::device_lost;
  outcome.fault->message = outcome.message;
  return outcome;
}

RunOutcome Judge::timed_outcome(const Error& error) {
  RunOutcome outcome = lost_outcome(error);
  if (error.code != Code::timeout && error.code != Code::device) return outcome;
  outcome.fault->kind = error.code == Code::timeout ? FaultKind::budget_exceeded : FaultKind::failed_while_timed;
  outcome.message = outcome.fault->message = error.text();
  return outcome;
}

void Judge::wrong(const JudgedCase& c, const InputSet& set, RunOutcome outcome, const Inputs& inputs) {
  std::string detail = outcome.printed.empty() ? "" : "printed by the kernel:\n" + outcome.printed;
  if (outcome.fault && services_.device->facts().provenance == Provenance::measured && outcome.fault->line == 0) {
    const FaultKind before = outcome.fault->kind;
    place_fault(set, *outcome.fault, detail);
    if (!decides(before) && decides(outcome.fault->kind)) outcome.message = outcome.fault->message;
  }
  reject(without_stop(outcome.message) + " (case " + c.what.name + ", " +
             std::string(op::distribution_name(set.distribution)) + " inputs, seed " + std::to_string(set.seed) + ")",
         std::move(detail));
  Failure f;
  f.case_name = c.what.name;
  f.binding = c.what.binding;
  f.distribution = set.distribution;
  f.seed = set.seed;
  f.element = outcome.element;
  f.fault = outcome.fault;
  if (services_.wrong && f.element && inputs.host) {
    const std::string& name = f.element->tensor;
    WrongOutput output{inputs.host->outputs.at(name), outcome.outputs[name], outcome.poison, outcome.unwritten};
    if (std::ranges::count(c.plan.zeroed_outputs, name) > 0) output.poison.reset();
    if (Result<evidence::WrongMap> map = map_wrong(output, f)) *services_.wrong = std::move(*map);
  }
  result_.failure = std::move(f);
}

void Judge::place_fault(const InputSet& set, Fault& fault, std::string& detail) {
  constexpr FaultKind refusals[] = {FaultKind::unsupported, FaultKind::launch_refused, FaultKind::out_of_memory,
                                    FaultKind::device_lost};
  if (std::find(std::begin(refusals), std::end(refusals), fault.kind) != std::end(refusals)) return;
  std::vector<Case> others;
  for (const JudgedCase& c : cases_) others.push_back(c.what);
  ReplayOptions options;
  options.distribution = set.distribution;
  options.seed = set.seed;
  options.planted = set.planted;
  options.cases = others;
  options.threads = services_.threads;
  options.stop = stop_;
  const Result<std::optional<Replay>> replay =
      replay_on_simt(spec_, candidate_, tuning_, output_, set.binding, options);
  if (!replay || !*replay) return;
  const Fault& found = (*replay)->fault;
  if (found.kind == FaultKind::stack_overflow)
    fault.kind = found.kind;  // hardware calls it an illegal address: the stack ends where memory does
  if (!decides(fault.kind) && decides(found.kind))  // why it did not end
    fault.kind = found.kind, fault.message = found.message;
  fault.line = found.line;
  std::copy(found.block, found.block + 3, fault.block);
  std::copy(found.thread, found.thread + 3, fault.thread);
  if (fault.kernel.empty()) fault.kernel = found.kernel;
  if (fault.address == 0) fault.address = found.address;
  if (fault.buffer.empty()) fault.buffer = found.buffer, fault.offset = found.offset;
  detail += (detail.empty() ? "" : "\n") + describe(**replay, spec_);
}

}  // namespace ww::gate
