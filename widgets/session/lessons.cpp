// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/lessons.h"
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include "base/files.h"
#include "base/utc.h"
#include "lesson/package.h"
#include "op/sentence/phrasebook.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {
constexpr int written_after = 200;  // milliseconds without a further change
}

LessonFunction lesson_judge() {
  return [](const lesson::Task& task, const std::string& kernel, const std::stop_token& stop,
            const rpc::ProgressHandler& progress) -> Result<lesson::Judged> {
    const op::Library library = WW_TRY(op::Library::load(resources_dir() / "ops"));
    rpc::Supervisor worker{rpc::WorkerOptions{}};
    return lesson::judge_task(task, kernel, library, worker, stop, progress);
  };
}

Lessons::Lessons(LessonFunction judge, QObject* parent) : QObject(parent), judge_(std::move(judge)) {
  soon_.setSingleShot(true);
  soon_.setInterval(written_after);
  for (const auto changed : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
    connect(&files_on_disk_, changed, &soon_, qOverload<>(&QTimer::start));
  connect(&soon_, &QTimer::timeout, this, &Lessons::load);
  progress_soon_.setSingleShot(true);
  progress_soon_.setInterval(written_after);
  for (const auto changed : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
    connect(&progress_on_disk_, changed, &progress_soon_, qOverload<>(&QTimer::start));
  connect(&progress_soon_, &QTimer::timeout, this, &Lessons::read_progress);
}

// An editor may replace a file, which ends its watch: all are watched anew.
void Lessons::watch() {
  QStringList paths;
  make_folders(lesson::own_lessons_folder());  // so that a class that is imported elsewhere is seen
  for (const std::filesystem::path& folder : {lesson::lessons_folder(), lesson::own_lessons_folder()}) {
    const QDir dir(qs(folder.string()));
    if (!dir.exists()) continue;
    paths += dir.path();
    if (const auto files = lesson::lesson_files(folder))
      for (const std::filesystem::path& file : *files) paths += qs(file.string());
  }
  if (const QStringList old = files_on_disk_.files() + files_on_disk_.directories(); !old.isEmpty())
    files_on_disk_.removePaths(old);
  if (!paths.isEmpty()) files_on_disk_.addPaths(paths);
}

// The file is replaced when it is written; until it is there, its folder is watched.
void Lessons::watch_progress() {
  const QFileInfo file(qs(lesson::progress_file().string()));
  if (const QStringList old = progress_on_disk_.files() + progress_on_disk_.directories(); !old.isEmpty())
    progress_on_disk_.removePaths(old);
  if (!file.exists()) make_folders(lesson::progress_file().parent_path());
  if (const QString path = file.exists() ? file.filePath() : file.path(); QFileInfo::exists(path))
    progress_on_disk_.addPath(path);
}

// What another window or a terminal has stored; after what is to be written from here.
void Lessons::read_progress() {
  watch_progress();
  files_.submit([this, changes = changes_]() -> WorkQueue::Deliver {
    Result<lesson::Progress> read = lesson::read_progress(lesson::progress_file());
    return [this, changes, read = std::move(read)] {
      if (!read || changes != changes_ || *read == progress_) return;
      // What is here is not lost with the file, nor with one that could not be written for a while.
      if (!stored_ || *read == lesson::Progress()) return change([](lesson::Progress&) {});
      const lesson::Progress before = std::exchange(progress_, *read);
      emit progress_changed();
      const auto tell = [this](const lesson::Progress& one, const lesson::Progress& other) {
        for (const lesson::Draft& d : one.drafts)
          if (std::ranges::find(other.drafts, d) == other.drafts.end()) emit draft_changed(qs(d.lesson), d.task);
      };
      tell(progress_, before);
      tell(before, progress_);
    };
  });
}

Lessons::~Lessons() { cancel_.request_stop(); }

void Lessons::load() {
  reader_.submit([this, changes = changes_]() -> LatestJob::Deliver {
    Result<lesson::Course> course = lesson::course();
    Result<lesson::Progress> progress = lesson::read_progress(lesson::progress_file());
    Result<std::vector<lesson::Term>> terms = lesson::glossary_in(lesson::glossary_folder());
    return [this, changes, course = std::move(course), progress = std::move(progress), terms = std::move(terms)] {
      watch();
      watch_progress();
      QStringList problems;
      if (!course) return emit problem(qs(course.error().text()));
      if (!course->problem.empty()) problems += qs(course->problem);
      if (!progress)
        problems += tr("%1. The file is left as it is; progress begins anew once it is moved away.")
                        .arg(qs(progress.error().text()));
      if (!terms) problems += qs(terms.error().text());
      const std::filesystem::path earlier = lesson::unsaved_file();
      if (std::error_code error; unsaved_.empty() && std::filesystem::exists(earlier, error))
        problems += tr("What could not be stored earlier is in %1.").arg(harmless(qs(earlier.string())));
      all_ = course->lessons;
      if (changes == changes_) progress_ = progress.value_or(lesson::Progress());
      terms_ = terms.value_or(std::vector<lesson::Term>());
      emit loaded();
      if (!problems.isEmpty()) emit problem(problems.join('\n'));
    };
  });
}

int Lessons::passed(const lesson::Lesson& lesson) const { return progress_.count_passed(lesson); }

void Lessons::answer(const lesson::Lesson& lesson, int question, int choice) {
  const lesson::Question& asked = *lesson.all<lesson::Question>().at(static_cast<std::size_t>(question) - 1);
  const bool right = asked.choices.at(static_cast<std::size_t>(choice) - 1).right;
  change([one = lesson::Answered{lesson.name, question, choice, right}](lesson::Progress& p) { p.answer(one); });
}

// The file is read again before it is written: a terminal or another window may have written it since.
void Lessons::change(std::function<void(lesson::Progress&)> how) {
  how(progress_);
  ++changes_;
  emit progress_changed();
  // What an earlier session could not store stays where it is.
  if (unsaved_.empty()) unsaved_ = lesson::free_path(lesson::unsaved_file());
  files_.submit(
      [this, how = std::move(how), now = progress_, all = !stored_, beside = unsaved_]() -> WorkQueue::Deliver {
        const Status written = lesson::change_progress(lesson::progress_file(), [&](lesson::Progress& p) {
          if (all || p == lesson::Progress())
            p.add(now);
          else
            how(p);
        });
        if (written)
          return [this] {
            if (!std::exchange(stored_, true)) emit stored_again();
            progress_soon_.start();  // the file is another one now
          };
        const bool kept = lesson::write_progress(beside, now).has_value();
        return [this, kept, why = qs(written.error().text()), file = qs(beside.string())] {
          stored_ = false;
          emit problem(kept ? tr("Your progress was not stored: %1. It is in %2 for now.").arg(why, harmless(file))
                            : tr("Your progress was not stored: %1.").arg(why));
        };
      });
}

void Lessons::judge(const lesson::Lesson& lesson, int task, const std::string& kernel) {
  if (judging_) return;
  judging_ = true;
  cancel_ = {};
  emit judging_changed();
  const lesson::Task of = *lesson.all<lesson::Task>().at(static_cast<std::size_t>(task) - 1);
  judge_job_.submit([this, of, name = lesson.name, task, kernel, stop = cancel_.get_token()]() -> LatestJob::Deliver {
    Result<lesson::Judged> result = judge_(of, kernel, stop, [this, task](const rpc::Progress& p) {
      QMetaObject::invokeMethod(
          this, [this, task, text = qs(p.stage) + ": " + qs(p.message)] { emit step(task, text); },
          Qt::QueuedConnection);
    });
    return [this, of, name, task, kernel, result = std::move(result)] {
      judging_ = false;
      if (result && result->passed())
        change([one = lesson::Passed{name, task, kernel, utc_now("%Y-%m-%dT%H:%M:%SZ"), lesson::hash_of(of)}](
                   lesson::Progress& p) { p.pass(one); });
      emit judged(qs(name), task,
                  result ? LessonOutcome{*result, {}, kernel, lesson::hash_of(of)}
                         : LessonOutcome{std::nullopt, qs(result.error().text()), {}, {}});
      emit judging_changed();
    };
  });
}

void Lessons::keep_draft(const std::string& lesson, int task, const std::string& kernel) {
  change([one = lesson::Draft{lesson, task, kernel}](lesson::Progress& p) { p.keep_draft(one); });
}

void Lessons::cancel() { cancel_.request_stop(); }

}  // namespace ww::widgets
