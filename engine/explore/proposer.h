// SPDX-License-Identifier: Apache-2.0
// Asks a run's generator, and gives up when nothing new comes. begin() is called before the run's threads start, ask()
// without the run's mutex, everything else under it.
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
  bool exhausted() const { return exhausted_; }  // nothing more comes
  bool failed() const { return failed_; }        // because it failed too often
  const std::string& why() const { return why_; }
  // Whether it may be asked while candidates wait or are judged. `judged`: how many the run has.
  bool asks_early(std::size_t queued, int judged) const;

  void prepare(int judged, int in_work);  // takes over the feedback; in_work: queued and being judged
  Result<std::vector<generator::Proposal>> ask(std::stop_token stop);
  void note_failure(const std::string& text, bool final, int judged);  // final: it would fail again
  void note_round(bool empty, bool any_new);

 private:
  void end(std::string why);
  const std::unique_ptr<generator::Generator> generator_;
  const RunSetup& setup_;
  generator::GeneratorRequest request_;            // of the one thread that asks: its history is never copied
  std::vector<generator::Feedback> new_feedback_;  // since the last request
  bool exhausted_ = false, failed_ = false;
  std::string why_;
  int barren_ = 0, failures_ = 0;  // rounds in a row without anything new, with an error
  int failed_at_ = -1;             // judged candidates at the last failure
  int duplicates_ = 0;             // in a row
};

}  // namespace ww::explore
