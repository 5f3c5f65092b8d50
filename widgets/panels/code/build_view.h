// SPDX-License-Identifier: GPL-3.0-or-later
// The compiler's messages on a draft, and its compiler settings: target, register limit, fast-math.
#pragma once
#include <QWidget>
#include "candidate/options.h"
#include "session/live_compiler.h"

class QCheckBox;
class QComboBox;
class QListWidget;
class QPushButton;

namespace ww::widgets {

class Label;

class BuildView : public QWidget {
  Q_OBJECT
 public:
  explicit BuildView(QWidget* parent = nullptr);
  void set_target(const std::string& architecture);  // of the run; the initial choice
  std::string target() const;
  void show_options(const candidate::CompilerOptions& options, candidate::Language language);
  void offer_plan(bool offer);  // the text has a kernel without a launch plan
  void show_build(const LiveCompiler& compiler, const QString& busy);

 signals:
  void plan_wanted();
  void target_chosen();
  void options_chosen(const ww::candidate::CompilerOptions& options);
  void go_to(int line, int column);

 private:
  QString sentence(const LiveCompiler& compiler, const QString& busy) const;
  void list(const DraftBuild& build);
  void choose_options();
  QComboBox *target_, *registers_;
  QCheckBox* fast_math_;
  QPushButton* plan_;
  Label* result_;
  QString last_;  // the last build's text
  QListWidget* messages_;
};

// "k: 77 → 64 registers · 4 KiB static shared", one per kernel of the draft.
QStringList resource_changes(const DraftBuild& build);

}  // namespace ww::widgets
