// SPDX-License-Identifier: Apache-2.0
// What the gate says of a candidate: one result per stage, with evidence. Plain data; JSON in verdict_json.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "compile/compile.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

enum class Stage : std::uint8_t { contract, compile, smoke, cases, determinism, measure };
inline constexpr Stage all_stages[] = {Stage::contract, Stage::compile,     Stage::smoke,
                                       Stage::cases,    Stage::determinism, Stage::measure};
std::string_view stage_name(Stage stage);

enum class Outcome : std::uint8_t { passed, failed, skipped };
std::string_view outcome_name(Outcome outcome);

struct Case {
  std::string name;  // "default", "odd", "prime", "ones", "ragged", "tiny", …
  op::Binding binding;
};

struct FailingElement {
  std::string tensor;
  std::vector<std::int64_t> index;    // row-major subscripts
  double expected = 0, actual = 0;    // integers exactly representable up to 2^53
  double tolerance = 0;               // absolute
  double error_ulps = 0;              // of the output's dtype
  std::int64_t wrong = 0, total = 0;  // elements outside tolerance, of all
};

struct Fault {          // a device's report, placed in the candidate's source
  std::string kind;     // "out of bounds", "misaligned", "uninitialised read", "race", "infinite loop", …
  std::string message;  // plain sentence
  std::string kernel;
  int line = 0;  // in the candidate's text; 0: unknown
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  std::uint64_t address = 0;
  std::string buffer;       // the tensor it belongs to or lies nearest to
  std::int64_t offset = 0;  // bytes from that buffer's start
};

struct Failure {
  std::string case_name;  // empty: not of one case
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  std::optional<FailingElement> element;
  std::optional<Fault> fault;
};

struct StageResult {
  Stage stage = Stage::contract;
  Outcome outcome = Outcome::skipped;
  std::string message;  // one plain sentence
  std::string detail;   // compiler log or the like; may be empty
  std::optional<Failure> failure;
  double seconds = 0;
};

// Counts of one launch or of a whole plan, *simulated* (the SIMT machine) or *measured* (hardware counters): provenance
// says which.
struct LineCount {
  int line = 0;  // of the candidate's text
  std::uint64_t warp_instructions = 0, thread_instructions = 0, global_sectors = 0, shared_wavefronts = 0,
                bank_conflicts = 0, divergent_branches = 0;
  std::uint64_t global_requests = 0, global_bytes = 0;  // warp instructions that reached global memory, bytes that
                                                        // their threads asked for; 0 with sectors: not counted
};
struct Metrics {
  std::string provenance;  // "simulated", "measured"
  std::string device;      // "simt", "cuda:0"
  std::string case_name;
  // By name. Simulated: "warp_instructions", "global_sectors", … (device::Counts). Measured: "median_us", "q1_us",
  // "q3_us" (cold L2 cache), "median_warm_us", "samples", "floor_us" (modelled: profile/roofline.h), "impossible" (1
  // where the time lies below that floor: not ranked), and hardware counters under Nsight Compute's names, over all
  // launches.
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::pair<std::string, std::string>>
      conditions;  // of a measurement: "gpu", "driver", "clocks", "cache", "counters", …
  std::vector<LineCount> lines;
};

struct CaseCoverage {
  std::string case_name;
  op::Binding binding;
  bool claimed = true;  // false: a "require" excludes it
  int seeds = 0;        // input sets proved
};

struct Verdict {
  std::string candidate;  // hash
  std::string device;
  bool accepted = false;            // every stage up to determinism passed, and measuring it did not fail
  std::vector<StageResult> stages;  // in order, up to the first that failed, then skipped ones
  std::vector<CaseCoverage> coverage;
  std::vector<compile::KernelResources> resources;
  std::string ptx;
  std::optional<Metrics> metrics;  // of the default case; set when the measure stage ran
  double seconds = 0;
  std::string summary() const;  // "accepted: 6 cases x 5 seeds" or "rejected at smoke: …"
};

}  // namespace ww::gate
