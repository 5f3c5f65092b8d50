// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a lineage and navigates in it. Draws only what is visible, without labels when zoomed out, so that ten thousand
// nodes stay fluid.
//   pointer: a click selects, Ctrl+click compares, a double click opens, one node dragged onto another is compared with
//            it as the baseline, the background drags the view, the wheel zooms.
//   keys:    arrows go to parent, child and sibling (with Ctrl only the cursor goes), Home to the root, End to the
//            best, Return opens, Space compares, B makes it the baseline, + and - zoom, 0 or F shows all.
#pragma once
#include <QFontMetricsF>
#include <QList>
#include <QMarginsF>
#include <memory>
#include "parts/painted_view.h"
#include "panels/lineage/lineage_graph.h"

namespace ww::widgets {

class LineageView : public PaintedView {
  Q_OBJECT
 public:
  explicit LineageView(QWidget* parent = nullptr);
  void set_graph(std::shared_ptr<const LineageGraph> graph);  // keeps the view on what the user is looking at
  const LineageGraph* graph() const { return graph_.get(); }
  void set_current(std::int64_t candidate);
  void set_baseline(std::int64_t candidate);
  void set_compared(const QList<std::int64_t>& places);  // Selection::places()
  std::int64_t cursor() const { return cursor_; }
  double zoom() const { return zoom_; }
  void zoom_by(double factor);  // about the middle
  void fit();                   // all of it; kept until the user zooms or drags
  void home();                  // the initial view: all of it, or readable if that shows more; kept likewise
  QPoint position_of(std::int64_t candidate) const;  // in the viewport
  std::int64_t at(const QPoint& viewport) const;     // the candidate there; 0: none
  QString details() const;  // of the node or the edge under the pointer, else of the cursor's node; one line

 signals:
  void current_wanted(std::int64_t candidate);
  void compare_wanted(std::int64_t candidate, bool on);
  void opened(std::int64_t candidate);
  void difference_wanted(std::int64_t baseline, std::int64_t candidate);
  void baseline_wanted(std::int64_t candidate);
  void details_changed();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void show_tip(const QHelpEvent& help) override;
  void pointer_left() override { set_hover(-1, -1); }
  void changeEvent(QEvent* event) override;

 private:
  enum class Drag { none, pressed, pan, node };
  // Pixels per unit. The graph is not scaled down in a direction in which it fits, so that ten thousand rows of few
  // generations are not a thin line.
  QPointF scale() const;
  QMarginsF room() const;  // pixels around the markers, for labels
  QSizeF page() const;     // the window minus that
  QPointF to_view(const QPointF& layout) const;
  QPointF to_layout(const QPointF& view) const;
  double fit_zoom() const;
  void zoom_to(double zoom, const QPointF& about);
  void update_bars();
  void show_node(int node);  // scrolls as little as needed
  void go_to(int node, bool select);
  int step(int key) const;  // the target of an arrow key from the cursor
  int node_at(const QPointF& view) const;
  int edge_at(const QPointF& view) const;  // the child's index; -1: none
  void set_hover(int node, int edge);
  void drag_out();                                         // drags the node to another panel
  bool drop(const QMimeData& data, const QPointF& place);  // of candidates of other panels
  void announce();                                         // updates the screen reader's text
  QString node_line(int node) const;
  // lineage_paint.cpp
  void paint_edges(QPainter& painter, const QRectF& seen) const;
  void paint_nodes(QPainter& painter, const QRectF& seen) const;
  void paint_far(QPainter& painter, const QRectF& seen) const;
  void paint_node(QPainter& painter, int node) const;
  QPointF edge_start(const LineageNode& node, const QFontMetricsF& metrics) const;  // after its label
  bool second_line(const QFontMetricsF& metrics) const;
  double word_room() const;  // pixels for a node's label
  void paint_edge_words(QPainter& painter) const;
  void paint_legend(QPainter& painter) const;
  double marker_radius(const LineageNode& node) const;

  std::shared_ptr<const LineageGraph> graph_;
  std::int64_t current_ = 0, baseline_ = 0, cursor_ = 0;
  QList<std::int64_t> compared_;
  double zoom_ = 1;
  enum class Keep { home, all, own };  // the view restored when graph or window change; own: as the user left it
  Keep keep_ = Keep::home;
  Drag drag_ = Drag::none;
  QPoint pressed_at_, drag_at_, bars_at_;
  int pressed_node_ = -1, target_ = -1, hover_node_ = -1, hover_edge_ = -1;
};

}  // namespace ww::widgets
