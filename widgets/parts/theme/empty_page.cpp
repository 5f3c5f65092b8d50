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
      links_title_(make_label(this, "empty_links", "muted")),
      action_(make_button(this, "empty_action", {})),
      bar_(with_id(new QProgressBar(this), "empty_busy")) {
  auto* column = make_column(this);
  column->addStretch(2);
  column->addWidget(icon_, 0, Qt::AlignHCenter);
  column->addWidget(bar_, 0, Qt::AlignHCenter);
  column->addWidget(sentence_);
  column->addWidget(action_, 0, Qt::AlignHCenter);
  column->addWidget(links_title_, 0, Qt::AlignHCenter);
  links_ = make_column(column, {}, grid::half);
  column->addStretch(3);
  links_title_->hide();
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
  clear_layout(links_);
  links_title_->setText(title);
  links_title_->setVisible(!links.empty());
  for (const EmptyLink& link : links) {
    auto* button = make_button(this, "empty_link", link.text);
    set_role(button, "link");
    connect(button, &QPushButton::clicked, this, [follow = link.follow] { follow(); });
    links_->addWidget(button, 0, Qt::AlignHCenter);
  }
}

void EmptyPage::offer(const QString& text, std::function<void()> run) {
  run_ = std::move(run);
  action_->setText(text);
  action_->setVisible(!text.isEmpty());
}

}  // namespace ww::widgets
