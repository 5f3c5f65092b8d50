// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <random>
#include "answer.h"
#include "base/device_name.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/plural.h"
#include "base/time_left.h"
#include "commands.h"
#include "console.h"
#include "exporter/solution.h"
#include "importer/task_comparison.h"
#include "importer/task_report.h"
#include "importer/trust.h"
#include "interrupt.h"
#include "kernelbench_judge.h"
#include "models.h"
#include "module.h"
#include "watch.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

using importer::SpecOutcome;
using importer::Task;
using importer::TaskOutcome;
using importer::TaskRecord;

struct BenchArgs {
  fs::path folder, output = "warpwright-kernelbench";
  std::string levels = "1,2", numbers;
  std::vector<fs::path> compared;
  bool import_only = false, judge = false, judge_only = false, yes = false;
  importer::Trials trials;
  RunArgs run;
  bool judges() const { return judge || judge_only; }
};

// Those that have not been allowed yet.
Result<std::vector<importer::Program>> not_allowed(const std::vector<fs::path>& files) {
  std::vector<importer::Program> out;
  for (const fs::path& file : files) {
    std::string text = WW_TRY(importer::read_program(file));
    if (!importer::may_run(file, text)) out.emplace_back(file, std::move(text));
  }
  return out;
}

// Asks once for all of them. `what`: the kinds of files among them.
Status let_run_all(const std::vector<importer::Program>& asked, const std::string& what, bool yes) {
  const std::string question = fmt::format(
      "{} not been run yet: {}. Python runs them under your account, outside any sandbox: they can read and change "
      "your files.\n",
      asked.size() == 1 ? "1 program has" : plural(asked.size(), "program") + " have", what);
  if (!yes && !on_terminal())
    return fail({Code::denied,
                 fmt::format("nothing was run: {} of the files have not been allowed yet", asked.size()),
                 {},
                 {},
                 "read the files; --yes then runs them without asking"});
  if (!yes && !ask_person(question + "Run them?")) return fail(Code::denied, "nothing was run");
  return importer::let_run(asked);
}

class Bench {
 public:
  // torch: may be null; then the first import starts one.
  Bench(const BenchArgs& args, std::stop_token stop, LiveLine& live, std::unique_ptr<importer::TorchModules> torch)
      : args_(args), stop_(std::move(stop)), live_(live), torch_(std::move(torch)) {}

  // `place`: how far the work is.
  void begin(const std::string& place, const TaskRecord& record) {
    place_ = place;
    show(record);
  }

  // The task's module; empty: `record` says why not. `text`: the file's.
  Result<std::optional<importer::Module>> import(const Task& task, const std::string& text, TaskRecord& record) {
    if (!importer::may_run(task.file, text))
      return refused({Code::denied, "it was not run: it has changed since you allowed it", {}}, record);
    if (!torch_) torch_ = WW_TRY(importer::TorchModules::start(stop_));
    importer::ModuleRequest request;
    request.file = task.file;
    Result<importer::Module> module = torch_->import(request, stop_);
    if (!module) return refused(module.error(), record);
    const Result<importer::Comparison> compared =
        torch_->compare(*module, importer::compared_sets, std::random_device()(), stop_);
    if (!compared && compared.error().code != Code::unsupported) return refused(compared.error(), record);
    record.sets = compared ? compared->sets : 0;
    record.why = !compared                       ? compared.error().text()
                 : !compared->difference.empty() ? compared->difference
                 : compared->sets == 0           ? "the module's results are not finite on random inputs"
                                                 : "";
    record.spec = compared && !compared->difference.empty() ? SpecOutcome::different
                  : record.sets > 0                         ? SpecOutcome::equal
                                                            : SpecOutcome::uncompared;
    if (compared && !compared->sizes.empty()) small_ = compared->sizes.back();
    WW_TRY(
        write_file_atomic(args_.output / fmt::format("level_{}_problem_{}.op", task.level, task.number), module->text));
    return std::optional(std::move(*module));
  }

