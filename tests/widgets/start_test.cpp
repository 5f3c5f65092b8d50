// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: a newcomer's sentence becomes a run, from the keyboard alone.
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
#include <QScrollBar>
#include <QLabel>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
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

class StartTest : public QObject, StartFixture {
  Q_OBJECT

 private slots:
  void init() { set_up(); }

  void aRunWithoutCandidatesIsNoSuccess() {
    engine_->candidates = 0;
    auto w = open({.input = "softmax of 512 rows"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QTRY_VERIFY(w->session()->shown_run() == 1 && !w->session()->running());
    const auto cell = [&](int column = RunModel::State) { return w->runs()->model()->index(0, column); };
    QTRY_COMPARE(cell().data().toString(), QString("No candidates"));
    QVERIFY(cell().data(Qt::ToolTipRole).toString().contains("The budget is used up"));
    const QImage icon = cell(RunModel::Number).data(Qt::DecorationRole).value<QIcon>().pixmap(16).toImage();
    QCOMPARE(icon, Theme::instance().icon("warning", "warning").pixmap(16).toImage());
    QVERIFY(icon != Theme::instance().icon("accepted", "accepted").pixmap(16).toImage());
    bool said = false;
    for (const QLabel* label : w->candidates()->findChildren<QLabel*>())
      said |= label->isVisible() && label->text() == "This run has no candidates: the budget is used up.";
    QVERIFY(said);
    const LogModel* log = w->log()->model();
    bool warned = false;
    for (int row = 0; row < log->rowCount(); ++row)
      for (int column = 0; column < log->columnCount(); ++column)
        warned |= log->index(row, column).data().toString() == "Run 1 has no candidates: the budget is used up.";
    QVERIFY(warned);
    w->show_dock("progress");
    QTRY_COMPARE(w->findChild<RunStrip*>()->state(), QString("No candidates: the budget is used up"));
    picture(*w, "no-candidates");
  }

  void runIsAsHighAsThePrompt() {
    auto w = open_bare();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    auto* run = child<QPushButton>(w.get(), "start_run");
    QTRY_VERIFY(prompt->isVisible());
    for (const char* theme : {"dark", "light"}) {
      QVERIFY(Theme::instance().apply(theme));
      QTRY_COMPARE(run->height(), prompt->height());
    }
    for (const char* zoom : {"view.zoom_in", "view.zoom_reset"}) {
      action(*w, zoom)->trigger();
      QTRY_COMPARE(run->height(), prompt->height());
    }
  }

  void showsHowTheTextIsUnderstood() {
    auto w = open_bare();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    auto* understood = child<ReadingView>(w.get(), "start_understood");
    auto* drawing = child<EquationDrawing>(w.get(), "start_drawing");
    QTRY_VERIFY(prompt->isVisible());
    QVERIFY(!understood->isVisible() && !drawing->isVisible());
    type(prompt, "softmax over the rows of a 512x1024 float matrix");
    QTRY_VERIFY(drawing->isVisible() && !drawing->figures().empty());
    QVERIFY(understood->isVisible());
    QCOMPARE(understood->lines(), w->describe()->reading()->lines());
    QVERIFY(!understood->lines().isEmpty() && understood->lines().first().startsWith("softmax: "));
    QVERIFY(child<QPushButton>(w.get(), "start_run")->visibleRegion().boundingRect().height() > 20);
    picture(*w, "start-understood");
    // Of several equations, all are there: the last one drawn, as many before it as there is room for.
    prompt->selectAll();
    type(prompt, "layernorm followed by gelu over 512x1024 float");
    QTRY_VERIFY(drawing->figures().size() > 2);
    QVERIFY(drawing->folded() > 0 && drawing->folded() < static_cast<int>(drawing->figures().size()));
    QVERIFY(drawing->height() <= 240);
    prompt->clear();
    QTRY_VERIFY(!drawing->isVisible());
    QVERIFY(!understood->isVisible());
  }

  // A run that is looked at lends its budget to its own resumption, not to new work.
  void newWorkHasThePersonsOwnBudget() {
    auto w = open({.input = "softmax"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    auto* budget = child<QSpinBox>(w.get(), "budget");
    budget->setValue(2);
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && w->runs()->model()->rowCount() == 1);
    budget->setValue(9);
    w->session()->show_run(1);
    QTRY_COMPARE(budget->value(), 2);
    action(*w, "go.start")->trigger();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    prompt->clear();
    type(prompt, "relu of 96 by 128");
    QTRY_VERIFY2(reading(*w).contains("9 candidates"), qPrintable(reading(*w)));
    QCOMPARE(budget->value(), 9);
    // The same for a sentence in the panel; what the person changes meanwhile is the person's.
    w->session()->show_run(1);
    QTRY_COMPARE(budget->value(), 2);
    w->describe()->set_sentence("relu of 96 by 128");
    QTRY_COMPARE(budget->value(), 9);
    w->session()->show_run(1);
    QTRY_COMPARE(budget->value(), 2);
    budget->setValue(3);
    w->describe()->set_sentence("relu of 96 by 128");
    QTRY_VERIFY(w->describe()->can_explore());
    QCOMPARE(budget->value(), 3);
  }

  void returnWithoutATextSaysWhatToDo() {
    auto w = open_bare();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    QTRY_VERIFY(prompt->hasFocus());
    QTest::keyClick(prompt, Qt::Key_Return);
    QVERIFY2(reading(*w).startsWith("Write an operation"), qPrintable(reading(*w)));
    QVERIFY(w->start_page()->isVisible() && prompt->hasFocus());
    type(prompt, "softmax of 96x128");
    QTRY_VERIFY(reading(*w).startsWith("softmax"));
  }

  // Neither the prompt nor what one may be aiming at moves while one types.
  void nothingMovesWhileOneTypes() {
    auto w = open_bare();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    auto* tour = child<QPushButton>(w.get(), "start_tour");
    QTRY_VERIFY(prompt->hasFocus() && tour->isVisible() && w->settled());  // the machine's line has come
    QTest::qWait(1);
    const auto at = [&](QWidget* part) { return part->mapTo(w->start_page(), QPoint()); };
    const QPoint before = at(prompt), foot = at(tour);
    for (const QChar c : QString("softmax over the rows of a 512x1024 float matrix")) {
      QTest::keyClicks(prompt, QString(c));
      QCOMPARE(at(prompt), before);
    }
    QTRY_VERIFY(child<EquationDrawing>(w.get(), "start_drawing")->isVisible());
    QTest::qWait(1);
    QCOMPARE(at(prompt), before);
    const QPoint after = at(tour);
    QVERIFY2(after.y() >= foot.y(), "it went up");
    QTest::keyClicks(prompt, ", fast");
    QTRY_VERIFY(!w->describe()->pending());
    QCOMPARE(at(tour), after);
    picture(*w, "start-still");
  }

  void whatIsUnclearIsSaidOnce() {
    auto w = open_bare();
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    QTRY_VERIFY(prompt->isVisible());
    type(prompt, "sort a list of 1000 numbers");
    QTRY_VERIFY(!w->describe()->unclear().isEmpty());
    QTRY_COMPARE(reading(*w), w->describe()->unclear());
    int times = 0;
    for (const QLabel* label : w->start_page()->findChildren<QLabel*>())
      times += label->isVisible() && label->text().contains(w->describe()->unclear());
    QCOMPARE(times, 1);
    QVERIFY(w->describe()->reading()->lines().contains(w->describe()->unclear()));  // the panel says it, too
  }

  void typedSentenceRunsAtReturn() {
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    QVERIFY(w->start_page()->isVisible());
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    QTRY_VERIFY(prompt->hasFocus());
    picture(*w, "start");
    type(prompt, "softmax over the rows of a 96x128 matrix");
    QTRY_VERIFY2(reading(*w).startsWith("softmax"), qPrintable(reading(*w)));
    QVERIFY2(reading(*w).contains("96") && reading(*w).contains("128"), qPrintable(reading(*w)));
    picture(*w, "start-typed");
    QTest::keyClick(prompt, Qt::Key_Return);
    QVERIFY(!w->start_page()->isVisible());
    QTRY_VERIFY(w->session()->shown_run() != 0);
    QTRY_VERIFY(w->candidates()->model()->rowCount() > 0);
    QCOMPARE(w->describe()->sentence(), QString("softmax over the rows of a 96x128 matrix"));
    QTRY_VERIFY(!w->session()->running());
    CandidatePanel* table = w->candidates();
    QTRY_VERIFY(result_of(table->model()->rows()).best);
    const std::int64_t best = result_of(table->model()->rows()).best->id;
    QTRY_COMPARE(table->selected(), best);  // the first result is looked at without a click
    const std::int64_t other = table->model()->rows().front().data.id == best ? table->model()->rows().back().data.id
                                                                              : table->model()->rows().front().data.id;
    table->select(other);
    table->show_best();
    QCOMPARE(table->selected(), other);  // a person's choice stays
  }

  // The summary opens into the run's options, which are those of the Describe panel.
  void optionsAreChangedOnThePage() {
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    auto* options = child<QToolButton>(w.get(), "start_options");
    QVERIFY(!options->isVisible());
    type(prompt, "softmax over the rows of a 96x128 matrix");
    QTRY_VERIFY(reading(*w).startsWith("softmax") && options->isVisible());
    QTest::mouseClick(options, Qt::LeftButton);
    RunForm* form = w->describe()->form();
    QTRY_VERIFY(form->isVisible() && w->start_page()->isAncestorOf(form));
    picture(*w, "start-options");
    QAction* run = w->actions_registry()->action("run.explore");
    QTRY_VERIFY(run->isEnabled());
    prompt->clear();  // nothing is typed: the tool bar does not run what was typed before
    QTRY_VERIFY(!run->isEnabled());
    type(prompt, "softmax over the rows of a 96x128 matrix");
    QTRY_VERIFY(reading(*w).startsWith("softmax") && run->isEnabled());
    if (!options->isChecked()) QTest::mouseClick(options, Qt::LeftButton);
    QTRY_VERIFY(form->isVisible() && w->start_page()->isAncestorOf(form));
    child<QSpinBox>(w.get(), "budget")->setValue(3);
    child<QSpinBox>(w.get(), "budget_minutes")->setValue(7);
    child<QSpinBox>(w.get(), "symbol_R")->setValue(40);
    QTRY_VERIFY2(reading(*w).contains("R = 40") && reading(*w).contains("3 candidates") &&
                     reading(*w).contains("at most 7 min"),
                 qPrintable(reading(*w)));
    QTest::mouseClick(options, Qt::LeftButton);
    QVERIFY(w->describe()->isAncestorOf(form));
    QTest::mouseClick(options, Qt::LeftButton);
    QVERIFY(w->start_page()->isAncestorOf(form));
    prompt->setFocus();
    QTest::keyClick(prompt, Qt::Key_Return);
    QVERIFY(!w->start_page()->isVisible() && w->describe()->isAncestorOf(form));
    QTRY_VERIFY(w->session()->shown_run() != 0 && !w->session()->running());
    QCOMPARE(w->session()->workspace()->run(w->session()->shown_run())->proposed, 3);
    w->describe()->show();
    QTRY_VERIFY(form->isVisibleTo(w->describe()));
  }

  void whatIsUnclearIsSaidAndDoesNotRun() {
    auto w = open_bare();
    QTRY_VERIFY(w->session()->ready());
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    auto* drawing = child<EquationDrawing>(w.get(), "start_drawing");
    type(prompt, "softmax over the rows of a 512x1024 float matrix");
    QTRY_VERIFY(drawing->isVisible());
    prompt->selectAll();
    type(prompt, "frobnicate the whatsit");
    QTRY_VERIFY(!w->describe()->pending() && !w->describe()->unclear().isEmpty());
    QTRY_VERIFY(!drawing->isVisible());
    QTRY_COMPARE(reading(*w), w->describe()->unclear());
    QTest::keyClick(prompt, Qt::Key_Return);
    QVERIFY(!w->start_page()->isVisible());
    QCOMPARE(w->docks()->current(), QString("explore"));
    QTest::qWait(1);
    QVERIFY(!w->session()->running());
    QCOMPARE(w->session()->shown_run(), std::int64_t{0});
  }

  void cardsTypeTheirSentence() {
    auto w = open_bare();
    QTRY_VERIFY(w->session()->ready());
    const QList<ExampleCard*> cards = w->start_page()->findChildren<ExampleCard*>();
    QVERIFY(cards.size() >= 6);
    QTest::mouseClick(cards.front(), Qt::LeftButton);
    QCOMPARE(w->start_page()->text(), cards.front()->example().sentence);
    QTRY_COMPARE(w->describe()->sentence(), cards.front()->example().sentence);
    QVERIFY(w->start_page()->isVisible());  // nothing runs before Return
    QVERIFY(!w->session()->running());
  }

  // Every example that is a sentence is understood; a card whose sentence is not would lead nowhere.
  void examplesAreUnderstood() {
    QFile file(WW_SOURCE_DIR "/resources/start/examples.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto examples = read_examples(file.readAll());
    QVERIFY(examples);
    const auto library = op::Library::load(WW_SOURCE_DIR "/resources/ops");
    QVERIFY(library);
    for (const StartExample& one : *examples) {
      QVERIFY(!one.picture.empty());
      if (one.opens_file) continue;
      QVERIFY2(op::understand(*library, one.sentence.toStdString()).spec, qPrintable(one.sentence));
    }
  }

  // Watched from the page and skipped, the tour leads back to it and leaves no panel in the person's layouts.
  void theTourLeadsBackToThePage() {
    QDir(Tour::folder()).removeRecursively();
    auto w = open_bare();
    QTRY_VERIFY(w->session()->ready());
    QTest::mouseClick(child<QPushButton>(w.get(), "start_tour"), Qt::LeftButton);
    Tour* tour = w->findChild<TourPanel*>()->tour();
    QTRY_VERIFY2(tour->on(), qPrintable(tour->problem()));
    QVERIFY(!w->start_page()->isVisible());
    QTest::mouseClick(child<QPushButton>(w.get(), "tour_skip"), Qt::LeftButton);
    QVERIFY(!tour->on());
    QVERIFY(w->start_page()->isVisible());
    QTRY_VERIFY(w->session()->ready() && !Tour::owns(w->session()->folder()));
    QVERIFY(w->start_page()->isVisible());
    QVERIFY(child<QPlainTextEdit>(w.get(), "start_prompt")->hasFocus());
    QTest::keyClick(child<QPlainTextEdit>(w.get(), "start_prompt"), Qt::Key_Escape);
    QCOMPARE(w->docks()->current(), QString("explore"));
    QVERIFY(w->dock("tour")->isHidden());
  }

  void badExamplesAreRefused() {
    QVERIFY(!read_examples("{"));
    QVERIFY(!read_examples(R"({"examples":[{"title":"","sentence":"x"}]})"));
    QVERIFY(read_examples(R"({"examples":[{"title":"a","sentence":"b","picture":[[-1,9999,"what"],7]}]})"));
  }

  void escapeAndWorkspacesLeaveIt() {
    auto w = open_bare();
    QTRY_VERIFY(w->session()->ready());
    const auto chosen = [&] {  // as the buttons of the tool bar show it
      QStringList ids;
      for (const Layout& layout : layouts())
        if (action(*w, qPrintable("layout." + layout.id))->isChecked()) ids.append(layout.id);
      return ids;
    };
    QCOMPARE(chosen(), QStringList());
    QTest::keyClick(child<QPlainTextEdit>(w.get(), "start_prompt"), Qt::Key_Escape);
    QVERIFY(!w->start_page()->isVisible());
    QCOMPARE(chosen(), QStringList("explore"));
    action(*w, "layout.explore")->trigger();  // the one that is shown
    QCOMPARE(chosen(), QStringList("explore"));
    action(*w, "go.start")->trigger();
    QVERIFY(w->start_page()->isVisible());
    QCOMPARE(chosen(), QStringList());
    action(*w, "layout.profile")->trigger();
    QVERIFY(!w->start_page()->isVisible());
    QCOMPARE(chosen(), QStringList("profile"));
    action(*w, "go.start")->trigger();
    w->resize(1000, 700);
    QTRY_VERIFY(w->start_page()->width() == 1000);
    picture(*w, "start-1000x700");
  }

  void tabStaysOnThePage() {
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    QTRY_VERIFY(child<QPlainTextEdit>(w.get(), "start_prompt")->hasFocus());
    QSet<QWidget*> seen;
    for (int i = 0; i < 30; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      QVERIFY(w->start_page()->isAncestorOf(QApplication::focusWidget()));
      seen.insert(QApplication::focusWidget());
    }
    QVERIFY(seen.size() >= 8);
  }

  static bool runs_what_is_typed(MainWindow& w) {
    if (!QTest::qWaitFor([&] { return w.session()->ready(); })) return false;
    auto* prompt = child<QPlainTextEdit>(&w, "start_prompt");
    type(prompt, "softmax over the rows of a 96x128 matrix");
    QTest::keyClick(prompt, Qt::Key_Return);
    return QTest::qWaitFor([&] { return w.session()->shown_run() != 0 && !w.session()->running(); });
  }
  void recentRunsAreOffered() {
    {
      auto w = open_bare();
      QVERIFY(runs_what_is_typed(*w));
      const QToolBar* compared = w->compare_bar()->bar();
      QVERIFY(compared->isVisible());
      action(*w, "go.start")->trigger();
      QTRY_VERIFY(w->start_page()->geometry().contains(compared->geometry()));  // it is of the workspaces
      QPushButton* run = nullptr;
      const auto find = [&] {
        for (QPushButton* b : w->start_page()->findChildren<QPushButton*>())
          if (b->text().startsWith("Run 1: softmax")) run = b;
        return run != nullptr;
      };
      QTRY_VERIFY(find() && run->isVisible());
      QStyleOptionButton option;
      option.initFrom(run);
      const int words = run->style()->subElementRect(QStyle::SE_PushButtonContents, &option, run).left();
      QCOMPARE(run->mapTo(w->start_page(), QPoint(words, 0)).x(),
               child<QWidget>(w.get(), "start_title")->mapTo(w->start_page(), QPoint()).x());
      run->click();
      QTRY_VERIFY(!w->start_page()->isVisible());
      QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    }
  }

  // As packaging/run starts it.
  void aSentenceGivenAtTheStartForgetsNoRun() {
    {
      auto w = open_bare();
      QVERIFY(runs_what_is_typed(*w));
      w->close();
    }
    {
      MainWindow w(FakeEngine::services(engine_), {.settings_file = folder_->filePath("settings.ini"),
                                                   .input = "softmax over the rows of a 512x1024 float matrix"});
      w.resize(1280, 800);
      w.show();
      QTRY_VERIFY(w.session()->ready() && w.start_page()->isVisible());
      QPushButton* run = nullptr;
      const auto found = [&] {
        for (QPushButton* b : w.start_page()->findChildren<QPushButton*>())
          if (b->text().startsWith("Run 1: softmax")) run = b;
        return run && run->visibleRegion().boundingRect() == run->rect();
      };
      QTRY_VERIFY(found());
      QTRY_VERIFY(reading(w).contains("R = 512"));
      QVERIFY(found());
      picture(w, "start-with-a-sentence");
      w.close();
    }
    auto w = open_bare();
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
  }

  void wheelNeedsTheFocus() {
    auto w = open_bare();
    QTRY_VERIFY(w->session()->ready());
    w->show_dock("describe");
    auto* budget = child<QSpinBox>(w.get(), "budget");
    const int before = budget->value();
    const auto turn = [&] {
      QWheelEvent event(QPointF(5, 5), budget->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
      QApplication::sendEvent(budget, &event);
    };
    turn();
    QCOMPARE(budget->value(), before);
    QVERIFY(!(budget->focusPolicy() & 0x4));  // the wheel gives no focus
    budget->setFocus();
    if (budget->hasFocus()) {
      turn();
      QCOMPARE(budget->value(), before + 1);
    }
  }

  void zoomReachesEveryWidget() {
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QList<QWidget*> widgets;
    widgets << w->menuBar() << child<QPushButton>(w.get(), "start_run") << w->candidates()->table()
            << child<Label>(w.get(), "start_title") << child<QPushButton>(w.get(), "explore");
    QList<double> before;
    for (QWidget* widget : widgets) before += widget->font().pointSizeF();
    QVERIFY(widgets[3]->font().weight() >= QFont::DemiBold);
    for (int i = 0; i < 5; ++i) w->actions_registry()->action("view.zoom_in")->trigger();
    for (int i = 0; i < widgets.size(); ++i)
      QVERIFY2(std::abs(widgets[i]->font().pointSizeF() / before[i] - 1.5) < 0.02,
               qPrintable(QString("%1: %2").arg(i).arg(widgets[i]->font().pointSizeF() / before[i])));
    QVERIFY(widgets[3]->font().weight() >= QFont::DemiBold);
    w->actions_registry()->action("view.zoom_reset")->trigger();
    for (int i = 0; i < widgets.size(); ++i) QCOMPARE(widgets[i]->font().pointSizeF(), before[i]);
  }

  void theBestSoFarLeadsToTheProgress() {
    engine_->candidates = 4;
    auto w = open({.input = "softmax of 512 rows"});
    auto* chart = w->findChild<BestChart*>();
    QVERIFY(!chart->isVisible());
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QTRY_VERIFY(w->session()->shown_run() == 1 && !w->session()->running());
    QTRY_VERIFY(chart->isVisible());
    QVERIFY2(chart->accessibleName().contains("times better"), qPrintable(chart->accessibleName()));
    QTest::mouseClick(chart, Qt::LeftButton);
    QTRY_VERIFY(Docks::panel_of(w->dock("progress"))->isVisible());
  }

  void theResultSaysWhatIsBest() {
    const auto row = [](std::int64_t id, const char* structure, double cost, int rank) {
      CandidateModel::Row r;
      r.data.id = id;
      r.data.structure = structure;
      r.data.state = store::CandidateState::accepted;
      r.data.score.emplace();
      r.data.score->value = cost;
      r.data.score->unit = "issue slots";
      r.data.score->provenance = Provenance::simulated;
      r.data.rank = rank;
      return r;
    };
    QVERIFY(result_text(result_of({})).isEmpty());
    std::vector<CandidateModel::Row> rows = {row(1, "row-thread", 700, 3), row(2, "row-warp", 100, 1),
                                             row(3, "row-block", 150, 2)};
    const QString text = result_text(result_of(rows));
    QVERIFY2(text.startsWith("Best: #2 row-warp, 100 issue slots (simulated)"), qPrintable(text));
    QVERIFY2(text.contains("1.50 \u00d7 cheaper than #3 row-block"), qPrintable(text));
    QVERIFY2(text.contains("7.00 \u00d7 cheaper than #1 row-thread"), qPrintable(text));
    QCOMPARE(best_so_far(rows), (std::vector<double>{700, 100, 100}));
    const QString why = result_text(result_of(rows), "All of the difference comes from memory.");
    QVERIFY2(why.contains("cheaper than #3 row-block. All of the difference comes from memory. 7.00 \u00d7 cheaper"),
             qPrintable(why));
    rows.push_back(row(4, "row-tile", 100, 1));
    QString shared = result_text(result_of(rows));
    QVERIFY2(shared.startsWith("Best: #2 row-warp, 100 issue slots (simulated), as cheap as #4: 1.50"),
             qPrintable(shared));
    rows.push_back(row(5, "row-tile", 100, 1));
    shared = result_text(result_of(rows));
    QVERIFY2(shared.contains("as cheap as #4 and #5: 1.50 \u00d7 cheaper than #3"), qPrintable(shared));
    rows[1].trashed = true;
    QVERIFY(result_text(result_of(rows)).startsWith("Best: #4 row-tile, 100 issue slots"));
    QCOMPARE(best_so_far(rows), (std::vector<double>{700, 700, 150, 100, 100}));
    rows[3].trashed = rows[4].trashed = true;
    QVERIFY(result_text(result_of(rows)).startsWith("Best: #3 row-block, 150 issue slots"));
    rows[0].trashed = rows[2].trashed = true;
    QVERIFY(result_text(result_of(rows)).isEmpty());
    rows.resize(3);
    for (CandidateModel::Row& r : rows) r.trashed = false;
    rows[1].data.proved_at = evidence::ProvedAt::smaller_shapes;
    QVERIFY(result_text(result_of(rows)).contains("at smaller shapes only"));
    rows[2].data.score->provenance = Provenance::measured;  // microseconds are not compared with counts
    QVERIFY(!result_text(result_of(rows)).contains("#3"));
    rows[1].data.imported = true;
    QVERIFY(result_text(result_of(rows)).startsWith("Imported, not judged here."));
    for (CandidateModel::Row& r : rows) r.data.rank.reset();
    QVERIFY(result_text(result_of(rows)).isEmpty());
  }

  void theResultSaysWhy() {
    measure::WhyBetter why;
    QVERIFY(reason_text(why).isEmpty());
    why.roof_percent = 93.6;
    QCOMPARE(reason_text(why), QString("It reaches 94 % of its roofline."));
    why.cost = {profile::CostGroup::global_memory, 0.84};
    why.metric = {{.title = "Global memory touched", .value = 8 << 20, .unit = measure::MetricUnit::bytes}, 16 << 20};
    QCOMPARE(reason_text(why),
             QString("84 % of the difference comes from global memory (Global memory touched: 8 MiB instead "
                     "of 16 MiB). It reaches 94 % of its roofline."));
    why.roof_percent.reset();
    why.cost->share = 1.3;
    why.metric->better.value = 0;
    QCOMPARE(reason_text(why),
             QString("All of the difference comes from global memory (Global memory touched: none instead of "
                     "16 MiB)."));
    why.cost->dearer = profile::CostGroup::arithmetic;
    QCOMPARE(reason_text(why), QString("It saves most in global memory (Global memory touched: none instead of 16 MiB) "
                                       "and spends more on arithmetic."));
    why.cost.reset();
    why.metric.reset();
    why.loads = {1, 2.96, search::RowPlace::registers};
    QCOMPARE(reason_text(why),
             QString("The row stays in registers, so it is loaded once; the other one loads 3.0 times the "
                     "inputs' size."));
    why.loads->row = search::RowPlace::unknown;
    why.avoided = {.id = "bank-conflicts", .title = "Bank conflicts serialise accesses to shared memory"};
    QCOMPARE(reason_text(why), QString("It loads its inputs once, the other one 3.0 times their size. The other one is "
                                       "advised: bank conflicts serialise accesses to shared memory."));
  }

  void aPageOpensAtItsTop() {
    HtmlView page;
    page.resize(300, 120);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.show_markdown("# Receipt\n\n" + QString("A line.\n\n").repeated(100));
    page.ensureCursorVisible();  // as when it gets the focus
    QVERIFY(page.verticalScrollBar()->maximum() > 0);
    QCOMPARE(page.verticalScrollBar()->value(), 0);
  }

  void aReceiptLooksLikeACertificate() {
    ClosedDocument page;
    page.setDefaultFont(QFont("sans-serif", 9));
    page.set_markdown("# Receipt: scale\n\nOne warp per row\n\n- accepted by Ada\n\n## Evidence\n\nText.\n\n" +
                      QString("A line.\n\n").repeated(200) + "| Case | Proved |\n|---|---|\n" +
                      QString("| wide | yes |\n").repeated(200));
    const CertificateInk ink{Qt::gray, Qt::gray, Qt::lightGray, "monospace"};
    style_certificate(page, ink);
    QTextCursor cell = page.find("Proved");  // the head of a table, on each of its pages
    QVERIFY(cell.currentTable() && cell.currentTable()->format().headerRowCount() == 1);
    const QTextBlock title = page.begin(), section = page.find("Evidence").block();
    QCOMPARE(title.begin().fragment().charFormat().fontPointSize(), 9 * type_factor(Type::display));
    QCOMPARE(section.begin().fragment().charFormat().fontPointSize(), 9 * type_factor(Type::title));
    for (const char* head : {"scale", "One warp", "Ada"})
      QVERIFY2(page.find(head).block().blockFormat().alignment() & Qt::AlignHCenter, head);
    for (const char* text : {"Evidence", "Text"})
      QVERIFY2(!(page.find(text).block().blockFormat().alignment() & Qt::AlignHCenter), text);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
      QPdfWriter writer(&buffer);
      print_certificate(page, writer, ink, "receipt");
    }
    QVERIFY(bytes.startsWith("%PDF") && page.pageCount() > 1);
    QVERIFY(bytes.contains(QString("/Count %1").arg(page.pageCount()).toUtf8()));
  }

  // A receipt's page: neither a hash in a table nor a line of code is wider than the paper.
  void longLinesOfAReceiptAreWrapped() {
    ClosedDocument page;
    page.set_markdown("# Receipt\n\n| a | b |\n|---|---|\n| spec | `" + QString(300, 'f') + "` |\n\n```\n" +
                      QString(400, 'x') + "\n```\n");
    page.setTextWidth(320);
    QVERIFY2(page.size().width() <= 321, qPrintable(QString::number(page.size().width())));
  }
};

QTEST_MAIN(StartTest)
#include "start_test.moc"
