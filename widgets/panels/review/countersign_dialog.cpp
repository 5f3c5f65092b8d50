// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/countersign_dialog.h"
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <memory>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"

namespace ww::widgets {

static QString countersign_tr(const char* text) { return QCoreApplication::translate("CountersignDialog", text); }

QMessageBox* make_countersign_dialog(QWidget* parent, review::KeyStanding keys) {
  auto* box =
      with_id(new QMessageBox(
                  QMessageBox::Warning, countersign_tr("Countersign?"),
                  countersign_tr("A key that signed this receipt is %1. Compare its fingerprint with its owner before "
                                 "you sign.")
                      .arg(enum_text(keys)),
                  QMessageBox::Cancel, parent),
              "countersign_dialog");
  box->setDefaultButton(QMessageBox::Cancel);
  with_id(box->addButton(countersign_tr("Countersign"), QMessageBox::AcceptRole), "countersign_anyway");
  return box;
}

bool countersign_anyway(QWidget* parent, review::KeyStanding keys) {
  const std::unique_ptr<QMessageBox> box(make_countersign_dialog(parent, keys));
  box->exec();
  return box->clickedButton() && box->clickedButton()->objectName() == "countersign_anyway";
}

}  // namespace ww::widgets
