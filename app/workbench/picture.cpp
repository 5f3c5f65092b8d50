// SPDX-License-Identifier: GPL-3.0-or-later
#include "picture.h"
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <functional>
#include <memory>
#include "base/log.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/notices.h"

namespace ww::widgets {

namespace {

// When nothing has been going on for `quiet_ms`, and on each later such moment until `then` returns false.
void whenever_settled(MainWindow& window, int quiet_ms, bool wait_for_run, std::function<bool()> then) {
  auto* timer = new QTimer(&window);
  auto quiet = std::make_shared<QElapsedTimer>();
  quiet->start();
  auto seen_run = std::make_shared<bool>(!wait_for_run);
  QObject::connect(timer, &QTimer::timeout, &window,
                   [&window, timer, quiet, seen_run, quiet_ms, then = std::move(then)] {
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
                     if (!then()) timer->stop();
                     quiet->restart();
                   });
  timer->start(100);
}

bool end(bool good, const QString& file) {
  if (!good) log::say("cannot write " + file.toStdString());
  QCoreApplication::exit(good ? 0 : 1);
  return false;
}

}  // namespace

void screenshot_when_settled(MainWindow& window, const QString& file, bool wait_for_run) {
  whenever_settled(window, 1500, wait_for_run, [&window, file] { return end(window.grab().save(file), file); });
}

void report_when_settled(MainWindow& window, const QString& file) {
  whenever_settled(window, 700, false, [&window, file] {
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
    state["notice"] = window.notice()->open() ? window.notice()->text() : QString();
    QFile out(file);
    return end(out.open(QIODevice::WriteOnly) && out.write(QJsonDocument(state).toJson()) > 0, file);
  });
}

}  // namespace ww::widgets
