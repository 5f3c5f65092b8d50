// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lineage/lineage_panel.h"
#include <QToolButton>
#include <QTreeView>
#include "session/actions/registry.h"
#include "panels/lineage/lineage_model.h"
#include "panels/lineage/lineage_view.h"
#include "session/run_facts.h"
#include "session/selection.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/empty_page.h"

namespace ww::widgets {

LineagePanel::LineagePanel(const Context& context)
    : context_(context),
      facts_(RunFactsLoader::of(context)),
      refresher_(new LazyRefresh(this, 120, [this] { refresh(); })) {
  const ContentPages made = panel_pages(this, "lineage_panel", "columns",
                                        tr("The lineage is drawn here once a run has candidates: describe an "
                                           "operation and press Run, or open a run."));
  pages_ = made.pages;
  made.page->offer(tr("Describe an operation"), [this] { context_.registry->trigger("go.describe"); });
  auto* column = make_column(made.content, {}, 0);
  make_bar(column);
  make_views(column);
  details_ = make_elided(made.content, "lineage_details", "muted");
  details_->setContentsMargins(grid::bar);
  column->addWidget(details_);
  connect_run();
  connect_selection();
  setFocusProxy(view_);
}

void LineagePanel::make_bar(QVBoxLayout* column) {
  auto* bar = make_row(column, grid::bar);
  summary_ = make_elided(column->parentWidget(), "lineage_summary");
  bar->addWidget(summary_, 1);
  const auto button = [&](const char* id, const QString& text, const QString& name, const QString& tip) {
    QToolButton* b = make_tool(column->parentWidget(), id, text, name, tip);
    b->setFocusPolicy(Qt::TabFocus);
    bar->addWidget(b);
    return b;
  };
  auto* turn = button("lineage_turn", tr("Top down"), tr("Parents at the top"),
                      tr("Parents above their children instead of to their left"));
  turn->setCheckable(true);
  connect(turn, &QToolButton::toggled, this, [this](bool down) {
    flow_ = down ? Flow::down : Flow::across;
    refresher_->now();
  });
  auto* fit = button("lineage_fit", tr("Fit"), tr("Show the whole lineage"), tr("Show the whole lineage (0)"));
  connect(fit, &QToolButton::clicked, this, [this] { view_->fit(); });
  auto* more = button("lineage_in", QStringLiteral("+"), tr("Zoom in"), tr("Zoom in (+)"));
  connect(more, &QToolButton::clicked, this, [this] { view_->zoom_by(1.4); });
  auto* less = button("lineage_out", QStringLiteral("\u2212"), tr("Zoom out"), tr("Zoom out (-)"));
  connect(less, &QToolButton::clicked, this, [this] { view_->zoom_by(1 / 1.4); });
  table_ = button("lineage_table", tr("Table"), tr("Lineage as a table"), tr("A tree of rows instead of the graph"));
  table_->setCheckable(true);
  connect(table_, &QToolButton::toggled, this, [this](bool on) {
    views_->setCurrentIndex(on ? 1 : 0);
    present(graph_);
  });
}

void LineagePanel::make_views(QVBoxLayout* column) {
  auto* holder = new QWidget(column->parentWidget());
  views_ = new PageStack(holder);
  view_ = new LineageView(holder);
  model_ = new LineageModel(this);
  tree_ = with_id(new QTreeView(holder), "lineage_tree");
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
}

void LineagePanel::connect_run() {
  connect(context_.candidates, &QAbstractItemModel::rowsInserted, refresher_, &LazyRefresh::later);
  connect(context_.candidates, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& first) {
    if (first.column() <= CandidateModel::Score) refresher_->later();
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, refresher_, &LazyRefresh::later);
  connect(facts_, &RunFactsLoader::changed, refresher_, &LazyRefresh::later);
  connect(context_.session, &Session::run_shown, view_, &LineageView::home);
}

void LineagePanel::connect_selection() {
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
}

bool LineagePanel::shows_table() const { return table_->isChecked(); }
void LineagePanel::show_table(bool on) { table_->setChecked(on); }

void LineagePanel::refresh() {
  facts_->want();
  auto rows = std::make_shared<std::vector<explore::CandidateRow>>();
  rows->reserve(context_.candidates->rows().size());
  QSet<std::int64_t> trashed;
  for (const CandidateModel::Row& row : context_.candidates->rows()) {
    rows->push_back(row.data);
    rows->back().resources.clear();  // the graph does not show them
    if (row.trashed) trashed.insert(row.data.id);
  }
  job_.submit([this, rows, trashed, facts = facts_->facts(), flow = flow_]() -> LatestJob::Deliver {
    auto graph = make_lineage(*rows, facts.get(), flow, trashed);
    return [this, graph] { present(graph); };
  });
}

void LineagePanel::present(std::shared_ptr<const LineageGraph> graph) {
  if (graph != graph_) {
    graph_ = std::move(graph);
    tree_filled_ = false;
    view_->set_graph(graph_);
  }
  const bool some = graph_ && !graph_->nodes.empty();
  pages_->setCurrentIndex(some ? 1 : 0);
  summary_->set_text(some ? graph_->summary : QString());
  if (shows_table() && !tree_filled_) {
    tree_filled_ = true;
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
  view_->set_compared(s.places());
  view_->set_current(s.current());
  if (!shows_table() || !tree_filled_) return;
  const QModelIndex index = model_->index_of(s.current());
  if (!index.isValid() || index == tree_->currentIndex().siblingAtColumn(0)) return;
  syncing_ = true;
  tree_->setCurrentIndex(index);
  syncing_ = false;
}

void LineagePanel::open(std::int64_t candidate) {
  context_.selection->set_current(candidate);
  context_.registry->trigger("go.code");
}

void LineagePanel::differ(std::int64_t baseline, std::int64_t candidate) {
  context_.selection->set_baseline(baseline);
  context_.selection->set_current(candidate);
  context_.registry->trigger("go.diff");
}

}  // namespace ww::widgets
