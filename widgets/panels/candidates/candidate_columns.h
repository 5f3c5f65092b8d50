// SPDX-License-Identifier: GPL-3.0-or-later
// The columns that the table of candidates shows. Until the person chooses, the least important hide where the table
// has no room for them, and come back in a wider one. GUI thread only.
#pragma once
#include <QObject>

class QHeaderView;

namespace ww::widgets {

class CandidateTable;

class CandidateColumns : public QObject {
  Q_OBJECT
 public:
  explicit CandidateColumns(CandidateTable* table);
  QHeaderView* header() const;
  void reset();                         // to the first ones, at a zoom of 100 %
  void choose(int column, bool shown);  // by the person: from now on none hides by itself
  void offer(int column);               // it has something to show now
  void prefer(int column, bool on);     // it hides after the others
  bool no_room(int column) const { return without_room_.contains(column); }  // hidden for that alone
  QString title(int column) const;                                           // also says whether it has no room
  QByteArray save() const;
  void restore(const QByteArray& state);

 signals:
  void changed();  // which have no room

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  bool differ_from_first() const;
  CandidateTable* table_;
  QList<int> without_room_;
  QList<int> widened_;  // by the person: they stay
  QList<int> preferred_;
  bool chosen_ = false, fitting_ = false, dragging_ = false;
};

}  // namespace ww::widgets
