// SPDX-License-Identifier: GPL-3.0-or-later
// The describe panel with the real phrasebook, checker and library: sentences, specs, PyTorch, CUDA, files, the
// drawing, completion.
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include "base/files.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/equation_drawing.h"
#include "panels/describe/reading_view.h"
#include "panels/describe/sentence_edit.h"
#include "panels/describe/spec_view.h"
#include "parts/editor/code_editor.h"
#include "session/services.h"
#include "session/text_kind.h"
#include "parts/theme/theme.h"
#include "widgets/describe_fixture.h"

using namespace ww;
using namespace ww::widgets;

class DescribeTest : public QObject, test::DescribeFixture {
  Q_OBJECT
  static std::vector<EquationFigure> figures(const char* text) {
    const auto outcome = op::parse(text);
    return outcome.spec ? figures_of(*outcome.spec) : std::vector<EquationFigure>();
  }

 private slots:
  void initTestCase() { set_up_services(); }
  void init() { set_up_panel(); }

  void kindsOfText() {
    using K = TextKind;
    const std::pair<const char*, K> texts[] = {{"softmax over the rows of a matrix", K::sentence},
                                               {"op relu(x: f32[N]) -> y: f32[N] { y[i] = max(x[i], 0) }", K::spec},
                                               {"//@ summary: it\nop relu(", K::spec},
                                               {"import torch\nclass M(torch.nn.Module):\n  pass", K::pytorch},
                                               {"y = F.softmax(x, -1)", K::sentence},  // a formula
                                               {"import torch; y = F.softmax(x, -1)", K::pytorch},
                                               {"return F.softmax(x, -1)", K::pytorch},
                                               {"#include <cuda_fp16.h>\n__global__ void k(float* x) {}", K::cuda},
                                               {"//@ candidate relu\n__global__ void k() {}", K::candidate},
                                               {".version 8.0\n.target sm_80\n", K::ptx},
                                               {"", K::sentence}};
    for (const auto& [text, kind] : texts) QVERIFY2(text_kind(text) == kind, text);
  }

