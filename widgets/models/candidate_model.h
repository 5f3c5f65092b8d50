// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates of one run as a table. Fed by events; rows keep their order of arrival, the filter model sorts.
#pragma once
#include <QAbstractTableModel>
#include <QHash>
#include <QSet>
#include <vector>
#include "session/session.h"

namespace ww::widgets {

class CandidateModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Rank, Name, Verdict, Score, Registers, Shared, Occupancy, Parent, Generator, ColumnCount };
  enum Role { SortRole = Qt::UserRole + 1, IdRole, StateRole, FractionRole };
  struct Row {
    explore::CandidateRow data;
    rpc::Progress progress;            // while judging
    std::optional<Annotation> annotation;
  };

  explicit CandidateModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  void clear();
  void reset(const std::vector<explore::CandidateRow>& rows);
  void apply(const std::vector<explore::Event>& events);
  void annotate(const std::vector<Annotation>& annotations);

  const std::vector<Row>& rows() const { return rows_; }
  int row_of(std::int64_t id) const { return by_id_.value(id, -1); }
  const Row* find_hash(const std::string& hash) const;
  int accepted() const;
  int judged() const;                  // duplicates, whose verdict is another's, are not
  int structures() const;              // distinct ones among the accepted
  static QString name_of(const explore::CandidateRow& row);

 private:
  void upsert(const explore::CandidateRow& row, std::vector<explore::CandidateRow>& fresh, QSet<int>& changed);
  void append(std::vector<explore::CandidateRow>& fresh);
  QVariant text(const Row& row, int column) const;
  QVariant sort_key(const Row& row, int column) const;
  QString tooltip(const Row& row, int column) const;
  QString parent_text(const Row& row) const;
  std::vector<Row> rows_;
  QHash<std::int64_t, int> by_id_;
  QHash<QString, int> by_hash_;
  QString score_unit_, score_provenance_;
};

}  // namespace ww::widgets
