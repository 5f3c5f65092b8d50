// SPDX-License-Identifier: Apache-2.0
#include "mcp/tools.h"
#include <algorithm>
#include <mutex>
#include <fmt/format.h>
#include "appraisal/moves.h"
#include "explore/edit.h"
#include "generator/names.h"
#include "identity/machine_code.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "models.h"

namespace ww::cli::mcp {
namespace {

using Place = std::unique_ptr<store::Workspace>;

Result<Place> workspace_of(const Call& call, Access access = Access::read) {
  Result<Place> workspace = open_workspace(call.options.common, access);
  if (!workspace && workspace.error().code == Code::not_found)
    return fail(Code::not_found, "there is no workspace yet; 'explore' creates it", workspace.error().message);
  return workspace;
}

// Only by number or hash: no tool accepts a file name.
Result<store::CandidateRecord> stored(store::Workspace& workspace, const std::string& given) {
  const bool plain = !given.empty() && given.size() <= 64 && std::all_of(given.begin(), given.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (!plain)
    return fail(Code::invalid_argument,
                "'" + safe(given.substr(0, 80)) + "' is neither a candidate number nor the prefix of a hash");
  return workspace.find_candidate(given);
}

std::vector<std::string> settings_of(const Settings& set) {
  std::vector<std::string> all;
  for (const auto& [name, value] : set) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::string by(const Call& call) { return "an agent" + (call.client.empty() ? "" : " (" + call.client + ")"); }

Result<Answer> describe(const DescribeArguments& a, const Call& call) {
  return understood(WW_TRY(subject_from_text(call.library, a.op)));
}

Result<Answer> check(const CheckArguments& a, const Call& call) {
  const CommandSubject subject = WW_TRY(candidate_from_text(call.library, a.kernel, a.op, "given by " + by(call)));
  CheckArgs args;
  args.candidate = "the candidate";
  args.secret = a.secret;
  args.run.set = settings_of(a.set);
  args.run.options.device = a.device;
  args.run.options.architecture = a.architecture;
  args.run.options.seeds = a.seeds;
  args.run.options.candidate_seconds = a.seconds;
  return judged(subject, WW_TRY(prepare_check(subject, args)), call.watch);
}

Result<Answer> submit(const SubmitArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call, Access::write));
  const std::int64_t run = WW_TRY(run_number(*workspace, a.run));
  generator::Proposal proposal;
  proposal.text = a.kernel;
  proposal.language = candidate::language_of(a.kernel);
  if (!a.parent.empty()) proposal.parent = WW_TRY(stored(*workspace, a.parent)).hash;
  proposal.note = a.note.substr(0, a.note.find('\n'));
  proposal.origin.move = appraisal::move_name(proposal.note);
  proposal.generator = "manual/" + (call.client.empty() ? "agent" : call.client);
  const auto handler = [&](const explore::Event& event) {
    if (const auto* p = std::get_if<explore::CandidateProgress>(&event))
      call.watch.progress(p->progress.fraction, p->progress.stage + ": " + p->progress.message);
  };
  const explore::EditChecked edit = WW_TRY(explore::check_edit(*workspace, run, proposal, handler, call.watch.stop));
  Answer answer = WW_TRY(shown(*workspace, WW_TRY(workspace->candidate(edit.candidate)), false, std::nullopt));
  if (edit.known) answer.text = "The run has this text already; nothing was judged.\n" + answer.text;
  return answer;
}

class ExploreWatcher {  // called by one thread at a time
 public:
  ExploreWatcher(const Watch& watch, int budget) : watch_(watch), budget_(budget) {}
  void operator()(const explore::Event& event) {
    if (const auto* e = std::get_if<explore::RunStarted>(&event)) {
      run = e->run;
      watch_.progress(0, fmt::format("run {}", run));
    } else if (const auto* e = std::get_if<explore::CandidateProgress>(&event)) {
      watch_.progress((judged_ + e->progress.fraction) / budget_,
                      fmt::format("candidate {}, {}: {}", e->candidate, e->progress.stage, e->progress.message));
    } else if (const auto* e = std::get_if<explore::CandidateJudged>(&event)) {
      watch_.progress(static_cast<double>(++judged_) / budget_, judged_text(e->row));
    }
  }
  std::int64_t run = 0;

 private:
  const Watch& watch_;
  const int budget_;
  int judged_ = 0;
};

Result<Answer> resumed(const ExploreArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call, Access::write));
  const std::int64_t run = WW_TRY(run_number(*workspace, a.resume));
  const generator::RunOptions before = WW_TRY(generator::options_from_json(WW_TRY(workspace->run(run)).options));
  if (generator::asks_models(before.generator))
    return fail(Code::unsupported, "only a person can resume a run that asks models");
  generator::Budget budget = before.budget;
  budget.candidates = a.budget;
  budget.minutes = a.minutes;
  ExploreWatcher watcher(call.watch, a.budget);
  const explore::RunEnded ended = WW_TRY(explore::resume(*workspace, run, std::ref(watcher), call.watch.stop, budget));
  return explored(*workspace, run, ended);
}

