// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/listing_view.h"
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include "parts/editor/text_search.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

ListingView::ListingView(QWidget* parent) : PaintedView(parent) {
  viewport()->setCursor(Qt::IBeamCursor);
  connect(&Theme::instance(), &Theme::changed, this, &ListingView::restyle);
  restyle();
}

void ListingView::restyle() {
  setFont(painted_code_font());
  const QFontMetricsF metrics(font());
  character_ = metrics.horizontalAdvance(QString(64, '0')) / 64;
  line_height_ = static_cast<int>(metrics.height() + 2.5);
  ascent_ = static_cast<int>(metrics.ascent() + 1.5);
  lay_out();
}

void ListingView::set_listing(std::shared_ptr<const Listing> listing) {
  if (listing == listing_) return;
  listing_ = std::move(listing);
  folds_.reset(rows());
  linked_.clear();
  caret_ = anchor_ = {};
  wanted_column_ = hovered_ = -1;
  most_live_ =
      listing_ && !listing_->live.empty() ? *std::max_element(listing_->live.begin(), listing_->live.end()) : 0;
  verticalScrollBar()->setValue(0);
  horizontalScrollBar()->setValue(0);
  lay_out();
}

QString ListingView::row_text(int row) const {
  if (row < 0 || row >= rows()) return {};
  const std::string_view bytes = listing_->row(row);
  return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

void ListingView::set_heat(std::shared_ptr<const LineHeat> heat) {
  heat_ = std::move(heat);
  lay_out();
}

void ListingView::set_hints(bool on) {
  hints_ = on;
  lay_out();
}

void ListingView::set_linked(std::vector<int> rows) {
  if (rows == linked_) return;
  linked_ = std::move(rows);
  viewport()->update();
}

bool ListingView::in_sight(int row) const {
  const int place = folds_.place_of(row) - verticalScrollBar()->value();
  return place >= 0 && place < verticalScrollBar()->pageStep();
}

void ListingView::reveal_linked() {
  if (linked_.empty() ||
      std::any_of(linked_.begin(), linked_.end(), [this](int row) { return in_sight(row) && !folds_.hidden(row); }))
    return;
  if (folds_.hidden(linked_.front())) {
    folds_.open_at(linked_.front());
    lay_out();
  }
  verticalScrollBar()->setValue(folds_.place_of(linked_.front()) - verticalScrollBar()->pageStep() / 3);
}

void ListingView::go_to(int row) {
  if (rows() == 0) return;
  row = std::clamp(row, 0, rows() - 1);
  if (folds_.hidden(row)) folds_.open_at(row);
  caret_ = anchor_ = {row, 0};
  lay_out();
  verticalScrollBar()->setValue(folds_.place_of(row) - verticalScrollBar()->pageStep() / 2);
  emit row_reached(row);
}

// ---- folding

const Fold* ListingView::fold_around(int row, FoldBy by) const {
  if (!listing_) return nullptr;
  const std::vector<Fold>& folds = listing_->folds(by);
  const auto above =
      std::upper_bound(folds.begin(), folds.end(), row, [](int r, const Fold& f) { return r < f.first; });
  return above != folds.begin() && row <= (above - 1)->last ? &*(above - 1) : nullptr;
}

const Fold* ListingView::fold_beginning(int row) const {
  for (const FoldBy by : {FoldBy::functions, fold_by_ == FoldBy::functions ? FoldBy::blocks : fold_by_})
    if (const Fold* fold = fold_around(row, by); fold && fold->first == row) return fold;
  return nullptr;
}

void ListingView::fold_at(int row, bool shut) {
  const int top = folds_.row_at(verticalScrollBar()->value());
  if (shut) {
    const Fold* fold = fold_beginning(row);
    if (!fold) fold = fold_around(row, fold_by_);
    if (!fold) fold = fold_around(row, FoldBy::functions);
    if (!fold) return;
    folds_.shut({*fold});
    caret_.row = anchor_.row = folds_.shown_row(caret_.row);
    caret_.byte = anchor_.byte = 0;
  } else {
    folds_.open_at(row);
  }
  lay_out();
  verticalScrollBar()->setValue(folds_.place_of(top));
}

void ListingView::fold_all(FoldBy by) {
  if (!listing_) return;
  fold_by_ = by;
  folds_.open_all();
  folds_.shut(listing_->folds(by));
  caret_ = anchor_ = {folds_.shown_row(caret_.row), 0};
  lay_out();
  show_caret();
}

void ListingView::unfold_all() {
  folds_.open_all();
  lay_out();
  show_caret();
}

// ---- places

int ListingView::column_of(int row, int byte) const {
  const std::string_view bytes = listing_->row(row);
  int column = 0;
  for (int i = 0; i < byte && i < static_cast<int>(bytes.size()); ++i) {
    if (bytes[static_cast<std::size_t>(i)] == '\t')
      column += listing_tab - column % listing_tab;
    else if ((bytes[static_cast<std::size_t>(i)] & 0xc0) != 0x80)
      ++column;  // not a byte within a character
  }
  return column;
}

int ListingView::byte_at_column(int row, int column) const {
  const std::string_view bytes = listing_->row(row);
  int byte = 0, at = 0;
  while (byte < static_cast<int>(bytes.size()) && at < column) {
    at += bytes[static_cast<std::size_t>(byte)] == '\t' ? listing_tab - at % listing_tab : 1;
    ++byte;
    while (byte < static_cast<int>(bytes.size()) && (bytes[static_cast<std::size_t>(byte)] & 0xc0) == 0x80) ++byte;
  }
  return byte;
}

int ListingView::row_at(int y) const {
  if (!listing_ || y < line_height_) return -1;
  const int place = verticalScrollBar()->value() + y / line_height_ - 1;
  return place < folds_.shown() ? folds_.row_at(place) : -1;
}

ListingView::Position ListingView::position_at(const QPoint& point) const {
  if (rows() == 0) return {};
  const int place =
      std::clamp(verticalScrollBar()->value() + (point.y() < line_height_ ? -1 : point.y() / line_height_ - 1), 0,
                 folds_.shown() - 1);
  const int row = folds_.row_at(place);
  return {row,
          byte_at_column(
              row, std::max(0, static_cast<int>(
                                   (point.x() - columns_.text + horizontalScrollBar()->value()) / character_ + 0.5)))};
}

ListingView::Position ListingView::previous_position(Position at) const {
  if (at.byte == 0) {
    const int place = folds_.place_of(at.row);
    if (place == 0) return at;
    const int row = folds_.row_at(place - 1);
    return {row, static_cast<int>(listing_->row(row).size())};
  }
  return {at.row, byte_at_column(at.row, std::max(0, column_of(at.row, at.byte - 1)))};
}

ListingView::Position ListingView::next_position(Position at) const {
  if (at.byte < static_cast<int>(listing_->row(at.row).size()))
    return {at.row, byte_at_column(at.row, column_of(at.row, at.byte) + 1)};
  const int place = folds_.place_of(at.row);
  return place + 1 < folds_.shown() ? Position{folds_.row_at(place + 1), 0} : at;
}

void ListingView::moved(Position to, bool keep_anchor, bool across) {
  const bool other_row = to.row != caret_.row;
  caret_ = to;
  if (!keep_anchor) anchor_ = to;
  show_caret(across);
  if (!other_row) return;
  setAccessibleDescription(tr("Row %1: %2").arg(caret_.row + 1).arg(row_text(caret_.row).trimmed()));
  emit row_reached(caret_.row);
}

void ListingView::show_caret(bool across) {
  const int place = folds_.place_of(caret_.row);
  QScrollBar* const bar = verticalScrollBar();
  if (place < bar->value())
    bar->setValue(place);
  else if (place >= bar->value() + bar->pageStep())
    bar->setValue(place - bar->pageStep() + 1);
  if (rows() > 0 && across) {
    const int x = static_cast<int>(column_of(caret_.row, caret_.byte) * character_);
    const int room = viewport()->width() - columns_.text - static_cast<int>(4 * character_);
    QScrollBar* const sideways = horizontalScrollBar();
    if (x < sideways->value())
      sideways->setValue(x);
    else if (x > sideways->value() + room)
      sideways->setValue(x - room);
  }
  viewport()->update();
}

// ---- selection and search

QString ListingView::selected_text() const {
  if (!listing_ || !has_selection()) return {};
  const auto [from, to] = std::minmax(anchor_, caret_);
  const std::size_t begin = listing_->starts[static_cast<std::size_t>(from.row)] + static_cast<std::size_t>(from.byte);
  const std::size_t end = listing_->starts[static_cast<std::size_t>(to.row)] + static_cast<std::size_t>(to.byte);
  return QString::fromUtf8(listing_->text.data() + begin, static_cast<qsizetype>(end - begin));
}

void ListingView::select_all() {
  if (rows() == 0) return;
  anchor_ = {0, 0};
  caret_ = {rows() - 1, static_cast<int>(listing_->row(rows() - 1).size())};
  viewport()->update();
}

void ListingView::copy() const {
  const QString text = has_selection() ? selected_text() : row_text(caret_.row) + "\n";
  if (listing_) QApplication::clipboard()->setText(text);
}

QString ListingView::picked() const { return anchor_.row == caret_.row ? selected_text() : QString(); }

bool ListingView::find(const SearchText& what, bool forward, bool from_start) {
  const std::string wanted = folded(what.words.toStdString());
  if (!listing_ || wanted.empty()) return false;
  const auto [from, to] = std::minmax(anchor_, caret_);
  const Position start = forward ? to : from;
  const std::size_t at =
      from_start ? 0 : listing_->starts[static_cast<std::size_t>(start.row)] + static_cast<std::size_t>(start.byte);
  std::size_t hit = forward ? find_folded(listing_->text, wanted, at) : find_folded_back(listing_->text, wanted, at);
  if (hit == std::string::npos)
    hit = forward ? find_folded(listing_->text, wanted, 0)
                  : find_folded_back(listing_->text, wanted, listing_->text.size());
  if (hit == std::string::npos) return false;
  const int row = listing_->row_at(hit);
  const int byte = static_cast<int>(hit - listing_->starts[static_cast<std::size_t>(row)]);
  if (folds_.hidden(row)) {
    folds_.open_at(row);
    lay_out();
  }
  anchor_ = {row, byte};
  const bool far = !in_sight(row);
  moved({row, byte + static_cast<int>(wanted.size())}, true);
  if (far) verticalScrollBar()->setValue(folds_.place_of(row) - verticalScrollBar()->pageStep() / 2);
  return true;
}

int ListingView::mark_all(const SearchText& what) {
  needle_ = folded(what.words.toStdString());
  viewport()->update();
  if (!listing_ || needle_.empty()) return 0;
  int found = 0;
  for (std::size_t at = find_folded(listing_->text, needle_, 0); at != std::string::npos && found < most_marked;
       at = find_folded(listing_->text, needle_, at + needle_.size()))
    ++found;
  return found;
}

// ---- events

void ListingView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  lay_out();
}

