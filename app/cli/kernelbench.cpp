// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <random>
#include "answer.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/plural.h"
#include "base/time_left.h"
#include "commands.h"
#include "console.h"
#include "exporter/solution.h"
#include "importer/task_folder.h"
#include "importer/trust.h"
#include "interrupt.h"
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
  bool import_only = false, yes = false;
  RunArgs run;
};

// Asks once for all files that have not been allowed yet. Then `torch` is the Python that will run them: without one,
// nothing need be asked.
Status let_run_all(const std::vector<Task>& tasks, bool yes, std::unique_ptr<importer::TorchModules>& torch) {
  std::vector<std::pair<fs::path, std::string>> asked;
  for (const Task& task : tasks) {
    std::string text = WW_TRY(importer::read_program(task.file));
    if (!importer::may_run(task.file, text)) asked.emplace_back(task.file, std::move(text));
  }
  if (asked.empty()) return {};
  torch = WW_TRY(importer::TorchModules::start());
  const std::string what = fmt::format(
      "{} of the tasks are programs that have not been run yet. To import their modules, Python runs them under your "
      "account, outside any sandbox: they can read and change your files.\n",
      asked.size());
  if (!yes && !on_terminal())
    return fail({Code::denied,
                 fmt::format("nothing was run: {} of the tasks have not been allowed yet", asked.size()),
                 {},
                 {},
                 "read the files; --yes then runs them without asking"});
  if (!yes && !ask_person(what + "Run them?")) return fail(Code::denied, "nothing was run");
  for (const auto& [file, text] : asked) WW_TRY(importer::let_run(file, text));
  return {};
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
    }
    return {};
  }

 private:
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

Answer summary(const std::vector<TaskRecord>& records, const fs::path& folder) {
  std::vector<std::vector<std::string>> levels, missing;
  for (const importer::TaskCounts& c : importer::counts_of(records))
    levels.push_back({std::to_string(c.level), std::to_string(c.tasks), std::to_string(c.imported),
                      std::to_string(c.equal), std::to_string(c.explored), std::to_string(c.correct)});
  bool all = true;
  for (const TaskRecord& r : records) {
    all = all && (r.spec == SpecOutcome::equal || r.spec == SpecOutcome::unsupported);
    if (r.spec != SpecOutcome::equal)
      missing.push_back({std::to_string(r.level), std::to_string(r.number), safe(r.name),
                         std::string(enum_name(r.spec)), safe(r.why)});
  }
  std::string out = table({"#Level", "#Tasks", "#Imported", "#Equal", "#Explored", "#Correct"}, levels);
  if (!missing.empty()) out += "\nNot imported\n" + table({"#Level", "#No.", "Task", "Spec", "Why"}, missing);
  out += "\nSpecs, solutions, results.json and report.md are in " + safe(folder.string()) + ".\n";
  const Json records_json = json::of(records);
  return {{{"folder", folder.string()}, {"tasks", records_json}},
          std::move(out),
          all ? Exit::done : Exit::negative,
          records_json};
}

Result<int> bench(const Common& common, const BenchArgs& args) {
  const std::vector<Task> tasks = WW_TRY(importer::tasks_in(args.folder, WW_TRY(importer::numbers_of(args.levels)),
                                                            WW_TRY(importer::numbers_of(args.numbers))));
  std::unique_ptr<importer::TorchModules> torch;
  WW_TRY(let_run_all(tasks, args.yes, torch));
  std::error_code ec;
  fs::create_directories(args.output, ec);
  if (ec) return fail(Code::io, "cannot make the folder '" + args.output.string() + "'", ec.message());
  importer::TaskRecords records = WW_TRY(importer::TaskRecords::open(args.output));
  const op::Library library = WW_TRY(op_library());
  std::unique_ptr<store::Workspace> workspace;
  if (!args.import_only) workspace = WW_TRY(open_workspace(common, Access::create));
  const Interrupt interrupt("\nStopping. Run the same command again to continue.\n");
  LiveLine live;
  Bench work(args, interrupt.token(), live, std::move(torch));
  const auto begin = std::chrono::steady_clock::now();
  int done = 0;  // by this call
  for (std::size_t i = 0; i < tasks.size() && !interrupt.token().stop_requested(); ++i) {
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
    Result<std::optional<importer::Module>> module = work.import(task, text, record);
    if (!module && module.error().code == Code::cancelled) break;
    WW_CHECK(module);
    if (workspace && *module && record.spec == SpecOutcome::equal) {
      const Status explored = work.explore(*workspace, library, **module, text, record);
      if (!explored && explored.error().code == Code::cancelled) break;
      WW_CHECK(explored);
    }
    WW_TRY(records.put(record));
    WW_TRY(write_file_atomic(args.output / "report.md", importer::markdown_of(records.all())));
  }
  live.clear();
  const bool stopped = interrupt.token().stop_requested();
  Answer answer = summary(records.all(), args.output);
  if (stopped) answer.exit = Exit::stopped;
  return print_answer(common, std::move(answer));
}

}  // namespace

void add_kernelbench(Commands& commands) {
  const auto args = std::make_shared<BenchArgs>();
  CLI::App& app = commands.add(
      "kernelbench", "imports KernelBench's tasks, explores them, and writes the best kernels as its solutions",
      [args](const Common& common) { return bench(common, *args); });
  app.add_option("FOLDER", args->folder, "KernelBench's repository, or a folder with level1, level2 …")->required();
  app.add_option("--level", args->levels, "levels, such as 1,2")->capture_default_str();
  app.add_option("--task", args->numbers, "numbers of tasks, such as 1,5-9; default: all");
  app.add_option("-o,--output", args->output, "folder of results; another run adds only what is missing")
      ->capture_default_str();
  app.add_flag("--import-only", args->import_only, "imports and compares, without exploring");
  app.add_flag("--yes", args->yes, "runs the tasks' files without asking");
  commands.add_format(app);
  add_exploring(app, args->run);
}

}  // namespace ww::cli
