// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a roofline: the GPU's ceilings, and where a candidate lies below them.
#pragma once
#include <QString>
#include <vector>
#include "session/profile_view.h"

namespace ww::widgets {

struct RoofCeiling {
  QString name;         // "memory", "f32", "bf16"
  bool memory = false;  // value is bytes per second, else operations per second
  double value = profile::unknown;
  bool measured = true;  // false: of a datasheet
  bool own = false;      // memory, and the element type that this op computes in
};
// `sheet`: of the GPU to show where nothing was measured; may be null.
std::vector<RoofCeiling> roof_ceilings(const ProfileView& view, const profile::Datasheet* sheet);
// Operations per second that the ceilings allow at this intensity: the measured ones, the datasheet's where there are
// none; NaN: not known.
double roof_at(const std::vector<RoofCeiling>& ceilings, double intensity);

enum class RoofLevel { op, dram, l2, l1, counted };
struct RoofPoint {
  RoofLevel level = RoofLevel::op;
  double intensity = profile::unknown;  // operations of the spec over: its bytes (modelled), bytes of a level
                                        // (measured), sectors counted (simulated)
  double rate = profile::unknown;       // operations of the spec per second; NaN: not measured
  double us = profile::unknown;         // measured
};
QString level_name(RoofLevel level);
QString level_provenance(RoofLevel level);  // of the intensity
// The op's own point first. Empty: it has no place on a roofline, and roof_why_not says why.
std::vector<RoofPoint> roof_points(const ProfileView& view, profile::Cache cache);
QString roof_why_not(const ProfileView& view);
QString rate_text(double per_second, const QString& unit);  // "51.1 TFLOP/s"

}  // namespace ww::widgets
