// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/file_types.h"
#include <QCoreApplication>
#include <QFileIconProvider>
#include <QFileInfo>

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

}  // namespace ww::widgets
