// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/empty_page.h"
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

EmptyPage::EmptyPage(const char* icon, const QString& sentence, QWidget* parent)
    : QWidget(parent),
      icon_(new Label(this)),
      sentence_(empty_state(sentence, this)),
      column_(make_column(this)),
      action_(make_button(this, "empty_action", {})),
      bar_(with_id(new QProgressBar(this), "empty_busy")) {
  column_->addStretch(2);
  column_->addWidget(icon_, 0, Qt::AlignHCenter);
  column_->addWidget(bar_, 0, Qt::AlignHCenter);
  column_->addWidget(sentence_);
  column_->addWidget(action_, 0, Qt::AlignHCenter);
  column_->addStretch(3);
  action_->hide();
  bar_->setRange(0, 0);
  bar_->setTextVisible(false);
  bar_->setFixedWidth(160);
  bar_->hide();
  connect(action_, &QPushButton::clicked, this, [this] {
    if (run_) run_();
  });
  icon_->set_icon(icon, "muted", 32);
}

void EmptyPage::set_busy(bool busy) {
  bar_->setVisible(busy);
  icon_->setVisible(!busy);
  bar_->setAccessibleName(sentence_->text());
}

void EmptyPage::show_links(const QString& title, const std::vector<EmptyLink>& links) {
  LinkList*& list = lists_[title];
  if (!list && links.empty()) return;
  if (!list) column_->insertWidget(column_->count() - 1, list = new LinkList(title, this));  // the last is a stretch
  list->show_links(links);
}

void EmptyPage::offer(const QString& text, std::function<void()> run) {
  run_ = std::move(run);
  action_->setText(text);
  action_->setVisible(!text.isEmpty());
}

}  // namespace ww::widgets
