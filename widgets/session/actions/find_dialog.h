// SPDX-License-Identifier: GPL-3.0-or-later
// Find everywhere: searches candidates, ops, runs, exchanges and the log. It stays open beside the window; Return goes
// to a result.
#pragma once
#include <QDialog>
#include <atomic>
#include <memory>
#include "session/actions/find_text.h"
#include "session/context.h"
#include "session/latest_job.h"

class QLineEdit;
class QTimer;
class QTreeWidget;

namespace ww::widgets {

class ElideLabel;
class LogModel;

class FindDialog : public QDialog {
  Q_OBJECT
 public:
  FindDialog(const Context& context, const LogModel* log, QWidget* parent);
  ~FindDialog() override;
  void focus_words();

 signals:
  void chosen(const ww::widgets::Found& found);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void search();
  void show_result(const FindResult& result, const QString& words);
  void go();
  Context context_;
  const LogModel* log_;
  QLineEdit* words_;
  ElideLabel* sentence_;
  QTreeWidget* list_;
  QTimer* delay_;
  std::vector<Found> found_;
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  LatestJob job_;
};

}  // namespace ww::widgets
