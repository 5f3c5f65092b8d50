// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/bundles.h"
#include <QFileInfo>
#include <QPointer>
#include "store/bundle.h"
#include "session/export_dialog.h"
#include "session/session.h"
#include "session/file_dialogs.h"
#include "parts/theme/text.h"
#include "parts/theme/dialogs.h"

namespace ww::widgets {

namespace {

std::filesystem::path native_path(const QString& path) { return std::filesystem::path(path.toStdString()); }

}  // namespace

Bundles::Bundles(const Context& context, QObject* parent) : QObject(parent), context_(context) {}

void Bundles::submit(Work work, WorkQueue::Work job) {
  emit began(work);
  queue_.submit([this, work, job = std::move(job)]() -> WorkQueue::Deliver {
    return [this, work, deliver = job()] {
      emit ended(work);
      if (deliver) deliver();
    };
  });
}

void Bundles::import_file(const QString& path) {
  const QString folder = context_.session->folder();
  if (!context_.session->ready()) {
    emit problem(tr("Open a workspace to add the bundle to: File, Open workspace."));
    return;
  }
  submit(Work::importing, [this, path, folder]() -> WorkQueue::Deliver {
    const auto imported = store::import_bundle(native_path(path), native_path(folder));
    const QString why = imported ? QString() : qs(imported.error().text());
    std::vector<std::int64_t> added;
    if (imported)
      for (const auto& [theirs, ours] : imported->runs) added.push_back(ours);
    return [this, path, folder, why, added] {
      const QString name = QFileInfo(path).fileName();
      if (!why.isEmpty()) {
        emit problem(tr("%1 was not imported: %2").arg(name, why));
        return;
      }
      emit done(tr("%1 was added to the workspace: %2")
                    .arg(name, counted(static_cast<int>(added.size()), tr("run"), tr("runs"))));
      if (context_.session->folder() != folder) return;  // another workspace is open by now
      context_.session->refresh_runs();
      if (!added.empty() && !context_.session->running()) context_.session->show_run(added.front());
    };
  });
}

void Bundles::export_file(const QString& path, std::int64_t run) {
  if (!context_.session->ready()) {
    emit problem(tr("Open the workspace to export first: File, Open workspace."));
    return;
  }
  submit(Work::exporting, [this, path, run, folder = context_.session->folder()]() -> WorkQueue::Deliver {
    const auto written = store::export_bundle(native_path(folder), native_path(path), run, "warpwright " WW_VERSION);
    const QString why = written ? QString() : qs(written.error().text());
    return [this, path, why] {
      const QString name = QFileInfo(path).fileName();
      if (why.isEmpty())
        emit done(tr("%1 was written. It can be opened on any machine: drop it into a window.").arg(name));
      else
        emit problem(tr("%1 was not written: %2").arg(name, why));
    };
  });
}

void Bundles::export_candidate(const CandidateExport& wanted, ExportDialog* dialog) {
  if (dialog) dialog->show_busy();
  const auto workspace = context_.session->workspace();
  submit(Work::exporting,
         [this, wanted, workspace, language = context_.services.language,
          dialog = QPointer<ExportDialog>(dialog)]() -> WorkQueue::Deliver {
           const auto written = [&]() -> Result<exporter::Exported> {
             if (!workspace) return fail(Code::invalid_argument, "no workspace is open");
             const op::Library* library = WW_TRY(language->library());
             exporter::Request request{.kind = wanted.kind,
                                       .folder = native_path(wanted.folder),
                                       .unsigned_too = wanted.unsigned_too,
                                       .backward = std::nullopt,
                                       .others = {},
                                       .program = "Warpwright " WW_VERSION};
             if (wanted.backward != 0) request.backward = WW_TRY(workspace->candidate(wanted.backward));
             return exporter::export_candidate(*workspace, *library, WW_TRY(workspace->candidate(wanted.candidate)),
                                               request);
           }();
           const QString why = written ? QString() : qs(written.error().text());
           const QString next = written ? qs(exporter::next_step(wanted.kind, *written)) : QString();
           return [this, wanted, why, next, dialog] {
             if (!why.isEmpty()) {
               const QString text = tr("#%1 was not exported: %2").arg(wanted.candidate).arg(why);
               if (dialog) return dialog->show_problem(text);
               emit problem(text);
               return;
             }
             if (dialog) dialog->finish();
             const QString what = wanted.backward == 0
                                      ? tr("#%1").arg(wanted.candidate)
                                      : tr("#%1 with its backward #%2").arg(wanted.candidate).arg(wanted.backward);
             emit done(tr("%1 is in %2 (%3). %4").arg(what, wanted.folder, qs(exporter::title_of(wanted.kind)), next));
           };
         });
}

void Bundles::choose_candidate_export(QWidget* window, std::int64_t candidate) {
  const auto workspace = context_.session->workspace();
  if (candidate == 0 || !workspace) {
    emit problem(tr("Select a proved candidate to export."));
    return;
  }
  queue_.submit([this, candidate, workspace, language = context_.services.language,
                 window = QPointer<QWidget>(window)]() -> WorkQueue::Deliver {
    const auto offer = [&]() -> Result<ExportOffer> {
      const store::CandidateRecord record = WW_TRY(workspace->candidate(candidate));
      WW_TRY(exporter::accepted_here(record));
      const bool is_signed = WW_TRY(exporter::is_signed(*workspace, record));
      const op::Library* library = WW_TRY(language->library());
      const exporter::BackwardChoice choice = WW_TRY(exporter::backward_choice(*workspace, *library, record));
      return ExportOffer{candidate, choice.op, is_signed, choice.candidates,
                         choice.candidates.empty() ? qs(exporter::no_candidate_text(choice, workspace->folder()))
                                                   : QString()};
    }();
    return [this, candidate, window, offer] {
      if (!offer) emit problem(tr("#%1 cannot be exported: %2").arg(candidate).arg(qs(offer.error().text())));
      if (!offer || !window) return;
      auto* dialog = new ExportDialog(*offer, window);
      const QString name = QStringLiteral("%1_%2").arg(qs(offer->op)).arg(candidate);
      dialog->set_go([this, dialog, candidate, name] {
        const QString folder = FileDialogs::instance().new_folder(
            dialog, FileKind::kernel, tr("Export #%1: name a new folder").arg(candidate), name);
        if (!folder.isEmpty())
          export_candidate({folder, candidate, dialog->kind(), !dialog->all_signed(), dialog->backward()}, dialog);
      });
      open_once(dialog);
    };
  });
}

void Bundles::choose_import(QWidget* window) {
  const QString path = FileDialogs::instance().open(window, FileKind::bundle, tr("Import a workspace bundle"),
                                                    tr("Workspace bundles (*.wwb)"));
  if (!path.isEmpty()) import_file(path);
}

void Bundles::choose_export(QWidget* window) {
  QString path = FileDialogs::instance().save(window, FileKind::bundle, tr("Export the workspace as a bundle"),
                                              tr("workspace.wwb"), tr("Workspace bundles (*.wwb)"));
  if (path.isEmpty()) return;
  if (QFileInfo(path).suffix().isEmpty()) path += ".wwb";
  export_file(path, 0);
}

}  // namespace ww::widgets
