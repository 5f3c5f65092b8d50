// SPDX-License-Identifier: GPL-3.0-or-later
// Imports and exports of files: adds a bundle's runs to the open workspace, writes the workspace (or its shown run) as
// one, and exports an accepted candidate as a standalone project. In the background; a new request waits for the one
// before it.
#pragma once
#include <QObject>
#include <QString>
#include "exporter/package.h"
#include "session/context.h"
#include "session/work.h"
#include "session/work_queue.h"

namespace ww::widgets {

class ExportDialog;

class Bundles : public QObject {
  Q_OBJECT
 public:
  explicit Bundles(const Context& context, QObject* parent = nullptr);
  void import_file(const QString& path);                    // then shows its first run
  void export_file(const QString& path, std::int64_t run);  // 0: all runs
  struct CandidateExport {
    QString folder;
    std::int64_t candidate = 0;
    exporter::Kind kind = exporter::Kind::torch;
    bool unsigned_too = false;
    std::int64_t backward = 0;  // 0: none
  };
  // Says the outcome in `dialog`, where there is one: it closes once the export is written.
  void export_candidate(const CandidateExport& wanted, ExportDialog* dialog = nullptr);
  void choose_import(QWidget* window);  // asks for the file first
  void choose_export(QWidget* window);
  void choose_candidate_export(QWidget* window, std::int64_t candidate);  // asks for form and folder

 signals:
  void began(Work work);
  void ended(Work work);
  void done(const QString& sentence);
  void problem(const QString& sentence);

 private:
  void submit(Work work, WorkQueue::Work job);  // says when it begins and ends
  Context context_;
  WorkQueue queue_;
};

}  // namespace ww::widgets
