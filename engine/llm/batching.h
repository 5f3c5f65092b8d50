// SPDX-License-Identifier: Apache-2.0
// Requests of several threads, asked as one batch: each thread is a member while it may still ask, and what waits is
// sent when all members wait for an answer. Members that wait for something else (the budget, a tool) are not waited
// for longer than `grace`.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>
#include "llm/provider.h"

namespace ww::llm {

class Batches {  // of one run, over all its providers; thread-safe
 public:
  class Member {
   public:
    explicit Member(Batches& batches);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    Batches& batches_;
  };

  explicit Batches(std::chrono::milliseconds grace = std::chrono::seconds(5)) : grace_(grace) {}
  void expect(std::size_t members);  // that will come; together with those that are there already
  // Waits for the others, then for the batch. The first of each provider asks for all.
  Result<Reply> ask(Provider& provider, const Request& request, Observer& observer, std::stop_token stop);

 private:
  struct Waiting {
    Provider* provider = nullptr;
    BatchItem item;
    enum class State : unsigned char { waits, leads, sent, done } state = State::waits;
    std::vector<Waiting*> group;  // of a leader: all of its batch, itself too
    Result<Reply> reply = fail(Code::internal, "not asked");
  };
  bool complete() const { return members_ > 0 && waiting_.size() + in_flight_ >= members_; }  // with the mutex
  void close();  // with the mutex: what waits becomes one batch for each provider
  void lead(Waiting& leader, const std::stop_token& stop);

  const std::chrono::milliseconds grace_;
  std::mutex mutex_;  // of all below
  std::condition_variable_any changed_;
  std::vector<Waiting*> waiting_;
  std::size_t members_ = 0, expected_ = 0, in_flight_ = 0;
};

// Asks `provider` through `batches`, which outlives it.
std::shared_ptr<Provider> make_batching(std::shared_ptr<Provider> provider, Batches& batches);

}  // namespace ww::llm
