// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include "session/models/run_model.h"

class QStackedLayout;
class QTableView;

namespace ww::widgets {

class RunsPanel : public QWidget {  // the workspace's history
  Q_OBJECT
 public:
  explicit RunsPanel(QWidget* parent = nullptr);
  void set_runs(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live);
  void set_shown(std::int64_t run);
  RunModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  std::int64_t selected() const;  // 0: none

 signals:
  void run_chosen(std::int64_t run);
  void delete_wanted(std::int64_t run);
  void describe_wanted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update_page();
  void fit_columns();
  RunModel* model_;
  QTableView* table_;
  std::int64_t shown_ = 0;
  QStackedLayout* pages_;
};

}  // namespace ww::widgets
