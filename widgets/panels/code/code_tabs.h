// SPDX-License-Identifier: GPL-3.0-or-later
// The open candidates as tabs: number, structure, state; the preview in italics. A double click keeps it, a middle
// click closes a tab; the rest is in the menu.
#pragma once
#include <QTabBar>
#include "panels/code/open_tabs.h"

class QMenu;

namespace ww::widgets {

class Edits;

class CodeTabs : public QTabBar {
  Q_OBJECT
 public:
  CodeTabs(const Context& context, OpenTabs* tabs, const Edits* edits, QWidget* parent = nullptr);
  std::int64_t candidate_at(int index) const;  // 0: none

 signals:
  void beside_wanted(std::int64_t candidate);

 protected:
  void paintEvent(QPaintEvent* event) override;
  QSize tabSizeHint(int index) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void fill();
  void fill_tab(int index);
  void add_close_button(int index);
  QString state_of(const OpenTab& tab) const;
  QString tip_of(const OpenTab& tab) const;
  QMenu* menu_of(std::int64_t candidate);
  Context context_;
  OpenTabs* tabs_;
  const Edits* edits_;
  bool filling_ = false;
};

}  // namespace ww::widgets
