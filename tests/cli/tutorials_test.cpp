// SPDX-License-Identifier: Apache-2.0
// The tutorials and README's session, word by word: the files that a page shows are written, its commands run in order
// in an empty folder, and what they print is compared with the page.
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <future>
#include <map>
#include "support/cli_call.h"

using namespace ww::testing;

namespace {

struct Step {
  QString file;       // to be written: `text` is its content; empty: a command
  QString text;       // of the command, its continued lines joined
  QStringList shown;  // lines that the page shows below it
};

// Fenced blocks of commands ("$ …"), and of CUDA or JSON below a line that ends with "as `NAME`:".
QList<Step> steps_of(const QString& page) {
  static const QRegularExpression named("as `([^`]+)`:$");
  QList<Step> steps;
  QString before, file;  // the last line above the block; the file that is open
  bool block = false, commands = false;
  for (const QString& line : page.split('\n')) {
    if (line.startsWith("```")) {
      block = !block;
      commands = false;
      file = block && (line == "```cuda" || line == "```json") ? named.match(before).captured(1) : QString();
      if (!file.isEmpty()) steps << Step{file, {}, {}};
    } else if (!block) {
      if (!line.isEmpty()) before = line;
    } else if (!file.isEmpty()) {
      steps.last().text += line + '\n';
    } else if (line.startsWith("$ ")) {
      steps << Step{{}, line.mid(2), {}};
      commands = true;
    } else if (commands && steps.last().text.endsWith('\\')) {
      steps.last().text.chop(1);
      steps.last().text += line.trimmed();
    } else if (commands) {
      steps.last().shown << line;
    }
  }
  return steps;
}

// "…" stands for anything; hashes, keys, dates, addresses, paths, positions in tensors, and numbers of more than two
// digits for any of their kind. Small numbers, such as the count of cases, are meant.
QRegularExpression pattern_of(const QString& line) {
  static const QString number = R"((-?\d+(\.\d+)?(e[-+]?\d+)?))";
  static const QRegularExpression part(
      R"((?<date>\d{4}-\d\d-\d\dT[\d:.]+Z)|(?<key>\b([0-9a-f]{4} ){3}[0-9a-f]{4}\b)|(?<hash>\b(0x)?[0-9a-f]{8,}\b))"
      R"(|(?<place>\[\d+(, \d+)*\])|(?<path>(?<!\S)/\S+)|(?<number>(?<![\w.-]))" +
      number + R"((?!\w))|(?<any>…)|(?<blank>\s+))");
  static const std::map<QString, QString> kinds = {{"date", R"(\d{4}-\d\d-\d\dT[\d:.]+Z)"},
                                                   {"key", "([0-9a-f]{4} ){3}[0-9a-f]{4}"},
                                                   {"hash", "(0x)?[0-9a-f]+"},
                                                   {"place", R"(\[\d+(, \d+)*\])"},
                                                   {"path", R"(/\S+)"},
                                                   {"number", '(' + number + "|-?nan|-?inf)"},
                                                   {"any", ".*"},
                                                   {"blank", R"(\s+)"}};
  const QString shown = line.trimmed();
  QString pattern;
  qsizetype at = 0;
  for (auto found = part.globalMatch(shown); found.hasNext();) {
    const QRegularExpressionMatch m = found.next();
    pattern += QRegularExpression::escape(shown.mid(at, m.capturedStart() - at));
    at = m.capturedEnd();
    const bool small = m.hasCaptured("number") && m.capturedLength() <= 2 && !m.captured().startsWith('-');
    if (small) pattern += m.captured();
    for (const auto& [kind, any] : kinds)
      if (!small && m.hasCaptured(kind)) pattern += any;
  }
  pattern += QRegularExpression::escape(shown.mid(at));
  return QRegularExpression(QRegularExpression::anchoredPattern(R"(\s*)" + pattern + R"(\s*)"));
}

// The first line of the page that the output does not have in its place; nothing: they fit. A line "…" stands for any
// lines.
QString misfit(const QStringList& shown, const QStringList& output) {
  std::vector<bool> reached(static_cast<std::size_t>(output.size()) + 1);  // by lines of output that are used up
  reached[0] = true;
  for (const QString& line : shown) {
    std::vector<bool> next(reached.size());
    const bool any = line == "…";
    const QRegularExpression pattern = pattern_of(line);
    bool fits = false;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (any)
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      else if (i > 0 && reached[i - 1])
        next[i] = pattern.match(output[static_cast<qsizetype>(i) - 1]).hasMatch();
      fits = fits || next[i];
    }
    if (!fits) return line;
    reached = std::move(next);
  }
  return reached.back() ? QString() : "(the page ends)";
}

