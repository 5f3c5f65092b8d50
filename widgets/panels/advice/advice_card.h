// SPDX-License-Identifier: GPL-3.0-or-later
// One piece of advice: the problem, the evidence, the line, the bound on the gain, and on demand an explanation for
// learners.
#pragma once
#include <QFrame>
#include "profile/advice.h"
#include "profile/measurement.h"
#include "profile/measurement.h"

class QToolButton;

namespace ww::widgets {

class FactsView;

class AdviceCard : public QFrame {
  Q_OBJECT
 public:
  AdviceCard(int number, const profile::Advice& advice, const QString& standing, double reached,
             QWidget* parent);  // standing: "new since #8"; may be empty
  const profile::Advice& advice() const { return advice_; }
  bool explained() const;
  void set_page(const QString& markdown);  // for the rule; empty: none
  void set_asked();                        // it was passed on to a model
  void explain(bool on);

 signals:
  void line_wanted(int line);
  void page_wanted(const QString& id);
  void asked();
  void lesson_wanted(const QString& name);

 private:
  profile::Advice advice_;
  QToolButton *explain_, *ask_;
  FactsView* page_;
  QWidget* more_;
};

// "on its own at most 1.25 times faster (modelled)", or that no bound is known. `reached`: the speed-up of the run's
// best over this one, possibly due to several changes; NaN: unknown.
QString advice_bound(const profile::Advice& advice, double reached = profile::unknown);

}  // namespace ww::widgets
