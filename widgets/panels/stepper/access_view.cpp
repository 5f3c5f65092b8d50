// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/access_view.h"
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <map>
#include <optional>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr int sector = 32, word = 4, banks = 32;  // bytes, bytes, how many
constexpr int sectors_of_line = 4;                // 128 bytes, a line of the cache
constexpr int bracket = 3;                        // pixels below a sector
constexpr int least_box = 104;                    // pixels, of a sector

QString lanes_text(const std::vector<std::uint32_t>& lanes) {
  if (lanes.size() > 1) return QString::number(lanes.size()) + "\u00d7";
  return lanes.empty() ? QString() : QString::number(lanes.front());
}

}  // namespace

QString access_sentence(const sim::SpaceAccess& a) {
  QStringList buffers;
  for (const sim::LaneAccess& l : a.lanes)
    if (const QString name = qs(l.buffer); !name.isEmpty() && !buffers.contains(name)) buffers += name;
  const QString verb = a.kind == simt::AccessKind::read    ? AccessView::tr("reads")
                       : a.kind == simt::AccessKind::write ? AccessView::tr("writes")
                                                           : AccessView::tr("updates");
  const QString bytes = counted(static_cast<int>(a.bytes), AccessView::tr("byte"), AccessView::tr("bytes"));
  if (a.space == sim::AccessedSpace::shared) {
    const QString passes =
        counted(static_cast<int>(a.wavefronts), AccessView::tr("wavefront"), AccessView::tr("wavefronts"));
    return (a.conflicts > 0
                ? AccessView::tr("It %1 %2 of shared memory in %3, %4 of them for bank conflicts.")
                      .arg(verb, bytes, passes)
                      .arg(a.conflicts)
                : AccessView::tr("It %1 %2 of shared memory in %3, without a bank conflict.").arg(verb, bytes, passes));
  }
  const QString place = buffers.isEmpty() ? AccessView::tr("global memory") : buffers.join(", ");
  const QString sectors = counted(static_cast<int>(a.sectors), AccessView::tr("sector"), AccessView::tr("sectors"));
  const QString lines = counted(static_cast<int>(a.lines), AccessView::tr("line"), AccessView::tr("lines"));
  const QString what =
      AccessView::tr("It %1 %2 of %3 in %4 of 32 bytes (%5 of 128)").arg(verb, bytes, place, sectors, lines);
  if (a.kind == simt::AccessKind::atomic) return what + ".";  // atomics are done in the L2 cache
  return a.wasted > 0 ? AccessView::tr("%1: %2 bytes move for nothing.").arg(what).arg(a.wasted)
                      : AccessView::tr("%1, all of them used.").arg(what);
}

