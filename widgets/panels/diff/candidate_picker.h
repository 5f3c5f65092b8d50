// SPDX-License-Identifier: GPL-3.0-or-later
// A button that shows one candidate and opens a list: the compared ones, possibly of other runs, then all of the run,
// with a search box.
#pragma once
#include <QSortFilterProxyModel>
#include <QToolButton>
#include "session/context.h"

class QLineEdit;
class QListView;

namespace ww::widgets {

class CandidatePicker : public QToolButton {
  Q_OBJECT
 public:
  CandidatePicker(const Context& context, const QString& what,
                  QWidget* parent = nullptr);                        // what: "left side", for screen readers
  void show_candidate(std::int64_t candidate, const QString& name);  // 0: none; without a name it asks for one
  void open();
  QLineEdit* words() const { return words_; }
  QListView* list() const { return list_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void picked(std::int64_t candidate);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
  void fill_compared();
  void pick_id(std::int64_t candidate);
  void pick(const QModelIndex& index);
  Context context_;
  CandidateModel* model_;
  QString what_, name_;
  std::int64_t candidate_ = 0;
  QWidget *popup_, *compared_;
  QLineEdit* words_;
  QListView* list_;
  class PickerModel* rows_;
};

}  // namespace ww::widgets
