// SPDX-License-Identifier: Apache-2.0
// The gate: the ordered checks that a candidate must pass on one device.
//
//   contract     spec and candidate parse and fit each other; the default case and two others are claimed
//   compile      the code compiles, every launched kernel is in it and takes the arguments of its launches
//   smoke        a very small claimed case, with every check that the device has
//   cases        every claimed case with `seeds` input sets each, against the f64 reference
//   determinism  the same inputs again, in another block order, over other poison: integers equal, reals in tolerance
//   measure      the default case again, counted; on real hardware timed over two input sets in turn and verified
//
// A case's input sets, five in general, run one after the other in one loaded module, so that what a candidate keeps
// from call to call shows. For each: memory elsewhere, inputs read-only, outputs and temporaries poisoned, launches in
// order, then guard zones, inputs unchanged, every output element written, every output element within its tolerance
// (compare.h). A device that makes input sets holds those of the default case, and of other large ones, in its own
// memory with a reference that it evaluates itself (resident.h). A fault of real hardware is looked for on the SIMT
// machine, which names the line (replay.h). A fault that takes the device's context with it ends the verdict there; the
// caller sees Device::usable().
#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "gate/reference.h"
#include "gate/resident.h"
#include "evidence/verdict.h"
#include "evidence/wrong_map.h"

namespace ww::gate {

struct Request {
  std::string spec, candidate;  // texts
  candidate::Language language = candidate::Language::cuda;
  std::string architecture;  // empty: the device's own; "sm_80" where it takes any
  op::Binding binding;       // the default case; what it leaves out has the spec's defaults
  int seeds = 5;             // input sets per case
  bool measure = true;
  std::string secret;        // Secret::text() of a judgement to be repeated; empty: drawn anew
  double launch_budget = 1;  // times the usual one, which follows from the work of the case
};

struct Progress {
  Stage stage = Stage::contract;
  std::string message;  // "case odd, inputs 3 of 5 (large)"
  double fraction = 0;  // of the whole
};
using ProgressHandler = std::function<void(const Progress&)>;

struct Services {  // borrowed for the call
  compile::Compiler* compiler = nullptr;
  device::Device* device = nullptr;
  ReferenceCache* references = nullptr;
  int threads = 0;                    // of the host; 0: all
  ResidentCache* resident = nullptr;  // of the device; null: all references on the host, and no timing
  // Is given the map of the output that a verdict rejects the candidate for; null: not wanted. Stays empty where no
  // element is wrong, or the reference is in the device's memory.
  std::optional<evidence::WrongMap>* wrong = nullptr;
};

// What is wrong with the candidate, and what kept it from being judged, is in the verdict. Errors: the spec does not
// parse (Code::parse), the compiler cannot be used, cancelled. Throws std::bad_alloc where the process gets no more
// memory: that is no verdict.
Result<Verdict> judge(const Request& request, const Services& services, std::stop_token stop = {},
                      const ProgressHandler& progress = {});

}  // namespace ww::gate
