// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/result_reason.h"
#include "measure/why_better.h"
#include "panels/candidates/result_text.h"
#include "session/session.h"

namespace ww::widgets {

ResultReason::ResultReason(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context_.session, &Session::gpu_changed, this, &ResultReason::look_again);
}

void ResultReason::look(const RunResult& result) {
  const std::int64_t best = result.best ? result.best->id : 0, next = result.next ? result.next->id : 0;
  if (best == best_ && next == next_) return;
  best_ = best;
  next_ = next;
  text_.clear();
  emit changed();
  read();
}

void ResultReason::look_again() {
  if (best_ != 0) read();
}

void ResultReason::read() {
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (best_ == 0 || next_ == 0 || !workspace) return job_.forget();
  const auto work = [this, workspace, best = best_, next = next_,
                     profile = context_.services.profile]() -> LatestJob::Deliver {
    const auto better = profile(*workspace, best, nullptr), other = profile(*workspace, next, nullptr);
    const QString text = better && other ? reason_text(measure::why_better(**better, **other)) : QString();
    return [this, text] {
      if (text == text_) return;
      text_ = text;
      emit changed();
    };
  };
  job_.submit(work);
}

}  // namespace ww::widgets
