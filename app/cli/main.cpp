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
  app.add_option("--arch", j.architecture, "architecture to compile for; default: the device's own, sm_80 for simt");
  app.add_option("--seeds", j.seeds, "input sets per case")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--set", j.set, "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)")->take_all();
}

void add_measuring(CLI::App& app, MeasureArgs& m, bool with_op, bool plain_set) {
  if (with_op) app.add_option("--op", m.op, "FILE.op or the name of an op; default: the one the candidate names");
  app.add_option("--device", m.device, "the GPU: cuda:0, cuda:1 …")->capture_default_str();
  app.add_option("--arch", m.architecture, "architecture to compile for; default: the device's own");
  if (plain_set) app.add_option("--set", m.set, "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)")->take_all();
  app.add_option("--rounds", m.rounds, "rounds; within each all subjects take turns")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--samples", m.samples, "samples of each subject and cache regime in a round")->capture_default_str()->check(CLI::Range(1, 1000));
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

  MeasureArgs measure_args;
  std::string named_op;
  bool no_torch = false;
  const char* const a_candidate = "FILE.cu, FILE.ptx, or a candidate of the workspace: its number or the beginning of its hash";
  CLI::App* time_app = command("time", "times a candidate on a GPU", true);
  time_app->add_option("CANDIDATE", first, a_candidate)->required();
  add_measuring(*time_app, measure_args, true, true);

  CLI::App* profile_app = command("profile", "reads the hardware counters of a candidate on a GPU", true);
  profile_app->add_option("CANDIDATE", first, a_candidate)->required();
  add_measuring(*profile_app, measure_args, true, false);
  std::vector<std::string> profile_set;
  profile_app->add_option("--set", profile_set, "which counters: small (default) or full; and values of shape symbols or constants, e.g. --set R=512 (may be repeated)")->take_all();

  CLI::App* baseline_app = command("baseline", "times well-known implementations of an op, and a candidate beside them", true);
  baseline_app->add_option("OP", named_op, "FILE.op, a sentence, or the name of an op")->required();
  baseline_app->add_option("CANDIDATE", first, a_candidate);
  add_measuring(*baseline_app, measure_args, false, true);
  baseline_app->add_flag("--no-torch", no_torch, "leaves PyTorch out");

  CLI::App* compare_app = command("compare", "which of two candidates is faster", true);
  compare_app->add_option("FIRST", first, a_candidate)->required();
  compare_app->add_option("SECOND", second, a_candidate)->required();
  add_measuring(*compare_app, measure_args, true, true);

  CLI::App* bundle_app = app.add_subcommand("bundle", "a workspace, or one run of it, as one file that opens anywhere");
  bundle_app->require_subcommand(1);
  const auto bundle_command = [&](const char* name, const char* help) {
    CLI::App* sub = bundle_app->add_subcommand(name, help);
    sub->add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
    sub->add_option("--workspace", common.workspace, "folder of the workspace");
    return sub;
  };
  CLI::App* export_app = bundle_command("export", "writes a bundle");
  export_app->add_option("FILE", file, "file to write; default: the workspace's name with .wwb");
  export_app->add_option("--run", run, "only this run: its number, or last");
  bundle_command("import", "adds a bundle's runs to a workspace, which is made when there is none")->add_option("FILE", file, "the bundle")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? Exit::done : Exit::usage;
  }
  common.command = app.get_subcommands().front()->get_name();
  if (common.command == "bundle") common.command += " " + bundle_app->get_subcommands().front()->get_name();
  std::string counters = "small";
  for (const std::string& s : profile_set) {  // a setting has "=", the name of a counter set has none
    if (s.find('=') == std::string::npos) counters = s;
    else measure_args.set.push_back(s);
  }
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
    if (common.command == "time") return ww::cli::time(common, first, measure_args);
    if (common.command == "profile") return profile(common, first, measure_args, counters);
    if (common.command == "baseline") return baseline(common, named_op, first, measure_args, !no_torch);
    if (common.command == "compare") return compare(common, first, second, measure_args);
    if (common.command == "bundle export") return bundle_export(common, file, run);
    if (common.command == "bundle import") return bundle_import(common, file);
    return report(common, run, file);
  } catch (const std::exception& e) {  // memory, mostly
    return failed(common, {ww::Code::internal, "the command could not be completed", e.what()});
  }
}
