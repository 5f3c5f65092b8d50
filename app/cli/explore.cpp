// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "base/plural.h"
#include "generator/names.h"
#include "generator/run_options.h"
#include "strategy/strategy.h"
#include "interrupt.h"
#include "models.h"
#include "output.h"
#include "report.h"
#include "sweep.h"
#include "rpc/worker_report.h"
#include "subject.h"
#include "store/paste.h"
#include "explore/spec_fault.h"

namespace ww::cli {
namespace {

std::string ended_text(store::RunState state) {
  if (state == store::RunState::failed) return "failed";
  return state == store::RunState::cancelled ? "was cancelled" : "is " + enum_string(state);
}

int strategies(const Common& common) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, about] : strategy::list_strategies()) {
    list.push_back({{"name", name}, {"about", about}});
    rows.push_back({name, about});
  }
  return print_answer(
      common,
      {{{"strategies", list}},
       table({"Strategy", "How it directs the models"}, rows) +
           "--race A,B gives several strategies equal shares of the budget, and reports what each found when.\n"});
}

std::vector<Protection> sandbox_of(store::Workspace& workspace, std::int64_t run) {
  const auto worker = rpc::worker_report(workspace.latest_worker(run).value_or(""));
  return worker ? worker->protections : std::vector<Protection>();
}

}  // namespace

Answer not_understood(const CommandSubject& subject) {
  const op::Understanding& u = *subject.understanding;
  return {{{"understood", false}, {"sentence", subject.given}, {"questions", u.questions}, {"nearest", u.nearest}},
          "the sentence was not understood, so nothing was explored\n" + unclear_text(u),
          Exit::negative};
}

Result<Answer> explored(store::Workspace& workspace, std::int64_t run, const explore::RunEnded& ended) {
  const std::vector<explore::CandidateRow> rows = WW_TRY(explore::rows_of(workspace, run));
  const Json spend = WW_TRY(spend_of_run(workspace, run));
  const report::Race race = WW_TRY(report::race_of(workspace, run));
  const store::RunRecord record = WW_TRY(workspace.run(run));
  Json j = {{"run", run_json(workspace, record)},
            {"sandbox", json::of(sandbox_of(workspace, run))},
            {"why", ended.why},
            {"structures", ended.structures},
            {"candidates", json::of(rows)},
            {"spend", spend},
            {"race", race.racers.empty() ? Json(nullptr) : json::of(race)}};
  const auto not_judged = std::count_if(rows.begin(), rows.end(),
                                        [](const auto& r) { return r.state == store::CandidateState::not_judged; });
  std::string out = rows.empty() ? std::string() : "\n" + ranked_text(rows);
  if (const std::string raced = race_text(race); !raced.empty()) out += '\n' + raced;
  out += fmt::format("\nRun {} {}: {}. {} proposed, {} proved, of {} structures{}.\n", run, ended_text(ended.state),
                     safe(ended.why), ended.proposed, ended.accepted, ended.structures,
                     not_judged > 0 ? fmt::format("; {} not judged", not_judged) : std::string());
  out += unconfirmed_line(workspace, run);
  if (!spend.is_null())
    out += fmt::format(
        "Models: {} ({} failed), {} tokens, {}{}. '{}' shows them.\n", plural(spend["requests"].get<int>(), "request"),
        spend["failed"].get<int>(),
        count_text(spend["prompt_tokens"].get<std::int64_t>() + spend["completion_tokens"].get<std::int64_t>()),
        money_text(spend["money"].get<double>()),
        spend["money_known"].get<bool>() ? "" : " plus models without a known price",
        store::pasted(workspace.folder(), fmt::format("transcript {}", run)));
  if (ended.state != store::RunState::done) out += resumed_text(workspace.folder(), "explore", run) + '\n';
  return Answer{std::move(j), std::move(out),
                ended.state == store::RunState::failed && ended.outage ? Exit::environment
                                                                       : exit_of_run(ended.state, ended.accepted > 0)};
}

