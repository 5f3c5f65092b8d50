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

Status check_batch(const generator::ModelOptions& m) {
  for (const std::string& s : m.strategies)
    if (s != "sample" && s != "evolve")
      return fail(Code::invalid_argument,
                  "'--batch' is for the strategies sample and evolve, whose attempts of a round do not wait for each "
                  "other, and not for '" +
                      s + "'");
  return {};
}

Status ask_in_batches(llm::Model& model, llm::Batches& batches) {
  if (!model.endpoint.batches)
    return fail(Code::invalid_argument,
                "'" + model.endpoint.preset + "' is not known to take batches: leave out '--batch'");
  model.provider = llm::make_batching(model.provider, batches);
  return {};
}

void take_batch_price(llm::ModelFacts& facts) {
  if (llm::Price* p = facts.price ? &*facts.price : nullptr)
    for (double* price : {&p->prompt, &p->cached, &p->cache_written, &p->completion}) *price *= p->batch;
}

// For a replay, as it was when the run asked it.
Result<llm::Model> model_named(const std::string& selection, const generator::ModelOptions& m,
                               const Result<llm::Catalogue>& catalogue) {
  if (m.replay_of != 0)
    if (const llm::ModelTerms* terms = llm::find_terms(m.terms, selection)) return llm::model_of(*terms);
  WW_CHECK(catalogue);
  return m.replay_of != 0 ? llm::describe(*catalogue, selection) : llm::resolve(*catalogue, selection);
}

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

namespace {

// The part goes to the next in the list. False: there is none.
bool replace(std::optional<llm::Settings>& part, std::vector<llm::Settings>& list) {
  if (list.empty()) return false;
  part = std::move(list.front());
  list.erase(list.begin());
  return true;
}

}  // namespace

bool Cast::replace_fixer() {
  if (replace(fixer, fixer_fallbacks)) return true;
  fixer.reset();
  return false;
}

bool Cast::replace_analyst() { return replace(analyst, analyst_fallbacks); }

bool Cast::fall_back() {
  if (fallbacks.empty()) return false;
  const bool of_both = analyst && analyst->model.endpoint.preset == writer.model.endpoint.preset;
  writer = std::move(fallbacks.front());
  fallbacks.erase(fallbacks.begin());
  if (of_both) analyst->model = writer.model;
  return true;
}

Result<Models> Models::open(const generator::Host& host) {
  const generator::ModelOptions& m = host.options.model;
  Models models;
  models.mode = WW_TRY(llm::mode_from_name(m.mode));
  if (m.writer.empty()) return fail(Code::invalid_argument, "name the model that writes, as PRESET:MODEL");
  const Result<llm::Catalogue> catalogue = llm::Catalogue::load();
  models.prompts = WW_TRY(llm::PromptLibrary::load(host.workspace.folder()));
  std::shared_ptr<llm::Provider> replay;
  if (m.replay_of != 0) {
    replay = WW_TRY(llm::make_replay(host.workspace, m.replay_of));
    models.recorded = WW_TRY(Recorded::load(host.workspace, m.replay_of));
    models.transcript = WW_TRY(Transcript::load(host.workspace, m.replay_of));
  }
  if (m.batch) WW_TRY(check_batch(m));
  if (m.batch && !replay) models.batches = std::make_unique<llm::Batches>();
  const auto settings = [&](const std::string& selection, const char* role) -> Result<llm::Settings> {
    llm::Settings s;
    s.model = WW_TRY(model_named(selection, m, catalogue));
    if (replay) s.model.provider = replay;
    s.temperature = m.temperature;
    s.effort = m.effort;
    s.output_tokens = m.output_tokens;
    s.prompt_tokens = m.prompt_tokens;
    llm::apply_role(m.roles, role, s);
    if (m.batch && std::string_view(role) != "analyst") {
      if (models.batches) WW_TRY(ask_in_batches(s.model, *models.batches));
      take_batch_price(s.model.facts);
    }
    return s;
  };
  const auto fallbacks_of = [&](const char* role, std::vector<llm::Settings>& list) -> Status {
    if (const llm::RoleSettings* r = llm::role_of(m.roles, role))
      for (const std::string& name : r->fallbacks) list.push_back(WW_TRY(settings(name, role)));
    return {};
  };
  Cast& cast = models.cast;
  cast.writer = WW_TRY(settings(m.writer, "writer"));
  for (const std::string& name : m.fallbacks) cast.fallbacks.push_back(WW_TRY(settings(name, "writer")));
  if (!m.fixer.empty() || llm::role_of(m.roles, "fixer")) {
    cast.fixer = WW_TRY(settings(m.fixer.empty() ? m.writer : m.fixer, "fixer"));
    WW_TRY(fallbacks_of("fixer", cast.fixer_fallbacks));
  }
  if (m.analyst != "none") {
    cast.analyst = WW_TRY(settings(m.analyst.empty() ? m.writer : m.analyst, "analyst"));
    WW_TRY(fallbacks_of("analyst", cast.analyst_fallbacks));
  }
  WW_TRY(models.begin(host, host.options.budget));
  return models;
}

Status Models::begin(const generator::Host& host, const generator::Budget& of_process, bool ends) {
  budget = of_process;
  whole_client.reset();
  client = WW_TRY(llm::Client::make(host.workspace, host.run, {budget.tokens, budget.money}, host.options.model.limits,
                                    host.watch, host.options.pause));
  if (!ends || !transcript) return {};
  whole_client = std::move(client);
  client = make_ending_with(*transcript, *whole_client);
  return {};
}

void note_terms(generator::ModelOptions& options) {
  options.terms.clear();
  if (options.writer.empty()) return;
  const Result<llm::Catalogue> catalogue = llm::Catalogue::load();
  if (!catalogue) return;
  for (const std::string& name : options.models())
    if (const Result<llm::Model> model = llm::describe(*catalogue, name))
      options.terms.push_back(llm::terms_of(*model));
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
  add_imported(s.remembered, host.workspace, s.context.spec,
               s.context.details ? s.context.details->gpu : s.context.device, record.created);
  s.sheet["no_edits"] = "yes";  // without a candidate to start from
  s.sheet["remembered"] = remembered_text(host.workspace, s.remembered);
  return s;
}

}  // namespace ww::model_loop
