// SPDX-License-Identifier: Apache-2.0
#include "measure/occupancy.h"
#include "evidence/case_kind.h"
#include "profile/launches.h"

namespace ww::measure {
namespace {

// Dynamic shared memory may depend on the run's shapes.
op::Binding judged_default(const store::CandidateRecord& record) {
  if (record.verdict)
    for (const evidence::CaseCoverage& c : record.verdict->coverage)
      if (evidence::case_kind(c.case_name) == evidence::CaseKind::asked) return c.binding;
  return {};
}

}  // namespace

Result<std::vector<KernelOccupancy>> occupancy_of(const store::CandidateRecord& record, const std::string& spec_text,
                                                  const std::string& architecture) {
  const auto spec = WW_TRY(op::parse_spec(spec_text));
  const auto parsed = WW_TRY(candidate::parse(record.text, record.language));
  const auto plan = WW_TRY(candidate::plan(parsed, spec, judged_default(record), candidate::first_tuning(parsed)));
  const auto limits = WW_TRY(profile::device_limits(architecture));
  std::vector<KernelOccupancy> list;
  for (const profile::LaunchUse& use : profile::launches_of(plan, record.resources, &limits)) {
    if (!use.occupancy)
      return fail(Code::not_found, "the assembler reported nothing about the kernel " + use.launch.kernel);
    const profile::Occupancy& o = *use.occupancy;
    list.push_back({use.launch.kernel, limits.architecture, use.shape.block_threads,
                    use.shape.static_shared + use.shape.dynamic_shared, o.fraction, o.warps,
                    enum_string(o.limiter) + (o.why_none.empty() ? "" : " (" + o.why_none + ")")});
  }
  return list;
}

}  // namespace ww::measure
