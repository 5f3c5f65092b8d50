// SPDX-License-Identifier: Apache-2.0
// A verdict as JSON, and back without loss. The schema is public (version 2); members that are empty or absent in C++
// are left out where marked "?". Verdicts of version 1 are read, too: what they do not say is unknown.
//   { "version": 2, "candidate": hash, "device": "simt", "accepted": bool, "summary": text, "seconds": number,
//     "stages": [{ "stage": "contract" … "measure", "outcome": "passed" | "failed" | "skipped", "message": text,
//     "detail"?: text,
//                  "skipped"?: "unknown" | "not reached" | "not requested" | "not measurable", "seconds": number,
//                  "failure"?: FAILURE }],
//     "coverage": [{ "case": name, "binding": BINDING, "claimed": bool, "seeds": int }],
//     "proof": { "compiler"?, "compiler_cached"?: bool, "host_references"?, "smoke_case"?, "elements"?: ELEMENTS,
//                "reproducibility": "unknown" | "bitwise" | "within bound" | "not compared",
//                "varying"?: [{ "tensor", "count", "total" }], "checks": CHECKS },
//     "resources": [{ "kernel", "registers", "static_shared", "stack", "spill_stores", "spill_loads", "constant",
//     "barriers" }], "ptx"?: text, "metrics"?: { "provenance", "device", "case", "values": { name: number … in order },
//     "conditions"?: { name: text … in order },
//                   "floor"?: { "us", "rates": "unknown" | "measured" | "datasheet", "limit": "unknown" | "memory" |
//                   "compute" }, "floor_why_not"?, "impossible"?, "counters_why_not"?: text,
//                   "lines": [{ "line", "warp_instructions", "thread_instructions", "global_sectors",
//                   "shared_wavefronts", "bank_conflicts",
//                               "divergent_branches", "global_requests"?, "global_bytes"? }] } }
//   FAILURE = { "case"?: name, "binding"?: BINDING, "distribution": name, "seed": int,
//               "element"?: { "tensor", "index": [int …], "expected", "actual", "tolerance", "error_ulps", "wrong",
//               "total" }, "fault"?: { "kind", "message", "kernel", "line", "block": [x, y, z], "thread": [x, y, z],
//               "address", "buffer", "offset" } }
//   ELEMENTS = { "compared", "unproved", "not_compared" }, of outputs over all input sets; without it: unknown
//   CHECKS = { "bounds", "alignment", "initialisation", "races" }, each "unknown" | "no" | "partly" | "yes"
//   BINDING = { "symbols": { name: int }, "constants"?: { name: number } }
// Numbers that JSON cannot write are the strings "inf", "-inf" and "nan".
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"

namespace ww::evidence {

std::string verdict_to_json(const Verdict& verdict, int indent = -1);  // indent -1: one line
Result<Verdict> verdict_from_json(std::string_view json);              // Code::corrupt names the member that is wrong
Result<Verdict> verdict_of(const nlohmann::ordered_json& j);

std::string binding_to_json(const op::Binding& binding);
Result<op::Binding> binding_from_json(std::string_view json);

// Parts of it, for messages that carry them by themselves.
std::string resources_to_json(const std::vector<compile::KernelResources>& resources);
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view json);
nlohmann::ordered_json resources_json(const std::vector<compile::KernelResources>& resources);
Result<std::vector<compile::KernelResources>> resources_of(const nlohmann::ordered_json& j);

}  // namespace ww::evidence
