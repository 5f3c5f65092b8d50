// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/edits.h"
#include <QPointer>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include "base/files.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 22;  // of a draft

std::filesystem::path drafts_of(const store::Workspace& workspace) { return workspace.folder() / "drafts"; }

std::filesystem::path free_file(const std::filesystem::path& folder, const std::string& parent) {
  for (int i = 2;; ++i)
    if (const auto file = folder / (parent + "-" + std::to_string(i) + ".txt"); !std::filesystem::exists(file))
      return file;
}

class DiscardDraft : public QUndoCommand {
 public:
  DiscardDraft(Edits* edits, QString parent)
      : QUndoCommand(Edits::tr("discard the draft")),
        edits_(edits),
        workspace_(edits->workspace()),
        parent_(std::move(parent)),
        text_(edits->draft(parent_)) {}
  void redo() override {
    if (is_open()) edits_->discard(parent_);
  }
  void undo() override {
    if (is_open() && !edits_->has(parent_)) edits_->keep(parent_, text_);  // one that was written meanwhile stays
  }

 private:
  bool is_open() const { return edits_ && edits_->workspace() == workspace_.lock(); }
  const QPointer<Edits> edits_;
  const std::weak_ptr<store::Workspace> workspace_;
  const QString parent_, text_;
};

}  // namespace

Edits::Edits(const Context& context, QObject* parent) : QObject(parent), context_(context), quiet_(new QTimer(this)) {
  quiet_->setSingleShot(true);
  quiet_->setInterval(500);
  connect(quiet_, &QTimer::timeout, this, &Edits::write);
  connect(context.session, &Session::workspace_opened, this, &Edits::read);
  connect(context.session, &Session::state_changed, this, &Edits::state_changed);
  connect(context.session, &Session::candidate_loaded, this, [this](const std::shared_ptr<const CandidateView>& view) {
    if (!view || view->record.id != std::exchange(checked_, 0)) return;
    emit context_.session->annotated({view->annotation});  // of a run's own candidates the session does it
  });
  if (context.session->ready()) read();
}

Edits::~Edits() {
  cancel_.request_stop();
  write();
}

void Edits::read() {
  write();
  workspace_ = context_.session->workspace();
  drafts_.clear();
  read_.clear();
  stored_ = std::make_shared<std::map<std::string, Stored>>();
  emit drafts_changed();
  reader_.submit([this, workspace = workspace_]() -> LatestJob::Deliver {
    QHash<QString, QString> found;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(drafts_of(*workspace), ec))
      if (entry.path().extension() == ".cu")
        if (auto text = read_file(entry.path(), most_bytes))
          found.insert(exact(entry.path().stem().string()), exact(*text));
    return [this, found] {
      read_ = found;
      for (auto it = found.begin(); it != found.end(); ++it)
        if (!unwritten_.contains(it.key()) && !drafts_.contains(it.key()))
          drafts_.insert(it.key(), it.value());  // text typed meanwhile is newer
      emit drafts_changed();
    };
  });
}

void Edits::keep(const QString& parent, const QString& text) {
  if (parent.isEmpty() || (has(parent) && draft(parent) == text)) return;
  const bool fresh = !has(parent);
  drafts_.insert(parent, text);
  unwritten_.insert(parent, text.isNull() ? QString("") : text);
  quiet_->start();
  if (fresh) emit drafts_changed();
}

void Edits::discard(const QString& parent) {
  if (!has(parent)) return;
  drafts_.remove(parent);
  unwritten_.insert(parent, QString());
  write();
  emit drafts_changed();
}

void Edits::discard_undoably(const QString& parent) {
  if (has(parent)) context_.undo->push(new DiscardDraft(this, parent));
}

void Edits::write() {
  quiet_->stop();
  if (unwritten_.isEmpty() || !workspace_) return;
  files_.submit([this, workspace = workspace_, stored = stored_, read = read_,
                 texts = std::exchange(unwritten_, {})]() -> WorkQueue::Deliver {
    std::string failure, beside;
    std::error_code ec;
    const std::filesystem::path folder = drafts_of(*workspace);
    std::filesystem::create_directories(folder, ec);
    for (auto it = texts.begin(); it != texts.end(); ++it) {
      const std::string parent = it.key().toStdString(), text = it.value().toStdString();
      Stored& known = stored->try_emplace(parent, Stored{read.value(it.key()).toStdString(), folder / (parent + ".cu")})
                          .first->second;
      const auto there = read_file(known.file, most_bytes);
      if (there && *there != known.text && *there != text) {  // another window's: both are kept
        known.file = free_file(folder, parent);
        if (!it.value().isNull()) beside = known.file.string();
      }
      known.text = text;
      if (it.value().isNull())
        std::filesystem::remove(known.file, ec);
      else if (const Status s = write_file_atomic(known.file, text); !s)
        failure = s.error().text();
    }
    if (failure.empty() && beside.empty()) return {};
    return [this, failure, beside] {
      if (!failure.empty()) emit problem(tr("A draft could not be stored: %1").arg(qs(failure)));
      if (!beside.empty())
        emit problem(
            tr("Another window keeps a draft of the same candidate. This one is stored in %1.").arg(qs(beside)));
    };
  });
}

QString Edits::why_not() const {
  if (checking()) return tr("An edit is being checked.");
  if (!context_.session->ready()) return tr("There is no workspace.");
  if (context_.session->shown_run() == 0)
    return tr("Open a run first: the edit is judged as a candidate of the shown run.");
  if (context_.session->running())
    return tr("A run is in progress: an edit can be checked once it has ended, so that timings are not disturbed.");
  if (const QString& busy = context_.session->busy(); !busy.isEmpty()) return busy;
  return {};
}

void Edits::check(const store::CandidateRecord& parent, const QString& text) {
  if (const QString why = why_not(); !why.isEmpty()) {
    emit refused(qs(parent.hash), why, {});
    return;
  }
  checking_ = qs(parent.hash);
  context_.session->set_judging(true);
  cancel_ = std::stop_source();
  emit state_changed();
  generator::Proposal edit;
  edit.text = text.toStdString();
  edit.language = parent.language;
  edit.parent = parent.hash;
  edit.note = edit.origin.move = "edited by hand";
  checker_.submit([this, edit, hash = qs(parent.hash), run = context_.session->shown_run(),
                   runs = context_.services.runs, workspace = workspace_, session = context_.session,
                   token = cancel_.get_token()]() -> LatestJob::Deliver {
    // Reported as the events of a run are: whoever watches the shown run sees the edit come and be judged.
    const auto handler = [this, session, workspace, run](const explore::Event& event) {
      QMetaObject::invokeMethod(
          this,
          [session, workspace, run, event] {
            if (session->workspace() == workspace && session->shown_run() == run) emit session->events({event}, true);
          },
          Qt::QueuedConnection);
    };
    const Result<explore::EditChecked> done = runs->check_edit(*workspace, run, edit, handler, token);
    return [this, session, workspace, done, hash] {
      checking_.clear();
      session->set_judging(false);
      emit state_changed();
      if (workspace != workspace_) return;  // another one was opened: the edit is kept in its own
      if (!done) {
        emit refused(hash, qs(done.error().message), qs(done.error().cause));
        return;
      }
      discard(hash);
      checked_ = done->candidate;
      session->refresh_runs();
      emit checked(hash, done->candidate, done->known);
    };
  });
}

void Edits::cancel() { cancel_.request_stop(); }

}  // namespace ww::widgets
