// SPDX-License-Identifier: Apache-2.0
// Pausing: one owner holds the switch; tokens are passed by value. Any thread may query or switch. While paused,
// holders of a token start nothing new but finish work in progress.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace ww {

class PauseState;

class PauseToken {
 public:
  PauseToken() = default;  // never paused
  bool paused() const;

 private:
  friend class PauseSwitch;
  friend class PauseCallback;
  explicit PauseToken(std::shared_ptr<PauseState> state) : state_(std::move(state)) {}
  std::shared_ptr<PauseState> state_;
};

class PauseSwitch {
 public:
  PauseSwitch();
  void pause() { set(true); }
  void resume() { set(false); }
  bool paused() const { return token().paused(); }
  PauseToken token() const { return PauseToken(state_); }

 private:
  void set(bool paused);
  std::shared_ptr<PauseState> state_;
};

// Calls `changed` on the switching thread at each switch, until destroyed; the destructor waits for a call in progress.
// `changed` must neither switch nor create or destroy a PauseCallback of the same switch.
class PauseCallback {
 public:
  PauseCallback(const PauseToken& token, std::function<void()> changed);
  ~PauseCallback();
  PauseCallback(const PauseCallback&) = delete;
  PauseCallback& operator=(const PauseCallback&) = delete;

 private:
  std::shared_ptr<PauseState> state_;
  std::list<std::function<void()>>::iterator at_;
};

}  // namespace ww
