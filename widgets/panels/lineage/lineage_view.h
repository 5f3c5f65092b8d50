// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a lineage and moves about in it. Only what can be seen is drawn, and from afar without words, so that ten
// thousand nodes stay fluid.
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
  void set_graph(std::shared_ptr<const LineageGraph> graph);  // what the person looks at stays where it is
  const LineageGraph* graph() const { return graph_.get(); }
  void set_current(std::int64_t candidate);
  void set_baseline(std::int64_t candidate);
  void set_compared(const QList<std::int64_t>& places);  // Selection::places()
  std::int64_t cursor() const { return cursor_; }
  double zoom() const { return zoom_; }
  void zoom_by(double factor);  // about the middle
  void fit();                   // all of it; kept until the person zooms or drags
  void home();  // as it is shown at first: all of it, or readable where that is more telling; kept likewise
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
  // Pixels of a unit. What fits into the window one way is not made smaller that way, so that ten thousand rows of few
  // generations are no thin line.
  QPointF scale() const;
  QMarginsF room() const;  // pixels around the markers, for their words
  QSizeF page() const;     // the window without that
  QPointF to_view(const QPointF& layout) const;
  QPointF to_layout(const QPointF& view) const;
  double fit_zoom() const;
  void zoom_to(double zoom, const QPointF& about);
  void update_bars();
  void show_node(int node);  // scrolls as little as needed
  void go_to(int node, bool select);
  int step(int key) const;  // where a key leads from the cursor
  int node_at(const QPointF& view) const;
  int edge_at(const QPointF& view) const;  // the child's place; -1: none
  void set_hover(int node, int edge);
  void drag_out();                                         // to another panel
  bool drop(const QMimeData& data, const QPointF& place);  // of candidates of other panels
  void announce();                                         // what a screen reader reads
  QString node_line(int node) const;
  // lineage_paint.cpp
  void paint_edges(QPainter& painter, const QRectF& seen) const;
  void paint_nodes(QPainter& painter, const QRectF& seen) const;
  void paint_far(QPainter& painter, const QRectF& seen) const;
  void paint_node(QPainter& painter, int node) const;
  QPointF edge_start(const LineageNode& node, const QFontMetricsF& metrics) const;  // behind its words
  bool second_line(const QFontMetricsF& metrics) const;
  double word_room() const;  // pixels for the words of a node
  void paint_edge_words(QPainter& painter) const;
  void paint_legend(QPainter& painter) const;
  double marker_radius(const LineageNode& node) const;

  std::shared_ptr<const LineageGraph> graph_;
  std::int64_t current_ = 0, baseline_ = 0, cursor_ = 0;
  QList<std::int64_t> compared_;
  double zoom_ = 1;
  enum class Keep {
    home,
    all,
    own
  };  // what the view goes back to when graph or window change; own: it stays as the person left it
  Keep keep_ = Keep::home;
  Drag drag_ = Drag::none;
  QPoint pressed_at_, drag_at_, bars_at_;
  int pressed_node_ = -1, target_ = -1, hover_node_ = -1, hover_edge_ = -1;
};

}  // namespace ww::widgets