  Status explore(store::Workspace& workspace, const op::Library& library, const importer::Module& module,
                 const std::string& source, TaskRecord& record) {
    generator::RunOptions options = WW_TRY(options_of(args_.run));
    options.spec = module.text;
    options.binding.symbols = options.device.starts_with("simt") ? small_ : module.sizes;
    const auto progress = [&](const explore::Event& event) {
      if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) show(record, ": " + judged->row.verdict);
    };
    const Result<explore::RunEnded> ended = explore::run(workspace, options, progress, stop_);
    if (!ended && ended.error().code == Code::cancelled) return fail(ended.error());
    if (!ended) return failed(record, ended.error().text());
    if (ended->state == store::RunState::cancelled) return fail(Code::cancelled, "interrupted");
    record.exploration = exploration_of(options);
    record.run = ended->run;
    record.accepted = ended->accepted;
    record.outcome = TaskOutcome::none_accepted;
    const std::vector<explore::CandidateRow> rows = WW_TRY(explore::rows_of(workspace, ended->run));
    if (ended->accepted == 0)
      record.why_not = rows.empty() ? ended->why
                                    : fmt::format("{}; the last of {}: {}", ended->why,
                                                  plural(rows.size(), "candidate"), rows.back().verdict);
    for (const explore::CandidateRow& row : rows) {
      if (row.rank != 1) continue;
      record.candidate = row.id;
      record.title = row.title;
      const store::CandidateRecord c = WW_TRY(workspace.candidate(row.id));
      const Result<std::string> text = exporter::solution_text(workspace, library, c, module.inputs, source, "Model");
      if (!text) return failed(record, text.error().text());
      record.solution = fmt::format("level_{}_problem_{}_sample_0_kernel.py", record.level, record.number);
      WW_TRY(write_file_atomic(args_.output / record.solution, *text));
      record.outcome = TaskOutcome::correct;
      if (args_.judges()) WW_TRY(importer::let_run(args_.output / record.solution, *text));  // as the person agreed
    }
    return {};
  }

 private:
  static importer::Exploration exploration_of(const generator::RunOptions& options) {
    importer::Exploration out{options.generator,     {}, {}, options.device, options.budget.candidates,
                              options.budget.minutes};
    if (options.generator == generator::model)
      out.strategies = options.model.strategies, out.model = options.model.writer;
    return out;
  }
  void show(const TaskRecord& record, const std::string& now = {}) {
    live_.show(fmt::format("{}: level {}, {} {}{}", place_, record.level, record.number, record.name, now));
  }
  static Status failed(TaskRecord& record, const std::string& why) {
    record.outcome = TaskOutcome::failed;
    record.why_not = why;
    return {};
  }
  Result<std::optional<importer::Module>> refused(const Error& error, TaskRecord& record) {
    if (error.code == Code::cancelled || error.code == Code::unavailable) return fail(error);
    if (error.code == Code::crashed || error.code == Code::timeout) torch_.reset();
    record.spec = error.code == Code::unsupported ? SpecOutcome::unsupported : SpecOutcome::failed;
    record.why = error.message;
    record.line = error.cause.substr(0, error.cause.find('\n'));
    return std::optional<importer::Module>();
  }

  const BenchArgs& args_;
  std::stop_token stop_;
  LiveLine& live_;
  std::string place_;
  std::unique_ptr<importer::TorchModules> torch_;
  std::map<std::string, std::int64_t> small_;
};

std::string text_of(const std::vector<importer::TaskTable>& tables) {
  std::string out;
  for (const importer::TaskTable& t : tables) {
    std::vector<std::vector<std::string>> rows = t.rows;
    for (std::vector<std::string>& row : rows)
      for (std::string& text : row) text = safe(text);
    out += (out.empty() ? "" : "\n") + (t.title.empty() ? "" : t.title + "\n") + table(t.headers, rows);
  }
  return out;
}

