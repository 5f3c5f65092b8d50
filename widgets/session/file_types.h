// SPDX-License-Identifier: GPL-3.0-or-later
// Icons and names of types for file dialogs, by the names of files alone. Those of Qt look into each file of a folder,
// in the thread of the window: that blocks on slow disks, and for good on files that wait for data.
#pragma once

#include <QFileIconProvider>

class QFileDialog;

namespace ww::widgets {

QFileIconProvider* file_types();   // for all dialogs
void set_up(QFileDialog& dialog);  // with these, and columns as wide as their dates and sizes

}  // namespace ww::widgets
