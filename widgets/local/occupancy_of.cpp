// SPDX-License-Identifier: GPL-3.0-or-later
#include "local/occupancy_of.h"
#include <algorithm>
#include "candidate/candidate.h"
#include "profile/occupancy.h"

namespace ww::widgets {
namespace {

op::Binding judged_default(
    const store::CandidateRecord& record) {  // dynamic shared memory may hang on the run's shapes
  if (record.verdict)
    for (const gate::CaseCoverage& c : record.verdict->coverage)
      if (c.case_name == "default") return c.binding;
  return {};
}

}  // namespace

Result<std::vector<KernelOccupancy>> occupancy_of(const store::CandidateRecord& record, const std::string& spec_text,
                                                  const std::string& architecture) {
  const auto spec = WW_TRY(op::parse_spec(spec_text));
  const auto parsed = WW_TRY(
      candidate::parse(record.text, record.language == "ptx" ? candidate::Language::ptx : candidate::Language::cuda));
  const auto plan = WW_TRY(candidate::plan(parsed, spec, judged_default(record), candidate::first_tuning(parsed)));
  const auto limits = WW_TRY(profile::device_limits(architecture));
  std::vector<KernelOccupancy> list;
  for (const auto& launch : plan.launches) {
    const auto resources = std::find_if(record.resources.begin(), record.resources.end(),
                                        [&](const auto& r) { return r.kernel == launch.kernel; });
    if (resources == record.resources.end())
      return fail(Code::not_found, "the assembler reported nothing about the kernel " + launch.kernel);
    profile::KernelShape shape;
    shape.block_threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    shape.registers = resources->registers;
    shape.static_shared = resources->static_shared;
    shape.dynamic_shared = static_cast<std::int64_t>(launch.shared_bytes);
    const profile::Occupancy occupancy = profile::occupancy(limits, shape);
    KernelOccupancy k;
    k.kernel = launch.kernel;
    k.architecture = limits.architecture;
    k.block = shape.block_threads;
    k.shared = shape.static_shared + shape.dynamic_shared;
    k.occupancy = occupancy.fraction;
    k.active_warps = occupancy.warps;
    k.limiter = occupancy.why_none.empty() ? occupancy.limiter : occupancy.limiter + " (" + occupancy.why_none + ")";
    list.push_back(std::move(k));
  }
  return list;
}

}  // namespace ww::widgets