void ListingView::scrollContentsBy(int, int) { viewport()->update(); }

void ListingView::keyPressEvent(QKeyEvent* event) {
  if (rows() == 0) return event->ignore();
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::SelectAll)) return select_all();
  const bool shift = event->modifiers() & Qt::ShiftModifier, control = event->modifiers() & Qt::ControlModifier;
  const int column = wanted_column_ >= 0 ? wanted_column_ : column_of(caret_.row, caret_.byte);
  const auto vertical = [&](int step) {
    const int row = folds_.row_at(std::clamp(folds_.place_of(caret_.row) + step, 0, folds_.shown() - 1));
    moved({row, byte_at_column(row, column)}, shift);
    wanted_column_ = column;
  };
  wanted_column_ = -1;
  switch (event->key()) {
    case Qt::Key_Up: return vertical(-1);
    case Qt::Key_Down: return vertical(1);
    case Qt::Key_PageUp: return vertical(-verticalScrollBar()->pageStep());
    case Qt::Key_PageDown: return vertical(verticalScrollBar()->pageStep());
    case Qt::Key_Left:
      return moved(has_selection() && !shift ? std::min(anchor_, caret_) : previous_position(caret_), shift);
    case Qt::Key_Right:
      return moved(has_selection() && !shift ? std::max(anchor_, caret_) : next_position(caret_), shift);
    case Qt::Key_Home: return moved({control ? folds_.row_at(0) : caret_.row, 0}, shift);
    case Qt::Key_End: {
      const int row = control ? folds_.row_at(folds_.shown() - 1) : caret_.row;
      return moved({row, static_cast<int>(listing_->row(row).size())}, shift);
    }
    case Qt::Key_Plus: return fold_at(caret_.row, false);
    case Qt::Key_Minus: return fold_at(caret_.row, true);
    case Qt::Key_Asterisk: return unfold_all();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!control) {
        emit row_chosen(caret_.row);
        return;
      }
      break;
    default: break;
  }
  event->ignore();  // the window's
}

