// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/reviewer.h"
#include <QBuffer>
#include <QFileInfo>
#include <QPdfWriter>
#include <QThread>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include "base/files.h"
#include "review/decision.h"
#include "review/fingerprint.h"
#include "review/reported_judge.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/certificate.h"
#include "parts/theme/html_view.h"
#include "parts/theme/text.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr const char* receipt_program = "warpwright " WW_VERSION;
constexpr std::uintmax_t largest_receipt = std::uintmax_t{64} << 20;

struct PaperFonts {
  QString text, code;
};

Result<std::string> receipt_pdf(const std::string& markdown, const PaperFonts& fonts) {
  QByteArray bytes;
  const std::unique_ptr<QThread> thread(
      QThread::create([&] {  // a text document has timers, which want a thread of Qt's
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout::Millimeter);
        writer.setTitle(QStringLiteral("Warpwright receipt"));
        ClosedDocument page;
        // Unshaped: other forms of "(" and "=", as beside capitals, would be missing where the text is copied.
        QFont text(fonts.text, 9);
        text.setStyleStrategy(QFont::PreferNoShaping);
        page.setDefaultFont(text);
        page.set_markdown(qs(markdown));
        const CertificateInk ink{QColor("#5a6373"), QColor("#aeb5c0"), QColor("#f1f3f6"), fonts.code};
        style_certificate(page, ink);
        print_certificate(page, writer, ink, QStringLiteral("Warpwright receipt"));
      }));
  thread->start();
  thread->wait();
  if (bytes.isEmpty()) return fail(Code::internal, "the PDF could not be made");
  return bytes.toStdString();
}

}  // namespace

// The row is in the workspace before the command is created. Each step takes back the row of the step before, so that
// undo withdraws the decision and redo withdraws that.
class DecisionCommand : public QUndoCommand {
 public:
  DecisionCommand(Reviewer* reviewer, std::shared_ptr<store::Workspace> workspace, std::int64_t candidate,
                  std::int64_t row, const QString& text)
      : QUndoCommand(text),
        reviewer_(reviewer),
        workspace_(workspace),
        candidate_(candidate),
        row_(std::make_shared<std::int64_t>(row)) {}
  void undo() override { step(); }
  void redo() override {
    if (!std::exchange(first_, false)) step();
  }

 private:
  void step() {
    const std::shared_ptr<store::Workspace> workspace = workspace_.lock();
    if (!reviewer_) return;
    if (!workspace) {
      emit reviewer_->problem(Reviewer::tr("Cannot undo: the workspace of that decision is closed."));
      return;
    }
    Reviewer* r = reviewer_;
    r->queue_.submit([r, workspace, candidate = candidate_, row = row_,
                      name = r->name_.toStdString()]() -> WorkQueue::Deliver {
      const Result<std::int64_t> made = review::withdraw(*workspace, candidate, *row, name);
      if (!made)
        return
            [r, why = qs(made.error().text())] { emit r->problem(Reviewer::tr("It was not withdrawn: %1.").arg(why)); };
      *row = *made;
      return [r, candidate] {
        r->load();
        emit r->decided(candidate, store::ReviewKind::withdrawn);
      };
    });
  }
  QPointer<Reviewer> reviewer_;
  std::weak_ptr<store::Workspace> workspace_;
  std::int64_t candidate_;
  std::shared_ptr<std::int64_t> row_;  // the newest of the chain; of the queue's thread
  bool first_ = true;
};

namespace {

// The candidate's row of the table and all ranks of its run, as events; none: they cannot be read.
std::vector<explore::Event> rows_now(store::Workspace& workspace, std::int64_t candidate) {
  const auto record = workspace.candidate_row(candidate);
  const auto rows = record ? explore::rows_of(workspace, record->run)
                           : Result<std::vector<explore::CandidateRow>>(fail(record.error()));
  if (!rows) return {};
  std::vector<explore::Event> events;
  explore::RanksChanged ranks;
  for (const explore::CandidateRow& row : *rows) {
    if (row.rank) ranks.ranks.emplace_back(row.id, *row.rank);
    if (row.id == candidate) events.push_back(explore::CandidateJudged{row});
  }
  events.push_back(std::move(ranks));
  return events;
}

}  // namespace

Reviewer* Reviewer::of(const Context& context) {
  if (auto* there = context.session->findChild<Reviewer*>(QString(), Qt::FindDirectChildrenOnly)) return there;
  return new Reviewer(context);
}