Result<Answer> explore_op(const ExploreArguments& a, const Call& call) {
  if (a.op.empty() == a.resume.empty())
    return fail(Code::invalid_argument, "name the op to explore, or a run to resume; not both");
  if (!a.resume.empty()) return resumed(a, call);
  CommandSubject subject = WW_TRY(subject_from_text(call.library, a.op));
  if (!subject.spec) {
    const Answer question = not_understood(subject);
    return fail(Code::invalid_argument, question.text);
  }
  RunArgs args;
  args.set = settings_of(a.set);
  args.options.device = a.device;
  args.options.architecture = a.architecture;
  args.options.budget.candidates = a.budget;
  args.options.budget.minutes = a.minutes;
  args.options.seeds = a.seeds;
  args.options.workers = a.workers;
  args.options.generator = a.search ? "search" : "manual";
  generator::RunOptions options = WW_TRY(exploring(subject, args));
  for (const std::string& kernel : a.kernels)
    options.given.push_back(
        *WW_TRY(candidate_from_text(call.library, kernel, subject.text, "given by " + by(call))).candidate);
  const Place workspace = WW_TRY(workspace_of(call, Access::create));
  ExploreWatcher watcher(call.watch, a.budget);
  const explore::RunEnded ended = WW_TRY(explore::run(*workspace, options, std::ref(watcher), call.watch.stop));
  return explored(*workspace, watcher.run, ended);
}

Result<Answer> list(const ListArguments& a, const Call& call) {
  if (a.what == Listed::ops) return ops_found(call.library, a.words);
  const Place workspace = WW_TRY(workspace_of(call));
  if (a.what == Listed::runs) return runs_of(*workspace);
  return candidates_of(*workspace, WW_TRY(run_number(*workspace, a.run)));
}

Result<Answer> show(const ShowArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call));
  const store::CandidateRecord c = WW_TRY(stored(*workspace, a.candidate));
  std::optional<std::string> sass;
  if (a.sass) sass = WW_TRY(identity::machine_code(c, WW_TRY(workspace->run(c.run)).architecture));
  return shown(*workspace, c, a.ptx, sass);
}

Result<Answer> diff(const DiffArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call));
  for (const std::string& one : {a.before, a.after}) WW_TRY(stored(*workspace, one));
  return differences(*workspace, a.before, a.after);
}

Result<Answer> advise(const AdviseArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call));
  return advised(*workspace, WW_TRY(stored(*workspace, a.candidate)));
}

// A stored candidate on a GPU.
Result<Target> target_of(const Call& call, const std::string& candidate, const Settings& set) {
  const Place workspace = WW_TRY(workspace_of(call));
  WW_TRY(stored(*workspace, candidate));
  return resolve_target(call.options.common, call.library, candidate, {}, settings_of(set));
}
Result<Opened> bench_of(const Call& call, const std::string& device, int rounds = 10, int samples = 5) {
  MeasureArgs args;
  args.device = device;
  args.rounds = rounds;
  args.samples = samples;
  return open_bench(call.options.common, args, false, call.watch.stop);
}

Result<Answer> profile(const ProfileArguments& a, const Call& call) {
  const Target target = WW_TRY(target_of(call, a.candidate, a.set));
  Opened opened = WW_TRY(bench_of(call, a.device));
  return counted(opened, target, enum_string(a.counters), call.watch);
}

Result<Answer> time(const TimeArguments& a, const Call& call) {
  const Target target = WW_TRY(target_of(call, a.candidate, a.set));
  Opened opened = WW_TRY(bench_of(call, a.device, a.rounds, a.samples));
  return timed(opened, target, call.watch);
}

Result<Answer> compare(const CompareArguments& a, const Call& call) {
  if (a.device.empty()) {
    const Place workspace = WW_TRY(workspace_of(call));
    return compared_stored(*workspace, WW_TRY(stored(*workspace, a.first)), WW_TRY(stored(*workspace, a.second)));
  }
  const Pair pair = WW_TRY(pair_of(WW_TRY(target_of(call, a.first, a.set)), WW_TRY(target_of(call, a.second, a.set))));
  Opened opened = WW_TRY(bench_of(call, a.device));
  return compared(opened, pair, call.watch);
}

