// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/work_status.h"
#include <QHBoxLayout>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>
#include "base/time_left.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "session/bundles.h"
#include "session/measurer.h"
#include "session/reviewer.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

QString work_title(Work work) {
  switch (work) {
    case Work::measuring: return WorkStatus::tr("Measuring");
    case Work::judging: return WorkStatus::tr("Judging the draft");
    case Work::signing: return WorkStatus::tr("Judging again before signing");
    case Work::importing: return WorkStatus::tr("Importing");
    case Work::exporting: return WorkStatus::tr("Exporting");
  }
  return {};
}

QString elapsed_text(double minutes) {  // empty: less than a second
  const int seconds = static_cast<int>(minutes * 60);
  return seconds < 1    ? QString()
         : seconds < 60 ? WorkStatus::tr("for %1 s").arg(seconds)
                        : WorkStatus::tr("for %1 min").arg(seconds / 60);
}

}  // namespace

WorkStatus::WorkStatus(QWidget* parent) : QWidget(parent), tick_(new QTimer(this)) {
  setObjectName("work_status");
  auto* row = make_row(this, {grid::half, 0, grid::step, 0});
  progress_ = new QProgressBar(this);
  progress_->setFixedWidth(80);
  progress_->setTextVisible(false);
  text_ = make_elided(this, "work_text");
  text_->setFixedWidth(40 * fontMetrics().averageCharWidth());
  cancel_ =
      make_tool(this, "work_cancel", tr("Cancel"), tr("Cancel the measurement"), tr("Earlier measurements are kept"));
  for (QWidget* part : {static_cast<QWidget*>(progress_), static_cast<QWidget*>(text_), static_cast<QWidget*>(cancel_)})
    row->addWidget(part);
  hide();
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (!tasks_.empty() && tasks_.back().cancel) tasks_.back().cancel();
  });
  connect(tick_, &QTimer::timeout, this, &WorkStatus::show_newest);
}

void WorkStatus::follow(Measurer* measurer) {
  connect(measurer, &Measurer::state_changed, this,
          [this, measurer] { set_going(Work::measuring, measurer->measuring(), [measurer] { measurer->cancel(); }); });
  connect(measurer, &Measurer::progressed, this, [this, measurer](double fraction, const QString& text) {
    set_going(Work::measuring, measurer->measuring(), [measurer] { measurer->cancel(); });
    report(Work::measuring, fraction, text);
  });
}

void WorkStatus::follow(Session* session) {
  connect(session, &Session::state_changed, this, [this, session] { set_going(Work::judging, session->judging()); });
  connect(session, &Session::events, this, [this](const std::vector<explore::Event>& batch) {
    for (const explore::Event& event : batch)
      if (const auto* one = std::get_if<explore::CandidateProgress>(&event))
        report(Work::judging, one->progress.fraction, {});
  });
}

void WorkStatus::follow(Reviewer* reviewer) {
  connect(reviewer, &Reviewer::signing_changed, this,
          [this, reviewer] { set_going(Work::signing, reviewer->signing()); });
  connect(reviewer, &Reviewer::signing_progressed, this,
          [this](double fraction) { report(Work::signing, fraction, {}); });
}

void WorkStatus::follow(Bundles* bundles) {
  connect(bundles, &Bundles::began, this, [this](Work work) { begin(work); });
  connect(bundles, &Bundles::ended, this, &WorkStatus::end);
}

WorkStatus::Task* WorkStatus::find(Work work) {
  const auto at = std::ranges::find(tasks_, work, &Task::work);
  return at == tasks_.end() ? nullptr : &*at;
}

void WorkStatus::set_going(Work work, bool going, std::function<void()> cancel) {
  if (going == (find(work) != nullptr)) return;
  if (going)
    begin(work, std::move(cancel));
  else
    end(work);
}

void WorkStatus::begin(Work work, std::function<void()> cancel) {
  tasks_.push_back({work, {}, {}, {}, std::move(cancel)});
  tasks_.back().since.start();
  show_newest();
}

void WorkStatus::report(Work work, double fraction, const QString& step) {
  Task* task = find(work);
  if (!task) return;
  task->fraction = std::max(fraction, task->fraction.value_or(0));  // a second judge begins anew
  task->step = step;
  show_newest();
}

void WorkStatus::end(Work work) {
  if (const Task* task = find(work)) tasks_.erase(tasks_.begin() + (task - tasks_.data()));
  show_newest();
}

void WorkStatus::show_newest() {
  const bool came = isHidden() != tasks_.empty();
  if (tasks_.empty()) {
    tick_->stop();
    hide();
  } else {
    const Task& task = tasks_.back();
    const double minutes = static_cast<double>(task.since.elapsed()) / 60000;
    const bool known = task.fraction && *task.fraction < 1;
    progress_->setRange(0, known ? 1000 : 0);
    progress_->setValue(known ? static_cast<int>(1000 * *task.fraction) : 0);
    name_it(progress_, work_title(task.work));
    const std::optional<double> left = known ? minutes_left(*task.fraction, minutes) : std::nullopt;
    const QString time = left ? qs(left_text(*left)) : elapsed_text(minutes);
    const QString what = task.step.isEmpty() ? work_title(task.work) : task.step;
    text_->set_text(time.isEmpty() ? what : tr("%1 · %2").arg(what, time));
    cancel_->setVisible(static_cast<bool>(task.cancel));
    tick_->start(1000);
    show();
  }
  if (came) emit changed();
}

QString WorkStatus::text() const { return text_->full_text(); }

}  // namespace ww::widgets
