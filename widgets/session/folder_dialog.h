// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses a folder: one that is there, or the path of one to be created.
#pragma once
#include <QFileDialog>

class QLineEdit;
class QPushButton;

namespace ww::widgets {

class FolderDialog : public QFileDialog {
  Q_OBJECT
 public:
  // Opens in `within`, with `name` typed.
  FolderDialog(QWidget* parent, const QString& title, const QString& within, const QString& name = {});
  QString chosen() const { return chosen_; }  // empty: none
  void accept() override;

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void allow();  // whatever is typed; the dialog's own answer wants a folder that is there

  QLineEdit* edit_ = nullptr;
  QPushButton* choose_ = nullptr;
  QString chosen_;
};

}  // namespace ww::widgets
