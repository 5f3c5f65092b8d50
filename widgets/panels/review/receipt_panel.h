// SPDX-License-Identifier: GPL-3.0-or-later
// The receipt of the current candidate, or of a file: the signers, whether it is genuine, changes since, and the full
// receipt as a page. Exports, verifies and countersigns it.
#pragma once
#include <QWidget>
#include <memory>
#include "session/context.h"
#include "session/review_view.h"

class QLineEdit;
class QPushButton;
class QStackedLayout;
class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class ElideLabel;
class EmptyPage;
class FactsView;
class PinnedEnds;
class Reviewer;

class ReceiptPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ReceiptPanel(const Context& context, QWidget* parent = nullptr);
  std::shared_ptr<const ReceiptView> shown() const { return shown_; }
  void open_file(const QString& file);  // verifies and shows it
  void export_to(const QString& file);  // by file extension: .json, .md, .pdf

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_bar(QVBoxLayout* outer);
  void make_head(QVBoxLayout* column);
  void make_page(PinnedEnds* ends);
  void ask_to_trust(std::size_t signature);
  void make_countersigning(QVBoxLayout* column);
  void connect_reviewer();
  bool genuine() const;
  bool wanted_anyway();  // asks where a key of the receipt is not known  // the receipt that is shown
  void update_countersigning();
  void show_pictures(const ReceiptView& receipt);
  void show_receipt(const std::shared_ptr<const ReceiptView>& receipt, const QString& file);
  void show_message(const QString& text, bool bad);
  void choose_file();
  void choose_export(const QString& ending);
  void update_empty();

  const Context context_;
  Reviewer* reviewer_;
  std::shared_ptr<const ReceiptView> shown_;
  QString file_;  // empty: the stored one
  QStackedLayout* pages_;
  Label *empty_, *icon_, *verdict_, *message_;
  EmptyPage* empty_page_;
  QWidget* pictures_;  // of the signing keys
  ElideLabel* from_;
  FactsView* facts_;
  FactsView* page_;
  QToolButton *export_, *stored_;
  QLineEdit* second_;
  QPushButton *countersign_, *open_;
};

}  // namespace ww::widgets