  void figuresSayWhatAnElementNeeds() {
    const auto softmax = figures(
        "op softmax(x: f32[R, C]) -> y: f32[R, C]\n  default R = 8, C = 4\n{\n  top[r] = max(c) x[r, c]\n  z[r] = "
        "sum(c) exp(x[r, c] - top[r])\n  y[r, c] = exp(x[r, c] - top[r]) / z[r]\n}\n");
    QCOMPARE(softmax.size(), std::size_t{3});
    QCOMPARE(softmax[0].line, 4);
    QCOMPARE(softmax[0].target.text(), QString("top[r]"));
    QVERIFY(softmax[0].target.dtype.isEmpty());  // in between
    QCOMPARE(softmax[0].sources.size(), std::size_t{1});
    QCOMPARE(softmax[0].sources[0].axes[0].need, Need::one);
    QCOMPARE(softmax[0].sources[0].axes[1].need, Need::all);
    QCOMPARE(softmax[0].sources[0].axes[1].extent, QString("C = 4"));
    QCOMPARE(softmax[0].reductions, QStringList("maximum over c in 0..C"));
    QCOMPARE(softmax[1].sources.size(), std::size_t{2});  // x and top, once each
    QVERIFY(softmax[2].sentence.contains("z[r]"));
    QCOMPARE(softmax[2].target.dtype, QString("f32"));
  }
  void figuresOfWindowsPaddingGatherAndScalars() {
    const auto conv =
        figures("op conv(x: f32[N], w: f32[3]) -> y: f32[N]\n{ y[i] = sum(p) pad(x[i + p - 1], 0) * w[p] }\n");
    QCOMPARE(conv.size(), std::size_t{1});
    QCOMPARE(conv[0].sources[0].axes[0].need, Need::window);
    QVERIFY(conv[0].sources[0].padded);
    QCOMPARE(conv[0].sources[1].axes[0].need, Need::all);
    const auto gather =
        figures("op rows(t: f32[V, C], at: i64[N] in 0..V) -> y: f32[N, C]\n{ y[i, c] = t[at[i], c] }\n");
    QCOMPARE(gather.size(), std::size_t{1});
    QCOMPARE(gather[0].sources[0].axes[0].need, Need::chosen);
    const auto sum = figures("op total(x: f32[N]) -> y: f32\n{ y = sum(i) x[i] }\n");
    QVERIFY(sum[0].target.axes.empty());
    QVERIFY(sum[0].sentence.startsWith("y needs"));
  }
  void everyOpOfTheLibraryCanBeDrawn() {
    const auto ops = services_.language->ops();
    QVERIFY(ops);
    for (const OpSummary& op : *ops) {
      const auto text = services_.language->op_text(op.name);
      QVERIFY(text);
      const auto list = figures(text->c_str());
      QVERIFY2(!list.empty(), op.name.c_str());
      EquationDrawing drawing;
      drawing.show_figures(list);
      for (const int width : {260, 340, 700}) {
        drawing.resize(width, drawing.heightForWidth(width));
        QVERIFY(drawing.grab().height() > 0);
      }
      QVERIFY(!drawing.accessibleDescription().isEmpty());
    }
  }
  void theDrawingFollowsTheSpecAndLeadsToItsLines() {
    panel_->set_sentence("softmax over the rows of a 512x1024 float matrix");
    auto* drawing = panel_->spec_view()->drawing();
    QTRY_COMPARE(drawing->figures().size(), std::size_t{4});
    QTabWidget* tabs = panel_->findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    QTRY_VERIFY(drawing->isVisible());
    drawing->setFocus();
    if (const QString folder = qEnvironmentVariable("WARPWRIGHT_PICTURES"); !folder.isEmpty())
      panel_->grab().save(folder + "/equations.png");  // to look at
    QTest::keyClick(drawing, Qt::Key_Down);
    QTest::keyClick(drawing, Qt::Key_Return);
    QCOMPARE(tabs->currentIndex(), 0);
    panel_->spec_view()->set_text("op broken(");
    QTRY_VERIFY(drawing->figures().empty());
  }

  void theSentenceDecidesTheShape() {
    panel_->set_sentence("softmax over the rows of a 512x1024 float matrix");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    auto* override_text = panel_->findChild<QLabel*>("shape_override");
    QVERIFY(panel_->options().binding.symbols.empty() && !override_text->isVisible());
    // A size that the person sets is shown as such, and can be taken back.
    panel_->findChild<QSpinBox*>("symbol_C")->setValue(77);
    QCOMPARE(panel_->options().binding.symbols.at("C"), std::int64_t{77});
    QTRY_VERIFY(override_text->isVisible());
    QVERIFY2(override_text->text().contains("C = 77 (spec: 1024)"), qPrintable(override_text->text()));
    QTest::mouseClick(panel_->findChild<QPushButton*>("reset_shape"), Qt::LeftButton);
    QVERIFY(panel_->options().binding.symbols.empty());
    QTRY_VERIFY(!override_text->isVisible());
    // It ends where the words name another size of it ...
    panel_->findChild<QSpinBox*>("symbol_R")->setValue(5);
    panel_->findChild<QSpinBox*>("symbol_C")->setValue(7);
    panel_->set_sentence("softmax over the rows of a 512x2048 float matrix");
    QTRY_COMPARE(panel_->findChild<QSpinBox*>("symbol_C")->value(), 2048);
    QCOMPARE(panel_->findChild<QSpinBox*>("symbol_R")->value(), 5);               // the words say what they said before
    panel_->set_sentence("softmax over the rows of a 999999999x4 float matrix");  // nobody set another size
    QTRY_COMPARE(panel_->findChild<QSpinBox*>("symbol_R")->value(), 999999999);
    QVERIFY(!override_text->isVisible());
    // ... and with the op, though another op has symbols of the same names.
    panel_->set_sentence("layernorm over the rows of a 64x256 float matrix");
    QTRY_VERIFY(panel_->spec_text().contains("layernorm"));
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    QVERIFY(panel_->options().binding.symbols.empty());
    QCOMPARE(panel_->findChild<QSpinBox*>("symbol_R")->value(), 64);
    QCOMPARE(panel_->findChild<QSpinBox*>("symbol_C")->value(), 256);
  }

