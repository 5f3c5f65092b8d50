// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/verdict_table.h"
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QTreeWidget>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "panels/verdict/evidence.h"

namespace ww::widgets {

namespace {

constexpr int verdict_line = Qt::UserRole;

QString outcome_text(diff::SideOutcome outcome) {
  switch (outcome) {
    case diff::SideOutcome::passed: return VerdictTable::tr("passed");
    case diff::SideOutcome::failed: return VerdictTable::tr("failed");
    case diff::SideOutcome::skipped: return VerdictTable::tr("skipped");
    case diff::SideOutcome::proved: return VerdictTable::tr("proved");
    case diff::SideOutcome::not_claimed: return VerdictTable::tr("not claimed");
    case diff::SideOutcome::not_reached: return VerdictTable::tr("not reached");
    case diff::SideOutcome::not_judged: break;
  }
  return VerdictTable::tr("not judged");
}

QIcon outcome_icon(diff::SideOutcome outcome) {
  const auto icon = [](const char* name, const char* token) { return Theme::instance().icon(name, token); };
  switch (outcome) {
    case diff::SideOutcome::passed:
    case diff::SideOutcome::proved: return icon("check", "accepted");
    case diff::SideOutcome::failed: return icon("rejected", "rejected");
    case diff::SideOutcome::not_judged: return icon("warning", "warning");
    default: return icon("skipped", "muted");
  }
}

}  // namespace

VerdictTable::VerdictTable(QWidget* parent) : QWidget(parent) {
  auto* column = make_column(this, {0, grid::half, 0, 0}, grid::half);
  auto* bar = make_row(column, {grid::step, 0, grid::step, 0});
  differing_ = with_id(new QCheckBox(tr("Differing"), this), "verdict_differing");
  name_it(differing_, tr("Only stages and cases that differ"));
  counts_ = make_label(this, {}, "muted");
  bar->addWidget(differing_);
  bar->addStretch(1);
  bar->addWidget(counts_);
  tree_ = with_id(new QTreeWidget(this), "verdict_diff");
  tree_->setColumnCount(3);
  tree_->setHeaderLabels({tr("Stage or case"), tr("Left"), tr("Right")});
  tree_->setRootIsDecorated(false);
  tree_->setAlternatingRowColors(true);
  tree_->setTextElideMode(Qt::ElideRight);
  tree_->header()->setStretchLastSection(true);
  tree_->setColumnWidth(0, 170);
  tree_->setColumnWidth(1, 170);
  name_it(tree_, tr("Verdicts of the two candidates"), tr("Press Return on a fault to go to its line"));
  column->addWidget(tree_, 1);
  connect(differing_, &QCheckBox::toggled, this, &VerdictTable::refill);
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item, int) {
    for (const int side : {2, 1})
      if (const int line = item->data(side, verdict_line).toInt(); line > 0)
        return emit line_activated(side == 2, line);
  });
  refresh_with_theme(this, [this] { refill(); });
}

void VerdictTable::set_rows(std::vector<diff::VerdictRow> rows) {
  rows_ = std::move(rows);
  refill();
}

void VerdictTable::refill() {
  tree_->clear();
  int differing = 0;
  for (const diff::VerdictRow& row : rows_) {
    differing += row.differs;
    if (differing_->isChecked() && !row.differs) continue;
    auto* item = new QTreeWidgetItem(tree_);
    const QString name = row.stage ? stage_title(*row.stage) : tr("Case %1").arg(qs(row.name));
    item->setText(0, row.differs ? QStringLiteral("\u2260 ") + name : name);
    item->setToolTip(0, row.differs ? tr("%1: the two differ").arg(name) : name);
    if (row.differs) {
      QFont bold = tree_->font();
      bold.setBold(true);
      item->setFont(0, bold);
    }
    for (const auto& [at, side] : {std::pair{1, &row.left}, std::pair{2, &row.right}}) {
      QString text = outcome_text(side->outcome), full = text;
      const QString more = qs(side->failure.empty() ? side->text : side->failure);
      if (!more.isEmpty()) text += ": " + more;
      if (!side->text.empty()) full += "\n" + qs(side->text);
      if (!side->failure.empty()) full += "\n" + qs(side->failure);
      item->setIcon(at, outcome_icon(side->outcome));
      item->setText(at, text.section('\n', 0, 0));
      item->setToolTip(at, full);
      item->setData(at, verdict_line, side->line);
    }
  }
  counts_->setText(differing == 0 ? tr("the same outcome everywhere")
                                  : tr("%1 of %2 differ").arg(differing).arg(rows_.size()));
}

}  // namespace ww::widgets