Result<Answer> export_it(const ExportArguments& a, const Call& call) {
  const bool plain = !a.name.empty() && a.name.size() <= 80 && std::all_of(a.name.begin(), a.name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
  if (!plain) return fail(Code::invalid_argument, "the folder's name may have at most 80 letters, digits, '-' and '_'");
  const std::filesystem::path folder = call.options.exports / a.name;
  std::error_code ec;
  if (a.name[0] == '-' || std::filesystem::symlink_status(folder, ec).type() != std::filesystem::file_type::not_found)
    return fail(Code::invalid_argument, "choose another name: '" + a.name + "' exists, or begins with '-'");
  const Place workspace = WW_TRY(workspace_of(call));
  const std::string hash = WW_TRY(stored(*workspace, a.candidate)).hash;
  const std::string backward = a.backward.empty() ? std::string() : WW_TRY(stored(*workspace, a.backward)).hash;
  return exported(*workspace, {{hash}, a.as, backward, folder, call.options.unsigned_too});
}

Result<Answer> notes(const NotesArguments& a, const Call& call) {
  const Place workspace = WW_TRY(workspace_of(call, Access::write));
  return noted(*workspace, WW_TRY(stored(*workspace, a.candidate)), a.line, a.text, by(call));
}

template <class T>
Tool tool(std::string name, std::string title, std::string command, std::vector<std::string> members, bool writes,
          Result<Answer> (*run)(const T&, const Call&), std::string description) {
  return {name,
          std::move(title),
          std::move(description),
          std::move(command),
          std::move(members),
          writes,
          schema_of<T>(),
          [name, run](const Json& arguments, const Call& call) -> Result<Answer> {
            return run(WW_TRY(read_arguments<T>(arguments, name)), call);
          }};
}

}  // namespace

std::vector<Tool> tools_of(const Options& options) {
  std::vector<Tool> all = {
      tool("describe", "Understand an op", "spec", {"understood", "spec", "questions"}, false, describe,
           "How a sentence or an op spec is understood: the spec with its inputs, outputs and shape symbols, or the "
           "question that must be answered first, with clear sentences to choose from."),
      tool(
          "check", "Judge a kernel", "check", {"op", "verdict", "score"}, false, check,
          "Compiles a kernel and proves it against the op: out-of-bounds accesses, races, wrong results on odd, prime, "
          "ragged and other shapes. Returns the verdict with its evidence (what is wrong, where, with which inputs) "
          "and, if proved, its cost or time. Stores nothing."),
      tool("submit", "Judge a kernel and store it", "show", {"run", "candidate", "verdict"}, true, submit,
           "Judges a kernel as another candidate of a run, for the run's case, and stores it with its verdict, for use "
           "with show, diff, advise, compare, export and notes."),
      tool("explore", "Search for fast kernels", "explore", {"run", "why", "candidates"}, true, explore_op,
           "The built-in search proposes kernels for an op; each is proved, ranked and stored in a new run. Takes "
           "seconds to minutes and reports progress; if cancelled, the run keeps the candidates judged so far and can "
           "be resumed."),
      tool("list", "List runs, candidates or ops", "list", {}, false, list,
           "The runs of the workspace; the candidates of a run with rank, cost or time, and verdict; or ops of the "
           "library."),
      tool("show", "Show a candidate", "show", {"run", "candidate", "text", "verdict", "review"}, false, show,
           "One stored candidate: text, verdict with evidence, numbers, notes and reviews."),
      tool("diff", "Compare two texts", "diff", {"before", "after", "equal", "diff"}, false, diff,
           "What changed in the text from one stored candidate to another, in unified format."),
      tool("advise", "Interpret the numbers", "advise",
           {"candidate", "metrics", "cost", "launches", "profile", "advice"}, false, advise,
           "For a stored candidate: its counts (simulated, or measured) with their interpretation (instruction mix, "
           "memory traffic, hot lines), its main costs, the occupancy of its launches (modelled), and advice from the "
           "rules, each with evidence and the largest possible gain."),
      tool("compare", "Compare two candidates", "compare", {"first", "second"}, false, compare,
           "Compares two stored candidates of one op: without a device, their stored costs or times and counts side by "
           "side; "
           "with a GPU, which is faster, timed interleaved."),
      tool("time", "Time on a GPU", "time", {"case", "timings"}, true, time,
           "Times a stored candidate on an NVIDIA GPU, with a cold and a warm L2 cache, beside the roofline."),
      tool("profile", "Hardware counters", "profile", {"case", "counters", "profile"}, true, profile,
           "Reads the hardware counters of a stored candidate on an NVIDIA GPU and interprets them: limits, stall "
           "reasons, memory traffic, hot lines. Without a GPU, 'advise' gives the simulated counts."),
      tool("notes", "Write a note", "note", {"candidate", "decision"}, true, notes,
           "Adds a note to a stored candidate, or to one of its lines, for the person who reviews it; 'show' lists "
           "them. "
           "It signs and decides nothing."),
  };
  if (!options.exports.empty())
    all.push_back(tool("export", "Export a candidate", "export", {"candidate", "folder", "files"}, true, export_it,
                       "Writes a proved candidate as a standalone project into a new folder, below the one given "
                       "when the server was started."));
  return all;
}

Json tool_json(const Tool& tool) {
  Json properties = {{"schema", {{"const", "warpwright-cli/1"}}}, {"command", {{"const", tool.command}}}};
  Json required = {"schema", "command"};
  for (const std::string& member : tool.members) {
    properties[member] = Json::object();
    required.push_back(member);
  }
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", tool.input},
          {"outputSchema", {{"type", "object"}, {"properties", properties}, {"required", required}}},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", !tool.writes},
            {"destructiveHint", false},
            {"idempotentHint", !tool.writes},
            {"openWorldHint", false}}}};
}

}  // namespace ww::cli::mcp
