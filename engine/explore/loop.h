// SPDX-License-Identifier: Apache-2.0
// The inside of a run: one thread asks the generator (the caller's), `workers` threads judge, one watches cancellation and the clock.
// Everything is stored before it is reported; reports are made one at a time, in the order of the store.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include "explore/rank.h"
#include "explore/run.h"
#include "store/workspace.h"

namespace ww::explore {

class Loop {
 public:
  Loop(store::Workspace& workspace, RunOptions options, op::Spec spec, std::unique_ptr<Generator> generator, RankRules rules, std::int64_t run,
       const EventHandler& handler, CancelToken cancel);
  void lend(std::unique_ptr<rpc::Supervisor> worker) { lent_ = std::move(worker); }  // a warm one, for the first that judges
  Status recall();              // takes over what the store has of the run: history, ranks, queued candidates
  Result<RunEnded> go();        // to the end; the run's state is stored and RunEnded reported

 private:
  struct Item {
    std::int64_t id = 0;
    std::string hash, parent, structure, title, generator, text;
    candidate::Language language = candidate::Language::cuda;
  };

  void emit(const Event& event);
  void say(const std::string& level, const std::string& text);   // stored, then reported
  void stop_with(Error error);                                   // an environment's failure ends the run
  int accept(const std::vector<Proposal>& proposals, const std::string& generator);  // stores and queues what is new; how many
  std::vector<Proposal> pinned_given() const;
  void propose();               // asks the generator once
  bool want_proposals() const;  // these three: under mutex_
  bool may_judge() const;
  bool finished(std::string* state, std::string* why) const;
  void watch();
  void work();
  struct Judge {                // one thread's
    std::unique_ptr<rpc::Supervisor> supervisor;
    int started = 0;            // workers that it had started when the last verdict came
    bool used = false;          // a worker has judged
  };
  void judge(const Item& item, Judge& judge);
  void note_fresh_worker(const Item& item, Judge& judge, int process);
  void describe(rpc::Supervisor& supervisor);  // once per process: what compiles and judges, into the run's log
  void record(const Item& item, const gate::Verdict& verdict);
  void record_error(const Item& item, const Error& error);
  Feedback feedback_of(const Item& item) const;   // without its verdict
  CandidateRow row_of(const Item& item, const std::string& state) const;

  store::Workspace& workspace_;
  const RunOptions options_;
  const op::Spec spec_;
  const std::unique_ptr<Generator> generator_;
  const RankRules rules_;
  const std::int64_t run_;
  const EventHandler& handler_;
  const CancelToken cancel_;
  op::Binding binding_;         // the default case in full
  const int workers_;
  std::chrono::steady_clock::time_point deadline_;

  CancelSource stop_;           // of the workers: the person's cancellation or a failure of the environment
  CancelSource hush_;           // of the generator: the same, or the clock

  std::mutex event_mutex_;      // taken before mutex_, never after
  std::string provenance_;      // of the first score; no other is ranked with it. Under event_mutex_
  mutable std::mutex mutex_;    // of everything below
  std::unique_ptr<rpc::Supervisor> lent_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  int judging_ = 0, judged_ = 0, proposed_ = 0, accepted_ = 0;
  std::set<std::string> structures_;       // of accepted candidates
  std::vector<Feedback> history_;
  std::vector<std::pair<std::int64_t, double>> scores_;  // all of provenance_
  std::map<std::string, std::size_t> unranked_reasons_;
  bool exhausted_ = false;      // the generator has nothing more
  std::string exhausted_why_;
  bool generator_failed_ = false;
  int barren_ = 0, failures_ = 0;          // rounds in a row without anything new, with an error
  int failed_at_ = -1;          // judged_ at the generator's last failure
  int errors_in_a_row_ = 0;                // judgements that failed outside the candidate
  bool described_ = false, time_over_ = false, done_ = false;
  std::optional<Error> failure_;
};

}  // namespace ww::explore
