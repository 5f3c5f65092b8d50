// SPDX-License-Identifier: GPL-3.0-or-later
// Notices writes to a workspace's store by any program; several writes at once count as one change. GUI thread.
#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace ww::widgets {

class StoreWatch : public QObject {
  Q_OBJECT
 public:
  explicit StoreWatch(QObject* parent = nullptr);
  void watch(const QString& folder);  // replaces the one before

 signals:
  void written();

 private:
  void add_files();
  QString folder_;
  QFileSystemWatcher watcher_;
  QTimer settled_;
};

}  // namespace ww::widgets
