// SPDX-License-Identifier: GPL-3.0-or-later
// The window with the engine itself: phrasebook, search, worker, compiler, SIMT machine, workspace on disk.
#include <QComboBox>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include "lesson/lesson.h"
#include "base/files.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/conversation/conversation_panel.h"
#include "panels/conversation/exchange_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/spec_view.h"
#include "panels/diff/diff_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "panels/log/log_panel.h"
#include "model/scripted_model.h"
#include "panels/profile/occupancy_panel.h"
#include "measure/occupancy.h"
#include "panels/runs/runs_panel.h"
#include "session/bundles.h"
#include "session/event_watchdog.h"
#include "session/services.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "shell/window/main_window.h"
#include "shell/window/spend_meter.h"
#include "shell/window/status.h"

using namespace ww;
using namespace ww::widgets;

class WindowEngineTest : public QObject {
  Q_OBJECT
 private slots:
  // The window's judge of lessons is the engine's: its solution passes, its starting code does not.
  void aLessonIsJudgedByTheGate() {
    const auto all = lesson::lessons_in(lesson::lessons_folder());
    QVERIFY(all);
    const lesson::Lesson& threads = *std::ranges::find(*all, std::string("threads"), &lesson::Lesson::name);
    const lesson::Task& task = *threads.all<lesson::Task>().front();
    int steps = 0;
    const auto judge = [&](const std::string& kernel) {
      return lesson_judge()(task, kernel, {}, [&](const rpc::Progress&) { ++steps; });
    };
    const auto passed = judge(task.solution), missed = judge(task.start);
    QVERIFY2(passed && passed->passed(), passed ? "" : passed.error().text().c_str());
    QVERIFY2(missed && !missed->passed(), missed ? "" : missed.error().text().c_str());
    QVERIFY(steps > 0);
  }

  void occupancyIsThatOfTheRunsShapes() {
    store::CandidateRecord record;
    record.text =
        "//@ candidate double_it\n//@ launch k grid(R) block(256) shared(4*C) args(x, y, C)\n"
        "extern \"C\" __global__ void k(const float* x, float* y, int C) {}\n";
    record.resources.push_back({"k", 32});
    const std::string spec =
        "op double_it(x: f32[R, C]) -> y: f32[R, C]\n  default R = 4, C = 1024\n{\n  y[r, c] = 2 * x[r, c]\n}\n";
    QCOMPARE(measure::occupancy_of(record, spec, "sm_90")->front().shared, std::int64_t{4096});
    record.verdict = evidence::Verdict{};
    record.verdict->coverage.push_back({"default", {{{"R", 4}, {"C", 8192}}, {}}, true, 2});
    QCOMPARE(measure::occupancy_of(record, spec, "sm_90")->front().shared, std::int64_t{32768});
  }
  void sentenceToRankedCandidates() {
    QTemporaryDir folder;
    QVERIFY(Theme::instance().apply("light"));
    const WindowOptions options{folder.filePath("settings.ini"), folder.filePath("workspace"), "", false};
    std::int64_t best = 0;
    {
      MainWindow w(Services(), options);
      w.resize(1280, 800);
      w.show();
      QTRY_VERIFY(w.session()->ready());
      auto* box = w.findChild<QPlainTextEdit*>("sentence");
      QTest::keyClicks(box, "softmax of 64 rows");
      QTRY_VERIFY(w.describe()->spec_ready());
      QVERIFY2(w.describe()->spec_text().contains("64"), qPrintable(w.describe()->spec_text()));
      QTRY_VERIFY(!w.findChild<QPlainTextEdit*>("worked_example")->toPlainText().isEmpty());
      w.findChild<QSpinBox*>("budget")->setValue(3);
      auto* explore = w.findChild<QPushButton*>("explore");
      QTRY_VERIFY(explore->isEnabled());
      auto* dog = static_cast<WatchdogApplication*>(qApp);
      dog->reset_watch();
      QTest::mouseClick(explore, Qt::LeftButton);
      QTRY_VERIFY_WITH_TIMEOUT(!w.session()->running(), 200000);
      const CandidateModel& model = *w.candidates()->model();
      QVERIFY2(model.judged() >= 3, qPrintable(w.log()->as_text()));
      QVERIFY2(model.accepted() >= 1, qPrintable(w.log()->as_text()));
      QCOMPARE(w.candidates()->table()->model()->index(0, CandidateModel::Rank).data().toString(), QString("1"));
      QVERIFY(
          model.headerData(CandidateModel::Score, Qt::Horizontal, Qt::DisplayRole).toString().contains("simulated"));
      best = w.candidates()->selected();
      QVERIFY(best != 0);
      QTRY_VERIFY(w.code()->source()->text().contains("__global__"));
      QTRY_VERIFY(w.occupancy()->sentence().contains("limited by"));
      w.code()->show_listing(CodePanel::ptx_listing);
      QTRY_VERIFY(w.code()->ptx()->text().contains(".entry"));
      qInfo("longest event of the run: %.1f ms (%s); %d over 50 ms", dog->longest_ms(),
            qPrintable(dog->longest_event()), dog->over_50_ms());
      w.code()->show_listing(CodePanel::sass_listing);  // or a sentence that says what is missing
      QTRY_VERIFY(w.code()->sass()->text().contains("EXIT") ||
                  w.code()->findChild<QLabel*>("no_sass")->text().contains("nvdisasm"));
      w.code()->show_listing(CodePanel::cuda);
      // The best of it, taken home: unsigned, so only where that is asked for.
      Bundles files(w.context());
      QSignalSpy done(&files, &Bundles::done), problem(&files, &Bundles::problem);
      files.export_candidate({folder.filePath("out"), best, exporter::Kind::torch, false});
      QTRY_COMPARE(problem.count(), 1);
      QVERIFY2(problem.takeFirst()[0].toString().contains("is not signed"), "unsigned");
      files.export_candidate({folder.filePath("out"), best, exporter::Kind::torch, true});
      QTRY_COMPARE(done.count() + problem.count(), 1);
      QVERIFY2(problem.isEmpty(), qPrintable(problem.value(0).value(0).toString()));
      QVERIFY(QFile::exists(folder.filePath("out/ww_softmax/kernel.ptx")));
      files.export_candidate({folder.filePath("header"), best, exporter::Kind::cpp, true});
      QTRY_COMPARE(done.count() + problem.count(), 2);
      QVERIFY2(done.value(1).value(0).toString().contains("(C++ header)"),
               qPrintable(problem.value(0).value(0).toString()));
      QVERIFY(QFile::exists(folder.filePath("header/CMakeLists.txt")));
      QDir().mkpath(WW_BINARY_DIR "/screenshots");
      QTest::qWait(400);
      QVERIFY(w.grab().save(WW_BINARY_DIR "/screenshots/engine-light.png"));
      QVERIFY(w.close());
    }
    // A second window on the same workspace shows the same run from the disk.
    MainWindow again(Services(), WindowOptions{folder.filePath("settings.ini"), "", "", false});
    again.show();
    QTRY_COMPARE(again.candidates()->selected(), best);
    QTRY_VERIFY(again.code()->source()->text().contains("__global__"));
  }

