// SPDX-License-Identifier: Apache-2.0
// The inside of a run: one thread asks the generator (the caller's), `workers` threads judge, one watches cancellation,
// pauses and the clock. Everything is stored before it is reported; reports are made one at a time, in the order of the
// store.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include "explore/budget_clock.h"
#include "appraisal/moves.h"
#include "appraisal/rank.h"
#include "explore/run.h"
#include "gate/cases.h"
#include "identity/program.h"
#include "store/workspace.h"

namespace ww::explore {

class Loop {
 public:
  Loop(store::Workspace& workspace, RunOptions options, op::Spec spec, std::unique_ptr<Generator> generator,
       RankRules rules, std::int64_t run, const EventHandler& handler, std::stop_token stop);
  void lend(std::unique_ptr<rpc::Supervisor> worker) {
    lent_ = std::move(worker);
  }  // a warm one, for the first that judges
  void only_given() {
    only_given_ = true;
  }                       // judges only the given candidates; the run keeps its state, and no end is announced
  Status recall();        // takes over what the store has of the run: history, ranks, queued candidates
  Status recall_ranks();  // only what judging a given candidate needs, from the rows alone
  Result<RunEnded> go();  // to the end; the run's state is stored and RunEnded reported

 private:
  struct Item {
    std::int64_t id = 0;
    std::string hash, parent, structure, title, generator, note, move, text;
    candidate::Language language = candidate::Language::cuda;
  };

  void emit(const Event& event);
  void say(store::MessageLevel level, const std::string& text);  // stored, then reported
  void stop_with(Error error);                                   // an environment's failure ends the run
  int accept(const std::vector<Proposal>& proposals,
             const std::string& generator);  // stores and queues what is new; how many
  std::vector<Proposal> pinned_given() const;
  void propose();  // asks the generator once
  bool paused() const {
    return options_.pause.paused() || clock_.paused();
  }                             // at once; it continues once that was reported
  bool want_proposals() const;  // these three and paused(): under mutex_
  bool may_judge() const;
  bool finished(store::RunState* state, std::string* why) const;
  void watch();
  void work();
  struct Judge {  // one thread's
    std::unique_ptr<rpc::Supervisor> supervisor;
    int started = 0;    // workers that it had started when the last verdict came
    bool used = false;  // a worker has judged
  };
  rpc::Supervisor& worker_of(Judge& judge);  // starts one where there is none
  void judge(const Item& item, Judge& judge);
  // Compares it with what this run has judged. True: it is the same as one of them, which is stored and reported; else
  // this thread judges it, and others that are the same wait for that.
  bool is_duplicate(const Item& item, const std::string& identity);
  std::string compiled_identity(const Item& item, rpc::Supervisor& supervisor);  // empty: unknown
  void settle(const std::string& identity,
              const Item* judged);  // null: it got no verdict, the next of this identity is judged
  void record_duplicate(const Item& item, const std::string& of);
  void note_fresh_worker(const Item& item, Judge& judge, int process);
  void describe(rpc::Supervisor& supervisor);  // once per process: what compiles and judges, into the run's log
  void record(const Item& item, const evidence::Verdict& verdict, const std::string& identity);
  void record_error(const Item& item, const Error& error);
  Result<std::string> identity_of_stored(std::int64_t candidate);  // computed once, then kept in the store
  Feedback feedback_of(const Item& item) const;                    // without its verdict
  CandidateRow row_of(const Item& item, store::CandidateState state) const;

  store::Workspace& workspace_;
  const std::int64_t run_;
  const RunOptions options_;
  const op::Spec spec_;
  const Host host_;  // outlives generator_
  const std::unique_ptr<Generator> generator_;
  const RankRules rules_;
  const EventHandler& handler_;
  const std::stop_token cancel_;
  op::Binding binding_;  // the default case in full
  std::vector<identity::BoundCase>
      cases_;  // that the gate tries, for the comparison of plans; empty: nothing is compared
  const int workers_;

  std::stop_source stop_;  // of the workers: the person's cancellation or a failure of the environment
  std::stop_source hush_;  // of the generator: the same, or the clock

  std::mutex event_mutex_;                       // taken before mutex_, never after
  Provenance provenance_ = Provenance::unknown;  // of the first score; no other is ranked with it. Under event_mutex_
  mutable std::mutex mutex_;                     // of everything below
  BudgetClock clock_;                            // changed by watch() alone
  std::unique_ptr<rpc::Supervisor> lent_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  GeneratorRequest request_;  // of propose() alone, which runs on one thread: what the generator was told
  int judging_ = 0, judged_ = 0, proposed_ = 0, accepted_ = 0;
  std::set<std::string> structures_;  // of accepted candidates
  std::map<std::string, std::string>
      identities_;  // of what was judged or is being judged: hash of the candidate; empty: no verdict yet
  std::set<std::int64_t> identifying_;  // being compiled for that: of two that are the same the one that was proposed
                                        // first is judged, whatever compiles faster
  int duplicates_in_a_row_ = 0;
  std::map<std::string, MoveSide> ranked_;               // by hash: what steps away from it are compared with
  std::vector<Feedback> news_;                           // that the generator was not told yet
  std::vector<std::pair<std::int64_t, double>> scores_;  // all of provenance_
  std::map<std::string, std::size_t> unranked_reasons_;
  bool only_given_ = false;
  bool exhausted_ = false;  // the generator has nothing more
  std::string exhausted_why_;
  bool generator_failed_ = false;
  int barren_ = 0, failures_ = 0;  // rounds in a row without anything new, with an error
  int failed_at_ = -1;             // judged_ at the generator's last failure
  int errors_in_a_row_ = 0;        // judgements that failed outside the candidate
  bool described_ = false, time_over_ = false, done_ = false;
  std::optional<Error> failure_;
};

}  // namespace ww::explore
