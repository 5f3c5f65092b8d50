// SPDX-License-Identifier: GPL-3.0-or-later
// Screenshots of the window: every workspace of docks, every panel in front, the dialogs, in several themes. For the
// docs, and for inspecting changes.
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

class QTimer;

namespace ww::widgets {
class MainWindow;
}

namespace ww::workbench {

class Screenshots : public QObject {
  Q_OBJECT
 public:
  // Starts once the window has settled; pictures go to `folder`, which is created. `finished` is called once, with the
  // number of pictures written and the failures.
  Screenshots(widgets::MainWindow& window, const QString& folder);

 signals:
  void finished(int written, const QStringList& problems);

 private:
  struct Shot {
    QString name;
    std::function<void()> prepare, after;
    bool dialog = false;  // the topmost other window instead of the main one
  };
  void plan();
  void look();
  void take(const Shot& shot);
  widgets::MainWindow& window_;
  QString folder_;
  QTimer* timer_;
  std::vector<Shot> shots_;
  std::size_t next_ = 0;
  int quiet_ = 0, written_ = 0;  // quiet_: consecutive checks without activity
  bool prepared_ = false;
  QStringList problems_;
};

}  // namespace ww::workbench
