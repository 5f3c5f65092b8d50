// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include "console.h"
#include "explore/options_json.h"
#include "models.h"

namespace ww::cli {
namespace {

std::string named(const store::CandidateRecord* c) {
  return c ? fmt::format("candidate {} ({}, {})", c->id, c->hash.substr(0, 10),
                         c->structure.empty() ? "no structure named" : c->structure)
           : std::string("nothing");
}

}  // namespace

int replay(const Common& common, const std::string& given) {
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const Result<std::int64_t> number = run_number(**workspace, given);
  if (!number) return failed(common, number.error());
  const Result<store::RunRecord> record = (*workspace)->run(*number);
  if (!record) return failed(common, record.error());
  const Result<std::vector<store::ExchangeRecord>> exchanges = (*workspace)->exchanges(*number);
  if (!exchanges) return failed(common, exchanges.error());
  if (exchanges->empty())
    return failed(
        common,
        {Code::invalid_argument, fmt::format("run {} asked no model: there is no transcript to replay", *number), {}});
  Result<explore::RunOptions> options = explore::options_from_json(record->options);
  if (!options) return failed(common, options.error());
  options->model.replay_of = *number;
  options->worker = {};  // of this machine
  const bool interrupted = record->state != "done";

  const Interrupt interrupt("\nStopping. Once more ends at once.\n");
  Watcher watcher(options->budget.candidates);
  const Result<explore::RunEnded> ended = explore::run(
      **workspace, *options, [&](const explore::Event& e) { watcher(e); }, interrupt.token());
  if (!ended) return failed(common, ended.error(), Exit::environment);

  const Result<std::vector<store::CandidateRecord>> before = (*workspace)->candidates(*number),
                                                    after = (*workspace)->candidates(watcher.run());
  if (!before) return failed(common, before.error());
  if (!after) return failed(common, after.error());
  std::size_t same = 0, verdicts = 0;
  while (same < before->size() && same < after->size() && (*before)[same].hash == (*after)[same].hash) {
    verdicts += (*before)[same].state != (*after)[same].state;
    ++same;
  }
  const bool reached = same == before->size() && same == after->size();
  const store::CandidateRecord* const then = same < before->size() ? &(*before)[same] : nullptr;
  const store::CandidateRecord* const now = same < after->size() ? &(*after)[same] : nullptr;
  const int exit_code = reached && ended->state == "done" ? Exit::done : Exit::negative;
  if (common.json) {
    const Result<store::RunRecord> fresh = (*workspace)->run(watcher.run());
    if (!fresh) return failed(common, fresh.error());
    const auto difference = [](const store::CandidateRecord* c) {
      return c ? Json{{"id", c->id}, {"hash", c->hash}} : Json(nullptr);
    };
    print_json(common,
               {{"replay_of", *number},
                {"run", run_json(**workspace, *fresh)},
                {"why", ended->why},
                {"same", reached},
                {"candidates", same},
                {"verdicts_changed", verdicts},
                {"first_difference",
                 reached ? Json(nullptr)
                         : Json{{"position", same + 1}, {"then", difference(then)}, {"now", difference(now)}}}});
    return exit_code;
  }
  std::string out = fmt::format("\nRun {} replays run {} from its transcript and is {}: {}.\n", watcher.run(), *number,
                                ended->state, safe(ended->why));
  if (reached)
    out += fmt::format("It reached the same {} candidate{}{}.\n", same, same == 1 ? "" : "s",
                       verdicts ? fmt::format(", {} of them with another verdict", verdicts)
                                : std::string(", with the same verdicts"));
  else
    out += fmt::format("The first {} are the same; then there was {}, and now {}.\n", same, named(then), named(now));
  if (!reached && interrupted)
    out += fmt::format("Run {} was not done ({}): what it had asked but not yet judged may differ.\n", *number,
                       record->state);
  print_text(out);
  return exit_code;
}

}  // namespace ww::cli
