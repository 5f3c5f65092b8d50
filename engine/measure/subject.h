// SPDX-License-Identifier: Apache-2.0
// The subject of a measurement: a candidate with every tuning choice made, at one case of an op.
#pragma once
#include <cstdint>
#include <string>
#include "base/describe.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "op/spec.h"
#include "store/workspace.h"

namespace ww::measure {

struct Case {
  op::Spec spec;
  std::string spec_text;
  op::Binding binding;  // overrides of the spec's defaults
};
op::Binding full_binding(const Case& what);  // defaults filled in: every symbol, every constant
std::string case_text(const Case& what);     // "matmul, M = 256, N = 256, K = 256"

struct Subject {
  static constexpr std::string_view described_as = "MEASURED";
  std::string label;  // "relu.cu", "candidate 12"; distinct within a measurement
  std::string text, hash, title, structure;
  std::string tuning;  // the choices made for it: "BLOCK = 128"; empty: none was open
  candidate::Language language = candidate::Language::cuda;
  std::int64_t candidate = 0;  // in the workspace; 0: not in it, as far as known
  WW_FIELDS(Subject, (label, "file name, or `candidate 12`"), hash, title,
            (tuning, "the choice made for open `tune` lines"))
};

// Pins a candidate with open choices to the first ones, and returns these as Subject::tuning.
std::string apply_first_choices(candidate::Candidate& candidate);

// Code::invalid_argument if the text is not a candidate.
Result<Subject> subject_of(const std::string& text, candidate::Language language, const std::string& label);

struct Stored {
  Subject subject;
  Case what;  // of its run
  store::RunRecord run;
};
// A candidate of the workspace with the case of its run. Its hash is the stored one, even if choices were open.
Result<Stored> stored_subject(store::Workspace& workspace, const store::CandidateRecord& candidate);

}  // namespace ww::measure
