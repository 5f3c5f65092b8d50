// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/store_watch.h"
#include <QDir>

namespace ww::widgets {

StoreWatch::StoreWatch(QObject* parent) : QObject(parent) {
  settled_.setSingleShot(true);
  settled_.setInterval(400);
  const auto later = [this] {
    if (!settled_.isActive()) settled_.start();
  };
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, later);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, later);  // the log of writes comes and goes
  connect(&settled_, &QTimer::timeout, this, [this] {
    add_files();
    emit written();
  });
}

void StoreWatch::watch(const QString& folder) {
  settled_.stop();
  if (const QStringList before = watcher_.files() + watcher_.directories(); !before.isEmpty())
    watcher_.removePaths(before);
  folder_ = folder;
  watcher_.addPath(folder_);
  add_files();
}

void StoreWatch::add_files() {
  for (const char* name : {"workspace.sqlite", "workspace.sqlite-wal"}) {
    const QString file = QDir(folder_).filePath(name);
    if (QFile::exists(file) && !watcher_.files().contains(file)) watcher_.addPath(file);
  }
}

}  // namespace ww::widgets
