// SPDX-License-Identifier: Apache-2.0
// The contents of a roofline: the GPU's ceilings, and where a candidate lies below them.
#pragma once
#include "measure/candidate_profile.h"

namespace ww::measure {

struct RoofCeiling {
  std::string name;     // "memory", "f32", "bf16", "f64 tensor cores"
  bool memory = false;  // value is bytes per second, else operations per second
  double value = profile::unknown;
  bool measured = true;  // false: of a datasheet
  bool own = false;      // memory, and the element type that this op computes in
};
// `sheet`: of the GPU to show where nothing was measured; may be null.
std::vector<RoofCeiling> roof_ceilings(const CandidateProfile& view, const profile::Datasheet* sheet);
// Operations per second that the ceilings allow at this intensity: the measured ones, the datasheet's where there are
// none; NaN: not known.
double roof_at(const std::vector<RoofCeiling>& ceilings, double intensity);

enum class RoofLevel : std::uint8_t { op, dram, l2, l1, counted };
constexpr auto names_of(RoofLevel) {
  using enum RoofLevel;
  return std::to_array<Enumerator<RoofLevel>>(
      {{op, "op"}, {dram, "dram"}, {l2, "l2"}, {l1, "l1"}, {counted, "counted"}});
}
std::string level_name(RoofLevel level);        // "device memory"
std::string level_provenance(RoofLevel level);  // of the intensity

struct RoofPoint {
  RoofLevel level = RoofLevel::op;
  double intensity = profile::unknown;  // operations of the spec over: its bytes (modelled), bytes of a level
                                        // (measured), sectors counted (simulated)
  double rate = profile::unknown;       // operations of the spec per second; NaN: not measured
  double us = profile::unknown;         // measured
  std::string provenance() const { return level_provenance(level); }
  template <class V>
  static void fields(V&& v) {
    v("level", &RoofPoint::level,
      "whose bytes: the op's own, those of device memory, L2 or L1, or the sectors counted");
    v("intensity", &RoofPoint::intensity, "operations of the spec per byte");
    v("provenance", &RoofPoint::provenance, "of the intensity");
    v("rate", &RoofPoint::rate, {"operations of the spec per second, measured", Presence::nullable});
    v("us", &RoofPoint::us, {"measured", Presence::nullable});
  }
};

enum class NoPoints : std::uint8_t {
  none,     // it has a place on a roofline
  unknown,  // CandidateProfile::roofline_why_not
  no_arithmetic,
  shared_work,  // elements of the op can share operations, so their number says nothing about a kernel
};
NoPoints why_no_points(const CandidateProfile& view);
// The op's own point first. Empty: it has no place on a roofline.
std::vector<RoofPoint> roof_points(const CandidateProfile& view, profile::Cache cache);
double useful_bandwidth(const CandidateProfile& view);  // the op's own bytes in the time with a cold cache, per second

}  // namespace ww::measure
