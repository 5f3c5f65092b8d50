// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with a hand that does one thing in it, and says on stdout that it has begun and what the window
// reported. The window then stays open until it is killed (kills.py).
//   window_hand explore WORKSPACE SETTINGS SENTENCE | accept WORKSPACE SETTINGS CANDIDATE
//               import WORKSPACE SETTINGS FILE | export WORKSPACE SETTINGS FILE
#include <QApplication>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <cstdio>
#include <functional>
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "parts/theme/theme.h"
#include "session/bundles.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "shell/window/main_window.h"

using namespace ww;
using namespace ww::widgets;

namespace {

void say(const QString& text) {
  std::fputs(qPrintable(text + '\n'), stdout);
  std::fflush(stdout);
}

// Calls `act` once, as soon as `ready`.
void when(QObject* owner, std::function<bool()> ready, std::function<void()> act) {
  auto* timer = new QTimer(owner);
  QObject::connect(timer, &QTimer::timeout, owner, [timer, ready = std::move(ready), act = std::move(act)] {
    if (!ready()) return;
    timer->stop();
    act();
  });
  timer->start(10);
}

void run_in(MainWindow& w) {
  QObject::connect(w.session(), &Session::events, &w, [](const std::vector<explore::Event>& batch, bool) {
    for (const explore::Event& e : batch) {
      if (const auto* judged = std::get_if<explore::CandidateJudged>(&e))
        say(QString("%1  %2").arg(judged->row.id).arg(QString::fromStdString(enum_string(judged->row.state))));
      if (std::holds_alternative<explore::RunEnded>(e)) say("done");
    }
  });
  auto* button = w.findChild<QPushButton*>("explore");
  when(
      &w, [&w, button] { return w.session()->ready() && w.describe()->spec_ready() && button->isEnabled(); },
      [&w, button] {
        w.findChild<QSpinBox*>("budget")->setValue(4);
        say("begun");
        button->click();
      });
}

void accept(MainWindow& w, std::int64_t candidate) {
  const auto ready = [&w, candidate] {
    return w.session()->ready() && w.candidates()->model()->rowCount() > 0 &&
           w.findChild<Selection*>()->current() == candidate;
  };
  when(
      &w, [&w] { return w.session()->ready(); }, [&w] { w.session()->show_run(1); });
  when(
      &w, [&w] { return w.session()->ready() && w.candidates()->model()->rowCount() > 0; },
      [&w, candidate] { w.findChild<Selection*>()->set_current(candidate); });
  when(&w, ready, [&w] {
    auto* reviewer = w.session()->findChild<Reviewer*>();
    QObject::connect(reviewer, &Reviewer::decided, &w,
                     [](std::int64_t id, store::ReviewKind) { say(QString("accepted %1\ndone").arg(id)); });
    QObject::connect(reviewer, &Reviewer::problem, &w, [](const QString& why) { say("problem: " + why); });
    reviewer->set_name("Ada");
    ReviewAnswers answers;
    for (const char* item : {"spec", "evidence", "findings", "lines", "diff", "limits"}) answers[item] = "yes";
    say("begun");
    reviewer->accept(answers);
  });
}

void carry(MainWindow& w, bool in, const QString& file) {
  when(
      &w, [&w] { return w.session()->ready(); },
      [&w, in, file] {
        auto* bundles = w.findChild<Bundles*>();
        QObject::connect(bundles, &Bundles::done, &w, [](const QString&) { say("done"); });
        QObject::connect(bundles, &Bundles::problem, &w, [](const QString& why) { say("problem: " + why); });
        say("begun");
        if (in)
          bundles->import_file(file);
        else
          bundles->export_file(file, 0);
      });
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const QStringList words = QApplication::arguments();
  if (words.size() != 5 || !Theme::instance().apply("light")) return 2;
  const QString action = words[1], what = words[4];
  MainWindow window(Services(), WindowOptions{words[3], words[2], action == "explore" ? what : QString(), false});
  window.show();
  if (action == "explore")
    run_in(window);
  else if (action == "accept")
    accept(window, what.toLongLong());
  else
    carry(window, action == "import", what);
  return QApplication::exec();
}
