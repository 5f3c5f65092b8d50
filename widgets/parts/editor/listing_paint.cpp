// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHelpEvent>
#include <QPainter>
#include <QPaintEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include "parts/editor/listing_view.h"
#include "parts/editor/text_search.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "ptx/help.h"

namespace ww::widgets {

namespace {

constexpr int listing_fold_width = 16, listing_gap = 6;

QColor listing_shade(const QColor& cold, const QColor& hot, double share) {
  share = std::clamp(share, 0.0, 1.0) * 0.45;  // the text on it stays readable
  const auto mix = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
  return QColor(mix(cold.red(), hot.red()), mix(cold.green(), hot.green()), mix(cold.blue(), hot.blue()));
}

// One colour for all rows of a line; neighbours differ. The line's number is shown beside it.
QColor listing_band(int line) {
  static const char* const tokens[] = {"meaning-op",       "meaning-dtype", "meaning-axis",
                                       "meaning-constant", "meaning-shape", "meaning-composition"};
  return Theme::instance().color(tokens[line % 6]);
}

QString listing_piece(std::string_view bytes, int column) {  // with its tabs as blanks
  QString piece;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t tab = std::min(bytes.find('\t', at), bytes.size());
    piece += with_invisible_shown(QString::fromUtf8(bytes.data() + at, static_cast<qsizetype>(tab - at)));
    if (tab < bytes.size())
      piece += QString(listing_tab - (column + static_cast<int>(piece.size())) % listing_tab, ' ');
    at = tab + 1;
  }
  return piece;
}

}  // namespace

void ListingView::lay_out() {
  const auto digits = [this](int n, int least) {
    return static_cast<int>(std::max<qsizetype>(least, QString::number(n).size()) * character_) + listing_gap;
  };
  columns_ = {};
  int x = 0;
  const double room = viewport()->width() / character_;  // narrow views keep it for the text
  const bool numbers = room > 40, counts = room > 32;
  if (listing_) {
    x = listing_fold_width;
    columns_.number = x;
    if (numbers) x += digits(rows(), 3);
    columns_.line = x;
    if (!listing_->lines.empty()) x += digits(9999, 4) + listing_gap;
    columns_.heat = x;
    if (heat_ && counts) {
      qsizetype widest = 4;
      for (const LineHeat::Cell& cell : heat_->cells) widest = std::max(widest, cell.text.size());
      x += static_cast<int>(static_cast<double>(widest) * character_) + listing_gap;
    }
    columns_.live = x;
    if (hints_ && counts && !listing_->live.empty()) x += digits(999, 4);
  }
  columns_.text = x + listing_gap;
  const int height = std::max(0, viewport()->height() - line_height_);
  const int page = std::max(1, height / line_height_);
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setRange(0, std::max(0, folds_.shown() - page));
  const int wide = columns_.text + static_cast<int>(((listing_ ? listing_->widest : 0) + 2) * character_);
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setSingleStep(static_cast<int>(character_ * 4));
  horizontalScrollBar()->setRange(0, std::max(0, wide - viewport()->width()));
  viewport()->update();
}

void ListingView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setFont(font());
  const Theme& theme = Theme::instance();
  painter.fillRect(event->rect(), theme.color("code-background"));
  const int first = verticalScrollBar()->value();
  const int last = std::min(folds_.shown(), first + viewport()->height() / line_height_ + 2);
  painter.save();
  painter.setClipRect(columns_.text - listing_gap / 2, line_height_, viewport()->width(), viewport()->height());
  for (int place = first; place < last; ++place)
    paint_text(painter, folds_.row_at(place), line_height_ * (place - first + 1));
  painter.restore();
  painter.fillRect(0, 0, columns_.text - listing_gap / 2, viewport()->height(), theme.color("code-margin"));
  for (int place = first; place < last; ++place)
    paint_gutter(painter, folds_.row_at(place), place > first ? folds_.row_at(place - 1) : -1,
                 line_height_ * (place - first + 1));
  paint_header(painter);
}

void ListingView::paint_header(QPainter& painter) {
  const Theme& theme = Theme::instance();
  painter.fillRect(0, 0, viewport()->width(), line_height_, theme.color("header"));
  painter.setPen(theme.color("muted"));
  if (!listing_) return;
  const auto caption = [&](int left, int right, const QString& text) {
    if (right > left)
      painter.drawText(QRect(left, 0, right - left - 2, line_height_), Qt::AlignRight | Qt::AlignVCenter,
                       painter.fontMetrics().elidedText(text, Qt::ElideRight, right - left));
  };
  caption(columns_.number, columns_.line, "#");
  caption(columns_.line, columns_.heat, tr("line"));
  caption(columns_.heat, columns_.live, heat_ ? heat_->title : QString());
  caption(columns_.live, columns_.text - listing_gap, tr("regs"));
  painter.drawText(QRect(columns_.text, 0, viewport()->width() - columns_.text, line_height_),
                   Qt::AlignLeft | Qt::AlignVCenter, listing_->kind == ListingKind::ptx ? tr("PTX") : tr("SASS"));
}

