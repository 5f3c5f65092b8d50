// SPDX-License-Identifier: Apache-2.0
// Progress display in a terminal.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "console.h"
#include "explore/run_clock.h"
#include "llm/events.h"

namespace ww::cli {

// Requests to models: a line for each one that ended; the live line shows what is being written and the spend. Not
// thread-safe.
class ModelWatcher {
 public:
  explicit ModelWatcher(LiveLine& live) : live_(live) {}
  void operator()(const llm::ModelEvent& event);
  bool said(std::string_view text) const;  // a failed request already gave this reason
  std::string meter() const;               // "3 requests, 12,345 tokens, $0.12 of $2"; empty before the first request

 private:
  void on(const llm::ExchangeStarted& e);
  void on(const llm::Streaming& e);
  void on(const llm::ExchangeEnded& e);
  void on(const llm::SpendChanged& e) { spend_ = e.spend; }
  void on(const llm::Awaiting& e);
  void on(const llm::PromptCut& e);
  void on(const llm::AskedAgain& e);

  struct Open {
    std::string what;
    std::size_t characters = 0;
    std::string line;
  };
  LiveLine& live_;
  std::map<std::int64_t, Open> open_;
  std::vector<std::string> failures_;  // how the reasons begin, since the last reply
  llm::Spend spend_;
};

class Watcher {  // for a run; not thread-safe
 public:
  // `judged`: before, of a run that is resumed.
  explicit Watcher(const generator::Budget& budget, int judged = 0)
      : budget_(budget), judged_(judged), models_(live_) {}
  void operator()(const explore::Event& event);
  std::int64_t run() const { return run_; }  // 0 before it starts

 private:
  void on(const explore::RunStarted& e);
  void on(const explore::CandidateProposed&) {}
  void on(const explore::CandidateProgress& e);
  void on(const explore::CandidateJudged& e);
  void on(const explore::RanksChanged&) {}
  void on(const explore::RunMessage& e);
  void on(const explore::RunPaused&) {}  // a message reports it, too
  void on(const explore::RunEnded&) { live_.clear(); }
  void on(const llm::ModelEvent& e) {
    const bool said = std::holds_alternative<llm::PromptCut>(e) || std::holds_alternative<llm::AskedAgain>(e);
    if (!said) models_(e);  // a message reports these, too
  }

  const generator::Budget budget_;
  explore::RunClock clock_;
  int judged_, accepted_ = 0;
  std::int64_t run_ = 0;
  std::string best_;
  LiveLine live_;
  ModelWatcher models_;
};

// One line on stderr, above the live line.
void say(LiveLine& live, const std::string& text);

std::string count_text(std::int64_t n);  // "12,345"
std::string money_text(double dollars);  // "$0.0021", "$12.30"

}  // namespace ww::cli
