// SPDX-License-Identifier: Apache-2.0
// Implementation of a run: the caller's thread calls the generator, `workers` threads judge, one watches cancellation,
// pauses and the clock. Everything is stored before it is reported; reports are made one at a time, in the order of the
// store.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include "explore/budget_clock.h"
#include "explore/judge.h"
#include "explore/programs.h"
#include "explore/proposer.h"
#include "explore/standings.h"

namespace ww::explore {

class Loop {
 public:
  Loop(store::Workspace& workspace, generator::RunOptions options, op::Spec spec, std::vector<evidence::Case> cases,
       std::unique_ptr<generator::Generator> generator, appraisal::RankRules rules, std::int64_t run,
       const EventHandler& handler, std::stop_token stop);
  // for the first thread that judges
  void use_worker(std::unique_ptr<rpc::Supervisor> warm) { warm_ = std::move(warm); }
  // Judges only the given candidates; the run keeps its state, and its end is not announced.
  void only_given() { only_given_ = true; }
  Status recall();        // loads the run from the store: history, ranks, queued candidates
  Status recall_ranks();  // only what judging a given candidate needs, from the rows
  Result<RunEnded> go();  // runs to the end; stores the run's state and reports RunEnded

 private:
  void emit(const Event& event);
  void say(store::MessageLevel level, const std::string& text);  // stored, then reported
  void stop_with(Error error);                                   // ends the run after an environment failure
  void stop_all();

  // Proposals
  std::vector<generator::Proposal> pinned_given() const;
  // Stores and queues new proposals; returns their number.
  int accept(const std::vector<generator::Proposal>& proposals, const std::string& generator);
  Result<std::int64_t> add(const generator::Proposal& proposal, const std::string& generator, bool& known);
  void propose();  // calls the generator once

  // With mutex_ held
  bool paused() const { return setup_.options.pause.paused() || clock_.paused(); }  // a pause ends once it was reported
  bool want_proposals() const;
  bool may_judge() const;
  bool finished(RunEnded& ended) const;

  // Threads
  RunEnded ask();  // runs the generator until the run is over; returns why it ended
  void watch();
  void note_wait(const llm::ModelEvent& event);  // the clock stands still while a model's service is waited for
  void report_pause(bool pauses, std::unique_lock<std::mutex>& lock);
  void work();

  // Judging
  void judge(const store::CandidateRecord& item, Judge& judge);
  // Or until the run is stopped. Clears an identity that cannot be trusted.
  bool is_duplicate(const store::CandidateRecord& item, std::string& identity, Judge& judge);
  void settle(const std::string& identity, const std::string& hash);
  void record(const store::CandidateRecord& item, const evidence::Verdict& verdict, const std::string& identity);
  void record_duplicate(const store::CandidateRecord& item, const std::string& of);
  void record_not_judged(const store::CandidateRecord& item, const Error& error);
  bool count_judged(bool outside,
                    // true: too many consecutive failures unrelated to their candidates
                    generator::Feedback* feedback);
  void stop_after_errors(const Error& last);
  void describe(rpc::Supervisor& supervisor);  // once per process: logs what compiles and judges
  Result<RunEnded> conclude(RunEnded ended);

  const RunSetup setup_;
  const generator::Host host_;
  Proposer proposer_;
  const EventHandler& handler_;
  const std::stop_token cancel_;
  std::stop_source stop_;            // for the workers: cancelled by the user, or an environment failure
  std::stop_source generator_stop_;  // the same, or out of time

  DeviceTurn turn_{setup_.options.device};
  std::mutex event_mutex_;           // taken before mutex_, never after
  Standings standings_;              // guarded by event_mutex_
  mutable std::mutex mutex_;         // guards everything below, and proposer_
  BudgetClock clock_;                // changed only by watch()
  std::set<std::int64_t> awaiting_;  // exchanges whose service asked for a long wait
  std::unique_ptr<rpc::Supervisor> warm_;
  std::condition_variable changed_;
  std::deque<store::CandidateRecord> queue_;
  Programs programs_;
  int judging_ = 0, judged_ = 0, proposed_ = 0;
  int errors_in_a_row_ = 0;  // consecutive judgements that failed for reasons outside the candidate
  bool only_given_ = false, described_ = false, time_over_ = false, done_ = false;
  std::optional<Error> failure_;
};

}  // namespace ww::explore
