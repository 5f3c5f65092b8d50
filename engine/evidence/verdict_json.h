// SPDX-License-Identifier: Apache-2.0
// A verdict as JSON, and back without loss, by its description (verdict.h; see docs/json.md). Also reads verdicts of
// versions 1 and 2; values missing there are unknown.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"

namespace ww::evidence {

struct StoredVerdict {
  static constexpr std::string_view described_as = "VERDICT";
  int version = 3;
  Verdict verdict;
  template <class V>
  static void fields(V&& v) {
    v("version", &StoredVerdict::version);
    v(inlined, &StoredVerdict::verdict);
  }
};

std::string verdict_to_json(const Verdict& verdict, int indent = -1);  // indent -1: one line
Result<Verdict> verdict_from_json(std::string_view json);              // Code::corrupt names the offending member
Result<Verdict> verdict_of(const nlohmann::ordered_json& j);

std::string binding_to_json(const op::Binding& binding);
std::string resources_to_json(const std::vector<compile::KernelResources>& resources);
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view json);

}  // namespace ww::evidence
