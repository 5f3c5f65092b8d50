// SPDX-License-Identifier: Apache-2.0
#include "model_loop/unanswered.h"
#include <algorithm>
#include <utility>
#include "llm/message_json.h"
#include "llm/turns.h"
#include "model_loop/prompt_facts.h"

namespace ww::model_loop {
namespace {

const llm::Settings* settings_for(const Cast& cast, const std::string& model) {
  std::vector<const llm::Settings*> all{&cast.writer};
  if (cast.fixer) all.push_back(&*cast.fixer);
  for (const auto* list : {&cast.fallbacks, &cast.fixer_fallbacks})
    for (const llm::Settings& s : *list) all.push_back(&s);
  const auto at = std::ranges::find_if(all, [&](const llm::Settings* s) { return llm::name_of(*s) == model; });
  return at == all.end() ? nullptr : *at;
}

bool is_same_attempt(const store::ExchangeRecord& a, const store::ExchangeRecord& b) {
  return a.role == b.role && a.origin.strategy == b.origin.strategy && a.origin.task == b.origin.task;
}

strategy::Task::Kind kind_of(store::Step step) {
  switch (step) {
    case store::Step::fix: return strategy::Task::Kind::fix;
    case store::Step::improve:
    case store::Step::revise: return strategy::Task::Kind::improve;
    case store::Step::combine: return strategy::Task::Kind::combine;
    default: return strategy::Task::Kind::fresh;
  }
}

}  // namespace

Result<std::vector<Unanswered>> unanswered(store::Workspace& workspace, std::int64_t run, const Cast& cast) {
  const std::vector<store::ExchangeRecord> all = WW_TRY(workspace.exchanges(run));
  std::vector<Unanswered> found;
  for (auto e = all.begin(); e != all.end(); ++e) {
    const llm::Settings* settings = settings_for(cast, e->model);
    if (!llm::waits_in_batch(*e) || e->role != store::AgentRole::writer || !settings) continue;
    if (std::any_of(e + 1, all.end(), [&](const auto& later) { return is_same_attempt(*e, later); })) continue;
    const store::ExchangeRecord whole = WW_TRY(workspace.exchange(e->id));
    found.push_back({*e, {e->id, WW_TRY(llm::request_from_json(whole.request))}, *settings});
  }
  std::ranges::stable_sort(found, {}, [](const Unanswered& u) { return u.exchange.origin.task; });
  return found;
}

Job job_of(Unanswered unanswered, Racer& racer, const std::vector<generator::Feedback>& history, const Survey& survey,
           std::size_t later) {
  const store::Origin& origin = unanswered.exchange.origin;
  Job job;
  job.racer = &racer;
  job.task.kind = kind_of(origin.step);
  if (!origin.subject.empty()) job.task.parents = {origin.subject};
  job.task.lineage = origin.lineage;
  job.task.number = origin.task;
  job.revision = origin.step == store::Step::revise;
  job.sheet = survey.sheet;
  for (const generator::Feedback& f : history)
    if (f.hash == origin.subject) job.sheet["parent"] = code_text(f.text);
  job.label = unanswered.exchange.label;
  job.origin = origin;
  if (const auto studied = racer.studied.find(origin.subject);
      origin.step == store::Step::improve && studied != racer.studied.end()) {
    job.known_diagnosis = studied->second.diagnosis;
    job.inherited = studied->second.inherited;
    job.turn = studied->second.used - std::min(studied->second.used, later + 1);
  }
  job.settings = std::move(unanswered.settings);
  job.earlier = std::move(unanswered.earlier);
  return job;
}

}  // namespace ww::model_loop
