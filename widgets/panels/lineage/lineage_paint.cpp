// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include "panels/lineage/lineage_view.h"
#include "panels/profile/series_style.h"
#include "session/selection.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr double lineage_words_from = 0.55;   // zoom from which nodes have words
constexpr double lineage_shapes_from = 0.16;  // and from which they have shapes; below, dots

// Shape says the verdict, too: disc accepted, square rejected, triangle not judged, ring queued, ring with a dot
// judging, diamond duplicate. Of an imported one it is the outline: it was not judged here.
void draw_marker(QPainter& painter, store::CandidateState state, const QPointF& at, double r, double fullness,
                 bool imported = false) {
  const Theme& theme = Theme::instance();
  const QColor color = imported ? theme.color("muted") : theme.color(state_token(state));
  QColor fill = imported ? theme.color("base") : color;
  if (fullness >= 0 && !imported) {  // slower ones are paler; their outline keeps its colour
    const QColor base = theme.color("base");
    const double f = 0.2 + 0.8 * fullness;
    fill = QColor::fromRgbF(static_cast<float>(color.redF() * f + base.redF() * (1 - f)),
                            static_cast<float>(color.greenF() * f + base.greenF() * (1 - f)),
                            static_cast<float>(color.blueF() * f + base.blueF() * (1 - f)));
  }
  painter.setPen(QPen(color, 1.5));
  painter.setBrush(fill);
  if (state == store::CandidateState::rejected) {
    painter.drawRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, r * 1.8, r * 1.8));
  } else if (state == store::CandidateState::not_judged) {
    painter.drawPolygon(QPolygonF(
        {{at.x(), at.y() - r * 1.1}, {at.x() + r * 1.1, at.y() + r * 0.9}, {at.x() - r * 1.1, at.y() + r * 0.9}}));
  } else if (state == store::CandidateState::duplicate) {
    painter.setBrush(theme.color("base"));
    painter.drawPolygon(QPolygonF({{at.x(), at.y() - r * 1.15},
                                   {at.x() + r * 1.15, at.y()},
                                   {at.x(), at.y() + r * 1.15},
                                   {at.x() - r * 1.15, at.y()}}));
  } else if (state == store::CandidateState::accepted) {
    painter.drawEllipse(at, r, r);
  } else {
    painter.setBrush(theme.color("base"));
    painter.drawEllipse(at, r, r);
    if (state == store::CandidateState::judging) {
      painter.setBrush(color);
      painter.drawEllipse(at, r * 0.4, r * 0.4);
    }
  }
}

// The part of a line that lies in the rectangle (Liang and Barsky); a line of no length: none. Long lines cost as much
// as they are long, even where they are not visible.
QLineF clipped(const QLineF& line, const QRectF& in) {
  double from = 0, to = 1;
  const double p[] = {-line.dx(), line.dx(), -line.dy(), line.dy()};
  const double q[] = {line.x1() - in.left(), in.right() - line.x1(), line.y1() - in.top(), in.bottom() - line.y1()};
  for (int i = 0; i < 4; ++i) {
    if (p[i] == 0) {
      if (q[i] < 0) return {};
      continue;
    }
    const double t = q[i] / p[i];
    if (p[i] < 0)
      from = std::max(from, t);
    else
      to = std::min(to, t);
  }
  return from < to ? QLineF(line.pointAt(from), line.pointAt(to)) : QLineF();
}

// A letter in a small box, so that colour is not the only cue.
void draw_badge(QPainter& painter, const QPointF& at, const QString& text, const QString& token) {
  const Theme& theme = Theme::instance();
  const QFont font = type_font(Type::small, QFont::Bold);
  painter.save();
  painter.setFont(font);
  const QFontMetricsF metrics(font);
  const QRectF box(at.x() - metrics.height() / 2, at.y() - metrics.height() / 2,
                   std::max(metrics.height(), metrics.horizontalAdvance(text) + 6), metrics.height());
  painter.setPen(QPen(theme.color(token), 1.2));
  painter.setBrush(theme.color("base"));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(theme.color("text"));
  painter.drawText(box, Qt::AlignCenter, text);
  painter.restore();
}

}  // namespace

