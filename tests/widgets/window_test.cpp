// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, driven as a person does, with an engine that follows a script. Pictures go to <build>/screenshots.
#include <QAbstractButton>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QtTest>
#include "session/actions/palette.h"
#include "session/actions/registry.h"
#include "parts/theme/html_view.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/reading_view.h"
#include "panels/describe/run_form.h"
#include "panels/describe/sentence_edit.h"
#include "panels/describe/spec_view.h"
#include "panels/diff/diff_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "panels/log/log_panel.h"
#include "panels/profile/occupancy_panel.h"
#include "panels/plots/progress_panel.h"
#include "panels/runs/runs_panel.h"
#include "session/event_watchdog.h"
#include "parts/theme/theme.h"
#include "panels/verdict/verdict_panel.h"
#include "base/files.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "widgets/window_fixture.h"
#include "shell/window/main_window.h"
#include "shell/window/status.h"

using namespace ww;
using namespace ww::widgets;

class WindowTest : public QObject, test::WindowFixture {
  Q_OBJECT
  static void type(MainWindow& w, const QString& text) {
    auto* box = child<QPlainTextEdit>(&w, "sentence");
    box->setFocus();
    QTest::keyClick(box, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(box, text);
  }
  static QString cell(MainWindow& w, int row, int column) {
    return w.candidates()->table()->model()->index(row, column).data().toString();
  }

  QString write_kernel() {
    const QString file = folder_->filePath("mine.cu");
    (void)write_file_atomic(file.toStdString(), "//@ candidate softmax\n__global__ void k() {}\n");
    return file;
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void emptyWindowExplainsItself() {
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    QTRY_VERIFY(w->describe()->reading()->lines().size() >= 4);  // the examples
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    QVERIFY(!child<QPushButton>(w.get(), "cancel")->isEnabled());
    QVERIFY(child<QLabel>(w.get(), "hint")->text().contains("sentence"));
    // Each panel says in a sentence what it is for.
    int sentences = 0;
    for (const QLabel* label : w->findChildren<QLabel*>())
      if (label->property("role") == "empty" && label->text().endsWith('.')) ++sentences;
    QVERIFY2(sentences >= 7, qPrintable(QString::number(sentences)));
    picture(*w, "empty-light");
    // A click on an example fills the box and gives a spec.
    QString example;
    for (QPushButton* b : w->findChildren<QPushButton*>()) {
      if (b->property("role") != "example") continue;
      example = b->text();
      QTest::mouseClick(b, Qt::LeftButton);
      break;
    }
    QVERIFY(!example.isEmpty());
    QCOMPARE(w->describe()->sentence(), example);
    QTRY_VERIFY(w->describe()->spec_ready());
    QVERIFY(Theme::instance().apply("dark"));
    picture(*w, "unclear-dark");
  }

  void sentenceBecomesSpec() {
    auto w = open();
    type(*w, "softmax of 512 rows");
    QTRY_VERIFY(w->describe()->spec_text().contains("R = 512"));
    QTRY_VERIFY(w->describe()->spec_ready());
    QVERIFY(w->describe()->reading()->lines().join("\n").contains("R = 512"));
    QCOMPARE(child<QSpinBox>(w.get(), "symbol_R")->value(), 512);
    for (const char* name : {"symbol_R", "symbol_C"}) {  // in sight, not only there
      auto* box = child<QSpinBox>(w.get(), name);
      QTRY_VERIFY2(box->visibleRegion().boundingRect() == box->rect(), name);
    }
    QCOMPARE(child<QComboBox>(w.get(), "dtype")->currentText(), QString("f32"));
    const op::Spec spec = op::parse_spec(w->describe()->spec_text().toStdString()).value();
    QTRY_COMPARE(child<QPlainTextEdit>(w.get(), "worked_example")->toPlainText().trimmed(),
                 QString::fromStdString(op::worked_example(spec).value()).trimmed());
    QVERIFY(!w->describe()->sentence_edit()->extraSelections().isEmpty());
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    // Another element type rewrites the spec.
    auto* dtype = child<QComboBox>(w.get(), "dtype");
    dtype->setCurrentIndex(dtype->findText("f16"));
    emit dtype->activated(dtype->currentIndex());
    QTRY_VERIFY(w->describe()->spec_text().contains("f16"));
    QTRY_COMPARE(dtype->currentText(), QString("f16"));
    // A shape that was set by hand goes to the run and not into the text.
    child<QSpinBox>(w.get(), "symbol_C")->setValue(77);
    QCOMPARE(w->describe()->options().binding.symbols.at("C"), std::int64_t{77});
    QCOMPARE(w->describe()->options().binding.symbols.size(), std::size_t{1});
    picture(*w, "sentence-light");
  }

  void unclearSentenceNamesTheNearestOps() {
    auto w = open();
    type(*w, "softmax");
    QTRY_VERIFY(w->describe()->spec_ready());
    const QString before = w->describe()->spec_text();
    type(*w, "softmux of 512 rows");
    QTRY_VERIFY(w->describe()->reading()->lines().contains("softmax"));
    QVERIFY(!before.isEmpty());
    QTRY_VERIFY(!w->describe()->pending());  // of the whole text, not of half a word
    // What is not understood cannot be run, nor can what the words meant while they were typed.
    QTRY_COMPARE(w->describe()->spec_text(), QString());
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    QVERIFY(child<QLabel>(w.get(), "hint")->text().contains("not understood"));
    QVERIFY(!child<QPushButton>(w.get(), "take_offer")->isVisible());
    for (QPushButton* b : w->describe()->findChildren<QPushButton*>())
      if (b->property("role") == "link" && b->text() == "softmax" && b->isVisible())
        QTest::mouseClick(b, Qt::LeftButton);
    QTRY_VERIFY(w->describe()->spec_ready());
  }

  void theWindowFitsItsScreen() {
    auto w = open();
    w->resize(1280, 800);
    w->fit_into(QRect(0, 0, 1280, 770));
    QVERIFY2(w->height() < 770 && w->width() == 1280, qPrintable(QString("%1x%2").arg(w->width()).arg(w->height())));
  }

  void exploreWaitsForTheLastWords() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    w->describe()->set_sentence("softmax of 512 rows");
    QVERIFY(w->describe()->pending());
    w->actions_registry()->action("run.explore")->trigger();  // before it is read
    QTRY_VERIFY(w->candidates()->model()->judged() > 0);
    QTRY_VERIFY(!w->session()->running());
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    QVERIFY(w->describe()->spec_text().contains("R = 512"));
    // Words that turn out to mean nothing begin nothing, later ones included.
    w->describe()->set_sentence("frobnicate the rows");
    w->actions_registry()->action("run.explore")->trigger();
    QTRY_VERIFY(!w->describe()->pending());
    w->describe()->set_sentence("softmax of 256 rows");
    QTRY_VERIFY(w->describe()->can_explore());
    QVERIFY(!w->session()->running());
    QCOMPARE(w->runs()->model()->rowCount(), 1);
  }

  void editedSpecIsNotOverwritten() {
    auto w = open();
    type(*w, "softmax");
    QTRY_VERIFY(w->describe()->spec_ready());
    CodeEditor* editor = w->describe()->spec_view()->editor();
    editor->append("// mine\n");
    QTRY_VERIFY(w->describe()->spec_ready());
    type(*w, "softmax of 64 rows");
    auto* offer = child<QPushButton>(w.get(), "take_offer");
    QTRY_VERIFY(offer->isVisible());
    QVERIFY(w->describe()->spec_text().contains("// mine"));
    QTest::mouseClick(offer, Qt::LeftButton);
    QVERIFY(w->describe()->spec_text().contains("R = 64"));
    editor->undo();
    QVERIFY(w->describe()->spec_text().contains("// mine"));
  }

  void badSpecShowsWhereAndWhy() {
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    CodeEditor* editor = w->describe()->spec_view()->editor();
    const QString bad = "op scale(x: f32[N]) -> y: f32[N]\n{\n  y[i] = x[i] * alpha\n}\n";
    editor->setText(bad);
    QTRY_VERIFY(!w->describe()->spec_view()->errors().isEmpty());
    QVERIFY2(w->describe()->spec_view()->errors().first().startsWith("3:17"),
             qPrintable(w->describe()->spec_view()->errors().first()));
    QVERIFY(w->describe()->spec_view()->errors().first().contains("alpha"));
    QVERIFY(!w->describe()->spec_ready());
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    // The squiggle lies under the name.
    const long at = bad.indexOf("alpha");
    QVERIFY(editor->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                  static_cast<unsigned long>(CodeEditor::error_mark), at + 1) != 0);
    QCOMPARE(editor->text(), bad);
    // The list leads to the place.
    auto* errors = child<QListWidget>(w.get(), "spec_errors");
    QVERIFY(errors->isVisible());
    emit errors->itemActivated(errors->item(0));
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    QCOMPARE(line, 2);
    QCOMPARE(column, 16);
    picture(*w, "errors-light");
    editor->setText(QString(bad).replace("alpha", "2"));
    QTRY_VERIFY(w->describe()->spec_ready());
    QVERIFY(!errors->isVisible());
  }

