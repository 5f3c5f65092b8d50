// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/candidate_filter.h"
#include <algorithm>
#include <numeric>
#include "session/models/candidate_match.h"
#include "session/models/candidate_model.h"

namespace ww::widgets {

void CandidateFilter::setSourceModel(QAbstractItemModel* model) {
  beginResetModel();
  if (model_) model_->disconnect(this);
  QAbstractProxyModel::setSourceModel(model);
  model_ = qobject_cast<CandidateModel*>(model);
  if (model_) {
    connect(model_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
      rebuild();
      endResetModel();
      emit filtered();
    });
    connect(model_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
      std::vector<int> rows(static_cast<std::size_t>(last - first + 1));
      std::iota(rows.begin(), rows.end(), first);
      update(rows, CandidateModel::Change::facts);
    });
    connect(model_, &CandidateModel::rows_changed, this, &CandidateFilter::update);
    connect(model_, &QAbstractItemModel::headerDataChanged, this, &QAbstractItemModel::headerDataChanged);
  }
  rebuild();
  endResetModel();
  emit filtered();
}

void CandidateFilter::set_query(const ParsedQuery& query) {
  query_ = query;
  refilter();
}

void CandidateFilter::set_words(const QString& words) {
  if (const ParsedQuery query = parse_query(words); query.error.isEmpty()) set_query(query);
}

void CandidateFilter::set_state(const QString& state) {
  state_ = state.toStdString();
  refilter();
}

void CandidateFilter::sort(int column, Qt::SortOrder order) {
  const bool other = column != column_;
  column_ = column;
  way_ = order;
  if (!model_) return;
  if (other) rebuild_keys();
  take_order(ordered());
  set_held(0, false);
}

void CandidateFilter::rebuild_keys() {
  const auto rows = static_cast<std::size_t>(model_ ? model_->rowCount() : 0);
  const bool numbers = CandidateModel::sorts_by_number(column_);
  numbers_.assign(numbers ? rows : 0, 0);
  texts_.assign(numbers ? 0 : rows, {});
  shown_.resize(rows, 0);
  for (int row = 0; row < static_cast<int>(rows); ++row) take_keys(row);
}

void CandidateFilter::take_keys(int row) {
  const auto at = static_cast<std::size_t>(row);
  const CandidateModel::Row& data = model_->rows()[at];
  if (CandidateModel::sorts_by_number(column_))
    numbers_[at] = model_->sort_number(data, column_);
  else
    texts_[at] = model_->sort_text(data, column_);
}

bool CandidateFilter::accepts(int row) {
  const auto at = static_cast<std::size_t>(row);
  const CandidateModel::Row& candidate = model_->rows()[at];
  const auto& data = candidate.data;
  const store::CandidateState now = model_->state_of(data);
  bool good = state_.empty() ||
              (state_ == "open" ? now == store::CandidateState::queued || now == store::CandidateState::judging
                                : enum_string(now) == state_);
  good = good && (query_.empty || matches(query_.query, *model_, row));
  const bool trash = good && !query_.names_trash && candidate.trashed;
  in_trash_ += (trash ? 1 : 0) - (shown_[at] == -1 ? 1 : 0);
  shown_[at] = trash ? -1 : good ? 1 : 0;
  return shown_[at] == 1;
}

bool CandidateFilter::before(int a, int b) const {
  const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
  if (CandidateModel::sorts_by_number(column_)) {
    const double p = numbers_[x], q = numbers_[y];
    const bool no_p = p >= CandidateModel::missing_number, no_q = q >= CandidateModel::missing_number;
    if (no_p != no_q) return no_q;
    if (p != q) return way_ == Qt::AscendingOrder || no_p ? p < q : p > q;
  } else {
    const std::string &p = texts_[x], &q = texts_[y];
    if (p.empty() != q.empty()) return q.empty();
    if (const int order = p.compare(q); order != 0) return (order < 0) == (way_ == Qt::AscendingOrder);
  }
  return a < b;
}

