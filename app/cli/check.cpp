// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "explore/rank.h"
#include "output.h"
#include "rpc/supervisor.h"
#include "subject.h"

namespace ww::cli {

int check(const Common& common, const CheckArgs& args) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  const Result<Subject> subject = resolve_candidate(*library, args.candidate, args.op);
  if (!subject) return failed(common, subject.error());
  const Result<op::Binding> binding = binding_of(*subject->spec, args.judging.set);
  if (!binding) return failed(common, binding.error());

  rpc::GateRequest request;
  request.spec = subject->text;
  request.candidate = subject->candidate->text;
  request.language = subject->candidate->language;
  request.device = args.judging.device;
  request.architecture = architecture_for(args.judging.architecture, args.judging.device);
  request.binding = *binding;
  request.seeds = args.judging.seeds;
  std::string tuning;
  if (Result<candidate::Candidate> parsed = candidate::parse(request.candidate, request.language)) {
    tuning = pin_first(*parsed);  // a candidate that leaves a choice is judged with its first one
    request.candidate = parsed->text;
  }
  rpc::WorkerOptions worker;
  worker.profile = worker_profile(request.device);
  rpc::Supervisor supervisor(worker);
  Result<gate::Verdict> verdict = fail(Code::internal, "");
  {
    LiveLine live;
    verdict = supervisor.gate(request, {}, [&](const rpc::Progress& p) {
      live.show(fmt::format("{:3.0f} %  {}: {}", 100 * p.fraction, p.stage, p.message));
    });
  }
  if (!verdict) return failed(common, verdict.error(), Exit::environment);
  std::optional<explore::Score> score;
  if (const Result<explore::RankRules> rules = explore::RankRules::load())
    if (Result<explore::Score> s = explore::score_of(*rules, *verdict, request.architecture)) score = std::move(*s);
  if (common.json) {
    Json j = {{"op", subject->spec->name},
              {"tuning", tuning},
              {"score", nullptr},
              {"verdict", verdict_json(*verdict, false)}};
    if (score) j["score"] = {{"value", score->value}, {"provenance", score->provenance}, {"unit", score->unit}};
    print_json(common, std::move(j));
  } else {
    std::string out = coloured(verdict->accepted ? Colour::green : Colour::red, safe(verdict->summary())) + '\n';
    if (!tuning.empty()) out += "Tuned with the first choice: " + tuning + '\n';
    out += verdict_text(*verdict);
    if (score)
      out += fmt::format("\nScore: {} ({})\n", score_text(*score),
                         score->provenance == "simulated" ? score->unit : score->provenance);
    print_text(out);
  }
  return verdict->accepted ? Exit::done : Exit::negative;
}

}  // namespace ww::cli
