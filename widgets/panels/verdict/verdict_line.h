// SPDX-License-Identifier: GPL-3.0-or-later
// What the gate says of a candidate, in one line that leads to the verdict.
#pragma once
#include <QWidget>
#include <memory>
#include "session/session.h"

class QPushButton;

namespace ww::widgets {

class ElideLabel;
class Label;

struct VerdictSaid {
  QString text;  // begins with a capital letter; empty: nothing yet
  QString icon, token;
};
VerdictSaid verdict_said(const CandidateView& candidate);

class VerdictLine : public QWidget {
  Q_OBJECT
 public:
  explicit VerdictLine(QWidget* parent);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);

 signals:
  void verdict_wanted();

 private:
  void refill();
  std::shared_ptr<const CandidateView> candidate_;
  Label* icon_;
  ElideLabel* text_;
};

}  // namespace ww::widgets
