// SPDX-License-Identifier: GPL-3.0-or-later
// What a panel shows while it has nothing else: an icon, a sentence and, where one helps, an action.
#pragma once
#include <QMap>
#include <QWidget>
#include <functional>
#include <vector>
#include "parts/theme/link_list.h"

class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  EmptyPage(const char* icon, const QString& sentence, QWidget* parent);
  Label* sentence() const { return sentence_; }
  void offer(const QString& text, std::function<void()> run);  // one action; a second one replaces it
  // Below the action, as far as there is room; none: hidden. Others of the same title replace them.
  void show_links(const QString& title, const std::vector<EmptyLink>& links);
  void set_busy(bool busy);  // what the sentence says is being done: a moving bar instead of the icon
  QPushButton* action() const { return action_; }  // hidden where none is offered

 private:
  Label *icon_, *sentence_;
  QVBoxLayout* column_;
  QMap<QString, LinkList*> lists_;  // by title
  QPushButton* action_;
  QProgressBar* bar_;
  std::function<void()> run_;
};

}  // namespace ww::widgets
