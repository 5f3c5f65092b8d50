// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/edits.h"
#include <QPointer>
#include <QTimer>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <vector>
#include "base/files.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 22;  // of a draft

std::filesystem::path drafts_of(const store::Workspace& workspace) { return workspace.folder() / "drafts"; }

std::filesystem::path free_file(const std::filesystem::path& folder, std::int64_t candidate) {
  for (int i = 2;; ++i)
    if (const auto file = folder / (std::to_string(candidate) + "-" + std::to_string(i) + ".cu");
        !std::filesystem::exists(file))
      return file;
}

// The candidate of a file of free_file(): "5-2"; 0: of another kind.
std::int64_t second_of(const std::string& stem) {
  const QStringList parts = qs(stem).split('-');
  bool candidate = false, count = false;
  const std::int64_t id = parts[0].toLongLong(&candidate);
  return parts.size() == 2 && parts[1].toInt(&count) > 1 && count && candidate && id > 0 ? id : 0;
}

struct Found {
  Draft draft;
  std::filesystem::path file;
};

// Files of earlier versions are named by the candidate's hash, which several runs may have: they become the latest's.
std::map<std::int64_t, Found> read_drafts(store::Workspace& workspace) {
  std::map<std::int64_t, Found> found;
  std::int64_t nameless = 0;
  std::error_code ec;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(drafts_of(workspace), ec))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::ranges::sort(files);
  for (std::filesystem::path& file : files) {
    const auto text = read_file(file, most_bytes);
    if (!text) continue;
    const std::string stem = file.stem().string();
    bool numbered = false;
    std::int64_t id = qs(stem).toLongLong(&numbered);
    numbered = numbered && id > 0 && std::to_string(id) == stem;
    const std::int64_t second = numbered ? 0 : second_of(stem), of = numbered ? id : second;
    const Result<store::CandidateRecord> record =
        of != 0 ? workspace.candidate_row(of) : workspace.find_candidate(stem);
    if (of == 0 && record && record->hash == stem) {
      const auto own = drafts_of(workspace) / (std::to_string(record->id) + ".cu");
      if (!std::filesystem::exists(own)) {
        std::filesystem::rename(file, own, ec);
        if (!ec) file = own;
        numbered = !ec;
        id = record->id;
      }
    }
    if (!numbered) id = --nameless;
    Found& one = found[id];
    one = {{exact(*text), {}, 0, 0}, file};
    if ((numbered || second != 0) && record) {
      one.draft.name = qs(record->title.empty() ? record->structure : record->title);
      if (numbered) one.draft.run = record->run;
    }
    one.draft.second_of = second;
  }
  return found;
}

class DiscardDraft : public QUndoCommand {
 public:
  DiscardDraft(Edits* edits, std::int64_t candidate)
      : QUndoCommand(Edits::tr("discard the draft")),
        edits_(edits),
        workspace_(edits->workspace()),
        candidate_(candidate),
        draft_(edits->all().at(candidate)) {}
  void redo() override {
    if (is_open()) edits_->discard(candidate_);
  }
  void undo() override {
    if (is_open() && !edits_->has(candidate_)) edits_->keep(candidate_, draft_);  // one written meanwhile stays
  }

 private:
  bool is_open() const { return edits_ && edits_->workspace() == workspace_.lock(); }
  const QPointer<Edits> edits_;
  const std::weak_ptr<store::Workspace> workspace_;
  const std::int64_t candidate_;
  const Draft draft_;
};

}  // namespace

Edits::Edits(const Context& context, QObject* parent) : QObject(parent), context_(context), quiet_(new QTimer(this)) {
  quiet_->setSingleShot(true);
  quiet_->setInterval(500);
  connect(quiet_, &QTimer::timeout, this, &Edits::write);
  connect(context.session, &Session::workspace_opened, this, &Edits::read);
  connect(context.session, &Session::runs_listed, this, &Edits::follow);
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
  stored_ = std::make_shared<std::map<std::int64_t, Stored>>();
  emit drafts_changed();
  reader_.submit([this, workspace = workspace_]() -> LatestJob::Deliver {
    return [this, found = read_drafts(*workspace)] {
      for (const auto& [id, one] : found) {
        read_[id] = {one.draft.text.toStdString(), one.file};
        if (!unwritten_.contains(id)) drafts_.try_emplace(id, one.draft);  // text typed meanwhile is newer
      }
      emit drafts_changed();
    };
  });
}

