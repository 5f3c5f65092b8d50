// SPDX-License-Identifier: Apache-2.0
// The SIMT machine by itself: one launch from a case file, what the machine makes of a file, and its speed.
#include <algorithm>
#include <fmt/format.h>
#include "answer.h"
#include "base/device_name.h"
#include "base/describe.h"
#include "base/files.h"
#include "base/foreign_file.h"
#include "base/plural.h"
#include "commands.h"
#include "console.h"
#include "interrupt.h"
#include "output.h"
#include "subject.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim.h"
#include "sim/case_file.h"
#include "watch.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

struct SimArgs {
  fs::path file, save;
  std::vector<std::string> checks;
  std::optional<std::uint64_t> seed;
  std::string arch, kernel;
  bool bytes = false;
  int seconds = 300, runs = 5;
};

Exit exit_of(sim::Ending ending) {
  switch (ending) {
    case sim::Ending::passed: return Exit::done;
    case sim::Ending::differs:
    case sim::Ending::found: return Exit::negative;
    case sim::Ending::not_judged: break;
  }
  return Exit::not_judged;
}

std::string outputs_text(const sim::Outcome& o) {
  std::string out;
  for (const sim::Difference& d : o.differences)
    out += fmt::format("  {}[{}]: expected {}, got {}{}; {} of {} differ\n", safe(d.buffer), d.index, safe(d.expected),
                       safe(d.actual), d.written ? "" : ", never written", d.wrong, plural(d.elements, "element"));
  for (const sim::Output& output : o.outputs) {
    const bool listed = std::ranges::any_of(o.differences, [&](const auto& d) { return d.buffer == output.name; });
    if (o.ending == sim::Ending::passed && output.unwritten == 0 && !output.first.empty() && !listed)
      out += fmt::format("  {}: {}{}\n", safe(output.name), safe(fmt::format("{}", fmt::join(output.first, " "))),
                         static_cast<std::size_t>(output.elements) > output.first.size() ? " …" : "");
    if (output.unwritten > 0)
      out += fmt::format("  {}: {} never written\n", safe(output.name), plural(output.unwritten, "byte"));
  }
  return out;
}

std::string outcome_text(const sim::Outcome& o) {
  std::string out;
  switch (o.ending) {
    case sim::Ending::passed: out = coloured(Colour::green, "Passed"); break;
    case sim::Ending::differs: out = coloured(Colour::red, "Differs"); break;
    case sim::Ending::found: out = coloured(Colour::red, "Faults found"); break;
    case sim::Ending::not_judged: out = coloured(Colour::yellow, "Not judged"); break;
  }
  out += fmt::format(" ({}{})\n", safe(o.kernel), o.target.empty() ? "" : ", " + safe(o.target));
  if (!o.why.empty() && o.findings.empty() && o.differences.empty()) out += "  " + safe_lines(o.why, "  ") + '\n';
  for (const sim::Finding& f : o.findings) out += finding_text(f);
  if (o.further_findings > 0) out += fmt::format("  and {} more, repetitions included\n", o.further_findings);
  // What a launch that ended early has left says nothing.
  const bool ended = std::ranges::any_of(o.findings, [](const sim::Finding& f) { return f.ended; });
  if (!ended) out += outputs_text(o);
  if (!o.printed.empty()) out += "\nPrinted\n  " + safe_lines(o.printed, "  ") + '\n';
  if (!o.log.empty()) out += "\nCompiler\n  " + safe_lines(o.log, "  ") + '\n';
  if (!o.counters.empty()) out += "\nCounts (simulated)\n";
  for (const auto& [name, value] : o.counters)
    if (value != 0) out += fmt::format("  {:<26}{:>16}\n", safe(name), value);
  return out;
}

