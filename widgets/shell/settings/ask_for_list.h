// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QMessageBox;
class QWidget;

namespace ww::widgets {

// Asked before a host that was not asked before is asked for its models. Its button "ask_for_list_yes" does it.
QMessageBox* make_ask_for_list(QWidget* parent, const QString& host, bool with_key);

}  // namespace ww::widgets
