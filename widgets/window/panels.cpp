// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panels.h"
#include <QCoreApplication>
#include "lineage/lineage_panel.h"
#include "review/receipt_panel.h"
#include "review/review_panel.h"

namespace ww::widgets {

std::vector<PanelEntry> make_panels(const Context& context) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("panels", text); };
  std::vector<PanelEntry> panels;
  panels.push_back({"lineage", tr("Lineage"), new LineagePanel(context)});
  panels.push_back({"review", tr("Review"), new ReviewPanel(context)});
  panels.push_back({"receipt", tr("Receipt"), new ReceiptPanel(context)});
  return panels;
}

}  // namespace ww::widgets
