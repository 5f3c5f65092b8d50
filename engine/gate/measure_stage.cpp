// SPDX-License-Identifier: Apache-2.0
#include "gate/judge.h"
#include "gate/limits.h"
#include "gate/measure.h"

namespace ww::gate {

Status Judge::time_and_count() {
  report("timing", 0.9);
  const JudgedCase& c = cases_.back();
  std::vector<TimedSet> sets;
  for (const int number : {0, 1}) {
    TimedSet set{input_set(c, op::Distribution::normal, 100 + number), {}};
    Result<Inputs> inputs = inputs_for(c, set.what);
    if (inputs) {
      set.inputs = std::move(*inputs);
      sets.push_back(std::move(set));
    } else if (inputs.error().code == Code::cancelled || sets.empty()) {
      return fail(inputs.error());
    }
  }
  services_.resident->leave_room(tensor_bytes(spec_, c.what.binding, c.plan));
  Result<MeasureResult> measured =
      gate::measure({spec_, c.what, c.plan, *module_, *services_.device, *services_.resident, sets, 3, 3, stop_});
  if (!measured) {
    const Error& error = measured.error();
    if (lost(error))
      wrong(c, sets[0].what, timed_outcome(error));
    else if (error.code == Code::cancelled || error.code == Code::internal)
      return fail(error);
    else {
      result_.outcome = Outcome::skipped;
      result_.skipped = SkipReason::not_measurable;
      result_.message = "not measured: " + error.text();
    }
    return {};
  }
  if (measured->wrong) {
    wrong(c, measured->wrong_set, std::move(*measured->wrong));
    result_.message = "while it was timed, " + result_.message;
    return {};
  }
  verdict_.metrics = std::move(measured->metrics);
  return {};
}

Status Judge::measure() {
  if (measures()) return time_and_count();
  report("counting", 0.99);
  const device::Facts& facts = services_.device->facts();
  Metrics m;
  m.provenance = facts.provenance;
  m.device = facts.name;
  m.case_name = cases_.back().what.name;
  m.values = main_counts_.values;
  m.lines = main_counts_.lines;
  verdict_.metrics = std::move(m);
  return {};
}

}  // namespace ww::gate
