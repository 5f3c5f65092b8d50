// SPDX-License-Identifier: Apache-2.0
// The threads of a run, which ask, watch and judge, and its end.
#include "explore/loop.h"
#include <algorithm>
#include <utility>
#include "base/countdown.h"
#include "base/plural.h"
#include "explore/generators.h"

namespace ww::explore {
namespace {

// "stopped after 3 of 24 candidates"
std::string stopped_text(int judged, int budget) {
  return budget > 0 ? "stopped after " + std::to_string(judged) + " of " + plural(budget, "candidate")
                    : "stopped after " + plural(judged, "candidate");
}

}  // namespace

Loop::Loop(store::Workspace& workspace, generator::RunOptions options, op::Spec spec, std::vector<evidence::Case> cases,
           std::unique_ptr<generator::Generator> generator, appraisal::RankRules rules, std::int64_t run,
           const EventHandler& handler, std::stop_token stop)
    : setup_(workspace, run, std::move(options), std::move(spec), std::move(cases), std::move(rules)),
      host_{workspace,
            run,
            setup_.options,
            [this](const llm::ModelEvent& e) {
              note_wait(e);
              emit(e);
            },
            [this](store::MessageLevel level, const std::string& text) { say(level, text); },
            make_generator},
      proposer_(std::move(generator), setup_),
      handler_(handler),
      cancel_(std::move(stop)),
      // A replay ends where its transcript does, which is not a matter of time.
      clock_(std::chrono::steady_clock::now(),
             setup_.options.model.replay_of != 0 ? 0 : setup_.options.budget.minutes) {}

void Loop::emit(const Event& event) {
  const std::lock_guard lock(event_mutex_);
  if (handler_) handler_(event);
}

void Loop::say(store::MessageLevel level, const std::string& text) {
  if (Status s = setup_.workspace.add_message(setup_.run, level, text); !s) stop_with(s.error());
  emit(RunMessage{level, text});
}

void Loop::stop_with(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
  }
  stop_all();
}

void Loop::stop_all() {
  stop_.request_stop();
  generator_stop_.request_stop();
  changed_.notify_all();
}

bool Loop::want_proposals() const {
  if (proposer_.exhausted() || time_over_ || paused()) return false;
  const int in_work = judging_ + static_cast<int>(queue_.size()), budget = setup_.options.budget.candidates;
  if (budget > 0 && judged_ + in_work >= budget) return false;
  return in_work == 0 || proposer_.asks_early(queue_.size(), judged_);
}

bool Loop::may_judge() const {
  const int budget = setup_.options.budget.candidates;
  return !queue_.empty() && !time_over_ && !paused() && (budget <= 0 || judged_ + judging_ < budget);
}

bool Loop::finished(RunEnded& ended) const {
  using enum store::RunState;
  const auto end = [&](store::RunState state, std::string why) {
    ended.state = state;
    ended.why = std::move(why);
    return true;
  };
  const int budget = setup_.options.budget.candidates;
  if (failure_) return end(failed, failure_->text());
  if (cancel_.stop_requested()) return end(cancelled, stopped_text(judged_, budget));
  if (budget > 0 && judged_ >= budget) return end(done, "the budget of " + plural(budget, "candidate") + " is used up");
  if (time_over_ && judging_ == 0) return end(done, "the time of the budget is used up");
  ended.outage = proposer_.outage();
  if (proposer_.exhausted() && queue_.empty() && judging_ == 0)
    return end(proposer_.failed() ? failed : done, proposer_.why());
  return false;
}

RunEnded Loop::ask() {
  RunEnded ended;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_.stop_requested() || want_proposals() || finished(ended); });
      if (finished(ended)) return ended;
      if (stop_.stop_requested() || !want_proposals()) continue;
    }
    propose();
  }
}

void Loop::report_pause(bool pauses, std::unique_lock<std::mutex>& lock) {
  if (pauses) clock_.pause(std::chrono::steady_clock::now());
  lock.unlock();
  say(store::MessageLevel::info, pauses ? "paused: work in progress will finish" : "run resumed");
  emit(RunPaused{setup_.run, pauses});
  lock.lock();
  if (!pauses) clock_.resume(std::chrono::steady_clock::now());
  changed_.notify_all();
}

