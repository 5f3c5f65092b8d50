// SPDX-License-Identifier: Apache-2.0
// The options of a run, and their stored form (versioned JSON), from which any later process can resume it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/architecture.h"
#include "base/describe.h"
#include "base/pause.h"
#include "base/result.h"
#include "generator/generator.h"
#include "generator/names.h"
#include "llm/consent.h"
#include "llm/model_terms.h"
#include "llm/roles.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::generator {

struct Budget {
  int candidates = 24;      // judged candidates; 0: no limit
  double minutes = 0;       // 0: no limit
  std::int64_t tokens = 0;  // of all requests to models, prompt and completion; 0: no limit
  double money = 0;         // US dollars for them; 0: no limit. Requires models with a known price
  WW_FIELDS(Budget, (candidates, "candidates to judge; 0: no limit", {"--budget", 0, 1e6}),
            (minutes, "time limit; 0: none", {"--minutes", 0, 1e6}),
            (tokens, "hard limit in tokens, prompts and answers together; 0: none", defaulted, {"--tokens", 0, 1e15}),
            (money, "hard limit in US dollars, for models with a known price; 0: none", defaulted, {"--money", 0, 1e9}))
};

struct TakenUp {  // by a later process: how much of the run already existed
  std::int64_t exchanges = 0, candidates = 0;
  std::string at;                // ISO 8601, UTC
  std::optional<Budget> budget;  // that held until then; empty: not recorded
  WW_FIELDS(TakenUp, exchanges, candidates, (at, "ISO 8601, UTC"),
            (budget, "that held until then; absent: not recorded", sparse))
};

// The generator "model": the models, the parameters of requests, the strategies.
struct ModelOptions {
  std::vector<std::string> strategies = {
      "refine"};                       // several race, each with an equal share of the budget (names: strategy.h)
  std::string writer;                  // "PRESET:MODEL"; required
  std::vector<std::string> fallbacks;  // that write in turn, from when the one before does not answer
  std::string fixer;                   // of rejected candidates; empty: the writer's model
  std::string analyst;                 // empty: the writer's model; "none": no analysis
  std::string mode = "cuda";           // "cuda", "cuda+ptx", "ptx"
  std::optional<double> temperature;
  std::uint64_t seed = 0;  // for the strategies' choices and each attempt's request
  std::string effort;
  std::vector<llm::RoleSettings> roles;  // what differs for single roles; fixer and analyst have their models above
  std::int64_t output_tokens = 16384, prompt_tokens = 24000;
  int tool_calls = 6;  // that the writer may make before each answer; 0: none
  int parallel = 4;    // concurrent requests
  bool batch = false;  // the writer's and the fixer's requests of a round go as one batch: sample and evolve alone
  int width = 4, children = 2, patience = 4, fixes = 4;  // of the strategies: StrategyOptions (strategy.h)
  llm::Limits limits;
  std::int64_t replay_of = 0;          // takes replies from the transcript of this run instead of the network; 0: no
  std::vector<TakenUp> taken_up;       // each time the run was resumed, since later requests depend on it
  std::vector<llm::ModelTerms> terms;  // of all models, when the run was started or resumed
  std::vector<std::string> models() const;  // all that may be asked, each once
  WW_FIELDS(
      ModelOptions, (strategies, "several race, each with an equal share of the budget"),
      (writer,
       "the model to ask: PRESET:MODEL, e.g. anthropic:claude-sonnet-5-5, ollama:qwen3-coder:30b ('models' lists them)",
       {"--model"}),
      (fallbacks, "models that write in turn, from when the one before does not answer", sparse),
      (fixer, "the model that repairs rejected candidates: PRESET:MODEL; default: as set in models.json, else --model",
       sparse, {"--fixer"}),
      (analyst,
       "the model that analyses measurements: PRESET:MODEL, or none; default: as set in models.json, else --model",
       {"--analyst"}),
      (mode, "what models write: CUDA C++, the same with inline PTX, or PTX", {"--mode", 0, 0, "cuda cuda+ptx ptx"}),
      (seed, "random seed of the strategies, and of requests where the service accepts one", {"--seed", 0, 1e18}),
      (effort, "reasoning effort; default: the service's own", {"--effort", 0, 0, "none low medium high max"}),
      (roles, "what differs for single roles", sparse),
      (output_tokens, "largest answer, in tokens, reasoning included", {"--output-tokens", 256, 1e6}),
      (prompt_tokens, "largest prompt, in tokens", {"--prompt-tokens", 1000, 1e6}),
      (tool_calls, "calls of tools (compile, check, count …) that the writer may make before each answer; 0: none",
       defaulted, {"--tool-calls", 0, 64}),
      (parallel, "concurrent requests to models", {"--parallel", 1, 64}),
      (batch,
       "ask for a round's attempts as one batch, which the service answers within a day at a lower price; for sample "
       "and evolve, with services that take batches",
       defaulted, {"--batch"}),
      (width, "lineages (beam), islands (evolve) or samples per round (sample)", defaulted, {"--width", 1, 64}),
      (children, "children per lineage (beam)", defaulted, {"--children", 1, 64}),
      (patience,
       "attempts without a gain before a lineage is abandoned; of beam and evolve: generations and epochs before the "
       "end",
       defaulted, {"--patience", 1, 1000}),
      (fixes, "attempts to fix a rejected candidate", defaulted, {"--fixes", 0, 1000}),
      (replay_of, "run whose transcript gives the replies; 0: none"), limits,
      (taken_up, "how much of the run there was each time it was resumed", sparse),
      (terms, "what was known of its models when it was started or last resumed; a replay goes by it", sparse),
      (temperature, "sampling temperature; default: the service's own, and 1 after a repeat", sparse,
       {"--temperature", 0, 2}))
};

