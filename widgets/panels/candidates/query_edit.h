// SPDX-License-Identifier: GPL-3.0-or-later
// The filter field: completes names and values, and shows errors below; while there is an error, the last valid filter
// stays in force.
#pragma once
#include <QLineEdit>
#include <functional>
#include "session/models/candidate_query.h"

class QCompleter;
class QStringListModel;
class QTimer;

namespace ww::widgets {

class QueryEdit : public QLineEdit {
  Q_OBJECT
 public:
  explicit QueryEdit(QWidget* parent = nullptr);
  QCompleter* completer_of_words() const { return completer_; }
  // the tags in use, for completion after "tag:"
  void set_tags(std::function<QStringList()> tags) { tags_ = std::move(tags); }
  void set_delay(int ms) { delay_ = ms; }  // from a key press to the query
  QString problem() const { return problem_; }

 signals:
  void query_changed(const ww::widgets::ParsedQuery& query);  // without an error
  void problem_changed(const QString& sentence);              // empty: valid

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void read();
  void say(const QString& sentence);
  void offer();
  void complete(const QString& word);
  int word_begin() const;  // start of the word before the cursor
  QCompleter* completer_;
  QStringListModel* words_;
  QTimer *wait_, *patience_;  // patience: an incomplete word is not reported as an error at once
  std::function<QStringList()> tags_;
  QString problem_, pending_;
  int delay_ = 0;
};

}  // namespace ww::widgets
