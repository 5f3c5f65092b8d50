// SPDX-License-Identifier: Apache-2.0
// Lesson files and a student's progress: what is read, and what is refused with a sentence that names the line.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <thread>
#include "base/files.h"
#include "lesson/lesson.h"
#include "lesson/progress.h"

using namespace ww;
using namespace ww::lesson;

namespace {

const std::string head = "---\ntitle: Rows\nsummary: One sentence.\nafter: warps, threads\nsource: A book\n---\n";
const std::string task =
    "```task\ntitle: Along the rows\nop: relu\nset: R = 64, C = 32\ngoal: bank_conflicts = 0\n"
    "goal: global_sectors <= 0.25 start\n```\n```cuda start\nstart();\n```\n```hint\nLook.\n```\n"
    "```cuda solution\nsolved();\n```\n";

std::string error_of(const std::string& text) {
  const auto l = read_lesson(text, "rows");
  return l ? "" : l.error().message;
}

const std::string step =
    "```step\ntitle: One load\nof: start\nat: start\nshow: sectors\nset: R = 8\nwarp: 1\nnth: 2\nexpect: ld.global\n"
    "expect: 8 sectors\n```\n";

}  // namespace

class LessonTest : public QObject {
  Q_OBJECT

 private slots:
  void a_lesson_is_read() {
    const auto l = read_lesson(head +
                                   "Text\n```cuda\nint x;\n```\n```question\nHow many?\n- [ ] one\n- [x] two\n"
                                   "why: Because\nof that.\n```\nMore\n" +
                                   task,
                               "rows");
    QVERIFY2(l.has_value(), l ? "" : l.error().text().c_str());
    QCOMPARE(l->title, std::string("Rows"));
    QCOMPARE(l->after, (std::vector<std::string>{"warps", "threads"}));
    QCOMPARE(l->sources, (std::vector<std::string>{"A book"}));
    QCOMPARE(l->parts.size(), std::size_t{4});
    QCOMPARE(std::get<std::string>(l->parts[0]), std::string("Text\n```cuda\nint x;\n```\n"));
    const Question& q = std::get<Question>(l->parts[1]);
    QCOMPARE(q.text, std::string("How many?"));
    QCOMPARE(q.why, std::string("Because\nof that."));
    QVERIFY(!q.choices[0].right && q.choices[1].right);
    const Task& t = std::get<Task>(l->parts[3]);
    QCOMPARE(t.op, std::string("relu"));
    QCOMPARE(t.binding.symbols.at("C"), std::int64_t{32});
    QCOMPARE(t.start, std::string("start();\n"));
    QCOMPARE(t.solution, std::string("solved();\n"));
    QCOMPARE(t.hints, (std::vector<std::string>{"Look.\n"}));
    QCOMPARE(goal_text(t.goals[0]), std::string("no bank conflicts"));
    QCOMPARE(goal_text(t.goals[1]), std::string("global sectors: at most 0.25 × the starting code's"));
  }

  void a_picture_of_a_step_is_read() {
    const auto l = read_lesson(head + step + "Text\n" + task, "rows");
    QVERIFY2(l.has_value(), l ? "" : l.error().text().c_str());
    const Picture& p = std::get<Picture>(l->parts[0]);
    QCOMPARE(p.title, std::string("One load"));
    QCOMPARE(p.at, std::string("start"));
    QVERIFY(!p.of_solution);
    QVERIFY(p.drawing == Drawing::sectors);
    QCOMPARE(p.binding.symbols.at("R"), std::int64_t{8});
    QCOMPARE(p.warp, 1);
    QCOMPARE(p.nth, 2);
    QCOMPARE(p.expected, (std::vector<std::string>{"ld.global", "8 sectors"}));
  }

