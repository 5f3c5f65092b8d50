// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict of the gate: its stages, and the evidence of the selected one.
#pragma once
#include <QWidget>
#include <memory>
#include "session/session.h"

class QPushButton;
class QSplitter;
class QStackedLayout;
class QTreeWidget;
class QToolButton;

namespace ww::widgets {

class EmptyPage;
class HtmlView;
class Label;
class Reviewer;
struct ReviewView;

class VerdictPanel : public QWidget {
  Q_OBJECT
 public:
  explicit VerdictPanel(QWidget* parent = nullptr);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);
  // Marks evidence opened here as read in the review, and shows its unexecuted lines.
  void follow(Reviewer* reviewer);
  QTreeWidget* stages() const { return stages_; }
  HtmlView* evidence() const { return evidence_; }

 signals:
  void line_chosen(int line);
  void candidates_wanted();                   // there is none to show
  void wrong_wanted(std::int64_t candidate);  // where its output is wrong
  void step_wanted();                         // to where the shown candidate goes wrong
  void pictures_wanted(const std::shared_ptr<const CandidateView>& candidate);  // of its cases' tensors
  void stage_opened(std::int64_t candidate,
                    int stage);  // the evidence of a stage was opened, by its index in the verdict

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refill();
  void fit();
  void add_lines_row();
  void mark_line(int line);
  void show_evidence();
  std::shared_ptr<const CandidateView> candidate_;
  std::shared_ptr<const ReviewView> review_;  // of the same candidate, else null
  Reviewer* reviewer_ = nullptr;
  QStackedLayout* pages_;
  EmptyPage* empty_page_;
  Label *empty_, *icon_, *summary_;
  QSplitter* splitter_;
  bool moved_ = false;  // by the person
  QPushButton *wrong_, *step_, *pictures_;
  QTreeWidget* stages_;
  HtmlView* evidence_;
};

}  // namespace ww::widgets
