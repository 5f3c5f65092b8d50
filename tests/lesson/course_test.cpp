// SPDX-License-Identifier: Apache-2.0
// The course as a whole: the glossary, the search, the links between lessons and advice, and class packages.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>
#include "base/files.h"
#include "lesson/glossary.h"
#include "lesson/package.h"

using namespace ww;
using namespace ww::lesson;
namespace fs = std::filesystem;

class CourseTest : public QObject {
  Q_OBJECT

 private slots:
  void theGlossaryLeadsToLessons() {
    const auto terms = glossary_in(glossary_folder());
    QVERIFY2(terms, terms ? "" : terms.error().text().c_str());
    const auto lessons = lessons_in(lessons_folder());
    QVERIFY(lessons);
    QVERIFY(terms->size() >= 40);
    std::size_t drawings = 0;
    for (const Term& t : *terms) {
      QVERIFY2(t.text.size() > 40, t.name.c_str());
      drawings += t.text.find("```text") != std::string::npos ? 1 : 0;
      for (const std::string& name : t.lessons)
        QVERIFY2(std::ranges::find(*lessons, name, &Lesson::name) != lessons->end(), (t.name + ": " + name).c_str());
    }
    QVERIFY(drawings >= 8);
    QCOMPARE(terms->front().name, std::string("active mask"));
  }

  void aBrokenGlossaryIsRefused() {
    for (const char* text : {"words\n", "## a\n", "## a\ntext\n", "## a\nlesson: x\n", "##  \ntext\nlesson: x\n",
                             "## a\ntext\nlesson: x\n## a\ntext\nlesson: x\n"}) {
      const auto terms = read_glossary(text, "g.md");
      QVERIFY2(!terms, text);
      QVERIFY(QString::fromStdString(terms.error().message).startsWith("g.md, line "));
    }
    QCOMPARE(read_glossary("", "g.md")->size(), std::size_t{0});
    QVERIFY(!glossary_in("/nowhere"));
  }

  void wordsAreFound() {
    const auto terms = glossary_in(glossary_folder());
    const auto lessons = lessons_in(lessons_folder());
    QVERIFY(terms && lessons);
    const auto hits = find_words("Bank CONFLICT", *lessons, *terms);
    QVERIFY(hits.size() > 2);
    QCOMPARE(hits[0].term, std::string("bank conflict"));
    QVERIFY(
        std::ranges::any_of(hits, [](const Hit& h) { return h.lesson == "shared_memory" || h.lesson == "padding"; }));
    for (const Hit& h : hits) QVERIFY(h.term.empty() != h.lesson.empty() && !h.line.empty());
    QVERIFY(find_words("", *lessons, *terms).empty());
    QVERIFY(find_words("  ", *lessons, *terms).empty());
    QVERIFY(find_words("zebra crossing", *lessons, *terms).empty());
    QCOMPARE(find_words("warp", *lessons, *terms, 3).size(), std::size_t{3});
  }

  // Each page of advice names the lessons that explain it, and each of these lessons names the advice.
  void lessonsAndAdviceLeadToEachOther() {
    const auto lessons = lessons_in(lessons_folder());
    QVERIFY(lessons);
    std::set<std::pair<std::string, std::string>> in_lessons, in_pages;
    for (const Lesson& l : *lessons)
      for (const std::string& id : l.advice) {
        QVERIFY2(fs::exists(resources_dir() / "rules/advice" / (id + ".md")), id.c_str());
        in_lessons.insert({id, l.name});
      }
    for (const auto& file : fs::directory_iterator(resources_dir() / "rules/advice")) {
      const QString page = QString::fromStdString(read_file(file.path()).value());
      static const QRegularExpression link("\\]\\(\\.\\./\\.\\./lessons/(\\w+)\\.md\\)");
      int links = 0;
      for (const QRegularExpressionMatch& m : link.globalMatch(page)) {
        in_pages.insert({file.path().stem().string(), m.captured(1).toStdString()});
        ++links;
      }
      QVERIFY2(links > 0, file.path().c_str());
    }
    QVERIFY(in_lessons == in_pages);
  }