  // As a run is opened: its sizes come with its spec, also where the op before has symbols of the same names.
  void anOpenedRunBringsItsSizes() {
    panel_->set_sentence("layernorm over the rows of a 64x256 float matrix");
    QTRY_VERIFY(panel_->spec_ready() && panel_->spec_text().contains("op layernorm("));
    const QString layernorm = panel_->spec_text();
    const Result<std::string> text = services_.language->op_text("softmax");
    QVERIFY(text);
    const auto open = [&](const QString& spec, std::map<std::string, std::int64_t> sizes) {
      generator::RunOptions options;
      options.binding.symbols = std::move(sizes);
      panel_->form()->set_sizes({});
      panel_->restore({}, spec);
      panel_->form()->show_options(options);
      QTRY_VERIFY(panel_->spec_ready() && !panel_->pending() && panel_->spec_text() == spec);
      QTRY_COMPARE(panel_->options().binding.symbols, options.binding.symbols);
    };
    open(QString::fromStdString(*text), {{"C", 96}});
    open(QString::fromStdString(*text), {{"R", 5}});  // another run of the same op
    open(layernorm, {});
    QCOMPARE(panel_->findChild<QSpinBox*>("symbol_R")->value(), 64);
  }

  // A window that was closed before the last words were read: its spec is of earlier words.
  void wordsThatWereNotReadAreReadAgain() {
    const Result<std::string> text = services_.language->op_text("softmax");
    QVERIFY(text);
    panel_->show_state(true, false, false, {});
    panel_->restore("relu of 64x64", QString::fromStdString(*text), false);
    QTRY_VERIFY(!panel_->pending());
    QVERIFY(!panel_->can_explore());
    auto* take = panel_->findChild<QPushButton*>("take_offer");
    QTRY_VERIFY(take->isVisible());
    QTest::mouseClick(take, Qt::LeftButton);
    QTRY_VERIFY(panel_->can_explore() && panel_->spec_text().contains("op relu("));
  }

