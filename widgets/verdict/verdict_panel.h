// SPDX-License-Identifier: GPL-3.0-or-later
// What the gate found: the stages, and the evidence of the one that is selected.
#pragma once
#include <QWidget>
#include <memory>
#include "session/session.h"

class QLabel;
class QStackedLayout;
class QTextBrowser;
class QTreeWidget;
class QToolButton;

namespace ww::widgets {

class VerdictPanel : public QWidget {
  Q_OBJECT
 public:
  explicit VerdictPanel(QWidget* parent = nullptr);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);
  QTreeWidget* stages() const { return stages_; }
  QTextBrowser* evidence() const { return evidence_; }

 signals:
  void line_chosen(int line);
  void stage_opened(std::int64_t candidate, int stage);   // the person looks at the evidence of a stage, by its place in the verdict

 private:
  void refill();
  void show_evidence();
  std::shared_ptr<const CandidateView> candidate_;
  QStackedLayout* pages_;
  QLabel *empty_, *icon_, *summary_;
  QTreeWidget* stages_;
  QTextBrowser* evidence_;
};

}  // namespace ww::widgets