AccessView::AccessView(QWidget* parent) : PaintedView(parent) {
  setObjectName("stepper_access");
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void AccessView::show_access(const sim::SpaceAccess& access) {
  pieces_.clear();
  names_.clear();
  lines_.clear();
  banks_ = access.space == sim::AccessedSpace::shared;
  if (banks_)
    arrange_banks(access);
  else
    arrange_sectors(access);
  name_it(this, banks_ ? tr("The banks of shared memory") : tr("The sectors of global memory"));
  setAccessibleDescription(access_sentence(access));
  updateGeometry();
  viewport()->update();
}

void AccessView::arrange_sectors(const sim::SpaceAccess& access) {
  std::map<std::pair<QString, std::int64_t>, std::map<std::pair<int, int>, std::vector<std::uint32_t>>> sectors;
  for (const sim::LaneAccess& l : access.lanes) {
    std::int64_t at = l.offset;
    for (const std::int64_t end = l.offset + l.bytes; at < end;) {
      const std::int64_t number = at >= 0 ? at / sector : (at - sector + 1) / sector;
      const std::int64_t stop = std::min(end, (number + 1) * sector);
      sectors[{qs(l.buffer), number}][{static_cast<int>(at - number * sector), static_cast<int>(stop - at)}].push_back(
          l.lane);
      at = stop;
    }
  }
  boxes_ = static_cast<int>(sectors.size());
  int column = 0;
  std::optional<std::pair<QString, std::int64_t>> line;  // that the sector before is of
  for (const auto& [place, parts] : sectors) {
    const std::int64_t number = place.second >= 0 ? place.second / sectors_of_line : -1;
    if (line != std::pair(place.first, number)) lines_.push_back({column, column, number * sectors_of_line * sector});
    line = {place.first, number};
    lines_.back().last = column;
    names_.push_back(tr("%1 + %2").arg(place.first).arg(place.second * sector));
    for (const auto& [bytes, lanes] : parts)
      pieces_.push_back(
          {column, 0, bytes.first, bytes.second, place.second * sector + bytes.first, place.first, lanes});
    ++column;
  }
  // A buffer that begins within a line: where its lines begin is not known here.
  if (static_cast<std::int64_t>(lines_.size()) != access.lines) lines_.clear();
}

void AccessView::arrange_banks(const sim::SpaceAccess& access) {
  std::map<std::int64_t, std::vector<std::uint32_t>> words;
  for (const sim::LaneAccess& l : access.lanes)
    for (std::int64_t w = l.offset / word; w * word < l.offset + l.bytes; ++w) words[w].push_back(l.lane);
  std::vector<int> rows(banks, 0);
  for (const auto& [number, lanes] : words) {
    const int bank = static_cast<int>(number % banks);
    pieces_.push_back({bank, rows[static_cast<std::size_t>(bank)]++, 0, word, number * word, {}, lanes});
  }
  boxes_ = *std::ranges::max_element(rows);
}

int AccessView::line() const { return QFontMetrics(type_font(Type::small)).height(); }

int AccessView::across() const {
  const int words =
      sector / word * (QFontMetrics(figures_font(type_font(Type::small))).horizontalAdvance(QString("16\u00d7")) + 2);
  const int fit = std::max(1, viewport()->width() / (std::max(least_box, words) + grid::step));
  return fit > sectors_of_line ? fit / sectors_of_line * sectors_of_line : fit;
}

QSize AccessView::sizeHint() const {
  if (banks_) return {banks * 20, (boxes_ + 1) * (line() + 2) + 2};
  const int rows = (boxes_ + across() - 1) / across();
  return {3 * least_box, rows * (2 * line() + grid::step)};
}

void AccessView::resizeEvent(QResizeEvent* event) {
  PaintedView::resizeEvent(event);
  updateGeometry();
}

QRectF AccessView::box(int number) const {
  const int n = across();
  const double w = static_cast<double>(viewport()->width()) / n;
  return QRectF(number % n * w, number / n * (2 * line() + grid::step) + line(), w - grid::step, line());
}

QRectF AccessView::rect_of(const Piece& piece) const {
  if (banks_) {
    const double w = static_cast<double>(viewport()->width() - 1) / banks;
    return QRectF(piece.column * w, (piece.row + 1) * (line() + 2), w, line() + 2).adjusted(1, 1, -1, -1);
  }
  const QRectF at = box(piece.column);
  return {at.left() + at.width() * piece.first / sector, at.top(), at.width() * piece.bytes / sector, at.height()};
}

void AccessView::paint_sectors(QPainter& painter) {
  const Theme& theme = Theme::instance();
  for (int i = 0; i < boxes_; ++i) {
    const QRectF at = box(i);
    painter.setPen(theme.color("muted"));
    painter.drawText(at.translated(0, -line()), Qt::AlignLeft | Qt::AlignVCenter, names_[static_cast<std::size_t>(i)]);
    painter.fillRect(at, theme.color("rejected-soft"));
    painter.fillRect(at, QBrush(theme.color("rejected"), Qt::BDiagPattern));
  }
  for (const Piece& p : pieces_) {
    const QRectF at = rect_of(p);
    painter.fillRect(at, theme.color("accent"));
    painter.setPen(theme.color("base"));
    painter.drawRect(at);
    const QString text = lanes_text(p.lanes);
    if (painter.fontMetrics().horizontalAdvance(text) > at.width()) continue;
    painter.setPen(theme.color("accent-text"));
    painter.drawText(at, Qt::AlignCenter, text);
  }
  painter.setPen(theme.color("border-strong"));
  for (int i = 0; i < boxes_; ++i) painter.drawRect(box(i));
  painter.setPen(QPen(theme.color("text"), 1));
  for (const Line& l : lines_)
    for (int from = l.first; from <= l.last;) {  // a bracket below its sectors, in each row
      const int to = std::min(l.last, (from / across() + 1) * across() - 1);
      const QRectF left = box(from), right = box(to);
      const double y = left.bottom() + bracket;
      painter.drawLine(QLineF(left.left(), y, right.right(), y));
      if (from == l.first) painter.drawLine(QLineF(left.left(), y, left.left(), y - bracket + 1));
      if (to == l.last) painter.drawLine(QLineF(right.right(), y, right.right(), y - bracket + 1));
      from = to + 1;
    }
}

void AccessView::paint_banks(QPainter& painter) {
  const Theme& theme = Theme::instance();
  const double w = static_cast<double>(viewport()->width() - 1) / banks;
  const int every = painter.fontMetrics().horizontalAdvance("00") + 2 > w ? 4 : 1;
  painter.setPen(theme.color("muted"));
  for (int bank = 0; bank < banks; bank += every)
    painter.drawText(QRectF(bank * w, 0, every * w, line()), Qt::AlignHCenter | Qt::AlignVCenter,
                     QString::number(bank));
  for (int row = 0; row < boxes_; ++row)
    for (int bank = 0; bank < banks; ++bank) {
      painter.setPen(theme.color("border"));
      painter.drawRect(rect_of({bank, row}));
    }
  for (const Piece& p : pieces_) {
    const QRectF at = rect_of(p);
    painter.fillRect(at, theme.color(p.row == 0 ? "accent" : "warning"));
    if (p.row > 0) {  // a further pass: not by colour alone
      painter.setPen(QPen(theme.color("accent-text"), 1, Qt::DashLine));
      painter.drawRect(at.adjusted(1, 1, -2, -2));
    }
    const QString text = lanes_text(p.lanes);
    if (painter.fontMetrics().horizontalAdvance(text) > at.width()) continue;
    painter.setPen(theme.color("accent-text"));
    painter.drawText(at, Qt::AlignCenter, text);
  }
}

void AccessView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setFont(figures_font(type_font(Type::small)));
  if (banks_)
    paint_banks(painter);
  else
    paint_sectors(painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::instance().color("focus"), 1, Qt::DotLine));
  painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
}

