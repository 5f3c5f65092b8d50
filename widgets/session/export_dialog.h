// SPDX-License-Identifier: GPL-3.0-or-later
// Asks in which form to export a candidate, and with which backward. GUI thread only.
#pragma once
#include <QDialog>
#include <functional>
#include <string>
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
  std::string op;
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
  // Called instead of closing: the dialog stays until finish(), so that a choice outlives what goes wrong.
  void set_go(std::function<void()> go) { export_ = std::move(go); }
  void show_busy();
  void show_problem(const QString& text);
  void finish() { QDialog::accept(); }
  void accept() override;

 private:
  void show_choice();
  void make_room();  // for what is shown
  const exporter::BackwardCandidate* chosen() const;

  const ExportOffer offer_;
  QListWidget* kinds_;
  QComboBox* backwards_;
  Label *caption_, *summary_, *no_backward_, *unsigned_, *problem_;
  std::function<void()> export_;
  QPushButton* go_;
};

}  // namespace ww::widgets
