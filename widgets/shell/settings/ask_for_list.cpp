// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/ask_for_list.h"
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include "parts/theme/controls.h"

namespace ww::widgets {

static QString ask_tr(const char* text) { return QCoreApplication::translate("AskForList", text); }

QMessageBox* make_ask_for_list(QWidget* parent, const QString& host, bool with_key) {
  auto* box = with_id(new QMessageBox(QMessageBox::Question, ask_tr("Ask for models"),
                                      ask_tr("Ask %1 for its list of models, this once?").arg(host),
                                      QMessageBox::Cancel, parent),
                      "ask_for_list");
  box->setInformativeText(with_key ? ask_tr("Only the key is sent.") : ask_tr("Nothing else is sent."));
  QPushButton* yes = with_id(box->addButton(ask_tr("&Ask"), QMessageBox::AcceptRole), "ask_for_list_yes");
  box->setDefaultButton(yes);
  box->setEscapeButton(QMessageBox::Cancel);
  return box;
}

}  // namespace ww::widgets
