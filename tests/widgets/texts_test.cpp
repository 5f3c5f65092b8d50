// SPDX-License-Identifier: GPL-3.0-or-later
// Hostile texts in the window's own widgets: what is shown is the text that was given, and nothing is opened for it.
#include <QBuffer>
#include <QHeaderView>
#include <QHelpEvent>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPdfWriter>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableWidget>
#include <QTextBlock>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/review/review_html.h"
#include "panels/verdict/evidence.h"
#include "panels/verdict/verdict_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "review/review_world.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"
#include "support/hostile_texts.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

QLabel* shown_tip() {
  for (QWidget* w : QApplication::topLevelWidgets())
    if (w->inherits("QTipLabel") && w->isVisible()) return qobject_cast<QLabel*>(w);
  return nullptr;
}

void hover(QWidget* widget, const QPoint& at) {
  QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QApplication::sendEvent(widget, &help);
}

// No label in the program takes its text for anything else.
void all_labels_are_plain() {
  for (QWidget* w : QApplication::allWidgets())
    if (auto* label = qobject_cast<QLabel*>(w)) {
      label->ensurePolished();
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->objectName() + ": " + label->text().left(60)));
    }
}

// Nothing that reorders a line, hides or steers.
bool is_harmless(const QString& text) { return visible(text.toStdString()) == text.toStdString(); }

void all_names_are_harmless() {
  for (QWidget* w : QApplication::allWidgets()) {
    QVERIFY2(is_harmless(w->windowTitle()), qPrintable(w->windowTitle()));
    if (auto* label = qobject_cast<QLabel*>(w)) QVERIFY2(is_harmless(label->text()), qPrintable(label->text()));
    if (auto* button = qobject_cast<QAbstractButton*>(w))
      QVERIFY2(is_harmless(button->text()), qPrintable(button->text()));
    if (auto* bar = qobject_cast<QStatusBar*>(w)) QVERIFY(is_harmless(bar->currentMessage()));
  }
}

// Whatever an item shows.
void all_items_are_harmless(const QAbstractItemModel& model, const char* name) {
  for (int row = 0; row < model.rowCount(); ++row)
    for (int column = 0; column < model.columnCount(); ++column)
      QVERIFY2(is_harmless(model.index(row, column).data().toString()), name);
}

// Images are the theme's, links ours.
void has_nothing_foreign(const QTextDocument* document) {
  for (QTextBlock block = document->begin(); block.isValid(); block = block.next())
    for (auto at = block.begin(); !at.atEnd(); ++at) {
      const QTextCharFormat format = at.fragment().charFormat();
      if (format.isImageFormat()) QVERIFY(format.toImageFormat().name().startsWith("icon:"));
      if (format.isAnchor() && !format.anchorHref().isEmpty())
        QVERIFY(QStringList({"line", "mark", "stage", "take", "copy", "trust"})
                    .contains(QUrl(format.anchorHref()).scheme()));
    }
}

// Rich text keeps neither control characters nor runs of blanks.
bool is_comparable(const support::HostileText& t) {
  return visible(t.text) == t.text && !qs(t.text).simplified().isEmpty();
}

}  // namespace

class TextsTest : public QObject, support::Folders {
  Q_OBJECT
  support::Canary canary_;
  const std::vector<support::HostileText> texts_ = support::hostile_texts(canary_.path());

  void is_tip(const QString& text, const char* name) {
    QLabel* tip = shown_tip();
    QVERIFY2(tip, name);
    QVERIFY2(tip->textFormat() == Qt::PlainText, name);
    (void)tip->grab();  // it is painted
    QCOMPARE(tip->text(), harmless(text));
    QVERIFY2(is_harmless(tip->text()), name);
    QApplication::processEvents();
    tip->hide();  // QToolTip takes its time
  }

 private slots:
  void initTestCase() {
    qputenv("WARPWRIGHT_CONFIG", path("config").c_str());
    QVERIFY(Theme::instance().apply("light"));
  }
  void cleanup() { QVERIFY(!canary_.opened()); }

  void theCanaryIsSeen() {  // or the others would show nothing
    QTextDocument document;
    document.setHtml("<img src='file://" + qs(canary_.path()) + "'>");
    (void)document.size();
    QVERIFY(canary_.opened());
  }

