// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/run_file_dialog.h"
#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"

namespace ww::widgets {

static QString run_file_tr(const char* text) { return QCoreApplication::translate("RunFileDialog", text); }

QMessageBox* make_run_file_dialog(QWidget* parent, const QString& file) {
  auto* box = with_id(new QMessageBox(QMessageBox::Warning, run_file_tr("Run this file?"),
                                      file.isEmpty() ? run_file_tr("The pasted text is a program.")
                                                     : run_file_tr("This file is a program:\n%1").arg(harmless(file)),
                                      QMessageBox::Cancel, parent),
                      "run_file");
  box->setInformativeText(run_file_tr(
      "To import its module, Python runs it under your account, outside any sandbox: it can read and change "
      "your files. Read it first. You are asked again only when it has changed."));
  with_id(box->addButton(run_file_tr("&Run and import"), QMessageBox::AcceptRole), "run_file_yes");
  box->setDefaultButton(QMessageBox::Cancel);
  box->setEscapeButton(QMessageBox::Cancel);
  return box;
}

}  // namespace ww::widgets
