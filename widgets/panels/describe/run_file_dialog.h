// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QMessageBox;
class QWidget;

namespace ww::widgets {

// Asked before Python runs a file; empty: a pasted text. Its button "run_file_yes" lets it.
QMessageBox* make_run_file_dialog(QWidget* parent, const QString& file);

}  // namespace ww::widgets