Status save(const sim::Outcome& o, const fs::path& folder) {
  make_folders(folder);
  for (const sim::Output& output : o.outputs) {
    std::string name = output.name;
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == '\0'; }, '_');
    if (name == "." || name == "..") name = "_";
    WW_TRY(write_file_atomic(folder / (name + ".bin"), WW_TRY(sim::bytes_of_hex(output.hex))));
  }
  return {};
}

int refused(const Common& common, const Error& error) {
  return failed(common, error, exit_without_outcome(error.code));
}

Result<int> run_case(const Common& common, const SimArgs& args) {
  Result<sim::Job> job = sim::read_case(args.file);
  if (!job) return failed(common, job.error(), Exit::usage);
  WW_TRY(choose(*job, args.checks, args.seed));
  job->returns_bytes = args.bytes || !args.save.empty();
  const Interrupt interrupt(stopping);
  rpc::Supervisor worker(worker_for(*job));
  const Result<sim::Outcome> outcome =
      worker.simulate({std::move(*job), std::chrono::seconds(args.seconds)}, interrupt.token());
  if (!outcome) return refused(common, outcome.error());
  if (!args.save.empty()) WW_TRY(save(*outcome, args.save));
  return print_answer(common, {{{"case", args.file.string()}, {"outcome", json::of(*outcome)}},
                               outcome_text(*outcome),
                               exit_of(outcome->ending)});
}

std::string listing_text(const sim::Listing& listing, const std::string& kernel) {
  std::string out = fmt::format("PTX {} for {}\n", safe(listing.version), safe(listing.target));
  for (const sim::ListedFunction& f : listing.functions) {
    if (!kernel.empty() && f.name != kernel) continue;
    out += fmt::format("\n{} {}({})\n", f.is_kernel ? "kernel" : "function", safe(f.name),
                       safe(fmt::format("{}", fmt::join(f.params, ", "))));
    out += fmt::format("  {}, {} of static shared memory, {} of local memory\n", plural(f.registers, "register"),
                       plural(f.static_shared, "byte"), plural(f.local, "byte"));
    std::vector<std::vector<std::string>> rows;
    for (const sim::ListedInstruction& i : f.instructions)
      rows.push_back({i.line > 0 ? std::to_string(i.line) : "", std::to_string(i.ptx_line),
                      safe(i.text) + (i.unsupported.empty() ? "" : "  <- not executed: " + safe(i.unsupported))});
    out += table({"#Line", "#PTX", "Instruction"}, rows);
  }
  return out;
}

Result<int> disassemble(const Common& common, const SimArgs& args) {
  sim::Job job;
  ForeignFile file = WW_TRY(of_argument(ForeignFile::open(args.file)));
  WW_TRY(file.read(sim::max_content_bytes, [&](std::string_view part) -> Status {
    job.code.append(part);
    return {};
  }));
  job.language = args.file.extension() == ".cu" ? candidate::Language::cuda : candidate::Language::ptx;
  if (!args.arch.empty()) job.architecture = WW_TRY(architecture_for(args.arch, std::string(simt_device)));
  const Interrupt interrupt(stopping);
  rpc::Supervisor worker(worker_for(job));
  const Result<sim::Listing> listing = worker.list_code({job, std::chrono::seconds(args.seconds)}, interrupt.token());
  if (!listing) return refused(common, listing.error());
  const auto named = [&](const sim::ListedFunction& f) { return f.name == args.kernel; };
  if (!args.kernel.empty() && std::ranges::none_of(listing->functions, named))
    return failed(common, {Code::not_found, "the code has no function " + args.kernel, {}});
  return print_answer(
      common, {{{"file", args.file.string()}, {"listing", json::of(*listing)}}, listing_text(*listing, args.kernel)});
}

struct Speed {
  std::string name, checks;
  std::uint64_t instructions = 0;
  double median = 0, least = 0, most = 0;  // seconds
  double rate() const { return median > 0 ? static_cast<double>(instructions) / median : 0; }
  WW_FIELDS(Speed, ((case, name)), checks, ((thread_instructions, instructions)), ((median_seconds, median)),
            ((least_seconds, least)), ((most_seconds, most)), ((per_second, rate)))
};

