// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which spec to run if text and spec disagree: the offered one, or the edited one.
#pragma once
#include <QFrame>

class QPushButton;

namespace ww::widgets {

class Label;

class SpecOffer : public QFrame {
  Q_OBJECT
 public:
  explicit SpecOffer(QWidget* parent = nullptr);
  // may_keep: the user may also run the edited spec. An empty spec offers nothing.
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
