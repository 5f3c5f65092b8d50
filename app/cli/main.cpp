// SPDX-License-Identifier: Apache-2.0
// warpwright-cli: everything the engine can do, without a window.
#include <CLI/CLI.hpp>
#include <exception>
#include "command.h"
#include "console.h"
#include "output.h"

using namespace ww::cli;

namespace {

void add_judging(CLI::App& app, Judging& j) {
  app.add_option("--device", j.device, "where kernels run: simt (this machine's CPU), cuda:0 …")->capture_default_str();
  app.add_option("--arch", j.architecture, "architecture to compile for")->capture_default_str();
  app.add_option("--seeds", j.seeds, "input sets per case")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--set", j.set, "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)")->take_all();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Warpwright: explore, prove and compare GPU kernels. Without a GPU they run on Warpwright's own SIMT machine.", "warpwright-cli");
  app.set_version_flag("--version", std::string("warpwright-cli ") + WW_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 accepted or done, 1 rejected or failed, 2 wrong usage, 3 something in the environment is missing.\n"
             "Workspace: --workspace, else $WARPWRIGHT_WORKSPACE, else $XDG_DATA_HOME/warpwright/default.");
  Common common;
  std::string subject, what = "runs", run, first, second;
  std::filesystem::path file;
  bool with_ptx = false;
  ExploreArgs explore_args;
  CheckArgs check_args;

  const auto command = [&](const char* name, const char* help, bool workspace) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
    if (workspace) sub->add_option("--workspace", common.workspace, "folder of the workspace");
    return sub;
  };
  command("doctor", "what is there, what is missing, and what each part makes possible", true);

  CLI::App* spec_app = command("spec", "shows how a sentence or an op file is understood", false);
  spec_app->add_option("SUBJECT", subject, "a sentence, FILE.op, or the name of an op in the library")->required();

  CLI::App* explore_app = command("explore", "proposes candidates, proves, ranks and stores them", true);
  explore_app->add_option("SUBJECT", explore_args.subject, "a sentence, FILE.op, FILE.cu (a first candidate), or the name of an op");
  add_judging(*explore_app, explore_args.judging);
  explore_app->add_option("--generator", explore_args.generator, "who proposes: search, manual, or another plugin")->capture_default_str();
  CLI::Option* budget = explore_app->add_option("--budget", explore_args.budget, "candidates to judge; 0: no limit")->capture_default_str()->check(CLI::Range(0, 1000000));
  CLI::Option* minutes = explore_app->add_option("--minutes", explore_args.minutes, "time limit; 0: none")->capture_default_str()->check(CLI::Range(0.0, 1e6));
  explore_app->add_option("--workers", explore_args.workers, "worker processes; 0: one per two hardware threads")->capture_default_str()->check(CLI::Range(0, 256));
  explore_app->add_option("--report", explore_args.report, "writes an HTML report when done");
  explore_app->add_option("--resume", explore_args.resume, "goes on with a run: its number, or last");

  CLI::App* check_app = command("check", "judges one candidate", false);
  check_app->add_option("CANDIDATE", check_args.candidate, "FILE.cu or FILE.ptx")->required();
  check_app->add_option("--op", check_args.op, "FILE.op or the name of an op; default: the one the candidate names");
  add_judging(*check_app, check_args.judging);

  CLI::App* list_app = command("list", "runs, or the candidates of a run", true);
  list_app->add_option("WHAT", what, "runs or candidates")->capture_default_str()->check(CLI::IsMember({"runs", "candidates"}));
  list_app->add_option("--run", run, "whose candidates: a run's number, or last (default)");

  CLI::App* show_app = command("show", "one candidate with its verdict", true);
  show_app->add_option("CANDIDATE", first, "its number or the beginning of its hash")->required();
  show_app->add_flag("--ptx", with_ptx, "its PTX, too");

  CLI::App* diff_app = command("diff", "what changed between two candidates", true);
  diff_app->add_option("BEFORE", first, "number or beginning of the hash")->required();
  diff_app->add_option("AFTER", second, "number or beginning of the hash")->required();

  CLI::App* report_app = command("report", "a run as one HTML file", true);
  report_app->add_option("RUN", run, "its number, or last")->required();
  report_app->add_option("-o,--output", file, "file to write")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? Exit::done : Exit::usage;
  }
  common.command = app.get_subcommands().front()->get_name();
  explore_args.budget_given = budget->count() > 0;
  explore_args.minutes_given = minutes->count() > 0;
  try {
    if (common.command == "doctor") return doctor(common);
    if (common.command == "spec") return spec(common, subject);
    if (common.command == "explore") return explore(common, explore_args);
    if (common.command == "check") return check(common, check_args);
    if (common.command == "list") return list(common, what, run);
    if (common.command == "show") return show(common, first, with_ptx);
    if (common.command == "diff") return diff(common, first, second);
    return report(common, run, file);
  } catch (const std::exception& e) {  // memory, mostly
    return failed(common, {ww::Code::internal, "the command could not be completed", e.what()});
  }
}