Exit exit_of_run(store::RunState state, bool good) {
  if (state == store::RunState::cancelled) return Exit::stopped;
  return state == store::RunState::done && good ? Exit::done : Exit::negative;
}

Result<generator::RunOptions> exploring(const CommandSubject& subject, const RunArgs& run) {
  op::Binding binding = WW_TRY(binding_of(*subject.spec, run.set));
  generator::RunOptions options = WW_TRY(options_of(run));
  options.spec = subject.text;
  options.binding = std::move(binding);
  if (subject.understanding) options.sentence = subject.given;
  if (subject.candidate) options.given.push_back(*subject.candidate);
  return options;
}

namespace {

int report_not_understood(const Common& common, Answer answer) {
  if (common.json) return print_answer(common, std::move(answer));
  put(Stream::error, "warpwright-cli: " + answer.text + "'warpwright-cli spec' shows how each word was understood.\n");
  return answer.exit;
}

Result<int> report_explored(const Common& common, const ExploreArgs& args, const op::Library& library,
                            store::Workspace& workspace, std::int64_t run, const explore::RunEnded& ended) {
  Answer answer = WW_TRY(explored(workspace, run, ended));
  if (args.report.empty()) return print_answer(common, std::move(answer));
  const Status reported = write_report(workspace, library, run, args.report);
  answer.json["report"] = reported ? Json(args.report.string()) : Json(nullptr);
  if (reported) answer.text += "Report: " + args.report.string() + '\n';
  const int exit = print_answer(common, std::move(answer));
  if (reported) return exit;
  put(Stream::error, "warpwright-cli: the report was not written: " + reported.error().text() + '\n');
  return Exit::environment;
}

Result<int> explore(const Common& common, const ExploreArgs& args) {
  if (args.subject.empty() == args.resume.empty())
    return failed(common, {Code::invalid_argument, "give a subject to explore, or --resume a run; not both", {}});
  const op::Library library = WW_TRY(op_library());
  std::optional<CommandSubject> subject;
  generator::RunOptions options;
  if (args.resume.empty()) {
    subject = WW_TRY(resolve_subject(library, args.subject));
    if (!subject->spec) return report_not_understood(common, not_understood(*subject));
    options = WW_TRY(exploring(*subject, args.run));
  }
  Result<std::unique_ptr<store::Workspace>> workspace =
      open_workspace(common, args.resume.empty() ? Access::create : Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);

  const Interrupt interrupt(
      "\nStopping: candidates being judged return to the queue. Interrupt again to exit at once.\n");
  std::optional<Watcher> watcher;
  const explore::EventHandler handler = [&](const explore::Event& e) { (*watcher)(e); };
  Result<explore::RunEnded> ended = fail(Code::internal, "");
  if (args.resume.empty()) {
    watcher.emplace(options.budget);
    ended = explore::run(**workspace, options, handler, interrupt.token());
  } else {
    const Resuming resuming = WW_TRY(resuming_run(**workspace, args.run, WW_TRY(run_number(**workspace, args.resume))));
    watcher.emplace(resuming.shown_budget, resuming.judged);
    ended = explore::resume(**workspace, resuming.run, handler, interrupt.token(), resuming.budget);
  }
  if (!ended && explore::of_spec(ended.error().code)) return failed(common, ended.error(), Exit::usage);
  if (!ended) {
    Error error = ended.error();
    if (const std::int64_t run = watcher->run(); run != 0 && error.hint.empty())
      error.hint = resumed_text((*workspace)->folder(), "explore", run);
    return failed(common, error, Exit::environment);
  }
  return report_explored(common, args, library, **workspace, watcher->run(), *ended);
}

}  // namespace

Status ready_for(const generator::RunOptions& options, const std::vector<std::string>& allow_hosts) {
  if (!generator::asks_models(options.generator) || options.model.replay_of != 0) return {};
  const std::vector<llm::Model> models =
      WW_TRY(ready_models(options.model.models(), options.model.limits, allow_hosts));
  warn_omitted_options(models, options.model);
  for (const llm::Model& m : models)
    if (options.budget.money > 0 && !m.facts.price)
      return fail(Code::invalid_argument, "what " + m.facts.full_name() +
                                              " costs is not known, so --money cannot limit it; give its price in " +
                                              llm::Catalogue::own_file().string() + ", or use --tokens");
  return {};
}

