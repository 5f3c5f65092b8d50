// SPDX-License-Identifier: GPL-3.0-or-later
// File dialogs that open in the folder where the user last chose a file of that kind, initially in their documents. GUI
// thread.
#pragma once
#include <QHash>
#include <QString>

class QSettings;
class QWidget;

namespace ww::widgets {

enum class FileKind { input, bundle, receipt, chart, kernel, toolkit, moment, lessons };

class FileDialogs {
 public:
  static FileDialogs& instance();
  // The chosen file; empty: none.
  QString open(QWidget* parent, FileKind kind, const QString& title, const QString& filter);
  QString save(QWidget* parent, FileKind kind, const QString& title, const QString& name, const QString& filter = {});
  QString new_folder(QWidget* parent, FileKind kind, const QString& title, const QString& name);
  QString choose_folder(QWidget* parent, FileKind kind, const QString& title);
  QString folder(FileKind kind) const;  // where the next one opens

  void store(QSettings& settings) const;
  void restore(const QSettings& settings);

 private:
  QString remember(FileKind kind, const QString& file);  // returns the file
  QHash<FileKind, QString> folders_;
};

}  // namespace ww::widgets
