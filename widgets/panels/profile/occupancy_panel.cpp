// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/occupancy_panel.h"
#include <QComboBox>
#include <QGridLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <cmath>
#include "panels/plots/plot_style.h"
#include "profile/occupancy_steps.h"
#include "panels/profile/series_style.h"
#include "session/metric_texts.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"

namespace ww::widgets {
namespace {

QString occupancy_limit(const profile::Occupancy& o) {
  return o.why_none.empty() ? qs(enum_string(o.limiter))
                            : QString("%1 (%2)").arg(qs(enum_string(o.limiter)), qs(o.why_none));
}

QString first_upper(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

std::int64_t all_shared(const profile::KernelShape& s) { return s.static_shared + s.dynamic_shared; }

bool same_shape(const profile::KernelShape& a, const profile::KernelShape& b) {
  return a.block_threads == b.block_threads && a.registers == b.registers && all_shared(a) == all_shared(b);
}

QString next_step_text(const profile::DeviceLimits& limits, const profile::KernelShape& shape) {
  const std::vector<profile::OccupancyStep> steps = profile::next_steps(limits, shape);
  if (!steps.empty()) return OccupancyPanel::tr("Next step: %1.").arg(qs(profile::step_text(steps.front())));
  return profile::occupancy(limits, shape).fraction >= 1
             ? OccupancyPanel::tr("The multiprocessor is full.")
             : OccupancyPanel::tr("No change of one quantity alone lets more warps fit.");
}

}  // namespace

OccupancyPanel::OccupancyPanel(const Context& context)
    : ProfilePanel(context, "occupancy_panel", tr("Occupancy"),
                   tr("Select a candidate to see how many warps fit on a multiprocessor, and what limits them.")) {
  launch_ = add_choice("occupancy_launch", tr("Launch"), tr("Launch of the candidate's plan"), 14);
  auto* chart = new QWidget(page());
  auto* column = make_column(chart, {}, grid::half);
  plot_ = new QCustomPlot(chart);
  plot_->setMinimumHeight(90);
  name_it(plot_, tr("Occupancy over registers, block size and shared memory"));
  column->addWidget(plot_, 1);
  make_dials(chart);
  answer_ = make_paragraph(chart, "occupancy_what_if");
  column->addWidget(answer_);
  set_chart(chart);
  connect(launch_, &QComboBox::activated, this, [this] {
    reset();
    refresh();
  });
}

void OccupancyPanel::make_dials(QWidget* chart) {
  plot_->plotLayout()->clear();
  plot_->plotLayout()->setColumnSpacing(6);
  auto* grid = new QGridLayout;
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(grid::step);
  const QString names[] = {tr("Registers per thread"), tr("Threads per block"), tr("Shared memory per block")};
  const QString tips[] = {tr("What if the kernel used this many registers?"),
                          tr("What if its blocks had this many threads?"),
                          tr("What if a block used this many bytes of shared memory, static and dynamic?")};
  for (int q = 0; q < quantities; ++q) {
    Dial& dial = dials_[q];
    dial.axes = new QCPAxisRect(plot_);
    plot_->plotLayout()->addElement(0, q, dial.axes);
    dial.axes->setupFullAxesBox(true);
    dial.axes->setMinimumSize(60, 50);
    for (QCPAxis* axis : {dial.axes->axis(QCPAxis::atTop), dial.axes->axis(QCPAxis::atRight)}) axis->setTicks(false);
    dial.slider = new QSlider(Qt::Horizontal, chart);
    dial.spin = new QSpinBox(chart);
    name_it(dial.slider, tr("What if: %1").arg(names[q].toLower()), tips[q]);
    name_it(dial.spin, tr("What if: %1, as a number").arg(names[q].toLower()), tips[q]);
    dial.slider->setObjectName(QStringLiteral("occupancy_slider_%1").arg(q));
    dial.spin->setObjectName(QStringLiteral("occupancy_spin_%1").arg(q));
    dial.slider->setMinimumWidth(40);
    if (q == shared) dial.spin->setSuffix(" B");
    grid->addWidget(dial.slider, 0, 2 * q);
    grid->addWidget(dial.spin, 0, 2 * q + 1);
    grid->setColumnStretch(2 * q, 1);
    connect(dial.slider, &QSlider::valueChanged, dial.spin, &QSpinBox::setValue);
    connect(dial.spin, &QSpinBox::valueChanged, this, [this, q](int value) {
      const QSignalBlocker quiet(dials_[q].slider);
      dials_[q].slider->setValue(value);
      dial_moved();
    });
  }
  dials_[block].slider->setSingleStep(32);
  dials_[block].spin->setSingleStep(32);
  dials_[shared].slider->setSingleStep(128);
  dials_[shared].slider->setPageStep(8192);
  dials_[shared].spin->setSingleStep(1024);
  auto* reset_button =
      make_tool(chart, "occupancy_reset", tr("Reset"), tr("Reset"), tr("Reset to the compiled kernel"));
  connect(reset_button, &QToolButton::clicked, this, [this] {
    reset();
    dial_moved();
  });
  reset_ = reset_button;
  grid->addWidget(reset_button, 0, 2 * quantities);
  static_cast<QVBoxLayout*>(chart->layout())->addLayout(grid);
}

const profile::DeviceLimits* OccupancyPanel::limits() const { return limits_ ? &*limits_ : nullptr; }

// "sm_90", or "H200 SXM, sm_90" where that GPU is modelled.
QString OccupancyPanel::limits_name() const {
  const ProfileView& view = *profiles().front();
  const QString architecture = qs(limits()->architecture);
  return view.modelled_gpu ? QString("%1, %2").arg(qs(view.modelled_gpu->gpu), architecture) : architecture;
}

const LaunchView* OccupancyPanel::launch_of(const ProfileView& view) const {
  if (view.launches.empty()) return nullptr;
  const bool current = view.record.id == candidate_;
  const auto at = static_cast<std::size_t>(std::max(0, launch_->currentIndex()));
  if (current) return &view.launches[std::min(at, view.launches.size() - 1)];
  if (at < view.launches.size() && view.launches[at].kernel == launch_->currentData().toString().toStdString())
    return &view.launches[at];
  return &*std::min_element(view.launches.begin(), view.launches.end(), [](const LaunchView& a, const LaunchView& b) {
    return (a.occupancy ? a.occupancy->fraction : 2) < (b.occupancy ? b.occupancy->fraction : 2);
  });
}

void OccupancyPanel::take_profiles() {
  const ProfileView& view = *profiles().front();
  const bool other = view.record.id != candidate_;
  candidate_ = view.record.id;
  {
    const QSignalBlocker quiet(launch_);
    const int before = other ? -1 : launch_->currentIndex();
    launch_->clear();
    int worst = 0;
    for (std::size_t i = 0; i < view.launches.size(); ++i) {
      launch_->addItem(tr("Launch %1: %2").arg(i + 1).arg(qs(view.launches[i].kernel)), exact(view.launches[i].kernel));
      const auto fraction = [&](std::size_t at) {
        return view.launches[at].occupancy ? view.launches[at].occupancy->fraction : 2;
      };
      if (fraction(i) < fraction(static_cast<std::size_t>(worst))) worst = static_cast<int>(i);
    }
    launch_->setCurrentIndex(before >= 0 && before < launch_->count() ? before : worst);
  }
  launch_->setVisible(launch_->count() > 1);
  const bool others = !limits_ || !view.limits || limits_->architecture != view.limits->architecture;
  limits_ = view.limits;
  if (other || others) reset();
}

QString OccupancyPanel::why_no_data() const {
  const ProfileView& view = *profiles().front();
  const LaunchView* launch = launch_of(view);
  if (!launch) return tr("%1 has no occupancy to show. %2").arg(qs(view.name), qs(view.launches_why_not));
  if (!launch->occupancy) return tr("%1 has no occupancy to show: %2.").arg(qs(view.name), qs(launch->why_not));
  if (!limits()) return tr("The limits of %1 are not known.").arg(qs(view.architecture));
  return {};
}

void OccupancyPanel::reset() {
  const LaunchView* launch = profiles().empty() ? nullptr : launch_of(*profiles().front());
  if (launch && limits()) set_dials(launch->shape);
}

void OccupancyPanel::set_dials(const profile::KernelShape& s) {
  const std::int64_t most[] = {limits_->max_registers_per_thread, limits_->max_threads_per_block,
                               limits_->max_shared_per_block};
  for (int q = 0; q < quantities; ++q) {
    const QSignalBlocker quiet_slider(dials_[q].slider), quiet_spin(dials_[q].spin);
    const std::int64_t now = value(static_cast<Quantity>(q), s);
    dials_[q].slider->setRange(q == shared ? 0 : 1, static_cast<int>(std::max(most[q], now)));
    dials_[q].spin->setRange(q == shared ? 0 : 1, static_cast<int>(std::max(most[q], now)));
    dials_[q].slider->setValue(static_cast<int>(now));
    dials_[q].spin->setValue(static_cast<int>(now));
  }
}

profile::KernelShape OccupancyPanel::shape() const {
  return {dials_[block].spin->value(), dials_[registers].spin->value(), 0, dials_[shared].spin->value()};
}

std::int64_t OccupancyPanel::value(Quantity q, const profile::KernelShape& s) {
  return q == registers ? s.registers : q == block ? s.block_threads : all_shared(s);
}

std::vector<profile::CurvePoint> OccupancyPanel::curve(Quantity q, const profile::DeviceLimits& limits,
                                                       const profile::KernelShape& s) {
  if (q == registers) return profile::over_registers(limits, s);
  if (q == block) return profile::over_block_size(limits, s);
  return profile::over_shared(limits, {s.block_threads, s.registers, 0, all_shared(s)});
}

void OccupancyPanel::dial_moved() {
  if (profiles().empty() || !limits()) return;
  draw();
}

QString OccupancyPanel::what_if() const { return answer_->text(); }

void OccupancyPanel::update_chart() { draw(); }

void OccupancyPanel::draw() {
  const LaunchView* launch = launch_of(*profiles().front());
  if (!launch || !limits()) return;
  const bool as_compiled = same_shape(shape(), launch->shape);
  if (as_compiled) {
    answer_->setText(tr("What if? Move a slider: registers, block size or shared memory."));
  } else {
    const profile::Occupancy o = profile::occupancy(*limits(), shape());
    answer_->setText(tr("What if: %1 occupancy, limited by %2; %3 blocks, %4 of %5 warps. %6")
                         .arg(percent_text(o.fraction), occupancy_limit(o))
                         .arg(o.blocks)
                         .arg(o.warps)
                         .arg(limits()->max_warps_per_sm())
                         .arg(next_step_text(*limits(), shape())));
  }
  set_role(answer_, as_compiled ? "muted" : "");
  reset_->setEnabled(!as_compiled);
  plot_->clearPlottables();
  style_plot(plot_);
  for (int q = 0; q < quantities; ++q) draw_curves(static_cast<Quantity>(q));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void OccupancyPanel::draw_curves(Quantity q) {
  const Theme& theme = Theme::instance();
  QCPAxis *x = dials_[q].axes->axis(QCPAxis::atBottom), *y = dials_[q].axes->axis(QCPAxis::atLeft);
  const double unit = q == shared ? 1024 : 1;
  const auto add = [&](const profile::KernelShape& s, const QPen& pen, const QCPScatterStyle& marker) {
    QVector<double> at, percent;
    for (const profile::CurvePoint& p : curve(q, *limits(), s)) {
      at.append(static_cast<double>(p.x) / unit);
      percent.append(p.occupancy.fraction * 100);
    }
    QCPGraph* line = plot_->addGraph(x, y);
    line->setData(at, percent, true);
    line->setLineStyle(QCPGraph::lsStepLeft);
    line->setPen(pen);
    QCPGraph* here = plot_->addGraph(x, y);
    here->setData({static_cast<double>(value(q, s)) / unit}, {profile::occupancy(*limits(), s).fraction * 100});
    here->setLineStyle(QCPGraph::lsNone);
    here->setScatterStyle(marker);
  };
  for (int i = static_cast<int>(profiles().size()) - 1; i >= 0; --i)  // the current one on top
    if (const LaunchView* launch = launch_of(*profiles()[static_cast<std::size_t>(i)]); launch && launch->occupancy) {
      const SeriesStyle style = series_style(series(static_cast<std::size_t>(i)));
      add(launch->shape, style.pen, style.marker);
    }
  if (const LaunchView* launch = launch_of(*profiles().front()); !same_shape(shape(), launch->shape))
    add(shape(), QPen(theme.color("text"), 1, Qt::DotLine),
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.color("text"), 1.8), Qt::NoBrush, 11));
  label_axis(x, q == registers ? tr("registers per thread")
                : q == block   ? tr("threads per block")
                               : tr("shared memory per block, KiB"));
  label_axis(y, q == registers ? tr("occupancy, %, modelled") : QString());
  y->setTickLabels(q == registers);
  y->setRange(0, 108);
  const double most = q == registers ? limits()->max_registers_per_thread
                      : q == block   ? limits()->max_threads_per_block
                                     : static_cast<double>(limits()->max_shared_per_block) / 1024;
  x->setRange(0, most * 1.02);
  x->ticker()->setTickCount(4);
}

QString OccupancyPanel::summary() const {
  const ProfileView& view = *profiles().front();
  const LaunchView* launch = launch_of(view);
  const profile::Occupancy o = profile::occupancy(*limits(), launch->shape);
  QString text =
      tr("%1 occupancy, limited by %2: %3 threads/block \u00b7 %4 blocks/SM \u00b7 %5 of %6 warps (modelled for %7).")
          .arg(percent_text(o.fraction), occupancy_limit(o))
          .arg(launch->shape.block_threads)
          .arg(o.blocks)
          .arg(o.warps)
          .arg(limits()->max_warps_per_sm())
          .arg(limits_name());
  text += " " + next_step_text(*limits(), launch->shape);
  const double achieved = counter_of(view, "sm__warps_active.avg.pct_of_peak_sustained_active",
                                     view.launches.size() == 1 ? -1 : launch_->currentIndex());
  if (std::isfinite(achieved)) text += " " + tr("Achieved: %1 %, measured.").arg(achieved, 0, 'f', 0);
  if (view.architecture != limits()->architecture)
    text += " " + tr("Registers as compiled for %1.").arg(qs(view.architecture));
  return text;
}

ProfileTable OccupancyPanel::table() const {
  ProfileTable t{{tr("Candidate"), tr("Launch"), tr("Threads per block"), tr("Registers"), tr("Shared memory, B"),
                  tr("Blocks"), tr("Warps"), tr("Occupancy, %"), tr("Limited by"), tr("Next step"), tr("Provenance"),
                  tr("Achieved, % (measured)")},
                 {},
                 {2, 3, 4, 5, 6, 7, 11}};
  const auto add = [&](const QString& name, const QString& launch, const profile::KernelShape& s,
                       const QString& achieved) {
    const profile::Occupancy o = profile::occupancy(*limits(), s);
    t.rows.append({name, launch, QString::number(s.block_threads), QString::number(s.registers),
                   count_text(static_cast<double>(all_shared(s))), QString::number(o.blocks), QString::number(o.warps),
                   QString::number(o.fraction * 100, 'f', 1), occupancy_limit(o),
                   first_upper(next_step_text(*limits(), s)), tr("modelled for %1").arg(limits_name()), achieved});
  };
  for (const auto& view : profiles()) {
    for (std::size_t i = 0; i < view->launches.size(); ++i) {
      const LaunchView& launch = view->launches[i];
      const double achieved = counter_of(*view, "sm__warps_active.avg.pct_of_peak_sustained_active",
                                         view->launches.size() == 1 ? -1 : static_cast<int>(i));
      if (launch.occupancy)
        add(qs(view->name), QString("%1: %2").arg(i + 1).arg(qs(launch.kernel)), launch.shape,
            std::isfinite(achieved) ? QString::number(achieved, 'f', 1) : tr("not measured"));
    }
  }
  if (const LaunchView* launch = launch_of(*profiles().front()); launch && !same_shape(shape(), launch->shape))
    add(tr("What if"), qs(launch->kernel), shape(), dash());
  return t;
}

}  // namespace ww::widgets
