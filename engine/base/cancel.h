// SPDX-License-Identifier: Apache-2.0
// Cancellation: a source that one owner holds, tokens that are passed down by value. Any thread may ask or cancel.
#pragma once
#include <atomic>
#include <memory>

namespace ww {

class CancelToken {
 public:
  CancelToken() = default;  // never cancelled
  bool cancelled() const { return flag_ && flag_->load(std::memory_order_relaxed); }

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<std::atomic<bool>> flag_;
};

class CancelSource {
 public:
  CancelSource() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  CancelToken token() const { return CancelToken(flag_); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace ww
