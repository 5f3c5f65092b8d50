// SPDX-License-Identifier: Apache-2.0
#include "gate/reproduce.h"
#include "gate/cases.h"
#include "gate/drawn.h"
#include "gate/planted.h"
#include "gate/prepared.h"
#include "op/parse.h"
#include "ptx/notable.h"

namespace ww::gate {
namespace {

struct Call {
  bool same = true;  // as the case asks for; else other inputs, normal ones
  bool full = false, reverse = false;
};
// What a candidate keeps from one call to the next shows only after several.
constexpr Call calls[] = {{true, true, false}, {true, false, true},  {false, false, false}, {true, false, false},
                          {true, true, true},  {false, false, true}, {true, false, true},   {true, false, false}};

evidence::Failure failure_of(const InputSet& set, const RunOutcome& outcome) {
  evidence::Failure f;
  f.case_name = "alone";
  f.binding = set.binding;
  f.distribution = set.distribution;
  f.seed = set.seed;
  f.element = outcome.element;
  f.fault = outcome.fault;
  return f;
}

}  // namespace

Result<Reproduction> reproduce(const Request& request, const OneCase& one, const Services& services,
                               std::stop_token stop) {
  if (!services.compiler || !services.device || !services.references)
    return fail(Code::internal, "the gate was called without its services");
  const op::Spec spec = WW_TRY(op::parse_spec(request.spec));
  const std::optional<Secret> secret = Secret::read(request.secret);
  if (!secret) return fail(Code::invalid_argument, "a secret has 16 hexadecimal digits, not '" + request.secret + "'");
  const op::Binding binding = WW_TRY(whole_binding(spec, one.binding));
  const Prepared prepared = WW_TRY(prepare(spec, binding, request.candidate, request.language, request.architecture,
                                           *services.compiler, *services.device));
  InputSet asked{binding, one.distribution, one.seed, {}, request.precision};
  if (one.distribution == op::Distribution::planted) asked.planted = compared_constants(prepared.output.ptx);
  const InputSet other{binding, op::Distribution::normal, one.seed ^ 1, {}, request.precision};
  const Limits limits{case_work(spec, binding).value_or(0), request.launch_budget, stop,
                      services.device->facts().chooses_order && ptx::blocks_meet(prepared.output.ptx)};
  std::unique_ptr<device::Execution> execution = WW_TRY(prepared.module->execution());
  Trial trial(spec, prepared.plan, std::move(execution));
  std::uint64_t run = 0;
  for (const Call& call : calls) {
    if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
    const InputSet& set = call.same ? asked : other;
    Inputs inputs;
    inputs.host = WW_TRY(services.references->get(spec, set, services.threads, stop));
    RunOptions options;
    options.checks = call.full ? device::Checks::full : device::Checks::bounds;
    options.order = backwards(call.reverse);
    options.threads = services.threads;
    options = drawn_options(*secret, run++, prepared.plan, limits, std::move(options));
    WW_TRY(trial.renew(prepared.plan, options.surroundings));
    const RunOutcome outcome = WW_TRY(trial.run(inputs, options));
    if (!outcome.right) return Reproduction{outcome.message, failure_of(set, outcome)};
  }
  return Reproduction{};
}

bool same_failure(const evidence::Failure& first, const evidence::Failure& again) {
  if (first.fault || again.fault) return first.fault && again.fault && first.fault->kind == again.fault->kind;
  return first.element && again.element && first.element->tensor == again.element->tensor;
}

}  // namespace ww::gate
