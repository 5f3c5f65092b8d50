// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "parts/theme/controls.h"

namespace ww::widgets {

// Makes the widget a panel of two pages: 0 an empty state, 1 the content.
ContentPages panel_pages(QWidget* panel, const QString& id, const char* icon, const QString& empty_sentence = {});

}  // namespace ww::widgets
