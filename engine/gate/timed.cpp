// SPDX-License-Identifier: Apache-2.0
#include "gate/timed.h"
#include "base/draw.h"
#include "gate/drawn.h"

namespace ww::gate {

Result<std::vector<profile::SubjectTiming>> time_trials(device::Device& device, std::span<TimedTrial> trials,
                                                        std::span<const TimedSet> sets, std::size_t first, bool verify,
                                                        device::TimeOptions options) {
  if (sets.empty()) return fail(Code::internal, "there are no inputs to time");
  std::size_t current = first % sets.size();
  bool timed = false;  // has a round been timed over the current inputs?
  int loads = 0;
  const auto load = [&]() -> Status {
    const std::uint8_t poison = poison_of(splitmix(sets[current].what.seed + static_cast<std::uint64_t>(loads++)));
    for (TimedTrial& t : trials)
      if (Status s = t.trial->load(sets[current].inputs, poison); !s) return s;
    return {};
  };
  const auto check = [&]() -> Status {
    for (TimedTrial& t : trials) {
      if (t.wrong) continue;
      RunOptions how;
      how.keep_outputs = false;
      how.stop = options.stop;
      RunOutcome outcome = WW_TRY(t.trial->check(sets[current].inputs, how));
      if (outcome.right) {
        ++t.verified;
        continue;
      }
      t.wrong = std::move(outcome);
      t.wrong_set = sets[current].what;
    }
    return {};
  };
  WW_TRY(load());
  std::vector<device::TimedSubject> subjects;
  for (TimedTrial& t : trials) {
    device::TimedSubject subject;
    subject.name = t.name;
    subject.execution = &t.trial->execution();
    if (t.enqueue)
      subject.enqueue = t.enqueue;
    else {
      subject.launches = t.trial->plan().launches;
      subject.zeroed = t.trial->zeroed();
    }
    subjects.push_back(std::move(subject));
  }
  options.before_round = [&](int round) -> Status {
    if (verify && timed)
      if (Status s = check(); !s) return s;
    current = (first + static_cast<std::size_t>(round)) % sets.size();
    timed = true;
    return load();
  };
  auto timings = device.time(subjects, options);
  if (!timings) return timings;
  if (verify) WW_TRY(check());
  return timings;
}

}  // namespace ww::gate
