// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/measure_status.h"
#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>
#include "parts/theme/elide_label.h"
#include "parts/theme/controls.h"
#include "session/measurer.h"
#include "session/run_clock.h"

namespace ww::widgets {

MeasureStatus::MeasureStatus(Measurer* measurer, QWidget* parent) : QWidget(parent) {
  setObjectName("measure_status");
  auto* row = make_row(this, {grid::half, 0, grid::step, 0});
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 1000);
  progress_->setFixedWidth(100);
  name_it(progress_, tr("Progress of the measurement"));
  text_ = make_elided(this, {});
  text_->setFixedWidth(220);
  auto* cancel = make_tool(this, "measure_cancel", tr("Cancel"), tr("Cancel the measurement"),
                           tr("Earlier measurements are kept"));
  for (QWidget* part : {static_cast<QWidget*>(progress_), static_cast<QWidget*>(text_), static_cast<QWidget*>(cancel)})
    row->addWidget(part);
  hide();
  connect(cancel, &QToolButton::clicked, measurer, &Measurer::cancel);
  connect(measurer, &Measurer::progressed, this, [this](double fraction, const QString& text) {
    progress_->setValue(static_cast<int>(1000 * fraction));
    const QString left = left_text(fraction, static_cast<double>(since_.elapsed()) / 60000);
    text_->set_text(left.isEmpty() ? text : tr("%1 · %2").arg(text, left));
  });
  connect(measurer, &Measurer::state_changed, this, [this, measurer] {
    if (measurer->measuring() && isHidden()) since_.start();
    setVisible(measurer->measuring());
  });
}

QString MeasureStatus::text() const { return text_->full_text(); }

}  // namespace ww::widgets
