// SPDX-License-Identifier: Apache-2.0
// The lessons that ship: each can be read and has a question and a task, whose starting code does not pass and whose
// solution does; and a picture of a step that can be drawn.
#include <QtTest>
#include "base/files.h"
#include "lesson/judge.h"
#include "lesson/picture.h"
#include "op/sentence/phrasebook.h"

using namespace ww;
using namespace ww::lesson;

class LessonTasksTest : public QObject {
  Q_OBJECT
  std::vector<Lesson> lessons_;
  std::optional<op::Library> library_;
  std::optional<rpc::Supervisor> worker_;

 private slots:
  void initTestCase() {
    auto lessons = lessons_in(lessons_folder());
    QVERIFY2(lessons.has_value(), lessons ? "" : lessons.error().text().c_str());
    lessons_ = std::move(*lessons);
    QVERIFY(lessons_.size() >= 24);
    auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY(library);
    library_ = std::move(*library);
    rpc::WorkerOptions how;
    how.compile_cache = std::filesystem::path(WW_BINARY_DIR) / "lesson-cache";
    worker_.emplace(how);
  }

  void every_task_can_be_failed_and_passed_data() {
    QTest::addColumn<int>("at");
    for (std::size_t i = 0; i < lessons_.size(); ++i) QTest::newRow(lessons_[i].name.c_str()) << static_cast<int>(i);
  }
  void every_task_can_be_failed_and_passed() {
    QFETCH(int, at);
    const Lesson& l = lessons_[static_cast<std::size_t>(at)];
    QVERIFY(!l.sources.empty());
    QVERIFY(!l.all<Question>().empty());
    QVERIFY(!l.all<Task>().empty());
    for (const Task* t : l.all<Task>()) {
      QVERIFY2(!t->hints.empty(), t->title.c_str());
      const auto start = judge_task(*t, t->start, *library_, *worker_);
      QVERIFY2(start.has_value(), start ? "" : start.error().text().c_str());
      QVERIFY2(!start->passed() && start->verdict.ruling() != evidence::Ruling::not_judged,
               start->verdict.summary().c_str());
      const auto solution = judge_task(*t, t->solution, *library_, *worker_);
      QVERIFY2(solution.has_value(), solution ? "" : solution.error().text().c_str());
      QVERIFY2(solution->verdict.accepted, solution->verdict.summary().c_str());
      for (const Reached& r : solution->goals)
        QVERIFY2(r.met, (goal_text(r.goal) + ": " + std::to_string(r.reached)).c_str());
    }
  }

  void every_picture_is_drawn_data() { every_task_can_be_failed_and_passed_data(); }
  void every_picture_is_drawn() {
    QFETCH(int, at);
    const Lesson& l = lessons_[static_cast<std::size_t>(at)];
    QVERIFY(!l.all<Picture>().empty());
    for (const Picture* p : l.all<Picture>()) {
      const auto drawn = pictured(l, *p, *library_, *worker_);
      QVERIFY2(drawn.has_value(), drawn ? "" : drawn.error().text().c_str());
      QCOMPARE(static_cast<int>(drawn->step.warp), p->warp);
      QCOMPARE(drawn->position, drawn->step.step + 1);
      const std::string text = picture_text(*p, *drawn);
      QVERIFY(text.find(p->title) == 0);
      QVERIFY(text.find(p->drawing == Drawing::lanes     ? " = "
                        : p->drawing == Drawing::sectors ? " sector"
                                                         : " wavefront") != std::string::npos);
    }
  }
};

QTEST_GUILESS_MAIN(LessonTasksTest)
#include "tasks_test.moc"
