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
    SweptSize step{std::move(settings), WW_TRY(exploring(subject, run)), {}, {}, {}};
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

// How to go on after an interruption.
std::string rest_text(const store::Workspace& workspace, const std::vector<SweptSize>& steps) {
  std::string out;
  for (const SweptSize& s : steps)
    if (s.ended && s.ended->state != store::RunState::done)
      out += resumed_text(workspace.folder(), "explore", s.ended->run) + '\n';
  const bool left = std::ranges::any_of(steps, [](const SweptSize& s) { return !s.ended; });
  if (left) out += "What was not begun is explored by the same command with those sizes alone.\n";
  return out;
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
  std::string text = '\n' + table_of(steps) + rest_text(workspace, steps);
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
  if (args.subject.empty() || !args.resume.empty() || !args.report.empty())
    return failed(common, {Code::invalid_argument,
                           "--sweep explores a subject anew; a run of it is resumed, and reported on, by its number",
                           {}});
  const op::Library library = WW_TRY(op_library());
  const CommandSubject subject = WW_TRY(resolve_subject(library, args.subject));
  if (!subject.spec) return print_answer(common, not_understood(subject));
  std::vector<SweptSize> steps = WW_TRY(steps_of(subject, args));
  const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::create);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);
  const Interrupt interrupt(
      "\nStopping: candidates being judged return to the queue. Interrupt again to exit at once.\n");
  for (SweptSize& step : steps) {
    if (interrupt.token().stop_requested()) break;
    put(Stream::error, evidence::binding_text({step.sizes, {}}) + ":\n");
    Watcher watcher(step.options.budget);
    const Result<explore::RunEnded> ended = explore::run(
        **workspace, step.options, [&](const explore::Event& e) { watcher(e); }, interrupt.token());
    if (!ended)
      return failed(common, ended.error(), explore::of_spec(ended.error().code) ? Exit::usage : Exit::environment);
    step.ended = *ended;
    for (const explore::CandidateRow& row : WW_TRY(explore::rows_of(**workspace, ended->run)))
      if (row.rank == 1) step.best = row;
  }
  return print_answer(common, WW_TRY(swept(**workspace, *subject.spec, steps)));
}

}  // namespace ww::cli
