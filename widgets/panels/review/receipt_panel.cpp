// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/receipt_panel.h"
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include "session/actions/registry.h"
#include "parts/theme/facts_view.h"
#include "panels/review/countersign_dialog.h"
#include "panels/review/key_picture_view.h"
#include "panels/review/passphrase_dialog.h"
#include "panels/review/review_html.h"
#include "panels/review/trust_dialog.h"
#include "session/reviewer.h"
#include "session/file_dialogs.h"
#include "session/session.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/certificate.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/pinned_ends.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "review/words.h"

namespace ww::widgets {

namespace {

// A printout is taken too, and told from the signed file by what is in it.
bool is_receipt_name(const QString& file) {
  static const QStringList endings{"json", "pdf", "md"};
  return endings.contains(QFileInfo(file).suffix().toLower());
}

QString receipt_file_of(const QMimeData& data) {
  const QStringList files = DropTarget::local_files(data);
  return files.size() == 1 && is_receipt_name(files.first()) ? files.first() : QString();
}

QString no_receipt_text(review::ReviewState state) {
  return state == review::ReviewState::open ? ReceiptPanel::tr("it has no decision yet")
                                            : ReceiptPanel::tr("it is %1").arg(qs(review::word_of(state)));
}

}  // namespace

ReceiptPanel::ReceiptPanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), reviewer_(Reviewer::of(context)) {
  setProperty("role", "panel");
  setObjectName("receipt_panel");
  new DropTarget(this, {.takes = [](const QMimeData& data) { return !receipt_file_of(data).isEmpty(); },
                        .drop =
                            [this](const QMimeData& data, const QPointF&) {
                              open_file(receipt_file_of(data));
                              return true;
                            }});
  auto* outer = make_column(this, grid::panel);
  make_bar(outer);
  message_ = make_selectable(this, "receipt_message");
  message_->hide();
  outer->addWidget(message_);
  const ContentPages made = content_pages(outer, "file");
  pages_ = made.pages;
  empty_ = made.empty;
  empty_page_ = made.page;
  auto* ends = new PinnedEnds(made.content, "receipt_scroll");
  make_column(made.content)->addWidget(ends);
  make_head(ends->head());
  make_page(ends);
  make_countersigning(ends->foot());
  connect_reviewer();
  const QString category = tr("Review");
  context_.registry->add("receipt.verify", category, tr("&Verify a receipt's file..."), {}, {},
                         tr("Checks for tampering, and shows the signers and changes since"),
                         [this] { choose_file(); });
  context_.registry->add("receipt.export", category, tr("&Export the receipt..."), {}, {},
                         tr("As JSON (the signed file), Markdown or PDF"), [this] { choose_export("json"); });
  context_.registry->add("receipt.pdf", category, tr("&Save the receipt's PDF..."), {}, {},
                         tr("A printout for people, which nobody can verify: the JSON is the signed file"),
                         [this] { choose_export("pdf"); });
  show_receipt(reviewer_->receipt(), {});
}

void ReceiptPanel::make_head(QVBoxLayout* column) {
  QWidget* page = column->parentWidget();
  auto* head = make_row(column);
  icon_ = new Label(page);
  verdict_ = make_paragraph(page, "receipt_verdict", "heading");
  head->addWidget(icon_, 0, Qt::AlignTop);
  head->addWidget(verdict_, 1);
  from_ = make_elided(page, {}, "muted");
  column->addWidget(from_);
}

// Signatures and receipt scroll as one page.
void ReceiptPanel::make_page(PinnedEnds* ends) {
  QScrollArea* scroll = ends->area();
  scroll->setFocusPolicy(Qt::StrongFocus);
  QVBoxLayout* inner = ends->page();
  QWidget* body = inner->parentWidget();
  auto* signers = make_row(inner);
  pictures_ = with_id(new QWidget(body), "key_pictures");
  make_column(pictures_)->addStretch(1);
  facts_ = with_id(new FactsView(body), "receipt_facts");
  name_it(facts_, tr("Signatures, and changes since"));
  page_ = with_id(new FactsView(body), "receipt_page");
  page_->setProperty("role", QVariant());  // on paper
  page_->setTabChangesFocus(true);
  name_it(page_, tr("The receipt"));
  signers->addWidget(pictures_);
  signers->addWidget(facts_, 1);
  inner->addWidget(page_);
  scroll->viewport()->setAutoFillBackground(false);
  connect(facts_, &FactsView::link, this, [this](const QString& scheme, const QString& target) {
    if (scheme == "trust") return ask_to_trust(target.toULongLong());
    if (scheme != "copy") return;
    QGuiApplication::clipboard()->setText(target);
    show_message(tr("The fingerprint %1 is on the clipboard.").arg(target), false);
  });
}

void ReceiptPanel::ask_to_trust(std::size_t signature) {
  if (!shown_ || signature >= shown_->signatures.size()) return;
  const SignatureView of = shown_->signatures[signature];
  TrustDialog dialog(of, this);
  if (dialog.exec() == QDialog::Accepted) reviewer_->trust(of.signature.public_key, dialog.name());
}