  void aClassPackageIsExportedAndImported() {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString(), into = at / "own";
    const std::string text = "---\ntitle: Ours\nsummary: Of this class.\nafter: threads\n---\nText\n";
    std::ofstream(at / "ours.md") << text;
    const auto packed = pack("Class 7", {at / "ours.md"});
    QVERIFY2(packed, packed ? "" : packed.error().text().c_str());
    QVERIFY(write_package(at / "class.json", *packed));
    const auto read = read_package(at / "class.json");
    QVERIFY(read);
    QCOMPARE(read->title, std::string("Class 7"));
    QVERIFY(import_package(*read, into));
    QCOMPARE(read_file(into / "ours.md").value(), text);
    const auto all = course(into);
    QVERIFY(all && all->problem.empty());
    const auto ours = std::ranges::find(all->lessons, std::string("ours"), &Lesson::name);
    const auto threads = std::ranges::find(all->lessons, std::string("threads"), &Lesson::name);
    QVERIFY(ours != all->lessons.end() && threads < ours);
    QVERIFY(import_package(*read, into).value().empty());  // again: it is the same
    Package other = *read;
    other.lessons[0].text += "More\n";
    QCOMPARE(import_package(other, into).value(), std::vector<std::string>{"ours"});
    QCOMPARE(read_file(into / "ours.md.before").value(), text);
    QVERIFY(import_package(*read, into));  // what was kept before stays
    QCOMPARE(read_file(into / "ours.md.before").value(), text);
    QCOMPARE(read_file(into / "ours.md.before-2").value(), other.lessons[0].text);
  }

  // With what has been imported before, too.
  void aCircleThroughAnEarlierImportIsRefused() {
    const QTemporaryDir folder;
    const fs::path into = folder.path().toStdString();
    const auto one = [](const std::string& name, const std::string& after) {
      Package p;
      p.lessons.push_back(
          {name, "---\ntitle: T\nsummary: S\n" + (after.empty() ? "" : "after: " + after + "\n") + "---\nText\n"});
      return p;
    };
    QVERIFY(import_package(one("first", ""), into));
    QVERIFY(import_package(one("second", "first"), into));
    QVERIFY(!import_package(one("first", "second"), into));
    QVERIFY(lessons_in(into));
  }

  void aBadLessonOfAClassHidesNoOther() {
    const QTemporaryDir folder;
    qputenv("XDG_DATA_HOME", folder.path().toUtf8());
    const std::size_t own = lessons_in(lessons_folder()).value().size();
    QCOMPARE(course().value().lessons.size(), own);
    make_folders(own_lessons_folder());
    QVERIFY(write_file_atomic(own_lessons_folder() / "class.md", "---\ntitle: T\nsummary: S\n---\nText\n"));
    QCOMPARE(course().value().lessons.size(), own + 1);
    QVERIFY(course().value().problem.empty());
    for (const char* bad : {"threads.md", "mine.md"}) {  // the program's name; no lesson
      QVERIFY(write_file_atomic(own_lessons_folder() / bad, "no lesson"));
      const auto left = course();
      QVERIFY(left);
      QCOMPARE(left->lessons.size(), own + 1);
      QVERIFY(left->problem.find("is left out") != std::string::npos);
      fs::remove(own_lessons_folder() / bad);
    }
    // One that names a lesson that is left out is not.
    QVERIFY(write_file_atomic(own_lessons_folder() / "mine.md", "no lesson"));
    QVERIFY(write_file_atomic(own_lessons_folder() / "next.md", "---\ntitle: T\nsummary: S\nafter: mine\n---\nText\n"));
    QCOMPARE(course().value().lessons.size(), own + 2);
  }

  void whatIsNoPackageChangesNothing() {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString(), into = at / "own";
    const auto with = [&](const std::string& name, const std::string& head) {
      Package p;
      p.lessons.push_back({"good", "---\ntitle: T\nsummary: S\n---\nText\n"});
      p.lessons.push_back({name, "---\ntitle: T\nsummary: S\n" + head + "---\nText\n"});
      return p;
    };
    QVERIFY(!import_package(with("threads", ""), into));  // the program's
    QVERIFY(!import_package(with("../escape", ""), into));
    QVERIFY(!import_package(with("late", "after: never\n"), into));
    QVERIFY(!import_package(with("broken", "x\n"), into));
    QVERIFY(!import_package(with("good", ""), into));  // twice
    QVERIFY(!import_package(with("own", "after: own\n"), into));
    Package circle = with("second", "after: good\n");
    circle.lessons[0].text = "---\ntitle: T\nsummary: S\nafter: second\n---\nText\n";
    QVERIFY(import_package(circle, into).error().text().find("comes after itself") != std::string::npos);
    QVERIFY(!import_package(Package(), into));
    QVERIFY(!fs::exists(into));
    QVERIFY(write_file_atomic(at / "no.json", "{\"title\": 3}"));
    QVERIFY(!read_package(at / "no.json"));
    QVERIFY(write_file_atomic(at / "later.json", "{\"version\": 2, \"title\": \"x\", \"lessons\": []}"));
    QVERIFY(read_package(at / "later.json").error().text().find("later version") != std::string::npos);
    QVERIFY(!read_package(at / "absent.json"));
    QVERIFY(!pack("x", {}));
    QVERIFY(!pack("x", {at / "absent.md"}));
    QVERIFY(!pack("x", {at / "no.json"}));
  }
};

QTEST_GUILESS_MAIN(CourseTest)
#include "course_test.moc"
