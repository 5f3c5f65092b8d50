// SPDX-License-Identifier: GPL-3.0-or-later
// Long work that is not a run, in the status bar: how much of it is done and the time left where both are known, else
// how long it has been going on. Of several, the one that began last. GUI thread only.
#pragma once
#include <QElapsedTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>
#include "session/work.h"

class QProgressBar;
class QTimer;
class QToolButton;

namespace ww::widgets {

class Bundles;
class ElideLabel;
class Measurer;
class Reviewer;
class Session;

class WorkStatus : public QWidget {
  Q_OBJECT
 public:
  explicit WorkStatus(QWidget* parent = nullptr);
  void follow(Measurer* measurer);
  void follow(Session* session);  // the judgement of drafts
  void follow(Reviewer* reviewer);
  void follow(Bundles* bundles);
  QString text() const;

 signals:
  void changed();  // it came, or went

 private:
  struct Task {
    Work work;
    QElapsedTimer since;
    std::optional<double> fraction;  // of the work that is done
    QString step;
    std::function<void()> cancel;  // none: it cannot be cancelled
  };
  Task* find(Work work);
  void begin(Work work, std::function<void()> cancel = {});
  void report(Work work, double fraction, const QString& step);
  void end(Work work);
  void set_going(Work work, bool going, std::function<void()> cancel = {});
  void show_newest();
  std::vector<Task> tasks_;  // in order of their beginning
  QProgressBar* progress_;
  ElideLabel* text_;
  QToolButton* cancel_;
  QTimer* tick_;
};

}  // namespace ww::widgets