  void whatIsNotUnderstoodCannotBeRun() {
    panel_->show_state(true, false, false, {});
    const auto explore = panel_->findChild<QPushButton*>("explore");
    panel_->set_sentence("relu of 96x96");
    QTRY_VERIFY(panel_->can_explore() && explore->isEnabled());
    const QString relu = panel_->spec_text();
    const auto blocked = [&] {
      return !panel_->pending() && !panel_->can_explore() && !explore->isEnabled() && panel_->spec_text() == relu &&
             panel_->findChild<QPushButton*>("take_offer")->isVisible();
    };
    panel_->set_sentence("wibble the frobnicator");
    QVERIFY(!panel_->can_explore());  // at once, not when it was read
    QTRY_VERIFY(blocked());
    panel_->set_sentence("__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }");
    QTRY_VERIFY(blocked());
    panel_->set_sentence("import torch\nclass M(torch.nn.Module):\n  def forward(self, x):\n    return x.sin()\n");
    QTRY_VERIFY(blocked());
    // Nor in a window that is opened again.
    panel_->set_sentence("wibble the frobnicator");
    QTRY_VERIFY(blocked());
    const bool read = panel_->sentence_read();
    panel_->set_sentence({});
    panel_->restore("wibble the frobnicator", relu, read);
    QTRY_VERIFY(blocked());
    // The earlier spec runs when the person says so, or writes in it.
    QTest::mouseClick(panel_->findChild<QPushButton*>("take_offer"), Qt::LeftButton);
    QTRY_VERIFY(panel_->can_explore());
    panel_->set_sentence("wibble again");
    QTRY_VERIFY(blocked());
    panel_->spec_view()->editor()->append("// mine\n");
    QTRY_VERIFY(panel_->can_explore());
    // A sentence that says something else than the edited spec: the person chooses, and only what was asked is kept.
    const QString mine = panel_->spec_text();
    const auto keep = panel_->findChild<QPushButton*>("keep_spec");
    panel_->set_sentence("gelu of 64 elements");
    QTRY_VERIFY(keep->isVisible() && !panel_->can_explore());
    QTest::mouseClick(keep, Qt::LeftButton);
    QTRY_VERIFY(panel_->can_explore() && !keep->isVisible());
    QCOMPARE(panel_->spec_text(), mine);
    QVERIFY(panel_->options().sentence.empty());
    panel_->set_sentence("gelu of 65 elements");
    QTRY_VERIFY(keep->isVisible());
    QTest::mouseClick(panel_->findChild<QPushButton*>("take_offer"), Qt::LeftButton);
    QTRY_VERIFY(panel_->can_explore());
    QVERIFY(panel_->spec_text().contains("op gelu("));
    QCOMPARE(panel_->options().sentence, std::string("gelu of 65 elements"));
    // A task that begins elsewhere replaces the spec of the one before.
    panel_->spec_view()->editor()->append("// mine\n");
    panel_->begin_sentence("relu of 66 elements");
    QTRY_VERIFY(panel_->can_explore() && panel_->spec_text().contains("op relu("));
    QCOMPARE(panel_->options().sentence, std::string("relu of 66 elements"));
    // A kernel that cannot be judged is not left out without a word.
    panel_->set_sentence("__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }");
    QTRY_VERIFY(!panel_->pending());
    panel_->spec_view()->editor()->append("// mine\n");
    QTRY_VERIFY(!panel_->pending());
    QVERIFY(!panel_->can_explore() && panel_->nothing_to_run());
    QVERIFY(panel_->findChild<QLabel*>("hint")->text().contains("no launch plan"));
    panel_->set_sentence("");
    QTRY_VERIFY(!panel_->pending());
  }

  void whatHalfATextSaysIsNoSpec() {
    panel_->show_state(true, false, false, {});
    const auto type = [&](const QString& text) {
      box()->selectAll();
      QTest::keyClicks(box(), text);
    };
    panel_->restore({}, {});
    type("relu of 96x96");
    QTRY_VERIFY(panel_->can_explore());
    type("wibble the frobnicator");
    QTRY_VERIFY(!panel_->pending());
    QCOMPARE(panel_->spec_text(), QString());
    QVERIFY(!panel_->can_explore() && panel_->nothing_to_run());
    QVERIFY(!panel_->findChild<QPushButton*>("take_offer")->isVisible());
    QVERIFY(panel_->findChild<QLabel*>("hint")->text().contains("not understood"));
    // What Return was pressed for stays, and is offered.
    type("relu of 96x96");
    panel_->choose();  // before it is read
    QTRY_VERIFY(panel_->can_explore());
    type("wibble the frobnicator");
    QTRY_VERIFY(!panel_->pending());
    QVERIFY(panel_->spec_text().contains("op relu("));
    QVERIFY(panel_->findChild<QPushButton*>("take_offer")->isVisible() && !panel_->can_explore());
    panel_->restore({}, {});
    QTRY_VERIFY(!panel_->pending());
  }

