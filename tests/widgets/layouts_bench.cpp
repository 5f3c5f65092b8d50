// SPDX-License-Identifier: GPL-3.0-or-later
// Prints, for each workspace of docks on the bundled session, how long the GUI thread works to switch to it, and the
// longest event during ten seconds of a run that sends 50 events a second while another candidate is selected each
// second. Then how long it works to switch to each theme, until that is painted.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include "session/actions/registry.h"
#include "base/files.h"
#include "panels/candidates/candidate_panel.h"
#include "session/services.h"
#include "store/bundle.h"
#include "session/event_watchdog.h"
#include "parts/theme/theme.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "bench_tools.h"

using namespace ww::widgets;
using namespace ww::test;

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 10;
  WatchdogApplication app(argc, argv);
  Theme::instance().apply("light");
  QTemporaryDir folder;
  const std::filesystem::path workspace = folder.filePath("session").toStdString();
  if (const auto runs = ww::store::import_bundle(ww::resources_dir() / "tour" / "session.wwb", workspace); !runs) {
    std::printf("%s\n", runs.error().text().c_str());
    return 1;
  }
  MainWindow window(Services(), WindowOptions{.settings_file = folder.filePath("settings.ini"),
                                              .workspace = folder.filePath("session")});
  window.resize(1280, 800);
  window.show();
  if (!wait_until([&] { return window.session()->ready(); }, 10000)) return 1;
  window.session()->show_run(2);
  if (!wait_until([&] { return window.candidates()->model()->rowCount() == 16; }, 10000)) return 1;
  wait_ms(2000);
  const auto& rows = window.candidates()->model()->rows();
  int sent = 0;
  QTimer events, select;
  QObject::connect(&events, &QTimer::timeout, &window, [&] {
    // What a run sends: progress of one, the verdict of another with the new ranks, a line of the log.
    const auto& row = rows[static_cast<std::size_t>(sent) % rows.size()].data;
    std::vector<ww::explore::Event> batch;
    switch (sent++ % 4) {
      case 0: batch.push_back(ww::explore::CandidateProgress{row.id, {}}); break;
      case 1: batch.push_back(ww::explore::CandidateJudged{row}); break;
      case 2: batch.push_back(ww::explore::RanksChanged{{{row.id, row.rank.value_or(1)}}}); break;
      default: batch.push_back(ww::explore::RunMessage{ww::store::MessageLevel::info, "a line of the log"}); break;
    }
    emit window.session()->events(batch, true);
  });
  QObject::connect(&select, &QTimer::timeout, &window,
                   [&] { window.actions_registry()->action("go.next")->trigger(); });
  std::printf("%-10s %12s %14s %8s  %s\n", "workspace", "switch", "longest", "> 50 ms", "which");
  for (const Layout& layout : layouts()) {
    const double begun = thread_ms();
    window.docks()->choose(layout.id);
    const double switched = thread_ms() - begun;
    wait_ms(1500);
    app.reset_watch();
    events.start(20);
    select.start(1000);
    wait_ms(seconds * 1000);
    events.stop();
    select.stop();
    std::printf("%-10s %9.1f ms %11.1f ms %8d  %s\n", qPrintable(layout.id), switched, app.longest_ms(),
                app.over_50_ms(), qPrintable(app.longest_event()));
    std::fflush(stdout);
  }
  std::printf("%-14s %12s\n", "theme", "switch");
  for (const char* theme : {"dark", "high-contrast", "light", "dark", "light"}) {
    const double begun = thread_ms();
    Theme::instance().apply(theme);
    for (int i = 0; i < 3; ++i) {  // until it is painted
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    std::printf("%-14s %9.1f ms\n", theme, thread_ms() - begun);
  }
  return 0;
}