// A deleted candidate leaves its draft.
void Edits::follow(const std::vector<store::RunRecord>& runs) {
  bool any = false;
  for (auto& [id, draft] : drafts_) {
    if (draft.run == 0 || (context_.session->running() && draft.run == context_.session->live_run())) continue;
    if (std::ranges::find(runs, draft.run, &store::RunRecord::id) != runs.end()) continue;
    draft.run = 0;
    any = true;
  }
  if (any) emit drafts_changed();
}

QList<std::int64_t> Edits::of_run(std::int64_t run) const {
  QList<std::int64_t> ids;
  for (const auto& [id, draft] : drafts_)
    if (draft.run == run) ids.append(id);
  return ids;
}

void Edits::keep(const store::CandidateRecord& of, const QString& text) {
  keep(of.id, {text, qs(of.title.empty() ? of.structure : of.title), of.run, 0});
}

void Edits::keep(std::int64_t candidate, const Draft& draft) {
  if (candidate == 0 || (has(candidate) && drafts_[candidate].text == draft.text)) return;
  const bool fresh = !has(candidate);
  drafts_[candidate] = draft;
  unwritten_.insert(candidate, draft.text.isNull() ? QString("") : draft.text);
  quiet_->start();
  if (fresh) emit drafts_changed();
}

void Edits::discard(std::int64_t candidate) {
  if (drafts_.erase(candidate) == 0) return;
  unwritten_.insert(candidate, QString());
  write();
  emit drafts_changed();
}

void Edits::discard_undoably(std::int64_t candidate) {
  if (has(candidate)) context_.undo->push(new DiscardDraft(this, candidate));
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
      const std::int64_t id = it.key();
      const std::string text = it.value().toStdString();
      const auto before = read.find(id);
      Stored& known = stored
                          ->try_emplace(id, before != read.end() ? before->second
                                                                 : Stored{{}, folder / (std::to_string(id) + ".cu")})
                          .first->second;
      const auto there = read_file(known.file, most_bytes);
      if (there && *there != known.text && *there != text) {  // another window's: both are kept
        known.file = free_file(folder, id);
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
        emit kept_beside(
            tr("Another window has a draft of the same candidate. Both are kept: this one is stored in %1, and listed "
               "under Drafts after a restart.")
                .arg(qs(beside)));
    };
  });
}

QString Edits::why_not() const {
  if (checking()) return tr("An edit is being checked.");
  if (!context_.session->ready()) return tr("There is no workspace.");
  if (context_.session->shown_run() == 0)
    return tr("Open a run first: the edit is judged as a candidate of the shown run.");
  if (context_.session->running()) return tr("A run is in progress: an edit can be checked once it has ended.");
  if (const QString& busy = context_.session->busy(); !busy.isEmpty()) return busy;
  return {};
}

void Edits::check(const store::CandidateRecord& parent, const QString& text) {
  if (const QString why = why_not(); !why.isEmpty()) {
    emit refused(parent.id, why, {});
    return;
  }
  checking_ = parent.id;
  context_.session->set_judging(true);
  cancel_ = std::stop_source();
  emit state_changed();
  generator::Proposal edit;
  edit.text = text.toStdString();
  edit.language = parent.language;
  edit.parent = parent.hash;
  edit.note = edit.origin.move = "edited by hand";
  checker_.submit([this, edit, of = parent.id, run = context_.session->shown_run(), runs = context_.services.runs,
                   workspace = workspace_, session = context_.session,
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
    return [this, session, workspace, done, of] {
      checking_ = 0;
      session->set_judging(false);
      emit state_changed();
      if (workspace != workspace_) return;  // another one was opened: the edit is kept in its own
      if (!done) {
        emit refused(of, qs(done.error().message), qs(done.error().cause));
        return;
      }
      discard(of);
      checked_ = done->candidate;
      session->refresh_runs();
      emit checked(of, done->candidate, done->known);
    };
  });
}

void Edits::cancel() { cancel_.request_stop(); }

}  // namespace ww::widgets