Reviewer::Reviewer(const Context& context) : QObject(context.session), context_(context) {
  candidate_ = context.selection->current();
  stale_ = candidate_ != 0;
  judge_ = review::reported_judge([this](const rpc::Progress& progress) {
    QMetaObject::invokeMethod(
        this, [this, fraction = progress.fraction] { emit signing_progressed(fraction); }, Qt::QueuedConnection);
  });
  connect(context.selection, &Selection::current_changed, this, [this](std::int64_t candidate) {
    candidate_ = candidate;
    load();
  });
  connect(context.session, &Session::workspace_opened, this, [this] { drafts_.clear(); });
  connect(&words_, &ReviewWords::problem, this, &Reviewer::problem);
  connect(context.session, &Session::events, this, [this](const std::vector<explore::Event>& batch, bool shown) {
    const auto is_this = [this](const explore::Event& e) {
      const auto* judged = std::get_if<explore::CandidateJudged>(&e);
      return judged && judged->row.id == candidate_;
    };
    if (shown && candidate_ && std::any_of(batch.begin(), batch.end(), is_this)) load();
  });
}

Reviewer::~Reviewer() { closing_.request_stop(); }

void Reviewer::set_name(const QString& name) {
  if (name == name_) return;
  name_ = name;
  emit name_changed(name_);
}

void Reviewer::add_watcher(QWidget* panel) { watchers_.append(panel); }

bool Reviewer::watched() const {
  return std::any_of(watchers_.begin(), watchers_.end(),
                     [](const QPointer<QWidget>& w) { return w && w->isVisible(); });
}

void Reviewer::refresh() {
  if (stale_) load();
}

void Reviewer::load() {
  stale_ = true;
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (view_ && view_->candidate != candidate_) {  // of another candidate: not shown while this one is read
    view_ = nullptr;
    receipt_ = nullptr;
    emit review_loaded(nullptr);
    emit receipt_loaded(nullptr);
  }
  if (!candidate_ || !workspace) {
    loader_.forget();
    stale_ = false;
    return;
  }
  if (!watched()) return loader_.forget();
  stale_ = false;
  loader_.submit([this, workspace, candidate = candidate_, key = draft_key(candidate_)]() -> LatestJob::Deliver {
    const Result<std::shared_ptr<const ReviewView>> view = review_of(*workspace, candidate);
    if (!view)
      return [this, why = qs(view.error().text())] { emit problem(tr("The review cannot be shown: %1.").arg(why)); };
    Result<std::shared_ptr<const ReceiptView>> receipt = (*view)->receipt.empty()
                                                             ? std::shared_ptr<const ReceiptView>()
                                                             : widgets::read_receipt(*workspace, (*view)->receipt);
    return [this, view = *view, receipt = std::move(receipt),
            words = ReviewWords::read(*workspace, candidate, UnsentText::words),
            note = ReviewWords::read(*workspace, candidate, UnsentText::note), key] {
      view_ = view;
      if (ReviewDraft& d = drafts_[key]; !std::exchange(d.words_read, true)) {
        if (d.words.isEmpty()) d.words = words;
        if (d.note.isEmpty()) d.note = note;
      }
      receipt_ = receipt ? *receipt : nullptr;
      emit review_loaded(view_);
      emit receipt_loaded(receipt_);
      if (!receipt) emit problem(tr("The receipt cannot be shown: %1.").arg(qs(receipt.error().text())));
    };
  });
}

QString Reviewer::draft_key(std::int64_t candidate) const {
  return context_.session->folder() + '\n' + QString::number(candidate);
}

ReviewDraft& Reviewer::draft() { return draft(candidate_); }

ReviewDraft& Reviewer::draft(std::int64_t candidate) { return drafts_[draft_key(candidate)]; }

void Reviewer::set_words(std::int64_t candidate, const QString& words) {
  if (std::exchange(draft(candidate).words, words) == words) return;
  if (const auto workspace = context_.session->workspace()) words_.keep(workspace, candidate, UnsentText::words, words);
}

void Reviewer::set_note(std::int64_t candidate, const QString& note) {
  if (std::exchange(draft(candidate).note, note) == note) return;
  if (const auto workspace = context_.session->workspace()) words_.keep(workspace, candidate, UnsentText::note, note);
}

std::string Reviewer::refusal(const ReviewAnswers& answers, const review::Consent& consent) const {
  return view_ ? review::refusal(view_->checklist, answers, consent) : std::string();
}

void Reviewer::open_stage(std::int64_t candidate, int stage) {
  if (candidate != candidate_ || draft().stages.contains(stage)) return;
  draft().stages.insert(stage);
  emit stage_opened(candidate, stage);
}

