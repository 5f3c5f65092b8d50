// SPDX-License-Identifier: Apache-2.0
#include "gate/case_plan.h"
#include <algorithm>
#include "device/work_limits.h"
#include "evidence/case_kind.h"
#include "gate/resident.h"

namespace ww::gate {

CaseOptions case_options(const device::Facts& device, double most_work, std::stop_token stop) {
  return {most_work > 0 ? most_work : device.default_work_limit, device.case_work_limit, std::move(stop)};
}

Result<CasePlan> case_plan(const op::Spec& spec, const op::Binding& binding, std::string_view device,
                           std::stop_token stop) {
  const device::WorkLimits limits = device::work_limits(device);
  CasePlan plan;
  plan.fixed = WW_TRY(derive_cases(spec, binding, {limits.default_case, limits.further_case, std::move(stop)}));
  plan.reduced = std::any_of(plan.fixed.begin(), plan.fixed.end(),
                             [](const Case& c) { return evidence::case_kind(c.name) == evidence::CaseKind::reduced; });
  plan.may_reduce = !plan.reduced && !spec.symbols.empty() &&
                    case_work(spec, plan.fixed.front().binding).value_or(0) > host_default_work;
  if (!spec.symbols.empty()) {
    plan.random = random_shapes;
    plan.compared = compared_shapes;
    plan.planned = planned_shapes;
  }
  if (spec.constants.empty()) return plan;
  const bool whole = std::any_of(spec.constants.begin(), spec.constants.end(),
                                 [](const op::Constant& c) { return c.type == op::Type::integer; });
  const auto reals = static_cast<int>(
      std::ranges::count_if(spec.constants, [](const op::Constant& c) { return c.type == op::Type::real; }));
  plan.constants = constants_drawn + constants_twin + (whole ? constants_small : 0) +
                   (reals > 0 ? constants_afar + std::min(constants_exchanged, reals * (reals - 1) / 2) : 0);
  return plan;
}

}  // namespace ww::gate