std::vector<int> CandidateFilter::ordered() const {
  std::vector<int> order;
  order.reserve(shown_.size());
  for (std::size_t row = 0; row < shown_.size(); ++row)
    if (shown_[row] == 1) order.push_back(static_cast<int>(row));
  std::sort(order.begin(), order.end(), [this](int a, int b) { return before(a, b); });
  return order;
}

void CandidateFilter::rebuild() {
  shown_.clear();
  in_trash_ = 0;
  rebuild_keys();
  for (int row = 0; row < static_cast<int>(shown_.size()); ++row) accepts(row);
  order_ = ordered();
  place();
  set_held(0, false);
}

void CandidateFilter::place() {
  place_.assign(shown_.size(), -1);
  for (std::size_t at = 0; at < order_.size(); ++at)
    place_[static_cast<std::size_t>(order_[at])] = static_cast<int>(at);
}

void CandidateFilter::refilter() {
  if (!model_) return;
  for (int row = 0; row < model_->rowCount(); ++row) accepts(row);
  take_order(ordered());
  set_held(0, false);
  emit filtered();
}

void CandidateFilter::hold(bool on) {
  if (on == held_) return;
  held_ = on;
  if (on || !held_changes_) return;
  take_order(ordered());
  set_held(0, false);
  emit filtered();
}

void CandidateFilter::set_held(int added, bool changes) {
  if (added == held_new_ && changes == held_changes_) return;
  held_new_ = added;
  held_changes_ = changes;
  emit held_changed();
}

void CandidateFilter::update_held(const std::vector<int>& rows, CandidateModel::Change change) {
  const bool ranks = change == CandidateModel::Change::ranks;
  const auto count = static_cast<std::size_t>(model_->rowCount());
  const bool numbers = CandidateModel::sorts_by_number(column_);
  shown_.resize(count, 0);
  place_.resize(count, -1);
  (numbers ? static_cast<void>(numbers_.resize(count, 0)) : static_cast<void>(texts_.resize(count)));
  if (ranks && column_ == CandidateModel::Rank)
    for (std::size_t at = 0; at < count; ++at) take_keys(static_cast<int>(at));
  for (const int row : rows) take_keys(row);
  std::vector<int> all;
  if (ranks && query_.names_rank) {
    all.resize(count);
    std::iota(all.begin(), all.end(), 0);
  }
  std::vector<int> order = order_;
  for (const int row : all.empty() ? rows : all)
    if (accepts(row) && place_[static_cast<std::size_t>(row)] < 0) order.push_back(row);
  const int added = held_new_ + static_cast<int>(order.size() - order_.size());
  if (change == CandidateModel::Change::marks)
    std::erase_if(order, [&](int row) {
      return shown_[static_cast<std::size_t>(row)] != 1 && std::binary_search(rows.begin(), rows.end(), row);
    });
  if (order != order_)
    take_order(std::move(order));
  else
    say_changed(rows, ranks);
  const bool changes = std::any_of(order_.begin(), order_.end(),
                                   [this](int row) { return shown_[static_cast<std::size_t>(row)] != 1; }) ||
                       !std::is_sorted(order_.begin(), order_.end(), [this](int a, int b) { return before(a, b); });
  set_held(added, changes);
  emit filtered();
}

