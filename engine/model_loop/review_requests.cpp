// SPDX-License-Identifier: Apache-2.0
#include "model_loop/review_requests.h"
#include <algorithm>
#include <map>
#include "store/standing.h"

namespace ww::model_loop {

Result<std::vector<ReviewRequest>> open_requests(store::Workspace& workspace, std::int64_t reviewed,
                                                 const std::vector<store::ExchangeRecord>& made,
                                                 const std::set<std::string>& given, const std::string& until) {
  const std::vector<store::ReviewRecord> all = WW_TRY(workspace.reviews(0));
  std::map<std::int64_t, std::vector<store::ReviewRecord>> by_candidate;
  for (const store::ReviewRecord& r : all)
    if (until.empty() || r.created <= until) by_candidate[r.candidate].push_back(r);
  std::vector<ReviewRequest> open;
  std::vector<std::string> newest;
  for (const auto& [id, reviews] : by_candidate) {
    const std::string text = store::requested_changes(reviews);
    if (text.empty()) continue;
    const store::CandidateRecord c = WW_TRY(workspace.candidate(id));
    if (c.run != reviewed && !given.contains(c.hash)) continue;
    const auto same = std::find_if(open.begin(), open.end(), [&](const ReviewRequest& w) { return w.hash == c.hash; });
    const auto place = static_cast<std::size_t>(same - open.begin());
    if (same == open.end()) {
      open.emplace_back();
      newest.emplace_back();
    }
    open[place] = {id, c.hash, text, false};
    newest[place] = reviews.back().created;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i].asked = std::any_of(made.begin(), made.end(), [&](const store::ExchangeRecord& e) {
      return e.state == store::ExchangeState::replied && e.created > newest[i] &&
             e.origin.step == store::Step::revise && e.origin.subject == open[i].hash;
    });
  }
  return open;
}

std::string request_text(const std::string& sentence, const ReviewRequest& request) {
  return sentence + (sentence.empty() || sentence.back() == '\n' ? "" : "\n") +
         "A reviewer has read the candidate to start from, and asks for these changes of it:\n" + request.text;
}

}  // namespace ww::model_loop
