// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA toolkit's folder, and what is found there and elsewhere: the compiler, headers, assembler, disassembler.
#pragma once
#include <QWidget>
#include "base/result.h"
#include "compile/compile.h"
#include "session/latest_job.h"

class QLineEdit;

namespace ww::widgets {

class Label;
class Preferences;

// One or more sentences. `folder`: the chosen one; may be empty.
QString toolkit_text(const QString& folder, const Result<compile::Toolkit>& found);

class ToolkitField : public QWidget {
  Q_OBJECT
 public:
  explicit ToolkitField(Preferences* preferences, QWidget* parent = nullptr);

 private:
  void choose();
  void take(const QString& folder);
  void look();  // what is found now
  Preferences* preferences_;
  QLineEdit* folder_;
  Label* found_;
  LatestJob job_;
};

}  // namespace ww::widgets
