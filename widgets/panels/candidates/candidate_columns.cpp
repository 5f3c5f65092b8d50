// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_columns.h"
#include <QDataStream>
#include <QHeaderView>
#include <QMouseEvent>
#include <algorithm>
#include "panels/candidates/candidate_table.h"
#include "parts/theme/column_fit.h"
#include "parts/theme/header_view.h"
#include "session/models/candidate_model.h"

namespace ww::widgets {

namespace {

using C = CandidateModel;
constexpr int least_width = 44;              // of a column
constexpr quint32 header_mark = 0x77770007;  // of a header's state with these columns

struct FirstColumn {
  int column, width;
  bool shown;
};
constexpr FirstColumn first_columns[] = {{C::Rank, 64, true},      {C::Compared, 76, true}, {C::Name, 264, true},
                                         {C::Score, 152, true},    {C::Verdict, 172, true}, {C::Registers, 84, true},
                                         {C::Signed, 76, true},    {C::Shared, 92, true},   {C::Occupancy, 96, true},
                                         {C::Spread, 130, false},  {C::Marked, 62, true},   {C::Tags, 72, true},
                                         {C::Note, 140, false},    {C::Timed, 108, false},  {C::Parent, 140, false},
                                         {C::Generator, 96, true}, {C::Number, 76, false},  {C::Proposed, 132, false}};

// The least important first. The names become narrower before any of the last ones hides.
const QList<int> hidden_first = {C::Proposed,  C::Number, C::Parent, C::Note,   C::Generator, C::Tags, C::Shared,
                                 C::Occupancy, C::Marked, C::Spread, C::Signed, C::Registers, C::Timed};
const QList<int> hidden_last = {C::Compared, C::Verdict, C::Rank};

}  // namespace

CandidateColumns::CandidateColumns(CandidateTable* table) : QObject(table), table_(table) {
  reset();
  connect(header(), &QHeaderView::sectionResized, this, [this](int column) {
    if (!dragging_) return fit();
    if (column != C::Name && !widened_.contains(column)) widened_ += column;
  });
  connect(header(), &QHeaderView::sortIndicatorChanged, this, &CandidateColumns::fit);
  header()->viewport()->installEventFilter(this);
  table_->viewport()->installEventFilter(this);
}

QHeaderView* CandidateColumns::header() const { return table_->horizontalHeader(); }

void CandidateColumns::reset() {
  fitting_ = true;
  QHeaderView* header = table_->horizontalHeader();
  header->setMinimumSectionSize(least_width);
  int visual = 0;
  for (const FirstColumn& c : first_columns) {
    header->moveSection(header->visualIndex(c.column), visual++);
    header->setSectionHidden(c.column, !c.shown);
    header->resizeSection(c.column, c.width);
    if (c.column == C::Name) table_->set_name_width(c.width);
  }
  chosen_ = false;
  widened_.clear();
  without_room_.clear();
  table_->let_names_shrink(true);
  table_->sortByColumn(C::Rank, Qt::AscendingOrder);
  fitting_ = false;
  fit();
}

void CandidateColumns::choose(int column, bool shown) {
  shown |= column == C::Name;  // without it no row is anything
  chosen_ = true;
  without_room_.clear();
  table_->let_names_shrink(false);
  header()->setSectionHidden(column, !shown);
  emit changed();
}

void CandidateColumns::offer(int column) {
  if (no_room(column) || !header()->isSectionHidden(column)) return;
  header()->setSectionHidden(column, false);
  fit();
}

void CandidateColumns::prefer(int column, bool on) {
  if (preferred_.contains(column) == on) return;
  if (on)
    preferred_ += column;
  else
    preferred_.removeAll(column);
  fit();
}

QString CandidateColumns::title(int column) const {
  const QString title = header()->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  return no_room(column) ? tr("%1 (no room)").arg(title) : title;
}

// A function of the widths and of the room alone: the same room shows the same columns again.
void CandidateColumns::fit() {
  if (chosen_ || fitting_ || dragging_ || !table_->isVisible()) return;
  fitting_ = true;
  const int room = table_->viewport()->width();
  QMap<int, int> widths;
  for (int column = 0; column < C::ColumnCount; ++column)
    if (!header()->isSectionHidden(column) || no_room(column)) widths[column] = column_width(*header(), column);
  if (widths.contains(C::Name)) widths[C::Name] = table_->name_width();
  const auto without = [&](QList<int> order) {
    order.removeIf([&](int c) { return widened_.contains(c) || c == header()->sortIndicatorSection(); });
    return columns_without_room(widths, order, room);
  };
  QList<int> first = hidden_first, last = hidden_last;
  for (const int column : preferred_)
    if (first.removeAll(column) > 0) last.insert(std::min<qsizetype>(1, last.size()), column);
  QList<int> hidden = without(first);
  for (const int column : hidden) widths.remove(column);
  if (widths.contains(C::Name)) widths[C::Name] = table_->least_name_width();
  hidden += without(last);
  for (int column = 0; column < C::ColumnCount; ++column)
    if (widths.contains(column) || hidden.contains(column)) header()->setSectionHidden(column, hidden.contains(column));
  const bool other = hidden != std::exchange(without_room_, hidden);
  table_->set_name_width(0);
  fitting_ = false;
  if (other) emit changed();
}

bool CandidateColumns::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_->viewport()) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show) fit();
    return false;
  }
  const bool down = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick;
  if (down && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) dragging_ = true;
  if (event->type() == QEvent::MouseButtonRelease && std::exchange(dragging_, false))
    QMetaObject::invokeMethod(this, &CandidateColumns::fit, Qt::QueuedConnection);  // after the header's own answer
  return false;
}

QByteArray CandidateColumns::save() const {
  QByteArray state;
  QDataStream(&state, QIODevice::WriteOnly)
      << header_mark << header()->saveState() << table_->name_width() << chosen_ << without_room_ << widened_;
  return state;
}

void CandidateColumns::restore(const QByteArray& state) {
  quint32 mark = 0;
  QByteArray columns;
  QDataStream in(state);
  in >> mark >> columns;
  if (in.status() != QDataStream::Ok || mark != header_mark) return;
  int name_width = 0;
  in >> name_width;  // 0: of an earlier version, which stored none
  bool chosen = false;
  QList<int> without_room, widened;
  in >> chosen >> without_room >> widened;
  const bool whole = in.status() == QDataStream::Ok;
  fitting_ = true;
  if (header()->restoreState(columns)) {
    without_room_ = whole ? without_room : QList<int>();
    widened_ = whole ? widened : QList<int>();
    chosen_ = whole ? chosen : differ_from_first();  // an earlier version hid none by itself
    table_->let_names_shrink(!chosen_);
    table_->set_name_width(name_width > 0 ? name_width : table_->columnWidth(C::Name));
    fitting_ = false;
    fit();
  } else {
    reset();
  }
}

bool CandidateColumns::differ_from_first() const {
  return std::ranges::any_of(first_columns, [this](const FirstColumn& c) {
    const bool shown = !header()->isSectionHidden(c.column);
    return c.column == C::Spread || c.column == C::Timed ? false : shown != c.shown;  // those come with measurements
  });
}

}  // namespace ww::widgets
