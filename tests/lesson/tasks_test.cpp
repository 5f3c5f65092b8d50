// SPDX-License-Identifier: Apache-2.0
// The lessons that ship: each can be read and has a question and a task, whose starting code does not pass and whose
// solution does; and a picture of a step that can be drawn.
#include <QtTest>
#include "base/files.h"
#include "lesson/check.h"
#include "lesson/judge.h"
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

  void every_lesson_can_be_taught_data() {
    QTest::addColumn<int>("at");
    for (std::size_t i = 0; i < lessons_.size(); ++i) QTest::newRow(lessons_[i].name.c_str()) << static_cast<int>(i);
  }
  void every_lesson_can_be_taught() {
    QFETCH(int, at);
    const Lesson& l = lessons_[static_cast<std::size_t>(at)];
    const auto findings = check_lesson(l, *library_, *worker_);
    QVERIFY2(findings.has_value(), findings ? "" : findings.error().text().c_str());
    for (const Finding& f : *findings) QFAIL((f.part + ": " + f.text).c_str());
    QVERIFY(!l.all<Picture>().empty());
    for (const Picture* p : l.all<Picture>()) QVERIFY2(p->expected.size() >= 2, p->title.c_str());
  }

  // A kernel that is right where it claims to be, and claims less than the solution does.
  void a_claim_of_what_suits_the_kernel_does_not_pass_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("condition");
    QTest::newRow("no edge") << "threads"
                             << "R * C % 256 == 0";
    QTest::newRow("whole tiles") << "matmul_tiles"
                                 << "N % 16 == 0";
    QTest::newRow("few bins") << "histograms"
                              << "V <= 64";
    QTest::newRow("whole warps") << "reductions"
                                 << "C % 32 == 0";
  }
  void a_claim_of_what_suits_the_kernel_does_not_pass() {
    QFETCH(QString, name);
    QFETCH(QString, condition);
    const auto l = std::ranges::find(lessons_, name.toStdString(), &Lesson::name);
    const Task& t = *l->all<Task>().front();
    std::string narrow = t.solution;
    narrow.insert(narrow.find('\n') + 1, "//@ require " + condition.toStdString() + "\n");
    const auto judged = judge_task(t, narrow, *library_, *worker_);
    QVERIFY2(judged.has_value(), judged ? "" : judged.error().text().c_str());
    QVERIFY2(judged->verdict.accepted, judged->verdict.summary().c_str());
    QVERIFY(!judged->passed() && judged->left_out.size() > 2);
    QVERIFY(QString::fromStdString(left_out_text(*judged)).contains("that the task asks for: "));
  }

  // What a lecturer's own lesson gets wrong is told by part.
  void a_lesson_that_cannot_be_taught_is_told() {
    Lesson l = *std::ranges::find(lessons_, std::string("threads"), &Lesson::name);
    const auto texts = [&] {
      const auto findings = check_lesson(l, *library_, *worker_);
      QString all;
      for (const Finding& f : findings.value()) all += QString::fromStdString(f.part + ": " + f.text + "\n");
      return all;
    };
    Task& t = std::get<Task>(*std::ranges::find_if(l.parts, [](const Part& p) { return std::get_if<Task>(&p); }));
    Picture& p =
        std::get<Picture>(*std::ranges::find_if(l.parts, [](const Part& one) { return std::get_if<Picture>(&one); }));
    const Task good = t;
    p.expected = {"ld.shared"};
    t.start = good.solution;
    QString found = texts();
    QVERIFY2(found.contains("task 1: The starting code passes already.") &&
                 found.contains("picture 1: It does not show 'ld.shared'"),
             qPrintable(found));
    t.start = good.start;
    t.solution = good.start;
    p.at = "nowhere";
    l.sources.clear();
    found = texts();
    QVERIFY2(found.contains("task 1: The solution does not pass: ") && found.contains("no line contains 'nowhere'") &&
                 found.contains("It names no source."),
             qPrintable(found));
    t = good;
    t.goals.push_back({"unicorns", Goal::Relation::equal, 0, false});
    QVERIFY2(texts().contains("no counter 'unicorns'"), qPrintable(texts()));
    t.op = "unknown_op";
    QVERIFY2(texts().contains("'unknown_op' is not in the library"), qPrintable(texts()));
  }
};

QTEST_GUILESS_MAIN(LessonTasksTest)
#include "tasks_test.moc"
