// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/light_rows.h"
#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString light_tr(const char* text) { return QCoreApplication::translate("light_rows", text); }

struct LightPart {
  const char* part;
  const char* counter;  // the first that is known counts
  const char* other;
  const char* about;
};
constexpr LightPart light_parts[] = {
    {QT_TRANSLATE_NOOP("light_rows", "Compute"), "sm__throughput.avg.pct_of_peak_sustained_elapsed", nullptr,
     QT_TRANSLATE_NOOP("light_rows", "The busiest of the multiprocessor's parts, of its peak.")},
    {QT_TRANSLATE_NOOP("light_rows", "Issue slots"), "smsp__issue_active.avg.pct_of_peak_sustained_active", nullptr,
     QT_TRANSLATE_NOOP("light_rows", "Cycles in which a scheduler issued an instruction, while it had warps.")},
    {QT_TRANSLATE_NOOP("light_rows", "Tensor cores"), "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     nullptr, QT_TRANSLATE_NOOP("light_rows", "Cycles in which the tensor cores worked.")},
    {QT_TRANSLATE_NOOP("light_rows", "Memory"), "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
     nullptr, QT_TRANSLATE_NOOP("light_rows", "The busiest of caches, paths and device memory, of its peak.")},
    {QT_TRANSLATE_NOOP("light_rows", "L1 cache"), "l1tex__throughput.avg.pct_of_peak_sustained_active", nullptr,
     QT_TRANSLATE_NOOP("light_rows", "Throughput of the L1 cache, of its peak.")},
    {QT_TRANSLATE_NOOP("light_rows", "L2 cache"), "lts__throughput.avg.pct_of_peak_sustained_elapsed", nullptr,
     QT_TRANSLATE_NOOP("light_rows", "Throughput of the L2 cache, of its peak.")},
    {QT_TRANSLATE_NOOP("light_rows", "Device memory"), "dram__throughput.avg.pct_of_peak_sustained_elapsed",
     "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
     QT_TRANSLATE_NOOP("light_rows", "Throughput of device memory, of its peak.")},
};

// Of several launches the mean, each weighed by its time: percentages of a peak over time add up so.
double light_counter(const ProfileView& view, const char* name) {
  const double of_plan = counter_of(view, name);
  if (std::isfinite(of_plan) || !view.counters || view.counters->kernels.size() < 2) return of_plan;
  double sum = 0, time = 0;
  for (const profile::KernelCounters& k : view.counters->kernels) {
    const double t = counter_of(view, "gpu__time_duration.sum", k.launch);
    sum += counter_of(view, name, k.launch) * t;
    time += t;
  }
  return time > 0 ? sum / time : profile::unknown;
}

QString light_missing(const ProfileView& view) {
  if (!has_counters(view)) return qs(view.counters_why_not);
  if (!view.counters && view.launches.size() > 1)
    return light_tr(
               "For several launches the run keeps only sums; 'warpwright-cli profile %1 --counters full' measures "
               "each launch.")
        .arg(view.record.id);
  return light_tr("It is in the full set of counters: 'warpwright-cli profile %1 --counters full' measures it.")
      .arg(view.record.id);
}

void add_useful(const ProfileView& view, std::vector<LightRow>& rows) {
  const profile::Roofline* r = view.roofline ? &*view.roofline : nullptr;
  const double us = view.cold ? view.cold->median : view.warm ? view.warm->median : profile::unknown;
  const auto row = [&](const QString& part, double at_ceiling_us, const QString& from, const QString& about) {
    LightRow one{part, profile::unknown, from, about, light_tr("measured time, modelled work"), {}};
    if (std::isfinite(us) && us > 0) one.percent = 100 * at_ceiling_us / us;
    if (!std::isfinite(us))
      one.why_not = qs(view.timings_why_not);
    else if (!r)
      one.why_not = qs(view.roofline_why_not);
    else if (!std::isfinite(at_ceiling_us))
      one.why_not = r->shares_work && part == light_tr("Useful operations")
                        ? light_tr("Elements of this op can share operations, so their number is not a lower bound.")
                        : qs(view.ceilings_why_not);
    rows.push_back(one);
  };
  row(light_tr("Useful traffic"), r ? r->measured.memory_us : profile::unknown,
      light_tr("bytes of the spec, time, copy bandwidth"),
      light_tr("The bytes that the op itself must move, in the measured time, of the bandwidth that a copy reaches on "
               "this GPU."));
  row(light_tr("Useful operations"), r ? r->measured.compute_us : profile::unknown,
      light_tr("operations of the spec, time, rate of %1").arg(r ? qs(r->unit) : dash()),
      light_tr("The operations that the op itself needs, in the measured time, of the rate that a large product "
               "reaches on this GPU."));
}

}  // namespace

bool has_light(const ProfileView& view, LightKind kind) {
  return kind == LightKind::simulated ? !view.cost.empty() && view.cost_total > 0
                                      : has_counters(view) || view.cold || view.warm;
}

std::vector<LightRow> light_rows(const ProfileView& view, LightKind kind) {
  std::vector<LightRow> rows;
  if (kind == LightKind::simulated) {
    for (const auto& [group, cost] : view.cost) {
      LightRow row{capitalised(group),
                   100 * cost / view.cost_total,
                   light_tr("weighted counts of the SIMT machine"),
                   light_tr("Share of the simulated cost, which adds up as if nothing overlapped. It is not a time."),
                   light_tr("simulated"),
                   {}};
      rows.push_back(row);
    }
    return rows;
  }
  for (const LightPart& part : light_parts) {
    LightRow row{light_tr(part.part),
                 light_counter(view, part.counter),
                 QString::fromLatin1(part.counter),
                 light_tr(part.about),
                 light_tr("measured"),
                 {}};
    if (!std::isfinite(row.percent) && part.other) {
      row.percent = light_counter(view, part.other);
      if (std::isfinite(row.percent)) row.from = QString::fromLatin1(part.other);
    }
    if (!std::isfinite(row.percent)) row.why_not = light_missing(view);
    rows.push_back(row);
  }
  add_useful(view, rows);
  return rows;
}

const LightRow* brightest(const std::vector<LightRow>& rows) {
  const LightRow* best = nullptr;
  for (const LightRow& row : rows)
    if (std::isfinite(row.percent) && (!best || row.percent > best->percent)) best = &row;
  return best;
}

}  // namespace ww::widgets
