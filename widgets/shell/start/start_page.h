// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: one prompt, examples, recent work, the machine's capabilities. It covers the docks and closes when
// work begins. GUI thread only.
#pragma once
#include <QWidget>
#include <vector>
#include "session/equation_figure.h"
#include "shell/start/examples.h"

class QGridLayout;
class QPushButton;
class QSpacerItem;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class EquationDrawing;
class GivenCandidates;
class Label;
class ReadingView;
class StartPrompt;

struct RecentPlace {  // a run or a workspace
  QString text, tip;
  std::int64_t run = 0;  // 0: a workspace
  QString folder;
};

class StartPage : public QWidget {
  Q_OBJECT
 public:
  StartPage(std::vector<StartExample> examples, QWidget* window);
  void cover(const QRect& room);  // the area of the docks in the window
  void focus_prompt();
  QString text() const;
  void set_text(const QString& text);
  // what would run, or what is unclear; both empty: nothing typed, or not read yet
  void show_reading(const QString& summary, const QString& problem);
  void ask_for_text();  // nothing is typed, and it was to run
  // How the text was understood. Figures that leave no space for the examples are left out; empty: nothing to draw.
  void show_figures(std::vector<EquationFigure> figures);
  // The run's options below the summary, while they are lent to this page; nullptr: they were taken away.
  void hold_form(QWidget* form);
  GivenCandidates* given() const { return given_; }
  ReadingView* understood() const { return understood_; }
  void show_machine(const QString& text);
  void show_recent(const std::vector<RecentPlace>& places);

 signals:
  void typed(const QString& text);
  void run_wanted();
  void form_wanted(bool shown);  // the run's options are to be shown here, or no longer
  void file_wanted();
  void file_dropped(const QString& path);
  void tour_wanted();
  void left();  // without a choice
  void place_chosen(const ww::widgets::RecentPlace& place);

 protected:
  bool focusNextPrevChild(bool next) override;  // keeps the focus on the page
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make_prompt(QVBoxLayout* column);
  void make_examples(QVBoxLayout* column, std::vector<StartExample> examples);
  void make_foot(QVBoxLayout* column);
  void place_cards();
  void fit_run();
  void place_top();
  void reserve();
  QWidget* sheet_;  // scrolls if the window is small
  StartPrompt* prompt_;
  QPushButton* run_;
  Label *reading_, *machine_, *recent_title_;
  QToolButton* options_;
  QVBoxLayout* form_room_;
  GivenCandidates* given_;  // what a run judges first
  ReadingView* understood_;
  EquationDrawing* drawing_;
  QWidget *examples_, *said_, *middle_;  // the examples give way to how the text is understood
  QSpacerItem* top_;
  QGridLayout* grid_;
  std::vector<QWidget*> cards_;
  QVBoxLayout* recent_;
  int columns_ = 0;
};

}  // namespace ww::widgets
