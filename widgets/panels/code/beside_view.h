// SPDX-License-Identifier: GPL-3.0-or-later
// A second candidate's text, read-only, beside the selected one.
#pragma once
#include <QWidget>
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

class CodeEditor;
class ElideLabel;

class BesideView : public QWidget {
  Q_OBJECT
 public:
  explicit BesideView(const Context& context, QWidget* parent = nullptr);  // hidden
  void show_candidate(std::int64_t candidate);                             // of the open workspace; 0: hides it
  std::int64_t candidate() const { return candidate_; }
  CodeEditor* text() const { return text_; }

 signals:
  void closed();

 private:
  Context context_;
  std::int64_t candidate_ = 0;
  ElideLabel* title_;
  CodeEditor* text_;
  LatestJob job_;
};

}  // namespace ww::widgets
