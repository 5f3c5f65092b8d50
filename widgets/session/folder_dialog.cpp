// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/folder_dialog.h"
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>

namespace ww::widgets {

FolderDialog::FolderDialog(QWidget* parent, const QString& title, const QString& within, const QString& name)
    : QFileDialog(parent, title, within) {
  setObjectName("folder_dialog");
  setOption(DontUseNativeDialog);  // those of some desktops take only what is there
  setFileMode(Directory);
  setOption(ShowDirsOnly);
  setLabelText(FileName, tr("&Folder:"));
  setLabelText(FileType, tr("Shown:"));
  setLabelText(Accept, tr("&Choose"));
  if (!name.isEmpty()) selectFile(name);
  auto* edit = findChild<QLineEdit*>("fileNameEdit");
  const auto* box = findChild<QDialogButtonBox*>();
  if (!edit || !box) return;
  const auto allow = [edit, box] {  // after the dialog's own answer, which wants a folder that is there
    if (QPushButton* choose = box->button(QDialogButtonBox::Open)) choose->setEnabled(!edit->text().isEmpty());
  };
  connect(edit, &QLineEdit::textChanged, this, allow, Qt::QueuedConnection);
}

void FolderDialog::accept() {
  const QStringList typed = selectedFiles();
  if (typed.size() != 1) return;
  const QFileInfo folder(typed.first());
  if (folder.exists() && !folder.isDir()) return QFileDialog::accept();  // it says what is wrong
  chosen_ = QDir::cleanPath(folder.absoluteFilePath());
  QDialog::accept();  // NOLINT(bugprone-parent-virtual-call): the other refuses a folder that is not there yet
}

}  // namespace ww::widgets
