// SPDX-License-Identifier: Apache-2.0
// warpwright-cli: everything the engine can do, without a window.
#include <CLI/CLI.hpp>
#include <exception>
#include "command.h"
#include "console.h"
#include "llm/catalogue.h"
#include "output.h"

using namespace ww::cli;

namespace {

void add_judging(CLI::App& app, Judging& j) {
  app.add_option("--device", j.device, "where kernels run: simt (this machine's CPU), cuda:0 …")->capture_default_str();
  app.add_option("--arch", j.architecture, "architecture to compile for; default: the device's own, sm_80 for simt");
  app.add_option("--seeds", j.seeds, "input sets per case")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--set", j.set, "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)")
      ->take_all()
      ->allow_extra_args(false);
}

void add_measuring(CLI::App& app, MeasureArgs& m, bool with_op, bool plain_set) {
  if (with_op) app.add_option("--op", m.op, "FILE.op or the name of an op; default: the one the candidate names");
  app.add_option("--device", m.device, "the GPU: cuda:0, cuda:1 …")->capture_default_str();
  app.add_option("--arch", m.architecture, "architecture to compile for; default: the device's own");
  if (plain_set)
    app.add_option("--set", m.set, "value of a shape symbol or constant, e.g. --set R=512 (may be repeated)")
        ->take_all()
        ->allow_extra_args(false);
  app.add_option("--rounds", m.rounds, "rounds; within each all subjects take turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--samples", m.samples, "samples of each subject and cache regime in a round")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
}

void add_model(CLI::App& app, ModelArgs& m) {
  app.add_option(
      "--model", m.model,
      "who is asked: PRESET:MODEL, e.g. anthropic:claude-sonnet-5-5, ollama:qwen3-coder:30b ('models' lists them)");
  app.add_option("--temperature", m.temperature, "of the model's choice of words; default: the service's own")
      ->check(CLI::Range(0.0, 2.0));
  app.add_option("--effort", m.effort, "of its reasoning; default: the service's own")
      ->check(CLI::IsMember({"none", "low", "medium", "high"}));
  app.add_option("--seed", m.seed, "of the attempts, where the service takes one")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--tokens", m.tokens, "hard limit of tokens, prompts and answers; 0: none")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--money", m.money, "hard limit in US dollars, for models of known price; 0: none")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--prompt-tokens", m.prompt_tokens, "a prompt's size at most")
      ->capture_default_str()
      ->check(CLI::Range(1000, 1000000));
  app.add_option("--output-tokens", m.output_tokens, "an answer's size at most, reasoning included")
      ->capture_default_str()
      ->check(CLI::Range(256, 1000000));
}

void add_limits(CLI::App& app, ModelArgs& m, bool with_allow) {
  app.add_flag("--no-sources", m.no_sources, "no code leaves this machine: the op alone");
  app.add_flag("--no-device-name", m.no_device_name, "the architecture alone is told, not the device's name");
  if (with_allow)
    app.add_option("--allow-host", m.allow_hosts, "allows this host to be asked, now and later (may be repeated)")
        ->take_all()
        ->allow_extra_args(false);
}

void add_exploring(CLI::App& app, ExploreArgs& e) {
  add_judging(app, e.judging);
  app.add_option("--generator", e.generator,
                 "who proposes: search, model, manual, or another plugin; --model alone means model")
      ->capture_default_str()
      ->each([&e](const std::string&) { e.generator_given = true; });
  app.add_option("--budget", e.budget, "candidates to judge; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000))
      ->each([&e](const std::string&) { e.budget_given = true; });
  app.add_option("--minutes", e.minutes, "time limit; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->each([&e](const std::string&) { e.minutes_given = true; });
  app.add_option("--workers", e.workers, "worker processes; 0: one per two hardware threads")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  add_model(app, e.model);
  app.get_option("--tokens")->each([&e](const std::string&) { e.tokens_given = true; });
  app.get_option("--money")->each([&e](const std::string&) { e.money_given = true; });
  app.add_option("--analyst", e.analyst,
                 "the model that reads the measurements: PRESET:MODEL, or none; default: as --model");
  CLI::Option* strategy = app.add_option(
      "--strategy", e.strategies, "how models are led: refine, sample, beam, evolve, keep, mixed; help describes them");
  strategy->expected(1)->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--race", [&e](const std::vector<std::string>& names) { e.strategies = names; },
         "several strategies, each with an equal share of the budget: beam,evolve")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(strategy);
  app.add_option("--mode", e.mode, "what models write")
      ->capture_default_str()
      ->check(CLI::IsMember({"cuda", "cuda+ptx", "ptx"}));
  app.add_option("--parallel", e.parallel, "requests to models at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--width", e.width, "lineages of beam, islands of evolve, samples of a round")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--children", e.children, "of each lineage of beam")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--patience", e.patience, "attempts without a gain before a lineage is left")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--fixes", e.fixes, "attempts to make a rejected candidate right")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  add_limits(app, e.model, true);
}

}  // namespace