QStringList lines_of(const QByteArray& output) {
  QStringList lines = QString::fromUtf8(output).split('\n');
  while (!lines.isEmpty() && lines.last().trimmed().isEmpty()) lines.removeLast();
  return lines;
}

QProcessEnvironment newcomer(const QString& home) {
  QProcessEnvironment e = environment_with({{"HOME", home},
                                            {"WARPWRIGHT_WORKER", REAL_WORKER},
                                            {"WARPWRIGHT_PLUGINS", CLI_PLUGINS},
                                            {"WARPWRIGHT_RESOURCES", WW_SOURCE_DIR "/resources"}});
  for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "WARPWRIGHT_WORKSPACE",
                           "WARPWRIGHT_CONFIG", "WARPWRIGHT_CACHE"})
    e.remove(name);
  e.insert("PATH", QFileInfo(CLI_PROGRAM).path() + ':' + e.value("PATH"));
  return e;
}

struct Walk {
  int commands = 0;
  bool late = false;  // a deadline passed: the machine is too busy to tell
  QStringList problems;
};

// Follows a page in an empty folder, as if it were the checkout. A command whose exit code is not shown with `echo $?`
// must end with 0.
Walk follow(const QString& page, const QString& folder) {
  Walk walk;
  QDir().mkpath(folder + "/home");
  QFile::link(WW_SOURCE_DIR "/resources", folder + "/resources");
  const QProcessEnvironment environment = newcomer(folder + "/home");
  int exit = 0;
  const QList<Step> steps = steps_of(page);
  for (qsizetype i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (!step.file.isEmpty()) {
      write_file(folder + '/' + step.file, step.text.toUtf8());
      continue;
    }
    ++walk.commands;
    const QString script = "cd \"$1\" && (exit $2)\n" + step.text;
    const Outcome o = call_cli("bash", {"-c", script, "bash", folder, QString::number(exit)}, environment);
    exit = o.exit;
    walk.late = walk.late || exit < 0 || (o.err + o.out).contains("the deadline of");
    const bool exit_shown = i + 1 < steps.size() && steps[i + 1].text == "echo $?";
    // In a terminal either may come first: progress and warnings go to stderr.
    const QString line = misfit(step.shown, lines_of(o.err + o.out));
    const bool fits = line.isNull() || misfit(step.shown, lines_of(o.out + o.err)).isNull();
    const QString wrote = QStringLiteral("%1\n  wrote:\n%2").arg(step.text, QString(o.err + o.out));
    if (exit != 0 && !exit_shown) walk.problems << QStringLiteral("Not shown: exit code %1 of ").arg(exit) + wrote;
    if (!fits) walk.problems << QStringLiteral("The page has: %1\n  ").arg(line) + wrote;
  }
  return walk;
}

// Again, in another folder, where the machine was too busy.
Walk follow_in_time(const QString& page, const QString& folder) {
  for (int attempt = 1;; ++attempt)
    if (Walk walk = follow(page, folder + '/' + QString::number(attempt));
        walk.problems.isEmpty() || !walk.late || attempt == 3)
      return walk;
}

}  // namespace

class TutorialsTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  std::map<QString, std::future<Walk>> walks_;  // pages are followed side by side

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    for (const char* name : {"docs/tutorials/engineer.md", "docs/tutorials/teacher.md", "docs/tutorials/reviewer.md",
                             "docs/sim.md", "README.md"}) {
      QFile file(QStringLiteral(WW_SOURCE_DIR "/") + name);
      QVERIFY2(file.open(QIODevice::ReadOnly), name);
      const QString folder = dir_.filePath(QString::number(walks_.size()));
      walks_[name] = std::async(std::launch::async, follow_in_time, QString::fromUtf8(file.readAll()), folder);
    }
  }

  void pages_data() {
    QTest::addColumn<int>("commands");
    QTest::newRow("docs/tutorials/engineer.md") << 11;
    QTest::newRow("docs/tutorials/teacher.md") << 14;
    QTest::newRow("docs/tutorials/reviewer.md") << 16;
    QTest::newRow("docs/sim.md") << 9;
    QTest::newRow("README.md") << 1;
  }
  void pages() {
    QFETCH(int, commands);
    const Walk walk = walks_[QTest::currentDataTag()].get();
    QVERIFY2(walk.problems.isEmpty(), qPrintable(walk.problems.join("\n\n")));
    QCOMPARE(walk.commands, commands);
  }

  void aPageThatDiffersIsNoticed_data() {
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("output");
    QTest::addColumn<bool>("fits");
    const auto row = [](const char* name, const char* shown, const char* output, bool fits) {
      QTest::newRow(name) << shown << output << fits;
    };
    row("the same", "one\n\ntwo", "one\n\ntwo", true);
    row("columns", "  a    b", "a b", true);
    row("another word", "one\ntwo", "one\nthree", false);
    row("a line too few", "one", "one\ntwo", false);
    row("a line too many", "one\ntwo", "one", false);
    row("any lines", "…\ntwo\n…", "one\ntwo\nthree\nfour", true);
    row("no lines", "one\n…\ntwo", "one\ntwo", true);
    row("not among them", "…\ntwo\n…", "one\nthree", false);
    row("any words", "rejected at …: y", "rejected at smoke: y", true);
    row("a count of cases", "claims 14 of 14 cases", "claims 17 of 17 cases", false);
    row("seeds", "seed 124813285751667)", "seed 9)", true);
    row("values", "y[0, 1] is -25.13, expected 2.0e-29", "y[200] is nan, expected 4", true);
    row("a hash", "(025238a7a563)", "(fedc38a7a563)", true);
    row("a word for a hash", "(025238a7a563)", "(nothing)", false);
    row("a key", "key c151 89dc dbbc bbe3, known", "key 0000 ffff 0000 ffff, known", true);
    row("a key's standing", "key c151 89dc dbbc bbe3, known", "key c151 89dc dbbc bbe3, unknown", false);
    row("a date", "2026-11-23T07:08:33Z", "2031-01-02T03:04:05Z", true);
  }
  void aPageThatDiffersIsNoticed() {
    QFETCH(QString, shown);
    QFETCH(QString, output);
    QFETCH(bool, fits);
    QCOMPARE(misfit(shown.split('\n'), output.split('\n')).isNull(), fits);
  }

  void exitCodesAreNoticed() {
    const auto problems = [&](const QString& commands) {
      return follow("```console\n" + commands + "\n```\n", dir_.filePath("small")).problems.size();
    };
    QCOMPARE(problems("$ warpwright-cli spec flurble\n…"), 1);
    QCOMPARE(problems("$ warpwright-cli spec flurble\n…\n$ echo $?\n1"), 0);
    QCOMPARE(problems("$ warpwright-cli spec flurble\n…\n$ echo $?\n0"), 1);
    QCOMPARE(problems("$ warpwright-cli spec sum\nop sum"), 1);
    QCOMPARE(problems("$ warpwright-cli spec sum\n…\nop sum…\n…"), 0);
  }
};

QTEST_GUILESS_MAIN(TutorialsTest)
#include "tutorials_test.moc"