// Signing replaced the verdict: reloads what is shown of the candidate.
void Reviewer::show_new_verdict(std::int64_t candidate, const std::vector<explore::Event>& rows) {
  set_signing(false);
  if (context_.candidates->row_of(candidate) >= 0) context_.candidates->apply(rows);
  if (candidate != candidate_) return;
  context_.session->load_candidate(candidate);
  load();
}

void Reviewer::set_signing(bool signing) {
  signing_ = signing;
  emit signing_changed();
}

void Reviewer::decide(std::int64_t candidate, store::ReviewKind kind, const QString& undo_text, Write write) {
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (!workspace || !candidate) return emit problem(tr("Select a candidate first."));
  if (kind == store::ReviewKind::accepted) set_signing(true);
  queue_.submit([this, workspace, candidate, kind, undo_text, write = std::move(write)]() -> WorkQueue::Deliver {
    const Result<std::int64_t> row = write(*workspace);
    const bool judged = kind == store::ReviewKind::accepted;  // anew, also where that ended the acceptance
    const std::vector<explore::Event> now = judged ? rows_now(*workspace, candidate) : std::vector<explore::Event>();
    if (!row)
      return [this, candidate, judged, now, why = qs(row.error().text())] {
        if (judged) show_new_verdict(candidate, now);
        emit problem(tr("It was not stored: %1.").arg(why));
      };
    return [this, workspace, candidate, kind, undo_text, judged, now, row = *row] {
      if (judged) show_new_verdict(candidate, now);
      if (!undo_text.isEmpty()) context_.undo->push(new DecisionCommand(this, workspace, candidate, row, undo_text));
      if (candidate == candidate_) load();
      emit decided(candidate, kind);
    };
  });
}

void Reviewer::add_note(std::int64_t candidate, int line, const QString& text) {
  decide(candidate, store::ReviewKind::note, tr("note on candidate %1").arg(candidate),
         [=, name = name_.toStdString(), words = text.toStdString()](store::Workspace& w) {
           return review::note(w, candidate, line, words, name);
         });
}

void Reviewer::request_changes(const QString& text) {
  decide(candidate_, store::ReviewKind::changes, tr("request for changes of candidate %1").arg(candidate_),
         [id = candidate_, name = name_.toStdString(), words = text.toStdString()](store::Workspace& w) {
           return review::request_changes(w, id, words, name);
         });
}

void Reviewer::reject(const QString& reason) {
  decide(candidate_, store::ReviewKind::rejected, tr("rejection of candidate %1").arg(candidate_),
         [id = candidate_, name = name_.toStdString(), words = reason.toStdString()](store::Workspace& w) {
           return review::reject(w, id, words, name);
         });
}

void Reviewer::accept(const ReviewAnswers& answers, const review::Consent& consent) {
  decide(candidate_, store::ReviewKind::accepted, tr("signature of candidate %1").arg(candidate_),
         [id = candidate_, name = name_.toStdString(), answers, consent, judge = judge_,
          this](store::Workspace& w) -> Result<std::int64_t> {
           const review::Signer signer = WW_TRY(this->signer());
           const review::Accepted done =
               WW_TRY(review::accept(w, id, name, answers, receipt_program, signer, judge, consent,
                                     [this](const auto& changes) { return agreed_to(changes); }));
           QMetaObject::invokeMethod(
               this, [this, id, changes = done.changes] { emit signed_anew(id, changes); }, Qt::QueuedConnection);
           return done.review;
         });
}

template <class Answer>
std::optional<Answer> Reviewer::asked(std::function<Answer()> question) {
  struct Asked {
    std::mutex mutex;
    std::condition_variable_any answered;
    std::optional<Answer> answer;
  };
  const auto asked = std::make_shared<Asked>();
  QMetaObject::invokeMethod(
      this,
      [question = std::move(question), asked] {
        Answer answer = question();
        const std::lock_guard lock(asked->mutex);
        asked->answer = std::move(answer);
        asked->answered.notify_all();
      },
      Qt::QueuedConnection);
  std::unique_lock lock(asked->mutex);
  if (!asked->answered.wait(lock, closing_.get_token(), [&] { return asked->answer.has_value(); })) return std::nullopt;
  return std::move(asked->answer);
}

bool Reviewer::agreed_to(const std::vector<review::JudgedChange>& changes) {
  return asked<bool>([this, changes] { return !ask_weaker_ || ask_weaker_(changes); }).value_or(false);
}

