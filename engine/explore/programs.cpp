// SPDX-License-Identifier: Apache-2.0
#include "explore/programs.h"

namespace ww::explore {

Programs::Claim Programs::claim(const store::CandidateRecord& item, const std::string& identity,
                                std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                                const std::function<bool()>& stopped) {
  end(item.id);
  changed.notify_all();
  if (identity.empty()) return {Claim::Kind::judge, {}};
  changed.wait(lock, [&] { return stopped() || identifying_.empty() || *identifying_.begin() > item.id; });
  for (;;) {
    if (stopped()) return {};  // it stays queued
    const auto [at, fresh] = judged_.emplace(identity, std::string());
    if (fresh || at->second == item.hash) return {Claim::Kind::judge, {}};
    if (!at->second.empty()) return {Claim::Kind::duplicate, at->second};
    changed.wait(lock, [&] {
      const auto other = judged_.find(identity);
      return stopped() || other == judged_.end() || !other->second.empty();
    });
  }
}

void Programs::settle(const std::string& identity, const std::string& hash) {
  if (hash.empty())
    judged_.erase(identity);
  else if (!identity.empty())
    judged_[identity] = hash;
}

Result<std::string> stored_identity(const RunSetup& setup, std::int64_t candidate) {
  const store::CandidateRecord c = WW_TRY(setup.workspace.candidate(candidate));
  std::string identity;
  if (c.verdict && !c.verdict->ptx.empty() && !setup.cases.empty())
    if (const auto parsed = candidate::parse(c.text, c.language))
      identity = identity::program_identity(*parsed, setup.spec, setup.cases, c.verdict->ptx);
  WW_TRY(setup.workspace.set_identity(candidate, identity));
  return identity;
}

}  // namespace ww::explore
