// SPDX-License-Identifier: GPL-3.0-or-later
// The list of a combo box is as wide as its widest entry, however narrow the box is.
#pragma once

class QObject;

namespace ww::widgets {

void widen_combo_popups(QObject* owner);  // in the whole application

}  // namespace ww::widgets
