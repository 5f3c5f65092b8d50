// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/run_deletion.h"
#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>
#include <QUndoStack>
#include "explore/delete_run.h"
#include "panels/tour/tour.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "session/compared_names.h"
#include "session/edits.h"
#include "session/review_words.h"
#include "session/session.h"

namespace ww::widgets {

RunDeletion::RunDeletion(const Context& context, Edits* edits, QWidget* window)
    : QObject(window), context_(context), edits_(edits), window_(window) {
  connect(context_.session, &Session::runs_listed, this, &RunDeletion::follow);
}

void RunDeletion::forget(std::int64_t run) {
  context_.undo->clear();  // its commands may be of candidates that are gone
  context_.compared->forget_run(run);
  if (context_.session->shown_run() == run) context_.session->close_run();
}

void RunDeletion::follow(const std::vector<store::RunRecord>& runs) {
  QSet<std::int64_t> now;
  for (const store::RunRecord& run : runs) now.insert(run.id);
  const auto workspace = context_.session->workspace();
  const QSet<std::int64_t> before = workspace == workspace_.lock() ? known_ : QSet<std::int64_t>();
  workspace_ = workspace;
  known_ = now;
  for (const std::int64_t run : before - now) {
    const bool shown = context_.session->shown_run() == run;
    forget(run);
    if (deleted_.remove(run)) continue;
    emit deleted(run, (shown ? tr("Run %1, which was shown, is no longer in the workspace: another program deleted it.")
                             : tr("Run %1 is no longer in the workspace: another program deleted it."))
                          .arg(run));
  }
}

void RunDeletion::ask(std::int64_t run) {
  const auto workspace = context_.session->workspace();
  if (run == 0 || !workspace) return;
  if (Tour::owns(context_.session->folder())) {
    emit refused(tr("The tour needs its run: it cannot be deleted."));
    return;
  }
  if (context_.session->running() && context_.session->live_run() == run) {
    emit refused(tr("Run %1 is in progress. It can be deleted once it has ended.").arg(run));
    return;
  }
  if (!context_.session->busy().isEmpty()) {
    emit refused(tr("%1 A run can be deleted once that has ended.").arg(context_.session->busy()));
    return;
  }
  job_.submit([this, workspace, run]() -> LatestJob::Deliver {
    const auto contents = explore::deletion_preview(*workspace, run);
    if (!contents) return [this, why = qs(contents.error().text())] { emit refused(tr("Not deleted: %1.").arg(why)); };
    return [this, workspace, contents = *contents, unsent = ReviewWords::of_run(*workspace, run)] {
      if (workspace == context_.session->workspace()) confirm(contents, unsent);
    };
  });
}

void RunDeletion::confirm(const store::DeletedRun& contents, const std::vector<std::filesystem::path>& unsent) {
  auto* box = with_id(new QMessageBox(QMessageBox::Warning, tr("Delete run"),
                                      tr("Delete run %1 (%2)?").arg(contents.run).arg(qs(contents.op)),
                                      QMessageBox::Cancel, window_),
                      "delete_run");
  QStringList parts = {counted(contents.candidates, tr("candidate"), tr("candidates"))};
  if (contents.exchanges > 0)
    parts += counted(contents.exchanges, tr("exchange with a model"), tr("exchanges with models"));
  if (contents.measurements > 0) parts += counted(contents.measurements, tr("measurement"), tr("measurements"));
  QString what = tr("Its %1 will be permanently deleted. This cannot be undone.").arg(parts.join(", "));
  if (const auto n = static_cast<int>(unsent.size()); n > 0)
    what +=
        "\n\n" + (n == 1 ? tr("A text that you typed for its review and did not send will be deleted too.")
                         : tr("%1 texts that you typed for its review and did not send will be deleted too.").arg(n));
  const QList<std::int64_t> drafts = edits_->of_run(contents.run);
  QCheckBox* too = nullptr;
  if (!drafts.isEmpty()) {
    const int n = static_cast<int>(drafts.size());
    what += "\n\n" + (n == 1 ? tr("1 draft that was never judged stays, under Drafts in the panel Code.")
                             : tr("%1 drafts that were never judged stay, under Drafts in the panel Code.").arg(n));
    too = with_id(new QCheckBox(n == 1 ? tr("Delete the d&raft too") : tr("Delete the d&rafts too"), box),
                  "delete_run_drafts");
    box->setCheckBox(too);
  }
  box->setInformativeText(what);
  QPushButton* yes = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
  yes->setObjectName("delete_run_yes");
  box->setDefaultButton(QMessageBox::Cancel);
  box->setEscapeButton(QMessageBox::Cancel);
  connect(yes, &QPushButton::clicked, this, [this, run = contents.run, drafts, too, unsent] {
    remove(run, too && too->isChecked() ? drafts : QList<std::int64_t>(), unsent);
  });
  open_once(box);
}

void RunDeletion::remove(std::int64_t run, const QList<std::int64_t>& drafts,
                         const std::vector<std::filesystem::path>& unsent) {
  const auto workspace = context_.session->workspace();
  deleted_.insert(run);
  job_.submit([this, workspace, run, drafts, unsent]() -> LatestJob::Deliver {
    const auto done = explore::delete_run(*workspace, run);
    if (!done)
      return [this, run, why = qs(done.error().text())] {
        deleted_.remove(run);
        emit refused(tr("Not deleted: %1.").arg(why));
      };
    for (const std::filesystem::path& text : unsent) {
      std::error_code ec;
      std::filesystem::remove(text, ec);
    }
    return [this, workspace, run, drafts, candidates = done->candidates] {
      if (workspace != context_.session->workspace()) return;
      forget(run);
      for (const std::int64_t draft : drafts) edits_->discard(draft);
      context_.session->refresh_runs();
      emit deleted(
          run, tr("Run %1 was deleted, with %2.").arg(run).arg(counted(candidates, tr("candidate"), tr("candidates"))));
    };
  });
}

}  // namespace ww::widgets
