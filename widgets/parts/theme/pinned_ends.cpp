// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/pinned_ends.h"
#include <QEvent>
#include <QScrollArea>
#include "parts/theme/controls.h"
#include "parts/theme/page_stack.h"

namespace ww::widgets {

PinnedEnds::PinnedEnds(QWidget* parent, const QString& area_id)
    : QWidget(parent), head_part_(new QWidget(this)), foot_part_(new QWidget(this)) {
  area_ = make_scroll_area(this, area_id);
  auto* sheet = new QWidget(area_);
  sheet->setProperty("role", "panel");
  sheet_ = make_column(sheet, {0, 0, grid::half, 0});
  page_ = make_column(sheet_);
  sheet_->addStretch(1);
  area_->setWidget(sheet);
  head_ = make_column(head_part_);
  foot_ = make_column(foot_part_);
  column_ = make_column(this);
  column_->addWidget(head_part_);
  column_->addWidget(area_, 1);
  column_->addWidget(foot_part_);
}

QSize PinnedEnds::minimumSizeHint() const { return {QWidget::minimumSizeHint().width(), least_page / 2}; }

void PinnedEnds::place() {
  const int ends = least_height(head_part_, width()) + least_height(foot_part_, width());
  const bool pinned = ends + 2 * column_->spacing() + least_page <= height();
  if (pinned == pinned_) return;
  pinned_ = pinned;
  QWidget* focused = window()->focusWidget();  // what is moved loses it
  if (focused && !head_part_->isAncestorOf(focused) && !foot_part_->isAncestorOf(focused)) focused = nullptr;
  if (pinned) {
    column_->insertWidget(0, head_part_);
    column_->addWidget(foot_part_);
  } else {
    sheet_->insertWidget(0, head_part_);
    sheet_->addWidget(foot_part_);
  }
  head_part_->show();
  foot_part_->show();
  if (focused) focused->setFocus();
}

bool PinnedEnds::event(QEvent* event) {
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) place();
  return done;
}

}  // namespace ww::widgets
