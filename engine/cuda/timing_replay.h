// SPDX-License-Identifier: Apache-2.0
// One or several consecutive executions of a subject's plan, ready to be enqueued together.
#pragma once
#include <string>
#include "cuda/internal.h"

namespace ww::cuda {

class TimedReplay {
 public:
  // Captures `copies` executions in a graph. Work that cannot be captured is enqueued again at each replay: captured()
  // is then false and copies 1.
  static Result<TimedReplay> make(Context& context, const device::TimedSubject& subject, int copies);
  TimedReplay(TimedReplay&& other) noexcept;
  TimedReplay& operator=(TimedReplay&& other) noexcept;
  ~TimedReplay();
  Status enqueue() const;  // on the context's stream, without waiting
  bool captured() const { return graph_ != nullptr; }
  int copies() const { return copies_; }
  const std::string& why_not() const { return why_not_; }  // if !captured()

 private:
  TimedReplay(Context& context, const device::TimedSubject& subject) : context_(&context), subject_(&subject) {}
  Context* context_;
  const device::TimedSubject* subject_;
  CUgraphExec graph_ = nullptr;
  int copies_ = 1;
  std::string why_not_;
};

// Enqueues the subject's plan once, launch by launch.
Status enqueue_plainly(Context& context, const device::TimedSubject& subject);

}  // namespace ww::cuda