double LineageView::marker_radius(const LineageNode& n) const {
  const double full = std::clamp(9 * zoom_, 1.2, 11.0);
  return n.speed >= 0                                 ? full * (0.55 + 0.45 * n.speed)
         : n.state == store::CandidateState::accepted ? full * 0.8
                                                      : full * 0.62;
}

double LineageView::word_room() const {
  return graph_->flow == Flow::across ? LineageGraph::long_step * scale().x() - 46
                                      : LineageGraph::wide_step * scale().x() - 8;
}

bool LineageView::second_line(const QFontMetricsF& metrics) const {
  return (graph_->flow == Flow::across ? LineageGraph::short_step : LineageGraph::high_step * 0.62) * scale().y() >=
         2 * metrics.height();
}

QPointF LineageView::edge_start(const LineageNode& n, const QFontMetricsF& metrics) const {
  const QPointF at = to_view(n.at);
  if (zoom_ < lineage_words_from) return at;
  const bool second = second_line(metrics);
  if (graph_->flow == Flow::down) return at + QPointF(0, marker_radius(n) + 4 + (second ? 2 : 1) * metrics.height());
  const double words = std::max(metrics.horizontalAdvance(n.name) * (n.best ? 1.12 : 1),
                                second ? metrics.horizontalAdvance(n.result) : 0.0);
  return at + QPointF(marker_radius(n) + 11 + std::min(words, word_room()), 0);
}

void LineageView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const Theme& theme = Theme::instance();
  painter.fillRect(event->rect(), theme.color("base"));
  if (!graph_ || graph_->nodes.empty()) return;
  painter.setFont(font());
  const QRectF seen(to_layout(QPointF(-220, -60)),
                    to_layout(QPointF(viewport()->width() + 30, viewport()->height() + 60)));
  paint_edges(painter, seen);
  if (zoom_ < lineage_shapes_from)
    paint_far(painter, seen);
  else
    paint_nodes(painter, seen);
  if (zoom_ >= lineage_shapes_from) paint_edge_words(painter);
  if (drag_ == Drag::node && pressed_node_ >= 0) {
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF end = target_ >= 0 ? to_view(graph_->nodes[static_cast<std::size_t>(target_)].at) : QPointF(drag_at_);
    painter.setPen(QPen(theme.color("accent"), 2, Qt::DashLine));
    painter.drawLine(to_view(graph_->nodes[static_cast<std::size_t>(pressed_node_)].at), end);
    if (target_ >= 0) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(theme.color("accent"), 2.5));
      painter.drawEllipse(end, 15, 15);
    }
  }
  paint_legend(painter);
}

