// SPDX-License-Identifier: Apache-2.0
// A small case with what the reference evaluator gives for it, for an exported project to check itself with.
#pragma once
#include <map>
#include <memory>
#include <string>
#include "candidate/candidate.h"
#include "exporter/backward.h"
#include "exporter/package.h"
#include "gate/reference.h"

namespace ww::exporter {

inline constexpr std::int64_t most_expected = 4096;  // elements of a tensor

// At small sizes that the candidate claims, on normal inputs; always the same. Null where it claims none.
std::shared_ptr<const gate::Reference> expected_case(const Asked& asked, const candidate::Candidate& candidate);

// As text for resources/export/cpp; `plan`: of HostLanguage::cpp. Null: there is no such case.
std::map<std::string, std::string> expected_parts(const PlanText& plan, const gate::Reference* expected);

}  // namespace ww::exporter
