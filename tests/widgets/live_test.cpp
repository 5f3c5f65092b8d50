// SPDX-License-Identifier: GPL-3.0-or-later
// Drafts compiled while they are edited, in the code panel: what the compiler says is in the text and below it.
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSet>
#include <QToolTip>
#include <QtTest>
#include <semaphore>
#include <tuple>
#include "panels/code/code_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "session/edits.h"
#include "session/live_compiler.h"
#include "parts/theme/theme.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

class LiveEngine : public test::FakeEngine {
 public:
  std::binary_semaphore held{1};  // compile() waits while a test holds it, or until it is cancelled
  std::atomic<int> begun{0}, compiled{0}, cancelled{0};
  std::atomic<bool> crash{false};
  Result<compile::Output> compile(const rpc::CompileRequest& request, const std::stop_token& stop) override {
    ++begun;
    while (!held.try_acquire_for(std::chrono::milliseconds(5)))
      if (stop.stop_requested()) {
        ++cancelled;
        return fail(Code::cancelled, "cancelled");
      }
    held.release();
    ++compiled;
    if (crash) return fail(Code::crashed, "the worker was ended by signal 11");
    return FakeEngine::compile(request, stop);
  }
};

struct LiveRig : test::PanelFixture {
  std::shared_ptr<LiveEngine> engine;
  CodePanel* panel;
  explicit LiveRig(std::shared_ptr<LiveEngine> with = std::make_shared<LiveEngine>())
      : PanelFixture(with), engine(with), panel(new CodePanel(context)) {
    QObject::connect(&selection, &Selection::current_changed, &session, &Session::load_candidate);
    window.resize(800, 640);
    show(panel);
  }
  bool edit(std::int64_t id) {
    selection.set_current(id);
    if (!QTest::qWaitFor([this] { return panel->source()->length() > 0; })) return false;
    panel->edit();
    return panel->editing();
  }
  bool comes(LiveCompiler::State state) {
    return QTest::qWaitFor([&] { return panel->live()->state() == state; }, 20000);
  }
  QString result() { return child<QLabel>("build_result")->text(); }
  void type(int line, const QString& text) {  // where the line begins
    panel->draft()->setCursorPosition(line, 0);
    QTest::keyClicks(panel->draft(), text);
  }
};

int marks(const CodeEditor* editor, int sign) {  // lines with it
  int found = 0;
  for (int line = 0; line < editor->lines(); ++line)
    found += (const_cast<CodeEditor*>(editor)->markersAtLine(line) >> sign) & 1;
  return found;
}

QString tip_at(const CodeEditor* editor, const QString& word) {
  const long at = editor->text().indexOf(word) + 1;
  const QPoint point(static_cast<int>(editor->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, at)),
                     static_cast<int>(editor->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, at)) + 3);
  return editor->message_at(point);
}

}  // namespace

class LiveTest : public QObject {
  Q_OBJECT
  using State = LiveCompiler::State;

 private slots:
  void initTestCase() { QVERIFY(Theme::instance().apply("light")); }
  void errorsAreInTheTextWhileItIsTyped() {
    LiveRig rig;
    QVERIFY(rig.open() && rig.run());
    QVERIFY(rig.edit(2));
    QVERIFY(rig.comes(State::built));
    QVERIFY2(rig.result().contains("77 registers") && !rig.result().contains("\u2192"), qPrintable(rig.result()));
    QVERIFY(!rig.child<QListWidget>("build_messages")->isVisible());

    rig.type(5, "vectr v; ");
    QVERIFY(rig.comes(State::refused));
    QCOMPARE(rig.result(), QString("1 error"));
    CodeEditor* draft = rig.panel->draft();
    QCOMPARE(marks(draft, CodeEditor::error_sign), 1);
    QVERIFY(tip_at(draft, "vectr").contains("identifier \"vectr\" is undefined"));
    auto* log = rig.child<QListWidget>("build_messages");
    QVERIFY(log->isVisible());
    QCOMPARE(log->count(), 1);
    QVERIFY(log->item(0)->text().contains("vectr"));
    rig.picture("live-error");
    QVERIFY(Theme::instance().apply("dark"));
    rig.picture("live-error-dark");
    QVERIFY(Theme::instance().apply("light"));
    // The underline stays at its word while lines come above it, and the message leads back.
    rig.type(0, "");
    QTest::keyClick(draft, Qt::Key_Return);
    QVERIFY(tip_at(draft, "vectr").contains("undefined"));
    QVERIFY(rig.comes(State::refused));
    QTest::mouseClick(log->viewport(), Qt::LeftButton, {}, log->visualItemRect(log->item(0)).center());
    int line = 0, column = 0;
    draft->getCursorPosition(&line, &column);
    QCOMPARE(line, 6);

    // Mended: nothing is left of it; a warning is no error.
    QTest::keyClick(draft, Qt::Key_Home);
    for (int i = 0; i < 9; ++i) QTest::keyClick(draft, Qt::Key_Delete);
    QTest::keyClicks(draft, "unused ");
    QVERIFY(rig.comes(State::built));
    QVERIFY2(rig.result().contains("1 warning"), qPrintable(rig.result()));
    QCOMPARE(marks(draft, CodeEditor::error_sign), 0);
    QCOMPARE(marks(draft, CodeEditor::warning_sign), 1);
    // Nothing was judged or stored.
    QCOMPARE(rig.model.rowCount(), 6);
  }