void LineageView::paint_edges(QPainter& painter, const QRectF& seen) const {
  const Theme& theme = Theme::instance();
  const bool near = zoom_ >= 0.35, across = graph_->flow == Flow::across;
  const QFontMetricsF metrics(painter.font());
  QList<QLineF> lines, duplicates;
  QPainterPath curves;
  int drawn = 0;
  const QRectF window = QRectF(viewport()->rect()).adjusted(-4, -4, 4, 4),
               around = window.adjusted(-600, -600, 600, 600);
  const auto straight = [&](QList<QLineF>& list, const QPointF& a, const QPointF& b) {
    if (const QLineF part = clipped({a, b}, window); !part.isNull()) list.append(part);
  };
  // Curved; as three straight parts where it is long.
  const auto connect = [&](QPainterPath& path, QList<QLineF>& list, const QPointF& a, const QPointF& b) {
    const QPointF middle = (a + b) / 2, c1 = across ? QPointF(middle.x(), a.y()) : QPointF(a.x(), middle.y()),
                  c2 = across ? QPointF(middle.x(), b.y()) : QPointF(b.x(), middle.y());
    if (!near) return straight(list, a, b);
    if (around.contains(a) && around.contains(b)) {
      path.moveTo(a);
      path.cubicTo(c1, c2, b);
      return;
    }
    straight(list, a, c1);
    straight(list, c1, c2);
    straight(list, c2, b);
  };
  for (const LineageNode& n : graph_->nodes) {
    if (n.parent >= 0) {
      const QPointF from = graph_->nodes[static_cast<std::size_t>(n.parent)].at;
      if (std::max(from.x(), n.at.x()) >= seen.left() && std::min(from.x(), n.at.x()) <= seen.right() &&
          std::max(from.y(), n.at.y()) >= seen.top() && std::min(from.y(), n.at.y()) <= seen.bottom()) {
        if (near && ++drawn < 600)
          connect(curves, lines, edge_start(graph_->nodes[static_cast<std::size_t>(n.parent)], metrics), to_view(n.at));
        else
          straight(lines, to_view(from), to_view(n.at));
      }
    }
    if (n.duplicate_of >= 0 && near) {
      const QPointF other = graph_->nodes[static_cast<std::size_t>(n.duplicate_of)].at;
      if (seen.contains(n.at) || seen.contains(other)) straight(duplicates, to_view(other), to_view(n.at));
    }
  }
  painter.setRenderHint(QPainter::Antialiasing, near);
  painter.setPen(QPen(theme.color(zoom_ < lineage_shapes_from ? "border" : "border-strong"),
                      near ? 1.3 : 0));  // many lines make a dark field
  painter.setBrush(Qt::NoBrush);
  if (drawn >= 600) painter.setRenderHint(QPainter::Antialiasing, false);
  if (!lines.isEmpty()) painter.drawLines(lines);
  painter.setRenderHint(QPainter::Antialiasing, near);
  if (!curves.isEmpty()) painter.drawPath(curves);
  if (!duplicates.isEmpty()) {
    painter.setPen(QPen(theme.color("muted"), 1, Qt::DotLine));
    painter.drawLines(duplicates);
  }
  // The way from the first ancestor to the current candidate.
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.color("accent"), near ? 2.4 : 1.6));
  for (int node = graph_->find(current_); node >= 0 && graph_->nodes[static_cast<std::size_t>(node)].parent >= 0;
       node = graph_->nodes[static_cast<std::size_t>(node)].parent) {
    const LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
    QPainterPath path;
    lines.clear();
    connect(path, lines, edge_start(graph_->nodes[static_cast<std::size_t>(n.parent)], metrics), to_view(n.at));
    painter.drawPath(path);
    painter.drawLines(lines);
  }
}

void LineageView::paint_far(QPainter& painter, const QRectF& seen) const {
  painter.setRenderHint(QPainter::Antialiasing, false);
  const Theme& theme = Theme::instance();
  QHash<QString, QList<QRectF>> dots;  // by colour
  for (const LineageNode& n : graph_->nodes) {
    if (!seen.contains(n.at)) continue;
    const double r = std::max(1.0, marker_radius(n));
    const QPointF p = to_view(n.at);
    dots[state_token(n.shown())].append(QRectF(p.x() - r, p.y() - r, 2 * r, 2 * r));
  }
  painter.setPen(Qt::NoPen);
  for (auto it = dots.cbegin(); it != dots.cend(); ++it) {
    painter.setBrush(theme.color(it.key()));
    painter.drawRects(it.value());
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const auto ring = [&](std::int64_t id, const QString& token, double r) {
    if (const int node = graph_->find(id); node >= 0) {
      painter.setPen(QPen(theme.color(token), 2));
      painter.drawEllipse(to_view(graph_->nodes[static_cast<std::size_t>(node)].at), r, r);
    }
  };
  for (int place = 0; place < compared_.size(); ++place)
    if (compared_[place] != 0) ring(compared_[place], series_token(place), 5);
  ring(baseline_, "warning", 6);
  ring(cursor_, "accent", 7);
  ring(current_, "accent", 7);
}

void LineageView::paint_nodes(QPainter& painter, const QRectF& seen) const {
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i)
    if (seen.contains(graph_->nodes[i].at)) paint_node(painter, static_cast<int>(i));
}

