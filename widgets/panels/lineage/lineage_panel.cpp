// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lineage/lineage_panel.h"
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include "session/actions/registry.h"
#include "panels/lineage/lineage_model.h"
#include "panels/lineage/lineage_view.h"
#include "session/run_facts.h"
#include "session/selection.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

LineagePanel::LineagePanel(const Context& context)
    : context_(context), facts_(RunFactsLoader::of(context)), timer_(new QTimer(this)) {
  setProperty("role", "panel");
  setObjectName("lineage_panel");
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  const ContentPages made = content_pages(outer, tr("The lineage is drawn here once a run has candidates: describe an "
                                                    "operation and press Explore, or open a run."));
  pages_ = made.pages;
  empty_ = made.empty;
  auto* column = new QVBoxLayout(made.content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  summary_ = new ElideLabel(made.content);
  summary_->setObjectName("lineage_summary");
  bar->addWidget(summary_, 1);
  const auto button = [&](const char* id, const QString& text, const QString& name, const QString& tip) {
    auto* b = new QToolButton(made.content);
    b->setObjectName(id);
    b->setText(text);
    b->setFocusPolicy(Qt::TabFocus);
    name_it(b, name, tip);
    bar->addWidget(b);
    return b;
  };
  turn_ = button("lineage_turn", tr("Top down"), tr("Parents at the top"),
                 tr("Parents above their children instead of to their left"));
  turn_->setCheckable(true);
  auto* fit = button("lineage_fit", tr("Fit"), tr("Show the whole lineage"), tr("Show all of it (0)"));
  auto* more = button("lineage_in", QStringLiteral("+"), tr("Zoom in"), tr("Zoom in (+)"));
  auto* less = button("lineage_out", QStringLiteral("\u2212"), tr("Zoom out"), tr("Zoom out (-)"));
  table_ = button("lineage_table", tr("Table"), tr("Lineage as a table"), tr("A tree of rows instead of the graph"));
  table_->setCheckable(true);
  column->addLayout(bar);

  auto* holder = new QWidget(made.content);
  views_ = new QStackedLayout(holder);
  view_ = new LineageView(holder);
  model_ = new LineageModel(this);
  tree_ = new QTreeView(holder);
  tree_->setObjectName("lineage_tree");
  tree_->setModel(model_);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(14);
  tree_->setAllColumnsShowFocus(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setAlternatingRowColors(true);
  name_it(tree_, tr("Lineage of the candidates, as a tree of rows"));
  const int widths[] = {250, 120, 190, 260};
  for (int i = 0; i < 4; ++i) tree_->setColumnWidth(i, widths[i]);
  views_->addWidget(view_);
  views_->addWidget(tree_);
  column->addWidget(holder, 1);
  details_ = new ElideLabel(made.content);
  details_->setObjectName("lineage_details");
  details_->setProperty("role", "muted");
  details_->setContentsMargins(8, 3, 8, 3);
  column->addWidget(details_);

  timer_->setSingleShot(true);
  timer_->setInterval(120);
  connect(timer_, &QTimer::timeout, this, &LineagePanel::refresh);
  connect(context_.candidates, &QAbstractItemModel::rowsInserted, this, &LineagePanel::later);
  connect(context_.candidates, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& first) {
    if (first.column() <= CandidateModel::Score) later();
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, &LineagePanel::later);
  connect(facts_, &RunFactsLoader::changed, this, &LineagePanel::later);
  connect(context_.session, &Session::run_shown, view_, &LineageView::home);

  Selection* selection = context_.selection;
  connect(selection, &Selection::current_changed, this, &LineagePanel::follow);
  connect(selection, &Selection::baseline_changed, this, &LineagePanel::follow);
  connect(selection, &Selection::compared_changed, this, &LineagePanel::follow);
  connect(view_, &LineageView::current_wanted, selection, &Selection::set_current);
  connect(view_, &LineageView::compare_wanted, selection, &Selection::compare);
  connect(view_, &LineageView::baseline_wanted, selection, &Selection::set_baseline);
  connect(view_, &LineageView::opened, this, &LineagePanel::open);
  connect(view_, &LineageView::difference_wanted, this, &LineagePanel::differ);
  connect(view_, &LineageView::details_changed, this, [this] { details_->set_text(view_->details()); });
  connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (!syncing_ && index.isValid()) context_.selection->set_current(model_->id_of(index));
  });
  connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) { open(model_->id_of(index)); });
  connect(turn_, &QToolButton::toggled, this, [this](bool down) {
    flow_ = down ? Flow::down : Flow::across;
    refresh();
  });
  connect(fit, &QToolButton::clicked, view_, &LineageView::fit);
  connect(more, &QToolButton::clicked, this, [this] { view_->zoom_by(1.4); });
  connect(less, &QToolButton::clicked, this, [this] { view_->zoom_by(1 / 1.4); });
  connect(table_, &QToolButton::toggled, this, [this](bool on) {
    views_->setCurrentIndex(on ? 1 : 0);
    present(graph_);
  });
  setFocusProxy(view_);
}

