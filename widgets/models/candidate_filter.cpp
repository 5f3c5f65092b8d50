// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/candidate_filter.h"
#include <algorithm>
#include "models/candidate_model.h"

namespace ww::widgets {

CandidateFilter::CandidateFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(CandidateModel::SortRole);
  setDynamicSortFilter(true);
}

void CandidateFilter::set_words(const QString& words) {
  words_ = words.toLower().split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

void CandidateFilter::set_state(const QString& state) {
  state_ = state;
  invalidateFilter();
}

bool CandidateFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex first = sourceModel()->index(row, 0, parent);
  const QString state = first.data(CandidateModel::StateRole).toString();
  if (state_ == "open" ? state != "queued" && state != "judging" : !state_.isEmpty() && state != state_) return false;
  if (words_.isEmpty()) return true;
  QString all;
  for (const int column : {CandidateModel::Name, CandidateModel::Verdict, CandidateModel::Parent, CandidateModel::Generator})
    all += sourceModel()->index(row, column, parent).data(Qt::DisplayRole).toString().toLower() + " ";
  all += sourceModel()->index(row, CandidateModel::Name, parent).data(Qt::ToolTipRole).toString().toLower();
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) { return all.contains(word); });
}

bool CandidateFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(CandidateModel::SortRole), b = right.data(CandidateModel::SortRole);
  if (a.userType() == QMetaType::Double) {
    const bool no_a = a.toDouble() >= 1e15, no_b = b.toDouble() >= 1e15;  // missing numbers stay below, whichever way is up
    if (no_a != no_b) return (sortOrder() == Qt::AscendingOrder) == no_b;
    if (a.toDouble() != b.toDouble()) return a.toDouble() < b.toDouble();
  } else if (const int order = QString::localeAwareCompare(a.toString(), b.toString()); order != 0) {
    return order < 0;
  }
  return left.data(CandidateModel::IdRole).toLongLong() < right.data(CandidateModel::IdRole).toLongLong();
}

}  // namespace ww::widgets
