// SPDX-License-Identifier: Apache-2.0
// `gate --self-test`: the gate tried on the kernels of resources/corpus.
#include <algorithm>
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "corpus/self_test.h"
#include "gate_explain.h"
#include "interrupt.h"

namespace ww::cli {
namespace {

struct GateArgs {
  bool self_test = false;
  std::optional<std::string> explain;  // what; empty: the whole
  std::vector<std::string> kinds;
  int limit = 0;
  std::string secret;
  RunArgs run;
};

std::string tested_text(const std::vector<corpus::TestedKernel>& kernels) {
  std::vector<std::vector<std::string>> rows;
  corpus::KindCount wrong, honest;
  for (const corpus::KindCount& c : corpus::counts_of(kernels)) {
    const bool is_wrong = c.expected != corpus::Expected::accepted;
    rows.push_back({c.kind, is_wrong ? "wrong" : "honest", std::to_string(c.tried),
                    is_wrong ? std::to_string(c.otherwise) : "", is_wrong ? "" : std::to_string(c.otherwise),
                    std::to_string(c.not_judged)});
    corpus::KindCount& all = is_wrong ? wrong : honest;
    all.tried += c.tried;
    all.otherwise += c.otherwise;
  }
  std::string out = table({"Kind", "Kernels", "#Tried", "#Proved", "#Not proved", "#Not judged"}, rows) + '\n';
  for (const corpus::TestedKernel& k : kernels) {
    if (k.as_expected()) continue;
    const bool is_wrong = k.expected != corpus::Expected::accepted;
    out += coloured(Colour::red, is_wrong ? "Wrong, proved: " : "Honest, not proved: ");
    out += fmt::format("{} ({}), secret {}{}{}\n", safe(k.name), safe(k.kind), safe(k.secret),
                       is_wrong ? "" : ": " + safe(k.seen), k.known.empty() ? "" : "; known: " + safe(k.known));
  }
  return out + fmt::format("{} of {} wrong kernels were proved, {} of {} honest ones were not.\n", wrong.otherwise,
                           wrong.tried, honest.otherwise, honest.tried);
}

Result<int> self_test(const Common& common, const GateArgs& args) {
  const generator::RunOptions& asked = args.run.options;
  corpus::SelfTestOptions options;
  options.kinds = args.kinds;
  options.limit = args.limit;
  options.secret = args.secret;
  options.device = asked.device;
  options.architecture = WW_TRY(architecture_for(asked.architecture, asked.device));
  options.candidate_seconds = asked.candidate_seconds;
  options.workers = asked.workers;
  options.worker.memory_limit = asked.worker.memory_limit;
  options.worker.require_sandbox = asked.worker.require_sandbox;
  LiveLine live;
  Interrupt interrupt("stopping");
  const Result<std::vector<corpus::TestedKernel>> tested = corpus::self_test(
      options, interrupt.token(), [&](const corpus::TestedKernel& k, std::size_t done, std::size_t all) {
        live.show(fmt::format("{} of {}: {}", done, all, k.name));
      });
  live.clear();
  if (!tested)
    return failed(common, tested.error(),
                  tested.error().code == Code::invalid_argument ? Exit::usage : Exit::environment);
  const bool right = std::ranges::all_of(*tested, &corpus::TestedKernel::as_expected);
  return print_answer(common, {{{"kinds", json::of(corpus::counts_of(*tested))}, {"kernels", json::of(*tested)}},
                               tested_text(*tested),
                               right ? Exit::done : Exit::negative,
                               json::of(*tested)});
}

Result<int> gate(const Common& common, const GateArgs& args) {
  if (args.self_test == args.explain.has_value())
    return fail(Code::invalid_argument, "'gate' needs one of --self-test and --explain");
  if (args.self_test) return self_test(common, args);
  return print_answer(common, WW_TRY(explained(*args.explain, args.run.options.device, args.run.set)));
}

}  // namespace

void add_gate(Commands& commands) {
  const auto args = std::make_shared<GateArgs>();
  CLI::App& app = commands.add(
      "gate", "tests the gate on known kernels, or explains what it checks",
      [args](const Common& common) { return gate(common, *args); }, Commands::Workspace::none);
  app.add_flag(
      "--self-test", args->self_test,
      "judges the wrong and honest kernels of its corpora: exit 1 if a wrong one is proved or an honest one is not");
  app.add_option_function<std::string>(
         "--explain", [args](const std::string& what) { args->explain = what; },
         "what is checked, in order, and how each known kind of cheat is countered; WHAT limits it to a STAGE, a KIND, "
         "an op, FILE.op or FILE.cu")
      ->expected(0, 1)
      ->type_name("WHAT");
  app.add_option("--kind", args->kinds, "for --self-test: only kernels of this kind, e.g. values (may be repeated)")
      ->allow_extra_args(false);
  app.add_option("--limit", args->limit, "for --self-test: at most this many kernels of each kind; 0: all")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  add_secret(app, args->secret, "for --self-test: 16 hexadecimal digits for all kernels; default: drawn for each");
  commands.add_format(app);
  add_run_flags(app, args->run,
                {"--device", "--arch", "--require-sandbox", "--candidate-seconds", "--memory-limit", "--workers"});
  add_settings(app, args->run.set, a_setting);
}

}  // namespace ww::cli
