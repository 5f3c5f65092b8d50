// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/diff_view.h"
#include <QAccessible>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr int gutter = 34, overview_width = 14, margin_pad = 6, sign_width = 2;  // sign_width in characters
constexpr int rows_above = 3;                                                    // of a change that is gone to
}  // namespace

DiffView::DiffView(QWidget* parent) : PaintedView(parent) {
  setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  viewport()->setCursor(Qt::IBeamCursor);
  setAccessibleName(tr("Differences"));
  verticalScrollBar()->setAccessibleName(tr("Scroll the differences"));
  horizontalScrollBar()->setAccessibleName(tr("Scroll the differences sideways"));
  connect(&Theme::instance(), &Theme::changed, this, &DiffView::restyle);
  restyle();
}

void DiffView::show_diff(std::shared_ptr<const diff::TextDiff> diff, CodeKind left, CodeKind right) {
  diff_ = std::move(diff);
  listings_[left_side] = left;
  listings_[right_side] = right;
  words_.clear();
  row_options_.opened.clear();
  found_ = {};
  widest_ = 0;
  int last = 0;
  if (diff_) {
    for (const diff::Text* text : {&diff_->left, &diff_->right}) {
      for (const diff::Line& line : text->lines) widest_ = std::max(widest_, static_cast<int>(line.length));
      if (!text->lines.empty()) last = std::max(last, text->lines.back().number);
    }
  }
  digits_ = std::max(3, static_cast<int>(QString::number(last).size()));
  row_ = anchor_ = 0;
  change_ = -1;
  relayout(false);
  horizontalScrollBar()->setValue(0);
  verticalScrollBar()->setValue(0);
  if (!rows_.changes.empty())
    go_to_change(0);
  else
    emit current_change_changed(-1);
}

void DiffView::set_one_column(bool on) {
  if (row_options_.one_column == on) return;
  row_options_.one_column = on;
  relayout(true);
}

void DiffView::set_folded(bool on) {
  if (row_options_.folded == on) return;
  row_options_.folded = on;
  row_options_.opened.clear();
  relayout(true);
}

void DiffView::set_notes(QMap<int, QString> notes) {
  notes_ = std::move(notes);
  viewport()->update();
}

void DiffView::set_source_lines(std::vector<int> left, std::vector<int> right) {
  source_lines_[left_side] = std::move(left);
  source_lines_[right_side] = std::move(right);
}

void DiffView::set_line(Side side, int line) {
  if (line == marked_line_ && side == marked_side_) return;
  marked_side_ = side;
  marked_line_ = line;
  viewport()->update();
}

int DiffView::source_of(Side side, int number) const {
  const std::vector<int>& lines = source_lines_[side];
  return lines.empty() || number <= 0               ? number
         : number <= static_cast<int>(lines.size()) ? lines[static_cast<std::size_t>(number - 1)]
                                                    : 0;
}

void DiffView::relayout(bool keep_row) {
  const int of_diff =
      keep_row && row_ < static_cast<int>(rows_.rows.size()) ? rows_.rows[static_cast<std::size_t>(row_)].row : 0;
  const int above = row_ - verticalScrollBar()->value();
  rows_ = diff_ ? lay_out(*diff_, row_options_) : ViewRows{};
  measure();
  if (keep_row && !rows_.rows.empty()) {
    const auto at = std::find_if(rows_.rows.begin(), rows_.rows.end(), [of_diff](const ViewRow& r) {
      return r.row == of_diff || (r.kind == ViewRow::fold && r.row <= of_diff && of_diff < r.row + r.hidden);
    });
    row_ = anchor_ = at == rows_.rows.end() ? 0 : static_cast<int>(at - rows_.rows.begin());
    show_row(row_, std::clamp(above, 0, std::max(0, rows_on_screen() - 1)));
  }
  viewport()->update();
}

int DiffView::rows_on_screen() const { return std::max(1, viewport()->height() / line_height_); }

