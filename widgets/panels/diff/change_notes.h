// SPDX-License-Identifier: GPL-3.0-or-later
// Comments on changes: those on the right candidate, and a box to add one to a change. They are notes of its review, by
// line; adding one is a decision that can be undone.
#pragma once
#include <QWidget>
#include <vector>
#include "store/workspace.h"

class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace ww::widgets {

class Label;

class ChangeNotes : public QWidget {
  Q_OBJECT
 public:
  explicit ChangeNotes(QWidget* parent = nullptr);
  void set_notes(const std::vector<store::ReviewRecord>& notes);
  void set_target(int line, const QString& name,
                  const QString& why_not);  // where a comment would go; line 0: nowhere, with the reason
  void begin();                             // moves the cursor into the box
  void ended(bool stored);                  // saving has ended: clears the box, or keeps the text
  QListWidget* list() const { return list_; }
  QPlainTextEdit* box() const { return box_; }
  QPushButton* save() const { return save_; }
  int line() const { return line_; }

 signals:
  void save_wanted(int line, const QString& text);
  void line_activated(int line);

 private:
  void update_save();
  Label *where_, *none_;
  QListWidget* list_;
  QPlainTextEdit* box_;
  QPushButton* save_;
  int line_ = 0;
  bool saving_ = false;
};

}  // namespace ww::widgets
