// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/runs/runs_panel.h"
#include <QEvent>
#include <QHeaderView>
#include <QShortcut>
#include <QTableView>
#include "parts/theme/page_stack.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"

namespace ww::widgets {

RunsPanel::RunsPanel(QWidget* parent) : QWidget(parent), model_(new RunModel(this)) {
  setProperty("role", "panel");
  pages_ = new PageStack(this);
  auto* empty =
      new EmptyPage("run", tr("This workspace has no runs yet. Each run is kept here and can be opened again."), this);
  empty->offer(tr("Describe an operation"), [this] { emit describe_wanted(); });
  pages_->addWidget(empty);
  table_ = make_records(this, "runs", model_, tr("Runs of the workspace"), {58, 136, 58, 72, 84, 64, 84});
  table_->setShowGrid(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setToolTip(tr("Return or a click opens a run, Delete deletes it"));
  table_->viewport()->installEventFilter(this);
  pages_->addWidget(table_);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit run_chosen(model_->id_at(index.row())); });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (const std::int64_t run = model_->id_at(index.row()); run != shown_) emit run_chosen(run);
  });
  auto* remove = new QShortcut(Qt::Key_Delete, table_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, [this] { emit delete_wanted(selected()); });
}

// Ops with their sizes have what the columns before the state leave them; the state's icon is beside the number. Other
// names are elided only where the table has no room to spare.
void RunsPanel::show_names() {
  const QAbstractItemView& cells = *table_;
  int room = table_->viewport()->width();
  for (const int column : {RunModel::Number, RunModel::When, RunModel::Accepted}) room -= table_->columnWidth(column);
  if (const int op = std::min(room, cells.sizeHintForColumn(RunModel::Op) + grid::half);
      op > table_->columnWidth(RunModel::Op))
    table_->setColumnWidth(RunModel::Op, op);
  const int last = RunModel::ColumnCount - 1;
  int spare = table_->viewport()->width() - cells.sizeHintForColumn(last);
  for (int column = 0; column < last; ++column) spare -= table_->columnWidth(column);
  for (const int column : {RunModel::Op, RunModel::When, RunModel::State, RunModel::Device}) {
    const int more = std::min(spare, cells.sizeHintForColumn(column) + grid::half - table_->columnWidth(column));
    if (more <= 0) continue;
    table_->setColumnWidth(column, table_->columnWidth(column) + more);
    spare -= more;
  }
}

bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) show_names();
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
  show_names();
}

void RunsPanel::set_shown(std::int64_t run) {
  shown_ = run;
  model_->set_shown(run);
  if (const int row = model_->row_of(run); row >= 0) table_->selectRow(row);
}

}  // namespace ww::widgets
