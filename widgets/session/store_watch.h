// SPDX-License-Identifier: GPL-3.0-or-later
// Notices that the files of a workspace's store were written, by whatever program: several writes at once are one
// change. GUI thread.
#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace ww::widgets {

class StoreWatch : public QObject {
  Q_OBJECT
 public:
  explicit StoreWatch(QObject* parent = nullptr);
  void watch(const QString& folder);  // instead of the one before

 signals:
  void written();

 private:
  void add_files();
  QString folder_;
  QFileSystemWatcher watcher_;
  QTimer settled_;
};

}  // namespace ww::widgets
