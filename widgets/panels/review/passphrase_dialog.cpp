// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/passphrase_dialog.h"
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>
#include <memory>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "session/reviewer.h"

namespace ww::widgets {

static QString passphrase_tr(const char* text) { return QCoreApplication::translate("PassphraseDialog", text); }

QDialog* make_passphrase_dialog(QWidget* parent, const std::filesystem::path& key) {
  auto* dialog = with_id(new QDialog(parent), "passphrase_dialog");
  dialog->setWindowTitle(passphrase_tr("Passphrase of the signing key"));
  auto* column = new QVBoxLayout(dialog);
  auto* caption = new Label(passphrase_tr("&Passphrase of the key %1:").arg(qs(key.filename().string())), dialog);
  auto* field = with_id(new QLineEdit(dialog), "passphrase");
  field->setEchoMode(QLineEdit::Password);
  field->setInputMethodHints(Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
  name_it(field, passphrase_tr("Passphrase of the signing key"));
  caption->setBuddy(field);
  column->addWidget(caption);
  column->addWidget(field);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  box->button(QDialogButtonBox::Ok)->setText(passphrase_tr("Sign"));
  column->addWidget(box);
  QObject::connect(box, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  dialog->resize(380, dialog->sizeHint().height());
  return dialog;
}

Result<Secret> ask_passphrase(QWidget* parent, const std::filesystem::path& key) {
  const std::unique_ptr<QDialog> dialog(make_passphrase_dialog(parent, key));
  if (dialog->exec() != QDialog::Accepted) return fail(Code::cancelled, "no passphrase was given");
  QByteArray text = dialog->findChild<QLineEdit*>("passphrase")->text().toUtf8();
  const Secret secret(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
  text.fill('\0');
  return secret;
}

void ask_passphrases_over(QWidget* panel, Reviewer* reviewer) {
  reviewer->set_ask_passphrase([panel = QPointer<QWidget>(panel)](const std::filesystem::path& key) {
    return ask_passphrase(panel ? panel->window() : nullptr, key);
  });
}

}  // namespace ww::widgets
