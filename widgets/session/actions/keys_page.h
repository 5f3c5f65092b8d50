// SPDX-License-Identifier: GPL-3.0-or-later
// The settings page for shortcuts: shows and changes each action's key.
#pragma once
#include <QWidget>

class QKeySequenceEdit;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace ww::widgets {

class Label;
class Registry;

class KeysPage : public QWidget {
  Q_OBJECT
 public:
  explicit KeysPage(Registry* registry, QWidget* parent = nullptr);
  void set_filter(const QString& words);

 private:
  void fill();
  void show_action();
  void assign();
  QString selected() const;
  Registry* registry_;
  QLineEdit* words_;
  QTreeWidget* tree_;
  QKeySequenceEdit* key_;
  Label *name_, *conflict_;
  QPushButton *set_, *none_, *reset_, *reset_all_;
};

}  // namespace ww::widgets
