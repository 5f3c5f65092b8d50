// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include "answer.h"
#include "console.h"
#include "evidence/explain.h"
#include "explore/spec_fault.h"
#include "generator/run_options.h"
#include "interrupt.h"
#include "models.h"
#include "output.h"
#include "store/paste.h"
#include "subject.h"
#include "watch.h"

namespace ww::cli {
namespace {

constexpr std::size_t most_runs = 64;

struct Axis {  // "R=64,512"
  std::string symbol;
  std::vector<std::string> settings;  // "R=64"
};

Result<std::vector<Axis>> axes_of(const op::Spec& spec, const ExploreArgs& args) {
  std::vector<Axis> axes;
  std::set<std::string> given;
  for (const std::string& s : args.run.set) given.insert(s.substr(0, s.find('=')));
  for (const std::string& text : args.sweep) {
    Axis axis{text.substr(0, text.find('=')), {}};
    if (std::ranges::find(spec.symbols, axis.symbol) == spec.symbols.end())
      return fail(Code::invalid_argument,
                  "--sweep: '" + axis.symbol + "' is not a shape symbol of the op; write --sweep R=64,512");
    if (!given.insert(axis.symbol).second)
      return fail(Code::invalid_argument, "--sweep: " + axis.symbol + " is given twice");
    std::stringstream list(text.substr(std::min(text.size(), axis.symbol.size() + 1)));
    for (std::string value; std::getline(list, value, ',');) {
      axis.settings.push_back(axis.symbol + '=' + value);
      if (std::ranges::count(axis.settings, axis.settings.back()) > 1)
        return fail(Code::invalid_argument, "--sweep: " + axis.settings.back() + " is given twice");
    }
    if (axis.settings.empty())
      return fail(Code::invalid_argument, "--sweep: '" + text + "' has no sizes; write --sweep R=64,512");
    axes.push_back(std::move(axis));
  }
  return axes;
}

// One size of the sweep and its run.
struct SweptSize {
  std::vector<std::string> settings;
  generator::RunOptions options;
  std::map<std::string, std::int64_t> sizes;
  std::int64_t taken_up = 0;               // its earlier run; 0: none
  std::optional<explore::RunEnded> ended;  // empty: not begun
  std::optional<explore::CandidateRow> best;
};

Result<std::vector<SweptSize>> steps_of(const CommandSubject& subject, const ExploreArgs& args) {
  std::vector<std::vector<std::string>> all{{}};
  for (const Axis& axis : WW_TRY(axes_of(*subject.spec, args))) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& before : all)
      for (const std::string& setting : axis.settings) {
        longer.push_back(before);
        longer.back().push_back(setting);
      }
    all = std::move(longer);
    if (all.size() > most_runs)
      return fail(Code::invalid_argument, fmt::format("--sweep: more than {} runs", most_runs));
  }
  std::vector<SweptSize> steps;
  for (std::vector<std::string>& settings : all) {
    RunArgs run = args.run;
    run.set.insert(run.set.end(), settings.begin(), settings.end());
    SweptSize step{std::move(settings), WW_TRY(exploring(subject, run)), {}, 0, {}, {}};
    const op::Resolved resolved = WW_TRY(op::resolve(*subject.spec, step.options.binding));
    for (const std::string& s : subject.spec->symbols) step.sizes[s] = resolved.symbols.at(s);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + store::shell_word(word);
  return out;
}

// The export of the best of each run; empty: there is none.
std::vector<std::string> export_of(const op::Spec& spec, const std::vector<SweptSize>& steps) {
  std::vector<std::string> words{"export"};
  for (const SweptSize& s : steps)
    if (s.best) words.push_back(std::to_string(s.best->id));
  if (words.size() == 1) return {};
  words.insert(words.end(), {"-o", "ww_" + spec.name, "--as", "torch"});
  return words;
}

std::string table_of(const std::vector<SweptSize>& steps) {
  std::vector<std::vector<std::string>> rows;
  for (const SweptSize& s : steps)
    rows.push_back({evidence::binding_text({s.sizes, {}}), s.ended ? std::to_string(s.ended->run) : "-",
                    s.ended ? std::to_string(s.ended->accepted) : "-", s.best ? std::to_string(s.best->id) : "-",
                    s.best ? safe(s.best->title) : "-", s.best && s.best->score ? score_text(*s.best->score) : "-"});
  return table({"Sizes", "#Run", "#Proved", "#Best", "Title", "#Cost"}, rows);
}

// How to go on after an interruption; empty: nothing is left.
std::string rest_text(const std::vector<SweptSize>& steps) {
  const bool left = std::ranges::any_of(
      steps, [](const SweptSize& s) { return !s.ended || s.ended->state != store::RunState::done; });
  if (!left || !steps.front().ended) return {};
  return fmt::format("The same command with '--resume {}' takes up this sweep.", steps.front().ended->run);
}

// Is this a run of that size, of the same op and by the same means?
bool is_run_of(const store::RunRecord& record, const op::Spec& spec, const SweptSize& step) {
  if (record.imported || record.op_name != spec.name) return false;
  const Result<generator::RunOptions> stored = generator::options_from_json(record.options);
  if (!stored) return false;  // of another version
  const generator::RunOptions& before = *stored;
  const generator::RunOptions& now = step.options;
  if (before.spec != now.spec || before.binding.constants != now.binding.constants ||
      before.generator != now.generator || before.device != now.device || before.architecture != now.architecture ||
      before.model.writer != now.model.writer ||
      !std::ranges::equal(before.given, now.given, {}, &generator::Proposal::text, &generator::Proposal::text))
    return false;
  const Result<op::Resolved> sizes = op::resolve(spec, before.binding);
  return sizes && sizes->symbols == step.sizes;
}

// Finds the runs of an earlier sweep of these sizes. It began with the run `resume`, or "last": the latest of the first
// size; those of the other sizes came later.
Status take_up(store::Workspace& workspace, const op::Spec& spec, const std::string& resume,
               std::vector<SweptSize>& steps) {
  const std::vector<store::RunRecord> runs = WW_TRY(workspace.runs());  // newest first
  const std::int64_t named = resume == "last" ? 0 : WW_TRY(run_number(workspace, resume));
  std::int64_t first = 0;
  for (const store::RunRecord& r : runs)
    if (first == 0 && (named == 0 || r.id == named) && is_run_of(r, spec, steps.front())) first = r.id;
  if (first == 0)
    return fail(Code::invalid_argument,
                fmt::format("--resume: {}; this sweep begins with {}",
                            named == 0 ? "no run is one of it" : fmt::format("run {} is another", named),
                            evidence::binding_text({steps.front().sizes, {}})));
  steps.front().taken_up = first;
  for (std::size_t i = 1; i < steps.size(); ++i)
    for (const store::RunRecord& r : runs)
      if (r.id > first && is_run_of(r, spec, steps[i])) steps[i].taken_up = r.id;  // the earliest stays
  return {};
}

// One size: a new run, or the rest of its earlier one.
Result<explore::RunEnded> explore_size(store::Workspace& workspace, const RunArgs& args, const SweptSize& step,
                                       const std::stop_token& stop) {
  if (step.taken_up == 0) {
    Watcher watcher(step.options.budget);
    return explore::run(
        workspace, step.options, [&](const explore::Event& e) { watcher(e); }, stop);
  }
  const store::RunRecord record = WW_TRY(workspace.run(step.taken_up));
  const Resuming resuming = WW_TRY(resuming_run(workspace, args, step.taken_up));
  if (record.state == store::RunState::done && !resuming.budget)
    return explore::RunEnded{record.id, record.state, record.why, record.proposed, record.accepted, 0};
  Watcher watcher(resuming.shown_budget, resuming.judged);
  return explore::resume(
      workspace, step.taken_up, [&](const explore::Event& e) { watcher(e); }, stop, resuming.budget);
}

Result<Answer> swept(store::Workspace& workspace, const op::Spec& spec, const std::vector<SweptSize>& steps) {
  Json list = Json::array();
  bool cancelled = false, all = true;
  for (const SweptSize& s : steps) {
    Json run;
    if (s.ended) run = run_json(workspace, WW_TRY(workspace.run(s.ended->run)));
    list.push_back({{"sizes", s.sizes}, {"run", run}, {"best", s.best ? json::of(*s.best) : Json()}});
    cancelled = cancelled || !s.ended || s.ended->state == store::RunState::cancelled;
    all = all && s.best;
  }
  const std::vector<std::string> words = export_of(spec, steps);
  const std::string rest = rest_text(steps);
  std::string text = '\n' + table_of(steps) + rest + (rest.empty() ? "" : "\n");
  if (!words.empty())
    text += fmt::format(
        "'{}' makes a package that chooses among the best of each run by shape. It takes signed ones, or any "
        "with --unsigned.\n",
        store::pasted(workspace.folder(), joined_words(words)));
  const Exit exit = cancelled ? Exit::stopped : all ? Exit::done : Exit::negative;
  return Answer{{{"sweep", std::move(list)}, {"export", words}}, std::move(text), exit};
}

}  // namespace

