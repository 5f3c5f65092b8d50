// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/navigator.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"
#include "shell/window/docks.h"

namespace ww::widgets {

Navigator::Navigator(const Context& context, Docks* docks, QObject* parent)
    : QObject(parent), context_(context), docks_(docks) {
  connect(context_.session, &Session::run_shown, this, [this](const std::shared_ptr<const RunView>& run) {
    if (run && run->record.id == run_) arrive();
  });
}

void Navigator::open_run(std::int64_t run) { open_candidate(run, 0); }

void Navigator::open_candidate(std::int64_t run, std::int64_t candidate, int line) {
  run_ = run == 0 ? context_.session->shown_run() : run;
  candidate_ = candidate;
  line_ = line;
  if (run_ == context_.session->shown_run())
    arrive();
  else
    context_.session->show_run(run_);
}

void Navigator::arrive() {
  if (exchange_ != 0)
    emit exchange_wanted(run_, exchange_);
  else if (candidate_ == 0)
    docks_->show("candidates");
  else if (context_.candidates->row_of(candidate_) >= 0) {
    context_.selection->set_current(candidate_);
    docks_->show("code");
    if (line_ > 0) context_.selection->choose_line(line_);
  }
  run_ = candidate_ = exchange_ = 0;
  line_ = 0;
}

void Navigator::open_found(const Found& found) {
  switch (found.kind) {
    case Found::Kind::candidate: open_candidate(found.run, found.id, found.line); break;
    case Found::Kind::op: emit op_wanted(found.phrase); break;
    case Found::Kind::exchange:
      exchange_ = found.id;
      open_candidate(found.run, 0);
      break;
    case Found::Kind::run:
    case Found::Kind::message: open_run(found.run); break;
    case Found::Kind::log: docks_->show("log"); break;
  }
}

}  // namespace ww::widgets
