// SPDX-License-Identifier: GPL-3.0-or-later
// Reviews of candidates: reads the current candidate's review and receipt while a panel shows them, and writes
// decisions off the GUI thread, in order, none dropped. Each decision is a command on the undo stack: undoing it adds a
// row that withdraws it. GUI thread.
#pragma once
#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QWidget>
#include <memory>
#include <optional>
#include <stop_token>
#include "session/context.h"
#include "session/latest_job.h"
#include "session/review_words.h"
#include "session/review_view.h"
#include "session/work_queue.h"

namespace ww::widgets {

// The user's progress towards a decision, for each candidate. Unsent texts are kept (review_words.h), the rest lives as
// long as the window.
struct ReviewDraft {
  QSet<QString> answers;           // ticked items
  QHash<QString, QString> texts;   // by item, as typed
  QSet<QString> read;              // items whose facts were scrolled to the end
  QSet<int> stages;                // indices of stages in the verdict whose evidence was opened
  QSet<int> shown_stages;          // of these, the ones whose evidence stands in the checklist
  QSet<int> long_stages;           // and with all of it
  QSet<int> lines;                 // unexecuted, and marked as read
  QString words;                   // the text of a change request or a rejection
  QString note;                    // that was not added
  int note_line = 0;               // 0: of the whole candidate
  bool words_read = false;         // what an earlier window left was looked for
  bool agreed_to_holes = false;    // in the candidate's claim
  bool agreed_to_kept = false;     // variables of its module
  bool agreed_to_untried = false;  // by the cases of its verdict
  QString facts;                   // the facts that this refers to: others must be read again
};

class Reviewer : public QObject {
  Q_OBJECT
 public:
  static Reviewer* of(const Context& context);  // this window's; created on first use, destroyed with the session
  ~Reviewer() override;

  QString name() const { return name_; }  // the reviewer's name for receipts; may be empty
  void set_name(const QString& name);
  void set_judge(review::Judge judge) { judge_ = std::move(judge); }  // of candidates to accept
  // Asks whether to sign a judgement that proves less than what was read; called on the GUI thread. None: it is signed.
  void set_ask_weaker(review::Agree ask) { ask_weaker_ = std::move(ask); }
  // Asks for the passphrase of an encrypted signing key each time something is signed; called on the GUI thread.
  void set_ask_passphrase(review::Signer::AskPassphrase ask) { ask_passphrase_ = std::move(ask); }
  // Panels that show reviews register here: reviews are only read while one is visible. A panel calls refresh() when
  // shown.
  void add_watcher(QWidget* panel);
  void refresh();  // reads again if there is anything newer

  std::int64_t candidate() const { return candidate_; }
  std::shared_ptr<const ReviewView> view() const { return view_; }         // null: none yet
  std::shared_ptr<const ReceiptView> receipt() const { return receipt_; }  // the stored one of the current candidate
  ReviewDraft& draft();                                                    // of the current candidate
  ReviewDraft& draft(std::int64_t candidate);
  void set_words(std::int64_t candidate, const QString& words);  // of its draft; kept when the window is closed
  void set_note(std::int64_t candidate, const QString& note);    // likewise
  // Why view() cannot be accepted, one sentence; empty: it can.
  std::string refusal(const ReviewAnswers& answers, const review::Consent& consent) const;
  void open_stage(std::int64_t candidate, int stage);  // its evidence was shown
  bool busy() const { return queue_.busy() || loader_.busy() || file_.busy(); }

  // For the current candidate unless specified. `decided` follows on success, `problem` on failure.
  void add_note(std::int64_t candidate, int line, const QString& text);
  void request_changes(const QString& text);
  void reject(const QString& reason);
  // Judges it again first: the new verdict is shown in any case.
  void accept(const ReviewAnswers& answers, const review::Consent& consent);
  bool signing() const { return signing_; }  // a candidate is being judged for signing
  void take_back(std::int64_t candidate, std::int64_t row);
  void countersign(const std::shared_ptr<const ReceiptView>& receipt, const QString& name);
  // Records the key as this person's: emits key_trusted, and reads the shown data again.
  void trust(const std::string& public_key, const QString& name);
  void read_file(const QString& file);                                   // any receipt file: emits receipt_read
  void export_receipt(const ReceiptView& receipt, const QString& file);  // by file extension: .json, .md, .pdf

 signals:
  void review_loaded(const std::shared_ptr<const ww::widgets::ReviewView>& view);  // null: no candidate
  void receipt_loaded(
      const std::shared_ptr<const ww::widgets::ReceiptView>& receipt);  // of the current candidate; null: none
  void receipt_read(const QString& file, const std::shared_ptr<const ww::widgets::ReceiptView>& receipt);
  void receipt_exported(const QString& file);
  void key_trusted(const QString& name);
  void decided(std::int64_t candidate, ww::store::ReviewKind kind);  // a row was written
  // Of the evidence that is in the receipt.
  void signed_anew(std::int64_t candidate, const std::vector<ww::review::JudgedChange>& changes);
  void stage_opened(std::int64_t candidate, int stage);
  void signing_changed();
  void signing_progressed(double fraction);      // of the judgement for it
  void name_changed(const QString& name);        // to be remembered
  void revision_wanted(std::int64_t candidate);  // after a change request: ask a model now
  void problem(const QString& text);
  void key_made(const QString& text);  // the first signature created this machine's key

 private:
  explicit Reviewer(const Context& context);
  using Write = std::function<Result<std::int64_t>(store::Workspace&)>;
  void decide(std::int64_t candidate, store::ReviewKind kind, const QString& undo_text, Write write);
  void show_new_verdict(std::int64_t candidate, const std::vector<explore::Event>& rows);
  void set_signing(bool signing);
  void load();
  QString draft_key(std::int64_t candidate) const;
  bool watched() const;
  Result<review::Signer> signer();  // on the queue's thread
  bool agreed_to(const std::vector<review::JudgedChange>& changes);
  template <class Answer>
  std::optional<Answer> asked(std::function<Answer()> question);  // on the GUI thread; none: the window was closed
  friend class DecisionCommand;

  Context context_;
  QString name_;
  review::Judge judge_;
  review::Signer::AskPassphrase ask_passphrase_;
  review::Agree ask_weaker_;
  std::stop_source closing_;
  QList<QPointer<QWidget>> watchers_;
  std::int64_t candidate_ = 0;
  bool stale_ = false, signing_ = false;
  std::shared_ptr<const ReviewView> view_;
  std::shared_ptr<const ReceiptView> receipt_;
  QHash<QString, ReviewDraft> drafts_;  // by workspace and candidate
  ReviewWords words_;
  LatestJob loader_, file_;
  WorkQueue queue_;  // last member: writes pending decisions before the others are destroyed
};

}  // namespace ww::widgets