void LineageView::paint_node(QPainter& painter, int node) const {
  const Theme& theme = Theme::instance();
  const LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
  const QPointF at = to_view(n.at);
  const double r = marker_radius(n);
  const bool words = zoom_ >= lineage_words_from, across = graph_->flow == Flow::across;
  const QFontMetricsF metrics(painter.font());
  // Nothing can be scrolled to beyond the right edge: words end before it.
  const bool at_end = horizontalScrollBar()->value() >= horizontalScrollBar()->maximum();
  const double line = metrics.height(), usual = word_room(), left = viewport()->width() - at.x() - r - 18;
  const double most = n.outermost ? std::max(usual, left) : usual;
  const double room = across && at_end ? std::clamp(left, std::min(40.0, most), most) : most;
  const bool second = second_line(metrics);
  if (n.id == current_) {
    QRectF box(at.x() - r - 6, at.y() - std::max(r, line) - 2, 2 * r + 12, 2 * std::max(r, line) + 4);
    if (words && across) box.setRight(at.x() + r + 10 + room);
    painter.setPen(QPen(theme.color("accent"), 1.6));
    painter.setBrush(theme.color("selection"));
    painter.drawRoundedRect(box, 5, 5);
  }
  if (n.id == cursor_ && hasFocus()) {
    painter.setPen(QPen(theme.color("focus"), 1.4, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, r + 4.5, r + 4.5);
  }
  if (n.best) {  // a second ring
    painter.setPen(QPen(theme.color("accepted"), 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, r + 2.8, r + 2.8);
  }
  draw_marker(painter, n.state, at, r, n.speed, n.imported);
  if (words) {
    const QColor plain =
        theme.color(n.id == current_ ? "selection-text"
                    : n.state == store::CandidateState::duplicate || n.state == store::CandidateState::queued ? "muted"
                                                                                                              : "text");
    painter.setPen(plain);
    QFont font = painter.font();
    if (n.best) {
      QFont bold = font;
      bold.setBold(true);
      painter.setFont(bold);
    }
    const QFontMetricsF here(painter.font());
    const QString first = here.elidedText(n.name, Qt::ElideRight, room),
                  below = second ? metrics.elidedText(n.result, Qt::ElideRight, room) : QString();
    if (across) {
      const double x = at.x() + r + 7;
      painter.drawText(QPointF(x, second ? at.y() - metrics.descent() : at.y() + metrics.ascent() / 2 - 1), first);
      painter.setFont(font);
      painter.setPen(n.id == current_ ? plain : theme.color("muted"));
      if (second) painter.drawText(QPointF(x, at.y() + metrics.ascent()), below);
    } else {
      painter.drawText(QRectF(at.x() - room / 2, at.y() + r + 3, room, line), Qt::AlignHCenter, first);
      painter.setFont(font);
      painter.setPen(n.id == current_ ? plain : theme.color("muted"));
      if (second)
        painter.drawText(QRectF(at.x() - room / 2, at.y() + r + 3 + line, room, line), Qt::AlignHCenter, below);
    }
  }
  if (n.id == baseline_)
    draw_badge(painter, at + QPointF(-r - 9, -r - 2), tr("base", "badge of the baseline"), "warning");
  if (const qsizetype place = compared_.indexOf(n.id); place >= 0)
    draw_badge(painter, at + QPointF(-r - 9, r + 2), Selection::letter(static_cast<int>(place)),
               series_token(static_cast<int>(place)));
}

// At the edges of the current node and under the pointer: how one became the other.
void LineageView::paint_edge_words(QPainter& painter) const {
  const Theme& theme = Theme::instance();
  QList<int> edges;
  if (hover_edge_ >= 0) edges.append(hover_edge_);
  if (hover_node_ >= 0) edges.append(hover_node_);
  const int current = graph_->find(current_);
  if (current >= 0 && zoom_ >= lineage_words_from) edges.append(current);
  const QFontMetricsF metrics(painter.font());
  QList<QRectF> taken;
  for (const int node : edges) {
    const LineageNode& n = graph_->nodes[static_cast<std::size_t>(node)];
    if (n.parent < 0 || n.step.isEmpty()) continue;
    const QPointF a = to_view(graph_->nodes[static_cast<std::size_t>(n.parent)].at), b = to_view(n.at);
    const QString words = metrics.elidedText(n.step, Qt::ElideRight, 320);
    QRectF box(0, 0, metrics.horizontalAdvance(words) + 12, metrics.height() + 4);
    // Beside the middle of the edge, where it lies over no candidate; that of the current one goes below the graph,
    // too, and may be left out.
    const auto lies_free = [&] {
      if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& r) { return r.intersects(box); })) return false;
      return node != current || std::none_of(graph_->nodes.begin(), graph_->nodes.end(), [&](const LineageNode& other) {
               const QPointF at = to_view(other.at);
               const double r = marker_radius(other) + 4;
               return QRectF(at.x() - r, at.y() - metrics.height(),
                             2 * r + (graph_->flow == Flow::across ? word_room() + 10 : 0), 2 * metrics.height())
                   .intersects(box);
             });
    };
    bool free = false;
    for (const int away : {-1, 1, -2, 2, -3, 3}) {
      box.moveCenter((a + b) / 2 + QPointF(0, away * (metrics.height() + 4)));
      const double left = std::max(4.0, std::min(box.left(), viewport()->width() - box.width() - 4)),
                   top = std::max(4.0, std::min(box.top(), viewport()->height() - box.height() - 4));
      box.moveTopLeft({left, top});
      if ((free = lies_free())) break;
    }
    if (!free) continue;
    taken.append(box);
    painter.setPen(QPen(theme.color("border"), 1));
    painter.setBrush(theme.color("raised"));
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.color("text"));
    painter.drawText(box, Qt::AlignCenter, words);
  }
}

