// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/status.h"
#include <QDir>
#include <QEvent>
#include <QKeyEvent>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QTimer>
#include <utility>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "shell/window/worker_facts.h"
#include "shell/window/spend_meter.h"

namespace ww::widgets {

StatusPart::StatusPart(QWidget* parent) : QWidget(parent) {
  auto* row = make_row(this, {grid::half, 0, grid::step, 0});
  progress_ = new QProgressBar(this);
  progress_->setFixedWidth(140);
  name_it(progress_, tr("Progress of the run"), tr("Judged candidates of the budget"));
  left_ = make_label(this, "run_left", "muted");
  counts_ = make_label(this, "run_counts");
  workspace_ = make_label(this, {}, "muted");
  meter_ = new SpendMeter(this);
  for (Label** label : {&device_, &worker_, &counters_}) {
    *label = new Label(this);
    (*label)->setProperty("role", "muted");
    row->addWidget(*label);
  }
  device_->setObjectName("status_device");
  worker_->setObjectName("status_worker");
  counters_->setObjectName("status_counters");
  row->addWidget(meter_);
  row->addWidget(progress_);
  row->addWidget(left_);
  row->addWidget(counts_);
  row->addWidget(workspace_);
  for (Label* label : {device_, worker_, counters_}) label->hide();
  worker_->setCursor(Qt::PointingHandCursor);
  worker_->setFocusPolicy(Qt::TabFocus);
  worker_->installEventFilter(this);
  meter_->installEventFilter(this);
  parent->installEventFilter(this);
  show_none();
}

bool StatusPart::eventFilter(QObject* object, QEvent* event) {
  if (object == worker_) {
    const bool clicked = event->type() == QEvent::MouseButtonRelease;
    const int key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
    if (clicked || key == Qt::Key_Return || key == Qt::Key_Space) {
      emit protections_wanted(worker_->accessibleDescription());
      return true;
    }
    return QWidget::eventFilter(object, event);
  }
  const bool meter_came = object == meter_ && (event->type() == QEvent::Show || event->type() == QEvent::Hide);
  if (meter_came || event->type() == QEvent::Resize || event->type() == QEvent::FontChange)
    QTimer::singleShot(0, this, &StatusPart::fit);
  return QWidget::eventFilter(object, event);
}

void StatusPart::fit() {
  int room = window()->width() - 80;
  for (const QWidget* other : parentWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (other != this && !other->isHidden()) room -= other->sizeHint().width();
  QStringList all;
  for (Label* label : {left_, device_, worker_, counters_, counts_, workspace_}) {
    const bool of_run = label == device_ || label == worker_ || label == counters_ || label == counts_;
    label->setVisible(!label->text().isEmpty() && !(of_run && run_left_out_));
    if (label->isVisibleTo(this)) all += label->text();
  }
  setToolTip(all.join('\n'));
  for (Label* label : {counters_, worker_, workspace_, device_, counts_, left_}) {
    layout()->invalidate();
    if (layout()->sizeHint().width() <= room) break;
    label->hide();
  }
}

void StatusPart::show_none() {
  progress_->hide();
  counts_->clear();
  show_left({});
}

void StatusPart::leave_out_run(bool out) {
  if (std::exchange(run_left_out_, out) != out) fit();
}

void StatusPart::show_left(const QString& time) {
  if (time == left_->text()) return;
  left_->setText(time);
  fit();
}

void StatusPart::show_facts(const WorkerFacts& facts) {
  const auto show = [](Label* label, const QString& text, const QString& tip) {
    label->setText(text);
    label->setToolTip(tip);
    label->setAccessibleDescription(tip);
  };
  show(device_, facts.device, facts.device_tip);
  show(worker_, facts.worker, facts.worker_tip);
  show(counters_, facts.counters, facts.counters_tip);
  fit();
}

void StatusPart::show_run(bool running, const RunCounts& run) {
  const auto [judged, budget, accepted, smaller, structures, imported] = run;
  const bool elsewhere = !running && judged == 0 && imported > 0;  // all of it was judged on another machine
  progress_->setVisible(running);                                  // it is of a run in progress
  progress_->setRange(0, budget > 0 ? budget : running ? 0 : 1);
  progress_->setValue(budget > 0 ? std::min(judged, budget) : 1);
  progress_->setFormat(budget >= judged && budget > 0
                           ? tr("%1 of %2 judged").arg(count_text(judged), count_text(budget))
                           : tr("%1 judged").arg(count_text(judged)));
  QStringList parts;
  if (!elsewhere)
    parts += tr("%1 of %2 proved, %3")
                 .arg(count_text(accepted), counted(judged, tr("candidate"), tr("candidates")),
                      counted(structures, tr("structure"), tr("structures")));
  if (smaller > 0) parts.last() += tr(" (%1 at smaller shapes only)").arg(count_text(smaller));
  if (imported > 0) parts += tr("%1 imported, not judged here").arg(count_text(imported));
  const QString counts = parts.join("; ");
  if (counts == counts_->text()) return;
  counts_->setText(counts);
  fit();
}

void StatusPart::show_origin(const QString& why_imported) { counts_->setToolTip(why_imported); }

void StatusPart::show_workspace(const QString& folder) {
  const QString home = QDir::homePath();
  QString shown = QDir::cleanPath(folder);
  if (shown.startsWith(home + "/")) shown = "~" + shown.mid(home.size());
  workspace_->setText(workspace_->fontMetrics().elidedText(shown, Qt::ElideLeft, 260));
  workspace_->setToolTip(tr("Workspace: %1").arg(folder));
  fit();
}

QString StatusPart::text() const {
  return progress_->isHidden() ? counts_->text() : progress_->text() + "; " + counts_->text();
}

}  // namespace ww::widgets
