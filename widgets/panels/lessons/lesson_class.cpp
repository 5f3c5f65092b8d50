// SPDX-License-Identifier: GPL-3.0-or-later
// Class packages and results, in the lessons panel's menu "Class".
#include <QDir>
#include <QMenu>
#include <QToolButton>
#include "base/files.h"
#include "base/plural.h"
#include "base/records.h"
#include "lesson/package.h"
#include "lesson/progress.h"
#include "lesson/results.h"
#include "panels/lessons/lessons_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "session/actions/registry.h"
#include "session/file_dialogs.h"

namespace ww::widgets {

// Also in the palette, from where they show the panel.
QToolButton* LessonsPanel::make_class_menu(Registry* registry) {
  QToolButton* tool = make_tool(this, "lessons_class", tr("Class"), tr("Class packages and results"),
                                tr("Add a lecturer's lessons, pack your own, and write what you have done to a file"));
  tool->setPopupMode(QToolButton::InstantPopup);
  const QString category = tr("Lessons"), packages = tr("Class packages (*.json)");
  const auto add = [&](const char* id, const QString& text, const QString& summary, auto run) {
    registry->add(id, category, text, {}, "learn", summary, [registry, run] {
      registry->trigger("go.lessons");
      run();
    });
  };
  add("lessons.import", tr("&Import a class\u2026"), tr("Adds the lessons of a lecturer's package to yours"),
      [this, packages] {
        const QString file = FileDialogs::instance().open(this, FileKind::lessons, tr("Import a class"), packages);
        if (!file.isEmpty()) import_class(file);
      });
  add("lessons.pack", tr("&Pack lessons of a folder\u2026"), tr("Writes your own lessons as a class package"),
      [this, packages] {
        const QString folder = FileDialogs::instance().choose_folder(this, FileKind::lessons, tr("Folder of lessons"));
        if (folder.isEmpty()) return;
        const QString file = FileDialogs::instance().save(this, FileKind::lessons, tr("Write a class package"),
                                                          QDir(folder).dirName() + ".json", packages);
        if (!file.isEmpty()) pack_class(folder, file);
      });
  add("lessons.results", tr("Export your &results\u2026"), tr("Writes what you passed and answered as CSV or JSON"),
      [this] {
        const QString file =
            FileDialogs::instance().save(this, FileKind::lessons, tr("Export your results"), "results.csv",
                                         tr("Comma-separated values (*.csv);;JSON (*.json)"));
        if (!file.isEmpty()) export_results(file);
      });
  auto* menu = new QMenu(tool);
  registry->fill(menu, {"lessons.import", "lessons.pack", "lessons.results"});
  tool->setMenu(menu);
  return tool;
}

void LessonsPanel::say(const QString& text, const char* role) {
  set_role(problem_, role);
  problem_->setText(text);
  problem_->show();
}

void LessonsPanel::import_class(const QString& file) {
  const Result<lesson::Package> package = lesson::read_package(file.toStdString());
  const Result<std::vector<std::string>> imported =
      package.and_then([](const lesson::Package& p) { return lesson::import_package(p); });
  if (!imported) return say(qs(imported.error().text()), "error");
  const QString count = qs(plural(package->lessons.size(), "lesson"));
  news_ =
      package->title.empty() ? tr("Imported: %1.").arg(count) : tr("%1: %2 imported.").arg(qs(package->title), count);
  if (!imported->empty()) news_ += ' ' + qs(lesson::replaced_text(*imported));
  lessons_->load();
}

void LessonsPanel::pack_class(const QString& folder, const QString& file) {
  const std::vector<std::filesystem::path> lessons =
      lesson::lesson_files(folder.toStdString()).value_or(std::vector<std::filesystem::path>());
  if (lessons.empty()) return say(tr("The folder %1 has no lessons (NAME.md).").arg(harmless(folder)), "error");
  const auto package = lesson::pack(QDir(folder).dirName().toStdString(), lessons);
  const Status written = package ? lesson::write_package(file.toStdString(), *package) : Status(fail(package.error()));
  if (!written) return say(qs(written.error().text()), "error");
  say(tr("%1 in %2. Whether they can be passed, warpwright-cli learn check tells.")
          .arg(qs(plural(lessons.size(), "lesson")), harmless(file)),
      "ok");
}

void LessonsPanel::export_results(const QString& file) {
  const std::vector<lesson::ResultRow> rows = lesson::rows_of(lessons_->progress(), {});
  if (rows.empty()) return say(tr("There are no results yet: answer a question, or pass a task."), "error");
  std::error_code error;
  if (std::filesystem::weakly_canonical(file.toStdString(), error) ==
      std::filesystem::weakly_canonical(lesson::progress_file(), error))
    return say(tr("That file holds your progress itself: choose another one."), "error");
  const json::Json records = lesson::records_of(rows);
  const bool as_json = file.endsWith(".json", Qt::CaseInsensitive);
  const Status written =
      write_file_atomic(file.toStdString(), as_json ? json::dump(records, 2) + '\n' : csv_of(records));
  if (!written) return say(qs(written.error().text()), "error");
  say(tr("%1 in %2.").arg(qs(plural(rows.size(), "result")), harmless(file)), "ok");
}

}  // namespace ww::widgets
