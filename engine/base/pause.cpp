// SPDX-License-Identifier: Apache-2.0
#include "base/pause.h"
#include <atomic>
#include <mutex>
#include <utility>

namespace ww {

class PauseState {
 public:
  std::atomic<bool> paused = false;
  std::mutex mutex;  // of the callbacks, held while they are called
  std::list<std::function<void()>> callbacks;
};

bool PauseToken::paused() const { return state_ && state_->paused; }

PauseSwitch::PauseSwitch() : state_(std::make_shared<PauseState>()) {}

void PauseSwitch::set(bool paused) {
  if (state_->paused.exchange(paused) == paused) return;
  const std::lock_guard lock(state_->mutex);
  for (const auto& changed : state_->callbacks) changed();
}

PauseCallback::PauseCallback(const PauseToken& token, std::function<void()> changed) : state_(token.state_) {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  at_ = state_->callbacks.insert(state_->callbacks.end(), std::move(changed));
}

PauseCallback::~PauseCallback() {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->callbacks.erase(at_);
}

}  // namespace ww