  void labelsShowTheTextItself() {
    for (const support::HostileText& t : texts_) {
      const QString text = exact(t.text);
      Label label(text);
      ElideLabel elided;
      elided.resize(80, 20);
      elided.set_text(text);
      (void)label.grab();
      (void)elided.grab();
      QCOMPARE(label.text(), harmless(text));
      QCOMPARE(elided.full_text(), harmless(text));
      QVERIFY2(is_harmless(label.text()) && is_harmless(elided.text()), t.name.c_str());
      QVERIFY(label.textFormat() == Qt::PlainText && elided.textFormat() == Qt::PlainText);
    }
  }

  void tooltipsShowTheTextItself() {
    QWidget window;
    window.resize(400, 300);
    auto* layout = new QVBoxLayout(&window);
    auto* button = new QToolButton(&window);
    auto* table = new QTableWidget(1, 1, &window);
    auto* item = new QTableWidgetItem("item");
    auto* head = new QTableWidgetItem("head");
    table->setItem(0, 0, item);
    table->setHorizontalHeaderItem(0, head);
    layout->addWidget(button);
    layout->addWidget(table);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    for (const support::HostileText& t : texts_) {
      const QString text = exact(t.text);
      button->setToolTip(text);
      hover(button, {3, 3});
      is_tip(text, t.name.c_str());
      item->setToolTip(text);
      hover(table->viewport(), table->visualItemRect(item).center());
      is_tip(text, t.name.c_str());
      head->setToolTip(text);
      hover(table->horizontalHeader()->viewport(), {5, 5});
      is_tip(text, t.name.c_str());
      QToolTip::showText(window.mapToGlobal(QPoint(9, 9)), text, &window);
      is_tip(text, t.name.c_str());
    }
  }

  void dialogsOfQtShowTheTextItself() {
    for (const support::HostileText& t : texts_) {
      QMessageBox box;
      box.setText(exact(t.text));
      box.setInformativeText(exact(t.text));
      box.setWindowTitle(exact(t.text));
      QPushButton* button = box.addButton(exact(t.text), QMessageBox::AcceptRole);
      QInputDialog input;
      input.setLabelText(exact(t.text));
      for (QWidget* dialog : {static_cast<QWidget*>(&box), static_cast<QWidget*>(&input)}) {
        dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        (void)dialog->grab();
      }
      all_labels_are_plain();
      all_names_are_harmless();
      QCOMPARE(box.findChild<QLabel*>("qt_msgbox_label")->text(), harmless(exact(t.text)));
      QCOMPARE(button->text(), harmless(exact(t.text)));
      QMenu menu;
      QAction* entry = menu.addAction(exact(t.text));
      QCOMPARE(entry->text(), harmless(exact(t.text)));
      entry->setText("x" + exact(t.text));
      QCOMPARE(entry->text(), "x" + harmless(exact(t.text)));
    }
  }

  void evidenceIsText() {
    FactsView view;
    view.resize(500, 300);
    for (const support::HostileText& t : texts_) {
      evidence::StageResult stage;
      stage.stage = evidence::Stage::smoke;
      stage.outcome = evidence::Outcome::failed;
      stage.message = stage.detail = t.text;
      stage.failure = evidence::Failure{.case_name = t.text, .binding = {{{t.text, 7}}, {}}};
      stage.failure->element = evidence::FailingElement{t.text, {3}, 0, 1, 0, 1, 1, 1};
      Fault& fault = stage.failure->fault.emplace();
      fault.message = fault.kernel = fault.buffer = t.text;
      evidence::Verdict v;
      v.coverage = {{t.text, {{{t.text, 1}}, {}}, true, 5}};
      evidence::Metrics m;
      m.device = m.case_name = t.text;
      m.values = {{t.text, 1}};
      m.conditions.gpu = m.conditions.note = t.text;
      for (const TrustedHtml& html :
           {stage_evidence(stage), coverage_evidence(v), metrics_evidence(m),
            lines_evidence({.lines = {1}}, {t.text}, {}), lines_evidence({.why_not = t.text}, {}, {})}) {
        view.show_html(html);
        (void)view.grab();
        has_nothing_foreign(view.document());
        QVERIFY2(is_harmless(view.toPlainText()), t.name.c_str());
      }
      view.show_html(stage_evidence(stage));
      if (is_comparable(t)) QVERIFY2(view.toPlainText().simplified().contains(qs(t.text).simplified()), t.name.c_str());
    }
  }

