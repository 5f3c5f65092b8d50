// SPDX-License-Identifier: Apache-2.0
// Implementation of a run: one thread asks the generator (the caller's), `workers` threads judge, one watches
// cancellation, pauses and the clock. Everything is stored before it is reported; reports are made one at a time, in
// the order of the store.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
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
  void use_worker(std::unique_ptr<rpc::Supervisor> warm) { warm_ = std::move(warm); }  // by the first that judges
  // Judges only the given candidates; the run keeps its state, and no end is announced.
  void only_given() { only_given_ = true; }
  Status recall();        // takes over what the store has of the run: history, ranks, queued candidates
  Status recall_ranks();  // only what judging a given candidate needs, from the rows alone
  Result<RunEnded> go();  // to the end; the run's state is stored and RunEnded reported

 private:
  void emit(const Event& event);
  void say(store::MessageLevel level, const std::string& text);  // stored, then reported
  void stop_with(Error error);                                   // an environment's failure ends the run
  void stop_all();

  // Proposals
  std::vector<generator::Proposal> pinned_given() const;
  // Stores and queues what is new; how many.
  int accept(const std::vector<generator::Proposal>& proposals, const std::string& generator);
  Result<std::int64_t> add(const generator::Proposal& proposal, const std::string& generator, bool& known);
  void propose();  // asks the generator once

  // Under mutex_
  bool paused() const { return setup_.options.pause.paused() || clock_.paused(); }  // ends once it was reported
  bool want_proposals() const;
  bool may_judge() const;
  bool finished(RunEnded& ended) const;

  // Threads
  RunEnded ask();  // the generator, until the run is over; why it is
  void watch();
  void report_pause(bool pauses, std::unique_lock<std::mutex>& lock);
  void work();

  // Judging
  void judge(const store::CandidateRecord& item, Judge& judge);
  // Or the run has been stopped. Clears an identity that cannot be believed.
  bool is_duplicate(const store::CandidateRecord& item, std::string& identity, Judge& judge);
  void settle(const std::string& identity, const std::string& hash);
  void record(const store::CandidateRecord& item, const evidence::Verdict& verdict, const std::string& identity);
  void record_duplicate(const store::CandidateRecord& item, const std::string& of);
  void record_not_judged(const store::CandidateRecord& item, const Error& error);
  bool count_judged(bool outside,
                    generator::Feedback* feedback);  // true: too many in a row failed outside their candidates
  void stop_after_errors(const Error& last);
  void describe(rpc::Supervisor& supervisor);  // once per process: what compiles and judges, into the run's log
  Result<RunEnded> conclude(RunEnded ended);

  const RunSetup setup_;
  const generator::Host host_;
  Proposer proposer_;
  const EventHandler& handler_;
  const std::stop_token cancel_;
  std::stop_source stop_;            // of the workers: the person's cancellation or a failure of the environment
  std::stop_source generator_stop_;  // the same, or the clock

  std::mutex event_mutex_;    // taken before mutex_, never after
  Standings standings_;       // under event_mutex_
  mutable std::mutex mutex_;  // of everything below, and of proposer_
  BudgetClock clock_;         // changed by watch() alone
  std::unique_ptr<rpc::Supervisor> warm_;
  std::condition_variable changed_;
  std::deque<store::CandidateRecord> queue_;
  Programs programs_;
  int judging_ = 0, judged_ = 0, proposed_ = 0;
  int errors_in_a_row_ = 0;  // judgements that failed outside the candidate
  bool only_given_ = false, described_ = false, time_over_ = false, done_ = false;
  std::optional<Error> failure_;
};

}  // namespace ww::explore
