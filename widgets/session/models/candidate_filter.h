// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts and filters at least 100,000 candidates. Keys of the sorted column are in a plain vector; a change moves only
// the rows that changed. Equal keys are in order of arrival; missing ones come last in either direction. A changed row
// moves at once, unless the order is held.
#pragma once
#include <QAbstractProxyModel>
#include <string>
#include <vector>
#include "session/models/candidate_model.h"
#include "session/models/candidate_query.h"

namespace ww::widgets {

class CandidateFilter : public QAbstractProxyModel {
  Q_OBJECT
 public:
  explicit CandidateFilter(QObject* parent = nullptr) : QAbstractProxyModel(parent) {}
  void setSourceModel(QAbstractItemModel* model) override;  // a CandidateModel
  void set_query(const ParsedQuery& query);                 // without an error
  void set_words(const QString& words);                     // as a query; one with an error changes nothing
  void set_state(const QString& state);                     // empty: all; "open": queued or judging
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
  int sorted_by() const { return column_; }
  Qt::SortOrder sorted_way() const { return way_; }
  int hidden_in_trash() const { return in_trash_; }
  // While it is held, changed rows keep their places and new ones are added at the end. What the person asks for (a
  // query, an order, the trash, a mark that the query names) still comes at once.
  void hold(bool on);
  bool held() const { return held_; }
  int held_new() const { return held_new_; }           // rows added at the end
  bool held_changes() const { return held_changes_; }  // rows will move when the order is no longer held

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex&) const override { return {}; }
  QModelIndex sibling(int row, int column, const QModelIndex&) const override { return index(row, column); }
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override { return !parent.isValid() && !order_.empty(); }
  QModelIndex mapToSource(const QModelIndex& index) const override;
  QModelIndex mapFromSource(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void filtered();      // visible rows, or those in the trash, may have changed
  void held_changed();  // held_new() or held_changes()

 private:
  void rebuild();  // everything, without signals
  void rebuild_keys();
  void refilter();
  void update(const std::vector<int>& rows, CandidateModel::Change change);
  void update_held(const std::vector<int>& rows, CandidateModel::Change change);
  void set_held(int added, bool changes);
  void say_changed(const std::vector<int>& rows, bool all);
  void take_keys(int row);
  bool accepts(int row);  // and records what the trash hides
  bool before(int a, int b) const;
  std::vector<int> ordered() const;
  void take_order(std::vector<int> order);
  void place();

  CandidateModel* model_ = nullptr;
  ParsedQuery query_;
  std::string state_;
  int column_ = 0;
  Qt::SortOrder way_ = Qt::AscendingOrder;
  std::vector<double> numbers_;  // keys of the source's rows, smaller first; of a column that sorts by text:
  std::vector<std::string> texts_;
  std::vector<signed char> shown_;  // by source row: 1 shown, 0 not, -1 hidden by the trash
  std::vector<int> order_, place_;  // source row of each row; row of each source row, -1
  int in_trash_ = 0, held_new_ = 0;
  bool held_ = false, held_changes_ = false;
};

}  // namespace ww::widgets
