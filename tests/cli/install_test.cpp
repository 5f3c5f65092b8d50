// SPDX-License-Identifier: Apache-2.0
// An installed tree runs by itself: with its own worker, plugins and resources, wherever it lies.
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include "support/cli_call.h"

using namespace ww::testing;

class InstallTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    const Outcome installed =
        call_cli("cmake", {"--install", WW_BINARY_DIR, "--prefix", prefix()}, QProcessEnvironment::systemEnvironment());
    QVERIFY2(installed.exit == 0, installed.err);
  }

  void everyPartIsItsOwn() {
    const Outcome doctor = call({"doctor", "--json"});
    QVERIFY2(doctor.exit == 0, doctor.out + doctor.err);
    QVERIFY2(detail(doctor, "worker").startsWith(prefix() + "/bin"), doctor.out);
    QVERIFY2(detail(doctor, "resources").startsWith(prefix() + "/"), doctor.out);
    QVERIFY2(detail(doctor, "generators").contains("search"), doctor.out);
    for (const char* file : {"share/warpwright/ops", "lib/warpwright/generators/libsearch.so",
                             "lib/warpwright/providers/libopenai.so", "lib/warpwright/baselines/libcublas.so",
                             "share/warpwright-python/pyproject.toml", "share/warpwright-python/warpwright/py.typed"})
      QVERIFY2(QFileInfo::exists(prefix() + "/" + file), file);
  }

  void itExplores() {
    const Outcome explored = call({"explore", "softmax over the rows of a 64x32 float matrix", "--workspace",
                                   dir_.filePath("workspace"), "--budget", "2", "--seeds", "1", "--json"});
    QVERIFY2(explored.exit == 0, explored.out + explored.err);
    QVERIFY(is_ours(explored.json(), "explore"));
  }

  void theWindowSaysWhatItIsWithoutADisplay() {
    const QString program = prefix() + "/bin/warpwright";
    if (!QFileInfo::exists(program)) QSKIP("built without the window");
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
    const Outcome help = call_cli(program, {"--help"}, environment),
                  version = call_cli(program, {"--version"}, environment), shown = call_cli(program, {}, environment);
    QVERIFY2(help.exit == 0 && help.out.contains("--workspace"), help.out + help.err);
    QVERIFY2(version.exit == 0 && version.out.startsWith("warpwright "), version.out + version.err);
    QVERIFY2(shown.exit == 3 && shown.err.contains("no display"), shown.out + shown.err);
    environment.insert("DISPLAY", ":4242");  // nobody answers there
    const Outcome refused = call_cli(program, {}, environment);
    QVERIFY2(refused.exit == 3 && refused.err.contains("No display can be opened (DISPLAY=:4242)"), refused.err);
    QCOMPARE(refused.err.trimmed().count('\n'), 0);
  }

  void pictureThatCannotBeTakenEndsTheWindow() {
    const QString program = prefix() + "/bin/warpwright", file = dir_.filePath("no folder");
    if (!QFileInfo::exists(program)) QSKIP("built without the window");
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    const QStringList picture = {"--settings", dir_.filePath("settings.ini"), "--screenshot", dir_.filePath("w.png")};
    const Outcome refused = call_cli(program, QStringList(picture) << "--workspace" << file, environment);
    QVERIFY2(refused.exit == 3 && refused.err.contains("is a file"), refused.out + refused.err);
    const Outcome sizeless = call_cli(program,
                                      QStringList(picture) << "--size"
                                                           << "abc",
                                      environment);
    QVERIFY2(sizeless.exit == 2 && sizeless.err.contains("1280x800"), sizeless.out + sizeless.err);
    const Outcome unclear = call_cli(program,
                                     QStringList(picture) << "--workspace" << dir_.filePath("w") << "--explore"
                                                          << "frobnicate it",
                                     environment);
    QVERIFY2(unclear.exit == 1, unclear.out + unclear.err);
    QVERIFY(!QSettings(dir_.filePath("settings.ini"), QSettings::IniFormat).contains("describe/sentence"));
  }

  // As if it had been typed: on the start page, whatever was in sight last.
  void aSentenceOpensOnTheStartPage() {
    const QString program = prefix() + "/bin/warpwright", settings = dir_.filePath("before.ini");
    if (!QFileInfo::exists(program)) QSKIP("built without the window");
    {
      QSettings before(settings, QSettings::IniFormat);
      before.setValue("layouts/current", "review");
      before.setValue("window/workspace", dir_.filePath("last"));
      before.setValue("tour/seen", true);
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    const QString report = dir_.filePath("report.json"), picture = dir_.filePath("both.png");
    const Outcome both = call_cli(program,
                                  {"--settings", settings, "--report", report, "--screenshot", picture, "--workspace",
                                   dir_.filePath("last"), "softmax over 512x1024"},
                                  environment);
    QVERIFY2(both.exit == 0, both.out + both.err);
    QFile written(report);
    QVERIFY(QFileInfo(picture).size() > 1000 && written.open(QIODevice::ReadOnly));
    const QJsonObject state = QJsonDocument::fromJson(written.readAll()).object();
    QVERIFY(state["start"].toBool());
    QCOMPARE(state["sentence"].toString(), QString("softmax over 512x1024"));
    QVERIFY2(state["spec"].toString().contains("R = 512"), qPrintable(state["spec"].toString()));
    const Outcome all = call_cli(program, {"--screenshots", dir_.filePath("all"), "--report", report}, environment);
    QVERIFY2(all.exit == 2, all.err);
  }

 private:
  QTemporaryDir dir_;

  QString prefix() const { return QFileInfo(dir_.path()).canonicalFilePath() + "/tree"; }

  Outcome call(const QStringList& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"WARPWRIGHT_RESOURCES", "WARPWRIGHT_PLUGINS", "WARPWRIGHT_WORKER"})
      environment.remove(name);
    return call_cli(prefix() + "/bin/warpwright-cli", arguments, environment);
  }

  static QString detail(const Outcome& doctor, const QString& part) {
    const QJsonArray parts = doctor.json()["parts"].toArray();
    for (const auto& value : parts) {
      const QJsonObject p = value.toObject();
      if (p["part"].toString() == part) return QDir::cleanPath(p["detail"].toString());
    }
    return {};
  }
};

QTEST_GUILESS_MAIN(InstallTest)
#include "install_test.moc"