void LineageView::paint_legend(QPainter& painter) const {
  using State = store::CandidateState;
  const std::pair<State, QString> shapes[] = {
      {State::accepted, tr("proved")}, {State::rejected, tr("rejected")}, {State::not_judged, tr("not judged")},
      {State::queued, tr("queued")},   {State::judging, tr("judging")},   {State::duplicate, tr("duplicate")}};
  const QFontMetricsF metrics(painter.font());
  const bool imported = std::ranges::any_of(graph_->nodes, &LineageNode::imported);
  const QString size = imported ? tr("outlined: imported; larger and darker: better") : tr("larger and darker: better");
  double width = metrics.horizontalAdvance(size) + 16;
  for (const auto& [state, title] : shapes) width += metrics.horizontalAdvance(title) + 28;
  if (width > viewport()->width() - 8) return;  // the details line has it as text
  const Theme& theme = Theme::instance();
  const double h = metrics.height() + 6, y = viewport()->height() - h;
  painter.fillRect(QRectF(0, y, viewport()->width(), h), theme.color("base"));  // no words of a node shine through
  painter.setRenderHint(QPainter::Antialiasing);
  double x = 12;
  for (const auto& [state, title] : shapes) {
    draw_marker(painter, state, {x, y + h / 2}, 4.5, -1);
    painter.setPen(theme.color("muted"));
    painter.drawText(QPointF(x + 9, y + h / 2 + metrics.ascent() / 2 - 1), title);
    x += metrics.horizontalAdvance(title) + 28;
  }
  painter.drawText(QPointF(x, y + h / 2 + metrics.ascent() / 2 - 1), size);
}

}  // namespace ww::widgets