  void markdownOpensNothing() {  // whatever a receipt's text becomes
    HtmlView view;
    view.resize(500, 300);
    for (const support::HostileText& t : texts_) {
      view.show_markdown(exact(t.text));
      QVERIFY2(is_harmless(view.toPlainText()), t.name.c_str());
      (void)view.grab();
      QBuffer buffer;
      buffer.open(QIODevice::WriteOnly);
      QPdfWriter writer(&buffer);
      ClosedDocument document;
      document.set_markdown(exact(t.text));
      QVERIFY2(is_harmless(document.toPlainText()), t.name.c_str());
      document.print(&writer);
      QVERIFY(!canary_.opened());
    }
  }

  void aReceiptShowsTheTextItself() {
    auto w = review_world::opened(fresh());
    const review_world::Made m = review_world::fill(*w);
    for (const support::HostileText& t : texts_)
      if (t.text.find_first_not_of(" \t\r\n") != t.text.npos)
        QVERIFY2(review::note(*w, m.candidate, 0, t.text, "Ada"), t.name.c_str());
    const review::Signer signer = review::Signer::open().value();
    const auto accepted =
        review_world::accept(*w, m.candidate, "Ada", review_world::all_answers(), review_world::program, signer);
    QVERIFY2(accepted, accepted ? "" : accepted.error().text().c_str());
    const std::shared_ptr<const ReceiptView> receipt = read_receipt(*w, accepted->receipt).value();
    HtmlView page;
    page.resize(600, 800);
    page.show_markdown(exact(receipt->markdown));
    (void)page.grab();
    has_nothing_foreign(page.document());
    ClosedDocument print;
    print.set_markdown(exact(receipt->markdown));
    QVERIFY(is_harmless(page.toPlainText()) && is_harmless(print.toPlainText()));
    for (const support::HostileText& t : texts_)
      if (is_comparable(t) && t.text.find('/') == t.text.npos) {  // paths lose their folders
        QVERIFY2(page.toPlainText().simplified().contains(qs(t.text).simplified()), t.name.c_str());
        QVERIFY2(print.toPlainText().simplified().contains(qs(t.text).simplified()), t.name.c_str());
      }
    const std::shared_ptr<const ReviewView> view = review_of(*w, m.candidate).value();
    FactsView facts;
    facts.resize(500, 800);
    facts.show_html(history_html(*view));
    (void)facts.grab();
    has_nothing_foreign(facts.document());
    QVERIFY(is_harmless(facts.toPlainText()));
    for (const support::HostileText& t : texts_)
      if (is_comparable(t))
        QVERIFY2(facts.toPlainText().simplified().contains(qs(t.text).simplified()), t.name.c_str());
    test::PanelFixture b;
    QVERIFY(b.open());
    QSignalSpy written(Reviewer::of(b.context), &Reviewer::receipt_exported);
    Reviewer::of(b.context)->export_receipt(*receipt, qs(path("receipt.pdf").string()));
    QSignalSpy problems(Reviewer::of(b.context), &Reviewer::problem);
    QTRY_VERIFY(!written.isEmpty() || !problems.isEmpty());
    QVERIFY2(problems.isEmpty(), problems.isEmpty() ? "" : qPrintable(problems[0][0].toString()));
    QVERIFY(QFile(qs(path("receipt.pdf").string())).size() > 10000);
  }

  void codeShowsCharactersThatHideOrReorder() {
    QCOMPARE(with_invisible_shown(QString::fromUtf8("a\u202eb\U000e0041c\u00e9")),
             QString::fromUtf8("a\u25afb\u25afc\u00e9"));
    const CodeEditor editor(CodeLanguage::cuda, true);
    const auto shown_as = [&](const char* character) {
      QByteArray name(32, '\0');
      editor.SendScintilla(QsciScintillaBase::SCI_GETREPRESENTATION, character, name.data());
      return QString::fromUtf8(name.constData());
    };
    QCOMPARE(shown_as("\u202e"), QString("U+202E"));
    QCOMPARE(shown_as("\u200b"), QString("U+200B"));
    QCOMPARE(shown_as("\U000e0041"), QString("U+E0041"));
    QCOMPARE(shown_as("\u00e9"), QString());
  }

