// SPDX-License-Identifier: Apache-2.0
// The programs that a run has accepted or is judging, so that a program that passed is judged once: of two candidates
// that are the same, the one that was proposed first, whatever compiles faster. What was rejected hides nothing: a
// worker under foreign control may have said which program that was. All members are called under the run's mutex.
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
    std::string of;  // of a duplicate: hash of the candidate that was judged
  };

  void begin(std::int64_t candidate) { identifying_.insert(candidate); }  // its identity is being found
  void end(std::int64_t candidate) { identifying_.erase(candidate); }
  void recall(const std::string& identity, const std::string& hash) { judged_.emplace(identity, hash); }
  // Waits, on `changed`, for earlier candidates whose identity is unknown and for the verdict on the same program.
  // After Kind::judge the caller calls settle().
  Claim claim(const store::CandidateRecord& item, const std::string& identity, std::unique_lock<std::mutex>& lock,
              std::condition_variable& changed, const std::function<bool()>& stopped);
  void settle(const std::string& identity, const std::string& hash);  // hash empty: not accepted, the next is judged

 private:
  std::map<std::string, std::string> judged_;  // hash of the candidate by identity; empty: it is being judged
  std::set<std::int64_t> identifying_;
};

// The identity of a stored candidate's program: computed once, then kept in the store.
Result<std::string> stored_identity(const RunSetup& setup, std::int64_t candidate);

}  // namespace ww::explore
