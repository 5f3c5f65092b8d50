// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/link_list.h"
#include <QEvent>
#include <QPushButton>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

namespace {
constexpr int widest_list = 560;
}

LinkList::LinkList(const QString& title, QWidget* parent)
    : QWidget(parent), title_(make_label(this, "empty_links", "muted")) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  title_->setText(title);
  title_->setAlignment(Qt::AlignCenter);
  hide();
}

void LinkList::show_links(const std::vector<EmptyLink>& links) {
  for (QPushButton* button : buttons_) {
    button->hide();
    button->deleteLater();  // this may be its own click
  }
  buttons_.clear();
  links_ = links;
  for (const EmptyLink& link : links_) {
    auto* button = make_button(this, "empty_link", link.text);
    set_role(button, "link");
    button->setAccessibleName(link.text);
    connect(button, &QPushButton::clicked, this, [follow = link.follow] { follow(); });
    buttons_.push_back(button);
  }
  setVisible(!links_.empty());
  updateGeometry();
  place();
}

int LinkList::row_height() const { return buttons_.empty() ? 0 : buttons_.front()->sizeHint().height() + grid::half; }

QSize LinkList::sizeHint() const {
  const int title = title_->text().isEmpty() ? 0 : title_->sizeHint().height() + grid::half;
  return {widest_list, title + static_cast<int>(buttons_.size()) * row_height()};
}

// A title without a link says nothing.
void LinkList::place() {
  const int title = title_->text().isEmpty() ? 0 : title_->sizeHint().height() + grid::half;
  const auto fitting = std::min<std::size_t>(
      buttons_.size(), row_height() > 0 ? static_cast<std::size_t>(std::max(0, height() - title) / row_height()) : 0);
  title_->setVisible(title > 0 && fitting > 0);
  title_->setGeometry(0, 0, width(), title);
  int top = title;
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    QPushButton* button = buttons_[i];
    const int frame = button->sizeHint().width() - button->fontMetrics().horizontalAdvance(button->text());
    const QString& whole = links_[i].text;
    button->setText(button->fontMetrics().elidedText(whole, Qt::ElideRight, std::max(0, width() - frame)));
    button->setToolTip(button->text() == whole ? QString() : whole);
    const int wide = std::min(width(), button->sizeHint().width());
    button->setGeometry((width() - wide) / 2, top, wide, row_height() - grid::half);
    button->setVisible(i < fitting);
    top += row_height();
  }
}

bool LinkList::event(QEvent* event) {
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) updateGeometry();
  if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
    place();
  return done;
}

}  // namespace ww::widgets
