// SPDX-License-Identifier: Apache-2.0
// The programs that a run has accepted or is judging, so that each accepted program is judged only once: of two equal
// candidates, the one proposed first, whichever compiles faster. Rejected programs hide nothing, since a compromised
// worker may have reported their identity. Call all members with the run's mutex held.
#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include "explore/run_setup.h"

namespace ww::explore {

class Programs {
 public:
  struct Claim {
    enum class Kind : std::uint8_t { judge, duplicate, stopped } kind = Kind::stopped;
    std::string of;  // of a duplicate: hash of the judged candidate
  };

  void begin(std::int64_t candidate) { identifying_.insert(candidate); }  // its identity is being determined
  void end(std::int64_t candidate) { identifying_.erase(candidate); }
  void recall(const std::string& identity, const std::string& hash) { judged_.emplace(identity, hash); }
  // Waits on `changed` for earlier candidates whose identity is unknown, and for the verdict on the same program. After
  // Kind::judge, the caller must call settle().
  Claim claim(const store::CandidateRecord& item, const std::string& identity, std::unique_lock<std::mutex>& lock,
              std::condition_variable& changed, const std::function<bool()>& stopped);
  // empty hash: not accepted, so the next one is judged
  void settle(const std::string& identity, const std::string& hash);

 private:
  std::map<std::string, std::string> judged_;  // hash of the candidate by identity; empty: being judged
  std::set<std::int64_t> identifying_;
};

// The identity of a stored candidate's program: computed once, then stored.
Result<std::string> stored_identity(const RunSetup& setup, std::int64_t candidate);

}  // namespace ww::explore