void Loop::note_wait(const llm::ModelEvent& event) {
  if (const auto* cut = std::get_if<llm::PromptCut>(&event)) say(store::MessageLevel::warning, llm::sentence(*cut));
  if (const auto* again = std::get_if<llm::AskedAgain>(&event))
    say(store::MessageLevel::warning, llm::sentence(*again));
  const auto* wait = std::get_if<llm::Awaiting>(&event);
  if (!wait) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (wait->left.count() == 0)
      awaiting_.erase(wait->exchange);
    else
      first = awaiting_.insert(wait->exchange).second && awaiting_.size() == 1;
  }
  if (first)
    say(store::MessageLevel::warning,
        wait->host + " asks to wait " + countdown(wait->left) + ": the run is paused until then");
  changed_.notify_all();
}

void Loop::watch() {
  const auto look = [this] {
    { const std::lock_guard lock(mutex_); }  // never between a look of this thread and its wait
    changed_.notify_all();
  };
  const std::stop_callback on_cancel(cancel_, look);
  const PauseCallback on_pause(setup_.options.pause, look);
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (cancel_.stop_requested() && !stop_.stop_requested()) stop_all();
    const auto pauses = [&] { return setup_.options.pause.paused() || !awaiting_.empty(); };
    if (pauses() != clock_.paused()) {
      report_pause(pauses(), lock);
      continue;
    }
    if (!time_over_ && clock_.over(std::chrono::steady_clock::now())) {
      time_over_ = true;
      generator_stop_.request_stop();
      changed_.notify_all();
    }
    const auto due = [&] {
      return done_ || (cancel_.stop_requested() && !stop_.stop_requested()) || pauses() != clock_.paused();
    };
    if (const std::optional<BudgetClock::Time> end = time_over_ ? std::nullopt : clock_.end())
      changed_.wait_until(lock, *end, due);
    else
      changed_.wait(lock, due);
  }
}

void Loop::work() {
  std::unique_lock lock(mutex_);
  Judge mine(setup_, stop_.get_token(), std::move(warm_), turn_);
  for (;;) {
    changed_.wait(lock, [&] { return done_ || stop_.stop_requested() || may_judge(); });
    if (done_ || stop_.stop_requested()) return;
    const store::CandidateRecord item = std::move(queue_.front());
    queue_.pop_front();
    ++judging_;
    programs_.begin(item.id);
    lock.unlock();
    try {
      judge(item, mine);
    } catch (const std::exception& e) {
      stop_with({Code::internal, "judging candidate " + std::to_string(item.id) + " failed", e.what()});
    }
    lock.lock();
    --judging_;
    programs_.end(item.id);
    changed_.notify_all();
  }
}

Result<RunEnded> Loop::go() {
  if (Status begun = proposer_.begin(host_); !begun) stop_with(begun.error());
  std::vector<std::thread> threads;
  threads.emplace_back([this] { watch(); });
  if (!stop_.stop_requested()) accept(pinned_given(), "manual");
  const int budget = setup_.options.budget.candidates;
  const int count = budget > 0 ? std::min(setup_.workers, budget) : setup_.workers;
  for (int i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
  RunEnded ended = ask();
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  stop_.request_stop();  // ends what is still being judged; it stays queued
  changed_.notify_all();
  for (std::thread& t : threads) t.join();
  return conclude(std::move(ended));
}

// After all threads: nothing is locked.
Result<RunEnded> Loop::conclude(RunEnded ended) {
  ended.run = setup_.run;
  ended.proposed = proposed_;
  ended.accepted = standings_.accepted();
  ended.structures = standings_.structures();
  if (failure_) ended.state = store::RunState::failed, ended.why = failure_->text();
  if (!only_given_) {
    const bool failed = ended.state == store::RunState::failed;
    (void)setup_.workspace.add_message(setup_.run, failed ? store::MessageLevel::error : store::MessageLevel::info,
                                       enum_string(ended.state) + ": " + ended.why);
    if (Status s = setup_.workspace.set_run_state(setup_.run, ended.state, ended.why); !s && !failure_) {
      failure_ = s.error();
      ended.state = store::RunState::failed;
      ended.why = s.error().text();
    }
    emit(ended);
  }
  if (failure_) return fail(*failure_);
  return ended;
}

}  // namespace ww::explore
