// SPDX-License-Identifier: GPL-3.0-or-later
#include "picture.h"
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <memory>
#include "base/log.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "shell/start/start_page.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/notices.h"

namespace ww::widgets {

namespace {

constexpr int look_ms = 100, quiet_for_report_ms = 700, quiet_for_screenshot_ms = 1500;

bool write_report(MainWindow& window, const QString& file) {
  QJsonObject state;
  state["workspace"] = window.session()->folder();
  state["run"] = static_cast<qint64>(window.session()->shown_run());
  state["running"] = window.session()->running();
  state["candidates"] = window.candidates()->model()->rowCount();
  state["judged"] = window.candidates()->model()->judged();
  state["candidate"] = static_cast<qint64>(window.candidates()->selected());
  state["sentence"] = window.describe()->sentence();
  state["spec"] = window.describe()->spec_text();
  state["layout"] = window.docks()->current();
  state["start"] = window.findChild<StartPage*>()->isVisible();
  state["notice"] = window.notice()->open() ? window.notice()->text() : QString();
  QFile out(file);
  return out.open(QIODevice::WriteOnly) && out.write(QJsonDocument(state).toJson()) > 0;
}

void write_all(MainWindow& window, const Wanted& wanted) {
  bool good = true;
  const auto written = [&](bool done, const QString& file) {
    if (!done) log::say("cannot write " + file.toStdString());
    good = good && done;
  };
  if (!wanted.report.isEmpty()) written(write_report(window, wanted.report), wanted.report);
  if (!wanted.screenshot.isEmpty()) written(window.grab().save(wanted.screenshot), wanted.screenshot);
  QCoreApplication::exit(good ? 0 : 1);
}

}  // namespace

void write_when_settled(MainWindow& window, const Wanted& wanted) {
  auto* timer = new QTimer(&window);
  auto quiet = std::make_shared<QElapsedTimer>();
  quiet->start();
  auto seen_run = std::make_shared<bool>(!wanted.run);
  const int quiet_ms = wanted.screenshot.isEmpty() ? quiet_for_report_ms : quiet_for_screenshot_ms;
  QObject::connect(timer, &QTimer::timeout, &window, [&window, timer, quiet, seen_run, quiet_ms, wanted] {
    if (window.session()->running()) *seen_run = true;
    if (const QString why = window.describe()->unclear(); !*seen_run && !why.isEmpty()) {
      log::say(why.toStdString());
      QCoreApplication::exit(1);
    }
    if (!window.settled() || !*seen_run) {
      quiet->restart();
      return;
    }
    if (quiet->elapsed() < quiet_ms) return;
    timer->stop();
    write_all(window, wanted);
  });
  timer->start(look_ms);
}

}  // namespace ww::widgets
