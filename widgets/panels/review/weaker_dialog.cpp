// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/weaker_dialog.h"
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <memory>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"

namespace ww::widgets {

static QString weaker_tr(const char* text) { return QCoreApplication::translate("WeakerDialog", text); }

QString changes_list(const std::vector<review::JudgedChange>& changes) {
  QStringList lines;
  for (const review::JudgedChange& change : changes)
    lines += (change.weaker ? weaker_tr("Less: %1") : QStringLiteral("\u2022 %1")).arg(qs(review::change_text(change)));
  return lines.join('\n');
}

QMessageBox* make_weaker_dialog(QWidget* parent, const std::vector<review::JudgedChange>& changes) {
  auto* box = with_id(
      new QMessageBox(QMessageBox::Warning, weaker_tr("Sign the new evidence?"),
                      weaker_tr("Judged again with new secret inputs, the candidate is proved for less than you "
                                "read. The receipt would hold the new numbers."),
                      QMessageBox::NoButton, parent),
      "weaker_dialog");
  box->setInformativeText(changes_list(changes));
  with_id(box->addButton(weaker_tr("Sign it"), QMessageBox::AcceptRole), "weaker_sign");
  QPushButton* back = box->addButton(weaker_tr("Read it again first"), QMessageBox::RejectRole);
  box->setDefaultButton(back);
  box->setEscapeButton(back);
  return box;
}

bool agree_to_weaker(QWidget* parent, const std::vector<review::JudgedChange>& changes) {
  const std::unique_ptr<QMessageBox> box(make_weaker_dialog(parent, changes));
  box->exec();
  return box->clickedButton() && box->clickedButton()->objectName() == "weaker_sign";
}

}  // namespace ww::widgets