  void optionsAreChosenInTheText() {
    LiveRig rig;
    QVERIFY(rig.open() && rig.run());
    QVERIFY(rig.edit(2));
    QVERIFY(rig.comes(State::built));
    CodeEditor* draft = rig.panel->draft();
    const QString before = draft->text();
    auto* registers = rig.child<QComboBox>("build_registers");
    registers->setCurrentIndex(registers->findData(64));
    emit registers->activated(registers->currentIndex());
    QVERIFY(draft->text().contains("//@ option maxrregcount=64\n"));
    QVERIFY(rig.comes(State::built));
    QVERIFY2(rig.result().contains("77 \u2192 64 registers") && rig.result().contains("0 B \u2192 4 KiB static shared"),
             qPrintable(rig.result()));
    QTest::mouseClick(rig.child<QCheckBox>("build_fast_math"), Qt::LeftButton);
    QVERIFY(draft->text().contains("//@ option fast-math\n"));
    rig.picture("live-options");
    // Undone in the text, the controls follow; a value of one's own is shown, too.
    draft->undo();
    QVERIFY(!draft->text().contains("fast-math"));
    QVERIFY(!rig.child<QCheckBox>("build_fast_math")->isChecked());
    draft->replace_code(QString(draft->text()).replace("=64", "=99"));
    QCOMPARE(registers->currentData().toInt(), 99);
    draft->replace_code(QString(draft->text()).replace("=99", "=9999"));  // no option: nothing is chosen
    QCOMPARE(registers->currentData().toInt(), 0);
    QVERIFY(rig.comes(State::refused));
    QVERIFY(tip_at(draft, "maxrregcount").contains("maxrregcount expects a number from 16 to 255"));
    draft->replace_code(before);
    QVERIFY(rig.comes(State::built));

    // The target is of this pane alone.
    auto* target = rig.child<QComboBox>("build_target");
    QVERIFY(target->currentText().contains("this run"));
    const int other = target->findData("sm_90");
    QVERIFY(other >= 0);
    target->setCurrentIndex(other);
    emit target->activated(other);
    QVERIFY(rig.comes(State::built));
    QVERIFY(rig.result().contains("sm_90"));
    QCOMPARE(draft->text(), before);
  }

  void theNewestTextWins() {
    LiveRig rig;
    QVERIFY(rig.open() && rig.run());
    QVERIFY(rig.edit(2));
    QVERIFY(rig.comes(State::built));
    rig.engine->held.acquire();
    const int begun = rig.engine->begun;
    rig.type(5, "vectr v; ");
    QTRY_VERIFY(rig.engine->begun > begun);
    rig.type(5, "// ");
    QTRY_COMPARE(rig.engine->cancelled.load(), 1);  // the older one
    rig.panel->draft()->replace_code(QString(rig.panel->draft()->text()).replace("vectr", "float"));
    QVERIFY(rig.comes(State::compiling));
    rig.engine->held.release();
    QVERIFY(rig.comes(State::built));
    QCOMPARE(marks(rig.panel->draft(), CodeEditor::error_sign), 0);
    // Left in the middle of one: nothing of it arrives.
    rig.engine->held.acquire();
    rig.type(5, "vectr ");
    QVERIFY(rig.comes(State::compiling));
    rig.selection.set_current(1);
    QTRY_VERIFY(!rig.panel->editing());
    QCOMPARE(rig.panel->live()->state(), State::off);
    rig.engine->held.release();
    QVERIFY(!rig.child<QWidget>("build")->isVisible());
  }

