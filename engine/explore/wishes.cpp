// SPDX-License-Identifier: Apache-2.0
#include "explore/wishes.h"
#include <algorithm>
#include <map>
#include "store/standing.h"

namespace ww::explore {

Result<std::vector<Wish>> wishes_of(store::Workspace& workspace, std::int64_t run, const std::set<std::string>& given,
                                    const std::string& until) {
  const std::vector<store::ReviewRecord> all = WW_TRY(workspace.reviews(0));
  std::map<std::int64_t, std::vector<store::ReviewRecord>> by_candidate;
  for (const store::ReviewRecord& r : all)
    if (until.empty() || r.created < until) by_candidate[r.candidate].push_back(r);
  std::vector<Wish> wishes;
  std::vector<std::string> newest;
  for (const auto& [id, reviews] : by_candidate) {
    const std::string text = store::wish_in(reviews);
    if (text.empty()) continue;
    const store::CandidateRecord c = WW_TRY(workspace.candidate(id));
    if (c.run != run && !given.contains(c.hash)) continue;
    const auto same = std::find_if(wishes.begin(), wishes.end(), [&](const Wish& w) { return w.hash == c.hash; });
    const auto place = static_cast<std::size_t>(same - wishes.begin());
    if (same == wishes.end()) {
      wishes.emplace_back();
      newest.emplace_back();
    }
    wishes[place] = {id, c.hash, text, false};
    newest[place] = reviews.back().created;
  }
  if (wishes.empty()) return wishes;
  const std::vector<store::ExchangeRecord> exchanges = WW_TRY(workspace.exchanges(run));
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    wishes[i].asked = std::any_of(exchanges.begin(), exchanges.end(), [&](const store::ExchangeRecord& e) {
      return e.state == store::ExchangeState::replied && e.created > newest[i] &&
             e.origin.step == store::Step::revise && e.origin.subject == wishes[i].hash;
    });
  }
  return wishes;
}

std::string wish_text(const std::string& sentence, const Wish& wish) {
  return sentence + (sentence.empty() || sentence.back() == '\n' ? "" : "\n") +
         "A reviewer has read the candidate to start from, and asks for these changes of it:\n" + wish.text;
}

}  // namespace ww::explore
