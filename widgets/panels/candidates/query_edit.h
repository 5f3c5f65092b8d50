// SPDX-License-Identifier: GPL-3.0-or-later
// The field of the filter's language: completes names and values, and says under itself what is wrong, while what was
// right stays in force.
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
  void set_tags(std::function<QStringList()> tags) { tags_ = std::move(tags); }  // in use, for completion after "tag:"
  void set_delay(int ms) { delay_ = ms; }                                        // between a key and the query
  QString problem() const { return problem_; }

 signals:
  void query_changed(const ww::widgets::ParsedQuery& query);  // without an error
  void problem_changed(const QString& sentence);              // empty: it is right

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void read();
  void say(const QString& sentence);
  void offer();
  void complete(const QString& word);
  int word_begin() const;  // of the word before the cursor
  QCompleter* completer_;
  QStringListModel* words_;
  QTimer *wait_, *patience_;  // patience: a word that is still being written is not called wrong at once
  std::function<QStringList()> tags_;
  QString problem_, pending_;
  int delay_ = 0;
};

}  // namespace ww::widgets