  // From the structure's name, which the search gave it, and from counts.
  void theResultSaysWhereTheRowStays() {
    QTemporaryDir folder;
    MainWindow w(Services(), {folder.filePath("settings.ini"), folder.filePath("workspace"), "", false});
    w.resize(1280, 800);
    w.show();
    QTRY_VERIFY(w.session()->ready());
    generator::RunOptions options;
    options.spec =
        "op softmax(x: f32[R, C]) -> y: f32[R, C]\n  default R = 32, C = 512\n{\n  top[r] = max(c) x[r, c]\n"
        "  e[r, c] = exp(x[r, c] - top[r])\n  z[r] = sum(c) e[r, c]\n  y[r, c] = e[r, c] / z[r]\n}\n";
    options.generator = "search";
    options.device = "simt";
    options.budget.candidates = 6;
    QVERIFY(w.session()->explore(options));
    QTRY_VERIFY_WITH_TIMEOUT(!w.session()->running() && w.candidates()->model()->judged() == 6, 200000);
    const auto* result = w.candidates()->findChild<QLabel*>("result");
    QTRY_VERIFY2(result->text().contains("The row stays in registers, so it is loaded once; the other one loads 3.0 "
                                         "times the inputs' size"),
                 qPrintable(result->text()));
  }

  void modelProposesAndItsWordsAreShown() {
    QTemporaryDir folder;
    const support::LoopbackServer server(model_tests::answer);
    qputenv("WARPWRIGHT_CONFIG", folder.path().toUtf8());  // until the program ends: no answer of the person is touched
    QVERIFY(write_file_atomic((folder.path() + "/models.json").toStdString(), model_tests::catalogue(server.url()))
                .has_value());
    MainWindow w(Services(), WindowOptions{folder.filePath("settings.ini"), folder.filePath("workspace"),
                                           "relu of 64 rows", false});
    w.resize(1280, 800);
    w.show();
    QTRY_VERIFY(w.session()->ready() && w.describe()->spec_ready());
    auto* generator = w.findChild<QComboBox*>("generator");
    QTRY_VERIFY(generator->findData("model") >= 0);
    generator->setCurrentIndex(generator->findData("model"));
    w.findChild<QSpinBox*>("budget")->setValue(3);
    w.findChild<QComboBox*>("model")->setEditText("scripted:writer");
    QTRY_VERIFY2(w.describe()->can_explore(), qPrintable(w.findChild<QLabel*>("model_note")->text()));
    QVERIFY2(w.findChild<QLabel*>("model_note")->text().contains("on this machine"),
             qPrintable(w.findChild<QLabel*>("model_note")->text()));
    QTest::mouseClick(w.findChild<QPushButton*>("explore"), Qt::LeftButton);
    QTRY_VERIFY(w.session()->running());
    QTRY_VERIFY_WITH_TIMEOUT(!w.session()->running(), 200000);
    QVERIFY2(w.candidates()->model()->judged() == 3, qPrintable(w.log()->as_text()));
    const ConversationPanel& c = *w.conversation();
    QVERIFY2(c.model()->rowCount() >= 3, qPrintable(w.log()->as_text()));
    QTRY_COMPARE(c.model()->index(0, ExchangeModel::Model).data().toString(), QString("scripted:writer"));
    QTRY_VERIFY(c.model()->rows().front().record.outcome != store::ExchangeOutcome::none);
    c.table()->selectRow(0);
    QTRY_VERIFY(c.view()->prompt()->text().contains("op relu") && !c.view()->reply()->text().isEmpty());
    QVERIFY2(w.status_part()->meter()->text().contains("of 200 k tokens"),
             qPrintable(w.status_part()->meter()->text()));
  }

