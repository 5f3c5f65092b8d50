// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts and filters candidates: words in any column, and a state.
#pragma once
#include <QSortFilterProxyModel>

namespace ww::widgets {

class CandidateFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit CandidateFilter(QObject* parent = nullptr);
  void set_words(const QString& words);
  void set_state(const QString& state);  // empty: all; "open": queued or judging

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  QString state_;
};

}  // namespace ww::widgets
