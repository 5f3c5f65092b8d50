// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/launch_times.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <QCoreApplication>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString launch_tr(const char* text) { return QCoreApplication::translate("LaunchTimes", text); }

double warps_of(const LaunchTime& l) { return static_cast<double>(l.blocks) * ((l.threads + 31) / 32); }

// Line of the text where each kernel's head stands; empty unless all are found.
std::map<int, std::string> heads_of(const ProfileView& view) {
  std::map<int, std::string> heads;
  for (const LaunchView& launch : view.launches) {
    std::size_t at = std::string::npos;
    for (std::size_t from = 0; (from = view.record.text.find(launch.kernel, from)) != std::string::npos; ++from) {
      const std::size_t begin = view.record.text.rfind('\n', from), line = begin == std::string::npos ? 0 : begin + 1;
      const std::string before = view.record.text.substr(line, from - line);
      if (before.find("//") == std::string::npos &&
          (before.find("__global__") != std::string::npos || before.find(".entry") != std::string::npos))
        at = from;
    }
    if (at == std::string::npos) return {};
    heads[1 + static_cast<int>(std::count(view.record.text.begin(),
                                          view.record.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'))] =
        launch.kernel;
  }
  return heads;
}

// Simulated instructions by kernel, from those of the lines between its head and the next. Empty: not all of them
// belong to a kernel.
std::map<std::string, double> work_of_kernels(const ProfileView& view) {
  const evidence::Metrics* m = simulated(view);
  const std::map<int, std::string> heads = m ? heads_of(view) : std::map<int, std::string>();
  if (heads.empty()) return {};
  std::map<std::string, double> work;
  double all = 0, placed = 0;
  for (const evidence::LineCount& line : m->lines) {
    all += static_cast<double>(line.warp_instructions);
    auto next = heads.upper_bound(line.line);
    if (next == heads.begin()) continue;
    work[std::prev(next)->second] += static_cast<double>(line.warp_instructions);
    placed += static_cast<double>(line.warp_instructions);
  }
  return placed >= 0.95 * all && all > 0 ? work : std::map<std::string, double>();
}

void share_out(LaunchTimes& times, const std::map<std::string, double>& work) {
  std::map<QString, double> warps;  // of all launches of a kernel
  for (const LaunchTime& l : times.launches) warps[l.kernel] += warps_of(l);
  double total = 0;
  for (LaunchTime& l : times.launches) {
    const auto at = work.find(l.kernel.toStdString());
    l.part = work.empty()                               ? warps_of(l)
             : at == work.end() || warps[l.kernel] <= 0 ? 0
                                                        : at->second * warps_of(l) / warps[l.kernel];
    total += l.part;
  }
  for (LaunchTime& l : times.launches) l.part = total > 0 ? l.part / total : profile::unknown;
  times.source = work.empty() ? launch_tr("modelled from the number of warps")
                              : launch_tr("modelled from simulated instructions by line");
}

}  // namespace

LaunchTimes launch_times(const ProfileView& view) {
  LaunchTimes times;
  if (view.launches.empty()) {
    times.why_not =
        view.launches_why_not.empty() ? launch_tr("the plan has no launches for this case") : qs(view.launches_why_not);
    return times;
  }
  for (const LaunchView& l : view.launches) {
    LaunchTime t;
    t.kernel = qs(l.kernel);
    t.blocks = l.grid[0] * l.grid[1] * l.grid[2];
    t.threads = static_cast<int>(l.block[0] * l.block[1] * l.block[2]);
    t.shape = launch_tr("grid %1 x %2 x %3, block %4 x %5 x %6")
                  .arg(l.grid[0])
                  .arg(l.grid[1])
                  .arg(l.grid[2])
                  .arg(l.block[0])
                  .arg(l.block[1])
                  .arg(l.block[2]);
    t.occupancy = l.occupancy ? QString::number(100 * l.occupancy->fraction, 'f', 0) + " %" : dash();
    times.launches.append(t);
  }
  double sum = 0;
  for (int i = 0; i < times.launches.size(); ++i) {
    LaunchTime& l = times.launches[i];
    l.us = counter_of(view, "gpu__time_duration.sum", i) / 1000;
    sum += l.us;
  }
  if (view.cold && view.timings_case == view.counters_case) times.whole_us = view.cold->median;
  if (std::isfinite(sum) && sum > 0) {
    times.measured = true;
    times.sum_us = sum;
    times.source = QStringLiteral("measured");
    for (LaunchTime& l : times.launches) l.part = l.us / sum;
  } else {
    for (LaunchTime& l : times.launches) l.us = profile::unknown;  // of some launches alone
    share_out(times, work_of_kernels(view));
  }
  return times;
}

}  // namespace ww::widgets