  void aCrashIsSaidAndTheTextStays() {
    LiveRig rig;
    QVERIFY(rig.open() && rig.run());
    QVERIFY(rig.edit(2));
    QVERIFY(rig.comes(State::built));
    rig.engine->crash = true;
    rig.type(5, "// mine ");
    QVERIFY(rig.comes(State::failed));
    QVERIFY2(rig.result().contains("your text is kept") && rig.result().contains("signal 11"),
             qPrintable(rig.result()));
    QVERIFY(rig.panel->draft()->text().contains("// mine "));
    QVERIFY(rig.panel->edits()->all().size() == 1);
    rig.engine->crash = false;
    QTest::keyClicks(rig.panel->draft(), "x");
    QVERIFY(rig.comes(State::built));
    QVERIFY(rig.result().contains("77 registers"));
  }

  void aBareKernelIsGivenAPlan() {
    LiveRig rig;
    QVERIFY(rig.open() && rig.run());
    QVERIFY(rig.edit(2));
    QVERIFY(!rig.child<QPushButton>("build_plan")->isVisible());
    CodeEditor* draft = rig.panel->draft();
    const QString bare =
        "__global__ void k(const float* in, float* y, int R, int q) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < R) y[i] = in[i];\n}\n";
    draft->selectAll();
    QApplication::clipboard()->setText(bare);
    draft->paste();
    QVERIFY(rig.comes(State::refused));
    QVERIFY(rig.child<QPushButton>("build_plan")->isVisible());
    QTest::mouseClick(rig.child<QPushButton>("build_plan"), Qt::LeftButton);
    auto* form = rig.panel->findChild<QDialog*>("plan_form");
    QVERIFY(form && form->isVisible());
    const auto text = [&](const char* id) { return form->findChild<QComboBox*>(id)->currentText(); };
    QCOMPARE(text("plan_arg_0"), QString("x"));  // by order: marked as a guess
    QVERIFY(form->findChild<QLabel*>("plan_guess_3"));
    QCOMPARE(text("plan_arg_1"), QString("y"));
    QVERIFY(!form->findChild<QLabel*>("plan_guess_4"));
    QCOMPARE(text("plan_arg_2"), QString("R"));
    auto* write = form->findChild<QPushButton*>("plan_write");
    QVERIFY(!write->isEnabled());  // nobody can know the block
    auto* block = form->findChild<QLineEdit*>("plan_block");
    QTest::keyClicks(block, "128");
    QVERIFY(form->findChild<QLineEdit*>("plan_grid")->text().startsWith("ceildiv("));
    auto* last = form->findChild<QComboBox*>("plan_arg_3");
    for (const char* bad : {"nosuch", "R +", "C) block(1", "?", ""}) {
      last->setEditText(bad);
      QVERIFY2(!write->isEnabled(), bad);
      QVERIFY(!form->findChild<QLabel*>("plan_problem")->text().isEmpty());
    }
    last->setEditText("C * 2");
    QVERIFY(write->isEnabled());
    // No number that CUDA refuses at the op's own sizes.
    auto* grid = form->findChild<QLineEdit*>("plan_grid");
    auto* shared = form->findChild<QLineEdit*>("plan_shared");
    const auto* problem = form->findChild<QLabel*>("plan_problem");
    for (const auto& [field, caption, bad] :
         {std::tuple(grid, "Blocks", "0"), std::tuple(grid, "Blocks", "-3"),
          std::tuple(grid, "Blocks", "ceildiv(R, 0)"), std::tuple(grid, "Blocks", "R / (C - C)"),
          std::tuple(block, "Threads per block", "0"), std::tuple(block, "Threads per block", "2048"),
          std::tuple(block, "Threads per block", "R * C * C * C * C"), std::tuple(block, "Threads per block", "64, 32"),
          std::tuple(shared, "Dynamic shared bytes", "9999999999"), std::tuple(shared, "Dynamic shared bytes", "-4")}) {
      const QString good = field->text();
      field->setText(bad);
      QVERIFY2(!write->isEnabled(), bad);
      QVERIFY2(problem->text().startsWith(QString(caption) + ": "), qPrintable(problem->text()));
      field->setText(good);
      QVERIFY2(write->isEnabled(), qPrintable(problem->text()));
    }
    test::save_picture(*form, "plan-form");
    QTest::mouseClick(write, Qt::LeftButton);
    QVERIFY2(draft->text().startsWith("//@ candidate softmax\n//@ launch k grid(ceildiv(R * C, 128)) block(128) "
                                      "args(x, y, R, C * 2)\nextern \"C\" __global__ void k("),
             qPrintable(draft->text()));
    QVERIFY(rig.comes(State::built));
    QVERIFY(!rig.child<QPushButton>("build_plan")->isVisible());
    draft->undo();
    QCOMPARE(draft->text(), bare);
    QVERIFY(rig.child<QPushButton>("build_plan")->isVisible());
  }

