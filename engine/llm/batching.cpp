// SPDX-License-Identifier: Apache-2.0
#include "llm/batching.h"
#include <algorithm>
#include <utility>

namespace ww::llm {
namespace {

class Batching final : public Provider {
 public:
  Batching(std::shared_ptr<Provider> provider, Batches& batches) : provider_(std::move(provider)), batches_(batches) {}
  Result<Reply> complete(const Request& request, Observer& observer, std::stop_token stop) override {
    return batches_.ask(*provider_, request, observer, std::move(stop));
  }
  Result<std::vector<Result<Reply>>> complete_all(const std::vector<BatchItem>& items, std::stop_token stop) override {
    return provider_->complete_all(items, std::move(stop));
  }
  Result<std::vector<std::string>> models(std::stop_token stop) override { return provider_->models(std::move(stop)); }

 private:
  std::shared_ptr<Provider> provider_;
  Batches& batches_;
};

}  // namespace

Batches::Member::Member(Batches& batches) : batches_(batches) {
  const std::lock_guard lock(batches_.mutex_);
  if (batches_.expected_ > 0)
    --batches_.expected_;  // was counted before it came
  else
    ++batches_.members_;
}

Batches::Member::~Member() {
  {
    const std::lock_guard lock(batches_.mutex_);
    --batches_.members_;
  }
  batches_.changed_.notify_all();
}

void Batches::expect(std::size_t members) {
  const std::lock_guard lock(mutex_);
  members_ += members;
  expected_ += members;
}

void Batches::close() {
  for (Waiting* w : waiting_) {
    const auto leader = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting* o) {
      return o->state == Waiting::State::leads && o->provider == w->provider;
    });
    if (leader == waiting_.end()) {
      w->state = Waiting::State::leads;
      w->group.push_back(w);
    } else {
      w->state = Waiting::State::sent;
      (*leader)->group.push_back(w);
    }
  }
  in_flight_ += waiting_.size();
  waiting_.clear();
}

void Batches::lead(Waiting& leader, const std::stop_token& stop) {
  std::vector<BatchItem> items;
  for (const Waiting* w : leader.group) items.push_back(w->item);
  Result<std::vector<Result<Reply>>> replies = leader.provider->complete_all(items, stop);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < leader.group.size(); ++i) {
    Waiting& w = *leader.group[i];
    w.reply = !replies              ? Result<Reply>(fail(replies.error()))
              : i < replies->size() ? std::move((*replies)[i])
                                    : Result<Reply>(fail(Code::internal, "the batch has too few answers"));
    w.state = Waiting::State::done;
  }
  in_flight_ -= leader.group.size();
  changed_.notify_all();
}

Result<Reply> Batches::ask(Provider& provider, const Request& request, Observer& observer, std::stop_token stop) {
  Waiting self;
  self.provider = &provider;
  self.item = {&request, &observer};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&self);
  changed_.notify_all();
  changed_.wait_for(lock, stop, grace_, [&] { return self.state != Waiting::State::waits || complete(); });
  if (self.state == Waiting::State::waits) {
    if (stop.stop_requested()) {
      std::erase(waiting_, &self);
      changed_.notify_all();
      return fail(Code::cancelled, "the request was cancelled before it was sent");
    }
    close();
    changed_.notify_all();
  }
  if (self.state == Waiting::State::leads) {
    lock.unlock();
    lead(self, stop);
    return std::move(self.reply);
  }
  changed_.wait(lock, [&] { return self.state == Waiting::State::done; });  // the leader stops for all
  return std::move(self.reply);
}

std::shared_ptr<Provider> make_batching(std::shared_ptr<Provider> provider, Batches& batches) {
  return std::make_shared<Batching>(std::move(provider), batches);
}

}  // namespace ww::llm
