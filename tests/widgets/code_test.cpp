// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel: listings, lines that belong together, numbers beside them. Pictures go to
// <build>/screenshots.
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFontDatabase>
#include <QGlyphRun>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTextLayout>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QtTest>
#include <Qsci/qscilexer.h>
#include <algorithm>
#include "session/actions/registry.h"
#include "panels/code/code_panel.h"
#include "panels/diff/line_colours.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/editor/text_search.h"
#include "session/selection.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "parts/theme/unligated_font.h"
#include "widgets/code_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test::code;

namespace {

bool has_marker(const CodeEditor* editor, int line, int marker) {
  return const_cast<CodeEditor*>(editor)->markersAtLine(line - 1) & (1u << marker);
}

}  // namespace

class CodeTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  QString workspace() const { return folder_->filePath("workspace"); }
  // With candidate 1 in all three listings.
  static std::unique_ptr<Rig> with_listings(const QString& folder) {
    auto rig = with_run(folder);
    [&] {
      rig->select(1);
      QCOMPARE(rig->panel->ptx()->rows(), 0);  // made when it is looked at
      QTest::mouseClick(rig->child<QToolButton>("pane_1"), Qt::LeftButton);
      QTest::mouseClick(rig->child<QToolButton>("pane_2"), Qt::LeftButton);
      QTRY_COMPARE(rig->panel->ptx()->rows(), 42);
      QTRY_COMPARE(rig->panel->sass()->rows(), 123);
    }();
    return rig;
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(Theme::instance().apply("light"));
  }

  void aCandidateOpensAtItsCode() {
    auto rig = with_run(workspace());
    rig->window.resize(600, 260);  // a few lines
    rig->select(1);
    CodeEditor* source = rig->panel->source();
    QTRY_VERIFY(source->lines() > 10);
    const int first = static_cast<int>(source->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE));
    QVERIFY2(first > 0 && source->text(first).contains("__global__"), qPrintable(source->text(first)));
    QVERIFY(source->text(0).startsWith("//"));  // directives come before it
  }

  // Code and Diff show each kind of line in one colour: "//@" lines are no comments.
  void linesHaveOneColour() {
    const QStringList lines = {
        "//@ candidate softmax", "  //@ launch k grid(1) block(32)", "// plain", "/// documented", "//! documented",
        "#include <x>",          "x = 1;  //@ not at the beginning"};
    const auto marked = [](CodeEditor& editor, int line, const QString& text) {
      const long at =
          editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)) + text.size() - 1;
      return editor.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                  static_cast<unsigned long>(CodeEditor::directive_mark), at) != 0;
    };
    for (const CodeLanguage language : {CodeLanguage::cuda, CodeLanguage::ptx}) {
      CodeEditor editor(language, false);
      editor.set_code(lines.join('\n'));
      QTRY_VERIFY(editor.complete());
      for (int i = 0; i < lines.size(); ++i) {
        const std::string line = lines[i].toStdString();
        const Ink ink = colour_line(line, language == CodeLanguage::ptx ? CodeKind::ptx : CodeKind::source).back().ink;
        const bool directive = i < 2;
        QCOMPARE(marked(editor, i, lines[i]), directive);
        QCOMPARE(QString(ink_token(ink)) == QString("code-directive") && lines[i].contains("//@"), directive);
      }
      // While it is typed, and when it no longer is one.
      editor.insertAt("/", 2, 0);
      editor.insertAt("//@ option fast-math\n", 0, 0);
      QVERIFY(marked(editor, 0, "//@ option fast-math") && marked(editor, 1, lines[0]));
      editor.setSelection(0, 2, 0, 3);
      editor.removeSelectedText();
      QVERIFY(!marked(editor, 0, "// option fast-math"));
    }
  }

  void listingsOfAnyLength() {
    const auto listing = listing_of_sass(sass_of(200000));
    QCOMPARE(listing->rows(), 200000 + 4000);  // with functions and labels
    QCOMPARE(listing->functions.size(), std::size_t{200});
    ListingView view;
    view.resize(700, 400);
    view.set_listing(listing);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(view.current_row(), listing->rows() - 1);
    QVERIFY(view.in_sight(listing->rows() - 1));
    QTest::keyClick(&view, Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(view.current_row(), 0);
    for (int i = 0; i < 3; ++i) QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_PageDown);
    QCOMPARE(view.current_row(), 3 + view.verticalScrollBar()->pageStep());
    // Search: next, round the end, back; the letters' case does not count.
    QVERIFY(view.find({"r8.64+0x30d3f]"}, true, false));
    QCOMPARE(view.selected_text(), QString("R8.64+0x30d3f]"));
    QCOMPARE(view.current_row(), listing->rows() - 1);
    QVERIFY(view.find({"kernel_7:"}, true, false));
    const int seventh = view.current_row();
    QCOMPARE(view.row_text(seventh), QString("kernel_7:"));
    QVERIFY(view.find({"kernel_"}, false, false));
    QCOMPARE(view.row_text(view.current_row()), QString("kernel_6:"));
    QVERIFY(!view.find({"no such word"}, true, false));
    QCOMPARE(view.mark_all({"kernel_1"}), 1 + 10 + 100);
    QCOMPARE(view.mark_all({"ldg"}), int{Searchable::most_marked});
    QCOMPARE(view.mark_all({""}), 0);
    // Folding.
    view.fold_all(FoldBy::functions);
    QCOMPARE(view.shown_rows(), 200);
    QVERIFY(view.find({"L_x_3999"}, true, false));  // a match opens what hides it
    QCOMPARE(view.row_text(view.current_row()), QString(".L_x_3999:"));
    QVERIFY(view.in_sight(view.current_row()));
    QCOMPARE(view.shown_rows(), 199 + 1020);
    view.unfold_all();
    QCOMPARE(view.shown_rows(), listing->rows());
    view.fold_all(FoldBy::lines);
    QVERIFY(view.shown_rows() < listing->rows() / 2);
    QTest::keyClick(&view, Qt::Key_Asterisk);
    QCOMPARE(view.shown_rows(), listing->rows());
    view.fold_all(FoldBy::blocks);
    view.unfold_all();
    view.go_to(60);
    QTest::keyClick(&view, Qt::Key_Minus);  // the block around the caret
    QCOMPARE(view.shown_rows(), listing->rows() - 50);
    QTest::keyClick(&view, Qt::Key_Plus);
    QCOMPARE(view.shown_rows(), listing->rows());
    // Selection and copy.
    view.go_to(2);
    QTest::keyClick(&view, Qt::Key_Home);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&view, Qt::Key_End, Qt::ShiftModifier);
    view.copy();
    QCOMPARE(QApplication::clipboard()->text(), view.row_text(2) + "\n" + view.row_text(3));
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(static_cast<std::size_t>(view.selected_text().size()) + 1, listing->text.size());
    view.set_listing(nullptr);
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(view.rows(), 0);
    QVERIFY(!view.find({"x"}, true, true));
  }

  void listingsOfPtx() {
    const std::string text =
        ".version 9.0\n.func (.param .b32 r) helper(\n)\n;\n.visible .entry k(\n)\n{\n\tmov.u32 \t%r1, 1;  // "
        "größer\n$L_1:\n\tbra $L_1;\n$L_2:\n\tret;\n\tret;\n}";
    const auto listing = listing_of_ptx(text, {0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 5, 5, 5, 5});
    QCOMPARE(listing->rows(), 14);
    QCOMPARE(listing->functions.back().first, 4);
    QCOMPARE(listing->functions.back().last, 13);
    QCOMPARE(listing->blocks.size(), std::size_t{2});
    QCOMPARE(listing->runs.size(), std::size_t{2});
    QCOMPARE(listing->rows_of_line(5), (std::vector<int>{10, 11, 12, 13}));
    QCOMPARE(listing->row_at(listing->starts[7] + 3), 7);
    ListingView view;
    view.resize(400, 300);
    view.set_listing(listing);
    view.show();
    view.go_to(7);
    for (int i = 0; i < 60; ++i)
      QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);  // over the tabs and the umlaut
    QVERIFY(view.selected_text().startsWith("\tmov.u32 \t%r1, 1;  // größer\n$L_1:\n"));
    QCOMPARE(listing_of_ptx("", {})->rows(), 0);
    QCOMPARE(listing_of_sass({})->rows(), 0);
    compile::Sass odd;  // rows and text that do not fit together
    odd.text = "a\nb\n";
    odd.rows.resize(7);
    QCOMPARE(listing_of_sass(odd)->rows(), 2);
  }

  void words() {
    std::vector<AssemblyToken> tokens;
    const auto words_of = [&](const char* line, void (*tokenize)(std::string_view, std::vector<AssemblyToken>&)) {
      tokenize(line, tokens);
      QStringList out;
      int at = 0;
      for (const AssemblyToken& t : tokens) {
        if (t.begin != at) out << "gap";
        at = t.end;
        const QString text = QString::fromUtf8(line + t.begin, t.end - t.begin).trimmed();
        if (!text.isEmpty()) out << QString::number(static_cast<int>(t.word)) + text;
      }
      return out.join(" ");
    };
    QCOMPARE(words_of("\tld.global.f32 %f1, [%rd2+4]; // x", tokenize_ptx),
             QString("3ld.global.f32 4%f1 0, [ 4%rd2 0+ 54 0]; 1// x"));
    QCOMPARE(words_of("$L__BB0_7:", tokenize_ptx), QString("6$L__BB0_7 0:"));
    QCOMPARE(words_of("    /*0010*/  @!P0 LDG.E R9, desc[UR6][R8.64] ;", tokenize_sass),
             QString("1/*0010*/ 2@!P0 3LDG.E 4R9 0, desc[ 4UR6 0][ 4R8.64 0] ;"));
    QCOMPARE(words_of("  BRA `(.L_x_4) ;", tokenize_sass), QString("3BRA 6`(.L_x_4) 0;"));
    QCOMPARE(words_of("softmax:", tokenize_sass), QString("6softmax:"));
    for (const char* odd : {"", "\"", "`", "/*", "%", "\xff\xfe", "@", "."}) {
      words_of(odd, tokenize_ptx);
      words_of(odd, tokenize_sass);
    }
    QCOMPARE(find_folded("aAbB", "ab", 0), std::size_t{1});
    QCOMPARE(find_folded("abc", "abcd", 0), std::string::npos);
    QCOMPARE(find_folded_back("abxab", "ab", 3), std::size_t{0});
    QCOMPARE(find_folded_back("abxab", "ab", 99), std::size_t{3});
  }

  void numbersOfLines() {
    evidence::Metrics m;
    m.provenance = Provenance::simulated;
    m.case_name = "default";
    m.device = "simt";
    m.lines = {{7, 100, 3200, 400, 0, 0, 0, 100, 12800},
               {8, 10, 320, 320, 0, 0, 0, 10, 1280},
               {9, 10, 320, 10, 0, 0, 0, 10, 1280},
               {10, 10, 320, 55, 0, 0, 0, 10, 1280},
               {11, 5, 5, 7, 0, 0, 0, 0, 0},
               {12, 5, 5, 8, 0, 0, 0, 2, 0}};
    const auto hints = access_hints(m);
    using enum AccessHint::Pattern;
    QCOMPARE(hints[7].pattern, coalesced);
    QCOMPARE(hints[7].word, QString("coalesced 4"));
    QCOMPARE(hints[8].pattern, strided);
    QVERIFY2(hints[8].tip.contains("32 sectors of 32 bytes per request") &&
                 hints[8].tip.contains("8 bytes moved for each byte"),
             qPrintable(hints[8].tip));
    QCOMPARE(hints[9].pattern, broadcast);
    QCOMPARE(hints[10].pattern, partly);
    QVERIFY(!hints.contains(11));          // its requests were not counted
    QCOMPARE(hints[12].pattern, unknown);  // nor the bytes of this one
    QCOMPARE(hints[12].word, QString("4"));
  }

  void linesBelongTogether() {
    const auto rig = with_listings(workspace());
    CodePanel& panel = *rig->panel;
    QVERIFY(panel.source()->isVisible() && panel.ptx()->isVisible() && panel.sass()->isVisible());

    // A click on the text marks and shows the rows of both listings.
    emit panel.source()->line_clicked(8);
    QCOMPARE(rig->selection.line(), 8);
    QVERIFY(has_marker(panel.source(), 8, CodeEditor::linked_sign));
    QCOMPARE(panel.ptx()->linked(), panel.ptx()->listing()->rows_of_line(8));
    QCOMPARE(panel.ptx()->linked().front(), 18);
    QVERIFY(panel.ptx()->in_sight(18));
    QCOMPARE(panel.sass()->linked(), panel.sass()->listing()->rows_of_line(8));
    QVERIFY(!panel.sass()->linked().empty());

    // A click on a row of SASS marks the row of PTX that it was assembled from, and the line. The focus stays.
    panel.sass()->setFocus();
    const QPoint fifth(panel.sass()->viewport()->width() - 20, panel.sass()->viewport()->height() / 2);
    QTest::mouseClick(panel.sass()->viewport(), Qt::LeftButton, {}, fifth);
    const int row = panel.sass()->current_row();
    const int line = panel.sass()->listing()->line_of(row);
    QVERIFY(line > 0);
    QCOMPARE(rig->selection.line(), line);
    QVERIFY(has_marker(panel.source(), line, CodeEditor::linked_sign));
    QCOMPARE(panel.ptx()->linked(), (std::vector<int>{panel.sass()->listing()->ptx_line_of(row) - 1}));
    QVERIFY(panel.sass()->hasFocus());

    // Hovering marks, and what was chosen stands again when the pointer has left.
    emit panel.ptx()->row_hovered(12);
    QCOMPARE(rig->selection.line(), 6);
    QVERIFY(has_marker(panel.source(), 6, CodeEditor::linked_sign));
    QCOMPARE(panel.sass()->linked(), panel.sass()->listing()->rows_of_ptx_line(13));
    emit panel.ptx()->row_hovered(-1);
    QCOMPARE(rig->selection.line(), line);
    // By the keyboard: the caret marks, Return chooses.
    panel.ptx()->go_to(14);
    QCOMPARE(rig->selection.line(), 7);
    QTest::keyClick(panel.ptx(), Qt::Key_Return);
    QCOMPARE(rig->selection.line(), 7);

    // Another panel points at a line; another chooses one.
    rig->selection.set_line(9);
    QVERIFY(has_marker(panel.source(), 9, CodeEditor::linked_sign));
    QCOMPARE(panel.ptx()->linked(), panel.ptx()->listing()->rows_of_line(9));
    rig->selection.choose_line(11);
    int at = 0, column = 0;
    panel.source()->getCursorPosition(&at, &column);
    QCOMPARE(at, 10);

    // Another candidate: what was chosen is forgotten, listings are made anew.
    rig->select(6);  // refused by the compiler
    QTRY_VERIFY(panel.source()->text().contains("variant 5"));
    QCOMPARE(panel.ptx()->rows(), 0);
    QVERIFY(squiggle(panel.source(), "float top"));
    QCOMPARE(rig->selection.line(), 0);
  }

  // As QScintilla draws, which gives its fonts a style strategy of its own.
  void everyCharacterIsDrawnAsItself() {
    const auto rig = with_listings(workspace());
    const CodeEditor* source = rig->panel->source();
    QVERIFY(source->lexer());
    const auto glyphs = [](const QString& text, const QFont& font) {
      QTextLayout layout(text, font);
      layout.beginLayout();
      layout.createLine();
      layout.endLayout();
      QList<quint32> all;
      for (const QGlyphRun& run : layout.glyphRuns()) all += run.glyphIndexes();
      return all;
    };
    for (const QString& family : {source->lexer()->font(0).family(), code_font().family(), code_family()})
      for (const QFont::Weight weight : {QFont::Normal, QFont::Bold})
        for (const char* joined : {"/=", "==", "<=", ">=", "!=", "->", "::", "++", "//", "&&"}) {
          const QFont font(family, 11, weight);
          const QString text = QLatin1String(joined);
          QVERIFY2(glyphs(text, font) == glyphs(text.left(1), font) + glyphs(text.mid(1), font),
                   qPrintable(family + " " + text));
        }
    if (QFontDatabase::hasFamily("JetBrains Mono"))  // the look stays
      QCOMPARE(QFontMetricsF(QFont(code_family(), 11)).horizontalAdvance("mmmm"),
               QFontMetricsF(QFont("JetBrains Mono", 11)).horizontalAdvance("mmmm"));
    QVERIFY(std::ranges::none_of(families_of(true), is_unligated));  // not offered in the settings
  }

  void countsAreShownWithTheirSource() {
    const auto rig = with_listings(workspace());
    CodePanel& panel = *rig->panel;
    auto* counter = rig->child<QComboBox>("line_counter");
    QVERIFY(counter->count() >= 4);
    for (int i = 1; i < counter->count(); ++i) QVERIFY(counter->itemText(i).contains("simulated"));
    counter->setCurrentIndex(counter->findData("simulated.warp_instructions"));
    // The strip is as wide as its numbers: short_count() has at most six characters.
    const CodeEditor* source = panel.source();
    QVERIFY2(source->marginWidth(1) > 0 &&
                 source->marginWidth(1) <= QFontMetrics(code_font()).horizontalAdvance(QString(8, '9')) + 2,
             qPrintable(QString::number(source->marginWidth(1))));
    // Hints take the place of the counts.
    auto* hints = rig->child<QToolButton>("hints");
    QVERIFY(hints->toolTip().contains("coalesced") && hints->toolTip().contains("sectors"));
    hints->click();
    QVERIFY2(source->marginWidth(1) > 0 &&
                 source->marginWidth(1) <= QFontMetrics(code_font()).horizontalAdvance(QString(13, '9')) + 2,
             qPrintable(QString::number(source->marginWidth(1))));
    hints->click();
    QVERIFY2(rig->child<QLabel>("line_provenance")->text().contains("simulated"),
             qPrintable(rig->child<QLabel>("line_provenance")->text()));
    rig->picture("code-light");
    QVERIFY(Theme::instance().apply("dark"));
    rig->picture("code-dark");
    QVERIFY(Theme::instance().apply("high-contrast"));
    rig->window.resize(468, 400);
    rig->picture("code-narrow");

    // Where they do not fit, one listing is shown; the search goes with it.
    panel.show_listing(CodePanel::ptx_listing);
    QVERIFY(panel.pane(CodePanel::ptx_listing) && !panel.pane(CodePanel::cuda) && !panel.pane(CodePanel::sass_listing));
    panel.open_search();
    QTest::keyClicks(rig->window.findChild<QLineEdit*>(), "%f25,");
    QCOMPARE(panel.ptx()->selected_text(), QString("%f25,"));
    QTest::mouseClick(rig->child<QToolButton>("pane_1"), Qt::LeftButton);  // the last one cannot be hidden
    QVERIFY(panel.pane(CodePanel::ptx_listing));
  }

  void whatCannotBeShown() {
    const auto rig = with_run(workspace());
    rig->engine->no_sass = true;
    rig->select(6);
    rig->panel->set_pane(CodePanel::ptx_listing, true);
    rig->panel->set_pane(CodePanel::sass_listing, true);
    QTRY_VERIFY(rig->child<QLabel>("no_sass")->text().contains("nvdisasm"));
    bool said = false;
    for (const QLabel* label : rig->window.findChildren<QLabel*>())
      said |= label->isVisible() && label->text().startsWith("There is no PTX");
    QVERIFY(said);
    rig->selection.set_line(7);  // nothing to mark in the listings
    rig->panel->show_candidate(nullptr);
    QVERIFY(!rig->panel->source()->isVisible());
    rig->registry.action("code.edit")->trigger();
    rig->registry.action("code.check")->trigger();
    QVERIFY(!rig->panel->editing());
    QCOMPARE(rig->engine->checks.load(), 0);
  }
};

QTEST_MAIN(CodeTest)
#include "code_test.moc"
