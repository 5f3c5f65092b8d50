// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/crash_guard.h"
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include "session/session.h"
#include "parts/theme/text.h"
#include "shell/window/notices.h"

namespace ww::widgets {

namespace {
QString own_mark() { return QString::number(QCoreApplication::applicationPid()); }

// One that ended and that its parent has not waited for is not running.
bool is_running(pid_t process) {
  if (process <= 0 || (::kill(process, 0) != 0 && errno != EPERM)) return false;
  QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
  if (!stat.open(QIODevice::ReadOnly)) return true;
  const QByteArray text = stat.readAll();  // "12 (its name) S …"
  const qsizetype state = text.lastIndexOf(')') + 2;
  return state >= text.size() || (text[state] != 'Z' && text[state] != 'X');
}
}  // namespace

CrashGuard::CrashGuard(QSettings* settings, const Context& context, NoticeBar* bar, QObject* parent)
    : QObject(parent), settings_(settings), context_(context), bar_(bar) {
  look_back();
  mark(0);
  connect(context_.session, &Session::runs_listed, this, &CrashGuard::offer);
  connect(context_.session, &Session::events, this, [this](const std::vector<explore::Event>& batch) {
    for (const explore::Event& event : batch) {
      if (const auto* started = std::get_if<explore::RunStarted>(&event)) mark(started->run);
      if (std::holds_alternative<explore::RunEnded>(event)) mark(0);
    }
  });
}

void CrashGuard::look_back() {
  QStringList gone;
  bool alone = true;
  settings_->beginGroup("sessions");
  for (const QString& process : settings_->childGroups()) {
    if (process == own_mark()) continue;
    if (is_running(static_cast<pid_t>(process.toLongLong())))
      alone = false;
    else
      gone << process;
  }
  if (alone && !gone.isEmpty()) {
    crashed_ = true;
    for (const QString& process : gone) {
      if (run_ == 0) {  // one with a run in progress goes first
        run_ = settings_->value(process + "/run").toLongLong();
        folder_ = settings_->value(process + "/workspace").toString();
      }
      settings_->remove(process);
    }
  }
  settings_->endGroup();
}

void CrashGuard::mark(std::int64_t run) {
  settings_->setValue("sessions/" + own_mark() + "/run", static_cast<qlonglong>(run));
  settings_->setValue("sessions/" + own_mark() + "/workspace", context_.session->folder());
  settings_->sync();
}

void CrashGuard::closed() {
  settings_->remove("sessions/" + own_mark());
  settings_->sync();
}

void CrashGuard::offer(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live) {
  if (!crashed_ || offered_) return;
  if (!folder_.isEmpty() && QDir::cleanPath(folder_) != QDir::cleanPath(context_.session->folder())) return;
  offered_ = true;
  for (const store::RunRecord& run : runs) {
    const bool left = run.id == run_ && run.state == store::RunState::running;
    if (!left || std::find(live.begin(), live.end(), run.id) != live.end()) continue;
    bar_->ask(tr("The last session ended unexpectedly; run %1 (%2) was in progress with %3 judged. No verdict is lost. "
                 "Nothing resumes automatically.")
                  .arg(run.id)
                  .arg(qs(run.op_name))
                  .arg(run.judged),
              tr("Resume..."), [this, id = run.id] { emit resume_wanted(id); });
    return;
  }
  bar_->ask(tr("The last session ended unexpectedly. Your texts, the run and the candidate were restored."), tr("OK"),
            {});
}

}  // namespace ww::widgets