void ReceiptPanel::make_countersigning(QVBoxLayout* column) {
  QWidget* page = column->parentWidget();
  auto* row = make_row(column);
  second_ = with_id(new QLineEdit(page), "second_reviewer");
  second_->setPlaceholderText(tr("Second reviewer"));
  second_->setMaxLength(200);
  name_it(second_, tr("Name of the second reviewer"), tr("Someone who has not signed yet"));
  countersign_ = make_button(page, "countersign", tr("Countersign"));
  name_it(countersign_, tr("Countersign"), tr("Adds a second signature, made with the key of this machine"));
  row->addWidget(second_, 1);
  row->addWidget(countersign_);
  const auto sign = [this] {
    if (countersign_->isEnabled() && wanted_anyway()) reviewer_->countersign(shown_, second_->text().trimmed());
  };
  connect(countersign_, &QPushButton::clicked, this, sign);
  connect(second_, &QLineEdit::returnPressed, this, sign);
  connect(second_, &QLineEdit::textChanged, this, &ReceiptPanel::update_countersigning);
}

void ReceiptPanel::connect_reviewer() {
  reviewer_->add_watcher(this);
  ask_passphrases_over(this, reviewer_);
  connect(reviewer_, &Reviewer::receipt_loaded, this, [this](const std::shared_ptr<const ReceiptView>& receipt) {
    if (file_.isEmpty() || receipt) show_receipt(receipt, {});
  });
  connect(reviewer_, &Reviewer::review_loaded, this, &ReceiptPanel::update_empty);
  connect(reviewer_, &Reviewer::receipt_read, this,
          [this](const QString& file, const std::shared_ptr<const ReceiptView>& receipt) {
            show_receipt(receipt, file.isEmpty() ? file_ : file);
          });
  connect(reviewer_, &Reviewer::receipt_exported, this,
          [this](const QString& file) { show_message(tr("Written: %1").arg(file), false); });
  connect(reviewer_, &Reviewer::key_trusted, this, [this](const QString& name) {
    if (!file_.isEmpty()) reviewer_->read_file(file_);
    show_message(tr("The key is now known as %1's.").arg(name), false);
  });
  connect(reviewer_, &Reviewer::decided, this, [this](std::int64_t, store::ReviewKind kind) {
    if (kind == store::ReviewKind::countersigned) second_->clear();
  });
  connect(reviewer_, &Reviewer::problem, this, [this](const QString& text) { show_message(text, true); });
  refresh_with_theme(this, [this] { show_receipt(shown_, file_); });
}

bool ReceiptPanel::wanted_anyway() {
  if (shown_->keys == review::KeyStanding::known) return true;
  return countersign_anyway(this, shown_->keys);
}

bool ReceiptPanel::genuine() const { return shown_ && shown_->verification.genuine(); }

void ReceiptPanel::update_countersigning() {
  second_->setEnabled(genuine());
  countersign_->setEnabled(genuine() && !second_->text().trimmed().isEmpty());
}

void ReceiptPanel::make_bar(QVBoxLayout* outer) {
  auto* bar = new QWidget(this);
  auto* flow = new FlowLayout(bar);
  open_ = make_button(bar, "verify_file", tr("Verify a file..."));
  name_it(open_, tr("Verify a receipt's file"), tr("Or drop the file here"));
  connect(open_, &QPushButton::clicked, this, &ReceiptPanel::choose_file);
  export_ = make_tool(bar, "export_receipt", tr("Export"), tr("Export the receipt"),
                      tr("JSON is the signed file; Markdown and PDF are for people"));
  export_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(export_);
  for (const auto& [ending, text] :
       {std::pair{"json", tr("JSON, the signed file...")}, {"md", tr("Markdown...")}, {"pdf", tr("PDF...")}})
    menu->addAction(text, this, [this, ending = QString::fromLatin1(ending)] { choose_export(ending); });
  export_->setMenu(menu);
  stored_ = make_tool(bar, "show_stored", tr("Back to the stored receipt"), tr("Back to the stored receipt"),
                      tr("Shows the receipt of the current candidate instead of the file"));
  connect(stored_, &QToolButton::clicked, this, [this] { show_receipt(reviewer_->receipt(), {}); });
  flow->addWidget(open_);
  flow->addWidget(export_);
  flow->addWidget(stored_);
  outer->addWidget(bar);
}

void ReceiptPanel::show_message(const QString& text, bool bad) {
  message_->setText(text);
  set_role(message_, bad ? "error" : "ok");
  message_->setVisible(!text.isEmpty());
}

