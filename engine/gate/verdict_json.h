// SPDX-License-Identifier: Apache-2.0
// A verdict as JSON, and back without loss. The schema is public (version 1); members that are empty or absent in C++
// are left out where marked "?":
//   { "version": 1, "candidate": hash, "device": "simt", "accepted": bool, "summary": text, "seconds": number,
//     "stages": [{ "stage": "contract" … "measure", "outcome": "passed" | "failed" | "skipped", "message": text,
//     "detail"?: text,
//                  "seconds": number, "failure"?: FAILURE }],
//     "coverage": [{ "case": name, "binding": BINDING, "claimed": bool, "seeds": int }],
//     "resources": [{ "kernel", "registers", "static_shared", "stack", "spill_stores", "spill_loads", "constant",
//     "barriers" }], "ptx"?: text, "metrics"?: { "provenance", "device", "case", "values": { name: number … in order },
//     "conditions"?: { name: text … in order },
//                   "lines": [{ "line", "warp_instructions", "thread_instructions", "global_sectors",
//                   "shared_wavefronts", "bank_conflicts",
//                               "divergent_branches", "global_requests"?, "global_bytes"? }] } }
//   FAILURE = { "case"?: name, "binding"?: BINDING, "distribution": name, "seed": int,
//               "element"?: { "tensor", "index": [int …], "expected", "actual", "tolerance", "error_ulps", "wrong",
//               "total" }, "fault"?: { "kind", "message", "kernel", "line", "block": [x, y, z], "thread": [x, y, z],
//               "address", "buffer", "offset" } }
//   BINDING = { "symbols": { name: int }, "constants"?: { name: number } }
// Numbers that JSON cannot write are the strings "inf", "-inf" and "nan".
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "gate/verdict.h"

namespace ww::gate {

std::string verdict_to_json(const Verdict& verdict, int indent = -1);  // indent -1: one line
Result<Verdict> verdict_from_json(std::string_view json);              // Code::corrupt names the member that is wrong

std::string binding_to_json(const op::Binding& binding);
Result<op::Binding> binding_from_json(std::string_view json);

// Parts of it, for messages that carry them by themselves.
std::string resources_to_json(const std::vector<compile::KernelResources>& resources);
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view json);
nlohmann::ordered_json resources_json(const std::vector<compile::KernelResources>& resources);
Result<std::vector<compile::KernelResources>> resources_of(const nlohmann::ordered_json& j);
nlohmann::ordered_json json_of(const FailingElement& element);
Result<FailingElement> element_of(const nlohmann::ordered_json& j);
nlohmann::ordered_json json_of(const Fault& fault);
Result<Fault> fault_of(const nlohmann::ordered_json& j);

}  // namespace ww::gate
