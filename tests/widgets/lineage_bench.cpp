// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what a lineage of N candidates costs (and the two plots of the same run): layout, first paint, and the time of
// one frame from afar, near, while it is dragged and while it is zoomed; and the longest time that one event held the
// GUI thread. Usage: bench_lineage [N]
#include <QElapsedTimer>
#include <QScrollBar>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdio>
#include <random>
#include "session/actions/registry.h"
#include "panels/lineage/lineage_panel.h"
#include "panels/lineage/lineage_view.h"
#include "panels/plots/pareto_panel.h"
#include "panels/plots/progress_panel.h"
#include "session/event_watchdog.h"
#include "session/selection.h"
#include "parts/theme/theme.h"
#include "widgets/fake_engine.h"
#include <qcustomplot.h>

using namespace ww;
using namespace ww::widgets;

namespace {

std::vector<explore::CandidateRow> make_rows(
    int n) {  // beams: each from one of the last few hundred, one in five hundred without a parent
  std::mt19937 random(11);
  std::vector<explore::CandidateRow> rows;
  for (int i = 1; i <= n; ++i) {
    explore::CandidateRow row;
    row.id = i;
    row.hash = "hash" + std::to_string(i);
    if (i > 8 && i % 500 != 0)
      row.parent = "hash" + std::to_string(std::max(1, i - 1 - static_cast<int>(random() % 400)));
    row.title = "kernel " + std::to_string(i) + " (BLOCK 256, UNROLL 4)";
    row.tuning = {{"BLOCK", 256}, {"UNROLL", 4}};
    row.state = i % 7 == 0    ? store::CandidateState::rejected
                : i % 31 == 0 ? store::CandidateState::duplicate
                              : store::CandidateState::accepted;
    row.verdict = row.state == store::CandidateState::rejected ? "rejected at smoke: y[0] is wrong"
                                                               : "accepted: 6 cases x 5 seeds";
    if (row.state == store::CandidateState::accepted)
      row.score = appraisal::Score{100.0 + static_cast<double>(random() % 5000), Provenance::simulated,
                                   "simulated issue slots"};
    row.resources.push_back({});
    row.resources.back().registers = 16 + static_cast<int>(random() % 200);
    rows.push_back(std::move(row));
  }
  return rows;
}

void report(const char* what, std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  std::printf("%-34s %8.2f ms median, %8.2f ms longest of %zu\n", what, ms[ms.size() / 2], ms.back(), ms.size());
}

template <class Step>
std::vector<double> frames(LineageView* view, int n, Step step) {
  std::vector<double> ms;
  for (int i = 0; i < n; ++i) {
    step(i);
    QElapsedTimer t;
    t.start();
    view->viewport()->repaint();
    ms.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
  }
  return ms;
}

void time_layout(const std::vector<explore::CandidateRow>& rows) {
  std::vector<double> layout;
  for (int i = 0; i < 11; ++i) {
    QElapsedTimer t;
    t.start();
    const auto graph = make_lineage(rows, nullptr, Flow::across);
    layout.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
    if (i == 0)
      std::printf("%zu nodes, %d edges, %d generations, %zu roots\n", graph->nodes.size(), graph->edges, graph->layers,
                  graph->roots.size());
  }
  report("layout and words (off the GUI thread)", layout);
}

}  // namespace

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
  Theme::instance().apply("dark");
  const auto rows = make_rows(n);
  time_layout(rows);
  QWidget window;
  auto engine = std::make_shared<test::FakeEngine>();
  Session session(test::FakeEngine::services(engine));
  Selection selection;
  CandidateModel model;
  Registry registry(&window);
  QUndoStack undo;
  Context context{test::FakeEngine::services(engine), &session, &selection, &model, &registry, &undo};
  auto* panel = new LineagePanel(context);
  auto* box = new QVBoxLayout(&window);
  box->addWidget(panel);
  window.resize(1280, 800);
  window.show();
  QCoreApplication::processEvents();
  model.reset(rows);
  app.reset_watch();
  QElapsedTimer first;
  first.start();
  while (!panel->view()->graph() || panel->view()->graph()->nodes.size() != rows.size())
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
  std::printf(
      "%-34s %8.2f ms from the change of the table to the shown graph (120 of it are the wait for more changes)\n",
      "shown", static_cast<double>(first.nsecsElapsed()) / 1e6);
  LineageView* view = panel->view();
  report("frame, all of it", frames(view, 40, [](int) {}));
  selection.set_current(n / 2);
  view->zoom_by(0.2 / view->zoom());
  report("frame, shapes", frames(view, 60, [&](int i) {
           view->verticalScrollBar()->setValue(view->verticalScrollBar()->value() + (i % 2 ? 90 : -70));
         }));
  view->zoom_by(1.0 / view->zoom());
  report("frame, words, dragged", frames(view, 100, [&](int i) {
           view->verticalScrollBar()->setValue(view->verticalScrollBar()->value() + 30 + i % 5);
         }));
  view->fit();
  report("frame while zooming in", frames(view, 40, [&](int) { view->zoom_by(1.12); }));
  std::vector<double> steps;
  for (int i = 0; i < 100; ++i) {
    QElapsedTimer t;
    t.start();
    selection.set_current(1 + (i * 97) % n);
    QCoreApplication::processEvents();
    steps.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
  }
  report("another candidate selected", steps);
  const auto plot = [&](QWidget* other, const char* what) {
    panel->hide();
    box->addWidget(other);
    other->show();
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    std::vector<double> ms;
    for (int i = 0; i < 15; ++i) {
      QElapsedTimer t;
      t.start();
      other->findChild<QCustomPlot*>()->replot();
      ms.push_back(static_cast<double>(t.nsecsElapsed()) / 1e6);
    }
    report(what, ms);
    other->hide();
  };
  plot(new ParetoPanel(context), "frame of the Pareto plot");
  plot(new ProgressPanel(context), "frame of the progress");
  std::printf("longest event on the GUI thread    %8.1f ms (%s), %d events over 50 ms\n", app.longest_ms(),
              qPrintable(app.longest_event()), app.over_50_ms());
  return 0;
}
