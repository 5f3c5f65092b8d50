// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/equation_drawing.h"
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr double drawing_pad = 10, tensor_width = 76, strip = 15, plane = 52, stack_step = 5;

// Where an axis' needed part lies, as a share of its length.
struct Band {
  double from, to;
};
Band band_of(const FigureAxis& axis) {
  if (axis.need == Need::all) return {0, 1};
  const double place = axis.place < 0 ? 0 : 0.24 + 0.29 * (axis.place % 3);
  if (axis.need == Need::window) return {std::max(0.0, place - 0.14), std::min(1.0, place + 0.26)};
  return {place, place + 0.12};
}

QString elided(const QPainter& painter, const QString& text, double width) {
  return painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(width));
}

}  // namespace

EquationDrawing::EquationDrawing(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  name_it(this, tr("Drawing of the index equations"));
  connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void EquationDrawing::show_figures(std::vector<EquationFigure> figures) {
  figures_ = std::move(figures);
  hovered_ = current_ = -1;
  folded_ = 0;
  QStringList sentences;
  for (const EquationFigure& f : figures_)
    sentences += (f.reductions.isEmpty() ? f.sentence : f.sentence + " " + f.reductions.join("; ") + ".");
  setAccessibleDescription(sentences.join("\n"));
  updateGeometry();
  update();
}

void EquationDrawing::fold_to(int height, int width) {
  const int last = static_cast<int>(figures_.size()) - 1;
  folded_ = 0;
  while (folded_ < last && heightForWidth(width) > height) ++folded_;
  updateGeometry();
  update();
}

// Sources flow in lines on the left; the arrow and the result are centred beside them.
std::vector<EquationDrawing::Row> EquationDrawing::arrange(int width) const {
  const double line = fontMetrics().height(), height = plane + 2 * line + 14, arrow = 44;
  std::vector<Row> rows;
  double y = drawing_pad;
  for (const EquationFigure& f : figures_) {
    Row row;
    row.text = QRectF(drawing_pad, y, width - 2 * drawing_pad, line);
    if (static_cast<int>(rows.size()) < folded_) {
      row.all = row.text.adjusted(2 - drawing_pad, -2, drawing_pad - 2, 2);
      rows.push_back(row);
      y = row.all.bottom() + 4;
      continue;
    }
    const double top = y + line + 4;
    const double room = std::max(tensor_width, width - 2 * drawing_pad - arrow - tensor_width - 12);
    const int in_line = std::max(1, static_cast<int>((room + 12) / (tensor_width + 12)));
    const int count = static_cast<int>(f.sources.size()), lines = std::max(1, (count + in_line - 1) / in_line);
    for (int i = 0; i < count; ++i)
      row.cells.push_back({QRectF(drawing_pad + (i % in_line) * (tensor_width + 12), top + (i / in_line) * height,
                                  tensor_width, height),
                           &f.sources[static_cast<std::size_t>(i)], false});
    const double used = drawing_pad + std::min(count, in_line) * (tensor_width + 12);
    const double middle = top + lines * height / 2;
    row.arrow = QRectF(used, middle - line, arrow, 2 * line);
    row.cells.push_back({QRectF(used + arrow + 8, middle - height / 2, tensor_width, height), &f.target, true});
    const double notes = f.reductions.size() * line;
    row.notes = QRectF(drawing_pad, top + lines * height, width - 2 * drawing_pad, notes);
    row.all = QRectF(2, y - 5, width - 4, row.notes.bottom() - y + 9);
    rows.push_back(row);
    y = row.notes.bottom() + 14;
  }
  return rows;
}

int EquationDrawing::heightForWidth(int width) const {
  if (figures_.empty()) return 3 * fontMetrics().height();
  return static_cast<int>(arrange(width).back().all.bottom() + drawing_pad);
}

void EquationDrawing::paint_tensor(QPainter& painter, const Cell& cell) const {
  const Theme& theme = Theme::instance();
  const double line = painter.fontMetrics().height();
  const FigureTensor& t = *cell.tensor;
  const int rank = static_cast<int>(t.axes.size());
  const QColor needed = theme.color(cell.target ? "plot-b" : "plot-a");
  QColor soft = needed;
  soft.setAlphaF(0.28F);
  const QPen edge(theme.color("border-strong"), 1);
  QRectF shape(cell.box.left() + 16, cell.box.top() + line + 2, tensor_width - 32, plane);
  painter.setPen(edge);
  painter.setBrush(theme.color("base"));
  if (rank == 0) {
    const QRectF dot(shape.center().x() - 7, shape.center().y() - 7, 14, 14);
    painter.setBrush(soft);
    painter.setPen(QPen(needed, 1.5));
    painter.drawRect(dot);
  } else {
    if (rank == 1) shape = QRectF(shape.left() - 8, shape.center().y() - strip / 2, shape.width() + 16, strip);
    const int behind = std::min(3, rank - 2);  // axes beyond two: sheets behind the front one
    for (int i = behind; i > 0; --i) painter.drawRect(shape.translated(i * stack_step, -i * stack_step));
    painter.drawRect(shape);
    painter.setPen(QPen(theme.color("plot-grid"), 1));
    const int columns = 8, lines = rank == 1 ? 1 : 6;
    for (int i = 1; i < columns; ++i)
      painter.drawLine(QPointF(shape.left() + i * shape.width() / columns, shape.top() + 1),
                       QPointF(shape.left() + i * shape.width() / columns, shape.bottom() - 1));
    for (int i = 1; i < lines; ++i)
      painter.drawLine(QPointF(shape.left() + 1, shape.top() + i * shape.height() / lines),
                       QPointF(shape.right() - 1, shape.top() + i * shape.height() / lines));
    const FigureAxis& across = t.axes.back();
    const Band x = band_of(across), y = rank == 1 ? Band{0, 1} : band_of(t.axes[static_cast<std::size_t>(rank - 2)]);
    const QRectF part(shape.left() + x.from * shape.width(), shape.top() + y.from * shape.height(),
                      (x.to - x.from) * shape.width(), (y.to - y.from) * shape.height());
    bool many = false, chosen = false;
    for (const FigureAxis& axis : t.axes) {
      many |= axis.need == Need::all || axis.need == Need::window;
      chosen |= axis.need == Need::chosen;
    }
    painter.setPen(QPen(needed, 1.5, chosen ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(soft);
    painter.drawRect(part);
    if (many) {
      painter.setBrush(QBrush(needed, Qt::BDiagPattern));  // several elements: hatched
      painter.drawRect(part);
    }
    // Axes: the last above, the one before it on the left, further ones at the corner.
    painter.setPen(theme.color("muted"));
    const QRectF top(cell.box.left(), shape.top() - line - 1 - (behind > 0 ? behind * stack_step : 0), tensor_width,
                     line);
    painter.drawText(top, Qt::AlignHCenter | Qt::AlignBottom, elided(painter, across.subscript, tensor_width));
    if (rank >= 2) {
      painter.save();
      painter.translate(shape.left() - 3, shape.center().y());
      painter.rotate(-90);
      painter.drawText(QRectF(-plane / 2 - 6, -line, plane + 12, line), Qt::AlignHCenter | Qt::AlignBottom,
                       elided(painter, t.axes[static_cast<std::size_t>(rank - 2)].subscript, plane + 12));
      painter.restore();
    }
  }
  painter.setPen(theme.color("text"));
  QFont bold = painter.font();
  bold.setBold(true);
  painter.save();
  painter.setFont(bold);
  QString name = t.name;
  if (rank > 2) {
    QStringList further;
    for (int i = 0; i < rank - 2; ++i) further += t.axes[static_cast<std::size_t>(i)].subscript;
    name += " [" + further.join(", ") + ", …]";
  }
  painter.drawText(QRectF(cell.box.left() - 4, cell.box.bottom() - line - 4, tensor_width + 8, line),
                   Qt::AlignHCenter | Qt::AlignVCenter, elided(painter, name, tensor_width + 8));
  painter.restore();
}

void EquationDrawing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = Theme::instance();
  const double line = fontMetrics().height();
  const std::vector<Row> rows = arrange(width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const EquationFigure& f = figures_[i];
    const bool marked = static_cast<int>(i) == current_ && hasFocus();
    if (marked || static_cast<int>(i) == hovered_) {
      painter.setPen(marked ? QPen(theme.color("focus"), 1) : QPen(Qt::NoPen));
      painter.setBrush(theme.color("hover"));
      painter.drawRoundedRect(row.all, 4, 4);
    }
    painter.setFont(painted_code_font());
    painter.setPen(theme.color("text"));
    painter.drawText(row.text, Qt::AlignLeft | Qt::AlignVCenter, elided(painter, f.text, row.text.width()));
    painter.setFont(font());
    if (row.cells.empty()) continue;
    for (const Cell& cell : row.cells) paint_tensor(painter, cell);
    painter.setPen(QPen(theme.color("muted"), 1.5));
    const double y = row.arrow.center().y(), x = row.arrow.right() - 4;
    painter.drawLine(QPointF(row.arrow.left() + 4, y), QPointF(x, y));
    painter.drawLine(QPointF(x, y), QPointF(x - 5, y - 4));
    painter.drawLine(QPointF(x, y), QPointF(x - 5, y + 4));
    painter.setPen(theme.color("muted"));
    for (int n = 0; n < f.reductions.size(); ++n)
      painter.drawText(QRectF(row.notes.left(), row.notes.top() + n * line, row.notes.width(), line),
                       Qt::AlignLeft | Qt::AlignVCenter, elided(painter, f.reductions[n], row.notes.width()));
  }
  if (figures_.empty()) {
    painter.setPen(theme.color("muted"));
    painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("The equations are drawn here when the spec is complete."));
  }
}

int EquationDrawing::row_at(const QPoint& at) const {
  const std::vector<Row> rows = arrange(width());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].all.contains(at)) return static_cast<int>(i);
  return -1;
}