void DiffView::measure() {
  const Columns c = columns();
  verticalScrollBar()->setPageStep(rows_on_screen());
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(rows_.rows.size()) - rows_on_screen()));
  const int room = std::max(20, c.right_end - c.right_text), needed = static_cast<int>((widest_ + 8) * char_width_);
  horizontalScrollBar()->setSingleStep(static_cast<int>(char_width_ * 4));
  horizontalScrollBar()->setPageStep(room);
  horizontalScrollBar()->setRange(0, std::max(0, needed - room));
}

DiffView::Columns DiffView::columns() const {
  Columns c;
  const int width = viewport()->width();
  const int number = static_cast<int>((digits_ + sign_width) * char_width_) + 2 * margin_pad;
  c.overview = width - overview_width;
  if (row_options_.one_column) {
    c.left_number = 0;
    c.right_number = static_cast<int>((digits_ + 1) * char_width_) + margin_pad;
    c.left_text = c.right_text = c.right_number + number;
    c.left_end = c.right_end = c.overview;
    return c;
  }
  const int half = (c.overview - gutter) / 2;
  c.left_text = number;
  c.left_end = half;
  c.right_number = half + gutter;
  c.right_text = c.right_number + number;
  c.right_end = c.overview;
  return c;
}

void DiffView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  measure();
}

void DiffView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) restyle();
}

int DiffView::row_at(int y) const {
  return std::clamp(verticalScrollBar()->value() + y / line_height_, 0,
                    std::max(0, static_cast<int>(rows_.rows.size()) - 1));
}
DiffView::Side DiffView::side_at(int x) const {
  return !row_options_.one_column && x < (columns().left_end + columns().right_number) / 2 ? left_side : right_side;
}

int DiffView::number_of(Side side, int row) const {
  if (!diff_ || row < 0 || row >= static_cast<int>(rows_.rows.size())) return 0;
  const ViewRow& r = rows_.rows[static_cast<std::size_t>(row)];
  const int line = side == left_side ? r.left : r.right;
  return line < 0 ? 0 : (side == left_side ? diff_->left : diff_->right).lines[static_cast<std::size_t>(line)].number;
}

int DiffView::current_change() const {
  return row_ < static_cast<int>(rows_.rows.size()) ? rows_.rows[static_cast<std::size_t>(row_)].change : -1;
}

int DiffView::note_line(int change) const {
  if (!diff_ || change < 0 || change >= static_cast<int>(diff_->changes.size())) return 0;
  const auto& lines = diff_->right.lines;
  for (auto i = static_cast<std::size_t>(diff_->changes[static_cast<std::size_t>(change)].first);
       i < diff_->rows.size(); ++i)
    if (diff_->rows[i].right >= 0) return lines[static_cast<std::size_t>(diff_->rows[i].right)].number;
  return lines.empty() ? 0 : lines.back().number;  // removed at the very end
}

void DiffView::set_row(int row, bool extend) {
  if (rows_.rows.empty()) return;
  row_ = std::clamp(row, 0, static_cast<int>(rows_.rows.size()) - 1);
  if (!extend) anchor_ = row_;
  const int top = verticalScrollBar()->value(), fits = rows_on_screen();
  if (row_ < top)
    verticalScrollBar()->setValue(row_);
  else if (row_ >= top + fits)
    verticalScrollBar()->setValue(row_ - fits + 1);
  if (const int change = current_change(); change != change_) {
    change_ = change;
    emit current_change_changed(change);
  }
  const ViewRow& r = rows_.rows[static_cast<std::size_t>(row_)];
  static const char* kinds[] = {QT_TR_NOOP("same"),    QT_TR_NOOP("changed"), QT_TR_NOOP("replaced"),
                                QT_TR_NOOP("removed"), QT_TR_NOOP("added"),   QT_TR_NOOP("unchanged lines, folded")};
  const auto text = [&](const diff::Text& t, int line) {
    return line < 0 ? tr("nothing") : qs(std::string(t.line(line))).trimmed();
  };
  setAccessibleDescription(r.kind == ViewRow::fold
                               ? tr(kinds[r.kind])
                               : tr("%1; left: %2; right: %3")
                                     .arg(tr(kinds[r.kind]), text(diff_->left, r.left), text(diff_->right, r.right)));
  viewport()->update();
}

