// SPDX-License-Identifier: GPL-3.0-or-later
// One question of the checklist: its sentence, which opens the facts, and the answer, which can be given once the facts
// were scrolled to the end.
#pragma once
#include <QFrame>
#include "session/review_view.h"

class QCheckBox;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class FactsView;
struct ReviewDraft;

class QuestionBox : public QFrame {
  Q_OBJECT
 public:
  QuestionBox(std::shared_ptr<const ReviewView> view, std::size_t number, QWidget* parent);
  QString id() const;
  bool open() const;
  void set_open(bool open);
  bool answered() const;
  QString answer() const;  // empty: not answered
  bool readable() const;   // the facts are visible: the panel checks whether they were read
  FactsView* facts() const { return facts_; }
  QCheckBox* tick() const { return tick_; }
  QLineEdit* words() const { return words_; }
  QToolButton* opener() const { return opener_; }
  void show_draft(const ReviewDraft& draft);                                 // its progress: what was read and answered
  void show_signed(const ReviewAnswers& answers, const ReviewDraft& draft);  // what was signed, read-only

 signals:
  void opened(bool open);  // by the user
  void answer_changed();
  void next_wanted();  // Return in the answer
  void link(const QString& scheme, const QString& target);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void make_head(QVBoxLayout* column);
  void make_body(QVBoxLayout* inner);
  void make_places(QVBoxLayout* inner);
  void show_facts(const ReviewDraft& draft);
  const review::Question& question() const;
  const std::shared_ptr<const ReviewView> view_;
  const std::size_t number_;
  QToolButton* opener_;
  Label *sentence_, *state_icon_, *state_, *hint_;
  QWidget* body_;
  FactsView* facts_;
  QCheckBox* tick_;
  QLineEdit* words_;
  bool filling_ = false;
};

}  // namespace ww::widgets
