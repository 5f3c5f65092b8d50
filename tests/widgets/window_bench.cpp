// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how long the GUI thread works from the program's start, loading included, to the window's first paint, and for
// a run of 500 candidates while another one is selected every 100 ms; and the longest time that one event held it then.
#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "session/event_watchdog.h"
#include "parts/theme/theme.h"
#include "widgets/fake_engine.h"
#include "shell/window/main_window.h"
#include "bench_tools.h"

using namespace ww::widgets;
using namespace ww::test;

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  Theme::instance().apply("light");
  QTemporaryDir folder;
  auto engine = std::make_shared<ww::test::FakeEngine>();
  engine->candidates = 500;
  engine->ptx_lines = 3000;
  MainWindow window(
      FakeEngine::services(engine),
      WindowOptions{folder.filePath("settings.ini"), folder.filePath("workspace"), "softmax of 512 rows", false});
  PaintWatch watch;
  window.candidates()->installEventFilter(&watch);
  window.resize(1280, 800);
  window.show();
  if (!wait_until([&] { return watch.painted; }, 10000)) return 1;
  std::printf("first paint                      %8.1f ms of the GUI thread's work\n", thread_ms());
  auto* explore = window.findChild<QPushButton*>("explore");
  if (!wait_until([&] { return explore->isEnabled(); }, 10000)) return 1;
  window.describe()->form()->set_candidates(500);
  QTimer select;
  QObject::connect(&select, &QTimer::timeout, &window,
                   [&] { window.actions_registry()->action("go.next")->trigger(); });
  select.start(100);
  app.reset_watch();
  QElapsedTimer run;
  run.start();
  const double worked = thread_ms();
  explore->click();
  if (!wait_until([&] { return !window.session()->running() && window.candidates()->model()->judged() == 500; },
                  120000))
    return 1;
  std::printf("run of 500 candidates            %8.1f ms, %.1f ms of the GUI thread's work\n", run.nsecsElapsed() / 1e6,
              thread_ms() - worked);
  wait_ms(2000);  // go on selecting
  std::printf("longest event on the GUI thread  %8.1f ms (%s), %d events over 50 ms\n", app.longest_ms(),
              qPrintable(app.longest_event()), app.over_50_ms());
  std::printf("most work in one event           %8.1f ms (%s)\n", app.most_work_ms(), qPrintable(app.hardest_event()));
  return 0;
}
