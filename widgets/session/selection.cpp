// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/selection.h"

namespace ww::widgets {

void Selection::set_current(std::int64_t candidate) {
  if (candidate == current_) return;
  set_line(0);
  compare(candidate, false);
  current_ = candidate;
  emit current_changed(candidate);
}

void Selection::set_baseline(std::int64_t candidate) {
  if (candidate == baseline_) return;
  baseline_ = candidate;
  emit baseline_changed(candidate);
}

bool Selection::compare(std::int64_t candidate, bool on) {
  if (on && candidate != 0 && candidate != current_ && !compared_.contains(candidate)) {
    if (compared_.size() + 1 >= most_compared) return false;
    compared_.append(candidate);
    emit compared_changed(compared_);
  } else if (!on && compared_.removeAll(candidate) > 0) {
    emit compared_changed(compared_);
  }
  return true;
}

void Selection::set_compared(QList<std::int64_t> candidates) {
  QList<std::int64_t> list;
  for (const std::int64_t id : candidates)
    if (id != 0 && id != current_ && !list.contains(id) && list.size() + 1 < most_compared) list.append(id);
  if (list == compared_) return;
  compared_ = list;
  emit compared_changed(compared_);
}

void Selection::set_line(int line) {
  if (line == line_) return;
  line_ = line;
  emit line_changed(line);
}

void Selection::choose_line(int line) {
  set_line(line);
  if (line > 0) emit line_chosen(line);
}

void Selection::clear() {
  set_compared({});
  set_baseline(0);
  set_current(0);
}

}  // namespace ww::widgets