void ListingView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || rows() == 0) return;
  const int row = row_at(event->pos().y());
  if (row >= 0 && event->pos().x() < columns_.number && fold_beginning(row)) return fold_at(row, !folds_.begins(row));
  wanted_column_ = -1;
  moved(position_at(event->pos()), event->modifiers() & Qt::ShiftModifier, false);
}

void ListingView::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton && rows() > 0) moved(position_at(event->pos()), true);
  const int row = row_at(event->pos().y());
  if (row == hovered_) return;
  hovered_ = row;
  emit row_hovered(row);
}

void ListingView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || has_selection()) return;
  const int row = row_at(event->pos().y());
  if (row >= 0 && !(event->pos().x() < columns_.number && fold_beginning(row))) emit row_chosen(row);
}

void ListingView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || rows() == 0) return;
  const Position at = position_at(event->pos());
  const std::string_view bytes = listing_->row(at.row);
  const auto word = [&](int i) {
    return i >= 0 && i < static_cast<int>(bytes.size()) &&
           (std::isalnum(static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])) ||
            std::string_view("_$%.").find(bytes[static_cast<std::size_t>(i)]) != std::string_view::npos);
  };
  int begin = at.byte, end = at.byte;
  while (word(begin - 1)) --begin;
  while (word(end)) ++end;
  anchor_ = {at.row, begin};
  moved({at.row, end}, true);
}

