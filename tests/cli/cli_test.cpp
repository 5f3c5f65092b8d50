// SPDX-License-Identifier: Apache-2.0
// The command line end to end, as its own process, with a scripted worker and a scripted generator plugin.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "scripted_cli.h"

using namespace ww::testing;

class CliTest : public QObject, ScriptedCli {
  Q_OBJECT

 private slots:
  void init() { next_workspace(); }

  void unusableArgumentsAreRefusedAtOnce() {
    const Outcome arch = call({"explore", "softmax", "--arch", "sm_12"});
    QVERIFY2(arch.exit == 2 && arch.err.contains("the oldest is sm_75"), arch.err);
    const Outcome bundle = call({"bundle", "export", "-"});
    QVERIFY2(bundle.exit == 2 && bundle.err.contains("cannot be written to stdout"), bundle.err);
    QVERIFY(!QFile::exists("-"));
  }

  void textsThatAreNoFiles() {
    const Outcome sentence = call({"spec", QString("flurble ").repeated(100)});
    QCOMPARE(sentence.exit, 1);
    QVERIFY2(sentence.out.contains("Not understood"), sentence.out + sentence.err);
    QCOMPARE(call({"explore", QString("flurble ").repeated(100)}).exit, 1);
    QVERIFY(QDir(dir_.path()).mkpath("dir.op"));
    const Outcome folder = call({"spec", dir_.filePath("dir.op")});
    QCOMPARE(folder.exit, 2);
    QVERIFY2(folder.err.contains("dir.op' is a folder"), folder.err);
    write("note.txt", "hello there\n");
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(dir_.path()));
    for (const QStringList& command : {QStringList{"explore", "note.txt"},
                                       {"spec", "note.txt"},
                                       {"spec", "./note.txt"},
                                       {"campaign", "note.txt=1"},
                                       {"gate", "--explain", "note.txt"}}) {
      const Outcome file = call(command);
      QVERIFY2(file.exit == 2 && file.err.contains("note.txt' is a file, but neither"), file.out + file.err);
    }
    QVERIFY(QDir::setCurrent(before));
  }

  void whereATextDoesNotParse() {
    const QByteArray text = "op scale(x: f32[N]) -> y: f32[N]\n{\n  y[i] = 2 * z[i]\n}\n";
    const QString file = write("typo.op", text);
    const Outcome shown = call({"spec", file});
    QCOMPARE(shown.exit, 2);
    QCOMPARE(shown.err.count("typo.op:3:14"), 1);
    const QJsonObject error = call({"spec", file, "--json"}).json()["error"].toObject();
    QVERIFY(has_members(error, {"code", "message", "cause", "line", "column", "hint"}));
    QCOMPARE(error["line"].toInt(), 3);
    QCOMPARE(error["column"].toInt(), 14);
    const QJsonObject elsewhere = call({"show", "1", "--json"}).json()["error"].toObject();
    QVERIFY(elsewhere["line"].isNull() && elsewhere["column"].isNull() && elsewhere["hint"].isNull());
    const QByteArray mark = "\xEF\xBB\xBF";
    const QJsonObject marked = call({"spec", write("mark.op", mark + text), "--json"}).json()["error"].toObject();
    QVERIFY(marked["message"].toString().contains("byte order mark") && marked["line"].toInt() == 1);
    QVERIFY(marked["hint"].toString().contains("without"));

    const QByteArray kernel = QByteArray::fromStdString(ww::script::candidate("c", "accepted 7"));
    const Outcome checked = call({"check", write("typo.cu", "//@ lunch k\n" + kernel), "--op", spec_file()});
    QCOMPARE(checked.exit, 1);
    QVERIFY2(checked.err.contains("typo.cu:1:") && !checked.err.contains("candidate:1:"), checked.err);
    QVERIFY(call({"check", write("mark.cu", mark + kernel), "--op", spec_file()}).err.contains("byte order mark"));
    // A kernel without a plan: the lines that its signature suggests.
    const Outcome bare =
        call({"check", write("bare.cu", "__global__ void k(const float* x, float* y) {}\n"), "--op", spec_file()});
    QCOMPARE(bare.exit, 1);
    QVERIFY2(bare.err.contains("//@ launch k grid(1) block(?) args(x, y)"), qPrintable(bare.err));
  }

  void aWorkspaceThatMayNotBeWrittenIsListed() {
    QCOMPARE(call({"explore", spec_file(), "--generator", "scripted", "--budget", "2"}).exit, 0);
    const auto writable = QFile::permissions(workspace_);
    QVERIFY(QFile::setPermissions(workspace_, QFile::ReadOwner | QFile::ExeOwner));
    QVERIFY(QFile::setPermissions(workspace_ + "/workspace.sqlite", QFile::ReadOwner));
    const auto call_as_reader = [&](const QStringList& arguments) {
      QProcess p;
      p.setChildProcessModifier([] {  // the superuser may write anything, as long as he has that capability
        if (::geteuid() == 0 && ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0) ::_exit(99);
      });
      p.setProcessEnvironment(environment());
      p.start(CLI_PROGRAM, arguments);
      p.waitForFinished(60000);
      return Outcome{p.exitCode(), p.readAllStandardOutput(), p.readAllStandardError()};
    };
    const Outcome listed = call_as_reader({"list", "--json"});
    const Outcome shown = call_as_reader({"list", "candidates"});
    const Outcome noted = call_as_reader({"note", "1", "text"});
    QVERIFY(QFile::setPermissions(workspace_, writable));
    QVERIFY2(listed.exit == 0, listed.out + listed.err);
    QCOMPARE(listed.json()["runs"].toArray().size(), 1);
    QCOMPARE(shown.exit, 0);
    QCOMPARE(noted.exit, 3);
    QVERIFY2(noted.err.contains("may not be written"), noted.err);
  }

  void doctorSaysWhatIsMissing() {
    const Outcome good = call({"doctor", "--json"});
    const QJsonObject j = good.json();
    QVERIFY2(is_ours(j, "doctor"), good.out + good.err);
    QVERIFY(has_members(j, {"usable", "parts", "worker", "devices"}));
    QVERIFY(find(j["parts"].toArray(), "part", "worker")["there"].toBool());
    QVERIFY(find(j["parts"].toArray(), "part", "resources")["there"].toBool());
    QVERIFY(find(j["parts"].toArray(), "part", "workspace")["there"].toBool());
    const QJsonObject generators = find(j["parts"].toArray(), "part", "generators");
    QVERIFY(generators["detail"].toString().contains("scripted") && generators["detail"].toString().contains("999"));
    const QJsonObject cub = find(j["parts"].toArray(), "part", "CUB");
    QVERIFY2(cub["there"].toBool() == cub["detail"].toString().startsWith("version ") &&
                 cub["enables"].toString().contains("<cub/block/block_reduce.cuh>"),
             good.out);
    QVERIFY(!QFile::exists(workspace_));  // looking does not make one
    for (const QJsonValue& p : j["parts"].toArray())
      QVERIFY(has_members(p.toObject(), {"part", "there", "needed", "detail", "enables"}));
    QCOMPARE(good.exit, j["usable"].toBool() ? 0 : 3);

    const Outcome weak = call({"doctor"});  // the scripted worker has no sandbox
    QVERIFY2(weak.out.contains("OFF      sandbox") && weak.out.contains("The worker reports no protections") &&
                 !weak.out.contains("absent   sandbox") && !weak.out.contains("Warpwright can work here.\n"),
             weak.out);

    const QByteArray before = qgetenv("WARPWRIGHT_CUDA");
    qputenv("WARPWRIGHT_CUDA", "/proc/nowhere");
    const Outcome passed_over = call({"doctor"});
    before.isEmpty() ? qunsetenv("WARPWRIGHT_CUDA") : qputenv("WARPWRIGHT_CUDA", before);
    QVERIFY2(passed_over.out.contains("WARPWRIGHT_CUDA    '/proc/nowhere' has no NVRTC"), passed_over.out);

    QVERIFY(QDir(dir_.path()).mkpath("cutlass") && QDir(dir_.path()).mkpath("cute"));
    write("cutlass/version.h", "#define CUTLASS_MAJOR 7\n#define CUTLASS_MINOR 8\n#define CUTLASS_PATCH 9\n");
    write("cute/tensor.hpp", "");
    const auto with_cutlass = [&](const QString& folder) {
      QProcessEnvironment e = environment();
      e.insert("WARPWRIGHT_CUTLASS", folder);
      return call_cli(CLI_PROGRAM, {"doctor"}, e).out;
    };
    const QByteArray found = with_cutlass(dir_.path());
    QVERIFY2(found.contains(QFile::encodeName(QFileInfo(dir_.path()).canonicalFilePath()) + " (version 7.8.9)"), found);
    QVERIFY(with_cutlass("/proc/nowhere").contains("$WARPWRIGHT_CUTLASS has none: '/proc/nowhere'"));

    workspace_ = "/proc/nowhere";
    const Outcome bad = call({"doctor"});
    QCOMPARE(bad.exit, 3);
    QVERIFY(bad.out.contains("MISSING") && bad.out.contains("/proc/nowhere"));
  }

  void specsAreShown() {
    const Outcome text = call({"spec", "softmax over rows"});
    QCOMPARE(text.exit, 0);
    QVERIFY(text.out.contains("Worked example") && text.out.contains("op softmax("));
    const Outcome o = call({"spec", "softmax over rows", "--json"});
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "spec"));
    QVERIFY(has_members(
        j, {"understood", "sentence", "words", "questions", "nearest", "spec", "said", "formula", "example"}));
    QVERIFY(j["understood"].toBool());
    QVERIFY(has_members(j["words"].toArray()[0].toObject(), {"text", "meaning", "reading", "begin", "end"}));
    QCOMPARE(j["spec"].toObject()["name"].toString(), QString("softmax"));
    QVERIFY(has_members(j["spec"].toObject(), {"name", "text", "inputs", "outputs", "symbols", "defaults"}));
    QCOMPARE(call({"spec", spec_file()}).exit, 0);
    QCOMPARE(call({"spec", "layernorm", "--json"}).json()["sentence"], QJsonValue());
  }

  void gradientsAreDerived() {
    const Outcome text = call({"spec", "linear", "--gradient", "x"});
    QCOMPARE(text.exit, 0);
    QVERIFY(text.out.startsWith("op linear_backward("));
    QCOMPARE(call({"spec", write("linear_backward.op", text.out), "--json"}).exit, 0);
    const QJsonObject j = call({"spec", "layernorm", "--gradient", "--json"}).json();
    QVERIFY(is_ours(j, "spec"));
    QVERIFY(has_members(j, {"of", "spec", "incoming", "outgoing", "refusal"}));
    QCOMPARE(j["incoming"].toObject()["y"].toString(), QString("dy"));
    QCOMPARE(j["outgoing"].toObject()["gamma"].toString(), QString("dgamma"));
    const Outcome none = call({"spec", "prod", "--gradient", "--json"});
    QCOMPARE(none.exit, 1);
    QCOMPARE(none.json()["refusal"].toObject()["reason"].toString(), QString("product"));
    QVERIFY(none.json()["spec"].isNull());
    QCOMPARE(call({"spec", "linear", "--gradient", "nothing"}).exit, 1);
  }

  void whatIsNotUnderstoodIsSaid() {
    const Outcome o = call({"spec", "flurble the wug", "--json"});
    QCOMPARE(o.exit, 1);
    QVERIFY(!o.json()["understood"].toBool());
    QVERIFY(!o.json()["questions"].toArray().isEmpty());
    QVERIFY(o.json()["spec"].isNull());
    const Outcome explore = call({"explore", "flurble the wug"});
    QCOMPARE(explore.exit, 1);
    QVERIFY(explore.err.contains("flurble"));
    QVERIFY(!QFile::exists(workspace_));
    QVERIFY(!call({"explore", "flurble the wug", "--json"}).json()["understood"].toBool(true));
    QCOMPARE(call({"spec", ""}).exit, 2);
    QCOMPARE(call({"spec", "   "}).exit, 2);
    const Outcome missing = call({"spec", dir_.filePath("missing.op")});
    QCOMPARE(missing.exit, 2);
    QVERIFY(missing.err.contains("missing.op"));
    const Outcome broken = call({"spec", write("broken.op", "op f(x: f32[N]) -> y: f32[N]\n{\n  y[i] = x[j]\n}\n")});
    QCOMPARE(broken.exit, 2);
    QVERIFY(broken.err.contains("broken.op:3:") && broken.err.contains('^'));
    const QJsonObject error = call({"spec", dir_.filePath("missing.op"), "--json"}).json()["error"].toObject();
    QVERIFY(has_members(error, {"code", "message", "cause"}));
  }

  void exploresListsShowsComparesReports() {
    const QString page = dir_.filePath("report.html");
    const Outcome o =
        call({"explore", spec_file(), "--generator", "scripted", "--budget", "9", "--workers", "1", "--report", page});
    QVERIFY2(o.exit == 0, o.err);
    QVERIFY(o.out.contains("Rank") && o.out.contains("simulated issue slots") && o.out.contains("Run 1 is done"));
    QVERIFY(o.err.contains("run 1") && !o.err.contains('\r'));  // plain lines where there is no terminal
    QFile html(page);
    QVERIFY(html.open(QIODevice::ReadOnly));
    QVERIFY(html.readAll().contains("<h1>scale</h1>"));

    const QJsonObject runs = call({"list", "--json"}).json();
    QVERIFY(is_ours(runs, "list"));
    const QJsonObject run = runs["runs"].toArray()[0].toObject();
    QVERIFY(has_members(run, {"id", "op", "generator", "device", "architecture", "state", "created", "ended",
                              "proposed", "judged", "accepted"}));
    QCOMPARE(run["state"].toString(), QString("done"));
    QCOMPARE(run["judged"].toInt(), 9);
    QVERIFY(call({"list"}).out.contains("scale"));

    const QJsonObject list = call({"list", "candidates", "--json"}).json();
    QCOMPARE(list["candidates"].toArray().size(), run["proposed"].toInt());
    QJsonObject best, wrong;
    for (const QJsonValue& v : list["candidates"].toArray()) {
      const QJsonObject c = v.toObject();
      QVERIFY(has_members(c, {"id", "hash", "parent", "structure", "title", "generator", "state", "verdict", "rank",
                              "score", "resources"}));
      if (c["rank"].toInt() == 1) best = c;
      if (c["state"].toString() == "rejected") wrong = c;
    }
    QVERIFY(!best.isEmpty() && !wrong.isEmpty());
    QVERIFY(has_members(best["score"].toObject(), {"value", "provenance", "unit"}));
    QCOMPARE(best["score"].toObject()["provenance"].toString(), QString("simulated"));
    QVERIFY(wrong["score"].isNull() && wrong["rank"].isNull());
    QVERIFY(call({"list", "candidates", "--run", "1"}).out.contains(best["hash"].toString().left(10).toUtf8()));

    const QJsonObject shown = call({"show", best["hash"].toString().left(12), "--json"}).json();
    QVERIFY(is_ours(shown, "show"));
    QVERIFY(has_members(shown, {"run", "candidate", "note", "language", "created", "text", "verdict", "measurements"}));
    QVERIFY(shown["text"].toString().startsWith("//@ candidate scale"));
    QVERIFY(shown["verdict"].toObject()["accepted"].toBool());
    QVERIFY(!shown["verdict"].toObject().contains("ptx"));
    QVERIFY(call({"show", best["hash"].toString(), "--ptx", "--json"}).json()["verdict"].toObject().contains("ptx"));
    const Outcome text = call({"show", QString::number(wrong["id"].toInt())});
    QCOMPARE(text.exit, 0);
    QVERIFY(text.out.contains("FAIL") && text.out.contains("expected 6, got 7"));

    const QString a = QString::number(best["id"].toInt()), b = QString::number(wrong["id"].toInt());
    const QJsonObject diff = call({"diff", a, b, "--json"}).json();
    QVERIFY(is_ours(diff, "diff"));
    QVERIFY(has_members(diff, {"before", "after", "equal", "diff"}));
    QVERIFY(!diff["equal"].toBool() && diff["diff"].toString().contains("@@ -"));
    QVERIFY(call({"diff", a, b}).out.contains("+// becomes: rejected"));
    QVERIFY(call({"diff", a, a, "--json"}).json()["equal"].toBool());

    const QJsonObject reported = call({"report", "last", "-o", page, "--json"}).json();
    QVERIFY(is_ours(reported, "report"));
    QCOMPARE(reported["run"].toInt(), 1);
  }

  void exploreInJson() {
    const Outcome o =
        call({"explore", spec_file(), "--generator", "scripted", "--budget", "3", "--set", "N=12", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "explore"));
    QVERIFY(has_members(j, {"run", "why", "structures", "candidates"}));
    QCOMPARE(j["run"].toObject()["judged"].toInt(), 3);
    // A limit that is not given again stays as it was.
    const QJsonObject longer = call({"explore", "--resume", "last", "--minutes", "40", "--json"}).json();
    QCOMPARE(longer["run"].toObject()["judged"].toInt(), 3);
    const Outcome tighter = call({"explore", "--resume", "last", "--budget", "5", "--no-sources"});
    QVERIFY2(tighter.exit == 2 && tighter.err.contains("nothing was sent"), tighter.err);
    const QJsonObject resumed = call({"explore", "--resume", "last", "--budget", "5", "--json"}).json();
    QCOMPARE(resumed["run"].toObject()["judged"].toInt(), 5);
    QCOMPARE(resumed["run"].toObject()["id"].toInt(), 1);
  }

  void aPersonsKernelIsJudgedFirst() {
    spec_file();
    const QByteArray text = QByteArray::fromStdString(ww::script::candidate("mine", "accepted 7"));
    const QString file = write("mine.cu", "//@ spec scale.op\n" + text);
    const QJsonObject j = call({"explore", file, "--generator", "manual", "--json"}).json();
    const QJsonObject c = j["candidates"].toArray()[0].toObject();
    QCOMPARE(c["generator"].toString(), QString("manual"));
    QCOMPARE(c["state"].toString(), QString("accepted"));
    QCOMPARE(c["title"].toString(), QString("mine"));
    QCOMPARE(j["run"].toObject()["op"].toString(), QString("scale"));
  }

  void aCandidateNamesNoFileElsewhere_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("absolute") << "//@ spec " + dir_.filePath("other.op");
    QTest::newRow("above") << "//@ spec ../other.op";
    QTest::newRow("link") << "//@ spec linked.op";
    QTest::newRow("another kind of file") << "//@ spec secret.key";
    QTest::newRow("link to another kind of file") << "//@ spec key.op";
    QTest::newRow("not there") << "//@ spec absent.op";
    QTest::newRow("as the op") << "//@ candidate ../other.op";
  }
  void aCandidateNamesNoFileElsewhere() {
    QFETCH(QString, line);
    write("other.op", ww::script::spec);
    QVERIFY(QDir(dir_.path()).mkpath("given"));
    write("given/secret.key", "9 of hearts\n");
    QFile::link(dir_.filePath("other.op"), dir_.filePath("given/linked.op"));
    QFile::link("secret.key", dir_.filePath("given/key.op"));
    const QString file = write("given/mine.cu", line.toUtf8() + "\nvoid k() {}\n");
    for (const QStringList& command : {QStringList{"check", file}, {"explore", file, "--generator", "manual"}}) {
      const Outcome o = call(command);
      QVERIFY2(o.exit == 2 && o.err.contains("names '") && !o.err.contains("hearts"), o.err);
    }
    QVERIFY2(call({"check", file, "--op", dir_.filePath("other.op")}).exit != 2, "given with --op");
  }

  void checks() {
    const QString op = spec_file();
    const QString good = write("good.cu", QByteArray::fromStdString(ww::script::candidate("good", "accepted 7")));
    const QString bad = write("bad.cu", QByteArray::fromStdString(ww::script::candidate("bad", "rejected")));
    const Outcome yes = call({"check", good, "--op", op});
    QVERIFY2(yes.exit == 0, yes.err);
    QVERIFY(yes.out.contains("proved") && yes.out.contains("Cost: 7"));
    const Outcome no = call({"check", bad, "--op", op, "--json"});
    QCOMPARE(no.exit, 1);
    QVERIFY(no.json()["wrong"].isNull());
    const Outcome shown = call({"check", bad, "--op", op, "--show-wrong"});
    QVERIFY2(shown.out.contains("y: 1 of 33 elements is wrong.\n  ...#......"), shown.out);
    const Outcome mapped = call({"check", bad, "--op", op, "--show-wrong", "--json"});
    QCOMPARE(mapped.json()["wrong"].toObject()["wrong_elements"].toObject()["pattern"].toString(), QString("single"));
    const Outcome none = call({"check", good, "--op", op, "--show-wrong"});
    QVERIFY2(none.out.contains("Wrong elements: no output differs from the reference"), none.out);
    const QByteArray liar =
        "// forges its map\n" + QByteArray::fromStdString(ww::script::candidate("liar", "rejected"));
    const Outcome forged = call({"check", write("liar.cu", liar), "--op", op, "--show-wrong"});
    QVERIFY2(forged.out.contains("Wrong elements: the worker's reply does not match its request"), forged.out);
    QVERIFY(is_ours(no.json(), "check"));
    QVERIFY(has_members(no.json(), {"op", "tuning", "score", "notes", "wrong", "verdict"}));
    const QString clocked = write(
        "clocked.cu", "// reads the clock\n" + QByteArray::fromStdString(ww::script::candidate("t", "accepted 7")));
    const QByteArray note = "k reads the clock %clock (PTX line 8)";
    QVERIFY(call({"check", clocked, "--op", op}).out.contains(note));
    const QJsonArray notes = call({"check", clocked, "--op", op, "--json"}).json()["notes"].toArray();
    QVERIFY(notes.size() == 1 && notes[0].toObject()["kind"] == "clock" && notes[0].toObject()["what"] == "%clock");
    QVERIFY(!no.json()["verdict"].toObject()["accepted"].toBool(true));
    QCOMPARE(
        call({"check", write("crash.cu", QByteArray::fromStdString(ww::script::candidate("c", "crash"))), "--op", op})
            .exit,
        1);
    const Outcome spent = call(
        {"check", write("spent.cu", QByteArray::fromStdString(ww::script::candidate("c", "exhausted"))), "--op", op});
    QCOMPARE(spent.exit, 6);
    QVERIFY2(spent.out.startsWith("not judged at cases") && spent.out.contains("--memory-limit"), spent.out);
    const Outcome late = call({"check", write("late.cu", QByteArray::fromStdString(ww::script::candidate("c", "hang"))),
                               "--op", op, "--candidate-seconds", "1", "--json"});
    QCOMPARE(late.exit, 6);
    QCOMPARE(late.json()["verdict"].toObject()["ruling"].toString(), QString("not judged"));
    QCOMPARE(late.json()["option"].toString(), QString("--candidate-seconds"));
    QCOMPARE(call({"check", write("none.cu", QByteArray::fromStdString(ww::script::candidate("c", "unavailable"))),
                   "--op", op})
                 .exit,
             3);
    QCOMPARE(call({"check", good, "--op", "flurble"}).exit, 2);
    QCOMPARE(call({"check", good, "--op", op, "--set", "Q=3"}).exit, 2);
    QCOMPARE(call({"check", good, "--op", op, "--set", "N=zero"}).exit, 2);
    QCOMPARE(call({"check", good, "--op", op, "--set", "N=-4"}).exit, 2);
    QCOMPARE(call({"check", dir_.filePath("missing.cu"), "--op", op}).exit, 2);
    QCOMPARE(call({"check", op, "--op", op}).exit, 2);
    const Outcome nameless = call({"check", write("nameless.cu", "extern \"C\" __global__ void k() {}\n")});
    QCOMPARE(nameless.exit, 2);
    QVERIFY(nameless.err.contains("//@ candidate"));
  }

  void listsOps() {
    const QJsonArray all = call({"list", "ops", "--json"}).json()["ops"].toArray();
    QVERIFY(all.size() > 280);
    QVERIFY(has_members(all.at(0).toObject(), {"name", "family", "summary"}));
    const QJsonArray some = call({"list", "ops", "softmax", "ROWS", "--json"}).json()["ops"].toArray();
    QVERIFY(!some.isEmpty() && some.size() < all.size());
    QVERIFY(call({"list", "ops", "sofmtax"}).out.contains("softmax"));  // the nearest
    QVERIFY(call({"list", "ops", "zzzzqq"}).out.contains("No op"));
    QCOMPARE(call({"list", "runs", "softmax"}).exit, 2);
  }

  void tablesForOtherPrograms() {
    const QByteArray text =
        QByteArray::fromStdString(ww::script::candidate("=HYPERLINK(1), \"a\"; =2 | <b>", "accepted 7"));
    const QString file = write("formula.cu", QByteArray(text).replace("\n//@ title", "\n//@ spec scale.op\n//@ title"));
    spec_file();
    const Outcome run = call({"explore", file, "--generator", "manual", "--budget", "1"});
    QVERIFY2(run.exit == 0, run.err);
    const Outcome csv = call({"list", "candidates", "--format", "csv"});
    QCOMPARE(csv.exit, 0);
    const QList<QByteArray> lines = csv.out.split('\n');
    QVERIFY2(lines[0].startsWith("id,hash,parent,structure,title,") &&
                 lines[0].contains(",score.value,score.provenance,"),
             lines[0]);
    QVERIFY2(lines[1].contains(",\"'=HYPERLINK(1), \"\"a\"\";' =2 | <b>\","), lines[1]);
    QVERIFY2(lines[1].contains(",7,simulated,") || lines[1].contains(",7.0,simulated,"), lines[1]);
    QCOMPARE(lines.size(), 3);
    const Outcome markdown = call({"list", "candidates", "--format", "markdown"});
    QVERIFY2(markdown.out.startsWith("| id | hash |") && markdown.out.contains("\n| ---: | --- |"), markdown.out);
    QVERIFY2(markdown.out.contains("\"a\"; =2 \\| \\<b\\>"), markdown.out);
    QVERIFY(call({"list", "runs", "--format", "csv"}).out.startsWith("id,op,generator,"));
    QVERIFY(is_ours(call({"list", "runs", "--format", "json"}).json(), "list"));
    QCOMPARE(call({"list", "runs", "--format", "text"}).out, call({"list", "runs"}).out);
    QCOMPARE(call({"list", "--format", "xml"}).exit, 2);
    QCOMPARE(call({"list", "--format", "csv", "--json"}).exit, 2);
    QCOMPARE(call({"report", "last", "--format", "csv"}).out, csv.out);
    const Outcome report = call({"report", "last", "--format", "markdown"});
    QVERIFY2(report.out.startsWith("# Run 1\n\n| id | op |") && report.out.endsWith(markdown.out), report.out);
    const QString page = dir_.filePath("report.md");
    const QJsonObject written = call({"report", "1", "--format", "markdown", "-o", page, "--json"}).json();
    QCOMPARE(written["report"].toString(), page);
    QCOMPARE(read_file(page), report.out);
    QCOMPARE(call({"report", "1", "--format", "csv", "--json"}).exit, 2);
    QCOMPARE(call({"report", "1", "--format", "pdf", "-o", page}).exit, 2);
  }

  void whatIsNotThereIsSaid() {
    for (const QStringList& arguments : {QStringList{"list"},
                                         {"show", "1"},
                                         {"diff", "1", "2"},
                                         {"report", "1", "-o", dir_.filePath("x.html")},
                                         {"explore", "--resume", "1"}}) {
      const Outcome o = call(arguments);
      QVERIFY2(o.exit == 3, qPrintable(arguments.join(' ')));
      QVERIFY(o.err.contains(workspace_.toUtf8()));
    }
    QCOMPARE(call({"explore", spec_file(), "--generator", "nobody"}).exit, 3);
    QCOMPARE(call({"explore", spec_file(), "--generator", "scripted", "--budget", "1"}).exit, 0);
    QCOMPARE(call({"show", "999"}).exit, 2);
    QCOMPARE(call({"report", "999", "-o", dir_.filePath("x.html")}).exit, 2);
    QCOMPARE(call({"report", "cats", "-o", dir_.filePath("x.html")}).exit, 2);
    QCOMPARE(call({"report", "1", "-o", "/proc/nowhere/x.html"}).exit, 2);
    QCOMPARE(call({"list", "candidates", "--run", "999"}).exit, 2);
  }

  void whatIsToBePastedNamesItsWorkspace() {
    spec_file();
    const QString file =
        write("wait.cu", "//@ spec scale.op\n" + QByteArray::fromStdString(ww::script::candidate(
                                                     "wait", "hang-unless " + dir_.filePath("begun").toStdString())));
    const QString elsewhere = dir_.filePath("else where");
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start(CLI_PROGRAM, {"explore", file, "--generator", "manual", "--workspace", elsewhere});
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(dir_.filePath("begun")); }, 30000));
    ::kill(static_cast<pid_t>(p.processId()), SIGINT);
    QVERIFY(p.waitForFinished(30000));
    const QByteArray out = p.readAllStandardOutput();
    const QByteArray hint = "'warpwright-cli explore --resume 1 --workspace " + QFile::encodeName(dir_.path()) +
                            "/else\\ where' resumes it.";
    QVERIFY2(out.contains(hint), out);
    QVERIFY(call({"list", "candidates", "--run", "9", "--workspace", elsewhere})
                .err.contains("'warpwright-cli list --workspace "));
    QCOMPARE(call({"explore", spec_file(), "--generator", "scripted", "--budget", "1"}).exit, 0);
    QVERIFY(call({"list", "candidates", "--run", "9"}).err.contains("'warpwright-cli list' shows"));  // the default one
  }

  void aSpecThatCannotBeComputedIsTheUsersFault() {
    const QString half =
        write("half.op", "op half(p: i32[N]) -> h: i32[N]\n  default N = 64\n{\n  h[i] = p[i] / 0\n}\n");
    const Outcome o = call({"explore", half, "--generator", "scripted"});
    QVERIFY2(o.exit == 2 && o.err.contains("integer division by zero in p[i] / 0"), o.err);
    QVERIFY2(!o.err.contains("outside the candidates"), o.err);
    const QString file = write("c.cu", QByteArray::fromStdString(ww::script::candidate("c", "incomputable")));
    QCOMPARE(call({"check", file, "--op", spec_file()}).exit, 2);
  }

  void aRequiredSandboxIsRequiredBeforeTheRun() {
    const Outcome refused = call({"explore", spec_file(), "--generator", "scripted", "--require-sandbox"});
    QVERIFY2(refused.exit == 3 && refused.err.contains("the sandbox is required"), refused.err);
    QVERIFY2(!refused.err.contains("judged by a fresh worker"), refused.err);
    QCOMPARE(call({"list", "--json"}).json()["runs"].toArray().size(), 0);
    const Outcome campaign =
        call({"campaign", "softmax=1", "--generator", "scripted", "--budget", "2", "--require-sandbox"});
    QVERIFY2(campaign.exit == 3 && campaign.err.contains("the sandbox is required"), campaign.err);
    QVERIFY(call({"campaign", "--resume", "last"}).err.contains("has no campaign"));
    QCOMPARE(call({"explore", spec_file(), "--generator", "scripted", "--budget", "1"}).exit, 0);
    QProcessEnvironment strict = environment();
    strict.insert("WARPWRIGHT_REQUIRE_SANDBOX", "1");
    const auto strictly = [&](const QStringList& arguments) { return call_cli(CLI_PROGRAM, arguments, strict); };
    QCOMPARE(strictly({"explore", "--resume", "1", "--budget", "2"}).exit, 3);
    QCOMPARE(call({"list", "--json"}).json()["runs"].toArray()[0].toObject()["state"].toString(), QString("done"));
    const Outcome doctor = strictly({"doctor"});
    QVERIFY2(doctor.exit == 3 && doctor.out.contains("the sandbox is required") &&
                 !doctor.out.contains("build warpwright-worker"),
             doctor.out);
    strict.insert("WARPWRIGHT_WORKER", "/nowhere/worker");
    QVERIFY(strictly({"doctor"}).out.contains("build warpwright-worker"));
  }

  void killedAndResumed() {
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start(CLI_PROGRAM, {"explore", spec_file(), "--generator", "scripted", "--budget", "0", "--workers", "2"});
    QByteArray seen;
    QVERIFY(QTest::qWaitFor([&] { return (seen += p.readAllStandardError()).count("proved") >= 6; }, 30000));
    ::kill(static_cast<pid_t>(p.processId()), SIGKILL);
    QVERIFY(p.waitForFinished(30000));
    seen += p.readAllStandardError();
    const QJsonObject run = call({"list", "--json"}).json()["runs"].toArray()[0].toObject();
    QCOMPARE(run["state"].toString(), QString("interrupted"));
    QVERIFY(run["accepted"].toInt() >= seen.count(" proved "));
    const int budget = run["proposed"].toInt() + 2;
    const QJsonObject resumed =
        call({"explore", "--resume", "1", "--budget", QString::number(budget), "--json"}).json()["run"].toObject();
    QCOMPARE(resumed["judged"].toInt(), budget);
    QCOMPARE(resumed["state"].toString(), QString("done"));
  }
};

QTEST_GUILESS_MAIN(CliTest)
#include "cli_test.moc"