  void panelsShowTheTextItself() {
    test::PanelFixture b;
    CandidateModel* model = b.show(new CandidatePanel)->model();
    auto* verdict = b.show(new VerdictPanel);
    std::vector<explore::CandidateRow> rows;
    for (const support::HostileText& t : texts_) {
      explore::CandidateRow row;
      row.id = static_cast<std::int64_t>(rows.size()) + 1;
      row.hash = std::string(64, 'a');
      row.title = row.structure = row.verdict = row.generator = t.text;
      row.state = store::CandidateState::rejected;
      rows.push_back(row);
    }
    model->reset(rows);
    (void)b.window.grab();
    all_items_are_harmless(*model, "candidates");
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      auto view = std::make_shared<CandidateView>();
      view->record.id = static_cast<std::int64_t>(i) + 1;
      view->record.title = view->record.summary = texts_[i].text;
      view->record.state = store::CandidateState::rejected;
      evidence::Verdict v;
      v.stages = {{evidence::Stage::compile, evidence::Outcome::failed, texts_[i].text, texts_[i].text, {}, 0}};
      view->record.verdict = v;
      verdict->show_candidate(view);
      (void)b.window.grab();
      has_nothing_foreign(verdict->evidence()->document());
      for (int column = 0; column < model->columnCount(); ++column) {
        const QString tip = model->index(static_cast<int>(i), column).data(Qt::ToolTipRole).toString();
        if (tip.isEmpty()) continue;
        QToolTip::showText(b.window.mapToGlobal(QPoint(9, 9)), tip, &b.window);
        is_tip(tip, texts_[i].name.c_str());
      }
    }
    all_labels_are_plain();
    all_names_are_harmless();
  }

  // Of a stage whose evidence is open its sentence is there once; a verdict of elsewhere says so before its stages.
  void aStagesSentenceIsThereOnce() {
    ReviewView view;
    view.verdict.stages = {{evidence::Stage::compile, evidence::Outcome::passed, "no spills at all", "log", {}, 0}};
    review::Question question;
    question.facts = {{review::Topic::evidence, "compile: passed. no spills at all"}};
    QCOMPARE(facts_html(view, question, {.shown = {0}, .read = {0}, .complete = {}}).string().count("no spills at all"),
             1);
    QVERIFY(facts_html(view, question, {.shown = {0}, .read = {0}, .complete = {}}).string().contains("log"));
    QVERIFY(facts_html(view, question, {}).string().contains("stage:0"));
    // What is opened is below its own line, before the next one: it is in sight where one clicks.
    view.verdict.stages.push_back({evidence::Stage::smoke, evidence::Outcome::passed, "2 cases", "more", {}, 0});
    question.facts.push_back({review::Topic::evidence, "smoke: passed. 2 cases"});
    const QString opened = facts_html(view, question, {.shown = {0}, .read = {0}, .complete = {}}).string();
    const qsizetype compile = opened.indexOf("<b>Compile</b>");
    QVERIFY2(compile > opened.indexOf("close:0") && compile < opened.indexOf("stage:1"), qPrintable(opened));
    view.verdict.stages.pop_back();
    question.facts.pop_back();
    view.imported = true;
    question.facts.insert(question.facts.begin(), {review::Topic::evidence, "Its verdict was imported"});
    const QString html = facts_html(view, question, {}).string();
    QVERIFY(html.count("stage:") == 1 && html.indexOf("stage:0") > html.indexOf("no spills at all"));
  }

  void rightToLeftLettersStay() {
    const std::string honest = "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 softmax";
    QCOMPARE(qs(honest), QString::fromUtf8(honest.c_str()));
    QCOMPARE(harmless(exact(honest)), exact(honest));
    QCOMPARE(Label(exact(honest)).text(), exact(honest));
    QCOMPARE(qs("nice \u202egnp.tpecca"), QString("nice \\u{202e}gnp.tpecca"));
    QCOMPARE(harmless(QString("a\nb\tc\u200f")), QString("a\nb\tc\\u{200f}"));
  }
};

QTEST_MAIN(TextsTest)
#include "texts_test.moc"