bool LineagePanel::shows_table() const { return table_->isChecked(); }
void LineagePanel::show_table(bool on) { table_->setChecked(on); }

void LineagePanel::later() {
  stale_ = true;
  if (isVisible() && !timer_->isActive()) timer_->start();
}

void LineagePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) refresh();
}

void LineagePanel::refresh() {
  stale_ = false;
  facts_->want();
  auto rows = std::make_shared<std::vector<explore::CandidateRow>>();
  rows->reserve(context_.candidates->rows().size());
  for (const CandidateModel::Row& row : context_.candidates->rows()) {  // without what the graph does not show
    const explore::CandidateRow& d = row.data;
    explore::CandidateRow copy;
    copy.id = d.id;
    copy.hash = d.hash;
    copy.parent = d.parent;
    copy.structure = d.structure;
    copy.title = d.title;
    copy.state = d.state;
    copy.verdict = d.verdict;
    copy.score = d.score;
    copy.rank = d.rank;
    rows->push_back(std::move(copy));
  }
  job_.submit([this, rows, facts = facts_->facts(), flow = flow_]() -> LatestJob::Deliver {
    auto graph = make_lineage(*rows, facts.get(), flow);
    return [this, graph] { present(graph); };
  });
}

void LineagePanel::present(std::shared_ptr<const LineageGraph> graph) {
  if (graph != graph_) {
    graph_ = std::move(graph);
    dressed_ = false;
    view_->set_graph(graph_);
  }
  const bool some = graph_ && !graph_->nodes.empty();
  pages_->setCurrentIndex(some ? 1 : 0);
  summary_->set_text(some ? graph_->summary : QString());
  if (shows_table() && !dressed_) {
    dressed_ = true;
    syncing_ = true;
    model_->set_graph(graph_);
    tree_->expandAll();
    syncing_ = false;
  }
  follow();
}

void LineagePanel::follow() {
  const Selection& s = *context_.selection;
  view_->set_baseline(s.baseline());
  view_->set_compared(s.compared());
  view_->set_current(s.current());
  if (!shows_table() || !dressed_) return;
  const QModelIndex index = model_->index_of(s.current());
  if (!index.isValid() || index == tree_->currentIndex().siblingAtColumn(0)) return;
  syncing_ = true;
  tree_->setCurrentIndex(index);
  syncing_ = false;
}

void LineagePanel::trigger(const QString& action) {
  if (QAction* a = context_.registry->action(action)) a->trigger();
}

void LineagePanel::open(std::int64_t candidate) {
  context_.selection->set_current(candidate);
  trigger("go.code");
}

void LineagePanel::differ(std::int64_t baseline, std::int64_t candidate) {
  context_.selection->set_baseline(baseline);
  context_.selection->set_current(candidate);
  trigger("go.diff");
}

}  // namespace ww::widgets
