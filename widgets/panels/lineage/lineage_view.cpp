// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lineage/lineage_view.h"
#include <QAccessible>
#include <QApplication>
#include <QDrag>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr double lineage_least_zoom = 0.4, lineage_most_zoom = 3, lineage_fit_zoom = 1.2, lineage_words_zoom = 0.62,
                 lineage_home_zoom = 1;
constexpr std::size_t lineage_few = 250;  // nodes that are rather read one by one than seen as a whole
constexpr double lineage_reach = 9;       // of the pointer

double distance_to(const QPointF& p, const QPointF& a, const QPointF& b) {  // to the line from a to b
  const QPointF d = b - a;
  const double length = QPointF::dotProduct(d, d);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
  const QPointF away = p - (a + t * d);
  return std::hypot(away.x(), away.y());
}
}  // namespace

LineageView::LineageView(QWidget* parent) : PaintedView(parent) {
  setObjectName("lineage_view");
  viewport()->setAutoFillBackground(false);
  new DropTarget(
      viewport(),
      {.takes = [this](const QMimeData& data) { return graph_ && data.hasFormat(CandidateModel::mime_type); },
       .drop = [this](const QMimeData& data, const QPointF& at) { return drop(data, at); },
       .hover =
           [this](const QPointF& at) {
             set_hover(node_at(at), -1);
             return hover_node_ >= 0;
           },
       .leave = [this] { set_hover(-1, -1); }});
  name_it(this, tr("Lineage of the candidates"));
  connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void LineageView::set_graph(std::shared_ptr<const LineageGraph> graph) {
  // What stays in its place: the cursor's node where it can be seen.
  const std::int64_t kept = cursor_ != 0 && graph_ && viewport()->rect().contains(position_of(cursor_)) ? cursor_ : 0;
  const QPoint before = kept ? position_of(kept) : QPoint();
  const bool turned = graph_ && graph && graph_->flow != graph->flow;
  graph_ = std::move(graph);
  hover_node_ = hover_edge_ = pressed_node_ = target_ = -1;
  drag_ = Drag::none;
  if (cursor_ != 0 && (!graph_ || graph_->find(cursor_) < 0)) cursor_ = 0;
  if (cursor_ == 0 && graph_ && graph_->find(current_) >= 0) cursor_ = current_;
  if (keep_ == Keep::all) {
    fit();
  } else if (keep_ == Keep::home || turned) {
    home();
  } else {
    update_bars();
    if (kept && graph_->find(kept) >= 0) {
      const QPoint moved = position_of(kept) - before;
      horizontalScrollBar()->setValue(horizontalScrollBar()->value() + moved.x());
      verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
    }
  }
  announce();
  viewport()->update();
}

void LineageView::set_current(std::int64_t candidate) {
  if (candidate == current_) return;
  current_ = candidate;
  if (const int node = graph_ ? graph_->find(candidate) : -1; node >= 0) {
    cursor_ = candidate;
    show_node(node);
  }
  announce();
  viewport()->update();
}

void LineageView::set_baseline(std::int64_t candidate) {
  baseline_ = candidate;
  announce();
  viewport()->update();
}

void LineageView::set_compared(const QList<std::int64_t>& places) {
  compared_ = places;
  announce();
  viewport()->update();
}

QMarginsF LineageView::room() const {
  return graph_ && graph_->flow == Flow::down ? QMarginsF(80, 26, 80, 92) : QMarginsF(30, 26, 190, 52);
}

QSizeF LineageView::page() const {
  const QMarginsF m = room();
  return {std::max(1.0, viewport()->width() - m.left() - m.right()),
          std::max(1.0, viewport()->height() - m.top() - m.bottom())};
}

QPointF LineageView::scale() const {
  const QSizeF p = page();
  const auto one = [&](double extent, double length) {
    return extent > 0 ? std::max(zoom_, std::min(1.0, length / extent)) : zoom_;
  };
  return {one(graph_->bounds.width(), p.width()), one(graph_->bounds.height(), p.height())};
}

QPointF LineageView::to_view(const QPointF& p) const {
  if (!graph_) return {};
  const QPointF s = scale(), from = p - graph_->bounds.topLeft();
  return {from.x() * s.x() + room().left() - horizontalScrollBar()->value(),
          from.y() * s.y() + room().top() - verticalScrollBar()->value()};
}

QPointF LineageView::to_layout(const QPointF& v) const {
  if (!graph_) return {};
  const QPointF s = scale();
  return graph_->bounds.topLeft() + QPointF((v.x() + horizontalScrollBar()->value() - room().left()) / s.x(),
                                            (v.y() + verticalScrollBar()->value() - room().top()) / s.y());
}

void LineageView::update_bars() {
  const QPointF s = graph_ ? scale() : QPointF();
  const QSizeF size = graph_ ? QSizeF(graph_->bounds.width() * s.x(), graph_->bounds.height() * s.y()) : QSizeF();
  const QMarginsF m = room();
  const auto set = [](QScrollBar* bar, double content, int page) {
    // Contents smaller than the window are centred: the range is then one negative value.
    const int extra = static_cast<int>(std::ceil(content)) - page;
    bar->setPageStep(page);
    bar->setSingleStep(24);
    if (extra < 0)
      bar->setRange(extra / 2, extra / 2);
    else
      bar->setRange(0, extra);
  };
  set(horizontalScrollBar(), size.width() + m.left() + m.right(), viewport()->width());
  set(verticalScrollBar(), size.height() + m.top() + m.bottom(), viewport()->height());
}

void LineageView::home() {
  keep_ = Keep::home;
  if (!graph_) return;
  const double all = fit_zoom();
  zoom_ = all < lineage_words_zoom && graph_->nodes.size() <= lineage_few ? lineage_home_zoom : all;
  update_bars();
  int shown = graph_->find(cursor_);
  for (std::size_t i = 0; shown < 0 && i < graph_->nodes.size(); ++i)
    if (graph_->nodes[i].best) shown = static_cast<int>(i);
  if (shown >= 0) show_node(shown);
  viewport()->update();
}

void LineageView::fit() {
  keep_ = Keep::all;
  if (!graph_) return;
  zoom_ = fit_zoom();
  update_bars();
  viewport()->update();
}

double LineageView::fit_zoom() const {
  double zoom = lineage_fit_zoom;
  if (graph_->bounds.width() > 0) zoom = std::min(zoom, page().width() / graph_->bounds.width());
  if (graph_->bounds.height() > 0) zoom = std::min(zoom, page().height() / graph_->bounds.height());
  return zoom;
}

void LineageView::zoom_to(double zoom, const QPointF& about) {
  if (!graph_) return;
  keep_ = Keep::own;
  const QPointF fixed = to_layout(about);
  zoom_ = std::clamp(zoom, std::min(fit_zoom(), lineage_least_zoom), lineage_most_zoom);
  update_bars();
  const QPointF moved = to_view(fixed) - about;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(moved.x())));
  verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(moved.y())));
  viewport()->update();
}