Result<int> sweep(const Common& common, const ExploreArgs& args) {
  if (args.subject.empty() || !args.report.empty())
    return failed(common, {Code::invalid_argument,
                           "--sweep needs the subject, also with --resume; a run of it is reported on by its number",
                           {}});
  const op::Library library = WW_TRY(op_library());
  const CommandSubject subject = WW_TRY(resolve_subject(library, args.subject));
  if (!subject.spec) return print_answer(common, not_understood(subject));
  std::vector<SweptSize> steps = WW_TRY(steps_of(subject, args));
  const Result<std::unique_ptr<store::Workspace>> workspace =
      open_workspace(common, args.resume.empty() ? Access::create : Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  if (!args.resume.empty()) WW_TRY(take_up(**workspace, *subject.spec, args.resume, steps));
  const Interrupt interrupt(
      "\nStopping: candidates being judged return to the queue. Interrupt again to exit at once.\n");
  for (SweptSize& step : steps) {
    if (interrupt.token().stop_requested()) break;
    put(Stream::error, evidence::binding_text({step.sizes, {}}) + ":\n");
    const Result<explore::RunEnded> ended = explore_size(**workspace, args.run, step, interrupt.token());
    if (!ended) {
      Error error = ended.error();
      if (error.hint.empty()) error.hint = rest_text(steps);
      return failed(common, error, explore::of_spec(error.code) ? Exit::usage : Exit::environment);
    }
    step.ended = *ended;
    for (const explore::CandidateRow& row : WW_TRY(explore::rows_of(**workspace, ended->run)))
      if (row.rank == 1) step.best = row;
  }
  return print_answer(common, WW_TRY(swept(**workspace, *subject.spec, steps)));
}

}  // namespace ww::cli
