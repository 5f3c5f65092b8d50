// SPDX-License-Identifier: Apache-2.0
#include "model_loop/transcript.h"
#include <algorithm>
#include <mutex>
#include <set>

namespace ww::model_loop {

Result<Transcript> Transcript::load(store::Workspace& workspace, std::int64_t run) {
  Transcript out;
  const std::vector<store::ExchangeRecord> all = WW_TRY(workspace.exchanges(run));
  for (const store::ExchangeRecord& e : all)
    out.attempts_[{e.role, e.origin.strategy, e.origin.task}].push_back({e.model, e.outcome});
  return out;
}

bool Transcript::has(store::AgentRole role, const store::Origin& origin, const std::string& model) const {
  return std::ranges::any_of(requests({role, origin.strategy, origin.task}),
                             [&](const Asked& a) { return a.model == model; });
}

const std::vector<Transcript::Asked>& Transcript::requests(const Attempt& attempt) const {
  static const std::vector<Asked> none;
  const auto at = attempts_.find(attempt);
  return at == attempts_.end() ? none : at->second;
}

namespace {

class EndingWith final : public llm::Client {
 public:
  EndingWith(const Transcript& transcript, llm::Client& client) : transcript_(transcript), client_(client) {}

  Result<llm::Exchange> ask(const llm::Model& model, llm::Request request, const llm::Purpose& purpose,
                            std::stop_token stop) override {
    const Transcript::Attempt attempt{purpose.role, purpose.label.origin.strategy, purpose.label.origin.task};
    const std::vector<Transcript::Asked>& recorded = transcript_.requests(attempt);
    std::size_t place = 0;
    {
      const std::lock_guard lock(mutex_);
      place = asked_[attempt]++;
    }
    if (place >= recorded.size()) return fail(Code::cancelled, "the recorded process ended before this request");
    Result<llm::Exchange> exchange = client_.ask(model, std::move(request), purpose, std::move(stop));
    if (exchange && recorded[place].outcome == store::ExchangeOutcome::none) {
      const std::lock_guard lock(mutex_);
      unread_.insert(exchange->id);
    }
    return exchange;
  }
  Status outcome(std::int64_t exchange, store::ExchangeOutcome outcome, const std::string& candidate) override {
    {
      const std::lock_guard lock(mutex_);
      if (unread_.contains(exchange)) return {};
    }
    return client_.outcome(exchange, outcome, candidate);
  }
  llm::Spend spend() const override { return client_.spend(); }
  bool budget_over() const override { return client_.budget_over(); }

 private:
  const Transcript& transcript_;
  llm::Client& client_;
  std::mutex mutex_;
  std::map<Transcript::Attempt, std::size_t> asked_;
  std::set<std::int64_t> unread_;  // exchanges
};

}  // namespace

std::unique_ptr<llm::Client> make_ending_with(const Transcript& transcript, llm::Client& client) {
  return std::make_unique<EndingWith>(transcript, client);
}

}  // namespace ww::model_loop
