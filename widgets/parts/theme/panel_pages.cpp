// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/panel_pages.h"
#include <QWidget>

namespace ww::widgets {

ContentPages panel_pages(QWidget* panel, const QString& id, const char* icon, const QString& empty_sentence) {
  panel->setProperty("role", "panel");
  panel->setObjectName(id);
  return content_pages(make_column(panel), icon, empty_sentence);
}

}  // namespace ww::widgets
