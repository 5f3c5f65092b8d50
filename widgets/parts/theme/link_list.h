// SPDX-License-Identifier: GPL-3.0-or-later
// Links below a title, as many of them as there is room for: it asks for no room of its own. GUI thread only.
#pragma once
#include <QWidget>
#include <functional>
#include <vector>

class QPushButton;

namespace ww::widgets {

class Label;

struct EmptyLink {
  QString text;
  std::function<void()> follow;
};

class LinkList : public QWidget {
  Q_OBJECT
 public:
  LinkList(const QString& title, QWidget* parent);
  void show_links(const std::vector<EmptyLink>& links);  // none: hidden
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  bool event(QEvent* event) override;

 private:
  void place();
  int row_height() const;
  Label* title_;
  std::vector<QPushButton*> buttons_;
  std::vector<EmptyLink> links_;
};

}  // namespace ww::widgets