  void anAnswerOfAQuestionIsReadWhenItIsClicked() {
    panel_->set_sentence("a times b");
    QPushButton* answer = nullptr;
    const auto offered = [&] {
      for (QPushButton* b : panel_->reading()->findChildren<QPushButton*>())
        if (b->text().startsWith("a @ b")) answer = b;
      return answer != nullptr && answer->isVisible();
    };
    QTRY_VERIFY(offered());
    QVERIFY(!panel_->can_explore());
    QTest::mouseClick(answer, Qt::LeftButton);
    QCOMPARE(box()->toPlainText(), QString("a @ b"));
    QTRY_VERIFY(panel_->spec_ready() && panel_->spec_text().contains("op matmul("));
    // The spec is said back beside the words, and what is said is understood.
    const QStringList said = lines().filter("In words: ");
    QCOMPARE(said.size(), 1);
    QVERIFY(lines().join("\n").contains("Formula: y[i, j] = sum(k) a[i, k] * b[k, j]"));
    // In sight once it is asked for, also of the sentences that follow.
    const auto in_sight = [&] {
      for (const QLabel* label : panel_->reading()->findChildren<QLabel*>())
        if (label->isVisible() && label->text().startsWith("Formula: ")) return true;
      return false;
    };
    QVERIFY(!in_sight());
    QTest::mouseClick(panel_->findChild<QToolButton*>("reading_prose"), Qt::LeftButton);
    QVERIFY(in_sight());
    panel_->set_sentence(said[0].mid(10));
    QTRY_VERIFY(lines().join("\n").contains("an op in words"));
    QTRY_VERIFY(panel_->spec_ready() && panel_->spec_text().contains("op matmul("));
  }

  void runStaysInSightAndThePanelScrollsInOnePlace() {
    panel_->resize(340, 460);
    panel_->set_sentence("layernorm followed by gelu over 512x1024 float");
    QTRY_VERIFY(panel_->spec_ready());
    QTest::mouseClick(panel_->findChild<QToolButton*>("reading_prose"), Qt::LeftButton);
    QTest::qWait(50);
    const auto* run = panel_->findChild<QPushButton*>("explore");
    QCOMPARE(run->visibleRegion().boundingRect(), run->rect());
    int scrolled = 0;
    for (const QScrollArea* area : panel_->findChildren<QScrollArea*>())
      scrolled += area->isVisible() && area->verticalScrollBar()->isVisible();
    QCOMPARE(scrolled, 1);
    QVERIFY(!panel_->spec_view()->editor()->verticalScrollBar()->isVisible());
  }

