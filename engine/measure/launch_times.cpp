// SPDX-License-Identifier: Apache-2.0
#include "measure/launch_times.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include "ptx/lines.h"

namespace ww::measure {
namespace {

double warps_of(const LaunchTime& l) { return static_cast<double>(l.blocks) * ((l.threads + 31) / 32); }

// The kernels whose code comes from a line of the text: of a PTX candidate, those that stand there.
std::map<int, std::set<std::string_view>> kernels_by_line(const ptx::File& file) {
  std::map<int, std::set<std::string_view>> kernels;
  const std::vector<int> source = ptx::source_lines(file);
  for (const ptx::Function& f : file.functions) {
    if (!f.is_entry) continue;
    for (int at = f.first_line; at <= f.last_line && at <= static_cast<int>(source.size()); ++at)
      kernels[file.locations.empty() ? at : source[static_cast<std::size_t>(at) - 1]].insert(f.name);
  }
  return kernels;
}

// Simulated instructions by kernel. Empty: there is but one, or not all of them belong to one.
std::map<std::string, double, std::less<>> work_of_kernels(const CandidateProfile& view) {
  const evidence::Metrics* m = simulated(view);
  const auto other = [&](const LaunchView& l) { return l.kernel != view.launches.front().kernel; };
  if (!m || std::ranges::none_of(view.launches, other)) return {};
  const ptx::File file = ptx::parse(view.record.verdict->ptx);
  const std::map<int, std::set<std::string_view>> kernels = kernels_by_line(file);
  std::map<std::string, double, std::less<>> work;
  double all = 0, placed = 0;
  for (const evidence::LineCount& line : m->lines) {
    const auto n = static_cast<double>(line.warp_instructions);
    all += n;
    const auto at = kernels.find(line.line);
    if (line.line <= 0 || at == kernels.end() || at->second.size() != 1) continue;
    work[std::string(*at->second.begin())] += n;
    placed += n;
  }
  if (placed < 0.95 * all || all <= 0) work.clear();
  return work;
}

void share_out(LaunchTimes& times, const std::map<std::string, double, std::less<>>& work) {
  std::map<std::string_view, double> warps;  // of all launches of a kernel
  for (const LaunchTime& l : times.launches) warps[l.kernel] += warps_of(l);
  double total = 0;
  for (LaunchTime& l : times.launches) {
    const auto at = work.find(l.kernel);
    l.part = work.empty()                               ? warps_of(l)
             : at == work.end() || warps[l.kernel] <= 0 ? 0
                                                        : at->second * warps_of(l) / warps[l.kernel];
    total += l.part;
  }
  for (LaunchTime& l : times.launches) l.part = total > 0 ? l.part / total : profile::unknown;
  times.source = work.empty() ? PartSource::warps : PartSource::lines;
}

}  // namespace

std::string title_of(PartSource source) {
  switch (source) {
    case PartSource::measured: return "measured";
    case PartSource::lines: return "modelled from simulated instructions by line";
    case PartSource::warps: return "modelled from the number of warps";
    case PartSource::unknown: break;
  }
  return {};
}

LaunchTimes launch_times(const CandidateProfile& view) {
  LaunchTimes times;
  if (view.launches.empty()) {
    times.why_not = view.launches_why_not.empty() ? "the plan has no launches for this case" : view.launches_why_not;
    return times;
  }
  double sum = 0;
  for (const LaunchView& l : view.launches) {
    const auto at = static_cast<int>(times.launches.size());
    times.launches.push_back({l.kernel, l.grid[0] * l.grid[1] * l.grid[2],
                              static_cast<int>(l.block[0] * l.block[1] * l.block[2]),
                              counter_of(view, "gpu__time_duration.sum", at) / 1000, profile::unknown});
    sum += times.launches.back().us;
  }
  if (view.cold && view.timings_case == view.counters_case) times.whole_us = view.cold->median;
  if (std::isfinite(sum) && sum > 0) {
    times.source = PartSource::measured;
    times.sum_us = sum;
    for (LaunchTime& l : times.launches) l.part = l.us / sum;
  } else {
    for (LaunchTime& l : times.launches) l.us = profile::unknown;  // of some launches alone
    share_out(times, work_of_kernels(view));
  }
  return times;
}

}  // namespace ww::measure