  void wholeRun() {
    auto w = open();
    type(*w, "softmax of 512 rows");
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    child<QSpinBox>(w.get(), "budget")->setValue(6);
    engine_->hold_before(4);
    static_cast<WatchdogApplication*>(qApp)->reset_watch();
    QTest::keyClick(child<QPlainTextEdit>(w.get(), "sentence"), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(w->candidates()->model()->judged(), 4);
    QVERIFY(w->session()->running());
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    QVERIFY(child<QPushButton>(w.get(), "cancel")->isEnabled());
    QVERIFY2(w->status_part()->text().contains("4 of 6 judged"), qPrintable(w->status_part()->text()));
    engine_->release();
    QTRY_VERIFY(!w->session()->running());
    QCOMPARE(w->candidates()->model()->rowCount(), 6);
    QCOMPARE(engine_->last_options.sentence, std::string("softmax of 512 rows"));
    QCOMPARE(engine_->last_options.budget.candidates, 6);

    // Ranked first, numbers with their provenance, no number where there is none.
    QCOMPARE(cell(*w, 0, CandidateModel::Rank), QString("1"));
    QVERIFY(cell(*w, 0, CandidateModel::Name).startsWith("one warp per row, shuffles, four"));
    QCOMPARE(cell(*w, 5, CandidateModel::Score), QString("\u2014"));
    QVERIFY(w->candidates()
                ->model()
                ->headerData(CandidateModel::Score, Qt::Horizontal, Qt::DisplayRole)
                .toString()
                .contains("simulated"));
    QTRY_COMPARE(cell(*w, 0, CandidateModel::Occupancy), QString("100 %"));

    // The best one was selected when the run ended; the panels show it.
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{3});
    QTRY_VERIFY(w->code()->source()->text().contains("// variant 2"));
    QVERIFY(child<QLabel>(w.get(), "verdict_summary")->text().startsWith("Proved"));
    w->show_dock("diff");
    QTRY_VERIFY(w->diff()->shown() && !w->diff()->shown()->changes.empty());
    QVERIFY(w->diff()->shown()->left.text.find("// variant 1") != std::string::npos);
    QVERIFY(w->diff()->shown()->right.text.find("// variant 2") != std::string::npos);
    w->show_dock("code");
    QTRY_VERIFY(w->occupancy()->sentence().contains("100 % occupancy"));
    QVERIFY(w->log()->as_text().contains("Run 1 done"));
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    picture(*w, "run-light");

    // A fault leads to its line.
    w->candidates()->select(5);
    QTRY_VERIFY(w->code()->source()->text().contains("// variant 4"));
    QVERIFY(w->verdict()->evidence()->toPlainText().contains("out of bounds"));
    QVERIFY(w->code()->source()->markersAtLine(10) & (1u << CodeEditor::fault_marker));
    emit w->verdict()->evidence()->anchorClicked(QUrl("line:11"));
    int line = 0, column = 0;
    w->code()->source()->getCursorPosition(&line, &column);
    QCOMPARE(line, 10);
    QVERIFY(Theme::instance().apply("dark"));
    picture(*w, "fault-dark");

    // A wrong element is shown with what was expected; a refusal with the compiler's log.
    w->candidates()->select(4);
    QTRY_VERIFY(w->verdict()->evidence()->toPlainText().contains("y[3, 17]"));
    for (const char* part : {"0.0312512345", "0.5", "1e-06", "7 864 320", "12 of 231", "seed 2", "C = 33"})
      QVERIFY2(w->verdict()->evidence()->toPlainText().contains(QString::fromUtf8(part)), part);
    w->candidates()->select(6);
    QTRY_VERIFY(w->verdict()->evidence()->toPlainText().contains("identifier \"vectr\" is undefined"));
    w->show_dock("diff");
    QTRY_VERIFY(w->diff()->shown() && w->diff()->shown()->right.text.find("// variant 5") != std::string::npos);
    picture(*w, "diff-dark");
    QVERIFY(Theme::instance().apply("high-contrast"));
    w->show_dock("progress");
    QTRY_COMPARE(w->findChild<ProgressPanel*>()->points(), 3);
    picture(*w, "progress-high-contrast");
    const auto* dog = static_cast<WatchdogApplication*>(qApp);
    qInfo("longest event of the run: %.1f ms (%s); %d over 50 ms", dog->longest_ms(), qPrintable(dog->longest_event()),
          dog->over_50_ms());
  }