  void what_is_wrong_is_named_with_its_line_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& text, const char* words) {
      QTest::newRow(name) << QString::fromStdString(text) << words;
    };
    row("nothing", "", "head");
    row("no head", "# Rows\n", "head");
    row("an open head", "---\ntitle: Rows\n", "no end");
    row("no summary", "---\ntitle: Rows\n---\n", "summary");
    row("another key", "---\ntitel: Rows\n---\n", "line 2");
    row("an open block", head + "```question\nHow?\n", "line 7");
    row("no right choice", head + "```question\nHow?\n- [ ] a\n- [ ] b\nwhy: c\n```\n", "one of them right");
    row("no reason", head + "```question\nHow?\n- [ ] a\n- [x] b\n```\n", "'why:'");
    row("no op", head + "```task\ntitle: T\n```\n", "its op");
    row("no solution", head + "```task\ntitle: T\nop: relu\n```\n```cuda start\nx\n```\n", "solution");
    row("a hint alone", head + "```hint\nLook.\n```\n", "below a task");
    row("two starts", head + task + "```cuda start\nx\n```\n", "two blocks");
    row("a goal without a number", head + "```task\ntitle: T\nop: relu\ngoal: global_sectors <= few\n```\n", "'few'");
    row("a size that is no number", head + "```task\ntitle: T\nop: relu\nset: R = many\n```\n", "'many'");
    row("a size and more", head + "```task\ntitle: T\nop: relu\nset: R = 64k\n```\n", "'64k'");
    row("no size", head + "```task\ntitle: T\nop: relu\nset: R = 64, C\n```\n", "'C' is not NAME = NUMBER");
    row("a size twice", head + "```task\ntitle: T\nop: relu\nset: R = 64, R = 2\n```\n", "R twice");
    row("a step without a task", head + step, "no task");
    row("a step without a line", head + "```step\ntitle: T\nshow: lanes\n```\n" + task, "its line");
    row("a step that shows something else", head + "```step\ntitle: T\nat: x\nshow: all\n```\n" + task, "show");
    row("a step of warp x", head + "```step\ntitle: T\nat: x\nwarp: x\n```\n" + task, "'x'");
    row("a step that expects nothing", head + "```step\ntitle: T\nat: x\nshow: lanes\nexpect:\n```\n" + task, "expect");
    row("an order that is no number", "---\ntitle: T\nsummary: S\norder: first\n---\n", "'first'");
    row("a goal of another form", head + "```task\ntitle: T\nop: relu\ngoal: global_sectors < 3\n```\n", "<=, >= or =");
    row("a counter that is none", head + "```task\ntitle: T\nop: relu\ngoal: lanches = 1\n```\n",
        "no counter 'lanches'");
  }
  void what_is_wrong_is_named_with_its_line() {
    QFETCH(QString, text);
    QFETCH(QString, words);
    const std::string error = error_of(text.toStdString());
    QVERIFY2(QString::fromStdString(error).contains(words), error.c_str());
    QVERIFY2(error.starts_with("lesson 'rows', line "), error.c_str());
  }

  void any_beginning_of_a_lesson_is_read_or_refused() {
    const std::string whole = head + step + task;
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      const auto l = read_lesson(whole.substr(0, n), "rows");
      QVERIFY(l || !l.error().message.empty());
    }
  }

  void lessons_follow_those_they_need() {
    const QTemporaryDir folder;
    const std::filesystem::path at = folder.path().toStdString();
    const auto put = [&](const char* name, const std::string& after) {
      std::ofstream(at / (std::string(name) + ".md")) << "---\ntitle: T\nsummary: S\n" + after + "---\nText\n";
    };
    put("apples", "after: zebras\n");
    put("zebras", "");
    auto all = lessons_in(at);
    QVERIFY(all);
    QCOMPARE(all->at(0).name, std::string("zebras"));
    put("bees", "order: 2\n");
    put("cows", "order: 1\n");
    put("ants", "order: 1\nafter: bees\n");
    all = lessons_in(at);
    QVERIFY(all);
    std::vector<std::string> names;
    for (const Lesson& l : *all) names.push_back(l.name);
    QCOMPARE(names, (std::vector<std::string>{"cows", "bees", "ants", "zebras", "apples"}));
    put("zebras", "after: apples\n");
    QVERIFY(QString::fromStdString(lessons_in(at).error().message).contains("comes after itself"));
    put("zebras", "after: birds\n");
    QVERIFY(QString::fromStdString(lessons_in(at).error().message).contains("does not exist"));
    QCOMPARE(lessons_in(at / "none").error().code, Code::not_found);
  }

  void progress_keeps_the_first_answer_and_the_last_kernel() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("a/lessons.json").toStdString();
    Progress p = read_progress(file).value();
    QVERIFY(p.passed.empty() && p.answered.empty());
    p.answer({"rows", 1, 2, false});
    p.answer({"rows", 1, 1, true});
    p.pass({"rows", 1, "old", "2026-01-01T00:00:00Z"});
    p.pass({"rows", 1, "new", "2026-01-02T00:00:00Z"});
    QVERIFY(write_progress(file, p));
    const Progress read = read_progress(file).value();
    QCOMPARE(read.answered.size(), std::size_t{1});
    QVERIFY(!read.answered[0].right);
    QCOMPARE(read.passed.size(), std::size_t{1});
    QCOMPARE(read.find_passed("rows", 1)->kernel, std::string("new"));
    QVERIFY(read.find_passed("rows", 2) == nullptr);
    const Lesson rows = read_lesson(head + task + task, "rows").value();
    QCOMPARE(read.count_passed(rows), 0);  // of which task it was is not known
    Progress writing = read;
    writing.keep_draft({"rows", 1, "half"});
    writing.keep_draft({"rows", 1, "whole"});
    writing.keep_draft({"rows", 2, "other"});
    writing.pass({"rows", 1, "half", ""});
    QCOMPARE(writing.find_draft("rows", 1)->kernel, std::string("whole"));
    writing.pass({"rows", 1, "whole", ""});
    QVERIFY(writing.find_draft("rows", 1) == nullptr && writing.find_draft("rows", 2) != nullptr);
    writing.keep_draft({"rows", 2, ""});
    QVERIFY(writing.drafts.empty());
    Progress strange = read;
    strange.pass({"rows", -5, "", ""});
    strange.pass({"rows", 9, "", ""});
    strange.pass({"rows", 2, "whole", "", hash_of(*rows.numbered<Task>(2))});
    QCOMPARE(strange.count_passed(rows), 1);
    QVERIFY(!strange.has_passed(rows, 1) && strange.has_passed(rows, 2));
    std::ofstream(file) << "[1, 2]";
    QVERIFY(!read_progress(file));
    QVERIFY(!change_progress(file, [](Progress& one) { one.answered.clear(); }));
    QCOMPARE(read_file(file).value(), std::string("[1, 2]"));  // nothing is lost
  }

  void aPassHoldsForTheTaskAsItWas() {
    const Task before = *read_lesson(head + task, "rows").value().numbered<Task>(1);
    Task now = before;
    now.title = "Another";
    now.hints.clear();
    now.solution += "// another\n";
    QCOMPARE(hash_of(now), hash_of(before));  // what does not decide
    const auto other = [&](auto change) {
      Task t = before;
      change(t);
      return hash_of(t) != hash_of(before);
    };
    QVERIFY(other([](Task& t) { t.goals.pop_back(); }));
    QVERIFY(other([](Task& t) { t.goals[0].value += 1; }));
    QVERIFY(other([](Task& t) { t.op = "gelu"; }));
    QVERIFY(other([](Task& t) { t.binding.symbols["C"] = 64; }));
    QVERIFY(other([](Task& t) { t.start += "\n"; }));  // a goal is a multiple of its counter
  }

  // As two windows and a terminal do at once.
  void progressOfSeveralProgramsIsKept() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("lessons.json").toStdString();
    {
      std::vector<std::jthread> programs;
      for (int program = 0; program < 4; ++program)
        programs.emplace_back([&file, program] {
          for (int i = 1; i <= 25; ++i)
            if (!change_progress(file, [&](Progress& p) { p.answer({"rows", 100 * program + i, 1, true}); }))
              qWarning("not written");
        });
    }
    QCOMPARE(read_progress(file).value().answered.size(), std::size_t{100});
  }
};

QTEST_GUILESS_MAIN(LessonTest)
#include "lesson_test.moc"
