// SPDX-License-Identifier: Apache-2.0
// `learn` in a terminal: the glossary, the search, class packages, and the results of a class.
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include "support/cli_call.h"

using namespace ww::testing;

class CliLearnTest : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;

  QString write(const QString& name, const QByteArray& text) { return write_file(dir_.filePath(name), text); }
  Outcome call(const QStringList& arguments) {
    return call_cli(CLI_PROGRAM, arguments,
                    environment_with({{"WARPWRIGHT_WORKER", REAL_WORKER}, {"XDG_DATA_HOME", dir_.filePath("data")}}));
  }

 private slots:
  void termsAreExplainedAndFound() {
    const Outcome all = call({"learn", "glossary"});
    QVERIFY2(all.exit == 0 && all.out.contains("bank conflict\n"), all.out + all.err);
    const Outcome one = call({"learn", "glossary", "padding"});
    QVERIFY2(one.exit == 0 && one.out.contains("row of 32 + 1 words") && one.out.contains("Lessons: padding"), one.out);
    QVERIFY(call({"learn", "glossary", "sass"}).out.startsWith("SASS\n"));  // in any case
    const Outcome none = call({"learn", "glossary", "zebra"});
    QVERIFY2(none.exit != 0 && none.err.contains("no term 'zebra'"), none.err);
    const Outcome found = call({"learn", "find", "bank conflict", "--json"});
    QCOMPARE(found.json()["found"].toArray()[0].toObject()["term"].toString(), QString("bank conflict"));
    const Outcome nothing = call({"learn", "find", "zebra crossing"});
    QVERIFY2(nothing.exit == 1 && nothing.out.contains("No lesson"), nothing.out);
    QVERIFY(call({"learn", "show", "coalescing"}).out.contains("Advice that it explains: uncoalesced-loads"));
  }

  void aPicturesStepIsSaved() {
    const QString file = dir_.filePath("step.wwmoment");
    const Outcome o = call({"learn", "picture", "coalescing", "--save", file});
    QVERIFY2(o.exit == 0 && o.out.contains("The moment is in "), o.out + o.err);
    const Outcome shown = call({"sim", "moment", file});
    QVERIFY2(shown.exit == 0 && shown.out.contains("bytes of x in"), shown.out + shown.err);
  }

  void aClassIsPackedAndImported() {
    const QString lesson = write("ours.md", "---\ntitle: Ours\nsummary: Of this class.\nafter: threads\n---\nText\n");
    const QString file = dir_.filePath("class.json");
    const Outcome packed = call({"learn", "pack", lesson, "--title", "Class 7", "-o", file});
    QVERIFY2(packed.exit == 0 && packed.out.contains("1 lesson"), packed.out + packed.err);
    QVERIFY(!call({"learn", "list"}).out.contains("Ours"));
    const Outcome imported = call({"learn", "import", file});
    QVERIFY2(imported.exit == 0 && imported.out.startsWith("Class 7: 1 lesson"), imported.out + imported.err);
    QVERIFY(call({"learn", "list"}).out.contains("Ours"));
    QVERIFY(call({"learn", "show", "ours"}).out.contains("Text"));
    const QString own = write("threads.md", "---\ntitle: T\nsummary: S\n---\nText\n");
    const Outcome clash = call({"learn", "pack", own, "-o", file});
    QVERIFY2(clash.exit != 0 && clash.err.contains("has a lesson 'threads' of its own"), clash.err);
    QVERIFY(call({"learn", "import", lesson}).exit != 0);
    QVERIFY(call({"learn", "pack", dir_.filePath("absent.md"), "-o", file}).exit != 0);
    QCOMPARE(call({"learn", "list"}).exit, 0);
  }

  void aLessonIsCheckedAndRemoved() {
    const QString ours = write("mine.md", "---\ntitle: Mine\nsummary: S.\n---\nText\n");
    const Outcome found = call({"learn", "check", ours});
    QVERIFY2(found.exit == 1 && found.out.contains("mine: It has no task.") && found.out.contains("names no source"),
             found.out + found.err);
    const QString threads = qEnvironmentVariable("WARPWRIGHT_RESOURCES") + "/lessons/threads.md";
    const Outcome good = call({"learn", "check", threads});
    QVERIFY2(good.exit == 0 && good.out.startsWith("The lesson can be taught"), good.out + good.err);
    QCOMPARE(call({"learn", "check", ours, "--json"}).json()["findings"].toArray().size(), qsizetype{3});
    QVERIFY(call({"learn", "check", dir_.filePath("absent.md")}).exit > 1);
    const QString file = dir_.filePath("mine.json");
    QVERIFY(call({"learn", "pack", ours, "-o", file}).exit == 0 && call({"learn", "import", file}).exit == 0);
    QVERIFY(call({"learn", "list"}).out.contains("Mine"));
    const Outcome removed = call({"learn", "remove", "mine"});
    QVERIFY2(removed.exit == 0 && !call({"learn", "list"}).out.contains("Mine"), removed.out + removed.err);
    for (const char* name : {"mine", "threads", "../lessons"}) {
      const Outcome none = call({"learn", "remove", name});
      QVERIFY2(none.exit > 1 && none.err.contains("is no imported lesson"), none.out + none.err);
    }
  }

  // Every student's file has the same name; their folders tell them apart.
  void studentsAreToldApart() {
    QDir(dir_.path()).mkpath("class/ada");
    QDir(dir_.path()).mkpath("class/bob");
    const QByteArray text = R"({"answered": [{"lesson": "threads", "question": 1, "choice": 1, "right": false}]})";
    const Outcome o = call({"learn", "results", write("class/ada/lessons.json", text),
                            write("class/bob/lessons.json", text), "--format", "csv"});
    QVERIFY2(o.exit == 0 && o.out.contains("\nada,threads,") && o.out.contains("\nbob,threads,"), o.out + o.err);
  }

  // A file's claims count for nothing where its kernels are judged again.
  void aClassesResultsAreChecked() {
    const auto student = [&](const char* name, const QByteArray& kernel, int choice) {
      return write(name, R"({"passed": [{"lesson": "threads", "task": 1, "time": "2026-01-01T00:00:00Z", "kernel": ")" +
                             kernel + R"("}], "answered": [{"lesson": "threads", "question": 1, "choice": )" +
                             QByteArray::number(choice) + R"(, "right": true}]})");
    };
    const QByteArray honest =
        R"(//@ candidate add\n//@ launch add grid(ceildiv(R * C, 256)) block(256) args(a, b, z, R * C)\n)"
        R"(extern \"C\" __global__ void add(const float* a, const float* b, float* z, int n) {\n)"
        R"(  const int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) z[i] = a[i] + b[i];\n}\n)";
    const QString narrow = student(
        "narrow.json", QByteArray(honest).replace("//@ launch", "//@ require R * C % 256 == 0\\n//@ launch"), 4);
    const Outcome claims = call({"learn", "results", narrow, "--judge-again"});
    QVERIFY2(claims.exit == 1 && claims.out.contains("does not pass"), claims.out);
    const QString ada = student("ada.json", honest, 4), bob = student("bob.json", "// nothing", 1);
    const Outcome claimed = call({"learn", "results", ada, bob, "--format", "csv"});
    QVERIFY2(claimed.exit == 0 && claimed.out.contains("ada.json") && claimed.out.contains("bob.json"), claimed.out);
    const Outcome judged = call({"learn", "results", ada, bob, "--judge-again", "--json"});
    QCOMPARE(judged.exit, 1);
    QHash<QString, QString> again, answers;
    for (const QJsonValue& r : judged.json()["results"].toArray())
      (r.toObject()["part"].toString() == "task 1" ? again : answers)[r.toObject()["student"].toString()] =
          r.toObject()["again"].toString();
    QCOMPARE(answers["ada.json"], QString("agrees"));
    QCOMPARE(answers["bob.json"], QString("does not agree"));
    QCOMPARE(again["ada.json"], QString("passes"));
    QVERIFY2(again["bob.json"] != "passes" && !again["bob.json"].isEmpty(), judged.out);
    QVERIFY(call({"learn", "results", ada, dir_.filePath("absent.json")}).exit != 0);
    const Outcome broken = call({"learn", "results", write("broken.json", "{")});
    QVERIFY2(broken.exit != 0 && broken.err.contains("does not hold what a student has done"), broken.err);
    // One that cannot be read does not hide the others.
    const Outcome some = call({"learn", "results", ada, dir_.filePath("broken.json"), bob});
    QVERIFY2(some.exit == 1 && some.out.contains("ada.json") && some.out.contains("bob.json") &&
                 some.err.contains("does not hold what a student has done"),
             some.out + some.err);
    const Outcome over = call({"learn", "pack", write("own.md", "---\ntitle: T\nsummary: S\n---\nText\n"), "-o", ada});
    QVERIFY2(over.exit != 0 && over.err.contains("is no class package"), over.err);
  }
};

QTEST_GUILESS_MAIN(CliLearnTest)
#include "learn_test.moc"