Answer summary(const std::vector<TaskRecord>& records, const BenchArgs& args) {
  bool all = true;
  for (const TaskRecord& r : records) {
    all = all && (r.spec == SpecOutcome::equal || r.spec == SpecOutcome::unsupported);
    if (args.judges() && !r.solution.empty())
      all = all && r.judged &&
            (r.judged->outcome == importer::Judged::correct || r.judged->outcome == importer::Judged::not_evaluated);
  }
  const Json records_json = json::of(records);
  return {
      {{"folder", args.output.string()}, {"levels", json::of(importer::counts_of(records))}, {"tasks", records_json}},
      text_of(importer::tables_of(records)) + "\nSpecs, solutions, results.json and report.md are in " +
          safe(args.output.string()) + ".\n",
      all ? Exit::done : Exit::negative,
      records_json};
}

Result<int> compare(const Common& common, const std::vector<fs::path>& folders) {
  const importer::TaskComparison comparison = WW_TRY(importer::compared_results(folders));
  if (common.format == "markdown") {  // the whole page
    print_text(importer::markdown_of(comparison));
    return Exit::done;
  }
  const std::string note = importer::note_of(comparison);
  Json json = json::of(comparison);
  return print_answer(common, {json, text_of(importer::tables_of(comparison)) + (note.empty() ? "" : '\n' + safe(note)),
                               Exit::done, json["tasks"]});
}

// What the command is going to run, and asks for it before the first of it runs.
Status settle(const BenchArgs& args, const std::vector<Task>& tasks, const importer::TaskRecords& records,
              const std::optional<Judging>& judging, std::unique_ptr<importer::TorchModules>& torch) {
  std::vector<fs::path> files = judging ? WW_TRY(importer::evaluation_of(args.folder)) : std::vector<fs::path>();
  for (const Task& task : tasks) {
    const TaskRecord* record = records.find(task, hash_hex(WW_TRY(importer::read_program(task.file))));
    const bool solved = record && !record->solution.empty();
    if (solved && judging) files.push_back(args.output / record->solution);
    if (solved || !args.judge_only) files.push_back(task.file);
  }
  const auto asked = WW_TRY(not_allowed(files));
  if (asked.empty()) return {};
  if (!args.judge_only) torch = WW_TRY(importer::TorchModules::start());  // without one, nothing need be asked
  return let_run_all(asked,
                     judging ? "KernelBench's evaluation, its tasks, or solutions, those included that are written now"
                             : "tasks, whose modules are imported",
                     args.yes);
}

// Imports and explores what is missing. Code::cancelled: the rest is left for the next time.
Status complete(const Common& common, const BenchArgs& args, const std::vector<Task>& tasks,
                importer::TaskRecords& records, std::unique_ptr<importer::TorchModules> torch, LiveLine& live,
                const std::stop_token& stop) {
  const op::Library library = WW_TRY(op_library());
  std::unique_ptr<store::Workspace> workspace;
  if (!args.import_only) workspace = WW_TRY(open_workspace(common, Access::create));
  Bench work(args, stop, live, std::move(torch));
  const auto begin = std::chrono::steady_clock::now();
  int done = 0;  // by this call
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (stop.stop_requested()) return fail(Code::cancelled, "interrupted");
    const Task& task = tasks[i];
    const std::string text = WW_TRY(importer::read_program(task.file));
    const std::string hash = hash_hex(text);
    const TaskRecord* before = records.find(task, hash);
    const bool imported = before && (before->spec == SpecOutcome::equal || before->spec == SpecOutcome::unsupported);
    if (imported &&
        (args.import_only || before->spec == SpecOutcome::unsupported || before->outcome != TaskOutcome::unexplored))
      continue;
    TaskRecord record;
    record.level = task.level, record.number = task.number, record.name = task.name, record.hash = hash;
    const std::optional<double> left = minutes_left(done++, static_cast<int>(tasks.size() - i),
                                                    Minutes(std::chrono::steady_clock::now() - begin).count());
    work.begin(fmt::format("{} of {}{}", i + 1, tasks.size(), left ? ", " + left_text(*left) : ""), record);
    const std::optional<importer::Module> module = WW_TRY(work.import(task, text, record));
    if (workspace && module && record.spec == SpecOutcome::equal)
      WW_TRY(work.explore(*workspace, library, *module, text, record));
    WW_TRY(keep(records, record, args.output));
  }
  return {};
}