  // The pointer on an opcode of the PTX; nothing where it is not known, nor beside it.
  void instructionsAreExplained() {
    const auto tips = [](ListingView& view) {
      QSet<QString> all;
      for (int y = 0; y < view.viewport()->height(); y += 5)
        for (int x = 0; x < view.viewport()->width(); x += 5) {
          QHelpEvent help(QEvent::ToolTip, {x, y}, view.viewport()->mapToGlobal(QPoint(x, y)));
          QApplication::sendEvent(view.viewport(), &help);
          if (const QString tip = view.instruction_help({x, y}); !tip.isEmpty() && QToolTip::text().contains(tip))
            all.insert(tip);
        }
      return all;
    };
    QMainWindow window;
    auto* view = new ListingView(&window);
    window.setCentralWidget(view);
    window.resize(500, 120);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    view->set_listing(listing_of_ptx("\t@%p1 ld.global.nc.f32 \t%f1, [%rd1];\n\tnosuch.b32 %r1, %r2;\n", {}));
    QCOMPARE(tips(*view), QSet<QString>({QString("ld.global.nc \u00b7 PTX ISA 9.0, section 9.7.9.9\nLoads from global "
                                                 "memory through the read-only path; nothing may write there "
                                                 "meanwhile.")}));
    view->set_listing(listing_of_ptx("// ld.global.f32\nld: nosuch.b32 %r1, ld;\n", {}));
    QVERIFY(tips(*view).isEmpty());
    view->set_listing(nullptr);
    QVERIFY(tips(*view).isEmpty());
  }

  void nothingIsCompiledBesideARunOrAMeasurement() {
    LiveRig rig;
    QVERIFY(rig.open());
    rig.engine->hold_before(3);
    QVERIFY(rig.session.explore(LiveRig::options(6)));
    QTRY_COMPARE(rig.model.judged(), 3);
    QVERIFY(rig.edit(1));
    QVERIFY(rig.comes(State::paused));
    rig.type(5, "vectr ");
    QCOMPARE(rig.panel->live()->state(), State::paused);
    QCOMPARE(rig.result(), QString("Paused while a run is in progress."));
    QCOMPARE(rig.engine->compiled.load(), 0);
    rig.engine->release();
    QTRY_VERIFY(!rig.session.running());
    QVERIFY(rig.comes(State::refused));  // by itself, when it has ended

    // One that is under way is cancelled when a measurement begins.
    rig.engine->held.acquire();
    const int begun = rig.engine->begun;
    rig.type(5, "x");
    QTRY_VERIFY(rig.engine->begun > begun);
    const int before = rig.engine->compiled;
    rig.session.set_busy("Measuring candidates\u2026");
    QCOMPARE(rig.panel->live()->state(), State::paused);
    QCOMPARE(rig.result(), QString("Paused. Measuring candidates\u2026"));
    QTRY_VERIFY(rig.engine->cancelled > 0);
    rig.engine->held.release();
    QCOMPARE(rig.engine->compiled.load(), before);
    rig.session.set_busy({});
    QVERIFY(rig.comes(State::refused));
  }
};

QTEST_MAIN(LiveTest)
#include "live_test.moc"