  void aPastedCandidateIsAddedAndCanBeLeftOut() {
    panel_->set_sentence(
        "//@ candidate relu\n//@ launch k grid(1) block(32) args(x, y)\nextern \"C\" __global__ void k(const float* x, "
        "float* y) {}\n");
    QTRY_VERIFY(panel_->reading()->findChild<QPushButton*>("add_candidate"));
    QTest::mouseClick(panel_->reading()->findChild<QPushButton*>("add_candidate"), Qt::LeftButton);
    QTest::mouseClick(panel_->reading()->findChild<QPushButton*>("add_candidate"), Qt::LeftButton);
    QCOMPARE(panel_->options().given.size(), std::size_t{2});
    const auto chips = panel_->findChildren<QToolButton*>();
    for (QToolButton* chip : chips)
      if (chip->text() == "pasted 1.cu") QTest::mouseClick(chip, Qt::LeftButton);
    QCOMPARE(panel_->options().given.size(), std::size_t{1});
  }
  void aCandidateThatIsOpenedSaysWhatItComputes() {
    QTemporaryDir folder;
    const QString path = folder.filePath("mine.cu");
    QVERIFY(write_file_atomic(path.toStdString(), "//@ candidate relu\n__global__ void k() {}\n"));
    panel_->open_file(path);
    QCOMPARE(panel_->sentence(), QString("relu"));
    QTRY_VERIFY(panel_->spec_ready() && panel_->spec_text().contains("op relu("));
    QCOMPARE(panel_->options().given.size(), std::size_t{1});
    panel_->set_sentence("softmax of 4 rows");  // a description that is there already stays
    QVERIFY(write_file_atomic(path.toStdString(), "//@ candidate gelu\n__global__ void k() {}\n"));
    panel_->open_file(path);
    QCOMPARE(panel_->sentence(), QString("softmax of 4 rows"));
  }
  void filesOfEachKind() {
    QTemporaryDir folder;
    const auto file = [&](const QString& name, const std::string& text) {
      const QString path = folder.filePath(name);
      [&] { QVERIFY(write_file_atomic(path.toStdString(), text)); }();
      return path;
    };
    QSignalSpy problems(panel_.get(), &DescribePanel::problem), bundles(panel_.get(), &DescribePanel::bundle_given);
    panel_->open_file(file("module.py", "import torch\ny = torch.matmul(a, b)\n"));
    QTRY_VERIFY(lines().join("\n").contains("This is PyTorch"));
    QCOMPARE(panel_->reading()->findChildren<QLineEdit*>("import_command").last()->text(),
             "warpwright-cli spec " + folder.filePath("module.py") + " -o module.op");
    const QString two = "import torch\nclass A(torch.nn.Module):\n  pass\nclass B(torch.nn.Module):\n  pass\n";
    panel_->open_file(file("two of them.py", two.toStdString()));
    const QString command = "warpwright-cli spec " + folder.filePath("two\\ of\\ them.py") + ":B -o module.op";
    QTRY_COMPARE(panel_->reading()->findChildren<QLineEdit*>("import_command").last()->text(), command);
    panel_->reading()->findChildren<QPushButton*>("copy_command").last()->click();
    QCOMPARE(QApplication::clipboard()->text(), command);
    panel_->open_file(file("naive.cu", "__global__ void add(float* x) { x[threadIdx.x] += 1; }\n"));
    QTRY_VERIFY(lines().join("\n").contains("without a launch plan"));
    panel_->open_file(file("mine.cu", "//@ candidate relu\n__global__ void k() {}\n"));
    QCOMPARE(panel_->options().given.size(), std::size_t{1});
    panel_->open_file(file("relu.op", "op relu(x: f32[N]) -> y: f32[N]\n{ y[i] = max(x[i], 0) }\n"));
    QTRY_VERIFY(panel_->spec_ready() && !panel_->nothing_to_run());  // in place of the kernel without a plan
    QVERIFY(panel_->sentence().isEmpty());
    panel_->open_file(folder.filePath("session.wwb"));
    QCOMPARE(bundles.size(), 1);
    QCOMPARE(problems.size(), 0);
    panel_->open_file(folder.filePath("picture.png"));
    panel_->open_file(folder.filePath("absent.op"));
    panel_->open_file(file("blank.cu", " \n"));
    QCOMPARE(problems.size(), 3);
    QVERIFY(problems[0][0].toString().contains("picture.png"));
    QCOMPARE(problems[2][0].toString(), folder.filePath("blank.cu") + " is empty.");
    QCOMPARE(panel_->options().given.size(), std::size_t{1});
    QVERIFY(panel_->spec_ready());  // nothing was lost
  }
  void returnRunsASentence() {
    panel_->show_state(true, false, false, {});
    const QSignalSpy runs(panel_.get(), &DescribePanel::explore_requested);
    panel_->activateWindow();
    box()->setFocus();
    QTest::keyClick(box(), Qt::Key_Return);
    QCOMPARE(runs.size(), 0);  // nothing is written
    QTest::keyClicks(box(), "relu of 96x96");
    QTest::keyClick(box(), Qt::Key_Return);
    QCOMPARE(runs.size(), 1);
    QCOMPARE(panel_->sentence(), QString("relu of 96x96"));
    QTest::keyClick(box(), Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(box(), "x");
    QCOMPARE(panel_->sentence(), QString("relu of 96x96\nx"));
    QTest::keyClick(box(), Qt::Key_Return);  // a text of several lines goes on
    QCOMPARE(panel_->sentence(), QString("relu of 96x96\nx\n"));
    panel_->set_sentence("import torch");
    QTest::keyClick(box(), Qt::Key_Return);
    QVERIFY(panel_->sentence().contains('\n'));
    panel_->set_sentence("zzz qqq");
    QTRY_VERIFY(!panel_->pending());
    QTest::keyClick(box(), Qt::Key_Return);
    QCOMPARE(panel_->sentence(), QString("zzz qqq"));
    QCOMPARE(runs.size(), 1);  // what is not understood does not run
  }
  void aTextThatIsTooLongIsRefusedWithASentence() {
    panel_->set_sentence("relu of 96x96");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    panel_->activateWindow();
    box()->setFocus();
    box()->selectAll();
    for (const QString& pasted : {QString(1 << 20, 'x'), QString("y = x;\n").repeated(150000)}) {
      QApplication::clipboard()->setText(pasted);
      QTest::keyClick(box(), Qt::Key_V, Qt::ControlModifier);
      QCOMPARE(panel_->sentence(), QString("relu of 96x96"));
      auto* hint = panel_->findChild<QLabel*>("hint");
      QVERIFY2(hint->isVisible() && hint->text().contains(": nothing was inserted"), qPrintable(hint->text()));
    }
    QTest::keyClick(box(), Qt::Key_End);
    QTest::keyClicks(box(), " f16");
    QVERIFY(!panel_->findChild<QLabel*>("hint")->text().contains("nothing was inserted"));
    auto* spec = panel_->findChild<CodeEditor*>("spec_editor");
    const QString before = spec->text();
    QApplication::clipboard()->setText(QString("// x\n").repeated(200000));
    spec->setFocus();
    spec->paste();
    QCOMPARE(spec->text(), before);
    QApplication::clipboard()->setText("// kept\n");
    spec->paste();
    QVERIFY(spec->text().contains("// kept"));
  }
  void anEditedSpecIsSaidToReplaceTheSentence() {
    panel_->show_state(true, false, false, {});
    auto* hint = panel_->findChild<QLabel*>("hint");
    panel_->set_sentence("relu of 96x96");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    QVERIFY2(!hint->text().contains("no longer"), qPrintable(hint->text()));
    auto* spec = panel_->findChild<CodeEditor*>("spec_editor");
    QString text = spec->text();
    QVERIFY(text.contains("max("));
    spec->setFocus();
    spec->selectAll();
    QApplication::clipboard()->setText(text.replace("max(", "min("));
    spec->paste();
    QVERIFY(spec->text().contains("min("));
    QTRY_VERIFY2(panel_->spec_ready() && hint->text().contains("no longer the sentence"), qPrintable(hint->text()));
    panel_->set_sentence("softmax of 96x96");
    QTRY_VERIFY(!panel_->pending() && !hint->text().contains("no longer the sentence"));
  }
  void droppedFilesStayWhileTheTextIsEdited() {
    QTemporaryDir folder;
    const QString path = folder.filePath("mine.cu");
    QVERIFY(write_file_atomic(path.toStdString(), "//@ candidate relu\n__global__ void k() {}\n"));
    const auto chips = [&] {
      QStringList names;
      for (const QToolButton* chip : panel_->findChildren<QToolButton*>())
        if (chip->isVisible() && chip->text().endsWith(".cu")) names += chip->text();
      return names;
    };
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(box()->viewport(), &enter);
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(box()->viewport(), &drop);
    QCOMPARE(chips(), QStringList{"mine.cu"});
    panel_->set_sentence("relu of 96x96");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    box()->setFocus();
    QTest::keyClicks(box(), " of float");
    QTRY_VERIFY(!panel_->pending());
    box()->clear();
    QTest::keyClicks(box(), "softmax of 64x64");
    QTRY_VERIFY(!panel_->pending());
    QVERIFY(panel_->options().given.empty());  // it is for relu, and says so
    panel_->set_sentence("relu of 96x96");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending() && panel_->options().given.size() == 1);
    QCOMPARE(chips(), QStringList{"mine.cu"});
  }
  void anExpressionOfPyTorchIsAFormula() {
    panel_->set_sentence("F.softmax(x @ w.T, dim=-1)");
    QTRY_VERIFY(panel_->spec_ready() && !panel_->pending());
    QVERIFY2(panel_->unclear().isEmpty(), qPrintable(panel_->unclear()));
    for (const QPushButton* button : panel_->findChildren<QPushButton*>("import_module")) QVERIFY(!button->isVisible());
  }
  void withoutAModelItsButtonLeadsToTheSettings() {
    QSignalSpy settings(panel_.get(), &DescribePanel::settings_wanted),
        asked(panel_.get(), &DescribePanel::formulation_wanted);
    panel_->reading()->set_no_model("No language model is set up.");
    panel_->set_sentence("frobnicate the whatsit");
    QTRY_VERIFY(!panel_->pending() && !panel_->unclear().isEmpty());
    QTRY_VERIFY(button("ask_model"));
    QCOMPARE(button("ask_model")->text(), QString("Set up a model\u2026"));
    QVERIFY(button("ask_model")->toolTip().startsWith("No language model is set up."));
    button("ask_model")->click();
    QCOMPARE(settings.count(), 1);
    QCOMPARE(asked.count(), 0);
    panel_->reading()->set_no_model({});
    QCOMPARE(button("ask_model")->text(), QString("Ask a model"));
    button("ask_model")->click();
    QCOMPARE(asked.count(), 1);
  }
  void anExplanationIsGivenOnce() {
    panel_->set_sentence("rmsnorm over the last dimension, batch 8, seq 128, hidden 768");
    QTRY_VERIFY(!panel_->pending() && !panel_->reading()->lines().isEmpty());
    QString before;
    for (const QString& line : panel_->reading()->lines()) {
      const QString reading = line.section(": ", 1);
      QVERIFY2(reading.isEmpty() || reading != before, qPrintable(panel_->reading()->lines().join('\n')));
      before = reading;
    }
  }
  // The list of phrases would cover what a sentence that is understood means.
  void nothingIsOfferedForASentenceThatIsUnderstood() {
    panel_->activateWindow();
    box()->setFocus();
    QTest::keyClicks(box(), "softmax over the rows of a half matrix");
    QTRY_VERIFY(!panel_->pending() && panel_->spec_ready());
    QVERIFY(!panel_->sentence_edit()->completer()->popup()->isVisible());
    QTest::keyClick(box(), Qt::Key_Space, Qt::ControlModifier);  // asked for
    QTRY_VERIFY(panel_->sentence_edit()->completer()->popup()->isVisible());
    panel_->sentence_edit()->completer()->popup()->hide();
  }
  void phrasesAreCompletedWhileWriting() {
    panel_->activateWindow();
    box()->setFocus();
    QTest::keyClicks(box(), "a fast layer n");
    auto* completer = panel_->sentence_edit()->completer();
    QTRY_VERIFY(completer->popup()->isVisible());
    QStringList offered;
    for (int i = 0; i < completer->completionModel()->rowCount(); ++i)
      offered += completer->completionModel()->index(i, 0).data().toString();
    QVERIFY2(offered.contains("layer norm"), qPrintable(offered.join(", ")));
    completer->popup()->setCurrentIndex(
        completer->completionModel()->index(static_cast<int>(offered.indexOf("layer norm")), 0));
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QTRY_COMPARE(panel_->sentence(), QString("a fast layer norm"));
    QTest::keyClicks(box(), " xyzzy");
    QVERIFY(!completer->popup()->isVisible());
  }
};

QTEST_MAIN(DescribeTest)
#include "describe_test.moc"
