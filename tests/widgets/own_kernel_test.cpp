// SPDX-License-Identifier: GPL-3.0-or-later
// A person's own kernels on the start page: which op they are for, and how they are launched.
#include <QBuffer>
#include <QClipboard>
#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QDialog>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QDockWidget>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextTable>
#include <QLabel>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QWheelEvent>
#include "panels/candidates/best_chart.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/candidates/result_text.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/equation_drawing.h"
#include "panels/describe/given_candidates.h"
#include "panels/describe/reading_view.h"
#include "panels/describe/run_form.h"
#include "panels/tour/tour.h"
#include "panels/tour/tour_panel.h"
#include "parts/theme/certificate.h"
#include "parts/theme/html_view.h"
#include "parts/theme/type.h"
#include "parts/theme/label.h"
#include "panels/log/log_panel.h"
#include "panels/plots/run_strip.h"
#include "panels/runs/runs_panel.h"
#include "shell/start/example_card.h"
#include "shell/start/start_page.h"
#include "shell/window/compare_bar.h"
#include "shell/window/docks.h"
#include "widgets/start_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class OwnKernelTest : public QObject, StartFixture {
  Q_OBJECT

  static constexpr const char* bare_kernel =
      "__global__ void softmax_rows(const float* x, float* y, int R, int C) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < R * C) y[i] = x[i];\n}\n";
  // Asks for the launch plan of a kernel.
  static QDialog* plan_form(MainWindow& w, const QString& kernel) {
    QDialog* form = nullptr;
    (void)QTest::qWaitFor([&] { return w.session()->ready(); });
    w.describe()->set_sentence(kernel);
    const auto shown = [&] { return (w.describe()->write_plan(), form = child<QDialog>(&w, "plan_form")); };
    (void)(QTest::qWaitFor([&] { return w.describe()->needs_plan(); }) && QTest::qWaitFor(shown));
    return form;
  }
  // The form in sight; filled in with what it asked for.
  static void plan_is_written(MainWindow& w) {
    QTRY_VERIFY(w.findChild<QDialog*>("plan_form"));
    auto* form = w.findChild<QDialog*>("plan_form");
    QTRY_VERIFY(form->isVisible());
    QTRY_COMPARE(child<QComboBox>(form, "plan_op")->currentText(), QString("softmax"));  // as it is called: a guess
    QVERIFY(child<Label>(form, "plan_guess_op"));
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    auto* write = child<QPushButton>(form, "plan_write");
    QVERIFY(!write->isEnabled());  // the block is asked for
    QVERIFY2(child<Label>(form, "plan_problem")->text() ==
                 "Fill in: Threads per block. The blocks follow from the threads.",
             qPrintable(child<Label>(form, "plan_problem")->text()));
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block")->hasFocus());
    QTest::keyClicks(child<QLineEdit>(form, "plan_block"), "128");
    QVERIFY2(write->isEnabled(), qPrintable(child<Label>(form, "plan_problem")->text()));
    QVERIFY(child<QLineEdit>(form, "plan_grid")->text().contains("ceildiv("));
    QVERIFY(child<QLineEdit>(form, "plan_grid")->placeholderText().contains("ceildiv(R * C, 256)"));
    const auto begin = [&](const char* field) { return child<QWidget>(form, field)->mapTo(form, QPoint()).x(); };
    QTRY_COMPARE(begin("plan_op"), begin("plan_block"));
    const auto* fields = form->findChild<QScrollArea*>();
    QTRY_VERIFY2(fields->verticalScrollBar()->maximum() == 0, "the fields scroll though there is room");
    picture(*form, "plan-form-op");
    // An op that is not in the library has no plan; back.
    auto* op = child<QComboBox>(form, "plan_op");
    op->lineEdit()->selectAll();
    QTest::keyClicks(op, "nonsense");
    QVERIFY(!write->isEnabled() && !child<QLineEdit>(form, "plan_block"));
    op->lineEdit()->selectAll();
    QTest::keyClicks(op, "softmax");
    QVERIFY(!child<QLineEdit>(form, "plan_block"));  // not while it is typed
    QTest::keyClick(op, Qt::Key_Return);
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    QVERIFY(!child<Label>(form, "plan_guess_op")->isVisible());
    QTest::keyClicks(child<QLineEdit>(form, "plan_block"), "128");
    write->click();
    QTRY_VERIFY(w.describe()->can_explore());
    const generator::RunOptions options = w.describe()->options();
    QCOMPARE(options.given.size(), std::size_t{1});
    QVERIFY2(options.given[0].text.starts_with("//@ candidate softmax\n//@ launch softmax_rows grid("),
             options.given[0].text.c_str());
    QVERIFY(options.spec.find("op softmax(") != std::string::npos);
  }

 private slots:
  void init() { set_up(); }

  // A name is found by any part of it; typing chooses nothing and keeps the focus.
  void anOpIsTypedIntoTheFormOfALaunchPlan() {
    auto w = open({.input = ""});
    w->activateWindow();
    auto* form = plan_form(*w,
                           "__global__ void leaky(const float* in, float* out, float slope, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) out[i] = in[i] > 0.0f ? in[i] : slope * in[i];\n}\n");
    auto* op = child<QComboBox>(form, "plan_op");
    auto* problem = child<Label>(form, "plan_problem");
    const auto whole = [&] {  // nothing is cut
      for (const QWidget* part : form->findChildren<QWidget*>())
        if (part->isVisible() && part->parentWidget() == form && part->hasHeightForWidth() &&
            part->height() < part->heightForWidth(part->width()))
          return false;
      const auto* write = child<QPushButton>(form, "plan_write");
      return write->mapTo(form, write->rect().bottomLeft()).y() < form->height() &&
             write->height() >= write->sizeHint().height() && op->height() >= op->sizeHint().height();
    };
    QTRY_VERIFY(op->hasFocus());
    QTRY_VERIFY(whole());
    picture(*form, "plan-form-empty");
    for (const QChar key : QString("Leaky_relu")) {
      QTest::keyClicks(op, key);
      QVERIFY(op->hasFocus() && !child<QLineEdit>(form, "plan_block"));
    }
    QCOMPARE(op->currentText(), QString("Leaky_relu"));
    QVERIFY(!child<Label>(form, "plan_guess_op")->isVisible());
    QCOMPARE(problem->text(), QString("Return chooses leaky_relu."));
    QTRY_VERIFY(op->completer()->popup()->isVisible());
    QCOMPARE(op->completer()->completionCount(), 2);  // and its backward
    QTest::keyClick(op->completer()->popup(), Qt::Key_Return);
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    QCOMPARE(op->currentText(), QString("leaky_relu"));
    QVERIFY(op->hasFocus() && !child<Label>(form, "plan_guess_op")->isVisible());
    QTRY_VERIFY(whole());
    auto* block = child<QLineEdit>(form, "plan_block");
    for (const char* bad : {"eaky", "12 threads", "n"}) {
      block->selectAll();
      QTest::keyClicks(block, bad);
      QVERIFY2(problem->text().startsWith("Threads per block: numbers, or expressions over "), bad);
      QVERIFY2(problem->text().contains(bad), bad);
    }
    block->selectAll();
    QTest::keyClicks(block, "32, 8");
    QVERIFY2(!problem->text().startsWith("Threads per block"), qPrintable(problem->text()));
    // A highlighted name, and one that several contain.
    op->lineEdit()->selectAll();
    QTest::keyClicks(op, "softma");
    QVERIFY2(problem->text().contains("ops have \u201csoftma\u201d"), qPrintable(problem->text()));
    QTest::keyClick(op, Qt::Key_Return);
    QVERIFY(!child<QLineEdit>(form, "plan_block"));
    QTest::keyClicks(op, "x");
    QTRY_VERIFY(op->completer()->popup()->isVisible());
    QTest::keyClick(op->completer()->popup(), Qt::Key_Down);
    QVERIFY(!child<QLineEdit>(form, "plan_block"));
    const QString highlighted = op->completer()->popup()->currentIndex().data().toString();
    QVERIFY(highlighted.contains("softmax"));
    QTest::keyClick(op->completer()->popup(), Qt::Key_Return);
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    QCOMPARE(op->currentText(), highlighted);
    form->reject();
  }

  // What was given for one op is not judged for another, and a run has what its chips show.
  void aKernelIsJudgedForItsOwnOpOnly() {
    QFile file(folder_->filePath("leaky.cu"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("//@ candidate leaky_relu\n//@ launch leaky grid(1) block(1) args(x, y)\n");
    file.close();
    auto w = open({.input = ""});
    QTRY_VERIFY(w->session()->ready());
    w->describe()->open_file(file.fileName());
    QTRY_VERIFY(w->describe()->can_explore());
    QCOMPARE(w->describe()->options().given.size(), std::size_t{1});
    action(*w, "go.start")->trigger();
    auto* chips = child<GivenCandidates>(w.get(), "start_given");
    QTRY_VERIFY(chips->isVisible());
    QCOMPARE(chips->findChild<QToolButton*>()->text(), QString("leaky.cu"));
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    prompt->clear();
    type(prompt, "mean of each column of a 200 by 50 matrix");
    QTRY_VERIFY2(reading(*w).startsWith("column_mean"), qPrintable(reading(*w)));
    QVERIFY(!chips->isVisible());
    QTest::keyClick(prompt, Qt::Key_Return);
    QTRY_VERIFY(w->session()->shown_run() != 0 && !w->session()->running());
    QVERIFY(engine_->last_options.given.empty());
    // It is still at hand, and says what it is for.
    auto* kept = w->describe()->given()->findChild<QToolButton*>();
    QVERIFY(w->describe()->given()->isVisible() && kept->text().contains("for leaky_relu"));
    picture(*w, "given-for-another-op");
    w->describe()->set_sentence("leaky_relu");
    QTRY_VERIFY(w->describe()->can_explore() && w->describe()->options().given.size() == 1);
    QVERIFY(w->describe()->given()->findChildren<QToolButton*>().last()->text() == "leaky.cu");
    // A chip is removed from the start page, too.
    action(*w, "go.start")->trigger();
    QTRY_VERIFY(chips->isVisible());
    chips->findChildren<QToolButton*>().last()->click();
    QVERIFY(!chips->isVisible() && w->describe()->options().given.empty());
  }

  void whichOfSeveralKernelsIsAsked() {
    auto w = open({.input = ""});
    auto* form =
        plan_form(*w,
                  "__global__ void scale_rows(float* y) { y[threadIdx.x] = 0; }\n"
                  "__global__ void softmax_rows(const float* in, float* out, int rows, int cols) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < rows * cols) out[i] = in[i];\n}\n");
    auto* kernel = child<QComboBox>(form, "plan_kernel");
    QVERIFY(kernel && kernel->currentIndex() == -1);  // nobody was asked yet
    QCOMPARE(kernel->count(), 2);
    QVERIFY(!child<QLineEdit>(form, "plan_block") && !child<QComboBox>(form, "plan_op")->isVisible());
    QVERIFY(child<Label>(form, "plan_about")->text().contains("2 kernels"));
    QVERIFY(!child<QPushButton>(form, "plan_write")->isEnabled());
    picture(*form, "plan-form-kernels");
    kernel->setCurrentIndex(1);
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    QCOMPARE(child<QComboBox>(form, "plan_op")->currentText(), QString("softmax"));
    // The sizes are guessed by how they begin, and nothing that is empty is called a guess.
    QCOMPARE(child<QComboBox>(form, "plan_arg_2")->currentText(), QString("R"));
    QCOMPARE(child<QComboBox>(form, "plan_arg_3")->currentText(), QString("C"));
    QVERIFY(child<Label>(form, "plan_guess_5")->isVisible() && child<Label>(form, "plan_guess_6")->isVisible());
    QVERIFY(child<QLineEdit>(form, "plan_grid")->text().isEmpty());
    QVERIFY(!child<Label>(form, "plan_guess_1")->isVisible());
    QTest::keyClicks(child<QLineEdit>(form, "plan_block"), "128");
    QVERIFY(child<Label>(form, "plan_guess_1")->isVisible());
    picture(*form, "plan-form-rows");
    QVERIFY2(child<QPushButton>(form, "plan_write")->isEnabled(),
             qPrintable(child<Label>(form, "plan_problem")->text()));
    child<QPushButton>(form, "plan_write")->click();
    QTRY_VERIFY(w->describe()->can_explore());
    QVERIFY(w->describe()->options().given[0].text.find("//@ launch softmax_rows") != std::string::npos);
  }

  void aBareKernelIsAskedForOpAndPlan_data() {
    QTest::addColumn<bool>("dropped");
    QTest::newRow("pasted") << false;
    QTest::newRow("dropped") << true;
  }
  void aBareKernelIsAskedForOpAndPlan() {
    QFETCH(bool, dropped);
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    if (dropped) {
      QFile file(folder_->filePath("mine.cu"));
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bare_kernel) > 0);
      file.close();
      QMimeData data;
      data.setUrls({QUrl::fromLocalFile(file.fileName())});
      QDragEnterEvent enter({20, 8}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QApplication::sendEvent(w->start_page(), &enter);
      QVERIFY(enter.isAccepted());
      QDropEvent event({20, 8}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QApplication::sendEvent(w->start_page(), &event);
    } else {
      QApplication::clipboard()->setText(bare_kernel);
      prompt->setFocus();
      prompt->paste();
      QTRY_VERIFY2(reading(*w).contains("without a launch plan"), qPrintable(reading(*w)));
      QVERIFY(!w->findChild<QDialog*>("plan_form"));
      QTest::keyClick(prompt, Qt::Key_Return);
    }
    QVERIFY(!w->start_page()->isVisible());
    QVERIFY(!w->session()->running());
    plan_is_written(*w);
    const QString name = w->describe()->given()->findChildren<QToolButton*>().last()->text();
    QCOMPARE(name, QString(dropped ? "mine.cu" : "softmax_rows.cu"));  // as the person's file is called
    press(*w, "explore");
    QTRY_VERIFY(w->session()->shown_run() != 0 && !w->session()->running());
    // Another kernel of the same op: the box says again what runs.
    w->describe()->set_sentence(QString(bare_kernel).replace("softmax_rows", "softmax_again"));
    QTRY_VERIFY(w->describe()->needs_plan());
    w->describe()->write_plan();
    QTRY_VERIFY(w->findChild<QDialog*>("plan_form"));
    auto* form = w->findChild<QDialog*>("plan_form");
    QTRY_VERIFY(child<QLineEdit>(form, "plan_block"));
    QTest::keyClicks(child<QLineEdit>(form, "plan_block"), "128");
    child<QPushButton>(form, "plan_write")->click();
    QTRY_COMPARE(w->describe()->sentence(), QString("softmax"));
    QTRY_VERIFY(w->describe()->can_explore());
  }
};

QTEST_MAIN(OwnKernelTest)
#include "own_kernel_test.moc"
