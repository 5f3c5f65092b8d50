// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/folder_dialog.h"
#include <QDialogButtonBox>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "session/file_types.h"

namespace ww::widgets {

FolderDialog::FolderDialog(QWidget* parent, const QString& title, const QString& within, const QString& name)
    : QFileDialog(parent, title, within) {
  setObjectName("folder_dialog");
  setOption(DontUseNativeDialog);  // those of some desktops take only what is there
  setFileMode(Directory);
  setOption(ShowDirsOnly);
  set_up(*this);
  setLabelText(FileName, tr("&Folder:"));
  setLabelText(FileType, tr("Shown:"));
  setLabelText(Accept, tr("&Choose"));
  if (!name.isEmpty()) selectFile(name);
  edit_ = findChild<QLineEdit*>("fileNameEdit");
  if (const auto* box = findChild<QDialogButtonBox*>()) choose_ = box->button(QDialogButtonBox::Open);
  if (choose_) choose_->installEventFilter(this);
  if (edit_) {
    // The dialog selects folders that begin as the text does, and then writes their names in its place.
    disconnect(edit_, &QLineEdit::textChanged, nullptr, nullptr);
    connect(edit_, &QLineEdit::textChanged, this, &FolderDialog::allow, Qt::QueuedConnection);
  }
  allow();
}

void FolderDialog::allow() {
  if (edit_ && choose_ && !edit_->text().isEmpty()) choose_->setEnabled(true);
}

bool FolderDialog::eventFilter(QObject* object, QEvent* event) {
  if (object == choose_ && event->type() == QEvent::EnabledChange) allow();
  return QFileDialog::eventFilter(object, event);
}

void FolderDialog::accept() {
  // The dialog's own selectedFiles() takes quotes for a list of names.
  QString typed = edit_ ? edit_->text().trimmed() : selectedFiles().value(0);
  if (typed.isEmpty()) return;
  if (typed == "~" || typed.startsWith("~/")) typed.replace(0, 1, QDir::homePath());
  const QFileInfo folder(directory(), typed);
  if (folder.exists() && !folder.isDir()) {
    auto* box = with_id(new QMessageBox(QMessageBox::Information, windowTitle(),
                                        harmless(tr("%1 is a file.").arg(folder.fileName())), QMessageBox::Ok, this),
                        "not_a_folder");
    box->setInformativeText(tr("Choose a folder, or type the path of a new one."));
    box->setAttribute(Qt::WA_DeleteOnClose);
    return box->open();
  }
  chosen_ = QDir::cleanPath(folder.absoluteFilePath());
  QDialog::accept();  // NOLINT(bugprone-parent-virtual-call): the other refuses a folder that is not there yet
}

}  // namespace ww::widgets
