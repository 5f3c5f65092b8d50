// SPDX-License-Identifier: Apache-2.0
// Pausing: a switch that one owner holds, tokens that are passed down by value. Any thread may ask or switch. Who holds
// a token starts nothing new while it is paused; work in progress is finished.
#pragma once
#include <atomic>
#include <memory>

namespace ww {

class PauseToken {
 public:
  PauseToken() = default;  // never paused
  bool paused() const { return flag_ && flag_->load(std::memory_order_relaxed); }

 private:
  friend class PauseSwitch;
  explicit PauseToken(std::shared_ptr<std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<std::atomic<bool>> flag_;
};

class PauseSwitch {
 public:
  PauseSwitch() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void pause() { flag_->store(true, std::memory_order_relaxed); }
  void resume() { flag_->store(false, std::memory_order_relaxed); }
  bool paused() const { return flag_->load(std::memory_order_relaxed); }
  PauseToken token() const { return PauseToken(flag_); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace ww
