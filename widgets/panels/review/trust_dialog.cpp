// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/trust_dialog.h"
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include "panels/review/key_picture_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

TrustDialog::TrustDialog(const SignatureView& signature, QWidget* parent) : QDialog(parent) {
  setObjectName("trust_dialog");
  setWindowTitle(tr("Trust this key?"));
  auto* column = new QVBoxLayout(this);
  Label* ask = make_paragraph(this, {});
  ask->setText(
      tr("Ask the owner for the fingerprint or the words of this key, or compare the picture, over another "
         "channel: by phone or in person, not the way you received the receipt."));
  column->addWidget(ask);
  auto* key = make_row(column);
  key->addWidget(new KeyPictureView(signature.signature.public_key, qs(signature.signature.reviewer), this));
  auto* digits = make_selectable(this, "trust_key");
  digits->setText(tr("Fingerprint: %1\nWords: %2\nKey: %3")
                      .arg(qs(signature.fingerprint), qs(signature.words), qs(signature.signature.public_key)));
  key->addWidget(digits, 1);
  auto* caption = new Label(tr("&Owner of the key:"), this);
  name_ = with_id(new QLineEdit(qs(signature.signature.reviewer), this), "trust_name");
  name_->setMaxLength(200);
  name_it(name_, tr("Owner of the key"), tr("The receipt gives this name, but a signer can write any name"));
  caption->setBuddy(name_);
  column->addWidget(caption);
  column->addWidget(name_);
  compared_ = with_id(new QCheckBox(tr("I have &compared them with the owner"), this), "trust_compared");
  column->addWidget(compared_);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  confirm_ = with_id(box->addButton(tr("Trust this key"), QDialogButtonBox::AcceptRole), "trust_confirm");
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(name_, &QLineEdit::textChanged, this, &TrustDialog::update_confirm);
  connect(compared_, &QCheckBox::toggled, this, &TrustDialog::update_confirm);
  update_confirm();
  resize(520, sizeHint().height());
  ask_before_discarding(this);
}

QString TrustDialog::name() const { return name_->text().trimmed(); }

void TrustDialog::update_confirm() { confirm_->setEnabled(compared_->isChecked() && !name().isEmpty()); }

}  // namespace ww::widgets
