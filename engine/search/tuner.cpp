// SPDX-License-Identifier: Apache-2.0
#include "search/tuner.h"
#include <algorithm>
#include <numeric>

namespace ww::search {

namespace {
constexpr std::size_t tunings_per_structure = 256;
}

Result<Tuner> Tuner::make(const op::Spec& spec, const op::Binding& binding, const std::stop_token& stop) {
  Tuner t;
  t.spec_ = spec;
  t.binding_ = binding;
  auto structures = WW_TRY(structures_of(spec, binding, nullptr, stop));
  t.structures_ = std::move(structures);
  t.opened_.assign(t.structures_.size(), false);
  return t;
}

bool Tuner::usable(std::size_t structure, const candidate::Tuning& tuning) const {
  const candidate::Candidate& open = structures_[structure].open;
  const auto claimed = candidate::claims(open, spec_, binding_, tuning);
  return claimed && *claimed && candidate::plan(open, spec_, binding_, tuning).has_value();
}

bool Tuner::offer(std::size_t structure, const candidate::Tuning& tuning, const std::string& parent,
                  const std::string& move, const std::string& more, std::vector<Offer>& out) {
  const auto pinned = candidate::pin(structures_[structure].open, tuning);
  if (!pinned || known_.count(pinned->hash)) return false;
  known_[pinned->hash] = {structure, tuning};
  out.push_back({pinned->text, pinned->hash, parent, structures_[structure].name, move, move + more});
  return true;
}

void Tuner::recall(const Judged& judged) {
  if (known_.count(judged.hash)) return;
  const auto candidate = candidate::parse(judged.text, candidate::Language::cuda);
  if (!candidate) return;
  for (std::size_t s = 0; s < structures_.size(); ++s) {
    if (structures_[s].name != candidate->structure) continue;
    const candidate::Tuning tuning = candidate::first_tuning(*candidate);
    const auto pinned = candidate::pin(structures_[s].open, tuning);
    if (!pinned || pinned->hash != judged.hash) return;  // someone else's, or an edited one
    known_[judged.hash] = {s, tuning};
    opened_[s] = true;
  }
}

std::vector<Tuner::Best> Tuner::bests(const std::vector<Judged>& history) {
  std::vector<Best> best(structures_.size());
  for (const Judged& j : history) {
    recall(j);
    const auto it = known_.find(j.hash);
    if (it == known_.end()) continue;
    Best& b = best[it->second.structure];
    b.tried = true;
    if (!j.accepted) continue;
    const bool better = !b.accepted || (j.ranked && (!b.ranked || j.score < b.score));
    if (better) b = {true, true, j.ranked, j.score, j.hash, it->second.tuning};
  }
  return best;
}

void Tuner::first_of_each(std::vector<Offer>& out, std::size_t wanted) {
  for (std::size_t s = 0; s < structures_.size() && out.size() < wanted; ++s) {
    if (opened_[s]) continue;
    opened_[s] = true;
    candidate::Tuning first = candidate::first_tuning(structures_[s].open);
    if (!usable(s, first)) {
      const auto all = candidate::tunings(structures_[s].open, tunings_per_structure);
      const auto fits = std::find_if(all.begin(), all.end(), [&](const candidate::Tuning& t) { return usable(s, t); });
      if (fits == all.end()) continue;
      first = *fits;
    }
    offer(s, first, "", "", structures_[s].title, out);
  }
}

// One axis one step up or down from the best tuning.
bool Tuner::neighbour(std::size_t s, const Best& best, std::vector<Offer>& out) {
  for (const candidate::TuneAxis& axis : structures_[s].open.tune) {
    std::vector<std::int64_t> values = axis.values;
    std::sort(values.begin(), values.end());
    const std::int64_t now = best.tuning.at(axis.name);
    const auto at = std::find(values.begin(), values.end(), now) - values.begin();
    for (const std::ptrdiff_t step : {1, -1}) {
      const std::ptrdiff_t to = at + step;
      if (to < 0 || to >= static_cast<std::ptrdiff_t>(values.size())) continue;
      candidate::Tuning tuning = best.tuning;
      tuning[axis.name] = values[static_cast<std::size_t>(to)];
      if (!usable(s, tuning)) continue;
      const std::string move = axis.name + " " + std::to_string(now) + " -> " + std::to_string(tuning[axis.name]) +
                               ", from the best " + structures_[s].name + " so far";
      if (offer(s, tuning, best.hash, move, "", out)) return true;
    }
  }
  return false;
}

bool Tuner::remaining(std::size_t s, const Best& best, std::vector<Offer>& out) {
  for (const candidate::Tuning& tuning : candidate::tunings(structures_[s].open, tunings_per_structure)) {
    if (!usable(s, tuning)) continue;
    std::string values = ":";
    for (const auto& [name, value] : tuning) values += " " + name + " " + std::to_string(value);
    if (offer(s, tuning, best.hash, "remaining tuning of " + structures_[s].name, values, out)) return true;
  }
  return false;
}

std::vector<Offer> Tuner::next(const std::vector<Judged>& history, std::size_t wanted, std::stop_token stop) {
  std::vector<Offer> out;
  const std::vector<Best> best = bests(history);
  first_of_each(out, wanted);
  // Structures that have an accepted candidate, best first; those that have no verdict yet wait for it.
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < structures_.size(); ++s)
    if (best[s].accepted) order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (best[a].ranked != best[b].ranked) return best[a].ranked;
    return best[a].ranked && best[a].score < best[b].score;
  });
  // The leader is tuned twice as often as the second, that twice as often as the third …
  for (bool any = true; any && out.size() < wanted && !stop.stop_requested();) {
    any = false;
    for (std::size_t rank = 0; rank < order.size() && out.size() < wanted; ++rank) {
      const std::size_t share = rank < 3 ? std::size_t{4} >> rank : 1;
      for (std::size_t i = 0; i < share && out.size() < wanted; ++i)
        any = neighbour(order[rank], best[order[rank]], out) || any;
    }
  }
  for (const std::size_t s : order)
    while (out.size() < wanted && !stop.stop_requested() && remaining(s, best[s], out)) {}
  // No results yet: offers other tunings of unjudged structures, so that no worker is idle.
  for (std::size_t s = 0; s < structures_.size(); ++s)
    while (!best[s].tried && out.size() < wanted && !stop.stop_requested() && remaining(s, {}, out)) {}
  return out;
}

}  // namespace ww::search
