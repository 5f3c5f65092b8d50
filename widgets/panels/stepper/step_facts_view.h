// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen at a position of a stepped launch: the last step, the lanes, its accesses, where the warps are, and what
// the checks found.
#pragma once
#include <QScrollArea>
#include "sim/trace.h"

class QComboBox;
class QVBoxLayout;

namespace ww::widgets {

class AccessView;
class DivergenceView;
class Label;
class LanesView;

QStringList warp_sentences(const std::vector<sim::WarpFacts>& warps);  // neighbours at one place together
QString totals_sentence(const sim::StepTotals& totals);
QString finding_sentence(const sim::StepFinding& found);  // with both sides

class StepFactsView : public QScrollArea {
  Q_OBJECT
 public:
  explicit StepFactsView(QWidget* parent);
  void show_trace(const sim::Trace& trace, int warp);
  LanesView* lanes() const { return lanes_; }
  const QList<AccessView*>& accesses() const { return accesses_; }  // those that are shown come first
  Label* step() const { return step_; }
  Label* found() const { return found_; }
  Label* warps() const { return warps_; }
  QComboBox* registers() const { return registers_; }
  DivergenceView* divergence() const { return divergence_; }
  Label* live() const { return live_; }
  Label* totals() const { return totals_; }
  Label* element() const { return element_; }
  void show_element(const QString& text);  // of the spec; empty: none

 signals:
  void lane_marked(int lane);

 private:
  void show_lanes();
  void fill_registers();
  void show_live();
  QString register_words(const std::string& name) const;  // "%r3 = x[i]"
  void show_accesses(const sim::StepFacts* step);
  void show_warps();
  sim::Trace trace_;
  int warp_ = 0;
  Label *step_, *found_, *warps_, *next_, *live_, *totals_, *element_;
  DivergenceView* divergence_;
  QComboBox* registers_;
  LanesView* lanes_;
  QList<Label*> captions_;
  QList<AccessView*> accesses_;
};

}  // namespace ww::widgets
