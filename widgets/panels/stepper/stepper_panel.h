// SPDX-License-Identifier: GPL-3.0-or-later
// Steps through a launch of the current candidate, forwards and back: its source and PTX in step, the lanes of a warp,
// and what each step does to memory.
#pragma once
#include <QWidget>
#include <memory>
#include <set>
#include "op/spec.h"
#include "session/context.h"
#include "session/session.h"
#include "session/step_session.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedLayout;
class QTimer;
class QToolButton;

namespace ww::widgets {

class CodeEditor;
class EmptyPage;
class ElideLabel;
class Label;
class ListingView;
class PredictionCard;
class StepFactsView;
class WarpTimeline;

class StepperPanel : public QWidget {
  Q_OBJECT
 public:
  explicit StepperPanel(const Context& context, QWidget* parent = nullptr);
  StepSession* session() const { return session_; }
  StepFactsView* facts() const { return facts_; }
  CodeEditor* source() const { return source_; }
  ListingView* ptx() const { return ptx_; }
  void step_through(const stepping::SteppedLaunch& subject, const StepStart& start, const QString& title);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);
  void save_moment(const QString& file);
  void open_moment(const QString& file);
  PredictionCard* prediction() const { return card_; }
  void show_wrong();  // steps to where the current candidate's verdict finds it wrong

 signals:
  void stepped();                  // beyond the beginning
  void told(const QString& what);  // to the person, of what is done

 public:
  const std::set<int>& breakpoints() const { return breakpoints_; }  // lines of the source

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_setup(QWidget* page);
  QWidget* make_tools(QWidget* page);
  QToolButton* tool(QWidget* bar, const char* id, const QString& text, const QString& tip, std::function<void()> run);
  void key_tool(QWidget* bar, const char* id, const QString& text, const QString& tip, const char* key,
                const std::function<void()>& run);
  void add_actions();
  void start_again();  // with the sizes, launch and block that are chosen
  void begin();
  void fit();
  void ask(sim::TraceQuery q, bool reverse, bool marks_next);  // from where the launch is; marks_next_ below
  void move(sim::StopKind kind, bool reverse);
  void run(bool reverse);
  void run_to_cursor(bool reverse);
  void watch(bool reverse);
  void complain(const QString& why);
  void toggle_breakpoint();
  void show_breakpoints();
  void show_element();  // of the spec, that the marked lane reads or writes, or writes next
  void on_opened();
  void show_inputs(const stepping::SteppedLaunch& subject);
  void show_busy();
  void on_arrived();
  void show_arrival();
  void mark_lines(int line, int ptx_line);  // 0: none
  bool find_wrong_lane();                   // true: it asked for the step again, with that lane
  void choose_moment();
  bool asks_first();  // for a prediction of the last step
  void add_moments(QWidget* bar);
  void on_failed(const QString& why);
  sim::StopAt place(sim::StopKind kind, int line = 0) const;

  Context context_;
  StepSession* session_;
  std::shared_ptr<const CandidateView> candidate_;
  QStackedLayout* pages_;
  EmptyPage* empty_page_;
  ElideLabel* title_;
  Label *problem_, *state_;
  QLineEdit *sizes_, *seed_, *block_, *watched_;
  QComboBox *inputs_, *launches_, *warps_;
  QPushButton *restart_, *wrong_;
  WarpTimeline* time_;
  QSplitter *panes_, *texts_;
  CodeEditor *source_, *spec_text_;
  std::optional<op::Spec> spec_;
  ListingView* ptx_;
  StepFactsView* facts_;
  std::set<int> breakpoints_;
  stepping::SteppedLaunch subject_;
  PredictionCard* card_;
  QToolButton *predict_, *debug_, *halt_;
  QList<QToolButton*> moves_;  // that need something to step through
  QTimer* slow_;
  QString where_;                             // what the state says when nothing runs
  std::optional<evidence::Failure> failure_;  // whose wrong element is looked for
  std::int64_t wrong_at_ = -1;                // where it is written; -1: not found
  QString wrong_text_;
  bool marks_next_ = false;  // the last request stopped before a line, which is marked; else the step that was made
  bool stale_ = false, filling_ = false, moved_ = false;  // moved: one step or line forwards, by the last request
};

}  // namespace ww::widgets
