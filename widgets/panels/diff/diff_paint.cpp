// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include "panels/diff/diff_view.h"
#include "parts/editor/text_search.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr int tab_width = 4, margin_gap = 4;

double diff_luminance(const QColor& c) {  // WCAG 2.2
  const auto part = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
}
bool readable(const QColor& a, const QColor& b) {
  const double x = diff_luminance(a), y = diff_luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05) >= 4.5;
}

// Goes through ascending spans with a place that only grows.
class SpanWalk {
 public:
  explicit SpanWalk(const std::vector<diff::Span>& spans) : spans_(spans) {}
  bool within(int at) {
    while (next_ < spans_.size() && spans_[next_].end <= at) ++next_;
    return next_ < spans_.size() && spans_[next_].begin <= at;
  }
  int boundary(int at, int end) {  // where it changes, at the latest
    if (within(at)) return std::min(end, spans_[next_].end);
    return next_ < spans_.size() ? std::min(end, spans_[next_].begin) : end;
  }

 private:
  const std::vector<diff::Span>& spans_;
  std::size_t next_ = 0;
};

std::vector<diff::Span> matches_in(std::string_view line, const std::string& needle) {
  std::vector<diff::Span> spans;
  if (needle.empty()) return spans;
  for (std::size_t at = find_folded(line, needle, 0); at != line.npos;
       at = find_folded(line, needle, at + needle.size()))
    spans.push_back({static_cast<int>(at), static_cast<int>(at + needle.size())});
  return spans;
}

QChar sign_of(ViewRow::Kind kind, bool left) {
  switch (kind) {
    case ViewRow::changed: return '~';
    case ViewRow::replaced: return left ? QChar(0x2212) : QChar('+');
    case ViewRow::removed: return QChar(0x2212);
    case ViewRow::added: return '+';
    default: return ' ';
  }
}

}  // namespace

void DiffView::restyle() {
  const Theme& theme = Theme::instance();
  static const char* papers[] = {"code-background", "diff-removed", "diff-added", "diff-removed-word",
                                 "diff-added-word", "selection",    "code-search"};
  for (int p = 0; p < paper_count; ++p) papers_[p] = theme.color(papers[p]);
  for (int i = 0; i < static_cast<int>(Ink::count); ++i)
    for (int p = 0; p < paper_count; ++p) {
      const QColor wanted = theme.color(ink_token(static_cast<Ink>(i)));
      inks_[i][p] =
          readable(wanted, papers_[p]) ? wanted : theme.color(p == selected_paper ? "selection-text" : "code-text");
    }
  const QFont font = painted_code_font();
  viewport()->setFont(font);
  const QFontMetricsF metrics(font);
  line_height_ = std::max(8, static_cast<int>(std::ceil(metrics.lineSpacing())) + 1);
  char_width_ = std::max(1.0, metrics.horizontalAdvance(QLatin1Char('m')));
  measure();
  viewport()->update();
}

void DiffView::paintEvent(QPaintEvent*) {
  QPainter p(viewport());
  const Theme& theme = Theme::instance();
  p.fillRect(viewport()->rect(), papers_[plain]);
  const Columns c = columns();
  const int height = viewport()->height(), first = verticalScrollBar()->value();
  const int last = std::min(static_cast<int>(rows_.rows.size()), first + height / line_height_ + 1);
  p.setFont(painted_code_font());
  const QColor margin = theme.color("code-margin");
  p.fillRect(0, 0, row_options_.one_column ? c.right_text - margin_gap : c.left_text - margin_gap, height, margin);
  if (!row_options_.one_column) {
    p.fillRect(c.right_number, 0, c.right_text - margin_gap - c.right_number, height, margin);
    p.fillRect(c.left_end, 0, c.right_number - c.left_end, height, theme.color("window"));
  }
  for (int row = first; row < last; ++row) paint_row(p, row, (row - first) * line_height_, c);
  p.setClipping(false);
  if (!row_options_.one_column) paint_bands(p, c, first, last);
  paint_overview(p, c);
  if (hasFocus()) {
    p.setPen(theme.color("focus"));
    p.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
  }
}

