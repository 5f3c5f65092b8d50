// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/weaker_dialog.h"
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include "parts/theme/text.h"

namespace ww::widgets {

static QString weaker_tr(const char* text) { return QCoreApplication::translate("WeakerDialog", text); }

QString changes_list(const std::vector<review::JudgedChange>& changes) {
  QStringList lines;
  for (const review::JudgedChange& change : changes)
    lines += (change.weaker ? weaker_tr("Less: %1") : QStringLiteral("\u2022 %1")).arg(qs(review::change_text(change)));
  return lines.join('\n');
}

bool agree_to_weaker(QWidget* parent, const std::vector<review::JudgedChange>& changes) {
  QMessageBox box(QMessageBox::Warning, weaker_tr("Sign the new evidence?"),
                  weaker_tr("Judged again with new secret inputs, the candidate is proved for less than you read. The "
                            "receipt would hold the new numbers."),
                  QMessageBox::NoButton, parent);
  box.setObjectName("weaker_dialog");
  box.setInformativeText(changes_list(changes));
  QPushButton* sign = box.addButton(weaker_tr("Sign it"), QMessageBox::AcceptRole);
  QPushButton* back = box.addButton(weaker_tr("Read it again first"), QMessageBox::RejectRole);
  box.setDefaultButton(back);
  box.setEscapeButton(back);
  box.exec();
  return box.clickedButton() == sign;
}

}  // namespace ww::widgets