Result<review::Signer> Reviewer::signer() {
  review::Signer signer = WW_TRY(review::Signer::open({}, [this](const std::filesystem::path& key) -> Result<Secret> {
    std::optional<Result<Secret>> answer = asked<Result<Secret>>([this, key]() -> Result<Secret> {
      if (!ask_passphrase_) return fail(Code::unavailable, "there is no window to ask for the passphrase");
      return ask_passphrase_(key);
    });
    return answer ? std::move(*answer) : fail(Code::cancelled, "the window was closed");
  }));
  if (signer.made())
    QMetaObject::invokeMethod(
        this, [this, text = qs(review::made_text(signer.public_key()))] { emit key_made(text); }, Qt::QueuedConnection);
  return signer;
}

void Reviewer::take_back(std::int64_t candidate, std::int64_t row) {
  decide(candidate, store::ReviewKind::withdrawn, tr("withdrawal of a decision on candidate %1").arg(candidate),
         [=, name = name_.toStdString()](store::Workspace& w) { return review::withdraw(w, candidate, row, name); });
}

void Reviewer::countersign(const std::shared_ptr<const ReceiptView>& receipt, const QString& name) {
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (!workspace || !receipt) return;
  queue_.submit([this, workspace, receipt, name = name.toStdString(), candidate = candidate_,
                 stored = receipt == receipt_]() -> WorkQueue::Deliver {
    const Result<review::Signer> key = signer();
    const Result<std::string> signed_again =
        key ? review::countersign(workspace.get(), receipt->text, name, *key) : Result<std::string>(fail(key.error()));
    if (!signed_again)
      return
          [this, why = qs(signed_again.error().text())] { emit problem(tr("It was not countersigned: %1.").arg(why)); };
    const Result<std::shared_ptr<const ReceiptView>> again = widgets::read_receipt(*workspace, *signed_again);
    const Result<std::shared_ptr<const ReviewView>> now =
        stored ? review_of(*workspace, candidate) : Result<std::shared_ptr<const ReviewView>>();
    const std::int64_t row = stored && now && *now && !(*now)->rows.empty() &&
                                     (*now)->rows.back().record.kind == store::ReviewKind::countersigned
                                 ? (*now)->rows.back().record.id
                                 : 0;
    return [this, workspace, candidate, again, row] {
      if (row)
        context_.undo->push(new DecisionCommand(this, workspace, candidate, row,
                                                tr("countersignature of candidate %1").arg(candidate)));
      load();
      if (again) emit receipt_read(QString(), *again);
      emit decided(candidate, store::ReviewKind::countersigned);
    };
  });
}

void Reviewer::trust(const std::string& public_key, const QString& name) {
  queue_.submit([this, public_key, name = name.toStdString()]() -> WorkQueue::Deliver {
    Result<review::KnownKeys> known = review::KnownKeys::load();
    const Status done = known ? known->trust(name, public_key, {}, false) : Status(fail(known.error()));
    if (!done)
      return [this, why = qs(done.error().text())] { emit problem(tr("The key is not trusted: %1.").arg(why)); };
    return [this, owner = qs(known->keys().back().name)] {
      load();
      emit key_trusted(owner);
    };
  });
}

void Reviewer::read_file(const QString& file) {
  const std::shared_ptr<store::Workspace> workspace = context_.session->workspace();
  if (!workspace) return emit problem(tr("Open a workspace first: a receipt is compared with its contents."));
  file_.submit([this, workspace, file]() -> LatestJob::Deliver {
    const Result<std::string> text = ww::read_file(file.toStdString(), largest_receipt);
    if (!text)
      return [this, why = qs(text.error().text())] { emit problem(tr("The receipt was not read: %1.").arg(why)); };
    const Result<std::shared_ptr<const ReceiptView>> receipt = widgets::read_receipt(*workspace, *text);
    if (!receipt)
      return
          [this, why = qs(receipt.error().text())] { emit problem(tr("The receipt cannot be shown: %1.").arg(why)); };
    return [this, file, receipt = *receipt] { emit receipt_read(file, receipt); };
  });
}

void Reviewer::export_receipt(const ReceiptView& receipt, const QString& file) {
  queue_.submit([this, file, json = receipt.text, markdown = receipt.markdown,
                 fonts = PaperFonts{text_family(), code_family()}]() -> WorkQueue::Deliver {
    const QString ending = QFileInfo(file).suffix().toLower();
    const Result<std::string> bytes =
        ending == "pdf" ? receipt_pdf(markdown, fonts) : Result<std::string>(ending == "md" ? markdown : json);
    const Status written = bytes ? write_file_atomic(file.toStdString(), *bytes) : Status(fail(bytes.error()));
    if (!written)
      return
          [this, why = qs(written.error().text())] { emit problem(tr("The receipt was not written: %1.").arg(why)); };
    return [this, file] { emit receipt_exported(file); };
  });
}

}  // namespace ww::widgets