void LineageView::zoom_by(double factor) {
  const int node = graph_ ? graph_->find(cursor_) : -1;
  const QPointF middle = QRectF(viewport()->rect()).center();
  const QPointF about = node >= 0 ? to_view(graph_->nodes[static_cast<std::size_t>(node)].at) : middle;
  zoom_to(zoom_ * factor, viewport()->rect().contains(about.toPoint()) ? about : middle);
}

void LineageView::show_node(int node) {
  const QPointF at = to_view(graph_->nodes[static_cast<std::size_t>(node)].at);
  const qreal words = std::min<qreal>(room().right(), viewport()->width() / 3.0);
  const QRectF room = QRectF(viewport()->rect()).adjusted(30, 24, -words, -40);
  const auto move = [](QScrollBar* bar, double value, double low, double high) {
    if (value < low)
      bar->setValue(bar->value() - static_cast<int>(low - value));
    else if (value > high)
      bar->setValue(bar->value() + static_cast<int>(value - high));
  };
  move(horizontalScrollBar(), at.x(), room.left(), room.right());
  move(verticalScrollBar(), at.y(), room.top(), room.bottom());
}

QPoint LineageView::position_of(std::int64_t candidate) const {
  const int node = graph_ ? graph_->find(candidate) : -1;
  return node < 0 ? QPoint(-1, -1) : to_view(graph_->nodes[static_cast<std::size_t>(node)].at).toPoint();
}

