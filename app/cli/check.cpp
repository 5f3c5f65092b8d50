// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "commands.h"
#include "console.h"
#include "appraisal/rank.h"
#include "evidence/explain.h"
#include "explore/judge.h"
#include "gate/secret.h"
#include "measure/subject.h"
#include "output.h"
#include "rpc/supervisor.h"
#include "rpc/worker_facts.h"
#include "rpc/worker_profile.h"
#include "subject.h"

namespace ww::cli {

namespace {

struct Shown {
  Colour colour;
  Exit exit;
};
Shown shown(evidence::Ruling ruling) {
  switch (ruling) {
    case evidence::Ruling::accepted: return {Colour::green, Exit::done};
    case evidence::Ruling::rejected: return {Colour::red, Exit::negative};
    case evidence::Ruling::not_judged: break;
  }
  return {Colour::yellow, Exit::not_judged};
}

Result<int> check(const Common& common, const CheckArgs& args) {
  const op::Library library = WW_TRY(op_library());
  const Subject subject = WW_TRY(resolve_candidate(library, args.candidate, args.op));
  const op::Binding binding = WW_TRY(binding_of(*subject.spec, args.run.set));

  rpc::GateRequest request;
  request.spec = subject.text;
  request.candidate = subject.candidate->text;
  request.language = subject.candidate->language;
  request.device = args.run.options.device;
  request.architecture = WW_TRY(architecture_for(args.run.options.architecture, request.device));
  request.binding = binding;
  if (!args.secret.empty() && !gate::Secret::read(args.secret))
    return failed(common, {Code::invalid_argument, "--secret takes the 16 hexadecimal digits of a verdict", {}},
                  Exit::usage);
  request.secret = args.secret;
  request.seeds = args.run.options.seeds;
  request.launch_budget = args.run.options.launch_budget;
  request.deadline = explore::deadline_of(args.run.options.candidate_seconds);
  Result<candidate::Candidate> parsed = candidate::parse(request.candidate, request.language, args.candidate.string());
  if (!parsed) return failed(common, parsed.error(), Exit::negative);
  // A candidate that leaves a choice is judged with its first one.
  const std::string tuning = measure::apply_first_choices(*parsed);
  request.candidate = parsed->text;
  rpc::WorkerOptions worker;
  worker.profile = rpc::worker_profile(request.device);
  worker.require_sandbox = args.run.options.worker.require_sandbox;
  worker.memory_limit = args.run.options.worker.memory_limit;
  rpc::Supervisor supervisor(worker);
  Result<evidence::Verdict> verdict = fail(Code::internal, "");
  {
    LiveLine live;
    verdict = supervisor.gate(request, {}, [&](const rpc::Progress& p) {
      live.show(fmt::format("{:3.0f} %  {}: {}", 100 * p.fraction, p.stage, p.message));
    });
  }
  if (!verdict) return failed(common, verdict.error(), Exit::environment);
  const std::vector<Protection> sandbox = rpc::worker_report(supervisor.describe().value_or("")).protections;
  say_missing(sandbox);
  std::optional<explore::Score> score;
  if (const Result<explore::RankRules> rules = explore::RankRules::load())
    if (Result<explore::Score> s = explore::score_of(*rules, *verdict, request.architecture)) score = std::move(*s);
  const evidence::Remedy remedy = evidence::remedy_of(*verdict);
  if (common.json) {
    print_json(common, {{"op", subject.spec->name},
                        {"sandbox", json::of(sandbox)},
                        {"tuning", tuning},
                        {"score", json::of(score)},
                        {"remedy", remedy.sentence},
                        {"option", remedy.flag},
                        {"verdict", verdict_json(*verdict, false)}});
  } else {
    std::string out = coloured(shown(verdict->ruling()).colour, safe_lines(verdict->summary(), "  ")) + '\n';
    if (!tuning.empty()) out += "Tuned with the first values: " + tuning + '\n';
    out += verdict_text(*verdict);
    if (score)
      out += fmt::format("\nScore: {} ({})\n", score_text(*score),
                         score->provenance == Provenance::simulated ? score->unit : enum_string(score->provenance));
    if (!verdict->proof.secret.empty()) out += "Secret: " + verdict->proof.secret + '\n';
    print_text(out);
  }
  return shown(verdict->ruling()).exit;
}

}  // namespace

void add_check(Commands& commands) {
  const auto args = std::make_shared<CheckArgs>();
  CLI::App& app = commands.add(
      "check", "judges one candidate", [args](const Common& common) { return check(common, *args); },
      Commands::Workspace::none);
  app.add_option("CANDIDATE", args->candidate, "FILE.cu or FILE.ptx")->required();
  app.add_option("--op", args->op, "FILE.op or the name of an op; default: the one the candidate names");
  app.add_option("--secret", args->secret,
                 "repeat the judgement whose verdict has this secret: the same inputs, addresses and orders");
  add_run_flags(app, args->run, judging_flags);
  add_settings(app, args->run.set, a_setting);
}

}  // namespace ww::cli
