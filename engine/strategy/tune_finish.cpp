// SPDX-License-Identifier: Apache-2.0
#include "strategy/tune_finish.h"
#include <algorithm>

namespace ww::strategy {
namespace {

using candidate::Candidate;
using candidate::Tuning;

bool is_open(const Candidate& c) {
  return std::any_of(c.tune.begin(), c.tune.end(),
                     [](const candidate::TuneAxis& axis) { return axis.values.size() > 1; });
}

std::string hash_of(const Candidate& open, const Tuning& tuning) {
  const Result<Candidate> pinned = candidate::pin(open, tuning);
  return pinned ? pinned->hash : std::string();
}

// The values in ascending order, each once.
std::vector<std::int64_t> values_of(const candidate::TuneAxis& axis) {
  std::vector<std::int64_t> values = axis.values;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

TuneFinish::Draft* TuneFinish::opened(const std::string& root, const std::string& text) {
  if (const auto known = drafts_.find(root); known != drafts_.end()) return &known->second;
  for (const candidate::Language language : {candidate::Language::cuda, candidate::Language::ptx}) {
    Result<Candidate> open = candidate::parse(text, language);
    if (!open || !is_open(*open) || hash_of(*open, candidate::first_tuning(*open)) != root) continue;
    Draft& draft = drafts_[root];
    draft.open = std::move(*open);
    const Tuning first = candidate::first_tuning(draft.open);
    draft.variants[first] = root;
    draft.tunings[root] = first;
    return &draft;
  }
  return nullptr;
}

// Whether the candidate with that hash, possibly from an earlier process, is a tuning of the draft.
bool TuneFinish::recalled(Draft& draft, const Population& population, const Ledger& ledger, const std::string& hash) {
  if (draft.tunings.count(hash)) return true;
  const Known* k = ledger.find(hash);
  const Result<Candidate> pinned = candidate::parse(population.candidates[k->order]->text, draft.open.language);
  if (!pinned) return false;
  const Tuning tuning = candidate::first_tuning(*pinned);
  if (hash_of(draft.open, tuning) != hash) return false;
  draft.variants[tuning] = hash;
  draft.tunings[hash] = tuning;
  return true;
}

// A tuning's draft is found by way of its parents: each was made from another tuning, and at the start from the first.
TuneFinish::Draft* TuneFinish::draft_of(const Population& population, const Ledger& ledger, const std::string& hash) {
  constexpr int longest_way = 64;
  if (const auto known = of_.find(hash); known != of_.end())
    return known->second.empty() ? nullptr : &drafts_.at(known->second);
  std::string& root = of_[hash];
  std::string at = hash;
  for (int i = 0; i < longest_way; ++i) {
    if (const std::string* text = ledger.open_of(at)) {
      Draft* draft = opened(at, *text);
      if (!draft || !recalled(*draft, population, ledger, hash)) return nullptr;
      root = at;
      return draft;
    }
    const Known* k = ledger.find(at);
    if (!k || k->parent.empty()) return nullptr;
    at = k->parent;
  }
  return nullptr;
}

const std::string& TuneFinish::variant(Draft& draft, const Population& population, const Tuning& tuning) {
  const auto known = draft.variants.find(tuning);
  if (known != draft.variants.end()) return known->second;
  std::string& hash = draft.variants[tuning];
  if (population.request) {
    const auto claims = candidate::claims(draft.open, population.request->spec, population.request->binding, tuning);
    if (!claims || !*claims) return hash;
    if (!candidate::plan(draft.open, population.request->spec, population.request->binding, tuning)) return hash;
  }
  hash = hash_of(draft.open, tuning);
  if (!hash.empty()) draft.tunings[hash] = tuning;
  return hash;
}

std::vector<Task> TuneFinish::next(const Population& population, const Ledger& ledger, const std::string& hash,
                                   const std::string& lineage, std::size_t wanted) {
  std::vector<Task> tasks;
  const Known* at = ledger.find(hash);
  if (!at || !at->ranked || wanted == 0) return tasks;  // without a score nothing is better
  Draft* draft = draft_of(population, ledger, hash);
  if (!draft) return tasks;

  struct Step {
    Tuning tuning;
    std::string hash, note;
    bool near = false;
  };
  for (;;) {
    const Tuning centre = draft->tunings.at(at->hash);
    std::vector<Step> open;
    const Known* best = at;
    for (const candidate::TuneAxis& axis : draft->open.tune) {
      const std::vector<std::int64_t> values = values_of(axis);
      const std::int64_t now = centre.at(axis.name);
      const auto here = std::find(values.begin(), values.end(), now) - values.begin();
      for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(values.size()); ++i) {
        if (i == here) continue;
        Step step{centre,
                  {},
                  axis.name + " " + std::to_string(now) + " -> " + std::to_string(values[static_cast<std::size_t>(i)]),
                  i - here == 1 || here - i == 1};
        step.tuning[axis.name] = values[static_cast<std::size_t>(i)];
        step.hash = variant(*draft, population, step.tuning);
        if (step.hash.empty()) continue;
        if (const Known* known = ledger.find(step.hash)) {
          if (known->ranked && known->score < best->score) best = known;
        } else if (!draft->sent.count(step.hash)) {
          open.push_back(std::move(step));
        }
      }
    }
    if (best != at) {
      at = best;
      continue;
    }
    const bool near = std::any_of(open.begin(), open.end(), [](const Step& s) { return s.near; });
    for (const Step& step : open) {
      if (tasks.size() >= wanted) break;
      if (step.near != near) continue;
      const Result<Candidate> pinned = candidate::pin(draft->open, step.tuning);
      if (!pinned) continue;
      draft->sent.insert(step.hash);
      Task task;
      task.kind = Task::Kind::ready;
      task.parents = {at->hash};
      task.lineage = lineage;
      task.proposal.text = pinned->text;
      task.proposal.language = draft->open.language;
      task.proposal.parent = at->hash;
      task.proposal.structure = draft->open.structure.empty() ? at->structure : draft->open.structure;
      task.proposal.origin.move = "tuning";
      task.proposal.note = "tuning: " + step.note;
      tasks.push_back(std::move(task));
    }
    return tasks;
  }
}

}  // namespace ww::strategy
