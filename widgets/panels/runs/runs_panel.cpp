// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/runs/runs_panel.h"
#include <QEvent>
#include <QHeaderView>
#include <QShortcut>
#include <QTableView>
#include <algorithm>
#include <numeric>
#include "parts/theme/column_fit.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"

namespace ww::widgets {

namespace {
constexpr int least_op = 28;  // average characters; it has its sizes at its end
}

RunsPanel::RunsPanel(QWidget* parent) : QWidget(parent), model_(new RunModel(this)) {
  setProperty("role", "panel");
  pages_ = new PageStack(this);
  auto* empty =
      new EmptyPage("run", tr("This workspace has no runs yet. Each run is kept here and can be opened again."), this);
  empty->offer(tr("Describe an operation"), [this] { emit describe_wanted(); });
  pages_->addWidget(empty);
  table_ = make_records(this, "runs", model_, tr("Runs of the workspace"), {});
  table_->setShowGrid(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setToolTip(tr("Return or a click opens a run, Delete deletes it"));
  table_->viewport()->installEventFilter(this);
  pages_->addWidget(table_);
  refresh_with_theme(this, [this] { fit_columns(); });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit run_chosen(model_->id_at(index.row())); });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (const std::int64_t run = model_->id_at(index.row()); run != shown_) emit run_chosen(run);
  });
  auto* remove = new QShortcut(Qt::Key_Delete, table_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, [this] { emit delete_wanted(selected()); });
}

// Nothing scrolls sideways: what has no room hides, the least important first, and is in the tooltips. The state's icon
// is beside the number. Ops with their sizes have what the others leave them.
void RunsPanel::fit_columns() {
  const QAbstractItemView& cells = *table_;
  QHeaderView* header = table_->horizontalHeader();
  QMap<int, int> widths;
  for (int column = 0; column < RunModel::ColumnCount; ++column) {
    table_->setColumnHidden(column, false);
    widths[column] = std::max(cells.sizeHintForColumn(column), header->sectionSizeHint(column)) + grid::half;
  }
  const int room = table_->viewport()->width(), whole = widths[RunModel::Op];
  widths[RunModel::Op] = std::min(whole, least_op * table_->fontMetrics().averageCharWidth());
  for (const int column :
       columns_without_room(widths, {RunModel::Generator, RunModel::Device, RunModel::State, RunModel::When}, room)) {
    table_->setColumnHidden(column, true);
    widths.remove(column);
  }
  const int spare = room - std::accumulate(widths.begin(), widths.end(), 0);
  const int least = header->sectionSizeHint(RunModel::Op) + grid::half;
  widths[RunModel::Op] = std::max(least, std::min(whole, widths[RunModel::Op] + spare));
  for (auto column = widths.begin(); column != widths.end(); ++column)
    table_->setColumnWidth(column.key(), column.value());
}

bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit_columns();
  return QWidget::eventFilter(watched, event);
}

void RunsPanel::update_page() { pages_->setCurrentIndex(model_->rowCount() > 0 ? 1 : 0); }

std::int64_t RunsPanel::selected() const {
  const int row = table_->currentIndex().row();
  return row >= 0 && row < model_->rowCount() ? model_->id_at(row) : 0;
}

void RunsPanel::set_runs(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live) {
  const std::int64_t kept = selected();
  model_->set_runs(runs, live);
  if (const int again = model_->row_of(kept); again >= 0) table_->selectRow(again);
  update_page();
  fit_columns();
}

void RunsPanel::set_shown(std::int64_t run) {
  shown_ = run;
  model_->set_shown(run);
  if (const int row = model_->row_of(run); row >= 0) table_->selectRow(row);
}

}  // namespace ww::widgets