void ListingView::paint_gutter(QPainter& painter, int row, int before, int y) {
  const Theme& theme = Theme::instance();
  const auto cell = [&](int left, int right, const QString& text) {
    painter.drawText(QRect(left, y, right - left - 2, line_height_), Qt::AlignRight | Qt::AlignVCenter, text);
  };
  const bool linked = std::binary_search(linked_.begin(), linked_.end(), row);
  if (linked) painter.fillRect(0, y, columns_.line, line_height_, theme.color("code-linked"));
  painter.setPen(theme.color(linked ? "code-text" : "code-margin-text"));
  if (fold_beginning(row)) {
    const bool shut = folds_.begins(row);
    const double middle = y + line_height_ / 2.0;
    const QPolygonF triangle = shut ? QPolygonF({{5, middle - 4}, {11, middle}, {5, middle + 4}})
                                    : QPolygonF({{4, middle - 3}, {12, middle - 3}, {8, middle + 4}});
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(shut ? painter.pen().color() : QColor(Qt::transparent));
    painter.drawPolygon(triangle);
    painter.restore();
  } else if (linked) {
    painter.drawText(QRect(0, y, listing_fold_width, line_height_), Qt::AlignCenter, QStringLiteral("\u25b8"));
  }
  if (columns_.line > columns_.number) {
    QFont bold = font();
    bold.setBold(linked);
    painter.setFont(bold);
    cell(columns_.number, columns_.line, QString::number(row + 1));
    painter.setFont(font());
  }
  const int line = listing_->line_of(row);
  const bool first = before < 0 || listing_->line_of(before) != line;  // of those in sight that come from this line
  if (columns_.heat > columns_.line && line > 0) {
    painter.fillRect(columns_.line + listing_gap / 2, y, 3, line_height_, listing_band(line));
    if (first) cell(columns_.line, columns_.heat, QString::number(line));
  }
  painter.setPen(theme.color("code-text"));
  if (columns_.live > columns_.heat && line > 0) {
    if (const auto at = heat_->cells.constFind(line); at != heat_->cells.constEnd()) {
      painter.fillRect(columns_.heat, y, columns_.live - columns_.heat, line_height_,
                       listing_shade(theme.color("code-margin"), theme.color("warning"), at->share));
      if (first) cell(columns_.heat, columns_.live, at->text);
    }
  }
  if (const int live = listing_->live_of(row); live > 0 && columns_.text - listing_gap > columns_.live) {
    painter.fillRect(columns_.live, y, columns_.text - listing_gap - columns_.live, line_height_,
                     listing_shade(theme.color("code-margin"), theme.color("info"),
                                   static_cast<double>(live) / std::max(1, most_live_)));
    cell(columns_.live, columns_.text - listing_gap, QString::number(live));
  }
}

