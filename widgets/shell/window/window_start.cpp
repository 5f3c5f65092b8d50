// SPDX-License-Identifier: GPL-3.0-or-later
// The start page in the window: when it is shown, what it shows, where it leads.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStatusBar>
#include <QTableView>
#include <QToolBar>
#include <algorithm>
#include <utility>
#include "base/files.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/equation_drawing.h"
#include "panels/describe/model_form.h"
#include "panels/describe/reading_view.h"
#include "panels/describe/given_candidates.h"
#include "panels/describe/run_form.h"
#include "panels/describe/spec_view.h"
#include "panels/runs/runs_panel.h"
#include "panels/tour/tour.h"
#include "panels/tour/tour_panel.h"
#include "parts/theme/text.h"
#include "session/actions/registry.h"
#include "shell/start/start_page.h"
#include "shell/window/compare_bar.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "session/recent_runs.h"
#include "session/run_sizes.h"

namespace ww::widgets {

namespace {
constexpr int most_recent_folders = 3;
}  // namespace

void MainWindow::make_start() {
  QFile file(exact((resources_dir() / "start" / "examples.json").string()));
  std::vector<StartExample> examples;
  if (!file.open(QIODevice::ReadOnly)) {
    report(store::MessageLevel::warning, tr("%1 cannot be read.").arg(file.fileName()));
  } else if (auto read = read_examples(file.readAll())) {
    examples = std::move(*read);
  } else {
    report(store::MessageLevel::warning, qs(read.error().message));
  }
  start_ = new StartPage(std::move(examples), this);
  start_->understood()->follow(describe_->reading());
  start_->given()->follow(describe_->given());
  for (const auto wanted : {&ReadingView::candidate_wanted, &ReadingView::plan_wanted, &ReadingView::model_wanted})
    connect(start_->understood(), wanted, this, [this] { show_dock("describe"); });
  connect(describe_, &DescribePanel::text_changed, this, [this] {
    if (!start_->isHidden()) start_->set_text(describe_->sentence());
  });
  connect(start_, &StartPage::typed, describe_, &DescribePanel::begin_sentence);
  connect(start_, &StartPage::run_wanted, this, &MainWindow::run_from_start);
  connect(start_, &StartPage::file_wanted, this, &MainWindow::choose_file);
  connect(start_, &StartPage::file_dropped, this, [this](const QString& path) {
    show_dock("describe");
    describe_->open_file(path);
  });
  connect(start_, &StartPage::form_wanted, this, [this](bool shown) {
    if (shown)
      start_->hold_form(describe_->form());
    else
      describe_->take_form_back();
  });
  connect(start_, &StartPage::left, this, [this] { show_dock("describe"); });
  connect(start_, &StartPage::tour_wanted, this, [this] {
    leave_start();
    tour_from_start_ = true;
    registry_->action("tour.start")->trigger();
  });
  connect(start_, &StartPage::place_chosen, this, [this](const RecentPlace& place) {
    leave_start();
    if (place.run != 0)
      session_->show_run(place.run);
    else
      session_->open_workspace(place.folder);
  });
  connect(describe_, &DescribePanel::readiness_changed, this, &MainWindow::update_start);
  connect(describe_, &DescribePanel::choices_loaded, this, &MainWindow::update_start);
  connect(describe_->form(), &RunForm::changed, this, &MainWindow::update_start);
  connect(describe_, &DescribePanel::file_taken, this, [this] { show_dock("describe"); });
  connect(docks_, &Docks::layout_changed, this, &MainWindow::leave_start);
  connect(session_, &Session::run_shown, this, [this](const std::shared_ptr<const RunView>& run) {
    // Else it is of the workspace that is being left, or nobody asked for it.
    if (run && !session_->opening() && run->record.id != quiet_run_) leave_start();
  });
  connect(session_, &Session::state_changed, this, [this, coming = QString()]() mutable {
    if (std::exchange(coming, session_->opening_folder()) != session_->opening_folder())
      show_recent(runs_->model()->runs());
  });
  connect(session_, &Session::runs_listed, this, [this](const std::vector<store::RunRecord>& runs) {
    show_recent(runs);
    update_state();
  });
}

void MainWindow::show_start() {
  if (Tour::owns(session_->folder()))  // what is typed here is the person's own
    if (auto* panel = findChild<TourPanel*>()) {
      tour_from_start_ = false;
      panel->tour()->leave();
    }
  present_start();
}

// The tour that was watched from the start page leads back to it.
void MainWindow::tour_left() {
  if (std::exchange(tour_from_start_, false)) present_start();
}

void MainWindow::present_start() {
  place_start();
  describe_->form()->leave_run();                                       // new work begins here
  registry_->action("layout." + docks_->current())->setChecked(false);  // none of the workspaces is in sight
  start_->set_text(describe_->sentence());
  start_->show();
  start_->focus_prompt();
  show_recent(runs_->model()->runs());
  update_start();
  update_state();
}

void MainWindow::leave_start() {
  start_->hold_form(nullptr);
  describe_->take_form_back();
  start_->hide();
  registry_->action("layout." + docks_->current())->setChecked(true);
  update_state();
}

// Between the tool bars and the status bar, over the bar of compared candidates, which is of the workspaces.
void MainWindow::place_start() {
  int top = 0;
  for (const QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (!bar->isHidden() && bar != compare_bar_->bar()) top = std::max(top, bar->geometry().bottom() + 1);
  start_->cover(QRect(0, top, width(), statusBar()->geometry().top() - top));
}

void MainWindow::update_start() {
  if (start_->isHidden()) return;
  start_->show_reading(describe_->summary(), describe_->unclear());
  if (!describe_->pending())  // while text is being read, the picture stays
    start_->show_figures(describe_->summary().isEmpty() ? std::vector<EquationFigure>()
                                                        : describe_->spec_view()->drawing()->figures());
  const QString gpu = describe_->form()->gpu();
  const QString machine = gpu.isEmpty()
                              ? tr("No usable GPU: kernels are proved and counted on the SIMT machine, not timed.")
                              : tr("%1: kernels are proved and timed on it.").arg(gpu);
  start_->show_machine(describe_->form()->models()->why_not().isEmpty()
                           ? tr("%1 A language model can propose kernels.").arg(machine)
                           : tr("%1 No language model is set up: the search proposes kernels.").arg(machine));
}

void MainWindow::show_recent(const std::vector<store::RunRecord>& runs) {
  if (start_->isHidden()) return;
  std::vector<store::RunRecord> newest = runs;
  std::ranges::sort(newest, std::greater{}, &store::RunRecord::id);
  std::vector<RecentPlace> places;
  for (const store::RunRecord& run : newest)
    if (places.size() < RecentRuns::most) places.push_back({run_line(run), tr("Show the run"), run.id, {}});
  int folders = 0;
  for (const QString& folder : settings_->value("window/recent").toStringList()) {
    const QString clean = QDir::cleanPath(folder);
    if (clean == QDir::cleanPath(session_->folder()) || !QFileInfo(folder).isDir()) continue;
    if (session_->opening() && clean == QDir::cleanPath(session_->opening_folder())) continue;
    if (++folders > most_recent_folders) break;
    places.push_back({harmless(tr("Workspace %1").arg(QFileInfo(folder).fileName())), harmless(folder), 0, folder});
  }
  start_->show_recent(places);
}

// What is not understood cannot run: the questions are answered in the Describe panel.
void MainWindow::run_from_start() {
  if (start_->text().trimmed().isEmpty()) return start_->ask_for_text();
  describe_->choose();
  leave_start();
  docks_->choose("explore");
  if (describe_->unclear().isEmpty())
    candidates_->table()->setFocus();  // further Returns are not text
  else
    show_dock("describe");
  if (describe_->ask_what_is_missing()) return;
  explore_when_ready_ = true;
  update_state();
}

}  // namespace ww::widgets
