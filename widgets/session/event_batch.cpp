// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/event_batch.h"
#include <QTimer>

namespace ww::widgets {

namespace {

// More text of the same reply goes into the report that waits already.
bool joined(explore::Event& last, const explore::Event& next) {
  auto* before = std::get_if<llm::ModelEvent>(&last);
  const auto* after = std::get_if<llm::ModelEvent>(&next);
  if (!before || !after) return false;
  auto* text = std::get_if<llm::Streaming>(before);
  const auto* more = std::get_if<llm::Streaming>(after);
  using Kind = llm::Delta::Kind;
  if (!text || !more || text->exchange != more->exchange || text->delta.kind != more->delta.kind) return false;
  if (more->delta.kind != Kind::text && more->delta.kind != Kind::thinking) return false;
  text->delta.text += more->delta.text;
  return true;
}

}  // namespace

EventBatch::EventBatch(QObject* parent) : QObject(parent), timer_(new QTimer(this)) {
  timer_->setSingleShot(true);
  connect(timer_, &QTimer::timeout, this, &EventBatch::flush);
}

void EventBatch::push(const explore::Event& event) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (const auto* progress = std::get_if<explore::CandidateProgress>(&event)) {
      // An older report of the same candidate is replaced when nothing else of the run lies between.
      for (auto it = queue_.rbegin(); it != queue_.rend(); ++it) {
        auto* other = std::get_if<explore::CandidateProgress>(&*it);
        if (!other) break;
        if (other->candidate == progress->candidate) {
          *other = *progress;
          return;
        }
      }
    }
    if (!queue_.empty() && joined(queue_.back(), event)) return;
    queue_.push_back(event);
    wake = !scheduled_;
    scheduled_ = true;
  }
  if (wake)
    QMetaObject::invokeMethod(
        this, [this] { schedule(); }, Qt::QueuedConnection);
}

void EventBatch::schedule() {
  const qint64 since = last_.isValid() ? last_.elapsed() : interval_ms;
  timer_->start(since >= interval_ms ? 0 : static_cast<int>(interval_ms - since));
}

void EventBatch::flush() {
  std::vector<explore::Event> events;
  bool more = false;
  {
    std::lock_guard lock(mutex_);
    const std::size_t n = std::min(queue_.size(), largest_batch);
    events.assign(std::make_move_iterator(queue_.begin()),
                  std::make_move_iterator(queue_.begin() + static_cast<std::ptrdiff_t>(n)));
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(n));
    more = !queue_.empty();
    scheduled_ = more;
  }
  last_.start();
  if (!events.empty()) emit ready(events);
  if (more) timer_->start(interval_ms);
}

void EventBatch::flush_all() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty()) return;
    }
    flush();
  }
}

}  // namespace ww::widgets
