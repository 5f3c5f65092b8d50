// SPDX-License-Identifier: Apache-2.0
// The contents of a roofline plot: the GPU's ceilings, and the candidate's points.
#pragma once
#include <optional>
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

enum class RoofLevel : std::uint8_t { op, dram, l2, l1, counted };
constexpr auto names_of(RoofLevel) {
  using enum RoofLevel;
  return std::to_array<Enumerator<RoofLevel>>(
      {{op, "op"}, {dram, "dram"}, {l2, "l2"}, {l1, "l1"}, {counted, "counted"}});
}
std::string level_name(RoofLevel level);       // "device memory"
Provenance level_provenance(RoofLevel level);  // of the bytes; the operations are always modelled

struct RoofCeiling {
  std::string name;  // "memory", "L2 cache", "f32", "bf16", "f64 tensor cores"
  // Of dram, l2 or l1: the value is in bytes per second. None: in operations per second.
  std::optional<RoofLevel> memory;
  double value = profile::unknown;
  bool measured = true;  // false: from a datasheet
  bool own = false;      // device memory, and the element type in which this op computes
};
// `sheet`: of the GPU to show if nothing was measured; may be null.
std::vector<RoofCeiling> roof_ceilings(const CandidateProfile& view, const profile::Datasheet* sheet);
// Operations per second that the ceilings allow at this intensity: measured, else from the datasheet; NaN: unknown.
double roof_at(const std::vector<RoofCeiling>& ceilings, double intensity);

struct RoofPoint {
  RoofLevel level = RoofLevel::op;
  // operations of the spec per byte: of the spec (modelled), of a memory level (measured), or of the sectors counted
  // (simulated)
  double intensity = profile::unknown;
  double rate = profile::unknown;  // operations of the spec per second; NaN: not measured
  double us = profile::unknown;    // measured
  Provenance provenance() const { return level_provenance(level); }
  WW_FIELDS(RoofPoint, (level, "whose bytes: the op's own, those of device memory, L2 or L1, or the sectors counted"),
            (intensity, "operations of the spec per byte"),
            (provenance, "of the bytes: `modelled`, `measured` or `simulated`; the operations are always modelled"),
            (rate, "operations of the spec per second, measured", nullable), (us, "measured", nullable))
};

bool computes_integers(const CandidateProfile& view);  // its operations are no floating-point ones: OP/s, not FLOP/s

enum class NoPoints : std::uint8_t {
  none,     // it can be shown in a roofline plot
  unknown,  // CandidateProfile::roofline_why_not
  no_arithmetic,
  shared_work,  // elements of the op can share operations, so the spec's count is no lower bound for a kernel
};
NoPoints why_no_points(const CandidateProfile& view);
// The op's own point first. Empty: it cannot be shown.
std::vector<RoofPoint> roof_points(const CandidateProfile& view, profile::Cache cache);
// Of what the roof allows, 0 to 1: for the op's own point its floor over its time (as in every other place), for device
// memory's by the ceilings at its intensity. NaN: not known, or the level has no roof of its own here.
double roof_share(const CandidateProfile& view, const RoofPoint& point, const std::vector<RoofCeiling>& ceilings);
double useful_bandwidth(const CandidateProfile& view);  // the op's own bytes per second, at the time with a cold cache

}  // namespace ww::measure
