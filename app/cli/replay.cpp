// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "explore/repeated.h"
#include "interrupt.h"
#include "models.h"

namespace ww::cli {
namespace {

std::string named(const store::CandidateRecord* c) {
  return c ? fmt::format("candidate {} ({}, {})", c->id, c->hash.substr(0, 10),
                         c->structure.empty() ? "no structure named" : c->structure)
           : std::string("nothing");
}

Result<int> replay(const Common& common, const std::string& given) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const std::int64_t asked = WW_TRY(run_number(**workspace, given));
  const explore::Repeated repeated = WW_TRY(explore::repeated(**workspace, asked));
  const auto& [record, options] = repeated;
  const std::int64_t number = record.id;
  if (number != asked)
    put(Stream::error,
        fmt::format("note: run {} is itself a replay; run {}, which it repeats, is replayed\n", asked, number));
  const bool interrupted = record.state != store::RunState::done;

  const Interrupt interrupt("\nStopping. Interrupt again to exit at once.\n");
  Watcher watcher(options.budget);
  const Result<explore::RunEnded> ended = explore::run(
      **workspace, options, [&](const explore::Event& e) { watcher(e); }, interrupt.token());
  if (!ended) return failed(common, ended.error(), Exit::environment);

  const std::vector<store::CandidateRecord> before = WW_TRY((*workspace)->candidates(number));
  const std::vector<store::CandidateRecord> after = WW_TRY((*workspace)->candidates(watcher.run()));
  std::size_t same = 0, verdicts = 0;
  while (same < before.size() && same < after.size() && before[same].hash == after[same].hash) {
    verdicts += before[same].state != store::CandidateState::queued && before[same].state != after[same].state;
    ++same;
  }
  const bool reached = same == before.size() && same == after.size();
  const store::CandidateRecord* const then = same < before.size() ? &before[same] : nullptr;
  const store::CandidateRecord* const now = same < after.size() ? &after[same] : nullptr;
  // One that failed is repeated by one that fails.
  const bool failed_again = ended->state == store::RunState::failed && record.state == store::RunState::failed;
  const int exit_code = exit_of_run(failed_again ? store::RunState::done : ended->state, reached);
  if (common.json) {
    const store::RunRecord fresh = WW_TRY((*workspace)->run(watcher.run()));
    const auto difference = [](const store::CandidateRecord* c) {
      return c ? Json{{"id", c->id}, {"hash", c->hash}} : Json(nullptr);
    };
    print_json(common,
               {{"replay_of", number},
                {"run", run_json(**workspace, fresh)},
                {"why", ended->why},
                {"same", reached},
                {"candidates", same},
                {"verdicts_changed", verdicts},
                {"first_difference",
                 reached ? Json(nullptr)
                         : Json{{"position", same + 1}, {"then", difference(then)}, {"now", difference(now)}}}});
    return exit_code;
  }
  std::string out = fmt::format("\nRun {} replays run {} from its transcript and is {}: {}.\n", watcher.run(), number,
                                enum_string(ended->state), safe(ended->why));
  if (reached)
    out += fmt::format("It reached the same {} candidate{}{}.\n", same, same == 1 ? "" : "s",
                       verdicts ? fmt::format(", {} of them with another verdict", verdicts)
                                : std::string(", with the same verdicts"));
  else
    out +=
        fmt::format("The first {} are the same; the next one was {} and is now {}.\n", same, named(then), named(now));
  if (!reached && interrupted)
    out += fmt::format("Run {} was not finished ({}): candidates that it had not judged yet may differ.\n", number,
                       enum_string(record.state));
  print_text(out);
  return exit_code;
}

}  // namespace

void add_replay(Commands& commands) {
  const auto run = std::make_shared<std::string>();
  commands
      .add("replay", "repeats a run from its transcript, offline, and reports whether it reached the same candidates",
           [run](const Common& common) { return replay(common, *run); })
      .add_option("RUN", *run, a_run)
      ->required();
}

}  // namespace ww::cli
