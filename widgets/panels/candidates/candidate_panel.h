// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates: live, sortable, filterable. Its current row is the window's selected candidate, and remains
// so while a filter hides it.
#pragma once
#include <QWidget>
#include "session/models/candidate_filter.h"
#include "session/models/candidate_model.h"
#include "session/context.h"

class QComboBox;
class QStackedLayout;
class QTableView;
class QTimer;

namespace ww::widgets {

class Label;
class CandidateActions;
class CandidateColumns;
class CandidateTable;
class ElideLabel;
class Marks;
class QueryEdit;
class ResultReason;

class CandidatePanel : public QWidget {
  Q_OBJECT
 public:
  explicit CandidatePanel(QWidget* parent = nullptr);
  void connect_to(const Context& context);  // marks, comparison and their actions; call once
  CandidateModel* model() const { return model_; }
  CandidateFilter* filter() const { return filter_; }
  QTableView* table() const;
  const CandidateColumns* columns() const { return columns_; }
  Marks* marks() const { return marks_; }             // null before connect_to
  std::int64_t selected() const { return current_; }  // 0: none
  QList<std::int64_t> selected_all() const;           // of all visible selected rows, including the current one
  void select(std::int64_t candidate);                // also if its row has not arrived yet
  // selected by show_best(), not by the user
  bool shows_best() const { return current_ != 0 && current_ == shown_best_; }
  void keep_selected() { shown_best_ = 0; }  // the person works with it: a better one does not replace it
  void show_best();                          // selects it, unless the user has selected another one
  // The verdict of the user's own candidate has come: the same, and unless it is proved it stays selected.
  void show_own(std::int64_t candidate);
  void show_title(const QString& text);      // of the run
  void show_empty(const QString& sentence);  // shown while there are no rows
  void focus_filter();
  QString filter_text() const;
  int shown_states() const;  // the place in the list of verdicts
  void set_filter(const QString& text, int states);
  void choose_columns();
  QByteArray save_header() const;
  void restore_header(const QByteArray& state);

 signals:
  void describe_wanted();
  void progress_wanted();
  void candidate_selected(std::int64_t candidate);              // 0: none
  void candidate_opened(std::int64_t candidate);                // Return or double click
  void keep_wanted(const QList<std::int64_t>& candidates);      // open in tabs
  void diff_wanted(std::int64_t candidate, std::int64_t with);  // dropped onto it, or chosen in the menu
  void problem(const QString& text);
  void columns_reset();  // to their widths at a zoom of 100 %

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void make_bar();
  void make_table();
  void reset_columns();
  void show_header_menu(const QPoint& at);
  void update_pages();
  void set_running(bool running);              // the shown result may change
  void look_at_spec(const std::string& spec);  // of the shown run
  void show_result();
  void show_current(int left);
  void keep_in_sight();
  void follow_filter();
  void show_no_match();
  bool is_first(std::int64_t candidate) const;
  void follow_row();
  void notice(const QString& sentence, const char* role);
  void go_to(int row);
  CandidateModel* model_;
  CandidateFilter* filter_;
  CandidateActions* actions_ = nullptr;
  Marks* marks_ = nullptr;
  ResultReason* reason_ = nullptr;
  bool running_ = false;
  std::string spec_;
  QString unconfirmed_;  // empty: the spec is confirmed
  CandidateTable* table_;
  CandidateColumns* columns_;
  ElideLabel* title_;
  Label *counts_, *empty_, *notice_, *result_;
  class BestChart* best_;
  class EmptyPage *no_run_, *no_match_;
  QueryEdit* query_;
  QComboBox* state_;
  QStackedLayout* pages_;
  QTimer* notice_ends_;
  std::int64_t wanted_ = 0, current_ = 0, shown_best_ = 0;
  int current_row_ = 0;  // last known row of the current candidate
  bool current_in_sight_ = false;
};

}  // namespace ww::widgets
