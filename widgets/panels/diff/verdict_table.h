// SPDX-License-Identifier: GPL-3.0-or-later
// The verdicts on two candidates, stage by stage and case by case.
#pragma once
#include <QWidget>
#include <vector>
#include "diff/verdicts.h"

class QCheckBox;
class QTreeWidget;

namespace ww::widgets {

class Label;

class VerdictTable : public QWidget {
  Q_OBJECT
 public:
  explicit VerdictTable(QWidget* parent = nullptr);
  void set_rows(std::vector<diff::VerdictRow> rows);
  QTreeWidget* tree() const { return tree_; }

 signals:
  void line_activated(bool right, int line);

 private:
  void refill();
  std::vector<diff::VerdictRow> rows_;
  QCheckBox* differing_;
  Label* counts_;
  QTreeWidget* tree_;
};

}  // namespace ww::widgets