  void twoFormulationsThatDifferAreADoubt() {
    QTemporaryDir folder;
    int asked = 0;
    const support::LoopbackServer server([&](const support::Received& r) {
      if (r.method == "GET") return model_tests::answer(r);
      const QJsonObject spec{
          {"spec", QString("op scale(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = %1 * x[i]\n}\n")
                       .arg(asked++ == 0 ? "2" : "x[i]")},
          {"explanation", "Each element is doubled."},
          {"assumptions", QJsonArray()}};
      const QByteArray said = QJsonDocument(spec).toJson(QJsonDocument::Compact);
      const QJsonObject reply{
          {"choices", QJsonArray{QJsonObject{{"index", 0},
                                             {"message", QJsonObject{{"content", QString::fromUtf8(said)}}},
                                             {"finish_reason", "stop"}}}}};
      support::Answer a;
      a.headers = {{"content-type", "application/json"}};
      a.pieces = {{QJsonDocument(reply).toJson(QJsonDocument::Compact).toStdString(), {}}};
      return a;
    });
    qputenv("WARPWRIGHT_CONFIG", folder.path().toUtf8());
    QVERIFY(write_file_atomic((folder.path() + "/models.json").toStdString(), model_tests::catalogue(server.url()))
                .has_value());
    auto workspace = store::Workspace::open(folder.filePath("workspace").toStdString());
    QVERIFY(workspace.has_value());
    const Result<Formulated> made =
        Models().formulate(**workspace, "scripted:writer", "twice every number", {}, std::stop_token());
    QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
    QCOMPARE(asked, 2);
    QVERIFY2(made->doubts.size() == 1 && made->doubts[0].find("different results") != std::string::npos,
             made->compared.c_str());
    QVERIFY2(made->compared.find("does NOT compute the same, on normal inputs: ") != std::string::npos,
             made->compared.c_str());
    QVERIFY2(made->text.starts_with("//@ unconfirmed: "), made->text.c_str());
  }

  void cancelComesQuicklyAndResumeGoesOn() {
    QTemporaryDir folder;
    MainWindow w(Services(),
                 WindowOptions{folder.filePath("settings.ini"), folder.filePath("workspace"), "relu", false});
    w.show();
    auto* explore = w.findChild<QPushButton*>("explore");
    QTRY_VERIFY(explore->isEnabled());
    w.findChild<QSpinBox*>("budget")->setValue(2);
    QTest::mouseClick(explore, Qt::LeftButton);
    QTRY_VERIFY(w.candidates()->model()->rowCount() > 0);
    QTest::mouseClick(w.findChild<QPushButton*>("cancel"), Qt::LeftButton);
    QTRY_VERIFY(!w.session()->running());
    const int before = w.candidates()->model()->judged();
    if (before < 2) {
      auto* resume = w.findChild<QPushButton*>("resume");
      QTRY_VERIFY(resume->isEnabled());
      QTest::mouseClick(resume, Qt::LeftButton);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!w.session()->running() && w.candidates()->model()->judged() >= 2, 120000);
  }
};

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  WindowEngineTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "window_engine_test.moc"
