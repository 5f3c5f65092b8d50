// SPDX-License-Identifier: Apache-2.0
#include "measure/roof_points.h"
#include <algorithm>
#include <cmath>
#include "profile/timing_facts.h"

namespace ww::measure {
namespace {

constexpr double sector_bytes = 32;
constexpr const char* f64_tensor = "f64 tensor cores";

double time_at(const CandidateProfile& view, profile::Cache cache) {
  const std::optional<TimeView>& time = cache == profile::Cache::cold ? view.cold : view.warm;
  return time ? time->median : profile::unknown;
}

}  // namespace

std::vector<RoofCeiling> roof_ceilings(const CandidateProfile& view, const profile::Datasheet* sheet) {
  std::vector<RoofCeiling> list;
  const std::string own = view.roofline ? view.roofline->unit : "";
  const auto& rates = view.gpu ? view.gpu->datasheet
                      : sheet  ? sheet->rates
                               : std::vector<std::pair<std::string, double>>();
  // Where matrix units compute in f64, too, cuBLAS uses them: what was measured is theirs, above the lanes' f64.
  const auto has = [&](const char* name) {
    return std::any_of(rates.begin(), rates.end(), [&](const auto& rate) { return rate.first == name; });
  };
  const bool tensor = has("f64_tensor");
  if (view.ceilings) {
    if (std::isfinite(view.ceilings->copy_bandwidth))
      list.push_back({"memory", RoofLevel::dram, view.ceilings->copy_bandwidth, true, true});
    for (const auto& [level, rate] :
         {std::pair(RoofLevel::l2, view.ceilings->l2_bandwidth), std::pair(RoofLevel::l1, view.ceilings->l1_bandwidth)})
      if (std::isfinite(rate)) list.push_back({level_name(level), level, rate, true, false});
    for (const auto& [name, rate] : view.ceilings->matrix_rate)
      list.push_back({name == "f64" && tensor ? f64_tensor : name, {}, rate, true, name == own});
  }
  for (const auto& [name, rate] : rates) {
    if (name == "bandwidth")
      list.push_back({"memory", RoofLevel::dram, rate, false, true});
    else if (name == "f64_tensor")
      list.push_back({f64_tensor, {}, rate, false, own == "f64"});
    else
      list.push_back({name, {}, rate, false, name == own});
  }
  return list;
}

double roof_at(const std::vector<RoofCeiling>& ceilings, double intensity) {
  double bandwidth = profile::unknown, rate = profile::unknown;
  for (const bool measured : {false, true}) {  // measured ones replace the datasheet's
    double most = 0;
    for (const RoofCeiling& c : ceilings)
      if (c.own && c.measured == measured) {
        if (c.memory)
          bandwidth = c.value;
        else
          most = std::max(most, c.value);
      }
    if (most > 0) rate = most;
  }
  return std::isfinite(bandwidth) && std::isfinite(rate) ? std::min(bandwidth * intensity, rate) : profile::unknown;
}

std::string level_name(RoofLevel level) {
  switch (level) {
    case RoofLevel::op: return "the op's own bytes";
    case RoofLevel::dram: return "device memory";
    case RoofLevel::l2: return "L2 cache";
    case RoofLevel::l1: return "L1 cache";
    case RoofLevel::counted: return "sectors asked for";
  }
  return {};
}

Provenance level_provenance(RoofLevel level) {
  return level == RoofLevel::op        ? Provenance::modelled
         : level == RoofLevel::counted ? Provenance::simulated
                                       : Provenance::measured;
}

bool computes_integers(const CandidateProfile& view) {
  const std::optional<DType> type = view.roofline ? dtype_from_name(view.roofline->unit) : std::nullopt;
  return type && is_integer(*type);
}

NoPoints why_no_points(const CandidateProfile& view) {
  return !view.roofline                ? NoPoints::unknown
         : !(view.roofline->flops > 0) ? NoPoints::no_arithmetic
         : view.roofline->shares_work  ? NoPoints::shared_work
                                       : NoPoints::none;
}

std::vector<RoofPoint> roof_points(const CandidateProfile& view, profile::Cache cache) {
  std::vector<RoofPoint> list;
  if (why_no_points(view) != NoPoints::none) return list;
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

double roof_share(const CandidateProfile& view, const RoofPoint& point, const std::vector<RoofCeiling>& ceilings) {
  if (point.level == RoofLevel::op && view.roofline)
    return profile::floor_fraction(profile::floor_us(*view.roofline), point.us);
  return point.level == RoofLevel::dram ? point.rate / roof_at(ceilings, point.intensity) : profile::unknown;
}

double useful_bandwidth(const CandidateProfile& view) {
  const double us = time_at(view, profile::Cache::cold);
  return view.roofline && us > 0 ? (view.roofline->bytes_read + view.roofline->bytes_written) / us * 1e6
                                 : profile::unknown;
}

}  // namespace ww::measure