void EquationDrawing::mouseMoveEvent(QMouseEvent* event) {
  const int row = row_at(event->pos());
  if (row == hovered_) return;
  hovered_ = row;
  update();
}

void EquationDrawing::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void EquationDrawing::mouseReleaseEvent(QMouseEvent* event) {
  const int row = row_at(event->pos());
  if (row < 0) return;
  set_current(row);
  emit line_chosen(figures_[static_cast<std::size_t>(row)].line);
}

void EquationDrawing::focusInEvent(QFocusEvent* event) {
  if (current_ < 0 && !figures_.empty()) current_ = 0;
  QWidget::focusInEvent(event);
}

void EquationDrawing::set_current(int row) {
  current_ = std::clamp(row, figures_.empty() ? -1 : 0, static_cast<int>(figures_.size()) - 1);
  update();
}

void EquationDrawing::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Down) return set_current(current_ + 1);
  if (event->key() == Qt::Key_Up) return set_current(current_ - 1);
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_ >= 0) {
    emit line_chosen(figures_[static_cast<std::size_t>(current_)].line);
    return;
  }
  QWidget::keyPressEvent(event);
}

bool EquationDrawing::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const std::vector<Row> rows = arrange(width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Cell& cell : rows[i].cells) {
      if (!cell.box.contains(help->pos())) continue;
      QStringList lines = {cell.tensor->dtype.isEmpty() ? tr("%1, in between").arg(cell.tensor->text())
                                                        : tr("%1, %2").arg(cell.tensor->text(), cell.tensor->dtype)};
      for (const FigureAxis& axis : cell.tensor->axes) {
        const QString what = cell.target                 ? tr("one element")
                             : axis.need == Need::all    ? tr("all of it")
                             : axis.need == Need::window ? tr("a window")
                             : axis.need == Need::chosen ? tr("at an index from another tensor")
                                                         : tr("one position");
        lines += axis.extent.isEmpty() ? tr("%1: %2").arg(axis.subscript, what)
                                       : tr("%1 (%2): %3").arg(axis.subscript, axis.extent, what);
      }
      if (cell.tensor->padded) lines += tr("outside it, a padding value is read");
      QToolTip::showText(help->globalPos(), lines.join("\n"), this);
      return true;
    }
    if (rows[i].all.contains(help->pos())) {
      QToolTip::showText(help->globalPos(), figures_[i].text + "\n" + figures_[i].sentence, this);
      return true;
    }
  }
  QToolTip::hideText();
  return true;
}

void EquationDrawing::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateGeometry();
  QWidget::changeEvent(event);
}

}  // namespace ww::widgets
