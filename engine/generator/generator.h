// SPDX-License-Identifier: Apache-2.0
// The interface of everything that proposes candidates. Plugins under plugins/generators/ implement it and export two C
// functions:
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

struct Feedback {       // one candidate of this run that has its verdict
  std::int64_t id = 0;  // in the workspace
  std::string hash, parent, structure, text;
  bool accepted = false;
  double score = 0;  // lower is better; only where accepted and ranked
  bool ranked = false;
  std::string verdict;       // Verdict::summary()
  std::string failure;       // stage message and failing element or compiler log, as a person sees it
  std::string generator;     // who proposed it: Proposal::generator, else the generator's name; "manual": the person
  std::string duplicate_of;  // hash of the one with the same normalised PTX and plan, whose verdict this is; empty:
                             // judged itself
};

struct GeneratorRequest {
  op::Spec spec;                  // checked, dtype and shapes bound by its defaults
  op::Binding binding;            // the default case
  std::string device;             // "simt", "cuda:0"
  std::string architecture;       // "sm_80"
  std::vector<Feedback> history;  // in order of verdict
  std::size_t wanted = 4;         // at most so many proposals now
};

struct Proposal {
  std::string text;  // a candidate file; pinned (every tune line has one value)
  candidate::Language language = candidate::Language::cuda;
  std::string parent;         // hash of the candidate that it was made from, or empty
  std::string structure;      // as in the candidate's "structure" line
  std::string note;           // why, one line
  std::string generator;      // who proposed it within the generator: "model/beam"; empty: the generator's name
  std::int64_t exchange = 0;  // the request to a model that gave it; 0: none
  store::Origin origin;
  std::string draft;  // what `text` was pinned from, where tune lines left a choice
  template <class V>
  static void fields(V&& v) {
    v("text", &Proposal::text);
    v("language", &Proposal::language);
    v("parent", &Proposal::parent);
    v("structure", &Proposal::structure);
    v("note", &Proposal::note);
    v("generator", &Proposal::generator, Presence::defaulted);
  }
};

struct RunOptions;

class Generator;
using GeneratorFactory = std::function<Result<std::unique_ptr<Generator>>(const std::string& name)>;

struct Host {  // the run around a generator; outlives it
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
  // Once, before anything else; a resumed run's history comes with the first request.
  virtual Status begin(const Host& host) {
    (void)host;
    return {};
  }
  // True: asked only when all that it proposed has its verdict, so that what it proposes does not depend on who was
  // faster.
  virtual bool in_rounds() const { return false; }
  // Empty: nothing more to propose. Deterministic where the generator can be: the same requests give the same
  // proposals.
  virtual Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token stop) = 0;
  virtual std::string why_ended() const {
    return {};
  }  // one sentence, after it proposed nothing; empty: "the generator has nothing more to propose"
};

}  // namespace ww::generator
