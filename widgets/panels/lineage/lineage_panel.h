// SPDX-License-Identifier: GPL-3.0-or-later
// The lineage of the shown run, as a graph or as a tree of rows; follows the run as it progresses.
#pragma once
#include <QWidget>
#include "panels/lineage/lineage_graph.h"
#include "session/context.h"
#include "session/latest_job.h"

class QStackedLayout;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace ww::widgets {

class ElideLabel;
class LazyRefresh;
class LineageModel;
class LineageView;
class RunFactsLoader;

class LineagePanel : public QWidget {
  Q_OBJECT
 public:
  explicit LineagePanel(const Context& context);
  LineageView* view() const { return view_; }
  QTreeView* tree() const { return tree_; }
  bool shows_table() const;
  void show_table(bool on);

 private:
  void make_bar(QVBoxLayout* column);
  void make_views(QVBoxLayout* column);
  void connect_run();
  void connect_selection();
  void refresh();
  void present(std::shared_ptr<const LineageGraph> graph);
  void follow();  // the selection, in graph and tree
  void open(std::int64_t candidate);
  void differ(std::int64_t baseline, std::int64_t candidate);
  Context context_;
  RunFactsLoader* facts_;
  LatestJob job_;
  LazyRefresh* refresher_;
  Flow flow_ = Flow::across;
  bool syncing_ = false, tree_filled_ = false;  // tree_filled_: the tree shows the graph
  std::shared_ptr<const LineageGraph> graph_;
  LineageView* view_;
  LineageModel* model_;
  QTreeView* tree_;
  QStackedLayout *pages_, *views_;
  ElideLabel *summary_, *details_;
  QToolButton* table_;
};

}  // namespace ww::widgets
