// SPDX-License-Identifier: GPL-3.0-or-later
// The actions on a draft, and the result of its check.
#pragma once
#include <QFrame>

class QBoxLayout;
class QProgressBar;
class QPushButton;

namespace ww::widgets {

class Label;

class DraftBar : public QFrame {
  Q_OBJECT
 public:
  enum class State { none, kept, editing, checking };
  explicit DraftBar(QWidget* parent = nullptr);
  // why_not: a sentence if the draft cannot be checked now; changed: it differs from the candidate's text; said: shown
  // instead of the state's own text unless empty.
  void show_state(State state, const QString& candidate, bool changed, const QString& why_not, const QString& said);

 signals:
  void continue_editing();
  void leave();
  void check();
  void cancel();
  void discard();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QBoxLayout* parts_;
  QWidget* buttons_;
  QProgressBar* busy_;
  Label* label_;
  QPushButton *continue_, *leave_, *check_, *cancel_, *discard_;
};

}  // namespace ww::widgets
