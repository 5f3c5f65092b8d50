// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/draft_bar.h"
#include <QProgressBar>
#include <QPushButton>
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

namespace {
constexpr int least_text = 260;  // pixels
}  // namespace

DraftBar::DraftBar(QWidget* parent) : QFrame(parent) {
  setProperty("role", "notice");
  parts_ = make_column(this, grid::bar, grid::half);
  label_ = make_paragraph(this, "draft_text");
  parts_->addWidget(label_, 1);
  busy_ = with_id(new QProgressBar(this), "draft_busy");
  busy_->setRange(0, 0);
  busy_->setTextVisible(false);
  busy_->hide();
  name_it(busy_, tr("The draft is being judged"));
  parts_->addWidget(busy_);
  buttons_ = new QWidget(this);
  auto* buttons = new FlowLayout(buttons_);
  parts_->addWidget(buttons_);
  const auto button = [&](const char* id, const QString& text, const QString& tip, auto signal) {
    auto* b = make_button(this, id, text);
    name_it(b, text, tip);
    connect(b, &QPushButton::clicked, this, signal);
    buttons->addWidget(b);
    return b;
  };
  check_ = button("draft_check", tr("Check (F5)"),
                  tr("Judges the draft in the shown run, as its other candidates were, and stores it as a child"),
                  &DraftBar::check);
  cancel_ = button("draft_cancel", tr("Cancel"), tr("Cancels the check; the draft is kept"), &DraftBar::cancel);
  continue_ =
      button("draft_continue", tr("Continue editing"), tr("Shows the draft again"), &DraftBar::continue_editing);
  leave_ = button("draft_leave", tr("Back to the candidate"), tr("Shows the stored text; the draft is kept"),
                  &DraftBar::leave);
  discard_ =
      button("draft_discard", tr("Discard draft"),
             tr("Deletes the draft; Edit, Undo brings it back. The candidate does not change"), &DraftBar::discard);
  hide();
}

void DraftBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fit();
}

// The buttons are beside the text where there is room: what is edited below keeps its height.
void DraftBar::fit() {
  int row = 0;
  for (const QPushButton* button : {check_, cancel_, continue_, leave_, discard_})
    if (!button->isHidden()) row += button->sizeHint().width() + grid::step;
  const bool wide = width() >= row + least_text;
  parts_->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  buttons_->setMinimumWidth(wide ? row : 0);
}

void DraftBar::show_state(State state, const QString& candidate, bool changed, const QString& why_not,
                          const QString& said) {
  setVisible(state != State::none || !said.isEmpty());
  check_->setVisible(state == State::editing);
  check_->setEnabled(changed && why_not.isEmpty());
  check_->setToolTip(
      !why_not.isEmpty() ? why_not
      : !changed         ? tr("Nothing has been changed yet.")
                 : tr("Judges the draft in the shown run, as its other candidates were, and stores it as a child"));
  cancel_->setVisible(state == State::checking);
  busy_->setVisible(state == State::checking);
  continue_->setVisible(state == State::kept);
  leave_->setVisible(state == State::editing);
  discard_->setVisible(state == State::kept || (state == State::editing && changed));
  const QString about =
      state == State::kept       ? tr("There is an unjudged draft of %1.").arg(candidate)
      : state == State::checking ? tr("The draft of %1 is being judged.").arg(candidate)
      : !changed ? tr("A copy of %1. Change it, then check it (F5): it becomes a child of %1, which does not change.")
                       .arg(candidate.section(' ', 0, 0))
      : why_not.isEmpty() ? tr("A draft of %1, kept as you type. Press F5 to judge it.").arg(candidate)
                          : tr("A draft of %1, kept as you type. %2").arg(candidate, why_not);
  label_->setText(said.isEmpty() ? about : said);
  fit();
}

}  // namespace ww::widgets
