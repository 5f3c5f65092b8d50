// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/file_types.h"
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QHeaderView>
#include <QTreeView>

namespace ww::widgets {
namespace {

class FileTypes : public QFileIconProvider {
 public:
  QIcon icon(const QFileInfo& info) const override {
    return QFileIconProvider::icon(info.isDir() ? IconType::Folder : IconType::File);
  }
  QIcon icon(IconType type) const override { return QFileIconProvider::icon(type); }
  QString type(const QFileInfo& info) const override {
    if (info.isDir()) return QCoreApplication::translate("files", "Folder");
    const QString suffix = info.suffix();
    return suffix.isEmpty() ? QCoreApplication::translate("files", "File")
                            : QCoreApplication::translate("files", "%1 file").arg(suffix);
  }
};

}  // namespace

QFileIconProvider* file_types() {
  static FileTypes one;
  return &one;
}

void set_up(QFileDialog& dialog) {
  dialog.setIconProvider(file_types());
  auto* files = dialog.findChild<QTreeView*>("treeView");
  if (!files) return;  // a dialog of the desktop
  files->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  files->header()->setSectionResizeMode(0, QHeaderView::Stretch);
}

}  // namespace ww::widgets
