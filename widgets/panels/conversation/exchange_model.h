// SPDX-License-Identifier: GPL-3.0-or-later
// The requests to models of one run as a table: from the store, and live from events. Ordered by id.
#pragma once
#include <QAbstractTableModel>
#include <vector>
#include "explore/run.h"
#include "store/workspace.h"

namespace ww::widgets {

class ExchangeModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { What, Outcome, Tokens, Price, Time, Model, ColumnCount };
  struct Row {
    store::ExchangeRecord record;
    QString text, thinking;  // of a streaming reply
    QString waits;           // why it is waiting
  };
  explicit ExchangeModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  void clear();
  void merge(
      const std::vector<store::ExchangeRecord>& records);  // from the store; streaming rows keep their partial text
  // True: one ended, so that the store has more data.
  bool apply(const std::vector<explore::Event>& events);

  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(std::int64_t exchange) const;
  int row_of(std::int64_t exchange) const;
  std::int64_t of_candidate(const std::string& hash) const;  // the exchange that produced it; 0: none
  llm::Spend spend() const;                                  // of all rows, without limits
  // The row whose reply grew with the last apply(), and the new text, for a view that shows it.
  struct Growth {
    std::int64_t exchange;
    llm::Delta delta;
  };
  const std::vector<Growth>& growth() const { return growth_; }

 private:
  std::vector<Row> rows_;
  std::vector<Growth> growth_;
};

QString money_text(double dollars);                           // "$0.03", "$0.0004", "$0"
QString money_text(const std::optional<double>& dollars);     // "price unknown"
QString wait_text(const llm::Awaiting& wait);                 // "HOST asks to wait: 0:04:10 left"
QString outcome_text(const store::ExchangeRecord& exchange);  // "candidate", "failed", "waiting for the reply"

}  // namespace ww::widgets
