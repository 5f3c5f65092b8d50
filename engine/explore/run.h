// SPDX-License-Identifier: Apache-2.0
// One exploration: asks a generator for candidates, has workers judge them, stores everything, ranks. The window and
// the CLI both watch it through the same events.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>
#include "appraisal/rank.h"
#include "base/describe.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "generator/run_options.h"
#include "llm/events.h"
#include "store/states.h"

namespace ww::store {
class Workspace;
}

namespace ww::explore {

struct CandidateRow {  // a table row
  static constexpr std::string_view described_as = "CANDIDATE";
  std::int64_t id = 0;  // in the workspace
  std::string hash, parent, structure, title;
  store::Tuning tuning;
  std::string generator;
  store::CandidateState state = store::CandidateState::unknown;
  std::string verdict;                                         // summary
  std::optional<evidence::Stage> failed_stage;                 // if rejected and named by the verdict
  evidence::ProvedAt proved_at = evidence::ProvedAt::unknown;  // if accepted
  std::optional<evidence::CaseCounts> cases;                   // if accepted
  std::optional<appraisal::Score> score;
  std::optional<int> rank;  // 1 is best, among this run's accepted candidates whose scores have one provenance
  std::vector<compile::KernelResources> resources;
  std::string created;    // ISO 8601, UTC; empty in events, which are immediate
  bool imported = false;  // verdict, rank and score were imported: not judged here
  bool partial() const { return state == store::CandidateState::accepted && cases && cases->partial(); }

  WW_FIELDS(CandidateRow, id, hash, (parent, "hash or empty"), structure, (title, "with the tuning, in brackets"),
            (tuning, "what its `tune` lines chose", sparse), generator, state, (verdict, "one sentence"),
            (proved_at, "of an accepted one"),
            (cases, "of an accepted one: how many of the spec's cases it is proved at"), (rank, "from 1"), score,
            (resources, "modelled by ptxas"),
            (imported, "state, verdict, rank and score came from elsewhere: not judged here"))
};

// Events, in order. Each is stored before it is reported.
struct RunStarted {
  std::int64_t run = 0;
  std::string architecture;
};  // the compilation target
struct CandidateProposed {
  CandidateRow row;
};
struct CandidateProgress {
  std::int64_t candidate = 0;
  rpc::Progress progress;
};  // not stored
struct CandidateJudged {
  CandidateRow row;
};  // ranks of others may have changed: RanksChanged follows
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
  bool outage = false;  // it failed since the service of its models did not answer, or refused
};
struct RunPaused {
  std::int64_t run = 0;
  bool paused = false;
};  // false: continued
using Event = std::variant<RunStarted, CandidateProposed, CandidateProgress, CandidateJudged, RanksChanged, RunMessage,
                           RunEnded, llm::ModelEvent, RunPaused>;
using EventHandler =
    std::function<void(const Event&)>;  // called from the run's threads, one call at a time; must return quickly

// Runs to the end on the calling thread (starts and joins the workers' threads). Resumable: everything is in the
// workspace. Errors concern the environment (no worker, no generator, workspace not writable); RunEnded is always
// reported.
Result<RunEnded> run(store::Workspace& workspace, const generator::RunOptions& options, const EventHandler& handler,
                     std::stop_token stop = {});
// Resumes a run that was cancelled or whose process died: candidates without a verdict are judged first, then the
// generator continues with the stored history. `budget` replaces the run's own (and includes what was judged before).
// Refused while another process runs it.
Result<RunEnded> resume(store::Workspace& workspace, std::int64_t run, const EventHandler& handler,
                        std::stop_token stop = {}, const std::optional<generator::Budget>& budget = {},
                        PauseToken pause = {});

// Whether a process (including this one) currently works on the run. A run in state "running" that is not live was
// interrupted.
bool is_live(const store::Workspace& workspace, std::int64_t run);
// The run's candidates as rows, ordered by id, with their ranks.
Result<std::vector<CandidateRow>> rows_of(store::Workspace& workspace, std::int64_t run);

}  // namespace ww::explore
