// SPDX-License-Identifier: GPL-3.0-or-later
// The selected candidate beside its parent, or any other candidate of the run.
#pragma once
#include <QWidget>
#include <memory>
#include "diff/line_diff.h"
#include "models/candidate_model.h"
#include "session/latest_job.h"
#include "session/session.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace ww::widgets {

class CodeEditor;
class ElideLabel;

class DiffPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DiffPanel(const CandidateModel* model, QWidget* parent = nullptr);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);
  void show_other(const std::shared_ptr<const CandidateView>& other);
  void step(bool forward);                    // to the next or previous change
  CodeEditor* left() const { return left_; }
  CodeEditor* right() const { return right_; }
  QComboBox* chooser() const { return chooser_; }
  const SideBySide& shown() const { return shown_; }

 signals:
  void other_wanted(std::int64_t candidate);

 private:
  void fill_chooser();
  void choose();
  void compare();
  void present(SideBySide sides);
  void fill_side(CodeEditor* editor, bool left);
  void note(const QString& text);
  const CandidateModel* model_;
  std::shared_ptr<const CandidateView> candidate_, other_;
  SideBySide shown_;
  LatestJob job_;
  QStackedLayout* pages_;
  QLabel *empty_, *summary_;
  ElideLabel *left_title_, *right_title_;
  QComboBox* chooser_;
  QToolButton *previous_, *next_;
  CodeEditor *left_, *right_;
  bool syncing_ = false;
};

}  // namespace ww::widgets
