// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>
#include "review/judged_change.h"

class QMessageBox;
class QWidget;

namespace ww::widgets {

// What differs between the evidence that was read and that of the receipt, a line for each.
QString changes_list(const std::vector<review::JudgedChange>& changes);
// Shows evidence that proves less than what was read, and asks whether to sign it. GUI thread.
QMessageBox* make_weaker_dialog(QWidget* parent, const std::vector<review::JudgedChange>& changes);
bool agree_to_weaker(QWidget* parent, const std::vector<review::JudgedChange>& changes);

}  // namespace ww::widgets
