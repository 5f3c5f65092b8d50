// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the order of a table of candidates while somebody is about to act on a row: the pointer is over the table,
// something is dragged over it, or the keyboard moves in it. A note in the table's corner says what waits. GUI thread.
#pragma once
#include <QObject>
#include <QPointer>
#include "parts/theme/label.h"
#include "session/models/candidate_filter.h"

class QTableView;

namespace ww::widgets {

class OrderHold : public QObject {
  Q_OBJECT
 public:
  OrderHold(QTableView* table, CandidateFilter* filter);

 signals:
  void released();  // the rows are in order again

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void table_event(QEvent* event);
  void leave();
  void look();
  void say();
  void place();
  QTableView* table_;
  QPointer<CandidateFilter> filter_;  // this and the note may be deleted before the table, which still has events then
  QPointer<Label> note_;
  bool pointer_ = false, dragged_ = false, keys_ = false;
};

}  // namespace ww::widgets