int main(int argc, char** argv) {
  ww::llm::take_keys();  // before anything can read the environment, or start a process
  CLI::App app(
      "Warpwright: explore, prove and compare GPU kernels. Without a GPU they run on Warpwright's own SIMT machine.",
      "warpwright-cli");
  app.set_version_flag("--version", std::string("warpwright-cli ") + WW_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 accepted or done, 1 rejected or failed, 2 wrong usage, 3 something in the environment is "
      "missing.\n"
      "Workspace: --workspace, else $WARPWRIGHT_WORKSPACE, else $XDG_DATA_HOME/warpwright/default.");
  Common common;
  std::string subject, what = "runs", run, first, second;
  std::filesystem::path file;
  bool with_ptx = false, with_sass = false;
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
  explore_app->add_option("SUBJECT", explore_args.subject,
                          "a sentence, FILE.op, FILE.cu (a first candidate), or the name of an op");
  add_exploring(*explore_app, explore_args);
  explore_app->add_option("--report", explore_args.report, "writes an HTML report when done");
  explore_app->add_option("--resume", explore_args.resume, "goes on with a run: its number, or last");

  CampaignArgs campaign_args;
  CLI::App* campaign_app = command(
      "campaign", "explores several ops with one budget, always the one that promises most for the whole", true);
  campaign_app->add_option("OP=SHARE", campaign_args.shares,
                           "an op (name or FILE.op) and its share of the whole's time: softmax=0.6 layernorm=0.4");
  add_exploring(*campaign_app, campaign_args.explore);
  campaign_app->add_option("--slice", campaign_args.slice, "candidates of one op before the next choice")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  campaign_app->add_option("--resume", campaign_args.explore.resume, "goes on with a campaign: its number, or last");

  ModelArgs model_args;
  CLI::App* formulate_app =
      command("formulate", "a model writes the op spec of a sentence, a PyTorch module or a naive kernel", true);
  formulate_app->add_option("WHAT", subject, "a sentence, FILE.py or FILE.cu")->required();
  formulate_app->add_option("-o,--output", file, "FILE.op to write");
  CLI::App* review_app =
      command("review", "a model's notes on an accepted candidate, for the person who reviews it", true);
  review_app->add_option("CANDIDATE", first, "its number or the beginning of its hash")->required();
  for (CLI::App* sub : {formulate_app, review_app}) {
    add_model(*sub, model_args);
    add_limits(*sub, model_args, true);
  }

  CLI::App* models_app = app.add_subcommand(
      "models",
      "which services and models there are, what they cost, whose keys are known, what may leave this machine");
  models_app->add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
  models_app->require_subcommand(0, 1);
  const auto models_command = [&](const char* name, const char* help, const char* what, const char* about) {
    CLI::App* sub = models_app->add_subcommand(name, help);
    sub->add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
    sub->add_option(what, subject, about)->required();
    return sub;
  };
  models_command("check", "asks a service which models it has", "PRESET[:MODEL]",
                 "the service, and a model that it should have");
  add_limits(*models_command("allow", "allows a host to be asked", "HOST", "api.openai.com"), model_args, false);
  models_command("forget", "takes that back", "HOST", "api.openai.com");

  CLI::App* transcript_app = command("transcript", "what models were asked in a run, and what they answered", true);
  transcript_app->add_option("RUN", run, "its number, or last; 0: what formulate and review asked")->required();
  transcript_app->add_option("EXCHANGE", first, "one of them: the prompt exactly as sent, and the reply");
  CLI::App* trajectories_app = command(
      "trajectories", "a run's exchanges as JSONL, with verdict and speed as reward, ready for fine-tuning", true);
  trajectories_app->add_option("RUN", run, "its number, or last")->required();
  trajectories_app->add_option("-o,--output", file, "file to write")->required();
  command("replay",
          "repeats a run from its transcript, with no network, and says whether it reached the same candidates", true)
      ->add_option("RUN", run, "its number, or last")
      ->required();

  CLI::App* check_app = command("check", "judges one candidate", false);
  check_app->add_option("CANDIDATE", check_args.candidate, "FILE.cu or FILE.ptx")->required();
  check_app->add_option("--op", check_args.op, "FILE.op or the name of an op; default: the one the candidate names");
  add_judging(*check_app, check_args.judging);

  CLI::App* list_app = command("list", "runs, or the candidates of a run", true);
  list_app->add_option("WHAT", what, "runs or candidates")
      ->capture_default_str()
      ->check(CLI::IsMember({"runs", "candidates"}));
  list_app->add_option("--run", run, "whose candidates: a run's number, or last (default)");

  CLI::App* show_app = command("show", "one candidate with its verdict", true);
  show_app->add_option("CANDIDATE", first, "its number or the beginning of its hash")->required();
  show_app->add_flag("--ptx", with_ptx, "its PTX, too");
  show_app->add_flag("--sass", with_sass, "its machine code for the run's architecture, too (with NVIDIA's nvdisasm)");

  const char* const a_stored = "its number or the beginning of its hash";
  std::string reviewer, text;
  std::vector<std::string> answers;
  int line = 0;
  CLI::App* accept_app = command("accept",
                                 "a person accepts a candidate: answers the checklist and signs a receipt; without "
                                 "answers it shows what there is to look at",
                                 true);
  accept_app->add_option("CANDIDATE", first, a_stored)->required();
  accept_app->add_option("--reviewer", reviewer, "your name")->required();
  accept_app->add_option("--answer", answers, "ITEM=TEXT, once for each item of the checklist")
      ->take_all()
      ->allow_extra_args(false);
  accept_app->add_option("-o,--output", file, "file to write the receipt to, too");
  CLI::App* reject_app = command("reject", "a person rejects a candidate", true);
  reject_app->add_option("CANDIDATE", first, a_stored)->required();
  reject_app->add_option("--reason", text, "why")->required();
  reject_app->add_option("--reviewer", reviewer, "your name")->required();
  CLI::App* note_app = command("note", "a person's note on a candidate, or on a line of it", true);
  note_app->add_option("CANDIDATE", first, a_stored)->required();
  note_app->add_option("TEXT", text, "the note")->required();
  note_app->add_option("--line", line, "of its text; default: the whole")->check(CLI::Range(1, 1 << 20));
  CLI::App* changes_app =
      command("request-changes", "a person's wish for another candidate, kept for a next prompt", true);
  changes_app->add_option("CANDIDATE", first, a_stored)->required();
  changes_app->add_option("TEXT", text, "what should be changed")->required();
  std::int64_t review_row = 0;
  CLI::App* withdraw_app =
      command("withdraw", "takes back a note or a decision; what was written stays on record", true);
  withdraw_app->add_option("CANDIDATE", first, a_stored)->required();
  withdraw_app->add_option("--review", review_row, "its number, as 'show' says it; default: the latest that stands")
      ->check(CLI::PositiveNumber);
  for (CLI::App* sub : {note_app, changes_app, withdraw_app}) sub->add_option("--reviewer", reviewer, "your name");

  CLI::App* receipt_app = app.add_subcommand("receipt", "the signed receipts of accepted candidates");
  receipt_app->require_subcommand(1);
  const auto receipt_command = [&](const char* name, const char* help, const char* workspace) {
    CLI::App* sub = receipt_app->add_subcommand(name, help);
    sub->add_flag("--json", common.json, "one JSON object on stdout (docs/json.md)");
    sub->add_option("--workspace", common.workspace, workspace);
    return sub;
  };
  receipt_command("show", "a receipt for people", "folder of the workspace")
      ->add_option("FILE|CANDIDATE", first, "a receipt's file, or an accepted candidate")
      ->required();
  receipt_command("verify", "was it tampered with, who signed it, and what changed since",
                  "compares the receipt with this workspace")
      ->add_option("FILE", file, "the receipt")
      ->required();
  CLI::App* countersign_app = receipt_command("countersign", "a second reviewer signs it", "folder of the workspace");
  countersign_app->add_option("FILE", file, "the receipt")->required();
  countersign_app->add_option("--reviewer", reviewer, "your name")->required();
  std::filesystem::path to;
  countersign_app->add_option("-o,--output", to, "file to write; default: the same");

  CLI::App* diff_app = command("diff", "what changed between two candidates", true);
  diff_app->add_option("BEFORE", first, "number or beginning of the hash")->required();
  diff_app->add_option("AFTER", second, "number or beginning of the hash")->required();

  CLI::App* report_app = command("report", "a run as one HTML file", true);
  report_app->add_option("RUN", run, "its number, or last")->required();
  report_app->add_option("-o,--output", file, "file to write")->required();

  MeasureArgs measure_args;
  std::string named_op;
  bool no_torch = false;
  const char* const a_candidate =
      "FILE.cu, FILE.ptx, or a candidate of the workspace: its number or the beginning of its hash";
  CLI::App* time_app = command("time", "times a candidate on a GPU", true);
  time_app->add_option("CANDIDATE", first, a_candidate)->required();
  add_measuring(*time_app, measure_args, true, true);

  CLI::App* profile_app = command("profile", "reads the hardware counters of a candidate on a GPU", true);
  profile_app->add_option("CANDIDATE", first, a_candidate)->required();
  add_measuring(*profile_app, measure_args, true, false);
  std::vector<std::string> profile_set;
  profile_app
      ->add_option("--set", profile_set,
                   "which counters: small (default) or full; and values of shape symbols or constants, e.g. --set "
                   "R=512 (may be repeated)")
      ->take_all()
      ->allow_extra_args(false);

  CLI::App* baseline_app =
      command("baseline", "times well-known implementations of an op, and a candidate beside them", true);
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
  bundle_command("import", "adds a bundle's runs to a workspace, which is made when there is none")
      ->add_option("FILE", file, "the bundle")
      ->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? Exit::done : Exit::usage; }
  common.command = app.get_subcommands().front()->get_name();
  if (common.command == "bundle") common.command += " " + bundle_app->get_subcommands().front()->get_name();
  if (common.command == "receipt") common.command += " " + receipt_app->get_subcommands().front()->get_name();
  std::string counters = "small";
  for (const std::string& s : profile_set) {  // a setting has "=", the name of a counter set has none
    if (s.find('=') == std::string::npos)
      counters = s;
    else
      measure_args.set.push_back(s);
  }
  if (common.command == "models" && !models_app->get_subcommands().empty())
    common.command += " " + models_app->get_subcommands().front()->get_name();
  try {
    if (common.command == "doctor") return doctor(common);
    if (common.command == "spec") return spec(common, subject);
    if (common.command == "explore" && explore_args.strategies == std::vector<std::string>{"help"})
      return strategies(common);
    if (common.command == "campaign") return campaign(common, campaign_args);
    if (common.command == "formulate") return formulate(common, subject, model_args, file);
    if (common.command == "review") return review(common, first, model_args);
    if (common.command == "models") return models_list(common);
    if (common.command == "models check") return models_check(common, subject);
    if (common.command == "models allow") return models_allow(common, subject, model_args);
    if (common.command == "models forget") return models_forget(common, subject);
    if (common.command == "transcript") return transcript(common, run, first);
    if (common.command == "trajectories") return trajectories(common, run, file);
    if (common.command == "replay") return replay(common, run);
    if (common.command == "explore") return explore(common, explore_args);
    if (common.command == "check") return check(common, check_args);
    if (common.command == "list") return list(common, what, run);
    if (common.command == "show") return show(common, first, with_ptx, with_sass);
    if (common.command == "accept") return accept_candidate(common, first, reviewer, answers, file);
    if (common.command == "reject") return reject_candidate(common, first, text, reviewer);
    if (common.command == "note") return note_candidate(common, first, line, text, reviewer);
    if (common.command == "request-changes") return request_changes(common, first, text, reviewer);
    if (common.command == "withdraw") return withdraw_review(common, first, review_row, reviewer);
    if (common.command == "receipt show") return receipt_show(common, first);
    if (common.command == "receipt verify") return receipt_verify(common, file);
    if (common.command == "receipt countersign") return receipt_countersign(common, file, reviewer, to);
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
