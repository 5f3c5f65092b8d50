// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison as a bar under the tool bar: its candidates with their letters and styles, then others shown
// alongside. Visible while a run is shown or something is compared. Candidates of the table can be dropped on it.
#pragma once
#include <QObject>
#include "session/context.h"
#include "shell/window/compare_chip.h"

class QMainWindow;
class QToolBar;
class QToolButton;

namespace ww::widgets {

class Label;

class CompareBar : public QObject {
  Q_OBJECT
 public:
  CompareBar(const Context& context, QMainWindow* window);
  QList<CompareChip*> chips() const { return chips_; }
  const QToolBar* bar() const { return bar_; }
  void settle();  // after a layout was restored: fixes its visibility and row
  void focus();

 signals:
  void candidate_wanted(std::int64_t run, std::int64_t candidate);                         // of a run that is not shown
  void elsewhere_wanted(const QString& folder, std::int64_t run, std::int64_t candidate);  // of another workspace
  void refused(const QString& sentence);
  void resized();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_content();
  CompareChip* make_chip();
  void update();
  void fit();
  bool drop(const QByteArray& dragged);
  void compare(std::int64_t candidate, bool on);
  void choose(std::int64_t candidate);
  void step(int from, int by);
  Context context_;
  QMainWindow* window_;
  QToolBar* bar_;
  QWidget* flow_;
  Label* none_;  // shown instead of chips
  QToolButton* clear_;
  int one_row_ = 0;  // height of a chip; 0: unknown
  QList<CompareChip*> chips_;
};

}  // namespace ww::widgets
