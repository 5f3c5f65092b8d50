// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/spec_offer.h"
#include <QBoxLayout>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

SpecOffer::SpecOffer(QWidget* parent) : QFrame(parent) {
  setProperty("role", "notice");
  auto* column = make_column(this, grid::panel);
  why_ = make_paragraph(this, {});
  take_ = make_button(this, "take_offer", {}, tr("Replaces the spec; Ctrl+Z in the spec restores yours"));
  keep_ = make_button(this, "keep_spec", tr("Keep the edited spec"),
                      tr("Runs the spec below; the sentence is not stored with the run"));
  column->addWidget(why_);
  column->addWidget(take_, 0, Qt::AlignLeft);
  column->addWidget(keep_, 0, Qt::AlignLeft);
  hide();
  connect(take_, &QPushButton::clicked, this, [this] { emit taken(spec_); });
  connect(keep_, &QPushButton::clicked, this, &SpecOffer::edited_kept);
}

void SpecOffer::offer(const QString& why, const QString& take, const QString& spec, bool may_keep) {
  why_->setText(why);
  take_->setText(take);
  spec_ = spec;
  keep_->setVisible(may_keep);
  setVisible(!spec.isEmpty());
}

void SpecOffer::withdraw() {
  spec_.clear();
  hide();
}

}  // namespace ww::widgets
