// SPDX-License-Identifier: GPL-3.0-or-later
// usage: bench_diff LEFT RIGHT [ROUNDS] [--stay]
// Opens two listings and compares them in a window, as the diff panel does, until the first difference is painted.
// Prints milliseconds (median of the rounds): as the texts stand, in the normal form of PTX or SASS (by the files'
// names), and what one event held the GUI thread at the most. --stay: one round, and the window stays open, for a
// watcher outside.
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QScrollBar>
#include <algorithm>
#include <cstdio>
#include "panels/diff/diff_view.h"
#include "diff/texts.h"
#include "session/event_watchdog.h"
#include "session/latest_job.h"
#include "parts/theme/theme.h"
#include "bench_tools.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

namespace {

std::string read(const QString& name) {
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) {
    std::fprintf(stderr, "%s cannot be read\n", qPrintable(name));
    std::exit(2);
  }
  return file.readAll().toStdString();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  QStringList args = app.arguments().mid(1);
  const bool stay = args.removeAll("--stay") > 0;
  if (args.size() < 2) {
    std::fprintf(stderr, "usage: bench_diff LEFT RIGHT [ROUNDS] [--stay]\n");
    return 2;
  }
  const int rounds = stay ? 1 : args.size() > 2 ? std::max(1, args[2].toInt()) : 9;
  const bool sass = args[0].endsWith(".sass");
  const CodeKind kind = sass ? CodeKind::sass : CodeKind::ptx;
  Theme::instance().apply("light");
  DiffView view;
  view.resize(1280, 800);
  view.show();
  PaintWatch watch;
  view.viewport()->installEventFilter(&watch);
  LatestJob job;
  const auto open = [&](const diff::Rules& rules) {
    QElapsedTimer timer;
    timer.start();
    bool shown = false;
    job.submit([&, rules]() -> LatestJob::Deliver {
      auto compared = std::make_shared<const diff::TextDiff>(diff::compare_texts(read(args[0]), read(args[1]), rules));
      return [&, compared] {
        view.show_diff(compared, kind, kind);
        watch.painted = false;
        shown = true;
      };
    });
    while (!shown || !watch.painted) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return timer.nsecsElapsed() / 1e6;
  };
  if (stay) {
    open({});
    return app.exec();
  }
  open({});  // fonts and the like
  for (const diff::Form form : {diff::Form::text, sass ? diff::Form::sass : diff::Form::ptx}) {
    app.reset_watch();
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) times.push_back(open({form, false}));
    std::printf("%-24s %8.1f ms  (%zu and %zu lines, %zu changes; the GUI thread was held %.1f ms at the most)\n",
                form == diff::Form::text ? "open and diff" : "in the normal form", median(times),
                view.diff()->left.lines.size(), view.diff()->right.lines.size(), view.diff()->changes.size(),
                app.longest_ms());
  }
  std::vector<double> frames;
  for (int i = 0; i < 200; ++i) {
    QElapsedTimer timer;
    timer.start();
    view.verticalScrollBar()->setValue(static_cast<int>(view.rows().rows.size()) * i / 200);
    view.viewport()->repaint();
    frames.push_back(timer.nsecsElapsed() / 1e6);
  }
  std::printf("%-24s %8.1f ms  (the slowest of 200: %.1f ms)\n", "a frame of scrolling", median(frames),
              *std::max_element(frames.begin(), frames.end()));
  return 0;
}
