// SPDX-License-Identifier: Apache-2.0
// The gate: the ordered checks that a candidate must pass on one device.
//
//   contract     spec and candidate parse and match; the default case and two others are claimed
//   compile      the code compiles, and has every launched kernel with matching parameters
//   smoke        a very small claimed case, with all of the device's checks
//   cases        every claimed case with `seeds` input sets each, against the f64 reference
//   determinism  the same inputs again, in another block order, over other poison: integers equal, reals in tolerance
//   measure      the default case again, counted; on real hardware timed over two input sets in turn and verified
//
// A case's input sets, usually five, run one after the other in one loaded module, to detect state kept between calls.
// For each: memory at other addresses, inputs read-only, outputs and temporaries poisoned, launches in order, then
// guard zones, inputs unchanged, every output element written, every output element within its tolerance (compare.h). A
// device that generates input sets keeps those of the default case, and of other large ones, in its memory with a
// reference that it evaluates itself (resident.h). A fault on real hardware is replayed on the SIMT machine, which
// names the line (replay.h). A fault that destroys the device's context ends the verdict there; the caller checks
// Device::usable().
#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "gate/mutants.h"
#include "gate/reference.h"
#include "gate/resident.h"
#include "evidence/verdict.h"
#include "evidence/wrong_map.h"

namespace ww::gate {

struct Request {
  std::string spec, candidate;  // texts
  candidate::Language language = candidate::Language::cuda;
  std::string architecture;  // empty: the device's own; "sm_80" if it accepts any
  op::Binding binding;       // the default case; missing values are the spec's defaults
  int seeds = 5;             // input sets per case
  bool measure = true;
  std::string secret;        // Secret::text() of a judgement to repeat; empty: drawn
  double launch_budget = 1;  // multiple of the usual budget, which depends on the work of the case
  op::Precision precision = op::Precision::usual;
  double most_work = 0;  // of the default case (gate/cases.h), which is reduced beyond; 0: as the device's facts say
};

struct Progress {
  Stage stage = Stage::contract;
  std::string message;  // "case odd, inputs 3 of 5 (large)"
  double fraction = 0;  // of the whole
};
using ProgressHandler = std::function<void(const Progress&)>;

struct Services {  // borrowed during the call
  compile::Compiler* compiler = nullptr;
  device::Device* device = nullptr;
  ReferenceCache* references = nullptr;
  int threads = 0;                    // host threads; 0: all
  ResidentCache* resident = nullptr;  // of the device; null: all references on the host, and no timing
  // Receives the map of the output for which a verdict rejects the candidate; null: not wanted. Stays empty if no
  // element is wrong, or the reference is in device memory.
  std::optional<evidence::WrongMap>* wrong = nullptr;
  MutantCache* mutants = nullptr;  // null: no mutants of the spec are made
};

// Errors of the candidate, and reasons why it was not judged, are in the verdict. Errors: the spec does not parse
// (Code::parse), the compiler is unavailable, cancelled. Throws std::bad_alloc if the process runs out of memory, which
// is not a verdict.
Result<Verdict> judge(const Request& request, const Services& services, std::stop_token stop = {},
                      const ProgressHandler& progress = {});

}  // namespace ww::gate