struct RunOptions {
  std::string spec;      // op spec text
  op::Binding binding;   // overrides of the spec's defaults
  std::string sentence;  // the user's sentence, if any; for the record
  std::string generator{generator::search};
  std::string device = "simt";
  std::string architecture =
      default_architecture;  // empty or "native": the device's, determined when the run starts and stored with it
  Budget budget;
  int seeds = 5;
  // 0: one per two hardware threads, at least 1. With 1 the run is reproducible: the generator is called only when
  // nothing is queued or being judged. On a GPU at most three, which take turns on it: two would disturb each other's
  // timings
  int workers = 0;
  double candidate_seconds = 60;  // time limit, beyond which a candidate is not judged
  double launch_budget = 1;       // multiple of a launch's usual budget, beyond which a candidate is not judged
  std::string precision;          // "usual", "strict"; empty: the workspace's, if it has one, else usual
  std::vector<Proposal> given;    // the user's candidates, judged first
  ModelOptions model;             // of the generator "model"
  rpc::WorkerOptions worker;
  // while paused, no proposals, judgements or model requests start, and the time budget does not run. Not stored
  PauseToken pause;
  WW_FIELDS(RunOptions, (spec, "text of the op spec"), (binding, "overrides of the spec's defaults"),
            (sentence, "what the person wrote"),
            (generator,
             "what proposes candidates: search, model, manual or another plugin; --model alone implies model",
             {"--generator"}),
            (device, "where kernels run: simt (this machine's CPU), cuda:0 …", {"--device"}),
            (architecture, "architecture to compile for; default: the device's own, sm_80 for simt", {"--arch"}),
            budget, (seeds, "input sets per case", {"--seeds", 1, 1000}),
            (workers, "worker processes; 0: one per two hardware threads, on a GPU at most three",
             {"--workers", 0, 256}),
            (candidate_seconds, "seconds after which one candidate is not judged", defaulted,
             {"--candidate-seconds", 1, 1e6}),
            (launch_budget,
             "times the usual instructions (on a GPU: seconds) of a launch, after which a candidate is not judged",
             defaulted, {"--launch-budget", 1, 1e4}),
            (precision,
             "how many digits a kernel may lose: usual (near zero, what careful practice loses) or strict; default: as "
             "the workspace's gate.json says, else usual",
             defaulted, {"--precision", 0, 0, "usual strict"}),
            (given, "candidates of the person, judged first"), (model, defaulted), worker)
};

// Adds what is set for roles elsewhere (the user's models.json); what the options already say wins. Models of roles
// become the options' own.
void take_roles(ModelOptions& options, const std::vector<llm::RoleSettings>& defaults);
op::Precision precision_of(const RunOptions& options);
std::string options_to_json(const RunOptions& options);
Result<RunOptions> options_from_json(const std::string& text);  // Code::corrupt, Code::unsupported

}  // namespace ww::generator