int LineageView::node_at(const QPointF& view) const {
  if (!graph_) return -1;
  int found = -1;
  double nearest = lineage_reach;
  const bool words = zoom_ >= 0.55 && graph_->flow == Flow::across;
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const LineageNode& n = graph_->nodes[i];
    const QPointF p = to_view(n.at) - view;
    const double reach = marker_radius(n) + 4;
    double d = std::max(0.0, std::hypot(p.x(), p.y()) - reach);
    if (words && p.x() < 0 && -p.x() < word_room() && std::abs(p.y()) < LineageGraph::short_step * zoom_ / 2)
      d = 0;  // its words belong to it
    if (d < nearest) {
      nearest = d;
      found = static_cast<int>(i);
      if (d == 0) break;
    }
  }
  return found;
}

int LineageView::edge_at(const QPointF& view) const {
  if (!graph_ || zoom_ < 0.2) return -1;
  int found = -1;
  double nearest = 6;
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const LineageNode& n = graph_->nodes[i];
    if (n.parent < 0) continue;
    const QPointF a = to_view(graph_->nodes[static_cast<std::size_t>(n.parent)].at), b = to_view(n.at);
    if (!QRectF(a, b).normalized().adjusted(-8, -8, 8, 8).contains(view)) continue;
    if (const double d = distance_to(view, a, b); d < nearest) {
      nearest = d;
      found = static_cast<int>(i);
    }
  }
  return found;
}

std::int64_t LineageView::at(const QPoint& viewport) const {
  const int node = node_at(viewport);
  return node < 0 ? 0 : graph_->nodes[static_cast<std::size_t>(node)].id;
}

