// SPDX-License-Identifier: GPL-3.0-or-later
#include "occupancy/occupancy_panel.h"
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedLayout>
#include "plots/plot_style.h"
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

OccupancyPanel::OccupancyPanel(QWidget* parent) : QWidget(parent) {
  setProperty("role", "panel");
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  const ContentPages made = content_pages(outer);
  pages_ = made.pages;
  empty_ = made.empty;
  QWidget* page = made.content;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 6, 8, 6);
  column->setSpacing(4);
  auto* bar = new QHBoxLayout;
  sentence_ = heading({}, page);
  sentence_->setObjectName("occupancy_sentence");
  sentence_->setWordWrap(true);
  kernel_ = new QComboBox(page);
  kernel_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  kernel_->setMinimumContentsLength(10);
  name_it(kernel_, tr("Kernel"), tr("Kernel of the candidate's plan"));
  bar->addWidget(sentence_, 1);
  bar->addWidget(kernel_);
  column->addLayout(bar);
  facts_ = new QLabel(page);
  facts_->setProperty("role", "muted");
  facts_->setWordWrap(true);
  column->addWidget(facts_);
  plot_ = new QCustomPlot(page);
  plot_->setMinimumHeight(90);
  name_it(plot_, tr("Occupancy by threads per block"));
  column->addWidget(plot_, 1);
  connect(kernel_, &QComboBox::currentIndexChanged, this, &OccupancyPanel::show_kernel);
  connect(&Theme::instance(), &Theme::changed, this, &OccupancyPanel::plot);
  show_candidate(nullptr);
}

void OccupancyPanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  candidate_ = candidate;
  if (!candidate || candidate->annotation.kernels.empty()) {
    empty_->setText(!candidate ? tr("Select a candidate to see how many warps fit on a multiprocessor, and what limits them.")
                               : tr("There is no occupancy to show: %1.").arg(qs(candidate->annotation.why_not)));
    pages_->setCurrentIndex(0);
    sentence_->clear();
    return;
  }
  {
    const QSignalBlocker block(kernel_);
    kernel_->clear();
    for (const KernelOccupancy& k : candidate->annotation.kernels) kernel_->addItem(qs(k.kernel));
    int worst = 0;
    for (std::size_t i = 1; i < candidate->annotation.kernels.size(); ++i)
      if (candidate->annotation.kernels[i].occupancy < candidate->annotation.kernels[static_cast<std::size_t>(worst)].occupancy) worst = static_cast<int>(i);
    kernel_->setCurrentIndex(worst);
  }
  kernel_->setVisible(kernel_->count() > 1);
  pages_->setCurrentIndex(1);
  show_kernel();
}

QString OccupancyPanel::sentence() const { return sentence_->text(); }

void OccupancyPanel::show_kernel() {
  const int at = kernel_->currentIndex();
  if (!candidate_ || at < 0) return;
  const KernelOccupancy& k = candidate_->annotation.kernels[static_cast<std::size_t>(at)];
  sentence_->setText(tr("%1 % occupancy, limited by %2").arg(k.occupancy * 100, 0, 'f', 0).arg(qs(k.limiter)));
  facts_->setText(tr("%1 of %2 warps, %3 blocks of %4 threads per multiprocessor; modelled for %5")
                      .arg(k.active_warps).arg(k.max_warps).arg(k.active_blocks).arg(k.block).arg(qs(k.architecture)));
  plot();
}

void OccupancyPanel::plot() {
  style_plot(plot_);
  plot_->clearPlottables();
  const int at = kernel_->currentIndex();
  if (!candidate_ || at < 0 || static_cast<std::size_t>(at) >= candidate_->annotation.kernels.size()) {
    plot_->replot(QCustomPlot::rpQueuedReplot);
    return;
  }
  const KernelOccupancy& k = candidate_->annotation.kernels[static_cast<std::size_t>(at)];
  QVector<double> x, y;
  for (const auto& [block, occupancy] : k.by_block) {
    x.append(block);
    y.append(occupancy * 100);
  }
  QCPGraph* curve = plot_->addGraph();
  curve->setData(x, y, true);
  curve->setPen(QPen(Theme::instance().color("plot-a"), 1.6));
  curve->setLineStyle(QCPGraph::lsStepLeft);
  QCPGraph* here = plot_->addGraph();
  here->setData({double(k.block)}, {k.occupancy * 100});
  here->setLineStyle(QCPGraph::lsNone);
  here->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, Theme::instance().color("plot-b"), Theme::instance().color("plot-b"), 10));
  plot_->xAxis->setLabel(tr("threads per block"));
  plot_->yAxis->setLabel(tr("occupancy, %"));
  plot_->xAxis->setRange(0, x.isEmpty() ? 1024 : std::max(1024.0, x.last()));
  plot_->yAxis->setRange(0, 105);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace ww::widgets