QString AccessView::tip_of(const Piece& piece) const {
  QStringList lanes;
  for (const std::uint32_t lane : piece.lanes) lanes += QString::number(lane);
  const QString who = piece.lanes.size() == 1 ? tr("lane %1").arg(lanes.front()) : tr("lanes %1").arg(lanes.join(", "));
  return banks_ ? tr("Bank %1, byte %2 of shared memory: %3").arg(piece.column).arg(piece.offset).arg(who)
                : tr("%1, bytes %2 to %3: %4")
                      .arg(piece.buffer)
                      .arg(piece.offset)
                      .arg(piece.offset + piece.bytes - 1)
                      .arg(who);
}

QString AccessView::line_tip(int sector_number) const {
  for (const Line& l : lines_)
    if (l.first <= sector_number && sector_number <= l.last)
      return tr("A line of 128 bytes, from byte %1: %2 of its 4 sectors move").arg(l.offset).arg(l.last - l.first + 1);
  return {};
}

void AccessView::show_tip(const QHelpEvent& help) {
  for (const Piece& p : pieces_)
    if (rect_of(p).contains(help.pos())) return QToolTip::showText(help.globalPos(), tip_of(p), this);
  for (int i = 0; i < boxes_ && !banks_; ++i) {
    if (box(i).contains(help.pos()))
      return QToolTip::showText(help.globalPos(), tr("These bytes move with the sector, and no lane uses them"), this);
    const QString line = line_tip(i);
    if (!line.isEmpty() && box(i).adjusted(0, 0, 0, 2 * bracket).contains(help.pos()))
      return QToolTip::showText(help.globalPos(), line, this);
  }
  QToolTip::hideText();
}

}  // namespace ww::widgets
