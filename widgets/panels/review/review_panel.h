// SPDX-License-Identifier: GPL-3.0-or-later
// The review of the current candidate: the checklist of the workspace's policy, notes and decisions so far, and the
// decision. The engine determines what is missing.
#pragma once
#include <QWidget>
#include <memory>
#include <vector>
#include "session/context.h"
#include "session/review_view.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QStackedLayout;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class ElideLabel;
class FactsView;
class QuestionBox;
class Reviewer;
class SignedNotice;

class ReviewPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ReviewPanel(const Context& context, QWidget* parent = nullptr);
  Reviewer* reviewer() const { return reviewer_; }
  QuestionBox* box(const QString& item) const;  // null: not in the checklist
  QString limits_before_signing() const;        // a sentence; empty: none that must be said beside the button
  QString missing() const;                      // what is missing before accepting; empty: nothing

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void make_head(QVBoxLayout* column);
  void make_page(QVBoxLayout* inner);
  void make_decision(QVBoxLayout* column);
  void add_actions();
  void show_review(const std::shared_ptr<const ReviewView>& view);
  void show_problem(const QString& text);
  void fill_questions();
  void show_note();
  void show_signed();
  void show_agreements();
  review::Consent consent() const;
  ReviewAnswers answers() const;
  void take_draft();  // from the boxes
  void update_boxes();
  void update_decision();
  void open_only(QuestionBox* box);
  void open_next(const QuestionBox* after);
  void look_soon();  // checks whether facts were read, once the layout is done
  void look();
  void follow(const QString& scheme, const QString& target);
  void add_note();
  bool can_ask_model() const;

  const Context context_;
  Reviewer* reviewer_;
  std::shared_ptr<const ReviewView> view_;
  QStackedLayout* pages_;
  Label *empty_, *badge_icon_, *badge_, *missing_, *changed_, *problem_, *imported_;
  ElideLabel* title_;
  QLineEdit *name_, *note_;
  QProgressBar* progress_;
  QScrollArea* scroll_;
  QVBoxLayout* questions_;
  std::vector<QuestionBox*> boxes_;
  FactsView* history_;
  QSpinBox* line_;
  QPlainTextEdit* words_;
  QCheckBox *holes_, *kept_, *untried_;
  QPushButton *add_note_, *accept_, *reject_, *changes_, *anew_, *ask_model_;
  SignedNotice* signed_;
  QString sent_;              // text being stored
  std::int64_t signing_ = 0;  // the candidate that was signed just now, until its review is read
  bool looking_ = false;
};

}  // namespace ww::widgets
