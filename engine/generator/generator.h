// SPDX-License-Identifier: Apache-2.0
// The interface of all generators, which propose candidates. Plugins under plugins/generators/ implement it and export
// two C functions:
//   // The caller deletes the generator.
//   extern "C" __attribute__((visibility("default"))) ww::generator::Generator* ww_make_generator();
//   // Returns generator_abi.
//   extern "C" __attribute__((visibility("default"))) int ww_generator_abi();
// Built with the same compiler as the program; loaded by explore/generators.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "evidence/verdict.h"
#include "llm/events.h"
#include "op/spec.h"
#include "store/origin.h"
#include "store/states.h"

namespace ww::store {
class Workspace;
}

namespace ww::generator {

inline constexpr int generator_abi = 6;

struct Feedback {       // one judged candidate of this run
  std::int64_t id = 0;  // in the workspace
  std::string hash, parent, structure, text;
  bool accepted = false;
  double score = 0;  // lower is better; only if accepted and ranked
  bool ranked = false;
  std::string verdict;    // Verdict::summary()
  std::string failure;    // stage message and failing element or compiler log, as shown to people
  std::string generator;  // who proposed it: Proposal::generator, else the generator's name; "manual": the user
  // hash of the candidate with the same normalised PTX and plan, whose verdict this is; empty: judged itself
  std::string duplicate_of;
};

struct GeneratorRequest {
  op::Spec spec;                  // checked, dtype and shapes bound by its defaults
  op::Binding binding;            // the default case
  std::string device;             // "simt", "cuda:0"
  std::string architecture;       // "sm_80"
  std::vector<Feedback> history;  // in order of verdict
  std::size_t wanted = 4;         // the maximum number of proposals
};

struct Proposal {
  std::string text;  // a candidate file; pinned (every tune line has one value)
  candidate::Language language = candidate::Language::cuda;
  std::string parent;         // hash of the candidate that it is derived from, or empty
  std::string structure;      // as in the candidate's "structure" line
  std::string note;           // the reason, one line
  std::string generator;      // the component that proposed it: "model/beam"; empty: the generator's name
  std::int64_t exchange = 0;  // the request to a model that produced it; 0: none
  store::Origin origin;
  std::string draft;  // the text before pinning, if its tune lines left a choice
  WW_FIELDS(Proposal, text, language, parent, structure, note, (generator, defaulted))
};

struct RunOptions;

class Generator;
using GeneratorFactory = std::function<Result<std::unique_ptr<Generator>>(const std::string& name)>;

struct Host {  // the run that hosts a generator; outlives it
  store::Workspace& workspace;
  std::int64_t run;
  const RunOptions& options;
  std::function<void(const llm::ModelEvent&)> watch;                            // to the run's watchers
  std::function<void(store::MessageLevel level, const std::string& text)> say;  // into the run's log
  GeneratorFactory make_generator;                                              // explore/generators.h
};

class Generator {  // lives for one run; called from one thread
 public:
  virtual ~Generator() = default;
  virtual std::string name() const = 0;
  // Called once, before anything else; a resumed run's history comes with the first request.
  virtual Status begin(const Host& host) {
    (void)host;
    return {};
  }
  // True: called only once all its proposals have verdicts, so that its proposals do not depend on the speed of the
  // workers.
  virtual bool in_rounds() const { return false; }
  // Empty: nothing more to propose. Deterministic if possible: the same requests give the same proposals.
  virtual Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token stop) = 0;
  virtual std::string why_ended() const {
    return {};
  }  // one sentence, after it proposed nothing; empty: "the generator has nothing more to propose"
};

}  // namespace ww::generator
