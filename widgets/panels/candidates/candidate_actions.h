// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the selected candidates: measuring, marks, comparison, baseline, columns. The actions are in the registry;
// their single-key shortcuts work while the table has the focus.
#pragma once
#include <QObject>
#include "session/context.h"

class QAction;
class QMenu;

namespace ww::widgets {

class CandidatePanel;
class Marks;

class CandidateActions : public QObject {
  Q_OBJECT
 public:
  CandidateActions(const Context& context, Marks* marks, CandidatePanel* panel);
  QMenu* menu();  // for the selected rows; deletes itself on closing
  void compare(const QList<std::int64_t>& candidates, bool on);

 signals:
  void notice(const QString& sentence);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;  // a middle click on a row keeps it open

 private:
  QAction* add(const QString& id, const QString& text, const QKeySequence& key, const QString& icon,
               const QString& summary, std::function<void()> run);
  void toggle_pin();
  void toggle_trash();
  void toggle_compare();
  void add_comparison();
  void set_baseline();
  void show_diff(std::int64_t candidate, std::int64_t with);
  void edit_tags();
  void edit_note();
  void follow_selection();
  void add_measuring();
  void follow_measurer();  // enables the action, or sets the reason why not
  Context context_;
  Marks* marks_;
  CandidatePanel* panel_;
  QAction *pin_, *tag_, *note_, *trash_, *compare_, *baseline_, *columns_, *keep_, *clear_;
  struct Measuring {
    QAction* action;
    QString summary;  // while enabled
  };
  QList<Measuring> measuring_;
};

}  // namespace ww::widgets
