// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/lessons.h"
#include <algorithm>
#include "base/files.h"
#include "base/utc.h"
#include "lesson/package.h"
#include "op/sentence/phrasebook.h"
#include "parts/theme/text.h"

namespace ww::widgets {

LessonFunction lesson_judge() {
  return [](const lesson::Task& task, const std::string& kernel, const std::stop_token& stop,
            const rpc::ProgressHandler& progress) -> Result<lesson::Judged> {
    const op::Library library = WW_TRY(op::Library::load(resources_dir() / "ops"));
    rpc::Supervisor worker{rpc::WorkerOptions{}};
    return lesson::judge_task(task, kernel, library, worker, stop, progress);
  };
}

Lessons::Lessons(LessonFunction judge, QObject* parent) : QObject(parent), judge_(std::move(judge)) {}

Lessons::~Lessons() { cancel_.request_stop(); }

void Lessons::load() {
  reader_.submit([this]() -> LatestJob::Deliver {
    Result<std::vector<lesson::Lesson>> all = lesson::all_lessons();
    Result<lesson::Progress> progress = lesson::read_progress(lesson::progress_file());
    Result<std::vector<lesson::Term>> terms = lesson::glossary_in(lesson::glossary_folder());
    return [this, all = std::move(all), progress = std::move(progress), terms = std::move(terms)] {
      if (!all || !progress) return emit problem(qs(!all ? all.error().text() : progress.error().text()));
      if (terms)
        terms_ = *terms;
      else
        emit problem(qs(terms.error().text()));
      all_ = *all;
      progress_ = *progress;
      emit loaded();
    };
  });
}

int Lessons::passed(const lesson::Lesson& lesson) const {
  return static_cast<int>(std::ranges::count(progress_.passed, lesson.name, &lesson::Passed::lesson));
}

void Lessons::answer(const lesson::Lesson& lesson, int question, int choice) {
  const lesson::Question& asked = *lesson.all<lesson::Question>().at(static_cast<std::size_t>(question) - 1);
  const bool right = asked.choices.at(static_cast<std::size_t>(choice) - 1).right;
  change([one = lesson::Answered{lesson.name, question, choice, right}](lesson::Progress& p) { p.answer(one); });
}

// The file is read again before it is written: a terminal may have written it since.
void Lessons::change(std::function<void(lesson::Progress&)> how) {
  how(progress_);
  emit progress_changed();
  files_.submit([this, how = std::move(how)]() -> WorkQueue::Deliver {
    const std::filesystem::path file = lesson::progress_file();
    Result<lesson::Progress> now = lesson::read_progress(file);
    if (now) how(*now);
    const Status written = now ? lesson::write_progress(file, *now) : Status(fail(now.error()));
    if (written) return [] {};
    return [this, why = qs(written.error().text())] { emit problem(tr("Your progress was not stored: %1.").arg(why)); };
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
    return [this, name, task, kernel, result = std::move(result)] {
      judging_ = false;
      if (result && result->passed())
        change([one = lesson::Passed{name, task, kernel, utc_now("%Y-%m-%dT%H:%M:%SZ")}](lesson::Progress& p) {
          p.pass(one);
        });
      emit judged(qs(name), task,
                  result ? LessonOutcome{*result, {}} : LessonOutcome{std::nullopt, qs(result.error().text())});
      emit judging_changed();
    };
  });
}

void Lessons::cancel() { cancel_.request_stop(); }

}  // namespace ww::widgets
