// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/file_dialogs.h"
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include "session/file_types.h"
#include "session/folder_dialog.h"

namespace ww::widgets {

namespace {
constexpr std::pair<FileKind, const char*> file_kinds[] = {
    {FileKind::input, "folders/input"},   {FileKind::bundle, "folders/bundle"},  {FileKind::receipt, "folders/receipt"},
    {FileKind::chart, "folders/chart"},   {FileKind::kernel, "folders/kernel"},  {FileKind::toolkit, "folders/toolkit"},
    {FileKind::moment, "folders/moment"}, {FileKind::lessons, "folders/lessons"}};

QString ask(QFileDialog& dialog) {
  set_up(dialog);
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

}  // namespace

FileDialogs& FileDialogs::instance() {
  static FileDialogs one;
  return one;
}

QString FileDialogs::folder(FileKind kind) const {
  const QString last = folders_.value(kind);
  if (!last.isEmpty() && QFileInfo(last).isDir()) return last;
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

QString FileDialogs::remember(FileKind kind, const QString& file) {
  if (!file.isEmpty()) folders_[kind] = QFileInfo(file).absolutePath();
  return file;
}

QString FileDialogs::open(QWidget* parent, FileKind kind, const QString& title, const QString& filter) {
  QFileDialog dialog(parent, title, folder(kind), filter);
  dialog.setFileMode(QFileDialog::ExistingFile);
  return remember(kind, ask(dialog));
}

QString FileDialogs::save(QWidget* parent, FileKind kind, const QString& title, const QString& name,
                          const QString& filter) {
  QFileDialog dialog(parent, title, folder(kind), filter);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setFileMode(QFileDialog::AnyFile);
  dialog.selectFile(name);
  return remember(kind, ask(dialog));
}

QString FileDialogs::new_folder(QWidget* parent, FileKind kind, const QString& title, const QString& name) {
  FolderDialog dialog(parent, title, folder(kind), name);
  return dialog.exec() == QDialog::Accepted ? remember(kind, dialog.chosen()) : QString();
}

QString FileDialogs::choose_folder(QWidget* parent, FileKind kind, const QString& title) {
  QFileDialog dialog(parent, title, folder(kind));
  dialog.setFileMode(QFileDialog::Directory);
  dialog.setOption(QFileDialog::ShowDirsOnly);
  return remember(kind, ask(dialog));
}

void FileDialogs::store(QSettings& settings) const {
  for (const auto& [kind, key] : file_kinds)
    if (folders_.contains(kind)) settings.setValue(key, folders_.value(kind));
}

void FileDialogs::restore(const QSettings& settings) {
  folders_.clear();
  for (const auto& [kind, key] : file_kinds)
    if (const QString last = settings.value(key).toString(); !last.isEmpty()) folders_[kind] = last;
}

}  // namespace ww::widgets
