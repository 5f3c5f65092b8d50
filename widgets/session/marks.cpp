// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/marks.h"
#include <QPointer>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>
#include "session/models/candidate_model.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

void put_mark(CandidateMarks& marks, store::MarkKind kind, const QString& text, bool on) {
  switch (kind) {
    case store::MarkKind::unknown: return;
    case store::MarkKind::pin: marks.pinned = on; return;
    case store::MarkKind::trash: marks.trashed = on; return;
    case store::MarkKind::note: marks.note = on ? text : QString(); return;
    case store::MarkKind::tag:
      if (!on)
        marks.tags.removeAll(text);
      else if (!marks.tags.contains(text))
        marks.tags.append(text);
  }
}

}  // namespace

class MarkCommand : public QUndoCommand {
 public:
  // `before` and `after`: the text that the mark has, null where it is not set.
  MarkCommand(Marks* owner, std::shared_ptr<store::Workspace> workspace, const QString& text, Marks::Ids candidates,
              store::MarkKind kind, QString before, QString after)
      : QUndoCommand(text),
        owner_(owner),
        workspace_(std::move(workspace)),
        candidates_(std::move(candidates)),
        kind_(kind),
        before_(std::move(before)),
        after_(std::move(after)) {}
  void redo() override { set(before_, after_); }
  void undo() override { set(after_, before_); }

 private:
  void set(const QString& from, const QString& to) {
    if (owner_) owner_->write(workspace_, candidates_, kind_, to.isNull() ? from : to, !to.isNull());
  }
  QPointer<Marks> owner_;
  std::shared_ptr<store::Workspace> workspace_;
  Marks::Ids candidates_;
  store::MarkKind kind_;
  QString before_, after_;
};

Marks::Marks(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context_.session, &Session::run_shown, this, &Marks::load);
  if (context_.session->shown_run() != 0) load();
}

QStringList Marks::tags() const {
  QStringList list;
  for (const CandidateMarks& marks : wanted_) list += marks.tags;
  list.removeDuplicates();
  list.sort(Qt::CaseInsensitive);
  return list;
}

void Marks::load() {
  wanted_.clear();
  const std::int64_t run = context_.session->shown_run();
  const auto workspace = context_.session->workspace();
  if (run == 0 || !workspace) return;  // a new run has none
  queue_.submit([this, run, workspace]() -> WorkQueue::Deliver {
    auto list = workspace->marks(run);
    if (!list)
      return [this, why = qs(list.error().text())] {
        emit problem(tr("The marks of the candidates cannot be read: %1").arg(why));
      };
    QHash<std::int64_t, CandidateMarks> all;
    for (const store::MarkRecord& m : *list) put_mark(all[m.candidate], m.kind, exact(m.text), true);
    return [this, run, workspace, all] {
      if (run != context_.session->shown_run() || workspace != context_.session->workspace()) return;
      wanted_ = all;
      context_.candidates->set_marks(all, true);
      emit changed({});
    };
  });
}

void Marks::pin(const Ids& candidates, bool on) {
  Ids ids;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(ids),
               [&](std::int64_t id) { return of(id).pinned != on; });
  const QString set = QStringLiteral("");
  command(on ? tr("Pin") : tr("Unpin"), ids, store::MarkKind::pin, on ? QString() : set, on ? set : QString());
}

void Marks::trash(const Ids& candidates, bool on) {
  Ids ids;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(ids),
               [&](std::int64_t id) { return of(id).trashed != on; });
  const QString set = QStringLiteral("");
  command(on ? tr("Move to trash") : tr("Restore from trash"), ids, store::MarkKind::trash, on ? QString() : set,
          on ? set : QString());
}

void Marks::tag(const Ids& candidates, const QString& given, bool on) {
  const QString tag = given.simplified();
  if (tag.isEmpty()) return;
  Ids ids;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(ids),
               [&](std::int64_t id) { return of(id).tags.contains(tag) != on; });
  command(on ? tr("Tag \"%1\"").arg(tag) : tr("Remove the tag \"%1\"").arg(tag), ids, store::MarkKind::tag,
          on ? QString() : tag, on ? tag : QString());
}

void Marks::set_note(std::int64_t candidate, const QString& given) {
  const QString text = given.trimmed(), before = of(candidate).note;
  if (text == before) return;
  command(tr("Note"), {candidate}, store::MarkKind::note, before.isEmpty() ? QString() : before,
          text.isEmpty() ? QString() : text);
}

void Marks::command(const QString& text, const Ids& candidates, store::MarkKind kind, const QString& before,
                    const QString& after) {
  const auto workspace = context_.session->workspace();
  if (candidates.isEmpty() || !workspace) return;
  const QString whole = candidates.size() == 1 ? tr("%1: #%2").arg(text).arg(candidates.first())
                                               : tr("%1: %2 candidates").arg(text).arg(candidates.size());
  context_.undo->push(new MarkCommand(this, workspace, whole, candidates, kind, before, after));
}

bool Marks::shows(const std::shared_ptr<store::Workspace>& workspace, std::int64_t candidate) const {
  return workspace == context_.session->workspace() && context_.candidates->row_of(candidate) >= 0;
}

void Marks::write(const std::shared_ptr<store::Workspace>& workspace, const Ids& candidates, store::MarkKind kind,
                  const QString& text, bool on) {
  for (const std::int64_t id : candidates)
    if (shows(workspace, id)) put_mark(wanted_[id], kind, text, on);
  queue_.submit([this, workspace, candidates, kind, text, on]() -> WorkQueue::Deliver {
    const Status done = workspace->set_marks({candidates.begin(), candidates.end()}, kind, text.toStdString(), on);
    const QString why = done ? QString() : qs(done.error().text());
    return [this, workspace, candidates, kind, text, on, why] {
      if (!why.isEmpty()) {
        emit problem(tr("The mark cannot be stored: %1").arg(why));
        load();
        return;
      }
      Ids shown;
      QHash<std::int64_t, CandidateMarks> stored;
      for (const std::int64_t id : candidates) {
        if (!shows(workspace, id)) continue;
        put_mark(stored[id] = context_.candidates->marks(id), kind, text, on);
        put_mark(wanted_[id], kind, text, on);
        shown.append(id);
      }
      context_.candidates->set_marks(stored, false);
      if (!shown.isEmpty()) emit changed(shown);
    };
  });
}

}  // namespace ww::widgets