void LineageView::set_hover(int node, int edge) {
  if (node == hover_node_ && edge == hover_edge_) return;
  hover_node_ = node;
  hover_edge_ = edge;
  viewport()->setCursor(node >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  viewport()->update();
  emit details_changed();
}

QString LineageView::node_line(int node) const {
  const LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
  QStringList marks;
  if (n.id == current_) marks += tr("selected");
  if (n.id == baseline_) marks += tr("the baseline");
  if (compared_.contains(n.id))
    marks += tr("compared as %1").arg(Selection::letter(static_cast<int>(compared_.indexOf(n.id))));
  QString line = graph_->tooltip(node).replace('\n', QStringLiteral(" \u00b7 "));
  if (!marks.isEmpty()) line += " (" + marks.join(", ") + ")";
  return line;
}

QString LineageView::details() const {
  if (!graph_) return {};
  if (drag_ == Drag::node && pressed_node_ >= 0)
    return target_ >= 0 ? tr("Compare %1 with %2 as the baseline")
                              .arg(graph_->nodes[static_cast<std::size_t>(pressed_node_)].label,
                                   graph_->nodes[static_cast<std::size_t>(target_)].label)
                        : tr("Drop %1 onto the candidate to compare it with")
                              .arg(graph_->nodes[static_cast<std::size_t>(pressed_node_)].label);
  if (hover_node_ >= 0) return node_line(hover_node_);
  if (hover_edge_ >= 0) {
    const LineageNode& n = graph_->nodes[static_cast<std::size_t>(hover_edge_)];
    QString line = tr("%1 became %2").arg(graph_->nodes[static_cast<std::size_t>(n.parent)].label, n.label);
    if (!n.step.isEmpty()) line += tr(" by: %1").arg(n.step);
    if (!n.asked.isEmpty()) line += tr(" (asked: %1)").arg(n.asked);
    return line;
  }
  const int node = graph_->find(cursor_);
  return node >= 0 ? node_line(node) : graph_->summary;
}

void LineageView::announce() {
  emit details_changed();
  const QString text = graph_ ? graph_->summary + " " + details() : QString();
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

void LineageView::go_to(int node, bool select) {
  if (node < 0) return;
  cursor_ = graph_->nodes[static_cast<std::size_t>(node)].id;
  show_node(node);
  announce();
  viewport()->update();
  if (select) emit current_wanted(cursor_);
}

int LineageView::step(int key) const {
  const int node = graph_->find(cursor_);
  if (node < 0) return graph_->roots.empty() ? -1 : graph_->roots.front();
  const bool across = graph_->flow == Flow::across;
  const LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
  if (key == (across ? Qt::Key_Left : Qt::Key_Up)) return n.parent;
  if (key == (across ? Qt::Key_Right : Qt::Key_Down)) return graph_->first_child(node);
  return graph_->sibling(node, key == (across ? Qt::Key_Up : Qt::Key_Left) ? -1 : 1);
}

void LineageView::keyPressEvent(QKeyEvent* event) {
  if (!graph_ || graph_->nodes.empty()) return QAbstractScrollArea::keyPressEvent(event);
  const int node = graph_->find(cursor_);
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return go_to(step(event->key()), !(event->modifiers() & Qt::ControlModifier));
    case Qt::Key_Home: {
      int root = node;
      while (root >= 0 && graph_->nodes[static_cast<std::size_t>(root)].parent >= 0)
        root = graph_->nodes[static_cast<std::size_t>(root)].parent;
      return go_to(root < 0 ? graph_->roots.front() : root, true);
    }
    case Qt::Key_End:
      for (std::size_t i = 0; i < graph_->nodes.size(); ++i)
        if (graph_->nodes[i].best) return go_to(static_cast<int>(i), true);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (cursor_ != 0) emit opened(cursor_);
      return;
    case Qt::Key_Space:
      if (cursor_ != 0) emit compare_wanted(cursor_, !compared_.contains(cursor_));
      return;
    case Qt::Key_B:
      if (event->modifiers() == Qt::NoModifier && cursor_ != 0) return emit baseline_wanted(cursor_);
      break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom_by(1.25);
    case Qt::Key_Minus: return zoom_by(1 / 1.25);
    case Qt::Key_0:
    case Qt::Key_F:
      if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) return fit();
      break;
    case Qt::Key_Escape:
      if (drag_ == Drag::node) {
        drag_ = Drag::none;
        target_ = -1;
        viewport()->update();
        return announce();
      }
      break;
  }
  event->ignore();
}

void LineageView::mousePressEvent(QMouseEvent* event) {
  if (!graph_ || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) return;
  pressed_at_ = drag_at_ = event->pos();
  bars_at_ = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
  pressed_node_ = event->button() == Qt::LeftButton ? node_at(event->position()) : -1;
  drag_ = Drag::pressed;
}

void LineageView::mouseMoveEvent(QMouseEvent* event) {
  if (!graph_) return;
  if (drag_ == Drag::pressed && (event->pos() - pressed_at_).manhattanLength() >= QApplication::startDragDistance()) {
    drag_ = pressed_node_ >= 0 ? Drag::node : Drag::pan;
    if (drag_ == Drag::pan) viewport()->setCursor(Qt::ClosedHandCursor);
  }
  if (drag_ == Drag::pan) {
    keep_ = Keep::own;
    horizontalScrollBar()->setValue(bars_at_.x() - (event->pos().x() - pressed_at_.x()));
    verticalScrollBar()->setValue(bars_at_.y() - (event->pos().y() - pressed_at_.y()));
    return;
  }
  const int node = node_at(event->position());
  if (drag_ == Drag::node) {
    if (!viewport()->rect().contains(event->pos())) return drag_out();
    drag_at_ = event->pos();
    target_ = node == pressed_node_ ? -1 : node;
    viewport()->update();
    emit details_changed();
    return;
  }
  set_hover(node, node >= 0 ? -1 : edge_at(event->position()));
}