  // Below all proved ones in the order of ranks, and yet in sight; nothing takes it away, but the person.
  void anOwnRejectedKernelIsInSight() {
    engine_->candidates = 60;
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    w->describe()->open_file(write_kernel());
    child<QSpinBox>(w.get(), "budget")->setValue(60);
    engine_->hold_before(1);
    press(*w, "explore");
    QTRY_COMPARE(w->candidates()->model()->judged(), 1);
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{1});
    engine_->release();
    QVERIFY(ran(*w, 60));
    QCOMPARE(w->candidates()->selected(), std::int64_t{1});
    const QTableView* table = w->candidates()->table();
    const auto verdict = [&] { return table->currentIndex().siblingAtColumn(CandidateModel::Verdict); };
    QVERIFY(table->currentIndex().row() > 20);
    QTRY_VERIFY(table->viewport()->rect().contains(table->visualRect(verdict())));
    QVERIFY2(verdict().data().toString().startsWith("Rejected"), qPrintable(verdict().data().toString()));
    QVERIFY(child<QWidget>(w.get(), "verdict_line")->isVisible());
    picture(*w, "own-rejected");
  }

  void ptxIsFilledWhenLookedAt() {
    engine_->ptx_lines = 100000;
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    child<QSpinBox>(w.get(), "budget")->setValue(1);
    press(*w, "explore");
    QTRY_VERIFY(w->code()->source()->text().contains("variant 0"));
    QCOMPARE(w->code()->ptx()->rows(), 0);
    w->code()->show_listing(CodePanel::sass_listing);
    QTRY_VERIFY(w->code()->sass()->text().contains("EXIT"));
    w->code()->show_listing(CodePanel::ptx_listing);
    QTRY_VERIFY(w->code()->ptx()->rows() > 100000);
    w->code()->open_search();
    w->code()->set_pane(CodePanel::cuda, false);
    auto* find = w->code()->findChild<QLineEdit*>("search_words");
    QTRY_VERIFY(find->isVisible());
    QTest::keyClicks(find, "%f99998");
    QTRY_COMPARE(w->code()->ptx()->selected_text(), QString("%f99998"));
    picture(*w, "ptx-light");
  }

  void cancelAndResume() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    child<QSpinBox>(w.get(), "budget")->setValue(6);
    engine_->hold_before(2);
    press(*w, "explore");
    QTRY_COMPARE(w->candidates()->model()->judged(), 2);
    const QModelIndex counts = w->runs()->model()->index(0, RunModel::Accepted);  // while the run goes on
    QTRY_VERIFY2(counts.data().toString().endsWith(" of 2"), qPrintable(counts.data().toString()));
    press(*w, "cancel");
    QTRY_VERIFY(!w->session()->running());
    QCOMPARE(w->candidates()->model()->rowCount(), 2);
    QVERIFY(w->log()->as_text().contains("cancelled"));
    QTRY_VERIFY(child<QPushButton>(w.get(), "resume")->isEnabled());
    engine_->release();
    press(*w, "resume");
    QTRY_COMPARE(w->candidates()->model()->judged(), 6);
    QTRY_VERIFY(!w->session()->running());
    QVERIFY(!child<QPushButton>(w.get(), "resume")->isEnabled());  // done
    child<QSpinBox>(w.get(), "budget")->setValue(8);               // more budget: it can go on
    QTRY_VERIFY(child<QPushButton>(w.get(), "resume")->isEnabled());
    QCOMPARE(w->runs()->model()->rowCount(), 1);
  }

  void sessionIsRestored() {
    QString spec;
    {
      auto w = open({.input = "softmax of 512 rows"});
      QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
      press(*w, "explore");
      QVERIFY(ran(*w));
      w->candidates()->select(4);
      w->describe()->spec_view()->editor()->append("// edited, and not explored yet\n");
      spec = w->describe()->spec_text();
      QTRY_VERIFY(w->describe()->spec_ready());
      child<QSpinBox>(w.get(), "symbol_C")->setValue(96);
      w->actions_registry()->action("view.theme.dark")->trigger();
      w->show_dock("log");
      w->resize(1100, 700);
      QVERIFY(w->close());
    }
    QCOMPARE(MainWindow::remembered_theme(folder_->filePath("settings.ini")), QString("dark"));
    auto w = std::make_unique<MainWindow>(test::FakeEngine::services(engine_),
                                          WindowOptions{folder_->filePath("settings.ini"), {}, {}, false});
    w->show();
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{4});
    QCOMPARE(w->session()->shown_run(), std::int64_t{1});
    QCOMPARE(w->describe()->sentence(), QString("softmax of 512 rows"));
    QCOMPARE(w->describe()->spec_text(), spec);
    QTRY_VERIFY(w->describe()->spec_ready());
    QCOMPARE(w->describe()->spec_text(), spec);
    QCOMPARE(child<QSpinBox>(w.get(), "symbol_C")->value(), 96);
    QCOMPARE(w->size(), QSize(1100, 700));
    QTRY_VERIFY(w->code()->source()->text().contains("variant 3"));
  }

  void oldRunsOpenAgain() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    child<QSpinBox>(w.get(), "budget")->setValue(2);
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && w->runs()->model()->rowCount() == 1);
    child<QSpinBox>(w.get(), "budget")->setValue(5);
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && w->candidates()->model()->rowCount() == 5);
    QTRY_COMPARE(w->runs()->model()->rowCount(), 2);
    w->show_dock("runs");
    emit w->runs()->table()->activated(w->runs()->model()->index(1, 0));
    QTRY_COMPARE(w->candidates()->model()->rowCount(), 2);
    QCOMPARE(w->session()->shown_run(), std::int64_t{1});
    QCOMPARE(child<QSpinBox>(w.get(), "budget")->value(), 2);
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{2});
    picture(*w, "runs-light");
    // A click is enough.
    QTableView* runs = w->runs()->table();
    QTest::mouseClick(runs->viewport(), Qt::LeftButton, {}, runs->visualRect(w->runs()->model()->index(0, 0)).center());
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{2});
    QVERIFY(!w->statusBar()->currentMessage().contains("Ctrl+Z"));
    // What was typed meanwhile is one step of undo away, and the window says so.
    QPlainTextEdit* sentence = child<QPlainTextEdit>(w.get(), "sentence");
    w->show_dock("describe");
    sentence->selectAll();
    sentence->insertPlainText("my half-written idea");
    w->show_dock("runs");
    QTest::mouseClick(runs->viewport(), Qt::LeftButton, {}, runs->visualRect(w->runs()->model()->index(1, 0)).center());
    QTRY_COMPARE(w->describe()->sentence(), QString("softmax"));
    QVERIFY2(w->statusBar()->currentMessage().contains("Ctrl+Z"), qPrintable(w->statusBar()->currentMessage()));
    sentence->undo();
    QCOMPARE(w->describe()->sentence(), QString("my half-written idea"));
  }

  void namesOfRunsAreWholeWhereThereIsRoom() {
    RunsPanel panel;
    panel.resize(1100, 200);
    panel.show();
    store::RunRecord record;
    record.id = 1;
    record.op_name = "layernorm_gelu_of_a_very_long_name";
    panel.set_runs({record}, {});
    const QTableView* table = panel.table();
    const auto whole = [&] {
      return table->columnWidth(RunModel::Op) >= table->fontMetrics().horizontalAdvance(qs(record.op_name));
    };
    QTRY_VERIFY(whole());
    panel.resize(400, 200);
    record.id = 2;
    record.op_name += "_and_more";
    panel.set_runs({record}, {});
    QVERIFY(!whole());
    panel.resize(1200, 200);
    QTRY_VERIFY(whole());
  }

  // A workspace opens on its latest run; what is being typed stays.
  void aWorkspaceOpensOnItsLatestRun() {
    auto w = open({.input = "softmax"});
    action(*w, "layout.explore")->trigger();  // from the start page, which an opened workspace does not close
    child<QSpinBox>(w.get(), "budget")->setValue(2);
    for (int run = 1; run <= 2; ++run) {
      QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
      press(*w, "explore");
      QTRY_VERIFY(!w->session()->running() && w->runs()->model()->rowCount() == run);
    }
    const QString mine = w->session()->folder();
    w->session()->open_workspace(folder_->filePath("empty"));
    QTRY_COMPARE(w->session()->folder(), folder_->filePath("empty"));
    QTRY_COMPARE(w->runs()->model()->rowCount(), 0);
    QCOMPARE(w->session()->shown_run(), std::int64_t{0});
    w->describe()->set_sentence("relu of 96 by 96");
    QTRY_VERIFY(w->describe()->spec_ready() && !w->describe()->pending());
    w->session()->open_workspace(mine);
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{2});
    QTRY_VERIFY(w->candidates()->selected() != 0);
    QCOMPARE(w->describe()->sentence(), QString("relu of 96 by 96"));
  }

  void filesAreOpenedOrRefused() {
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    const auto write = [&](const char* name, const QByteArray& text) {
      QFile file(folder_->filePath(name));
      if (file.open(QIODevice::WriteOnly)) file.write(text);
      return file.fileName();
    };
    w->describe()->open_file(
        write("relu.op", "op relu(x: f32[N]) -> y: f32[N]\n  default N = 8\n{\n  y[i] = max(x[i], 0)\n}\n"));
    QTRY_VERIFY(w->describe()->spec_ready());
    QVERIFY(w->describe()->spec_text().contains("op relu"));
    w->describe()->open_file(write("mine.cu", "//@ candidate relu\n"));
    QCOMPARE(w->describe()->options().given.size(), std::size_t{1});
    w->describe()->open_file(write("notes.txt", "hello"));
    w->describe()->open_file(folder_->filePath("absent.op"));
    QVERIFY(w->log()->as_text().contains("notes.txt is not an op spec"));
    QVERIFY(w->log()->as_text().contains("absent.op"));
    QVERIFY(w->describe()->spec_text().contains("op relu"));
  }

  void workspaceThatCannotBeOpenedIsSaid() {
    QFile file(folder_->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    auto w = open({.workspace = file.fileName() + "/workspace", .input = "softmax"});
    QTRY_VERIFY(w->log()->as_text().contains("cannot be opened"));
    QVERIFY(!child<QPushButton>(w.get(), "explore")->isEnabled());
    QTRY_VERIFY(child<QLabel>(w.get(), "hint")->text().contains("workspace"));
    QTRY_VERIFY(w->describe()->spec_ready());  // the text is worked on all the same
  }

  void everyActionIsWithinReach() {
    auto w = open();
    QHash<QString, QString> keys;
    for (const ActionInfo& info : w->actions_registry()->all()) {
      QVERIFY2(!info.action->text().isEmpty() && !info.action->statusTip().isEmpty(), qPrintable(info.id));
      for (const QKeySequence& key : info.action->shortcuts()) {
        QVERIFY2(!keys.contains(key.toString()),
                 qPrintable(key.toString() + " of " + info.id + " and " + keys[key.toString()]));
        keys[key.toString()] = info.id;
      }
    }
    w->actions_registry()->action("help.palette")->trigger();
    auto* palette = child<QDialog>(w.get(), "command_palette");
    QVERIFY(palette);
    auto* input = palette->findChild<QLineEdit*>();
    auto* list = palette->findChild<QListWidget*>();
    QVERIFY(list->count() > 25);
    QTest::keyClicks(input, "theme dark");
    QCOMPARE(list->item(0)->data(Qt::UserRole).toString(), QString("view.theme.dark"));
    picture(*w, "palette-light");
    QDir().mkpath(WW_BINARY_DIR "/screenshots");
    QVERIFY(palette->grab().save(WW_BINARY_DIR "/screenshots/palette.png"));
    QTest::keyClick(input, Qt::Key_Return);
    QTRY_COMPARE(Theme::instance().current(), QString("dark"));
    w->actions_registry()->action("help.shortcuts")->trigger();
    auto* settings = child<QDialog>(w.get(), "settings");
    QVERIFY(settings && child<QWidget>(settings, "keys_page"));
    QVERIFY(settings->grab().save(WW_BINARY_DIR "/screenshots/shortcuts.png"));
    settings->reject();
  }

  void controlsHaveNamesAndOrder() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(w->describe()->spec_ready());
    for (QWidget* c : w->findChildren<QWidget*>()) {
      const bool control = qobject_cast<QAbstractButton*>(c) || qobject_cast<QComboBox*>(c) ||
                           qobject_cast<QAbstractSpinBox*>(c) || qobject_cast<QAbstractItemView*>(c) ||
                           qobject_cast<QPlainTextEdit*>(c) || qobject_cast<QsciScintilla*>(c) ||
                           qobject_cast<QTextBrowser*>(c);
      if (!control || !c->isVisible() || c->focusPolicy() == Qt::NoFocus ||
          QString(c->metaObject()->className()).startsWith("QDock") || c->objectName().startsWith("qt_"))
        continue;
      const auto* button = qobject_cast<QAbstractButton*>(c);
      QVERIFY2(!c->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
               qPrintable(QString(c->metaObject()->className()) + " " + c->objectName()));
    }
    // From the sentence, Tab comes to the spec, the options and Explore, in this order.
    QWidget* at = child<QPlainTextEdit>(w.get(), "sentence");
    QStringList order;
    for (int i = 0; i < 160; ++i) {
      at = at->nextInFocusChain();
      if (at->isVisible() && (at->focusPolicy() & Qt::TabFocus) && !at->objectName().isEmpty())
        order += at->objectName();
    }
    const auto place = [&](const char* name) { return order.indexOf(name); };
    QVERIFY2(place("spec_editor") >= 0 && place("spec_editor") < place("dtype") && place("dtype") < place("budget") &&
                 place("budget") < place("explore"),
             qPrintable(order.join(" ")));
  }

  void closingCancelsNothingSilently() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    engine_->hold_before(1);
    press(*w, "explore");
    QTRY_COMPARE(w->candidates()->model()->judged(), 1);
    w.reset();  // without a question: the run is cancelled, waited for, and nothing is called afterwards
    QCOMPARE(engine_->started_runs.load(), 1);
  }
};

int main(int argc, char** argv) {
  WatchdogApplication app(argc, argv);
  WindowTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "window_test.moc"
