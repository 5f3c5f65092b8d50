// SPDX-License-Identifier: GPL-3.0-or-later
// What was signed, by whom, when and with which key; and what can be done with the receipt.
#pragma once
#include <QFrame>
#include "review/receipt.h"

class QPushButton;

namespace ww::widgets {

class Label;
class Registry;

class SignedNotice : public QFrame {
  Q_OBJECT
 public:
  SignedNotice(const Registry& registry, QWidget* parent);
  void show_signature(const review::Signature& signature);
  void show_made_key(const QString& text);  // that this signature was the first of a new key; empty: it was not
  QPushButton* first_action() const { return export_; }

 private:
  Label *words_, *made_;
  QPushButton* export_;
};

}  // namespace ww::widgets