Result<Resuming> resuming_run(store::Workspace& workspace, const RunArgs& args, std::int64_t run) {
  const store::RunRecord record = WW_TRY(workspace.run(run));
  const generator::RunOptions before = WW_TRY(generator::options_from_json(record.options));
  const llm::Limits &given = args.options.model.limits, &had = before.model.limits;
  if ((!given.sources && had.sources) || (!given.device_name && had.device_name))
    return fail(Code::invalid_argument,
                fmt::format("run {} was started without such a limit on what leaves this machine, and its prompts hold "
                            "what came before; nothing was sent: explore anew",
                            run));
  WW_TRY(ready_for(before, args.allow_hosts));
  const std::optional<generator::Budget> budget = new_budget(args, before.budget);
  return Resuming{run, record.judged, budget, budget.value_or(before.budget)};
}

std::optional<generator::Budget> new_budget(const RunArgs& run, const generator::Budget& before) {
  const generator::Budget& asked = run.options.budget;
  generator::Budget budget = before;
  if (run.given.contains("--budget")) budget.candidates = asked.candidates;
  if (run.given.contains("--minutes")) budget.minutes = asked.minutes;
  if (run.given.contains("--tokens")) budget.tokens = asked.tokens;
  if (run.given.contains("--money")) budget.money = asked.money;
  return same(budget, before) ? std::nullopt : std::optional(budget);
}

Result<generator::RunOptions> options_of(const RunArgs& run) {
  generator::RunOptions o = run.options;
  if (run.given.contains("--model") && o.model.writer.empty())
    return fail(Code::invalid_argument,
                "--model names no model: write PRESET:MODEL; 'warpwright-cli models' lists them");
  if (!o.model.writer.empty() && !run.given.contains("--generator")) o.generator = generator::model;
  o.architecture = WW_TRY(architecture_for(o.architecture, o.device));
  if (!generator::asks_models(o.generator)) {
    if (!o.model.models().empty() || !o.model.roles.empty() || run.given.contains("--strategy"))
      return fail(Code::invalid_argument,
                  "--model, --fallback, --fixer, --analyst, --role, --strategy and --race belong to the generator "
                  "model, not to " +
                      o.generator);
    o.model = {};
    return o;
  }
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  generator::take_roles(o.model, catalogue.roles());
  if (o.model.writer.empty())
    return fail(Code::invalid_argument,
                "the generator model needs --model PRESET:MODEL; 'warpwright-cli models' lists them");
  for (const std::string& name : o.model.strategies) WW_TRY(strategy::make_strategy(name, {}));
  WW_TRY(ready_for(o, run.allow_hosts));
  return o;
}

void add_explore(Commands& commands) {
  const auto args = std::make_shared<ExploreArgs>();
  CLI::App& app = commands.add(
      "explore", "proposes candidates, proves, ranks and stores them", [args](const Common& common) -> Result<int> {
        const bool help = args->run.options.model.strategies == std::vector<std::string>{"help"};
        if (help) return strategies(common);
        return args->sweep.empty() ? explore(common, *args) : sweep(common, *args);
      });
  app.add_option("SUBJECT", args->subject, "a sentence, FILE.op, FILE.cu (a first candidate), or the name of an op");
  add_exploring(app, args->run);
  app.add_option("--sweep", args->sweep,
                 "a run for each of these sizes of a shape symbol: R=64,512,4096; repeated, for all combinations")
      ->take_all()
      ->allow_extra_args(false);
  add_output(app, "--report", args->report, "write an HTML report when done");
  app.add_option(
      "--resume", args->resume,
      "resumes a run: its number, or last; with SUBJECT and --sweep as before: the sweep that began with it");
}

}  // namespace ww::cli
