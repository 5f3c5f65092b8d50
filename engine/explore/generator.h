// SPDX-License-Identifier: Apache-2.0
// What proposes candidates. Plugins under plugins/generators/ implement it and export one C function:
//   extern "C" __attribute__((visibility("default"))) ww::explore::Generator* ww_make_generator();   (the caller deletes it)
//   extern "C" __attribute__((visibility("default"))) int ww_generator_abi();                         (returns generator_abi)
// Built with the same compiler as the program; loaded by generators.h.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include "base/cancel.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "gate/verdict.h"
#include "op/spec.h"

namespace ww::explore {

inline constexpr int generator_abi = 1;

struct Feedback {                  // one candidate of this run that has its verdict
  std::string hash, parent, structure, text;
  bool accepted = false;
  double score = 0;                // lower is better; only where accepted and ranked
  bool ranked = false;
  std::string verdict;             // Verdict::summary()
  std::string failure;             // stage message and failing element or compiler log, as a person sees it
};

struct GeneratorRequest {
  op::Spec spec;                   // checked, dtype and shapes bound by its defaults
  op::Binding binding;             // the default case
  std::string device;              // "simt", "cuda:0"
  std::string architecture;        // "sm_80"
  std::vector<Feedback> history;   // in order of verdict
  std::size_t wanted = 4;          // at most so many proposals now
};

struct Proposal {
  std::string text;                // a candidate file; pinned (every tune line has one value)
  candidate::Language language = candidate::Language::cuda;
  std::string parent;              // hash of the candidate that it was made from, or empty
  std::string structure;           // as in the candidate's "structure" line
  std::string note;                // why, one line
};

class Generator {                  // lives for one run; called from one thread
 public:
  virtual ~Generator() = default;
  virtual std::string name() const = 0;
  // Empty: nothing more to propose. Deterministic where the generator can be: the same requests give the same proposals.
  virtual Result<std::vector<Proposal>> propose(const GeneratorRequest& request, CancelToken cancel) = 0;
};

}  // namespace ww::explore
