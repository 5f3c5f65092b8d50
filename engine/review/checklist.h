// SPDX-License-Identifier: Apache-2.0
// The questions to answer before a candidate is accepted: the items of the workspace's policy, each with the related
// facts about the candidate. All facts are read from the store; every number has its provenance.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "appraisal/advice.h"
#include "store/workspace.h"

namespace ww::review {

enum class Topic : std::uint8_t {
  spec,
  evidence,
  coverage,
  unproved,
  lines,
  findings,
  advice,
  lineage,
  diff,
  measurements,
  limits,
  notes
};
constexpr auto names_of(Topic) {
  using enum Topic;
  return std::to_array<Enumerator<Topic>>({{spec, "spec"},
                                           {evidence, "evidence"},
                                           {coverage, "coverage"},
                                           {unproved, "unproved"},
                                           {lines, "lines"},
                                           {findings, "findings"},
                                           {advice, "advice"},
                                           {lineage, "lineage"},
                                           {diff, "diff"},
                                           {measurements, "measurements"},
                                           {limits, "limits"},
                                           {notes, "notes"}});
}

struct Item {
  std::string id, sentence, why;
  bool required = true;
  std::vector<Topic> about;  // of the facts shown with it
};

struct Policy {
  std::vector<Item> items;
  std::string hash;                               // of the file's text
  bool own = false;                               // the workspace's own instead of the shipped one
  const Item* item(const std::string& id) const;  // null when there is none
  // WORKSPACE/review/policy.json if it exists, else resources/review/policy.json. Code::parse: the message names file
  // and line.
  static Result<Policy> load(const std::filesystem::path& workspace);
  static Result<Policy> parse(const std::string& text, const std::string& name);
};

struct Fact {
  Topic topic = Topic::spec;
  std::string text;      // one sentence; for `spec` and `notes` possibly several lines
  int line = 0;          // of the candidate's text; 0: none
  bool concern = false;  // needs attention, not only for information
};

struct Ancestor {          // the candidate itself first, then its parent, …
  std::string hash, name;  // name: its display name in this workspace, "#22 row-warp"
  std::string generator, note;
  store::ExchangeRecord exchange;  // id 0: not from a model
};

// A candidate with all that the workspace has on it.
struct Dossier {
  store::CandidateRecord candidate;
  store::RunRecord run;
  store::OpRecord op;
  appraisal::RunContext context;
  std::optional<candidate::Candidate> parsed;  // empty if its text does not parse (it was rejected)
  std::optional<candidate::Plan> plan;         // of the default case
  std::optional<store::CandidateRecord> parent;
  std::vector<Ancestor> lineage;  // at most 64
  std::vector<store::MeasurementRecord> measurements;
  std::vector<store::ReviewRecord> reviews;
  std::string compiler;  // "NVRTC 13.0"; empty: not recorded by the run
  bool gpu_here = false;
};
Result<Dossier> dossier_of(store::Workspace& workspace, std::int64_t candidate);

std::vector<Fact> facts_of(const Dossier& dossier);
// Why this candidate cannot be accepted, whatever the answers; empty: it can.
std::string refusal_of(const Dossier& dossier);

// Lines with machine code that were not executed, ascending. `why_not`: why that is unknown.
struct Unexecuted {
  std::vector<int> lines;
  std::vector<int> one_way;  // lines whose condition had the same value in every case; known if every_case
  bool every_case = false;   // over all cases; false: only the counted one
  std::string why_not;
};
Unexecuted unexecuted_lines(const Dossier& dossier);

struct Question {
  Item item;
  std::vector<Fact> facts;
};
struct Checklist {
  Policy policy;
  std::vector<Question>
      questions;        // in the policy's order; what changed is asked only where there is a parent or a note
  std::string refusal;  // of refusal_of
  std::vector<std::string> holes;    // of the candidate's claim: candidate::holes_of
  std::vector<std::string> kept;     // of its module: ptx::kept_variables
  std::vector<std::string> untried;  // by its verdict: evidence::untried_in, and the machine's GPU
};
Checklist checklist_of(const Policy& policy, const Dossier& dossier);

}  // namespace ww::review
