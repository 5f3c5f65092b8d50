// SPDX-License-Identifier: Apache-2.0
// The candidates of a workspace that can be registered as another one's backward, or how to get one.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/sentence/phrasebook.h"
#include "op/spec.h"
#include "store/workspace.h"

namespace ww::exporter {

struct BackwardCandidate {
  std::int64_t id = 0;
  std::string op, structure;
  std::map<std::string, std::int64_t> sizes;  // of the shape that its cost and rank are of
  bool same_sizes = false;                    // as the forward's, where both have them
  bool is_signed = false;
};

struct BackwardChoice {
  std::string op;                             // whose gradients
  std::vector<BackwardCandidate> candidates;  // proved here; the same sizes first, then the latest run, then the best
  std::optional<op::Spec> spec;               // of the gradients of all real inputs; empty: they cannot be derived
  std::string no_gradient;                    // then: why
  std::vector<std::string> settings;          // "--set", "R=48": where the forward's values are not the spec's own
  std::string library_op;                     // the op's name in the library; empty: it is not there
};

Result<BackwardChoice> backward_choice(store::Workspace& workspace, const op::Library& library,
                                       const store::CandidateRecord& forward);

// Where there is no candidate: why not, and the commands that lead to one. For the folder `workspace`.
std::string no_candidate_text(const BackwardChoice& choice, const std::filesystem::path& workspace);

}  // namespace ww::exporter
