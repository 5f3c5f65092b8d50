// SPDX-License-Identifier: Apache-2.0
// Which requests a recorded run made, attempt by attempt, for its replay. What was not asked then, since the process
// ended or a service had failed others of the round, is not asked now, however fast the recorded answers come.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>
#include "base/result.h"
#include "llm/client.h"
#include "store/workspace.h"

namespace ww::model_loop {

class Transcript {
 public:
  Transcript() = default;  // of no run
  static Result<Transcript> load(store::Workspace& workspace, std::int64_t run);
  // Whether a model ("PRESET:MODEL") was asked in this attempt.
  bool has(store::AgentRole role, const store::Origin& origin, const std::string& model) const;

  using Attempt = std::tuple<store::AgentRole, std::string, std::uint64_t>;  // role, strategy, task
  struct Asked {
    std::string model;
    store::ExchangeOutcome outcome = store::ExchangeOutcome::none;
  };
  // In their order; calls of tools, repairs and other models included.
  const std::vector<Asked>& requests(const Attempt& attempt) const;

 private:
  std::map<Attempt, std::vector<Asked>> attempts_;
};

// For a part of a replayed run that another part follows. Where the recorded process ended within an attempt, the next
// request is Code::cancelled, and nothing of it is stored; nor is the outcome of a reply that it did not come to read.
// Both must outlive it.
std::unique_ptr<llm::Client> make_ending_with(const Transcript& transcript, llm::Client& client);

}  // namespace ww::model_loop
