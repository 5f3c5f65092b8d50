// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/selection.h"
#include <algorithm>

namespace ww::widgets {

void Selection::set_current(std::int64_t candidate) {
  if (candidate == current_) return;
  set_line(0);
  current_ = candidate;
  emit current_changed(candidate);
}

void Selection::set_baseline(std::int64_t candidate) {
  if (candidate == baseline_) return;
  baseline_ = candidate;
  emit baseline_changed(candidate);
}

int Selection::place(std::int64_t candidate) const {
  const auto at = candidate == 0 ? places_.end() : std::find(places_.begin(), places_.end(), candidate);
  return at == places_.end() ? -1 : static_cast<int>(at - places_.begin());
}

bool Selection::compare(std::int64_t candidate, bool on) {
  if (candidate == 0 || on == (place(candidate) >= 0)) return true;
  auto places = places_;
  const auto at = std::find(places.begin(), places.end(), on ? 0 : candidate);
  if (at == places.end()) return false;
  *at = on ? candidate : 0;
  put(places);
  return true;
}

void Selection::set_places(const QList<std::int64_t>& wanted) {
  std::array<std::int64_t, most_compared> places = {};
  for (int i = 0; i < most_compared && i < wanted.size(); ++i)
    if (std::find(places.begin(), places.end(), wanted[i]) == places.end())
      places[static_cast<std::size_t>(i)] = wanted[i];
  put(places);
}

void Selection::put(const std::array<std::int64_t, most_compared>& places) {
  if (places == places_) return;
  places_ = places;
  compared_.clear();
  for (const std::int64_t id : places_)
    if (id != 0) compared_.append(id);
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

void Selection::leave_run() {
  if (place(baseline_) < 0) set_baseline(0);
  set_current(0);
}

void Selection::clear() {
  set_places({});
  set_baseline(0);
  set_current(0);
}

}  // namespace ww::widgets