void ListingView::contextMenuEvent(QContextMenuEvent* event) {
  if (!listing_) return;
  QMenu menu(this);
  menu.addAction(tr("Copy"), this, [this] { copy(); });
  menu.addAction(tr("Select all"), this, [this] { select_all(); });
  menu.addSeparator();
  menu.addAction(tr("Fold here (-)"), this, [this] { fold_at(caret_.row, true); });
  menu.addAction(tr("Unfold here (+)"), this, [this] { fold_at(caret_.row, false); });
  menu.addAction(tr("Fold by functions"), this, [this] { fold_all(FoldBy::functions); })
      ->setEnabled(!listing_->functions.empty());
  menu.addAction(tr("Fold by blocks"), this, [this] { fold_all(FoldBy::blocks); })
      ->setEnabled(!listing_->blocks.empty());
  menu.addAction(tr("Fold by source lines"), this, [this] { fold_all(FoldBy::lines); })
      ->setEnabled(!listing_->runs.empty());
  menu.addAction(tr("Unfold all (*)"), this, [this] { unfold_all(); })->setEnabled(folds_.any());
  menu.exec(event->globalPos());
}

void ListingView::pointer_left() {
  if (hovered_ == -1) return;
  hovered_ = -1;
  emit row_hovered(-1);
}

}  // namespace ww::widgets
