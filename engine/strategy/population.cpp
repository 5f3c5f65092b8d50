// SPDX-License-Identifier: Apache-2.0
#include "strategy/population.h"
#include <algorithm>
#include <cmath>
#include "base/draw.h"
#include "generator/names.h"

namespace ww::strategy {
namespace {

// The number that a lineage's label is, 0 when it is none.
int number_of(const std::string& lineage) {
  if (lineage.empty() || lineage.size() > 8) return 0;
  int n = 0;
  for (const char c : lineage) {
    if (c < '0' || c > '9') return 0;
    n = n * 10 + (c - '0');
  }
  return n;
}

}  // namespace

std::string Population::lineage_of(const std::string& hash) const {
  for (const auto& [known, lineage] : lineages)
    if (known == hash) return lineage;
  return {};
}

bool better(const Known& a, const Known& b) {
  if (a.ranked != b.ranked) return a.ranked;
  if (a.ranked && a.score != b.score) return a.score < b.score;
  return a.order < b.order;
}

bool gains(const Known& now, const Known& before, double least_gain) {
  if (!now.ranked) return false;
  if (!before.ranked) return true;
  return now.score < before.score && before.score - now.score >= least_gain * std::abs(before.score);
}

void Ledger::read(const Population& population) {
  const bool extends = population.candidates.size() >= all_.size() &&
                       (all_.empty() || population.candidates[all_.size() - 1]->hash == all_.back().hash);
  std::map<std::string, std::size_t> before;
  if (!extends) {
    ranking_.clear();
    before.swap(by_hash_);
    all_.clear();
  }
  if (population.lineages.size() < lineages_read_) lineages_read_ = 0;
  for (; lineages_read_ < population.lineages.size(); ++lineages_read_)
    lineages_[population.lineages[lineages_read_].first] = population.lineages[lineages_read_].second;
  if (population.open.size() < open_read_) open_read_ = 0;
  for (; open_read_ < population.open.size(); ++open_read_)
    open_[population.open[open_read_].first] = population.open[open_read_].second;

  fresh_.clear();
  while (all_.size() < population.candidates.size()) {
    add(*population.candidates[all_.size()]);
    if (!before.count(all_.back().hash)) fresh_.push_back(all_.size() - 1);
  }
  if (!fresh_.empty())
    failures_ = 0;
  else
    failures_ += static_cast<int>(population.failed.size());
}

void Ledger::add(const generator::Feedback& f) {
  Known k;
  k.order = all_.size();
  k.hash = f.hash;
  k.parent = f.parent;
  k.structure = f.structure;
  k.accepted = f.accepted;
  k.ranked = f.accepted && f.ranked && std::isfinite(f.score);
  k.score = k.ranked ? f.score : 0;
  k.duplicate = !f.duplicate_of.empty();
  k.persons = generator::is_manual(f.generator);
  if (const auto it = lineages_.find(f.hash); it != lineages_.end())
    k.lineage = it->second;
  else if (const Known* parent = find(f.parent); parent && !k.persons)
    k.lineage = parent->lineage;
  last_number_ = std::max(last_number_, number_of(k.lineage));
  const bool first = by_hash_.emplace(k.hash, k.order).second;
  all_.push_back(std::move(k));
  if (first && all_.back().accepted && !all_.back().duplicate) ranking_.insert(all_.size() - 1);
}

const Known* Ledger::find(const std::string& hash) const {
  const auto it = by_hash_.find(hash);
  return it == by_hash_.end() ? nullptr : &all_[it->second];
}

const Known* Ledger::last_rejected() const {
  const auto it = std::find_if(all_.rbegin(), all_.rend(), [](const Known& k) { return !k.accepted; });
  return it == all_.rend() ? nullptr : &*it;
}

const std::string* Ledger::open_of(const std::string& hash) const {
  const auto it = open_.find(hash);
  return it == open_.end() ? nullptr : &it->second;
}

std::uint64_t Dice::next() {
  const std::uint64_t drawn = splitmix(state_);
  state_ += splitmix_step;
  return drawn;
}

}  // namespace ww::strategy
