// SPDX-License-Identifier: Apache-2.0
#include "model_loop/racer.h"
#include <algorithm>
#include "generator/names.h"
#include "llm/message_json.h"

namespace ww::model_loop {
namespace {

Racer* by_name(std::vector<Racer>& racers, const std::string& name) {
  const auto at = std::find_if(racers.begin(), racers.end(), [&](const Racer& r) { return r.name == name; });
  return at == racers.end() ? nullptr : &*at;
}

// Whether the exchange gave a candidate of the run, even one that turned out to be a duplicate.
bool known_from(const std::vector<store::CandidateRecord>& candidates, const store::ExchangeRecord& e) {
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const store::CandidateRecord& c) { return c.exchange == e.id; });
}

Status recall_studied(Racer& r, store::Workspace& workspace, const store::ExchangeRecord& e) {
  if (e.role == store::AgentRole::analyst && e.outcome == store::ExchangeOutcome::diagnosis) {
    const store::ExchangeRecord whole = WW_TRY(workspace.exchange(e.id));
    const Result<llm::Reply> reply = llm::reply_from_json(whole.reply);
    if (!reply) return {};
    if (Result<llm::Diagnosis> d = llm::diagnosis_of(*reply)) r.studied[e.origin.subject] = {std::move(*d)};
  } else if (e.role == store::AgentRole::writer && e.origin.step == store::Step::improve) {
    const auto known = r.studied.find(e.origin.subject);
    if (known == r.studied.end()) return {};
    Studied& parent = known->second;
    if (parent.last_task != e.origin.task) ++parent.used;  // else a repair, or what followed a call of a tool
    parent.last_task = e.origin.task;
    if (e.outcome != store::ExchangeOutcome::candidate) return {};
    parent.tried = true;
    if (std::optional<Studied> left = inherited(parent, parent.used - 1))
      r.studied.emplace(e.candidate, std::move(*left));
  }
  return {};
}

}  // namespace

std::optional<Studied> inherited(const Studied& parent, std::size_t turn) {
  if (turn + 1 >= parent.diagnosis.moves.size()) return std::nullopt;
  Studied left{parent.diagnosis};
  left.used = turn + 1;
  left.inherited = true;
  return left;
}

std::vector<const generator::Feedback*> Racer::sees(const std::vector<generator::Feedback>& history) const {
  std::vector<const generator::Feedback*> list;
  for (const generator::Feedback& f : history)
    if (own.contains(f.hash) || generator::is_manual(f.generator)) list.push_back(&f);
  std::stable_sort(list.begin(), list.end(),
                   [](const generator::Feedback* a, const generator::Feedback* b) { return a->id < b->id; });
  return list;
}

int Racer::used(const std::vector<generator::Feedback>& history) const {
  return static_cast<int>(std::count_if(history.begin(), history.end(), [&](const generator::Feedback& f) {
    return f.duplicate_of.empty() && own.contains(f.hash);
  }));
}

void Racer::adopt(const std::string& hash, const std::string& lineage, const std::string& note) {
  if (!own.insert(hash).second) return;
  lineages.emplace_back(hash, lineage);
  notes.emplace(hash, note);
}

void Racer::note_calls(bool calls_alone) {
  only_called = calls_alone ? only_called + 1 : 0;
  no_tools = no_tools || only_called >= most_only_called;
}

std::vector<const generator::Feedback*> Racer::attempts(const std::vector<const generator::Feedback*>& seen,
                                                        const std::string& name, const std::string& parent,
                                                        std::vector<std::string>& beside) const {
  std::set<std::string> hashes;
  for (const auto& [hash, lineage] : lineages)
    if (lineage == name) hashes.insert(hash);
  std::string ancestor = parent;
  for (auto f = seen.rbegin(); f != seen.rend() && !ancestor.empty(); ++f) {  // parents come before their children
    if ((*f)->hash != ancestor) continue;
    hashes.insert(ancestor);
    ancestor = (*f)->parent;
  }
  std::vector<const generator::Feedback*> list;
  for (const generator::Feedback* f : seen) {
    if (!hashes.contains(f->hash) && (parent.empty() || f->parent != parent)) continue;
    list.push_back(f);
    const auto note = notes.find(f->hash);
    beside.push_back(note == notes.end() ? std::string() : note->second);
  }
  return list;
}

Status recall(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run) {
  const auto candidates = WW_TRY(workspace.candidates(run));
  std::set<std::string> known;
  for (const store::CandidateRecord& c : candidates) {
    known.insert(c.hash);
    Racer* r = by_name(racers, c.origin.strategy);
    if (!r) continue;
    r->adopt(c.hash, c.origin.lineage, c.note);
    r->tasks_before = std::max(r->tasks_before, c.origin.task);
    if (!c.draft.empty()) r->open.emplace_back(c.hash, c.draft);
  }
  std::vector<store::ExchangeRecord> exchanges = WW_TRY(workspace.exchanges(run));
  // As they were given out, however long each took.
  std::stable_sort(
      exchanges.begin(), exchanges.end(),
      [](const store::ExchangeRecord& a, const store::ExchangeRecord& b) { return a.origin.task < b.origin.task; });
  std::map<std::pair<Racer*, std::uint64_t>, Lost> lost;  // by task: a repair may have found a candidate
  std::map<Racer*, std::map<std::uint64_t, const store::ExchangeRecord*>> ended;  // by task: its last exchange
  for (const store::ExchangeRecord& e : exchanges) {
    Racer* r = by_name(racers, e.origin.strategy);
    if (!r) continue;
    WW_TRY(recall_studied(*r, workspace, e));
    const bool written = e.outcome == store::ExchangeOutcome::candidate ||
                         (e.outcome == store::ExchangeOutcome::duplicate && known_from(candidates, e));
    if (e.role == store::AgentRole::writer &&
        (e.outcome == store::ExchangeOutcome::unparsable || e.outcome == store::ExchangeOutcome::refused ||
         e.outcome == store::ExchangeOutcome::duplicate))
      lost[{r, e.origin.task}] = {e.origin.lineage, e.origin.subject, e.candidate};
    if (written) lost.erase({r, e.origin.task});
    if (e.role == store::AgentRole::writer) ended[r][e.origin.task] = &e;
    r->tasks_before = std::max(r->tasks_before, e.origin.task);
    if (!e.candidate.empty() && known.contains(e.candidate))
      r->adopt(e.candidate, e.origin.lineage, {});  // one that another had written before
  }
  for (const auto& [racer, ends] : ended)
    for (const auto& [task, last] : ends) {
      if (last->state != store::ExchangeState::replied || last->outcome == store::ExchangeOutcome::none) continue;
      const bool only_called = last->outcome == store::ExchangeOutcome::called;
      if (only_called) lost[{racer, task}] = {last->origin.lineage, last->origin.subject, {}, true};
      racer->note_calls(only_called);
    }
  for (auto& [task, one] : lost) task.first->lost.push_back(std::move(one));
  for (Racer& r : racers) r.tasks = r.tasks_before;
  return count_spend(racers, workspace, run);
}

Status count_spend(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run) {
  const auto exchanges = WW_TRY(workspace.exchanges(run));
  for (Racer& r : racers) r.tokens = 0, r.money = 0;
  for (const store::ExchangeRecord& e : exchanges) {
    Racer* r = by_name(racers, e.origin.strategy);
    if (!r) continue;
    r->tokens += e.prompt_tokens + e.completion_tokens;
    r->money += e.money.value_or(0);
  }
  return {};
}

}  // namespace ww::model_loop
