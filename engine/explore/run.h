// SPDX-License-Identifier: Apache-2.0
// One exploration: asks a generator for candidates, has each judged by workers, stores everything, ranks. The window
// and the CLI are two watchers of the same thing.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>
#include "base/pause.h"
#include "base/provenance.h"
#include "base/result.h"
#include "explore/generator.h"
#include "evidence/verdict.h"
#include "llm/consent.h"
#include "llm/events.h"
#include "op/spec.h"
#include "profile/measurement.h"
#include "rpc/supervisor.h"
#include "store/states.h"

namespace ww::store {
class Workspace;
}

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

// The rank of an accepted candidate, from its metrics. On "simt" the score is *simulated* work, never a time: see
// rank.h.
struct Score {
  double value = 0;  // lower is better
  Provenance provenance = Provenance::unknown;
  std::string unit;                                     // "simulated issue slots", "µs" …
  double q1 = profile::unknown, q3 = profile::unknown;  // of a measurement: the quartiles around the median
  double floor = profile::unknown;  // of a measurement, *modelled*: what the case's bytes and operations cost at the
                                    // least on that device
};

struct CandidateRow {   // what a table shows
  std::int64_t id = 0;  // in the workspace
  std::string hash, parent, structure, title, generator;
  store::CandidateState state = store::CandidateState::unknown;
  std::string verdict;                          // summary
  std::optional<evidence::Stage> failed_stage;  // of a rejected one, where its verdict names it
  std::optional<Score> score;
  std::optional<int> rank;  // 1 is best, among this run's accepted ones whose scores are of one provenance
  std::vector<compile::KernelResources> resources;
  std::string created;  // ISO 8601, UTC; empty in events, which come as it happens
};

// Events, in order. Each was stored before it is reported.
struct RunStarted {
  std::int64_t run = 0;
  std::string architecture;
};  // what is compiled for
struct CandidateProposed {
  CandidateRow row;
};
struct CandidateProgress {
  std::int64_t candidate = 0;
  rpc::Progress progress;
};  // not stored
struct CandidateJudged {
  CandidateRow row;
};  // ranks of the others may have changed: RanksChanged follows
struct RanksChanged {
  std::vector<std::pair<std::int64_t, int>> ranks;
};
struct RunMessage {
  store::MessageLevel level = store::MessageLevel::unknown;
  std::string text;
};
struct RunEnded {
  std::int64_t run = 0;
  store::RunState state = store::RunState::unknown;
  std::string why;
  int proposed = 0, accepted = 0, structures = 0;
};
struct RunPaused {
  std::int64_t run = 0;
  bool paused = false;
};  // false: it continues
using Event = std::variant<RunStarted, CandidateProposed, CandidateProgress, CandidateJudged, RanksChanged, RunMessage,
                           RunEnded, llm::ModelEvent, RunPaused>;
using EventHandler =
    std::function<void(const Event&)>;  // called from the run's threads, one call at a time; must return quickly

// Runs to the end on the calling thread (it starts its own workers' threads and joins them). Resumable: everything is
// in the workspace. Errors are of the environment (no worker, no generator, workspace not writable); the event RunEnded
// comes in every case.
Result<RunEnded> run(store::Workspace& workspace, const RunOptions& options, const EventHandler& handler,
                     std::stop_token stop = {});
// Resumes a run that was cancelled or whose process died: candidates without a verdict are judged first, then the
// generator goes on with the history of the store. `budget` replaces the run's own (which counts what was judged
// before). Refused while another process runs it.
Result<RunEnded> resume(store::Workspace& workspace, std::int64_t run, const EventHandler& handler,
                        std::stop_token stop = {}, const std::optional<Budget>& budget = {}, PauseToken pause = {});

// Does a process (this one included) work on the run at this moment? A run in state "running" that is not live was
// interrupted.
bool is_live(const store::Workspace& workspace, std::int64_t run);
// The run's candidates as rows, in order of id, with their ranks.
Result<std::vector<CandidateRow>> rows_of(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::explore