void DiffView::show_row(int row, int above) {
  verticalScrollBar()->setValue(row - above);
  set_row(row, false);
}

void DiffView::go_to_change(int change) {
  if (change < 0 || change >= static_cast<int>(rows_.changes.size())) return;
  show_row(rows_.changes[static_cast<std::size_t>(change)].first, rows_above);
}

void DiffView::go_to_line(int line) {
  for (int row = 0; row < static_cast<int>(rows_.rows.size()); ++row) {
    const ViewRow& r = rows_.rows[static_cast<std::size_t>(row)];
    if (r.kind == ViewRow::fold) {
      const diff::Row& first = diff_->rows[static_cast<std::size_t>(r.row)];
      const diff::Row& last = diff_->rows[static_cast<std::size_t>(r.row + r.hidden - 1)];
      const auto& lines = diff_->right.lines;
      if (line < lines[static_cast<std::size_t>(first.right)].number ||
          line > lines[static_cast<std::size_t>(last.right)].number)
        continue;
      open_fold(row);
      return go_to_line(line);
    }
    if (number_of(right_side, row) == line) return show_row(row, rows_on_screen() / 3);
  }
}

void DiffView::step(bool forward) {
  const auto& changes = rows_.changes;
  if (changes.empty()) return;
  int to = forward ? 0 : static_cast<int>(changes.size()) - 1;
  if (forward) {
    const auto at = std::find_if(changes.begin(), changes.end(), [this](const auto& c) { return c.first > row_; });
    if (at != changes.end()) to = static_cast<int>(at - changes.begin());
  } else {
    const auto at = std::find_if(changes.rbegin(), changes.rend(), [this](const auto& c) { return c.first < row_; });
    if (at != changes.rend()) to = static_cast<int>(changes.rend() - at) - 1;
  }
  go_to_change(to);
}

void DiffView::open_fold(int row) {
  const ViewRow r = rows_.rows[static_cast<std::size_t>(row)];
  if (r.kind != ViewRow::fold) return;
  row_options_.opened.insert(r.row);
  relayout(true);
}

QString DiffView::selected_text(Side side) const {
  QString text;
  if (!diff_) return text;
  const diff::Text& t = side == left_side ? diff_->left : diff_->right;
  for (int i = std::min(row_, anchor_); i <= std::max(row_, anchor_) && i < static_cast<int>(rows_.rows.size()); ++i) {
    const ViewRow& r = rows_.rows[static_cast<std::size_t>(i)];
    const auto add = [&](int line) {
      if (line >= 0) text += QString::fromUtf8(t.line(line).data(), static_cast<qsizetype>(t.line(line).size())) + "\n";
    };
    if (r.kind == ViewRow::fold)
      for (int k = r.row; k < r.row + r.hidden; ++k)
        add(side == left_side ? diff_->rows[static_cast<std::size_t>(k)].left
                              : diff_->rows[static_cast<std::size_t>(k)].right);
    else
      add(side == left_side ? r.left : r.right);
  }
  return text;
}

void DiffView::copy(Side side) const {
  if (const QString text = selected_text(side); !text.isEmpty()) QGuiApplication::clipboard()->setText(text);
}

void DiffView::keyPressEvent(QKeyEvent* event) {
  const bool extend = event->modifiers() & Qt::ShiftModifier;
  if (event->matches(QKeySequence::Copy)) return copy(side_);
  if (event->matches(QKeySequence::SelectAll)) {
    anchor_ = 0;
    return set_row(static_cast<int>(rows_.rows.size()) - 1, true);
  }
  switch (event->key()) {
    case Qt::Key_Up: return set_row(row_ - 1, extend);
    case Qt::Key_Down: return set_row(row_ + 1, extend);
    case Qt::Key_PageUp: return set_row(row_ - rows_on_screen() + 1, extend);
    case Qt::Key_PageDown: return set_row(row_ + rows_on_screen() - 1, extend);
    case Qt::Key_Home: return set_row(0, extend);
    case Qt::Key_End: return set_row(static_cast<int>(rows_.rows.size()) - 1, extend);
    case Qt::Key_Left: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
    case Qt::Key_Right: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (row_ >= static_cast<int>(rows_.rows.size())) return;
      if (rows_.rows[static_cast<std::size_t>(row_)].kind == ViewRow::fold)
        open_fold(row_);
      else if (current_change() >= 0)
        emit comment_wanted(current_change());
      return;
    default: QAbstractScrollArea::keyPressEvent(event);
  }
}

