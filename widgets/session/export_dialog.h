// SPDX-License-Identifier: GPL-3.0-or-later
// Asks in which form to export a candidate. GUI thread only.
#pragma once
#include <QDialog>
#include "exporter/package.h"

class QListWidget;

namespace ww::widgets {

class ExportDialog : public QDialog {
 public:
  ExportDialog(std::int64_t candidate, bool is_signed, QWidget* parent);
  exporter::Kind kind() const;

 private:
  QListWidget* kinds_;
};

}  // namespace ww::widgets
