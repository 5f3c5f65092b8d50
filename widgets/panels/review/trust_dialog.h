// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include "session/review_view.h"

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace ww::widgets {

// Asks whose key made a signature. Shows its digits, words and picture, asks to compare them over another channel, and
// asks for the owner's name. Confirming requires that the user has compared them.
class TrustDialog : public QDialog {
  Q_OBJECT
 public:
  TrustDialog(const SignatureView& signature, QWidget* parent);
  QString name() const;

 private:
  void update_confirm();
  QLineEdit* name_;
  QCheckBox* compared_;
  QPushButton* confirm_;
};

}  // namespace ww::widgets
