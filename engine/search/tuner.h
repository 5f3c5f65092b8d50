// SPDX-License-Identifier: Apache-2.0
// Chooses the candidates to try next: first one of every structure, then the neighbours of the best tunings.
// Deterministic: the same sequence of calls gives the same candidates.
#pragma once
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "search/space.h"

namespace ww::search {

struct Judged {  // a candidate with its verdict
  std::string hash, text;
  bool accepted = false;
  bool ranked = false;
  double score = 0;  // lower is better; if ranked
};

struct Offer {
  std::string text;  // pinned
  std::string hash;
  std::string parent;  // hash, or empty
  std::string structure;
  std::string move, note;  // what differs from the parent, or empty; the reason, which begins with it
};

class Tuner {
 public:
  static Result<Tuner> make(const op::Spec& spec, const op::Binding& binding, const std::stop_token& stop = {});
  // At most `wanted` candidates that were not offered before and are not in `history`. Empty: the space is exhausted.
  std::vector<Offer> next(const std::vector<Judged>& history, std::size_t wanted, std::stop_token stop = {});
  std::size_t structures() const { return structures_.size(); }

 private:
  struct Known {
    std::size_t structure = 0;
    candidate::Tuning tuning;
  };
  struct Best {
    bool tried = false, accepted = false, ranked = false;
    double score = 0;
    std::string hash;
    candidate::Tuning tuning;
  };

  // claims the default case and has a valid plan there
  bool usable(std::size_t structure, const candidate::Tuning& tuning) const;
  bool offer(std::size_t structure, const candidate::Tuning& tuning, const std::string& parent, const std::string& move,
             const std::string& more, std::vector<Offer>& out);
  void recall(const Judged& judged);  // a candidate of an earlier process
  std::vector<Best> bests(const std::vector<Judged>& history);
  void first_of_each(std::vector<Offer>& out, std::size_t wanted);
  bool neighbour(std::size_t structure, const Best& best, std::vector<Offer>& out);
  bool remaining(std::size_t structure, const Best& best, std::vector<Offer>& out);

  op::Spec spec_;
  op::Binding binding_;
  std::vector<Structure> structures_;
  std::vector<bool> opened_;            // the first candidate of the structure was offered, or cannot be
  std::map<std::string, Known> known_;  // by hash: everything offered or seen
};

}  // namespace ww::search
