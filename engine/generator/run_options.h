// SPDX-License-Identifier: Apache-2.0
// What a run is given, and how that is kept in the workspace (JSON, with a version), so that any later process can
// resume it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/pause.h"
#include "base/result.h"
#include "generator/generator.h"
#include "llm/consent.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::explore {

struct Budget {
  int candidates = 24;      // judged ones; 0: no limit
  double minutes = 0;       // 0: no limit
  std::int64_t tokens = 0;  // of all requests to models, prompt and completion; 0: no limit
  double money = 0;         // US dollars for them; 0: no limit. Needs models whose price is known
  template <class V>
  static void fields(V&& v) {
    v("candidates", &Budget::candidates);
    v("minutes", &Budget::minutes);
    v("tokens", &Budget::tokens, Presence::defaulted);
    v("money", &Budget::money, Presence::defaulted);
  }
};

// The generator "model": which models, how they are asked, which strategy leads them.
struct ModelOptions {
  std::vector<std::string> strategies = {
      "refine"};              // several: they race, each with an equal share of the budget (strategy.h names them)
  std::string writer;         // "PRESET:MODEL"; needed
  std::string analyst;        // empty: the writer's model; "none": no analysis
  std::string mode = "cuda";  // "cuda", "cuda+ptx", "ptx"
  std::optional<double> temperature;
  std::uint64_t seed = 0;  // of the strategies' own choices and of each attempt's request
  std::string effort;
  std::int64_t output_tokens = 16384, prompt_tokens = 24000;
  int parallel = 4;                                      // requests at a time
  int width = 4, children = 2, patience = 4, fixes = 4;  // of the strategies: StrategyOptions (strategy.h)
  llm::Limits limits;
  std::int64_t replay_of = 0;  // replies come from the transcript of this run, not from a network; 0: no
  template <class V>
  static void fields(V&& v) {
    v("strategies", &ModelOptions::strategies);
    v("writer", &ModelOptions::writer);
    v("analyst", &ModelOptions::analyst);
    v("mode", &ModelOptions::mode);
    v("seed", &ModelOptions::seed);
    v("effort", &ModelOptions::effort);
    v("output_tokens", &ModelOptions::output_tokens);
    v("prompt_tokens", &ModelOptions::prompt_tokens);
    v("parallel", &ModelOptions::parallel);
    v("width", &ModelOptions::width, Presence::defaulted);
    v("children", &ModelOptions::children, Presence::defaulted);
    v("patience", &ModelOptions::patience, Presence::defaulted);
    v("fixes", &ModelOptions::fixes, Presence::defaulted);
    v("replay_of", &ModelOptions::replay_of);
    v("limits", &ModelOptions::limits);
    v("temperature", &ModelOptions::temperature, Presence::sparse);
  }
};

struct RunOptions {
  std::string spec;      // op spec text
  op::Binding binding;   // overrides of the spec's defaults
  std::string sentence;  // what the person wrote, if a sentence; for the record
  std::string generator = "search";
  std::string device = "simt";
  std::string architecture =
      "sm_80";  // empty or "native": the device's own, found out when the run starts and stored with it
  Budget budget;
  int seeds = 5;
  int workers = 0;  // 0: one per two hardware threads, at least 1. With 1 the run is reproducible: the generator is
      // asked only when nothing is queued or judged. A GPU always has one: two would disturb each other's timings
  double candidate_seconds = 60;  // after which the judgement of one candidate is ended; its verdict says so
  std::vector<Proposal> given;    // candidates of the person, judged first
  ModelOptions model;             // of the generator "model"
  rpc::WorkerOptions worker;
  PauseToken pause;  // while it is paused nothing new is proposed, judged or asked of a model, and no minutes of the
                     // budget pass. Not stored
  template <class V>
  static void fields(V&& v) {
    v("spec", &RunOptions::spec);
    v("binding", &RunOptions::binding);
    v("sentence", &RunOptions::sentence);
    v("generator", &RunOptions::generator);
    v("device", &RunOptions::device);
    v("architecture", &RunOptions::architecture);
    v("budget", &RunOptions::budget);
    v("seeds", &RunOptions::seeds);
    v("workers", &RunOptions::workers);
    v("candidate_seconds", &RunOptions::candidate_seconds, Presence::defaulted);
    v("given", &RunOptions::given);
    v("model", &RunOptions::model, Presence::defaulted);
    v("worker", &RunOptions::worker);
  }
};

std::string options_to_json(const RunOptions& options);
Result<RunOptions> options_from_json(const std::string& text);  // Code::corrupt, Code::unsupported

}  // namespace ww::explore
