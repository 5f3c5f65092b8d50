// SPDX-License-Identifier: Apache-2.0
// A strategy's record of its population: read once, in order, whatever its size; with the ranking, and the drafts with
// open tune values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "strategy/strategy.h"

namespace ww::strategy {

struct Known {            // a candidate with its verdict
  std::size_t order = 0;  // its position in the population when this was read; ask the ledger for the current one
  std::string hash, parent, structure, lineage;  // lineage: the population's, else the parent's, else empty
  bool accepted = false, ranked = false, duplicate = false, persons = false;
  double score = 0;  // if ranked
};

// Lower is better; ranked candidates come before accepted ones without a score, earlier before later.
bool better(const Known& a, const Known& b);
// Whether it improves the old score by at least `least_gain` (relative); a first score is always a gain.
bool gains(const Known& now, const Known& before, double least_gain);

class Ledger {
 public:
  // Reads new candidates. A population with insertions among known ones is read again, and candidates known before do
  // not count as fresh.
  void read(const Population& population);
  const std::deque<Known>& all() const { return all_; }
  const std::vector<std::size_t>& fresh() const {
    return fresh_;
  }  // positions in all() of the candidates from the last read, in order
  const Known* find(const std::string& hash) const;  // null: no such candidate
  // Accepted ones that are no duplicates, best first.
  const std::set<std::size_t, std::function<bool(std::size_t, std::size_t)>>& ranking() const { return ranking_; }
  const Known* best() const { return ranking_.empty() ? nullptr : &all_[*ranking_.begin()]; }
  const Known* last_rejected() const;
  const std::string* open_of(const std::string& hash) const;  // text with open tune lines; null: unknown
  int failures_in_a_row() const { return failures_; }         // attempts without a candidate since the last candidate
  int last_number() const { return last_number_; }            // highest lineage whose label is a number, 0: none
  Ledger() = default;
  Ledger(const Ledger&) = delete;  // ranking_ refers to all_
  Ledger& operator=(const Ledger&) = delete;

 private:
  void add(const generator::Feedback& feedback);

  std::deque<Known> all_;
  std::map<std::string, std::size_t> by_hash_;
  std::map<std::string, std::string> lineages_, open_;
  std::size_t lineages_read_ = 0, open_read_ = 0;
  std::vector<std::size_t> fresh_;
  std::set<std::size_t, std::function<bool(std::size_t, std::size_t)>> ranking_{
      [this](std::size_t a, std::size_t b) { return better(all_[a], all_[b]); }};
  int failures_ = 0, last_number_ = 0;
};

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::uint64_t state_;
};

}  // namespace ww::strategy