void DiffView::paint_row(QPainter& p, int index, int y, const Columns& c) {
  const ViewRow& row = rows_.rows[static_cast<std::size_t>(index)];
  const Theme& theme = Theme::instance();
  if (row.kind == ViewRow::fold) {
    p.setClipping(false);
    p.fillRect(0, y, c.overview, line_height_, theme.color("diff-filler"));
    p.setPen(theme.color("muted"));
    p.drawText(QRect(margin_gap, y, c.overview - 2 * margin_gap, line_height_), Qt::AlignCenter,
               tr("\u22ef  %1 unchanged  \u22ef").arg(counted(row.hidden, tr("line"), tr("lines"))));
  } else {
    const bool selected = row_ != anchor_ && index >= std::min(row_, anchor_) && index <= std::max(row_, anchor_);
    if (row_options_.one_column) {
      const bool left = row.right < 0;
      paint_number(p, left_side, row, y, c.left_number, c.right_number);
      paint_number(p, right_side, row, y, c.right_number, c.right_text - margin_gap);
      paint_line(p, left ? left_side : right_side, row, y, c.right_text, c.right_end, selected);
    } else {
      paint_number(p, left_side, row, y, c.left_number, c.left_text - margin_gap);
      paint_line(p, left_side, row, y, c.left_text, c.left_end, selected && side_ == left_side);
      paint_number(p, right_side, row, y, c.right_number, c.right_text - margin_gap);
      paint_line(p, right_side, row, y, c.right_text, c.right_end, selected && side_ == right_side);
    }
  }
  if (index == row_) {
    p.setClipping(false);
    p.setPen(theme.color(hasFocus() ? "focus" : "border-strong"));
    p.drawLine(0, y, c.overview - 1, y);
    p.drawLine(0, y + line_height_ - 1, c.overview - 1, y + line_height_ - 1);
  }
}

void DiffView::paint_number(QPainter& p, Side side, const ViewRow& row, int y, int x, int end) {
  const Theme& theme = Theme::instance();
  p.setClipRect(x, y, end - x, line_height_);
  const int line = side == left_side ? row.left : row.right;
  if (line < 0) return;
  const int number = (side == left_side ? diff_->left : diff_->right).lines[static_cast<std::size_t>(line)].number;
  if (row.kind != ViewRow::same)
    p.fillRect(x, y, end - x, line_height_, papers_[side == left_side ? removed_paper : added_paper]);
  if (marked_line_ > 0 && side == marked_side_ && source_of(side, number) == marked_line_)
    p.fillRect(x, y, 4, line_height_, theme.color("accent"));
  p.setPen(row.kind == ViewRow::same ? theme.color("code-margin-text") : theme.color("code-text"));
  const int signs = row_options_.one_column && side == left_side ? 0 : static_cast<int>(2 * char_width_);
  p.drawText(QRect(x, y, end - x - signs, line_height_), Qt::AlignRight | Qt::AlignVCenter, QString::number(number));
  const bool shows_sign = !row_options_.one_column || side == right_side;
  if (shows_sign && row.kind != ViewRow::same)
    p.drawText(QRect(end - signs, y, signs, line_height_), Qt::AlignCenter,
               QString(sign_of(row.kind, side == left_side)));
  if (side == right_side && notes_.contains(number)) {  // a bubble
    const int size = line_height_ - 6;
    QPainterPath bubble;
    bubble.addRoundedRect(x + 3, y + 3, size, size - 3, 3, 3);
    bubble.addPolygon(
        QPolygonF({QPointF(x + 5, y + size - 1), QPointF(x + 5, y + size + 3), QPointF(x + 10, y + size - 1)}));
    p.setRenderHint(QPainter::Antialiasing);
    p.fillPath(bubble, theme.color("accent"));
    p.setRenderHint(QPainter::Antialiasing, false);
  }
}

void DiffView::paint_line(QPainter& p, Side side, const ViewRow& row, int y, int x, int end, bool selected) {
  p.setClipRect(x - margin_gap, y, end - x + margin_gap, line_height_);
  const int line = side == left_side ? row.left : row.right;
  if (line < 0) {
    p.fillRect(x - margin_gap, y, end - x + margin_gap, line_height_, Theme::instance().color("diff-filler"));
    return;
  }
  const Paper paper = selected                    ? selected_paper
                      : row.kind == ViewRow::same ? plain
                      : side == left_side         ? removed_paper
                                                  : added_paper;
  p.fillRect(x - margin_gap, y, end - x + margin_gap, line_height_, papers_[paper]);
  const diff::Text& text = side == left_side ? diff_->left : diff_->right;
  const std::string_view bytes = text.line(line);
  static const std::vector<diff::Span> none;
  const std::vector<diff::Span>& spans = row.kind != ViewRow::changed ? none
                                         : side == left_side          ? words_of(row.row).left
                                                                      : words_of(row.row).right;
  const int offset = horizontalScrollBar()->value();
  const double baseline = y + (line_height_ + QFontMetricsF(p.font()).ascent() - QFontMetricsF(p.font()).descent()) / 2;
  double at = x - offset;
  int column = 0;
  const std::vector<diff::Span> matches = matches_in(bytes, needle_);
  const bool shown = found_.row == row.row && found_.side == side;
  SpanWalk changes(spans), marks(matches);
  for (const InkRun& run : colour_line(bytes, listings_[side])) {
    for (int begin = run.begin; begin < run.end;) {
      const bool changed = changes.within(begin), marked = marks.within(begin);
      const bool found = marked && shown && found_.begin <= begin && begin < found_.end;
      int stop = marks.boundary(begin, changes.boundary(begin, run.end));
      if (stop <= begin) stop = run.end;
      QString piece;
      const QString raw = with_invisible_shown(QString::fromUtf8(bytes.data() + begin, stop - begin));
      for (const QChar ch : raw) {
        if (ch == '\t') {
          const int to = (column / tab_width + 1) * tab_width;
          piece += QString(to - column, ' ');
          column = to;
        } else {
          piece += ch;
          ++column;
        }
      }
      begin = stop;
      const bool plain_text =
          piece.size() == 0 || std::all_of(piece.begin(), piece.end(), [](QChar ch) { return ch.unicode() < 128; });
      const double width = plain_text ? char_width_ * static_cast<double>(piece.size())
                                      : QFontMetricsF(p.font()).horizontalAdvance(piece);
      if (at + width >= x && at < end) {
        Paper under = paper;
        if (!selected && (changed || marked)) {
          under = found ? selected_paper : marked ? search_paper : side == left_side ? removed_word : added_word;
          p.fillRect(QRectF(at, y, width, line_height_), papers_[under]);
        }
        p.setPen(ink(run.ink, under));
        p.drawText(QPointF(at, baseline), piece);
        if (changed)
          p.drawLine(QPointF(at, y + line_height_ - 2),
                     QPointF(at + width, y + line_height_ - 2));  // colour is not the only cue
      }
      at += width;
      if (at >= end) return;
    }
  }
}

