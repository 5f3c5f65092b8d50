// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel in the window with the engine itself: real PTX and SASS side by side, and an edit that the worker
// judges.
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "session/services.h"
#include "session/edits.h"
#include "session/live_compiler.h"
#include "session/event_watchdog.h"
#include "parts/theme/theme.h"
#include "shell/window/main_window.h"
#include "widgets/pictures.h"

using namespace ww;
using namespace ww::widgets;

class CodeEngineTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  // Judges the draft; it becomes candidate number `count` of the run, and the current one.
  void check(int count, store::CandidateState state) {
    const CandidateModel& model = *window_->candidates()->model();
    window_->actions_registry()->action("code.check")->trigger();
    QTRY_COMPARE(model.rowCount(), count);
    QTRY_COMPARE(window_->selection()->current(), model.rows().back().data.id);
    QCOMPARE(model.rows().back().data.state, state);
  }

  void choose(std::int64_t candidate) {  // by a click into the table
    const QTableView* table = window_->candidates()->table();
    const QAbstractItemModel* rows = table->model();
    for (int row = 0; row < rows->rowCount(); ++row)
      if (rows->index(row, 0).data(CandidateModel::IdRole).toLongLong() == candidate)
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(rows->index(row, CandidateModel::Name)).center());
    QTRY_COMPARE(window_->selection()->current(), candidate);
  }

 private slots:
  void initTestCase() {
    QVERIFY(Theme::instance().apply("light"));
    window_ = std::make_unique<MainWindow>(
        Services(), WindowOptions{folder_.filePath("settings.ini"), folder_.filePath("workspace"), "", false});
    MainWindow& w = *window_;
    w.resize(1600, 900);
    w.show();
    QTRY_VERIFY(w.session()->ready());
    generator::RunOptions options;
    options.spec = "op twice(x: f32[R, C]) -> y: f32[R, C]\n  default R = 16, C = 256\n{\n  y[r, c] = 2 * x[r, c]\n}\n";
    options.generator = "manual";
    options.seeds = 2;
    options.given = {
        {"//@ candidate twice\n//@ launch k grid(R) block(64) args(x, y, C)\nextern \"C\" __global__ void k(const "
         "float* x, float* y, int C) {\n"
         "  for (int c = threadIdx.x; c < C; c += 64)\n    y[blockIdx.x * C + c] =\n      2.0f * x[blockIdx.x * C + "
         "c];\n}\n",
         candidate::Language::cuda, "", "plain", ""}};
    QVERIFY(w.session()->explore(options));
    QTRY_VERIFY_WITH_TIMEOUT(!w.session()->running(), 120000);
    const CandidateModel& model = *w.candidates()->model();
    QCOMPARE(model.accepted(), 1);
    QTRY_COMPARE(w.selection()->current(), model.rows().front().data.id);
    QTRY_VERIFY(w.code()->source()->text().contains("2.0f * x"));
  }

  // A chosen line is marked in all three listings; the load of line 6 reads neighbouring floats.
  void linesAreFollowedThroughAllListings() {
    MainWindow& w = *window_;
    w.show_dock("code");
    w.code()->set_pane(CodePanel::ptx_listing, true);
    w.code()->set_pane(CodePanel::sass_listing, true);
    QTRY_VERIFY(w.code()->ptx()->rows() > 0);
    emit w.code()->source()->line_clicked(6);
    bool load = false;
    for (const int row : w.code()->ptx()->linked()) load |= w.code()->ptx()->row_text(row).contains("ld.global");
    QVERIFY(load);
    auto* no_sass = w.code()->findChild<QLabel*>("no_sass");
    QTRY_VERIFY(w.code()->sass()->rows() > 0 || no_sass->text().contains("nvdisasm"));
    if (w.code()->sass()->rows() > 0) {
      load = false;
      int from = -1;
      for (const int row : w.code()->sass()->linked())
        if (w.code()->sass()->row_text(row).contains("LDG")) load = true, from = row;
      QVERIFY(load);
      QVERIFY(w.code()->sass()->listing()->live_of(from) > 0);
      emit w.code()->sass()->row_chosen(from);
      QCOMPARE(w.code()->ptx()->linked().size(), std::size_t{1});
      QVERIFY2(w.code()->ptx()->row_text(w.code()->ptx()->linked().front()).contains("ld.global"),
               qPrintable(w.code()->ptx()->row_text(w.code()->ptx()->linked().front())));
    }
    test::save_picture(w, "code-engine");
    const auto record = w.session()->workspace()->candidate(w.selection()->current()).value();
    const auto hints = access_hints(*record.verdict->metrics);
    QVERIFY2(hints.contains(6) && hints[6].word.startsWith("coalesced"),
             hints.contains(6) ? qPrintable(hints[6].tip) : "no hint");
  }

  // NVRTC in a worker: its errors come while the text is typed, and the resources of both kernels.
  void aDraftIsCompiledWhileItIsEdited() {
    MainWindow& w = *window_;
    w.actions_registry()->action("code.edit")->trigger();
    CodeEditor* draft = w.code()->draft();
    const LiveCompiler* live = w.code()->live();
    QTRY_COMPARE(live->state(), LiveCompiler::State::built);
    QVERIFY(!live->build().resources.empty() && live->build().resources.front().registers > 0);
    QCOMPARE(live->build().parents.size(), live->build().resources.size());
    draft->insertAt("  int none;\n", 3, 0);
    QTRY_VERIFY(live->state() == LiveCompiler::State::built && !live->build().messages.empty());
    const compile::LogMessage warning = live->build().messages.front();
    QCOMPARE(warning.severity, compile::Severity::warning);
    QCOMPARE(warning.where.place.line, 4);
    QCOMPARE(warning.where.place.column, 7);
    draft->insertAt("  vectr v;\n", 3, 0);
    QTRY_COMPARE(live->state(), LiveCompiler::State::refused);
    QVERIFY(draft->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                 static_cast<unsigned long>(CodeEditor::error_mark),
                                 static_cast<long>(draft->text().indexOf("vectr v"))) != 0);
    // A plan that does not fit the op is said, too.
    draft->replace_code(QString(draft->text()).replace("  vectr v;\n", "").replace("args(x, y, C)", "args(x, x, C)"));
    QTRY_VERIFY(live->state() == LiveCompiler::State::built && live->build().error);
    QVERIFY(w.code()->findChild<QLabel*>("build_result")->text().contains("no launch has the output 'y'"));
    test::save_picture(w, "code-live");
    QTest::mouseClick(w.code()->findChild<QPushButton*>("draft_discard"), Qt::LeftButton);
    QVERIFY(!w.code()->editing());
  }

  void anEditBecomesAChild() {
    MainWindow& w = *window_;
    const CandidateModel& model = *w.candidates()->model();
    const std::string parent = model.rows().front().data.hash;
    auto* dog = static_cast<WatchdogApplication*>(qApp);
    dog->reset_watch();
    w.actions_registry()->action("code.edit")->trigger();
    QVERIFY(w.code()->editing());
    w.code()->draft()->replace_code(
        w.code()->draft()->text().replace("block(64)", "block(32)").replace("c += 64", "c += 32"));
    check(2, store::CandidateState::accepted);
    QCOMPARE(model.rows().back().data.parent, parent);
    const QString named = QString::fromStdString(model.rows().back().data.title);
    QVERIFY2(named.contains("from #1"), qPrintable(named));
    QCOMPARE(QString(named).remove(named.startsWith("from") ? "from #1" : ", from #1"),
             QString::fromStdString(model.rows().front().data.title));
    QCOMPARE(model.rows().back().data.generator, std::string("manual"));
    QTRY_VERIFY(w.code()->source()->text().contains("block(32)"));
    QVERIFY(!w.code()->editing());
    QCOMPARE(w.session()->workspace()->run(1)->state, store::RunState::done);
    qInfo("longest event while editing and checking: %.1f ms (%s); %d over 50 ms", dog->longest_ms(),
          qPrintable(dog->longest_event()), dog->over_50_ms());
  }

  void aRefusedEditIsKeptAndItsErrorMarked() {
    MainWindow& w = *window_;
    w.actions_registry()->action("code.edit")->trigger();
    w.code()->draft()->insertAt("  vectr v;\n", 3, 0);
    check(3, store::CandidateState::rejected);
    const CandidateModel& model = *w.candidates()->model();
    const CandidateModel::Row* parent = model.find_hash(model.rows().back().data.parent);
    QVERIFY(parent && parent->data.id == 2);  // a child itself, whose text has the title of the first one
    QVERIFY2(model.rows().back().data.title.find("from #2") != std::string::npos,
             model.rows().back().data.title.c_str());
    QTRY_VERIFY(w.code()->editing() && w.code()->draft()->isVisible());
    CodeEditor* draft = w.code()->draft();
    QTRY_VERIFY(draft->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                     static_cast<unsigned long>(CodeEditor::error_mark),
                                     static_cast<long>(draft->text().indexOf("vectr v"))) != 0);
  }

  void anEditThatComputesSomethingElseIsRejected() {
    MainWindow& w = *window_;
    CodeEditor* draft = w.code()->draft();
    draft->replace_code(QString(draft->text()).replace("  vectr v;\n", "").replace("2.0f * x", "3.0f * x"));
    check(4, store::CandidateState::rejected);
    QVERIFY(w.code()->edits()->all().empty());
  }

  // What is said of a draft leaves with its candidate.
  void aRefusalIsSaidOnlyWhereItBelongs() {
    MainWindow& w = *window_;
    QTRY_VERIFY(w.code()->source()->text().contains("3.0f * x") && !w.code()->editing());
    w.actions_registry()->action("code.edit")->trigger();
    w.code()->draft()->insertAt("//@ nonsense\n", 0, 0);
    auto* said = w.code()->findChild<QLabel*>("draft_text");
    w.actions_registry()->action("code.check")->trigger();
    QTRY_VERIFY(said->isVisible() && said->text().startsWith("Not judged"));
    choose(1);
    QTRY_VERIFY(w.code()->source()->text().contains("2.0f * x") && !w.code()->editing());
    QVERIFY2(!said->isVisible(), qPrintable(said->text()));
    choose(4);
    QTRY_VERIFY(said->isVisible());
    QVERIFY2(said->text().startsWith("A draft of #4"), qPrintable(said->text()));
  }
};

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  CodeEngineTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "code_engine_test.moc"
