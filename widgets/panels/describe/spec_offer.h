// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which spec runs where the words and the spec disagree: another one is offered, or the edited one is kept.
#pragma once
#include <QFrame>

class QPushButton;

namespace ww::widgets {

class Label;

class SpecOffer : public QFrame {
  Q_OBJECT
 public:
  explicit SpecOffer(QWidget* parent = nullptr);
  // may_keep: the person may also say that the edited spec runs. An empty spec offers nothing.
  void offer(const QString& why, const QString& take, const QString& spec, bool may_keep);
  void withdraw();

 signals:
  void taken(const QString& spec);
  void edited_kept();

 private:
  Label* why_;
  QPushButton *take_, *keep_;
  QString spec_;
};

}  // namespace ww::widgets
