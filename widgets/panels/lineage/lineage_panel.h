// SPDX-License-Identifier: GPL-3.0-or-later
// The lineage of the shown run, as a graph or as a tree of rows; follows the run as it progresses.
#pragma once
#include <QWidget>
#include "panels/lineage/lineage_graph.h"
#include "session/context.h"
#include "session/latest_job.h"

class QLabel;
class QStackedLayout;
class QTimer;
class QToolButton;
class QTreeView;

namespace ww::widgets {

class ElideLabel;
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

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void later();  // something changed: drawn soon, once
  void refresh();
  void present(std::shared_ptr<const LineageGraph> graph);
  void follow();  // the selection, in graph and tree
  void open(std::int64_t candidate);
  void differ(std::int64_t baseline, std::int64_t candidate);
  void trigger(const QString& action);  // of the window, where it has one of that name
  Context context_;
  RunFactsLoader* facts_;
  LatestJob job_;
  QTimer* timer_;
  Flow flow_ = Flow::across;
  bool stale_ = true, syncing_ = false, dressed_ = false;  // dressed_: the tree shows the graph
  std::shared_ptr<const LineageGraph> graph_;
  LineageView* view_;
  LineageModel* model_;
  QTreeView* tree_;
  QStackedLayout *pages_, *views_;
  QLabel* empty_;
  ElideLabel *summary_, *details_;
  QToolButton *turn_, *table_;
};

}  // namespace ww::widgets
