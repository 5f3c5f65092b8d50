// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/roof_points.h"
#include <QCoreApplication>
#include <cmath>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

constexpr double sector_bytes = 32;

QString roof_tr(const char* text) { return QCoreApplication::translate("roof_points", text); }

double time_at(const ProfileView& view, profile::Cache cache) {
  const std::optional<TimeView>& time = cache == profile::Cache::cold ? view.cold : view.warm;
  return time ? time->median : profile::unknown;
}

}  // namespace

QString rate_text(double per_second, const QString& unit) {
  if (!std::isfinite(per_second)) return dash();
  QString number = per_second >= 1e15 ? QString::number(per_second / 1e15, 'g', 3) + " P" : short_count(per_second);
  return QString(number.contains(' ') ? number + unit : number + " " + unit).replace(' ', QChar(0xa0));
}

std::vector<RoofCeiling> roof_ceilings(const ProfileView& view, const profile::Datasheet* sheet) {
  std::vector<RoofCeiling> list;
  const QString own = view.roofline ? qs(view.roofline->unit) : QString();
  if (view.ceilings) {
    if (std::isfinite(view.ceilings->copy_bandwidth))
      list.push_back({roof_tr("memory"), true, view.ceilings->copy_bandwidth, true, true});
    for (const auto& [name, rate] : view.ceilings->matrix_rate)
      list.push_back({qs(name), false, rate, true, qs(name) == own});
  }
  const auto& rates = view.gpu ? view.gpu->datasheet
                      : sheet  ? sheet->rates
                               : std::vector<std::pair<std::string, double>>();
  for (const auto& [name, rate] : rates) {
    if (name == "bandwidth")
      list.push_back({roof_tr("memory"), true, rate, false, true});
    else if (name != "f64_tensor")
      list.push_back({qs(name), false, rate, false, qs(name) == own});
  }
  return list;
}

double roof_at(const std::vector<RoofCeiling>& ceilings, double intensity) {
  double bandwidth = profile::unknown, rate = profile::unknown;
  for (const bool measured : {false, true})  // measured ones replace the datasheet's
    for (const RoofCeiling& c : ceilings)
      if (c.own && c.measured == measured) (c.memory ? bandwidth : rate) = c.value;
  return std::isfinite(bandwidth) && std::isfinite(rate) ? std::min(bandwidth * intensity, rate) : profile::unknown;
}

QString level_name(RoofLevel level) {
  switch (level) {
    case RoofLevel::op: return roof_tr("the op's own bytes");
    case RoofLevel::dram: return roof_tr("device memory");
    case RoofLevel::l2: return roof_tr("L2 cache");
    case RoofLevel::l1: return roof_tr("L1 cache");
    case RoofLevel::counted: return roof_tr("sectors asked for");
  }
  return {};
}

QString level_provenance(RoofLevel level) {
  return level == RoofLevel::op        ? roof_tr("modelled work")
         : level == RoofLevel::counted ? roof_tr("modelled work, simulated bytes")
                                       : roof_tr("modelled work, measured bytes");
}

QString roof_why_not(const ProfileView& view) {
  if (!view.roofline) return qs(view.roofline_why_not);
  const double bytes = view.roofline->bytes_read + view.roofline->bytes_written;
  const double us = time_at(view, profile::Cache::cold);
  const QString moved =
      std::isfinite(us) ? " " + roof_tr("Effective bandwidth: %1 (measured).").arg(rate_text(bytes / us * 1e6, "B/s"))
                        : QString();
  if (!(view.roofline->flops > 0))
    return roof_tr("This op does no arithmetic, so it has no place on a roofline.") + moved;
  if (view.roofline->shares_work)
    return roof_tr(
               "Elements of this op can share operations, so their number says nothing about a kernel, and it has no "
               "place on a roofline.") +
           moved;
  return {};
}

std::vector<RoofPoint> roof_points(const ProfileView& view, profile::Cache cache) {
  std::vector<RoofPoint> list;
  if (!roof_why_not(view).isEmpty()) return list;
  const double flops = view.roofline->flops, us = time_at(view, cache),
               rate = std::isfinite(us) && us > 0 ? flops / us * 1e6 : profile::unknown;
  const auto add = [&](RoofLevel level, double bytes) {
    if (std::isfinite(bytes) && bytes > 0) list.push_back({level, flops / bytes, rate, us});
  };
  add(RoofLevel::op, view.roofline->bytes_read + view.roofline->bytes_written);
  if (has_counters(view) && view.counters_case == view.timings_case) {
    add(RoofLevel::dram, counter_of(view, "dram__bytes.sum"));
    add(RoofLevel::l2, counter_of(view, "lts__t_sectors.sum") * sector_bytes);
    add(RoofLevel::l1, (counter_of(view, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                        counter_of(view, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")) *
                           sector_bytes);
  }
  add(RoofLevel::counted, simulated_of(view, "global_sectors") * sector_bytes);
  return list;
}

}  // namespace ww::widgets
