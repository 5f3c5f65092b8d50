// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/export_dialog.h"
#include <QDialogButtonBox>
#include <QListWidget>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

ExportDialog::ExportDialog(std::int64_t candidate, bool is_signed, QWidget* parent)
    : QDialog(parent), kinds_(new QListWidget(this)) {
  setObjectName("export_dialog");
  setWindowTitle(tr("Export #%1").arg(candidate));
  auto* column = make_column(this, grid::page);
  auto* caption = new Label(tr("&Export as"), this);
  caption->setBuddy(kinds_);
  column->addWidget(caption);
  kinds_->setObjectName("export_kinds");
  name_it(kinds_, tr("Forms of export"));
  for (const auto& [kind, name] : names_of(exporter::Kind())) kinds_->addItem(qs(exporter::title_of(kind)));
  kinds_->setFixedHeight(kinds_->count() * kinds_->sizeHintForRow(0) + 2 * grid::half);
  column->addWidget(kinds_);
  auto* what = make_paragraph(this, "export_summary", "muted");
  column->addWidget(what);
  if (!is_signed) {
    auto* note = make_paragraph(this, "export_unsigned", "warning");
    note->setText(tr("#%1 has not been reviewed and signed. The exported files say so.").arg(candidate));
    column->addWidget(note);
  }
  auto* box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* go =
      box->addButton(is_signed ? tr("Choose folder...") : tr("Export unsigned..."), QDialogButtonBox::AcceptRole);
  go->setObjectName("export_go");
  go->setDefault(true);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(kinds_, &QListWidget::itemActivated, this, &QDialog::accept);
  connect(kinds_, &QListWidget::currentRowChanged, this,
          [this, what] { what->setText(qs(exporter::summary_of(kind()))); });
  kinds_->setCurrentRow(0);
  kinds_->setFocus();
  resize(60 * grid::step, sizeHint().height());
}

exporter::Kind ExportDialog::kind() const {
  return names_of(exporter::Kind())[static_cast<std::size_t>(kinds_->currentRow())].value;
}

}  // namespace ww::widgets