void DiffView::overview_to(int y) {
  const int row = static_cast<int>(static_cast<double>(y) / std::max(1, viewport()->height()) *
                                   static_cast<double>(rows_.rows.size()));
  verticalScrollBar()->setValue(row - rows_on_screen() / 2);
}

void DiffView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || rows_.rows.empty()) return;
  if (event->pos().x() >= columns().overview) {
    sliding_ = true;
    return overview_to(event->pos().y());
  }
  side_ = side_at(event->pos().x());
  const int row = row_at(event->pos().y());
  if (rows_.rows[static_cast<std::size_t>(row)].kind == ViewRow::fold) {
    set_row(row, false);
    return open_fold(row);
  }
  selecting_ = true;
  set_row(row, event->modifiers() & Qt::ShiftModifier);
}

void DiffView::mouseMoveEvent(QMouseEvent* event) {
  if (sliding_) return overview_to(event->pos().y());
  if (rows_.rows.empty()) return;
  const int row = row_at(event->pos().y());
  if (selecting_)
    return set_row(event->pos().y() < 0 ? row - 1 : event->pos().y() > viewport()->height() ? row + 1 : row, true);
  const bool over = event->pos().x() >= columns().overview,
             fold = rows_.rows[static_cast<std::size_t>(row)].kind == ViewRow::fold;
  viewport()->setCursor(over || fold ? Qt::PointingHandCursor : Qt::IBeamCursor);
  const Side side = side_at(event->pos().x());
  emit line_hovered(side, over ? 0 : source_of(side, number_of(side, row)));
}

void DiffView::mouseReleaseEvent(QMouseEvent*) { selecting_ = sliding_ = false; }

void DiffView::mouseDoubleClickEvent(QMouseEvent* event) {
  const Side side = side_at(event->pos().x());
  if (const int line = source_of(side, number_of(side, row_at(event->pos().y())));
      line > 0 && event->pos().x() < columns().overview)
    emit line_activated(side, line);
}

void DiffView::contextMenuEvent(QContextMenuEvent* event) {
  if (rows_.rows.empty()) return;
  QMenu menu(this);
  menu.addAction(tr("Copy left"), this, [this] { copy(left_side); })->setEnabled(!selected_text(left_side).isEmpty());
  menu.addAction(tr("Copy right"), this, [this] { copy(right_side); })
      ->setEnabled(!selected_text(right_side).isEmpty());
  menu.addSeparator();
  menu.addAction(tr("Comment on this change…"), this, [this] { emit comment_wanted(current_change()); })
      ->setEnabled(current_change() >= 0);
  menu.exec(event->globalPos());
}

void DiffView::pointer_left() {
  emit line_hovered(left_side, 0);
  emit line_hovered(right_side, 0);
}

void DiffView::show_tip(const QHelpEvent& help) {
  const QString note = rows_.rows.empty() ? QString() : notes_.value(number_of(right_side, row_at(help.pos().y())));
  if (note.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help.globalPos(), note, this);
}

const diff::Words& DiffView::words_of(int diff_row) {
  if (const diff::Words* known = words_.object(diff_row)) return *known;
  const diff::Row& r = diff_->rows[static_cast<std::size_t>(diff_row)];
  auto* words = new diff::Words;
  if (r.kind == diff::RowKind::changed)
    *words = diff::compare_words(diff_->left.line(r.left), diff_->right.line(r.right), diff_->rules);
  words_.insert(diff_row, words);
  return *words;
}

}  // namespace ww::widgets
