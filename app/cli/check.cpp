// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "base/lines.h"
#include "commands.h"
#include "console.h"
#include "appraisal/rank.h"
#include "base/ascii.h"
#include "candidate/bare_kernel.h"
#include "candidate/claim.h"
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "evidence/wrong_map.h"
#include "generator/gate_request.h"
#include "explore/spec_fault.h"
#include "measure/subject.h"
#include "output.h"
#include "ptx/notable.h"
#include "rpc/second_judge.h"
#include "rpc/worker_report.h"
#include "rpc/worker_profile.h"
#include "subject.h"
#include "store/words.h"

namespace ww::cli {

namespace {

struct Look {
  Colour colour;
  Exit exit;
};
Look look_of(evidence::Ruling ruling) {
  switch (ruling) {
    case evidence::Ruling::accepted: return {Colour::green, Exit::done};
    case evidence::Ruling::rejected: return {Colour::red, Exit::negative};
    case evidence::Ruling::not_judged: break;
  }
  return {Colour::yellow, Exit::not_judged};
}

std::vector<ptx::Note> notes_of(const std::string& ptx) {
  std::vector<ptx::Note> notes = ptx::notable_in(ptx);
  std::erase_if(notes, [](const ptx::Note& n) { return n.kind == ptx::Notable::narrow_index; });  // of most kernels
  return notes;
}

std::string statement_of(const std::string& candidate, int line) {
  const std::vector<std::string_view> lines = split_lines(candidate);
  const auto at = static_cast<std::size_t>(line) - 1;
  return std::string(at < lines.size() ? trimmed(lines[at]) : "");
}

std::string written_text(const evidence::WrongMap& wrong, const std::string& candidate) {
  std::string text = evidence::writer_text(wrong);
  if (text.empty()) return {};
  if (const int line = wrong.writer->line; line > 0) text += ": " + statement_of(candidate, line);
  return safe_lines(text, "  ") + '\n';
}

std::string notes_text(const std::vector<ptx::Note>& notes, const evidence::Verdict& verdict,
                       const std::string& candidate) {
  std::string out;
  const auto add = [&](const std::string& text) {
    out += (out.empty() ? "\nTo be reviewed\n  " : "  ") + safe(text) + '\n';
  };
  for (const ptx::Note& n : notes) add(ptx::note_text(n));
  if (verdict.proof.branches)
    for (const int line : verdict.proof.branches->untried)
      add(fmt::format("a condition on the sizes in line {} came out the same in every case: {}", line,
                      statement_of(candidate, line)));
  if (!verdict.proof.reach) return out;
  for (const ptx::Missed& m : verdict.proof.reach->missed)
    add(evidence::missed_text(m) + ": " + statement_of(candidate, m.line));
  return out;
}

std::string not_claimed_text(const std::vector<candidate::Claim>& claims) {
  std::string out;
  for (const candidate::Claim& c : claims)
    if (c.kind == candidate::ClaimKind::hole)
      out += (out.empty() ? "\nNot claimed\n  " : "  ") + safe(c.not_claimed) + '\n';
  return out;
}

}  // namespace

Result<Check> prepare_check(const CommandSubject& subject, const CheckArgs& args) {
  const generator::RunOptions& asked = args.run.options;
  Check c;
  c.request.binding = WW_TRY(binding_of(*subject.spec, args.run.set));
  c.request.spec = subject.text;
  c.request.language = subject.candidate->language;
  c.request.device = asked.device;
  c.request.architecture = WW_TRY(architecture_for(asked.architecture, asked.device));
  c.request.secret = args.secret;
  c.request.seeds = asked.seeds;
  c.request.launch_budget = asked.launch_budget;
  c.request.precision = generator::precision_of(asked);
  c.request.deadline = generator::deadline_of(asked.candidate_seconds);
  Result<candidate::Candidate> read =
      candidate::parse(subject.candidate->text, c.request.language, args.candidate.string());
  if (!read && c.request.language == candidate::Language::cuda)
    if (const std::string advice = candidate::plan_advice(subject.candidate->text, *subject.spec); !advice.empty())
      return fail({read.error().code, read.error().message, read.error().cause + '\n' + advice, read.error().place,
                   read.error().hint});
  candidate::Candidate parsed = WW_TRY(std::move(read));
  c.claims = candidate::claims_of(parsed);
  // A candidate that leaves a choice is judged with its first one.
  c.tuning = measure::apply_first_choices(parsed);
  c.request.candidate = parsed.text;
  c.show_wrong = args.show_wrong;
  c.repro = args.repro;
  c.worker.profile = rpc::worker_profile(asked.device);
  c.worker.require_sandbox = asked.worker.require_sandbox;
  c.worker.memory_limit = asked.worker.memory_limit;
  return c;
}

Result<Answer> judged(const CommandSubject& subject, const Check& check, const Watch& watch) {
  rpc::Supervisor supervisor(check.worker);
  const rpc::ProgressHandler progress = [&](const rpc::Progress& p) {
    watch.progress(p.fraction, fmt::format("{}: {}", p.stage, p.message));
  };
  const evidence::Verdict verdict =
      WW_TRY(rpc::SecondJudge(check.worker).judge_beside(supervisor, check.request, watch.stop, progress));
  const Result<rpc::WorkerReport> worker = supervisor.describe();
  const std::vector<Protection> sandbox = worker ? worker->protections : std::vector<Protection>();
  warn_missing_protections(sandbox);
  std::optional<appraisal::Score> score;
  if (const Result<appraisal::RankRules> rules = appraisal::RankRules::load())
    if (Result<appraisal::Score> s = appraisal::score_of(*rules, verdict, check.request.architecture))
      score = std::move(*s);
  const evidence::Remedy remedy = evidence::remedy_of(verdict);
  std::string out = coloured(look_of(verdict.ruling()).colour, safe_lines(verdict.summary(), "  ")) + '\n';
  if (!check.tuning.empty()) out += "Tuned with the first values: " + check.tuning + '\n';
  const std::vector<ptx::Note> notes = notes_of(verdict.ptx);
  out += verdict_text(verdict) + notes_text(notes, verdict, check.request.candidate) + not_claimed_text(check.claims);
  if (score)
    out += fmt::format("\n{}: {} ({})\n", store::number_word(score->provenance), score_text(*score),
                       score->provenance == Provenance::simulated ? score->unit : enum_string(score->provenance));
  Result<evidence::WrongMap> wrong = fail(Code::not_found, evidence::no_map_text(verdict));
  if (check.show_wrong && evidence::failure_to_map(verdict))
    wrong = supervisor.show_wrong(rpc::repeated(check.request, verdict), watch.stop);
  if (check.show_wrong)
    out += wrong
               ? "\nWrong elements\n" + evidence::wrong_map_text(*wrong) + written_text(*wrong, check.request.candidate)
               : "\nWrong elements: " + wrong.error().text() + '\n';
  Kept repro;
  if (!check.repro.empty()) repro = WW_TRY(keep_repro(supervisor, check, verdict, watch));
  out += repro.text;
  if (!verdict.proof.secret.empty()) out += "Secret: " + verdict.proof.secret + '\n';
  return Answer{{{"op", subject.spec->name},
                 {"sandbox", json::of(sandbox)},
                 {"tuning", check.tuning},
                 {"score", json::of(score)},
                 {"remedy", remedy.sentence},
                 {"option", remedy.flag},
                 {"notes", json::of(notes)},
                 {"claims", json::of(check.claims)},
                 {"wrong", wrong ? json::of(*wrong) : Json()},
                 {"repro", repro.json},
                 {"verdict", verdict_json(verdict, false)}},
                std::move(out),
                look_of(verdict.ruling()).exit};
}

namespace {

// A failure that `check --repro` wrote; the file is complete.
Result<int> check_again(const Common& common, const CheckArgs& args) {
  if (!args.op.empty() || !args.secret.empty() || args.show_wrong || !args.repro.empty() || !args.run.set.empty() ||
      !args.run.given.empty())
    return fail(Code::invalid_argument,
                "'" + args.candidate.string() + "' already states what to run; it takes no options");
  LiveLine live;
  Result<Answer> answer = reproduced(args.candidate, shown_live(live));
  live.clear();
  if (!answer && answer.error().code == Code::invalid_argument) return failed(common, answer.error(), Exit::usage);
  if (!answer) return failed(common, answer.error(), Exit::environment);
  return print_answer(common, std::move(*answer));
}

Result<int> check(const Common& common, const CheckArgs& args) {
  if (args.candidate.extension() == ".json") return check_again(common, args);
  const op::Library library = WW_TRY(op_library());
  const CommandSubject subject = WW_TRY(resolve_candidate(library, args.candidate, args.op));
  const Result<Check> prepared = prepare_check(subject, args);
  if (!prepared)  // a file that is no candidate is a rejected one
    return failed(common, prepared.error(), prepared.error().code == Code::parse ? Exit::negative : Exit::usage);
  LiveLine live;
  Result<Answer> answer = judged(subject, *prepared, shown_live(live));
  live.clear();
  if (!answer && explore::of_spec(answer.error().code)) return failed(common, answer.error(), Exit::usage);
  if (!answer) return failed(common, answer.error(), Exit::environment);
  return print_answer(common, std::move(*answer));
}

}  // namespace

void add_check(Commands& commands) {
  const auto args = std::make_shared<CheckArgs>();
  CLI::App& app = commands.add(
      "check", "judges one candidate", [args](const Common& common) { return check(common, *args); },
      Commands::Workspace::none);
  app.add_option("CANDIDATE", args->candidate, "FILE.cu or FILE.ptx; or FILE.json, written by --repro")->required();
  app.add_option("--op", args->op, "FILE.op or the name of an op, in place of the one the candidate names");
  add_secret(app, args->secret,
             "repeat the judgement whose verdict has this secret: the same inputs, addresses and orders");
  app.add_flag("--show-wrong", args->show_wrong, "if an output is wrong, judges again and draws its wrong elements");
  add_output(app, "--repro", args->repro, "if it fails, writes a small failing case; 'check FILE.json' repeats it");
  add_run_flags(app, args->run, judging_flags);
  add_settings(app, args->run.set, a_setting);
}

}  // namespace ww::cli
