// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/visited.h"
#include "session/selection.h"
#include "session/session.h"
#include "shell/window/navigator.h"

namespace ww::widgets {

Visited::Visited(const Context& context, Navigator* navigator, QObject* parent)
    : QObject(parent), context_(context), navigator_(navigator) {
  connect(context_.selection, &Selection::current_changed, this, [this](std::int64_t candidate) {
    if (candidate != 0) visit({context_.session->shown_run(), candidate, 0});
  });
  connect(context_.selection, &Selection::line_chosen, this, [this](int line) {
    if (const std::int64_t candidate = context_.selection->current())
      visit({context_.session->shown_run(), candidate, line});
  });
  connect(context_.session, &Session::workspace_opened, this, [this] {
    places_.clear();
    at_ = 0;
    emit changed();
  });
}

void Visited::visit(const Place& place) {
  if (!places_.empty() && places_[at_] == place) {
    going_ = false;
    return;
  }
  // What is gone to by its line is first shown without one.
  if (going_ && place.line == 0 && places_[at_].candidate == place.candidate) return;
  going_ = false;
  if (!places_.empty()) places_.resize(at_ + 1);
  if (places_.size() == most) places_.erase(places_.begin());
  places_.push_back(place);
  at_ = places_.size() - 1;
  emit changed();
}

bool Visited::can_go(int step) const { return step < 0 ? at_ > 0 : at_ + 1 < places_.size(); }

void Visited::go(int step) {
  if (!can_go(step)) return;
  at_ = step < 0 ? at_ - 1 : at_ + 1;
  const Place place = places_[at_];
  going_ = true;
  navigator_->open_candidate(place.run, place.candidate, place.line);
  emit changed();
}

}  // namespace ww::widgets
