// SPDX-License-Identifier: GPL-3.0-or-later
// What a panel shows while it has nothing else: an icon, a sentence and, where one helps, an action.
#pragma once
#include <QWidget>
#include <functional>
#include <vector>

class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;

struct EmptyLink {
  QString text;
  std::function<void()> follow;
};

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  EmptyPage(const char* icon, const QString& sentence, QWidget* parent);
  Label* sentence() const { return sentence_; }
  void offer(const QString& text, std::function<void()> run);                  // one action; a second one replaces it
  void show_links(const QString& title, const std::vector<EmptyLink>& links);  // below the action; none: hidden
  void set_busy(bool busy);  // what the sentence says is being done: a moving bar instead of the icon
  QPushButton* action() const { return action_; }  // hidden where none is offered

 private:
  Label *icon_, *sentence_, *links_title_;
  QVBoxLayout* links_;
  QPushButton* action_;
  QProgressBar* bar_;
  std::function<void()> run_;
};

}  // namespace ww::widgets
