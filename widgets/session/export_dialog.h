// SPDX-License-Identifier: GPL-3.0-or-later
// Asks in which form to export a candidate, and with which backward. GUI thread only.
#pragma once
#include <QDialog>
#include <vector>
#include "exporter/backward_choice.h"
#include "exporter/package.h"

class QComboBox;
class QListWidget;
class QPushButton;

namespace ww::widgets {

class Label;

struct ExportOffer {
  std::int64_t candidate = 0;
  bool is_signed = false;
  std::vector<exporter::BackwardCandidate> backwards;  // to choose from
  QString no_backward;                                 // where there is none: a sentence that says how to get one
};

class ExportDialog : public QDialog {
 public:
  ExportDialog(ExportOffer offer, QWidget* parent);
  exporter::Kind kind() const;
  std::int64_t backward() const;  // 0: none
  bool all_signed() const;        // the candidate and its backward

 private:
  void show_choice();
  const exporter::BackwardCandidate* chosen() const;

  const ExportOffer offer_;
  QListWidget* kinds_;
  QComboBox* backwards_;
  Label *caption_, *summary_, *no_backward_, *unsigned_;
  QPushButton* go_;
};

}  // namespace ww::widgets
