// SPDX-License-Identifier: GPL-3.0-or-later
// The diff of two candidates, driven as a person does.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QtTest>
#include "session/actions/registry.h"
#include "panels/diff/candidate_picker.h"
#include "panels/diff/change_notes.h"
#include "panels/diff/diff_panel.h"
#include "panels/diff/number_table.h"
#include "panels/diff/verdict_table.h"
#include "session/models/candidate_model.h"
#include "session/review_view.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "store/workspace.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/theme.h"
#include "widgets/fake_engine.h"

using namespace ww;
using namespace ww::widgets;

namespace {

class DiffEngine : public test::FakeEngine {  // with machine code of its own
 public:
  Result<compile::Sass> machine_rows(const store::CandidateRecord& c, const std::string&) override {
    if (c.state != store::CandidateState::accepted) return fail(Code::compile, "the compiler refuses it");
    compile::Sass sass{".text.k:\n", {{compile::SassRow::Kind::function}}, {"k"}};
    const auto add = [&](const std::string& text) {
      sass.text += text;
      sass.rows.push_back({compile::SassRow::Kind::instruction, 0, 0, 7});
    };
    for (int i = 0; i < 40; ++i)
      add("        /*" + QString::number(i * 16 + c.id, 16).rightJustified(4, '0').toStdString() +
          "*/                   FFMA R" + std::to_string(100 + i + c.id) + ", R" + std::to_string(i + 1) + ", R" +
          std::to_string(i + 2) + ", RZ ;\n");
    for (int i = 1; i < c.id; ++i) add("        /*0f00*/                   NOP ;\n");
    add("        /*0ff0*/                   EXIT ;\n");
    return sass;
  }
};

}  // namespace

class WindowDiffTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<DiffEngine> engine_;
  std::unique_ptr<QWidget> window_;
  Session* session_ = nullptr;
  Selection* selection_ = nullptr;
  CandidateModel* model_ = nullptr;
  Registry* registry_ = nullptr;
  DiffPanel* panel_ = nullptr;

  template <class T>
  T* child(const char* name) {
    T* found = panel_->findChild<T*>(name);
    if (!found) qFatal("no child %s", name);
    return found;
  }
  static void picture(QWidget& w, const QString& name) {
    QDir().mkpath(WW_BINARY_DIR "/screenshots");
    QVERIFY(w.grab().save(WW_BINARY_DIR "/screenshots/" + name + ".png"));
  }
  bool shows(std::int64_t left, std::int64_t right) {
    return panel_->left() == left && panel_->right() == right && panel_->shown() != nullptr;
  }

  void run() {
    session_->open_workspace(folder_->filePath("workspace"));
    QTRY_VERIFY(session_->ready());
    generator::RunOptions options;
    options.spec = test::FakeEngine::softmax();
    options.budget.candidates = 6;
    QVERIFY(session_->explore(options));
    QTRY_VERIFY(!session_->running() && model_->judged() == 6);
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    engine_ = std::make_shared<DiffEngine>();
    QVERIFY(Theme::instance().apply("light"));
    window_ = std::make_unique<QWidget>();
    session_ = new Session(test::FakeEngine::services(engine_), window_.get());
    selection_ = new Selection(window_.get());
    model_ = new CandidateModel(window_.get());
    registry_ = new Registry(window_.get());
    connect(session_, &Session::events, model_,
            [this](const std::vector<explore::Event>& batch, bool) { model_->apply(batch); });
    const Context context{test::FakeEngine::services(engine_), session_, selection_, model_, registry_,
                          new QUndoStack(window_.get())};
    panel_ = new DiffPanel(context, window_.get());
    auto* column = new QVBoxLayout(window_.get());
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(panel_);
    window_->resize(1280, 720);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() {
    engine_->release();
    delete session_;
    window_.reset();
  }

  void anEmptyPanelSaysWhatToDo() {
    QVERIFY(panel_->message().contains("Select a candidate"));
    QVERIFY(!child<QToolButton>("diff_swap")->isEnabled());
    QTest::keyClick(panel_->view(), Qt::Key_Down);  // nothing to do, and nothing happens
    QTest::keyClick(panel_->view(), Qt::Key_Return);
    panel_->step(true);
    panel_->swap_sides();
    registry_->action("diff.comment")->trigger();
    QVERIFY(!panel_->notes()->save()->isEnabled());
  }

  void aCandidateIsComparedWithItsParent() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    const auto d = panel_->shown();
    QVERIFY(!d->changes.empty());
    QVERIFY(d->left.text.find("// variant 1") != std::string::npos &&
            d->right.text.find("// variant 2") != std::string::npos);
    QVERIFY(child<ElideLabel>("diff_summary")->full_text().startsWith("1/"));
    QVERIFY(child<ElideLabel>("diff_summary")->accessibleName().startsWith("change 1 of"));
    QVERIFY(child<ElideLabel>("diff_about_right")->full_text().contains("simt"));
    QVERIFY(child<ElideLabel>("diff_about_right")->full_text().contains("sm_"));
    QVERIFY(panel_->picker(DiffView::right_side)->accessibleName().contains("#3"));
    picture(*window_, "diff-panel-light");
    // The first candidate has none, and the panel says what can be done.
    selection_->set_current(1);
    QTRY_VERIFY(panel_->message().contains("no parent"));
    QVERIFY(panel_->picker(DiffView::right_side)->text().contains("#1"));
    selection_->clear();
    QTRY_VERIFY(panel_->message().contains("Select a candidate"));
  }

  void f7GoesRound() {
    run();
    panel_->show_pair(1, 3);
    QTRY_VERIFY(shows(1, 3));
    DiffView* v = panel_->view();
    const int n = static_cast<int>(v->rows().changes.size());
    QVERIFY(n >= 3);
    QCOMPARE(v->current_change(), 0);
    for (int i = 1; i < n; ++i) {
      panel_->step(true);
      QCOMPARE(v->current_change(), i);
    }
    panel_->step(true);
    QCOMPARE(v->current_change(), 0);
    panel_->step(false);
    QCOMPARE(v->current_change(), n - 1);
    QTest::mouseClick(panel_->findChildren<QToolButton*>("diff_swap").first(), Qt::LeftButton);
    QTRY_VERIFY(shows(3, 1));
  }

  void keysMoveSelectAndCopy() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    DiffView* v = panel_->view();
    v->setFocus();
    QTest::keyClick(v, Qt::Key_Home);
    QCOMPARE(v->current_row(), 0);
    QTest::keyClick(v, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(v, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(v, Qt::Key_C, Qt::ControlModifier);
    const QString copied = QGuiApplication::clipboard()->text();
    QCOMPARE(copied.count('\n'), 3);
    QVERIFY(copied.startsWith("//@ candidate softmax"));
    QVERIFY(v->accessibleDescription().contains("right:"));
    QTest::keyClick(v, Qt::Key_End);
    QCOMPARE(v->current_row(), static_cast<int>(v->rows().rows.size()) - 1);
    QTest::keyClick(v, Qt::Key_PageUp);
    QTest::keyClick(v, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(v->selected_text(DiffView::left_side).toStdString(), panel_->shown()->left.text);
    // The bar at the right leads there.
    window_->resize(1280, 260);
    QTest::mouseClick(v->viewport(), Qt::LeftButton, {},
                      QPoint(v->viewport()->width() - 4, v->viewport()->height() - 3));
    QCOMPARE(v->verticalScrollBar()->value(), v->verticalScrollBar()->maximum());
  }

  void theSearchGoesThroughBothSides() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    DiffView* v = panel_->view();
    panel_->open_search();
    auto* words = child<QLineEdit>("search_words");
    QTest::keyClicks(words, "// VARIANT ");  // differs on the two sides
    QCOMPARE(child<QLabel>("search_count")->text(), QString("2 matches"));
    QCOMPARE(v->found_text(), QString("// variant "));
    const int row = v->current_row();
    QTest::keyClick(words, Qt::Key_Return);  // on the other side, of the same row
    QCOMPARE(v->current_row(), row);
    QTest::keyClicks(words, "2");
    QCOMPARE(child<QLabel>("search_count")->text(), QString("1 match"));
    words->setText("__global__");  // the same on both sides: counted once, also in a fold
    QCOMPARE(child<QLabel>("search_count")->text(), QString("1 match"));
    registry_->action("diff.fold")->trigger();
    QTest::keyClick(words, Qt::Key_Return);
    QVERIFY(v->selected_text(DiffView::right_side).contains("__global__"));
    words->setText("nowhere");
    QCOMPARE(child<QLabel>("search_count")->text(), QString("no match"));
    QVERIFY(v->found_text().isEmpty());
    QTest::keyClick(words, Qt::Key_Escape);
    QVERIFY(!words->isVisible());
  }

  void sidesAreChosenByWords() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    CandidatePicker* picker = panel_->picker(DiffView::left_side);
    QTest::mouseClick(picker, Qt::LeftButton);
    QTRY_VERIFY(picker->words()->isVisible());
    QTest::keyClicks(picker->words(), "shared memory");
    QCOMPARE(picker->list()->model()->rowCount(), 1);
    QTest::keyClick(picker->words(), Qt::Key_Return);
    QTRY_VERIFY(shows(5, 3));
    QVERIFY(!picker->words()->isVisible());
    picker->open();
    QTest::keyClicks(picker->words(), "nothing is called so");
    QCOMPARE(picker->list()->model()->rowCount(), 0);
    QTest::keyClick(picker->words(), Qt::Key_Return);  // nothing to pick
    QVERIFY(shows(5, 3));
    picker->words()->clear();
    QTest::keyClick(picker->words(), Qt::Key_Down);
    QTest::keyClick(picker->words(), Qt::Key_Return);
    QTRY_VERIFY(panel_->left() != 5);
    QCOMPARE(selection_->current(), std::int64_t{3});  // choosing a side selects nothing
  }

  void theBaselineIsTheDefaultAndCtrlDReturnsToIt() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    selection_->set_baseline(1);
    QTRY_VERIFY(shows(1, 3));
    panel_->show_pair(5, 6);
    QTRY_VERIFY(shows(5, 6));
    QCOMPARE(registry_->action("diff.baseline")->shortcut(), QKeySequence("Ctrl+D"));
    registry_->action("diff.baseline")->trigger();
    QTRY_VERIFY(shows(1, 3));
    selection_->set_current(1);  // the baseline itself: its parent, and it has none
    QTRY_VERIFY(panel_->message().contains("no parent"));
  }

  void candidatesAreDroppedOnASide() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    const auto drop = [this](const QByteArray& text, int x) {
      QMimeData data;
      data.setData(DiffPanel::candidate_mime, text);
      QDragEnterEvent enter({x, 200}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QCoreApplication::sendEvent(panel_, &enter);
      QVERIFY(enter.isAccepted());
      QDragMoveEvent move({x, 200}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QCoreApplication::sendEvent(panel_, &move);
      QVERIFY(child<ElideLabel>("diff_summary")->full_text().contains(x < 400 ? "left" : "right"));
      QDropEvent event({static_cast<qreal>(x), 200}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QCoreApplication::sendEvent(panel_, &event);
    };
    drop("1", 100);
    QTRY_VERIFY(shows(1, 3));
    drop("2", 1000);
    QTRY_VERIFY(shows(1, 2));
    drop("no number", 100);
    drop("-4", 100);
    QVERIFY(shows(1, 2));
    drop("99", 100);  // no such candidate
    QTRY_VERIFY(!panel_->message().isEmpty());
    QMimeData other;
    other.setText("1");
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &other, Qt::LeftButton, {});
    QCoreApplication::sendEvent(panel_, &enter);
    QVERIFY(!enter.isAccepted());
  }

  void ptxAndMachineCodeAreCompared() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    QTest::mouseClick(child<QToolButton>("diff_listing_1"), Qt::LeftButton);
    QTRY_VERIFY(panel_->shown()->left.text.find(".visible .entry") != std::string::npos);
    QVERIFY(panel_->shown()->changes.empty());
    QTRY_VERIFY(child<ElideLabel>("diff_summary")->full_text().contains("no difference"));
    QVERIFY(!panel_->notes()->save()->isEnabled());
    panel_->show_listing(CodeKind::sass);
    QTRY_VERIFY(panel_->shown() && panel_->shown()->left.text.find("FFMA") != std::string::npos);
    QCOMPARE(panel_->shown()->rules.form, diff::Form::sass);
    QCOMPARE(panel_->shown()->changes.size(), std::size_t{1});  // one NOP more; other registers are no change
    QCOMPARE(panel_->shown()->added, 1);
    registry_->action("diff.normal_sass")->trigger();
    QTRY_VERIFY(panel_->shown()->rules.form == diff::Form::text);
    QVERIFY(panel_->shown()->added > 30);
    // Instructions are counted once the machine code has been read.
    const auto& rows = panel_->numbers()->model()->rows();
    const auto sass =
        std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.left.name == "SASS instructions"; });
    QVERIFY(sass != rows.end());
    QCOMPARE(sass->change, 1.0);
    // A candidate that was refused has none, and the panel says so.
    panel_->show_pair(3, 6);
    QTRY_VERIFY(panel_->message().contains("the compiler refuses it"));
    panel_->show_listing(CodeKind::ptx);
    QTRY_VERIFY(panel_->message().contains("not compiled"));
    panel_->show_listing(CodeKind::source);
    QTRY_VERIFY(panel_->message().isEmpty() && panel_->shown());
  }

  void viewsFoldAndJoin() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    panel_->show_listing(CodeKind::sass);
    QTRY_VERIFY(panel_->shown() && panel_->shown()->rules.form == diff::Form::sass);
    DiffView* v = panel_->view();
    const std::size_t all = v->rows().rows.size();
    registry_->action("diff.fold")->trigger();
    QVERIFY(v->rows().rows.size() < all);
    const auto fold = std::find_if(v->rows().rows.begin(), v->rows().rows.end(),
                                   [](const ViewRow& r) { return r.kind == ViewRow::fold; });
    QVERIFY(fold != v->rows().rows.end());
    // It opens by a click, and by a key.
    const int row = static_cast<int>(fold - v->rows().rows.begin()),
              line = v->rows().rows[static_cast<std::size_t>(row)].hidden;
    const std::size_t folded = v->rows().rows.size();
    v->verticalScrollBar()->setValue(0);
    v->setFocus();
    QTest::keyClick(v, Qt::Key_Home);
    for (int i = 0; i < row; ++i) QTest::keyClick(v, Qt::Key_Down);
    QTest::keyClick(v, Qt::Key_Return);
    QCOMPARE(v->rows().rows.size(), folded + static_cast<std::size_t>(line) - 1);
    registry_->action("diff.fold")->trigger();
    QCOMPARE(v->rows().rows.size(), all);
    registry_->action("diff.one_column")->trigger();
    QVERIFY(v->rows().rows.size() >= all);
    for (const ViewRow& r : v->rows().rows) QVERIFY(r.kind == ViewRow::same || r.left < 0 || r.right < 0);
    QVERIFY(Theme::instance().apply("dark"));
    picture(*window_, "diff-one-column-dark");
    registry_->action("diff.one_column")->trigger();
    registry_->action("diff.ignore_space")->trigger();
    QTRY_VERIFY(panel_->shown()->rules.ignore_space);
    picture(*window_, "diff-panel-dark");
  }

  void numbersAreFilteredAndCopied() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    QTableView* table = panel_->numbers()->table();
    QAbstractItemModel* m = table->model();
    QVERIFY(table->isVisible());
    QVERIFY(m->rowCount() >= 10);
    const int all = m->rowCount();
    const auto cell = [&](const QString& name, int column) {
      for (int i = 0; i < m->rowCount(); ++i)
        if (m->index(i, NumberModel::Name).data().toString() == name) return m->index(i, column).data().toString();
      return QString("no such row");
    };
    QCOMPARE(cell("Warp instructions", NumberModel::Noise), QString("exact"));
    QCOMPARE(cell("Warp instructions", NumberModel::Source), QString("simulated"));
    QCOMPARE(cell("Registers", NumberModel::Change), QString::fromUtf8("✗ +4"));
    QCOMPARE(cell("SASS instructions", NumberModel::Left), QString::fromUtf8("—"));
    auto* changed = child<QCheckBox>("number_changed");
    QTest::mouseClick(changed, Qt::LeftButton, {}, QPoint(6, changed->height() / 2));
    QVERIFY(m->rowCount() < all);
    QCOMPARE(cell("Global sectors", NumberModel::Left), QString("no such row"));
    QTest::keyClicks(child<QLineEdit>("number_words"), "warp inst");
    QCOMPARE(m->rowCount(), 1);
    QTest::mouseClick(child<QToolButton>("number_csv"), Qt::LeftButton);
    const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[1].startsWith("warp_instructions,counts,,2097152,3145728,1048576,50,exact"));
    child<QLineEdit>("number_words")->clear();
    changed->setChecked(false);
    table->sortByColumn(NumberModel::Percent, Qt::DescendingOrder);
    double last = 1e300;
    for (int i = 0; i < m->rowCount(); ++i) {
      const double value = m->index(i, NumberModel::Percent).data(NumberModel::SortRole).toDouble();
      QVERIFY(value <= last);
      last = value;
    }
  }

  void verdictsShowWhereTheyDiffer() {
    run();
    panel_->show_pair(3, 5);
    QTRY_VERIFY(shows(3, 5));
    QTreeWidget* tree = panel_->verdicts()->tree();
    QVERIFY(tree->topLevelItemCount() >= 8);
    const int all = tree->topLevelItemCount();
    auto* differing = child<QCheckBox>("verdict_differing");
    differing->setChecked(true);
    QVERIFY(tree->topLevelItemCount() < all);
    QTreeWidgetItem* smoke = nullptr;
    for (int i = 0; i < tree->topLevelItemCount(); ++i)
      if (tree->topLevelItem(i)->text(2).contains("out of bounds")) smoke = tree->topLevelItem(i);
    QVERIFY(smoke);
    QVERIFY(smoke->text(2).startsWith("failed"));
    QVERIFY(smoke->text(1).startsWith("passed"));
    emit tree->itemActivated(smoke, 2);  // to the line of the fault
    const ViewRow& r = panel_->view()->rows().rows[static_cast<std::size_t>(panel_->view()->current_row())];
    QCOMPARE(panel_->shown()->right.lines[static_cast<std::size_t>(r.right)].number, 11);
  }

  void commentsAreNotesOfTheReview() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    registry_->action("diff.comment")->trigger();
    ChangeNotes* notes = panel_->notes();
    QVERIFY(notes->box()->isVisible());
    const int line = notes->line();
    QVERIFY(line > 0);
    QVERIFY(!notes->save()->isEnabled());  // nothing is written yet
    QTest::keyClicks(notes->box(), "   ");
    QVERIFY(!notes->save()->isEnabled());
    QTest::keyClicks(notes->box(), "why four columns?");
    QTest::mouseClick(notes->save(), Qt::LeftButton);
    QTRY_COMPARE(notes->list()->count(), 1);
    QVERIFY(notes->list()->item(0)->text().contains("why four columns?"));
    QVERIFY(notes->box()->toPlainText().isEmpty());
    const auto stored = session_->workspace()->reviews(3).value();
    QCOMPARE(stored.size(), std::size_t{1});
    QVERIFY(stored[0].kind == store::ReviewKind::note);
    QCOMPARE(stored[0].line, line);
    picture(*window_, "diff-comments-dark");
    // The list leads to its change.
    QTest::keyClick(panel_->view(), Qt::Key_End);
    emit notes->list()->itemActivated(notes->list()->item(0));
    QCOMPARE(panel_->view()->note_line(panel_->view()->current_change()), line);
    // A text that is not stored is not lost.
    test::FakeEngine::refuse_writes(session_->folder(), "review");
    QTest::keyClicks(notes->box(), "refuse this");
    QTest::mouseClick(notes->save(), Qt::LeftButton);
    QTRY_VERIFY(notes->save()->isEnabled());
    QCOMPARE(notes->box()->toPlainText(), QString("refuse this"));
    QCOMPARE(notes->list()->count(), 1);
  }

  void theLineUnderThePointerIsShared() {
    run();
    selection_->set_current(3);
    QTRY_VERIFY(shows(2, 3));
    DiffView* v = panel_->view();
    v->verticalScrollBar()->setValue(0);
    const int width = v->viewport()->width();
    QTest::mouseMove(v->viewport(), QPoint(width - 60, 4));
    QTRY_COMPARE(selection_->line(), 1);
    QTest::mouseMove(v->viewport(), QPoint(60, 60));  // the left side is not the selected candidate
    QTest::mouseMove(v->viewport(), QPoint(width - 60, 40));
    QTRY_VERIFY(selection_->line() > 1);
    QSignalSpy chosen(selection_, &Selection::line_chosen);
    QTest::mouseDClick(v->viewport(), Qt::LeftButton, {}, QPoint(width - 60, 4));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toInt(), 1);
  }

  void aNarrowDockShowsOneOfTheTwo() {
    run();
    selection_->set_current(3);
    window_->resize(480, 380);
    QTRY_VERIFY(shows(2, 3));
    QTRY_VERIFY(panel_->view()->isVisible());
    QVERIFY(!panel_->numbers()->isVisible());
    picture(*window_, "diff-narrow-dark");
    QTest::mouseClick(child<QToolButton>("diff_details"), Qt::LeftButton);
    QVERIFY(panel_->numbers()->isVisible());
    QVERIFY(!panel_->view()->isVisible());
    QTRY_VERIFY(panel_->numbers()->table()->width() > 400);
    picture(*window_, "diff-narrow-numbers-dark");
    window_->resize(1400, 600);
    QTRY_VERIFY(panel_->view()->isVisible() && panel_->numbers()->isVisible());
  }

  void aPanelThatNobodySeesReadsNothing() {
    run();
    panel_->hide();
    selection_->set_current(3);
    QTest::qWait(50);
    QVERIFY(!panel_->pair());
    panel_->show();
    QTRY_VERIFY(shows(2, 3));
  }
};

QTEST_MAIN(WindowDiffTest)
#include "diff_test.moc"
