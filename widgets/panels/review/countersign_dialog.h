// SPDX-License-Identifier: GPL-3.0-or-later
// Asked before a receipt is countersigned whose key is not known as its signer's.
#pragma once
#include "review/known_keys.h"

class QMessageBox;
class QWidget;

namespace ww::widgets {

QMessageBox* make_countersign_dialog(QWidget* parent, review::KeyStanding keys);
bool countersign_anyway(QWidget* parent, review::KeyStanding keys);

}  // namespace ww::widgets
