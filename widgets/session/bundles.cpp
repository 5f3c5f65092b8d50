// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/bundles.h"
#include <QFileDialog>
#include <QFileInfo>
#include "store/bundle.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

std::filesystem::path native_path(const QString& path) { return std::filesystem::path(path.toStdString()); }

}  // namespace

Bundles::Bundles(const Context& context, QObject* parent) : QObject(parent), context_(context) {}

void Bundles::import_file(const QString& path) {
  const QString folder = context_.session->folder();
  if (!context_.session->ready()) {
    emit problem(tr("A bundle is added to the open workspace, but none is open. Use File, Open workspace."));
    return;
  }
  queue_.submit([this, path, folder]() -> WorkQueue::Deliver {
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
    emit problem(tr("No workspace is open to export. Use File, Open workspace."));
    return;
  }
  queue_.submit([this, path, run, folder = context_.session->folder()]() -> WorkQueue::Deliver {
    const auto written = store::export_bundle(native_path(folder), native_path(path), run, "warpwright " WW_VERSION);
    const QString why = written ? QString() : qs(written.error().text());
    return [this, path, why] {
      const QString name = QFileInfo(path).fileName();
      if (why.isEmpty())
        emit done(tr("%1 was written. It opens anywhere: drop it into a window.").arg(name));
      else
        emit problem(tr("%1 was not written: %2").arg(name, why));
    };
  });
}

void Bundles::choose_import(QWidget* window) {
  const QString path =
      QFileDialog::getOpenFileName(window, tr("Import a workspace bundle"), {}, tr("Workspace bundles (*.wwb)"));
  if (!path.isEmpty()) import_file(path);
}

void Bundles::choose_export(QWidget* window) {
  QString path = QFileDialog::getSaveFileName(window, tr("Export the workspace as a bundle"), tr("workspace.wwb"),
                                              tr("Workspace bundles (*.wwb)"));
  if (path.isEmpty()) return;
  if (QFileInfo(path).suffix().isEmpty()) path += ".wwb";
  export_file(path, 0);
}

}  // namespace ww::widgets