Status valid(const BenchArgs& args) {
  if (args.folder.empty())
    return fail(Code::invalid_argument, "name KernelBench's repository, or folders of results after --compare");
  if (args.judges() && args.import_only)
    return fail(Code::invalid_argument, "--import-only writes no solutions that could be judged");
  if (args.judges() && !is_gpu(args.run.options.device))
    return fail(Code::invalid_argument, "KernelBench evaluates on a GPU; name one, such as --device cuda:0");
  return {};
}

Result<int> bench(const Common& common, const BenchArgs& args) {
  if (!args.compared.empty()) return compare(common, args.compared);
  WW_TRY(valid(args));
  const std::vector<Task> tasks = WW_TRY(importer::tasks_in(args.folder, WW_TRY(importer::numbers_of(args.levels)),
                                                            WW_TRY(importer::numbers_of(args.numbers))));
  importer::TaskRecords records = WW_TRY(importer::TaskRecords::open(args.output));
  std::optional<Judging> judging;
  if (args.judges()) judging = Judging{args.folder, args.output, args.run.options.device, args.trials};
  std::unique_ptr<importer::TorchModules> torch;
  WW_TRY(settle(args, tasks, records, judging, torch));
  const Interrupt interrupt("\nStopping. Run the same command again to continue.\n");
  LiveLine live;
  std::unique_ptr<importer::KernelBenchJudge> judge;  // before hours of exploring: is there all that it needs?
  if (judging) live.show("Loading KernelBench's evaluation …");
  if (judging) judge = WW_TRY(started_judge(*judging, interrupt.token()));
  if (!args.judge_only) judge.reset();
  std::error_code ec;
  fs::create_directories(args.output, ec);
  if (ec) return fail(Code::io, "cannot make the folder '" + args.output.string() + "'", ec.message());
  Status done;
  if (!args.judge_only) done = complete(common, args, tasks, records, std::move(torch), live, interrupt.token());
  torch.reset();
  if (done && judging) done = judge_solutions(*judging, tasks, records, std::move(judge), live, interrupt.token());
  live.clear();
  const bool stopped = interrupt.token().stop_requested();
  if (!done && !(stopped && done.error().code == Code::cancelled)) return fail(done.error());
  Answer answer = summary(records.all(), args);
  if (stopped) answer.exit = Exit::stopped;
  return print_answer(common, std::move(answer));
}

}  // namespace

void add_kernelbench(Commands& commands) {
  const auto args = std::make_shared<BenchArgs>();
  CLI::App& app = commands.add(
      "kernelbench", "imports KernelBench's tasks, explores them, and writes the best kernels as its solutions",
      [args](const Common& common) { return bench(common, *args); });
  app.add_option("FOLDER", args->folder, "KernelBench's repository, or a folder with level1, level2 …");
  app.add_option("--level", args->levels, "levels, such as 1,2")->capture_default_str();
  app.add_option("--task", args->numbers, "numbers of tasks, such as 1,5-9; default: all");
  app.add_option("-o,--output", args->output, "folder of results; another run adds only what is missing")
      ->capture_default_str();
  app.add_flag("--import-only", args->import_only, "imports and compares, without exploring");
  app.add_flag("--judge", args->judge,
               "then has KernelBench's own evaluation judge the solutions, on the GPU of --device");
  app.add_flag("--judge-only", args->judge_only, "judges the solutions of earlier runs; imports and explores nothing");
  app.add_option("--correct-trials", args->trials.correct, "input sets of KernelBench's evaluation")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--perf-trials", args->trials.perf, "timed calls of KernelBench's evaluation")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--compare", args->compared, "folders of results: compares their strategies, and does nothing else")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--yes", args->yes, "runs the files without asking");
  commands.add_format(app);
  add_exploring(app, args->run);
}

}  // namespace ww::cli
