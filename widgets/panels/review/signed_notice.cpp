// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/signed_notice.h"
#include <QPushButton>
#include <QVBoxLayout>
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "review/fingerprint.h"
#include "session/actions/registry.h"

namespace ww::widgets {

SignedNotice::SignedNotice(const Registry& registry, QWidget* parent) : QFrame(parent) {
  setObjectName("signed_notice");
  setProperty("role", "notice");
  auto* column = new QVBoxLayout(this);
  words_ = make_selectable(this, "signed_words", "ok");
  made_ = make_selectable(this, "signed_made_key");
  made_->hide();
  auto* bar = new QWidget(this);
  auto* flow = new FlowLayout(bar);
  const auto button = [&](const char* id, const QString& text, const QString& tip, const QString& action) {
    auto* b = make_button(bar, id, text);
    name_it(b, text, tip);
    connect(b, &QPushButton::clicked, this, [&registry, action] { registry.trigger(action); });
    flow->addWidget(b);
    return b;
  };
  export_ = button("signed_kernel", tr("Export the kernel..."),
                   tr("Source, PTX and what your program needs to call it"), "candidates.export");
  button("signed_export", tr("Export the receipt..."), tr("The signed file, which others can verify"),
         "receipt.export");
  button("signed_pdf", tr("Save the PDF..."), tr("A printout for people"), "receipt.pdf");
  button("signed_receipt", tr("Show the receipt"), tr("In the panel Receipt"), "go.receipt");
  for (QWidget* w : std::initializer_list<QWidget*>{words_, made_, bar}) column->addWidget(w);
  hide();
}

void SignedNotice::show_signature(const review::Signature& signature) {
  words_->setText(
      tr("Signed by %1 on %2 with the key %3. The receipt holds the answers above.")
          .arg(qs(signature.reviewer), when_text(signature.created), qs(review::fingerprint(signature.public_key))));
  show();
}

void SignedNotice::show_made_key(const QString& text) {
  made_->setText(text);
  made_->setVisible(!text.isEmpty());
}

}  // namespace ww::widgets