Result<Speed> speed_of(const fs::path& file, const SimArgs& args, const std::vector<std::string>& checks,
                       std::stop_token stop) {
  sim::Job job = WW_TRY(sim::read_case(file));
  WW_TRY(choose(job, checks, args.seed));
  job.runs = args.runs;
  rpc::Supervisor worker(worker_for(job));
  const sim::Outcome o = WW_TRY(worker.simulate({std::move(job), std::chrono::seconds(args.seconds)}, stop));
  if (o.ending == sim::Ending::found || o.ending == sim::Ending::not_judged)
    return fail(Code::invalid_argument, "the case '" + file.string() + "' does not run cleanly", o.why);
  Speed s{file.stem().string(), fmt::format("{}", fmt::join(checks, ",")), 0, 0, 0, 0};
  std::vector<double> seconds = o.seconds;
  std::ranges::sort(seconds);
  s.median = seconds[seconds.size() / 2];
  s.least = seconds.front();
  s.most = seconds.back();
  for (const auto& [name, value] : o.counters)
    if (name == "thread_instructions") s.instructions = value;
  return s;
}

Result<int> bench(const Common& common, const SimArgs& args) {
  std::vector<fs::path> files{args.file};
  if (args.file.empty()) {
    files.clear();
    const fs::path folder = resources_dir() / "sim/bench";
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    if (files.empty()) return fail(Code::not_found, "there are no cases in '" + folder.string() + "'");
    std::ranges::sort(files);
  }
  std::vector<std::vector<std::string>> levels{{"memory"}, {"memory", "races", "init", "sync"}};
  if (!args.checks.empty()) levels = {args.checks};
  const Interrupt interrupt(stopping);
  LiveLine live;
  std::vector<Speed> all;
  for (const fs::path& file : files)
    for (const auto& checks : levels) {
      live.show(file.stem().string());
      const Result<Speed> speed = speed_of(file, args, checks, interrupt.token());
      if (!speed) return refused(common, speed.error());
      all.push_back(*speed);
    }
  live.clear();
  if (common.json) {
    print_json(common, {{"runs", args.runs}, {"speeds", json::of(all)}});
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Speed& s : all)
    rows.push_back({safe(s.name), s.checks, count_text(static_cast<std::int64_t>(s.instructions)),
                    fmt::format("{:.2f}", s.median * 1e3), fmt::format("{:.2f}-{:.2f}", s.least * 1e3, s.most * 1e3),
                    fmt::format("{:.1f}", s.rate() * 1e-6)});
  print_text(table({"Case", "Checks", "#Thread instructions", "#Median ms", "#Range", "#Millions per second"}, rows) +
             fmt::format("Over {} on this machine, with counters.\n", plural(args.runs, "run")));
  return Exit::done;
}

void add_checks(CLI::App& app, SimArgs& args) {
  app.add_option("--checks", args.checks, "memory, races, init, sync; default: those of the case")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seconds", args.seconds, "time limit of the worker, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
}

}  // namespace

std::string site_text(const sim::Site& s) {
  const auto triple = [](const std::vector<std::uint32_t>& d) {
    return d.size() == 3 ? fmt::format("({},{},{})", d[0], d[1], d[2]) : std::string("?");
  };
  std::string text = s.thread.empty() ? fmt::format("warp {}", s.warp) : "thread " + triple(s.thread);
  text += " of block " + triple(s.block);
  text += s.line > 0 ? fmt::format(", line {}", s.line) : fmt::format(", PTX line {}", s.ptx_line);
  text += fmt::format(": {}", s.instruction);
  if (!s.value.empty()) text += fmt::format(", {} {}", s.is_write ? "stores" : "loads", s.value);
  return text;
}

