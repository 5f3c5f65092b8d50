// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates: live, sortable, filterable. Its current row is the window's selected candidate.
#pragma once
#include <QWidget>
#include "models/candidate_filter.h"
#include "models/candidate_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedLayout;
class QTableView;

namespace ww::widgets {

class ElideLabel;

class CandidatePanel : public QWidget {
  Q_OBJECT
 public:
  explicit CandidatePanel(QWidget* parent = nullptr);
  CandidateModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  std::int64_t selected() const;                 // 0: none
  void select(std::int64_t candidate);           // waits for a row that is not there yet
  void show_title(const QString& text);          // of the run
  void show_empty(const QString& sentence);      // shown while there is no row
  void focus_filter();
  QByteArray save_header() const;
  void restore_header(const QByteArray& state);

 signals:
  void candidate_selected(std::int64_t candidate);  // 0: none
  void candidate_opened(std::int64_t candidate);    // Return or double click

 private:
  void update_pages();
  void selection_changed();
  CandidateModel* model_;
  CandidateFilter* filter_;
  QTableView* table_;
  ElideLabel* title_;
  QLabel *counts_, *empty_;
  QLineEdit* words_;
  QComboBox* state_;
  QStackedLayout* pages_;
  std::int64_t wanted_ = 0, reported_ = 0;
};

}  // namespace ww::widgets