void DiffView::paint_bands(QPainter& p, const Columns& c, int first, int last) {
  if (!diff_) return;
  const Theme& theme = Theme::instance();
  p.setRenderHint(QPainter::Antialiasing);
  const auto begin = std::lower_bound(rows_.changes.begin(), rows_.changes.end(), first,
                                      [](const auto& change, int row) { return change.second <= row; });
  for (auto it = begin; it != rows_.changes.end() && it->first < last; ++it) {
    int left_begin = -1, left_end = -1, right_begin = -1, right_end = -1;  // rows of either side's lines
    const int lower = std::max(it->first, first - 2000), upper = std::min(it->second, last + 2000);
    for (int row = lower; row < upper; ++row) {
      const ViewRow& r = rows_.rows[static_cast<std::size_t>(row)];
      if (r.left >= 0) left_begin = left_begin < 0 ? row : left_begin, left_end = row + 1;
      if (r.right >= 0) right_begin = right_begin < 0 ? row : right_begin, right_end = row + 1;
    }
    const bool adds = right_begin >= 0, removes = left_begin >= 0;
    if (!removes) left_begin = left_end = it->first;
    if (!adds) right_begin = right_end = it->first;
    const auto y = [&](int row) { return (row - first) * static_cast<double>(line_height_) + 0.5; };
    const double x1 = c.left_end, x2 = c.right_number, middle = (x1 + x2) / 2;
    QPainterPath band(QPointF(x1, y(left_begin)));
    band.cubicTo(middle, y(left_begin), middle, y(right_begin), x2, y(right_begin));
    band.lineTo(x2, y(right_end));
    band.cubicTo(middle, y(right_end), middle, y(left_end), x1, y(left_end));
    band.closeSubpath();
    const bool current = std::distance(rows_.changes.begin(), it) == change_;
    p.fillPath(band, theme.color(adds && removes ? "info-soft" : adds ? "diff-added" : "diff-removed"));
    p.setPen(QPen(theme.color(current ? "accent" : "border-strong"), current ? 2 : 1));
    p.drawPath(band);
  }
  p.setRenderHint(QPainter::Antialiasing, false);
}

void DiffView::paint_overview(QPainter& p, const Columns& c) {
  const Theme& theme = Theme::instance();
  const int height = viewport()->height();
  const QRect bar(c.overview, 0, viewport()->width() - c.overview, height);
  p.fillRect(bar, theme.color("code-margin"));
  p.setPen(theme.color("border"));
  p.drawLine(bar.left(), 0, bar.left(), height);
  if (rows_.rows.empty()) return;
  const double scale =
      static_cast<double>(height) /
      static_cast<double>(std::max<std::size_t>(rows_.rows.size(), static_cast<std::size_t>(rows_on_screen())));
  int drawn_to = -1;  // many changes share a pixel
  for (std::size_t i = 0; i < rows_.changes.size(); ++i) {
    const auto& [begin, end] = rows_.changes[i];
    const int y = static_cast<int>(begin * scale), bottom = std::max(y + 2, static_cast<int>(end * scale));
    if (bottom <= drawn_to) continue;
    drawn_to = bottom;
    const diff::Change& change = diff_->changes[i];
    const int half = (bar.width() - 4) / 2;  // removed at the left, added at the right
    if (change.removed > 0)
      p.fillRect(bar.left() + 2, y, change.added > 0 ? half : half * 2, bottom - y, theme.color("rejected"));
    if (change.added > 0)
      p.fillRect(bar.left() + 2 + (change.removed > 0 ? half : 0), y, change.removed > 0 ? half : half * 2, bottom - y,
                 theme.color("accepted"));
  }
  p.setPen(theme.color("border-strong"));
  p.drawRect(QRect(bar.left() + 1, static_cast<int>(verticalScrollBar()->value() * scale), bar.width() - 2,
                   std::max(4, static_cast<int>(rows_on_screen() * scale))));
}

}  // namespace ww::widgets