void LineageView::mouseReleaseEvent(QMouseEvent* event) {
  if (!graph_) return;
  const Drag was = drag_;
  drag_ = Drag::none;
  viewport()->setCursor(Qt::ArrowCursor);
  const int node = pressed_node_, target = target_;
  pressed_node_ = target_ = -1;
  if (was == Drag::node) {
    if (node >= 0 && target >= 0)
      emit difference_wanted(graph_->nodes[static_cast<std::size_t>(target)].id,
                             graph_->nodes[static_cast<std::size_t>(node)].id);
  } else if (was == Drag::pressed && node >= 0) {
    const std::int64_t id = graph_->nodes[static_cast<std::size_t>(node)].id;
    if (event->modifiers() & Qt::ControlModifier) {
      cursor_ = id;
      emit compare_wanted(id, !compared_.contains(id));
    } else {
      go_to(node, true);
    }
  }
  announce();
  viewport()->update();
}

void LineageView::drag_out() {
  const std::int64_t id = graph_->nodes[static_cast<std::size_t>(pressed_node_)].id;
  drag_ = Drag::none;
  pressed_node_ = target_ = -1;
  viewport()->update();
  auto* mime = new QMimeData;
  mime->setData(CandidateModel::mime_type, QByteArray::number(static_cast<qlonglong>(id)));
  mime->setText("#" + QString::number(id));
  auto* drag = new QDrag(this);
  drag->setMimeData(mime);
  drag->exec(Qt::CopyAction | Qt::LinkAction);
}

bool LineageView::drop(const QMimeData& data, const QPointF& place) {
  const std::int64_t onto = at(place.toPoint());
  bool number = false;
  const std::int64_t id = data.data(CandidateModel::mime_type).split('\n').value(0).toLongLong(&number);
  if (!number || onto == 0 || onto == id) return false;
  emit difference_wanted(onto, id);
  return true;
}

void LineageView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const std::int64_t id = at(event->pos()))
    emit opened(id);
  else
    fit();
}

void LineageView::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  if (event->modifiers() & Qt::ShiftModifier) return QAbstractScrollArea::wheelEvent(event);
  if (steps != 0) zoom_to(zoom_ * std::pow(1.2, steps), event->position());
  event->accept();
}

bool LineageView::event(QEvent* event) {
  if (event->type() ==
      QEvent::ShortcutOverride) {  // the window has actions on Ctrl and arrows; here they move the cursor
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool arrow = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right || key->key() == Qt::Key_Up ||
                       key->key() == Qt::Key_Down;
    if (arrow && key->modifiers() == Qt::ControlModifier) event->accept();
  }
  return PaintedView::event(event);
}

void LineageView::show_tip(const QHelpEvent& help) {
  const int node = graph_ ? node_at(help.pos()) : -1, edge = graph_ && node < 0 ? edge_at(help.pos()) : -1;
  if (node >= 0)
    QToolTip::showText(help.globalPos(), graph_->tooltip(node), viewport());
  else if (edge >= 0)
    QToolTip::showText(help.globalPos(), details(), viewport());
  else
    QToolTip::hideText();
}

void LineageView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  if (keep_ == Keep::home)
    home();
  else if (keep_ == Keep::all)
    fit();
  else
    update_bars();
}

void LineageView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) viewport()->update();
}

}  // namespace ww::widgets