void ListingView::paint_text(QPainter& painter, int row, int y) {
  const Theme& theme = Theme::instance();
  const std::string_view bytes = listing_->row(row);
  const double left = columns_.text - horizontalScrollBar()->value();
  const int width = viewport()->width();
  if (std::binary_search(linked_.begin(), linked_.end(), row))
    painter.fillRect(0, y, width, line_height_, theme.color("code-linked"));
  else if (row == caret_.row)
    painter.fillRect(0, y, width, line_height_, theme.color("code-current-line"));
  const auto box = [&](int from, int to, const char* token) {
    const int a = column_of(row, from), b = column_of(row, to);
    painter.fillRect(QRectF(left + a * character_, y, std::max(1.0, (b - a) * character_), line_height_),
                     theme.color(token));
  };
  over_.assign(bytes.size(),
               nullptr);  // these colours override those of the words, so that text on marks stays readable
  if (!needle_.empty())
    for (std::size_t at = find_folded(bytes, needle_, 0); at != std::string_view::npos;
         at = find_folded(bytes, needle_, at + needle_.size())) {
      box(static_cast<int>(at), static_cast<int>(at + needle_.size()), "code-search");
      std::fill_n(over_.begin() + static_cast<std::ptrdiff_t>(at), needle_.size(), "code-text");
    }
  const auto [from, to] = std::minmax(anchor_, caret_);
  const int end = static_cast<int>(bytes.size());
  const int selected_from = from.row < row ? 0 : from.row == row ? from.byte : end + 1;
  const int selected_to = to.row > row ? end : to.row == row ? to.byte : -1;
  if (has_selection() && selected_from <= selected_to) {
    box(selected_from, selected_to, "selection");
    std::fill(over_.begin() + selected_from, over_.begin() + selected_to, "selection-text");
  }
  listing_->kind == ListingKind::ptx ? tokenize_ptx(bytes, tokens_) : tokenize_sass(bytes, tokens_);
  int column = 0;
  const auto draw = [&](int begin, int stop, const char* token) {
    if (begin >= stop) return;
    const QString piece =
        listing_piece(bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(stop - begin)), column);
    const double x = left + column * character_;
    if (x < width && x + static_cast<double>(piece.size()) * character_ > 0) {
      painter.setPen(theme.color(token));
      painter.drawText(QPointF(x, y + ascent_), piece);
    }
    column += static_cast<int>(piece.size());
  };
  for (const AssemblyToken& t : tokens_) {
    for (int at = t.begin; at < t.end;) {
      const char* const over = over_[static_cast<std::size_t>(at)];
      int stop = at + 1;
      while (stop < t.end && over_[static_cast<std::size_t>(stop)] == over) ++stop;
      draw(at, stop, over ? over : token_colour(t.word));
      at = stop;
    }
  }
  if (const int hidden = folds_.hidden_behind(row); hidden > 0) {
    painter.setPen(theme.color("muted"));
    painter.drawText(QPointF(left + (column + 2) * character_, y + ascent_), tr("… %1 rows").arg(count_text(hidden)));
  }
  if (row == caret_.row && hasFocus())
    painter.fillRect(QRectF(left + column_of(row, caret_.byte) * character_, y, 2, line_height_), theme.color("text"));
}

QString ListingView::instruction_help(const QPoint& point) const {
  const int row = listing_ && listing_->kind == ListingKind::ptx ? row_at(point.y()) : -1;
  if (row < 0 || point.x() < columns_.text) return {};
  const int column = static_cast<int>((point.x() - columns_.text + horizontalScrollBar()->value()) / character_);
  const int byte = byte_at_column(row, column);
  const std::string_view text = listing_->row(row);
  std::vector<AssemblyToken> tokens;
  tokenize_ptx(text, tokens);
  for (const AssemblyToken& token : tokens) {
    if (token.word != AssemblyWord::instruction || byte < token.begin || byte >= token.end) continue;
    const ptx::InstructionHelps& helps = ptx::instruction_helps();
    const auto begin = static_cast<std::size_t>(token.begin), end = static_cast<std::size_t>(token.end);
    if (const ptx::InstructionHelp* help = helps.find(text.substr(begin, end - begin)))
      return tr("%1 \u00b7 PTX ISA %2, section %3\n%4")
          .arg(qs(help->opcode), qs(helps.version), qs(help->section), qs(help->sentence));
  }
  return {};
}

void ListingView::show_tip(const QHelpEvent& help) {
  const QPoint point = help.pos();
  const int row = listing_ ? row_at(point.y()) : -1;
  QStringList tip;
  if (row >= 0 && point.x() < columns_.text) {
    const int line = listing_->line_of(row);
    if (line > 0)
      tip << tr("From line %1 of the candidate").arg(line);
    else if (!listing_->lines.empty())
      tip << tr("No line of the candidate is known for this row");
    if (listing_->ptx_line_of(row) > 0) tip << tr("Assembled from line %1 of the PTX").arg(listing_->ptx_line_of(row));
    if (heat_ && line > 0 && heat_->cells.contains(line))
      tip << tr("%1 of line %2 in total: %3").arg(heat_->title).arg(line).arg(heat_->cells[line].tip);
    if (listing_->live_of(row) > 0)
      tip << tr("%1 general registers are live here (at most %2 in this listing; nvdisasm's live ranges)")
                 .arg(listing_->live_of(row))
                 .arg(most_live_);
  } else if (row >= 0 && folds_.begins(row)) {
    tip << tr("%1 folded rows; click the triangle to show them").arg(count_text(folds_.hidden_behind(row)));
  }
  if (const QString help = instruction_help(point); !help.isEmpty()) tip << help;
  if (tip.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help.globalPos(), tip.join("\n"), viewport());
}

}  // namespace ww::widgets
