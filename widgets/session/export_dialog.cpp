// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/export_dialog.h"
#include <algorithm>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QListWidget>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {
namespace {

QString backward_text(const exporter::BackwardCandidate& c) {
  QStringList parts = {qs(c.op)};
  if (!c.structure.empty()) parts += qs(c.structure);
  QStringList sizes;
  for (const auto& [symbol, size] : c.sizes) sizes += QStringLiteral("%1 = %2").arg(qs(symbol)).arg(size);
  if (!c.same_sizes && !sizes.isEmpty()) parts += QObject::tr("ranked at %1").arg(sizes.join(", "));
  const QString what = parts.join(", ");
  return (c.is_signed ? QObject::tr("#%1 %2") : QObject::tr("#%1 %2 (unsigned)")).arg(c.id).arg(what);
}

}  // namespace

ExportDialog::ExportDialog(ExportOffer offer, QWidget* parent)
    : QDialog(parent), offer_(std::move(offer)), kinds_(with_id(new QListWidget(this), "export_kinds")) {
  setObjectName("export_dialog");
  setWindowTitle(tr("Export #%1").arg(offer_.candidate));
  auto* column = make_column(this, grid::page);
  auto* caption = new Label(tr("&Export as"), this);
  caption->setBuddy(kinds_);
  column->addWidget(caption);
  name_it(kinds_, tr("Forms of export"));
  for (const auto& [kind, name] : names_of(exporter::Kind())) kinds_->addItem(qs(exporter::title_of(kind)));
  kinds_->setFixedHeight(kinds_->count() * kinds_->sizeHintForRow(0) + 2 * grid::half);
  column->addWidget(kinds_);
  column->addWidget(summary_ = make_paragraph(this, "export_summary", "muted"));
  backwards_ = make_combo(this, "export_backward", tr("Backward"),
                          tr("The candidate that computes the gradients, registered for autograd"), 20);
  backwards_->addItem(tr("None"));
  for (const exporter::BackwardCandidate& c : offer_.backwards) backwards_->addItem(backward_text(c));
  caption_ = new Label(tr("&Backward"), this);
  caption_->setBuddy(backwards_);
  column->addWidget(caption_);
  column->addWidget(backwards_);
  column->addWidget(no_backward_ = make_selectable(this, "export_no_backward", "muted"));
  no_backward_->setText(offer_.no_backward);
  column->addWidget(unsigned_ = make_paragraph(this, "export_unsigned", "warning"));
  column->addWidget(problem_ = make_selectable(this, "export_problem", "error"));
  problem_->hide();
  column->addStretch();
  auto* box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  go_ = with_id(box->addButton(tr("Choose folder..."), QDialogButtonBox::AcceptRole), "export_go");
  go_->setDefault(true);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(kinds_, &QListWidget::itemDoubleClicked, this, &ExportDialog::accept);
  connect(kinds_, &QListWidget::currentRowChanged, this, &ExportDialog::show_choice);
  connect(backwards_, &QComboBox::currentIndexChanged, this, &ExportDialog::show_choice);
  resize(60 * grid::step, 0);
  kinds_->setCurrentRow(0);
  kinds_->setFocus();
}

void ExportDialog::show_choice() {
  summary_->setText(qs(exporter::summary_of(kind())));
  const bool asks = exporter::has_autograd(kind());
  caption_->setVisible(asks && !offer_.backwards.empty());
  backwards_->setVisible(asks && !offer_.backwards.empty());
  no_backward_->setVisible(asks && offer_.backwards.empty() && !offer_.no_backward.isEmpty());
  QStringList names;
  if (!offer_.is_signed) names += tr("#%1").arg(offer_.candidate);
  if (const exporter::BackwardCandidate* c = chosen(); c && !c->is_signed) names += tr("#%1").arg(c->id);
  unsigned_->setVisible(!names.isEmpty());
  unsigned_->setText(
      names.size() > 1
          ? tr("%1 have not been reviewed and signed. The exported files will say so.").arg(names.join(" and "))
          : tr("%1 has not been reviewed and signed. The exported files will say so.").arg(names.join("")));
  go_->setText(all_signed() ? tr("Choose folder...") : tr("Export unsigned..."));
  problem_->hide();
  make_room();
}

void ExportDialog::make_room() {
  layout()->activate();
  resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void ExportDialog::accept() {
  if (!export_) return finish();
  if (go_->isEnabled()) export_();
}

void ExportDialog::show_busy() { go_->setEnabled(false); }

void ExportDialog::show_problem(const QString& text) {
  go_->setEnabled(true);
  go_->setFocus();  // which went to Cancel meanwhile
  problem_->setText(text);
  problem_->show();
  make_room();
}

exporter::Kind ExportDialog::kind() const {
  return names_of(exporter::Kind())[static_cast<std::size_t>(kinds_->currentRow())].value;
}

const exporter::BackwardCandidate* ExportDialog::chosen() const {
  const int row = backwards_->currentIndex();
  if (row <= 0 || !exporter::has_autograd(kind())) return nullptr;
  return &offer_.backwards[static_cast<std::size_t>(row - 1)];
}

std::int64_t ExportDialog::backward() const { return chosen() ? chosen()->id : 0; }

bool ExportDialog::all_signed() const { return offer_.is_signed && (!chosen() || chosen()->is_signed); }

}  // namespace ww::widgets