std::string finding_text(const sim::Finding& f, const std::string& kernel) {
  std::string out =
      fmt::format("  {}{}: {}\n", safe(f.check), kernel.empty() ? "" : " in " + safe(kernel), safe(f.message));
  out += "    " + safe(site_text(f.site)) + '\n';
  if (f.other) out += "    " + safe(site_text(*f.other)) + '\n';
  return out;
}

Exit exit_without_outcome(Code code) {
  switch (code) {
    case Code::invalid_argument:
    case Code::not_found: return Exit::usage;
    case Code::compile:
    case Code::parse: return Exit::negative;
    case Code::timeout:
    case Code::crashed: return Exit::not_judged;
    default: return Exit::environment;
  }
}

rpc::WorkerOptions worker_for(const sim::Job& job) {
  std::int64_t bytes = 0;
  for (const sim::JobArgument& a : job.args) bytes += a.buffer ? a.buffer->bytes : 0;
  for (const sim::JobBuffer& s : job.symbols) bytes += s.bytes;
  // The request, the buffers, and what is kept of each of their bytes.
  constexpr std::int64_t per_byte = 6, per_byte_of_races = 64;
  const bool races = std::ranges::count(job.checks, sim::Check::races) > 0;
  rpc::WorkerOptions options;
  options.memory_limit += bytes * (per_byte + (races ? per_byte_of_races : 0));
  return options;
}

Result<std::vector<sim::Check>> checks_of(const std::vector<std::string>& names) {
  std::vector<sim::Check> out;
  for (const std::string& name : names) {
    const auto check = enum_from_name<sim::Check>(name);
    if (!check) return fail(Code::invalid_argument, "there is no check '" + name + "': " + enum_names<sim::Check>());
    out.push_back(*check);
  }
  return out;
}

Status choose(sim::Job& job, const std::vector<std::string>& checks, std::optional<std::uint64_t> seed) {
  if (!checks.empty()) job.checks = WW_TRY(checks_of(checks));
  if (seed) job.seed = *seed;
  return {};
}

void add_sim(Commands& commands) {
  const auto args = std::make_shared<SimArgs>();
  CLI::App& group = commands.add_group("sim", "runs PTX and CUDA kernels on the SIMT machine by itself");
  using Workspace = Commands::Workspace;
  CLI::App& run = commands.add_to(
      group, "run", "runs a case, compares its outputs and reports faults, races and counts",
      [args](const Common& common) { return run_case(common, *args); }, Workspace::none);
  run.add_option("CASE", args->file, "CASE.json (docs/sim.md)")->required();
  add_checks(run, *args);
  run.add_option("--seed", args->seed,
                 "seed of what a program must not depend on, such as the order of blocks; default: the case's")
      ->check(CLI::NonNegativeNumber);
  run.add_flag("--bytes", args->bytes, "with --json, all bytes of the outputs");
  run.add_option("--save", args->save, "folder for the outputs, one file each");
  CLI::App& list = commands.add_to(
      group, "disasm", "lists a file's instructions as the machine sees them, with their source lines",
      [args](const Common& common) { return disassemble(common, *args); }, Workspace::none);
  list.add_option("FILE", args->file, "FILE.ptx or FILE.cu")->required();
  list.add_option("--arch", args->arch, "to compile FILE.cu for; default: sm_80");
  list.add_option("--kernel", args->kernel, "only this function");
  add_sim_trace(commands, group);
  add_sim_moment(commands, group);
  add_sim_exec(commands, group);
  CLI::App& speed = commands.add_to(
      group, "bench", "measures thread instructions per second on this host, of a case or of four built-in kernels",
      [args](const Common& common) { return bench(common, *args); }, Workspace::none);
  speed.add_option("CASE", args->file, "CASE.json; default: four built-in kernels");
  add_checks(speed, *args);
  speed.add_option("--runs", args->runs, "runs of each; the median is shown")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
}

}  // namespace ww::cli
