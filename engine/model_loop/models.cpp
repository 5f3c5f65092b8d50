// SPDX-License-Identifier: Apache-2.0
#include "model_loop/models.h"
#include "appraisal/moves.h"
#include "base/device_name.h"
#include "generator/run_options.h"
#include "llm/replay.h"
#include "model_loop/prompt_facts.h"
#include "op/parse.h"

namespace ww::model_loop {
namespace {

constexpr std::size_t moves_read = 20000;  // newest first, over all runs: later ones are left out below

Result<appraisal::RunContext> context_of(const generator::Host& host) {
  const generator::RunOptions& o = host.options;
  appraisal::RunContext context;
  context.spec = WW_TRY(op::parse_spec(o.spec));
  context.binding = o.binding;
  for (const auto& [symbol, value] : context.spec.defaults) context.binding.symbols.emplace(symbol, value);
  context.device = o.device;
  context.architecture = o.architecture;
  context.sentence = o.sentence;
  context.rules = WW_TRY(appraisal::RankRules::load());
  if (Result<profile::AdviceRules> advice = profile::AdviceRules::load())
    context.advice = std::move(*advice);
  else
    host.say(store::MessageLevel::warning, "the advice rules cannot be used: " + advice.error().text());
  if (is_gpu(o.device)) {
    rpc::WorkerOptions how = o.worker;
    how.profile = rpc::WorkerProfile::cuda;
    rpc::Supervisor worker(how);
    rpc::DeviceRequest request;
    request.name = o.device;
    context.details = WW_TRY(worker.device(request)).details;
  }
  return context;
}

}  // namespace

bool Cast::fall_back() {
  if (fallbacks.empty()) return false;
  const bool of_both = analyst && analyst->model.endpoint.preset == writer.model.endpoint.preset;
  writer = std::move(fallbacks.front());
  fallbacks.erase(fallbacks.begin());
  if (of_both) analyst = writer;
  return true;
}

Result<Models> Models::open(const generator::Host& host) {
  const generator::ModelOptions& m = host.options.model;
  const generator::Budget& budget = host.options.budget;
  Models models;
  models.mode = WW_TRY(llm::mode_from_name(m.mode));
  if (m.writer.empty()) return fail(Code::invalid_argument, "name the model that writes, as PRESET:MODEL");
  const llm::Catalogue catalogue = WW_TRY(llm::Catalogue::load());
  models.prompts = WW_TRY(llm::PromptLibrary::load(host.workspace.folder()));
  std::shared_ptr<llm::Provider> replay;
  if (m.replay_of != 0) {
    replay = WW_TRY(llm::make_replay(host.workspace, m.replay_of));
    models.recorded = WW_TRY(Recorded::load(host.workspace, m.replay_of));
  }
  const auto settings = [&](const std::string& selection) -> Result<llm::Settings> {
    llm::Settings s;
    s.model = WW_TRY(replay ? llm::describe(catalogue, selection) : llm::resolve(catalogue, selection));
    if (replay) s.model.provider = replay;
    s.temperature = m.temperature;
    s.effort = m.effort;
    s.output_tokens = m.output_tokens;
    s.prompt_tokens = m.prompt_tokens;
    return s;
  };
  Cast& cast = models.cast;
  cast.writer = WW_TRY(settings(m.writer));
  for (const std::string& name : m.fallbacks) cast.fallbacks.push_back(WW_TRY(settings(name)));
  if (!m.fixer.empty()) cast.fixer = WW_TRY(settings(m.fixer));
  if (m.analyst != "none")
    cast.analyst = WW_TRY(m.analyst.empty() || m.analyst == m.writer ? cast.writer : settings(m.analyst));
  models.client = WW_TRY(llm::Client::make(host.workspace, host.run, {budget.tokens, budget.money}, m.limits,
                                           host.watch, host.options.pause));
  return models;
}

Result<Survey> survey(const generator::Host& host) {
  Survey s;
  s.context = WW_TRY(context_of(host));
  s.sheet = context_sheet(s.context);
  // Of earlier runs (for a replay: earlier than the run it repeats), so that its prompts do not depend on concurrent
  // runs.
  const std::int64_t self = host.options.model.replay_of != 0 ? host.options.model.replay_of : host.run;
  const store::RunRecord record = WW_TRY(host.workspace.run(self));
  std::vector<store::MoveRecord> moves = WW_TRY(host.workspace.moves(
      appraisal::family_of(s.context.spec), s.context.details ? s.context.details->gpu : s.context.device, moves_read));
  std::erase_if(moves, [&](const store::MoveRecord& m) { return m.run >= self || m.created >= record.created; });
  s.sheet["moves"] = appraisal::moves_text(moves);
  s.remembered = WW_TRY(remembered_kernels(host.workspace, s.context.spec, host.options.device, self));
  s.sheet["remembered"] = remembered_text(host.workspace, s.remembered);
  return s;
}

}  // namespace ww::model_loop
