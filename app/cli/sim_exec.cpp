// SPDX-License-Identifier: Apache-2.0
// `sim exec`: a whole CUDA program on the SIMT machine.
#include <fmt/format.h>
#include <memory>
#include "base/plural.h"
#include "console.h"
#include "output.h"
#include "sim.h"
#include "sim/exec.h"
#include "watch.h"

namespace ww::cli {
namespace {

struct ExecArgs {
  std::vector<std::string> checks;
  std::uint64_t seed = 0;
  CLI::App* app = nullptr;  // the program and its arguments are what it did not know
};

constexpr const char* not_loaded =
    "The program did not call the CUDA runtime as a shared library. Build it with: nvcc -cudart shared";

bool failed_itself(const sim::ExecReport& r) { return r.exit != 0; }

Exit exit_of(const sim::ExecReport& r) {
  if (!r.findings.empty()) return Exit::negative;
  if (!r.loaded || !r.refused.empty()) return Exit::not_judged;
  return failed_itself(r) ? Exit::negative : Exit::done;
}

std::string ending_text(const sim::ExecReport& r) {
  if (r.signal != 0) return fmt::format("a signal ended the program ({})", r.signal);
  return r.exit == 0 ? std::string() : fmt::format("the program ended with exit code {}", r.exit);
}

std::string report_text(const sim::ExecReport& r) {
  std::string out;
  if (!r.findings.empty())
    out = coloured(Colour::red, "Faults found");
  else if (!r.loaded || !r.refused.empty())
    out = coloured(Colour::yellow, "Not judged");
  else
    out = failed_itself(r) ? coloured(Colour::red, "Failed") : coloured(Colour::green, "Passed");
  const std::string ending = ending_text(r);
  out += (ending.empty() ? "" : ": " + ending) + '\n';
  if (!r.loaded) return out + "  " + not_loaded + '\n';
  for (const std::string& what : r.refused) out += "  not executed: " + safe_lines(what, "  ") + '\n';
  for (const sim::Finding& f : r.findings) out += finding_text(f, f.kernel);
  if (r.further_findings > 0) out += fmt::format("  and {} more, repetitions included\n", r.further_findings);
  std::vector<std::vector<std::string>> rows;
  for (const sim::ExecKernel& k : r.kernels)
    rows.push_back({safe(k.name), count_text(static_cast<std::int64_t>(k.launches)),
                    count_text(static_cast<std::int64_t>(k.warp_instructions)), fmt::format("{:.3f}", k.seconds)});
  if (!rows.empty()) out += table({"Kernel", "#Launches", "#Warp instructions", "#Seconds on this host"}, rows);
  return out;
}

Result<int> exec(const Common& common, const ExecArgs& args) {
  const std::vector<std::string> words = args.app->remaining();
  if (words.empty()) return fail(Code::invalid_argument, "name the program to run");
  sim::ExecOptions options;
  if (!args.checks.empty()) options.checks = WW_TRY(checks_of(args.checks));
  options.seed = args.seed;
  const Result<sim::ExecReport> report = sim::exec(words, options, common.json);
  if (!report) return failed(common, report.error(), exit_without_outcome(report.error().code));
  if (common.json)
    print_json(common, {{"program", words.front()}, {"execution", json::of(*report)}});
  else
    put(Stream::error, '\n' + report_text(*report));
  return exit_of(*report);
}

}  // namespace

void add_sim_exec(Commands& commands, CLI::App& group) {
  const auto args = std::make_shared<ExecArgs>();
  CLI::App& app = commands.add_to(
      group, "exec", "runs PROGRAM [ARGUMENTS], a CUDA program built with 'nvcc -cudart shared', without a GPU",
      [args](const Common& common) { return exec(common, *args); }, Commands::Workspace::none);
  args->app = &app;
  app.prefix_command();
  app.add_option("--checks", args->checks, "memory, races, init, sync; default: all")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seed", args->seed, "seed of what a program must not depend on, such as the order of blocks")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace ww::cli