void ReceiptPanel::update_empty() {
  const std::shared_ptr<const ReviewView> view = reviewer_->view();
  empty_->setText(!view && reviewer_->candidate()
                      ? tr("Reading the review of candidate #%1. Drop the file of any receipt here to verify it.")
                            .arg(reviewer_->candidate())
                  : !view
                      ? tr("Select a candidate to see its receipt, or drop the file of a receipt here to verify it.")
                      : tr("Candidate #%1 has no receipt: %2. Signing it in the review makes one. Drop the file of "
                           "any receipt here to verify it.")
                            .arg(view->candidate)
                            .arg(no_receipt_text(view->state)));
  if (view)
    empty_page_->offer(tr("Review it"), [this] { context_.registry->trigger("go.review"); });
  else
    empty_page_->offer(tr("Show the candidates"), [this] { context_.registry->trigger("go.candidates"); });
}

void ReceiptPanel::show_receipt(const std::shared_ptr<const ReceiptView>& receipt, const QString& file) {
  shown_ = receipt;
  file_ = receipt ? file : QString();
  message_->hide();
  pages_->setCurrentIndex(receipt ? 1 : 0);
  stored_->setVisible(!file_.isEmpty());
  export_->setEnabled(genuine());
  update_countersigning();
  if (!receipt) return update_empty();
  const bool holds = receipt->holds(), known = receipt->keys == review::KeyStanding::known;
  const char* look = !genuine() ? "rejected" : holds && known ? "accepted" : "warning";  // icon and colour
  icon_->set_icon(look, look, 20);
  const bool other_file = !receipt->verification.is_receipt;
  const bool printout = receipt->verification.printout != review::Printout::no;
  verdict_->setText(
      printout     ? tr("This file is a printout of a receipt, which cannot be verified.")
      : other_file ? tr("This file is not a receipt.")
      : !genuine() ? tr("This receipt is not genuine: it was changed after it was signed.")
      : !holds     ? tr("The receipt is genuine, but it no longer matches this workspace.")
      : receipt->keys == review::KeyStanding::unknown
          ? tr("The receipt is unchanged since it was signed, but you do not know everyone who signed it. Compare "
               "the key's words with its owner by phone, then trust the key below.")
      : !known ? tr("The receipt is genuine and current, but check the keys that signed it.")
               : tr("The receipt is genuine and current."));
  from_->set_text(file_.isEmpty()
                      ? tr("Stored in this workspace: %1, candidate %2")
                            .arg(qs(receipt->verification.op), qs(receipt->verification.candidate.substr(0, 12)))
                  : other_file ? QFileInfo(file_).fileName()
                               : tr("%1: %2, candidate %3")
                                     .arg(QFileInfo(file_).fileName(), qs(receipt->verification.op),
                                          qs(receipt->verification.candidate.substr(0, 12))));
  facts_->show_html(receipt_facts_html(*receipt));
  show_pictures(*receipt);
  page_->document()->setDefaultFont(page_->font());
  if (genuine()) {
    const Theme& theme = Theme::instance();
    page_->show_markdown(qs(receipt->markdown));
    style_certificate(*page_->document(),
                      {theme.color("muted"), theme.color("border"), theme.color("code-margin"), code_family()});
  } else {
    page_->show_text(printout
                         ? tr("Verify the JSON file beside it: the signed receipt is the file that ends in .json. PDF "
                              "and Markdown are copies for people.")
                     : other_file ? tr("Open the file that was written when a candidate was signed: receipt.json.")
                                  : tr("A receipt that is not genuine is not displayed. Compare the file with "
                                       "the reviewer's original."));
  }
}

void ReceiptPanel::show_pictures(const ReceiptView& receipt) {
  qDeleteAll(pictures_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
  for (const SignatureView& s : receipt.signatures) {
    auto* picture = new KeyPictureView(s.signature.public_key, qs(s.signature.reviewer), pictures_);
    static_cast<QBoxLayout*>(pictures_->layout())->insertWidget(pictures_->layout()->count() - 1, picture);
    picture->show();
  }
  pictures_->setVisible(!receipt.signatures.empty());
}

void ReceiptPanel::open_file(const QString& file) {
  show_message({}, false);
  reviewer_->read_file(file);
}

void ReceiptPanel::export_to(const QString& file) {
  if (genuine())
    reviewer_->export_receipt(*shown_, file);
  else
    show_message(tr("There is no genuine receipt to export."), true);
}

void ReceiptPanel::choose_file() {
  const QString file = FileDialogs::instance().open(this, FileKind::receipt, tr("Verify a receipt"),
                                                    tr("Receipts (*.json *.pdf *.md);;All files (*)"));
  if (!file.isEmpty()) open_file(file);
}

void ReceiptPanel::choose_export(const QString& ending) {
  if (!shown_) return show_message(tr("There is no receipt to export."), true);
  const QString name = QString("receipt-%1-%2.%3")
                           .arg(qs(shown_->verification.op), qs(shown_->verification.candidate.substr(0, 12)), ending);
  QString file = FileDialogs::instance().save(this, FileKind::receipt, tr("Export the receipt"), name,
                                              tr("Receipt (*.json *.md *.pdf)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += "." + ending;
  export_to(file);
}

void ReceiptPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  reviewer_->refresh();
}

}  // namespace ww::widgets