void CandidateFilter::update(const std::vector<int>& rows, CandidateModel::Change change) {
  if (held_) return update_held(rows, change);
  const bool ranks = change == CandidateModel::Change::ranks;
  if (ranks && query_.names_rank) {  // any row may come or go
    rebuild_keys();
    refilter();
    return;
  }
  const auto count = static_cast<std::size_t>(model_->rowCount());
  const bool numbers = CandidateModel::sorts_by_number(column_);
  const bool grown = shown_.size() < count;
  shown_.resize(count, 0);
  (numbers ? static_cast<void>(numbers_.resize(count, 0)) : static_cast<void>(texts_.resize(count)));
  std::vector<signed char> moves(count, 0);
  bool some = false, other_rows = grown;
  for (const int row : rows) {
    const auto at = static_cast<std::size_t>(row);
    const signed char shown = shown_[at];
    const double number = numbers ? numbers_[at] : 0;
    const std::string text = numbers ? std::string() : texts_[at];
    take_keys(row);
    accepts(row);
    const bool moved = shown_[at] != shown || (numbers ? numbers_[at] != number : texts_[at] != text);
    other_rows |= shown_[at] != shown;
    if (!moved) continue;
    moves[at] = 1;
    some = true;
  }
  if (ranks && column_ == CandidateModel::Rank)
    for (std::size_t at = 0; at < count; ++at)
      if (moves[at] == 0) take_keys(static_cast<int>(at));

  if (!some && !grown && !(ranks && column_ == CandidateModel::Rank)) {
    say_changed(rows, ranks);
    return;
  }
  std::vector<int> order;
  order.reserve(count);
  for (const int row : order_)
    if (moves[static_cast<std::size_t>(row)] == 0) order.push_back(row);
  const auto by_key = [this](int a, int b) { return before(a, b); };
  if (ranks && column_ == CandidateModel::Rank && !std::is_sorted(order.begin(), order.end(), by_key)) {
    order = ordered();
  } else if (some) {
    std::vector<int> moved;
    for (const int row : rows)
      if (moves[static_cast<std::size_t>(row)] == 1 && shown_[static_cast<std::size_t>(row)] == 1) moved.push_back(row);
    std::sort(moved.begin(), moved.end(), by_key);
    const auto kept = static_cast<std::ptrdiff_t>(order.size());
    order.insert(order.end(), moved.begin(), moved.end());
    std::inplace_merge(order.begin(), order.begin() + kept, order.end(), by_key);
  }
  if (order.size() != order_.size() || order != order_) {
    take_order(std::move(order));
  } else {
    if (grown) place();  // none of the new ones is shown
    say_changed(rows, ranks);
  }
  if (other_rows) emit filtered();
}

void CandidateFilter::say_changed(const std::vector<int>& rows, bool all) {
  int low = all ? 0 : rowCount(), high = all ? rowCount() - 1 : -1;
  if (!all) {
    for (const int row : rows) {
      const int at = place_[static_cast<std::size_t>(row)];
      if (at < 0) continue;
      low = std::min(low, at);
      high = std::max(high, at);
    }
  }
  if (low <= high) emit dataChanged(index(low, 0), index(high, columnCount() - 1));
}

void CandidateFilter::take_order(std::vector<int> order) {
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList from = persistentIndexList();
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(from.size()));
  for (const QModelIndex& i : from) rows.push_back(order_[static_cast<std::size_t>(i.row())]);
  order_ = std::move(order);
  place();
  QModelIndexList to;
  to.reserve(from.size());
  for (qsizetype i = 0; i < from.size(); ++i) {
    const int at = place_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
    to.append(at < 0 ? QModelIndex() : createIndex(at, from[i].column()));
  }
  changePersistentIndexList(from, to);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

QModelIndex CandidateFilter::index(int row, int column, const QModelIndex& parent) const {
  return parent.isValid() || row < 0 || row >= rowCount() || column < 0 || column >= columnCount()
             ? QModelIndex()
             : createIndex(row, column);
}

int CandidateFilter::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !model_ ? 0 : CandidateModel::ColumnCount;
}

QModelIndex CandidateFilter::mapToSource(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  return model_->index(order_[static_cast<std::size_t>(index.row())], index.column());
}

QModelIndex CandidateFilter::mapFromSource(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= static_cast<int>(place_.size())) return {};
  const int at = place_[static_cast<std::size_t>(index.row())];
  return at < 0 ? QModelIndex() : createIndex(at, index.column());
}

QVariant CandidateFilter::headerData(int section, Qt::Orientation orientation, int role) const {
  return model_ && orientation == Qt::Horizontal ? model_->headerData(section, orientation, role) : QVariant();
}

}  // namespace ww::widgets
