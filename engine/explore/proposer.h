// SPDX-License-Identifier: Apache-2.0
// Calls a run's generator, and gives up if nothing new comes. Call begin() before the run's threads start, ask()
// without the run's mutex, everything else with it.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "explore/run_setup.h"

namespace ww::explore {

class Proposer {
 public:
  Proposer(std::unique_ptr<generator::Generator> generator, const RunSetup& setup);
  Status begin(const generator::Host& host);
  void add_feedback(generator::Feedback feedback);  // for the next request
  void add_duplicate(generator::Feedback feedback);
  bool exhausted() const { return exhausted_; }                // no more proposals
  bool failed() const { return failed_; }                      // because it failed too often
  bool outage() const { return failed_ && is_outage(code_); }  // of a service that it needs
  const std::string& why() const { return why_; }
  // Whether it may be called while candidates are queued or being judged. `judged`: number of judged candidates.
  bool asks_early(std::size_t queued, int judged) const;

  void prepare(int judged, int in_work);  // passes on the feedback; in_work: queued and being judged
  Result<std::vector<generator::Proposal>> ask(std::stop_token stop);
  void note_failure(const std::string& text, Code code, bool final, int judged);  // final: it would fail again
  void note_round(bool empty, bool any_new);

 private:
  void end(std::string why);
  const std::unique_ptr<generator::Generator> generator_;
  const RunSetup& setup_;
  generator::GeneratorRequest request_;            // only for the asking thread: its history is never copied
  std::vector<generator::Feedback> new_feedback_;  // since the last request
  bool exhausted_ = false, failed_ = false;
  std::string why_;
  Code code_ = Code::internal;           // of the last failure
  int empty_rounds_ = 0, failures_ = 0;  // consecutive rounds without anything new; with an error
  int failed_at_ = -1;                   // judged candidates at the last failure
  int duplicates_ = 0;                   // consecutive
};

}  // namespace ww::explore
