// SPDX-License-Identifier: GPL-3.0-or-later
// The window's parts that need no window: themes, event batches, jobs, models.
#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyle>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <thread>
#include "session/actions/palette.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/search_bar.h"
#include "session/models/candidate_filter.h"
#include "session/models/candidate_model.h"
#include "session/models/log_model.h"
#include "session/event_batch.h"
#include "session/latest_job.h"
#include "session/reader.h"
#include "session/text_kind.h"
#include "parts/theme/text.h"
#include "parts/theme/controls.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/html_view.h"
#include "parts/theme/label.h"
#include "parts/theme/pinned_ends.h"
#include "parts/theme/scroll_anchor.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "panels/verdict/evidence.h"
#include "widgets/audit.h"
#include "widgets/pictures.h"

using namespace ww;
using namespace ww::widgets;

namespace {

// Relative luminance and contrast ratio as WCAG 2.1 defines them.
double luminance(const QColor& c) {
  const auto part = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

explore::CandidateRow row(std::int64_t id, const char* state, std::optional<double> score = {}) {
  explore::CandidateRow r;
  r.id = id;
  r.hash = "hash" + std::to_string(id);
  r.structure = "row-warp";
  r.title = "candidate " + std::to_string(id);
  r.generator = "search";
  r.state = enum_or_unknown<store::CandidateState>(state);
  if (score) r.score = appraisal::Score{*score, Provenance::simulated, "simulated issue slots"};
  return r;
}

std::vector<qlonglong> ids(const CandidateFilter& filter) {
  std::vector<qlonglong> list;
  for (int i = 0; i < filter.rowCount(); ++i)
    list.push_back(filter.index(i, 0).data(CandidateModel::IdRole).toLongLong());
  return list;
}

}  // namespace

class PartsTest : public QObject {
  Q_OBJECT
 private slots:
  // A picture that gets its height late moves nothing of what is read below it.
  void whatIsReadStaysWhilePartsAboveItGrow() {
    QScrollArea area;
    area.setWidgetResizable(true);
    auto* anchor = new ScrollAnchor(&area);
    const auto made = [&] {
      auto* page = new QWidget;
      auto* column = make_column(page, {});
      QList<QWidget*> parts;
      for (int i = 0; i < 6; ++i) {
        parts += new QWidget(page);
        parts.back()->setFixedHeight(200);
        column->addWidget(parts.back());
      }
      area.setWidget(page);
      return parts;
    };
    QList<QWidget*> parts = made();
    area.resize(300, 300);
    area.show();
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    QScrollBar* const bar = area.verticalScrollBar();
    const auto place = [&](int part) { return parts[part]->y() - bar->value(); };
    parts[0]->setFixedHeight(250);
    QTRY_COMPARE(area.widget()->height(), parts[5]->geometry().bottom() + 1);
    QCOMPARE(bar->value(), 0);
    bar->setValue(parts[2]->y() - 40);
    parts[0]->setFixedHeight(500);
    QTRY_COMPARE(area.widget()->height(), parts[5]->geometry().bottom() + 1);
    QCOMPARE(place(2), 40);
    // Of a new page: the part is there before the page is long enough.
    parts = made();
    anchor->hold(parts[3], 50);
    parts[1]->setFixedHeight(300);
    QTRY_COMPARE(place(3), 50);
    bar->setValue(0);
    parts[1]->setFixedHeight(350);
    QTRY_COMPARE(area.widget()->height(), parts[5]->geometry().bottom() + 1);
    QCOMPARE(bar->value(), 0);
  }

  // Text without a frame has the ring around it, not through its letters and icons.
  void theFocusRingIsAroundBareText() {
    QWidget window;
    auto* column = make_column(&window, {20, 20, 20, 20});
    auto* facts = new FactsView(&window);
    facts->show_html(html("<p>%1</p>", QString("words")));
    column->addWidget(facts);
    window.resize(300, 200);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    facts->setFocus();
    const QList<QWidget*> parts = window.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    const auto ring = std::ranges::find_if(parts, [](const QWidget* w) { return w->property("overlay").toBool(); });
    QVERIFY(ring != parts.end() && (*ring)->isVisible());
    QTRY_VERIFY((*ring)->geometry().adjusted(2, 2, -2, -2).contains(facts->geometry()));
    facts->move(facts->pos() + QPoint(0, 30));
    QTRY_VERIFY((*ring)->geometry().adjusted(2, 2, -2, -2).contains(facts->geometry()));
    delete facts;
    QTRY_VERIFY(std::ranges::none_of(window.findChildren<QWidget*>(),
                                     [](const QWidget* w) { return w->property("overlay").toBool(); }));
  }

  void dialogsHaveTheProgramsIcons() {
    for (const char* theme : {"light", "dark"}) {
      QVERIFY(Theme::instance().apply(theme));
      const QMessageBox box(QMessageBox::Warning, "title", "text");
      const std::pair<QImage, const char*> icons[] = {
          {box.iconPixmap().toImage(), "warning"},
          {qApp->style()->standardIcon(QStyle::SP_DirIcon).pixmap(16).toImage(), "text"},
          {qApp->style()->standardIcon(QStyle::SP_TitleBarCloseButton).pixmap(16).toImage(), "text"}};
      for (const auto& [image, token] : icons) {
        int inked = 0;
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x) inked += image.pixelColor(x, y) == Theme::instance().color(token);
        QVERIFY2(inked > 0, token);
      }
      QDialogButtonBox buttons(QDialogButtonBox::Close | QDialogButtonBox::Ok);
      for (const QAbstractButton* button : buttons.buttons()) QVERIFY(button->icon().isNull());
    }
    QVERIFY(Theme::instance().apply("light"));
  }

  // Who holds an icon, a picture or a page keeps it over a change of the theme: each is drawn in the present colours.
  void whatIsHeldFollowsTheTheme() {
    QVERIFY(Theme::instance().apply("light"));
    const QIcon held = Theme::instance().icon("run");
    Label picture;
    picture.set_icon("warning", "warning", 16);
    HtmlView page;
    page.resize(300, 80);
    page.show_html(html("<p style='color:%1'>%2</p>", TrustedHtml::ink("muted"),
                        QString("\x01"
                                "accent\x02 words")));
    const auto has = [](const QImage& image, const QColor& colour) {
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (const QColor c = image.pixelColor(x, y); c.alpha() == 255 && c.rgb() == colour.rgb()) return true;
      return false;
    };
    const auto ink = [&] {
      QTextCursor cursor(page.document());
      cursor.movePosition(QTextCursor::NextCharacter);
      return cursor.charFormat().foreground().color();
    };
    for (const char* theme : {"dark", "high-contrast", "light"}) {
      QVERIFY(Theme::instance().apply(theme));
      const auto colour = [](const char* token) { return Theme::instance().color(token); };
      QVERIFY2(has(held.pixmap(20).toImage(), colour("text")), theme);
      QVERIFY2(has(held.pixmap({20, 20}, QIcon::Disabled).toImage(), colour("disabled")), theme);
      QVERIFY2(has(picture.pixmap().toImage(), colour("warning")), theme);
      QCOMPARE(ink(), colour("muted"));
      QVERIFY2(page.toPlainText().contains("accent") && !page.toPlainText().contains('#'),
               qPrintable(page.toPlainText()));
    }
  }

  void textIsReadableInEveryTheme() {
    for (const QString id : {"light", "dark", "high-contrast"}) {
      QVERIFY2(Theme::instance().apply(id), qPrintable(id));
      const Theme& t = Theme::instance();
      const auto check = [&](const char* ink, const char* paper, double least) {
        const double ratio = contrast(t.color(ink), t.color(paper));
        QVERIFY2(ratio >= least,
                 qPrintable(QString("%1: %2 on %3 has a contrast of %4").arg(id, ink, paper).arg(ratio)));
      };
      for (const char* paper : {"window", "base", "raised", "header", "alternate"})
        for (const char* ink : {"text", "muted", "accepted", "rejected", "warning", "busy"}) check(ink, paper, 4.5);
      for (const char* ink : {"code-text", "code-keyword", "code-type", "code-builtin", "code-number", "code-string",
                              "code-comment", "code-directive", "code-operator", "code-label"})
        check(ink, "code-background", 4.5);
      for (const char* paper : {"diff-added", "diff-removed", "code-fault", "code-current-line"})
        check("code-text", paper, 4.5);
      for (const char* ink : {"meaning-op", "meaning-composition", "meaning-shape", "meaning-dtype", "meaning-axis",
                              "meaning-constant", "meaning-filler", "meaning-unknown"}) {
        check(ink, "base", 4.5);
        check(ink, "window", 4.5);
      }
      check("selection-text", "selection", 4.5);
      check("accent-text", "accent", 4.5);
      check("code-margin-text", "code-margin", 4.0);
      check("focus", "window", 3.0);
      QVERIFY2(!qApp->styleSheet().contains('@'),
               qPrintable(qApp->styleSheet().mid(std::max<qsizetype>(0, qApp->styleSheet().indexOf('@') - 20), 60)));
      QVERIFY(!qApp->styleSheet().contains("#ff00ff"));  // an unknown token
    }
    QVERIFY(!Theme::instance().apply("no such theme"));
    QCOMPARE(Theme::instance().current(), QString("high-contrast"));
  }

  void batchesKeepOrderAndTheLastProgress() {
    EventBatch batch;
    std::vector<explore::Event> got;
    int deliveries = 0;
    connect(&batch, &EventBatch::ready, this, [&](const std::vector<explore::Event>& events) {
      ++deliveries;
      QVERIFY(events.size() <= EventBatch::largest_batch);
      got.insert(got.end(), events.begin(), events.end());
    });
    std::thread run([&] {
      batch.push(explore::RunStarted{7});
      for (int i = 0; i < 500; ++i) batch.push(explore::CandidateProgress{1, {"cases", "", i / 500.0}});
      for (int i = 0; i < 600; ++i) batch.push(explore::CandidateProposed{row(i + 1, "queued")});
      batch.push(explore::RunEnded{7, store::RunState::done, "", 600, 0, 0});
    });
    run.join();
    QTRY_VERIFY(!got.empty() && std::holds_alternative<explore::RunEnded>(got.back()));
    QCOMPARE(got.size(), std::size_t{603});
    QCOMPARE(std::get<explore::CandidateProgress>(got[1]).progress.fraction, 499 / 500.0);
    for (int i = 0; i < 600; ++i)
      QCOMPARE(std::get<explore::CandidateProposed>(got[static_cast<std::size_t>(i) + 2]).row.id, std::int64_t{i + 1});
    QVERIFY(deliveries >= 3);
  }

  void latestJobWins() {
    LatestJob job;
    std::vector<int> delivered;
    std::atomic<bool> go{false}, begun{false};
    job.submit([&]() -> LatestJob::Deliver {
      begun = true;
      while (!go) std::this_thread::yield();
      return [&] { delivered.push_back(1); };
    });
    QTRY_VERIFY(begun);
    for (int i = 2; i <= 9; ++i)
      job.submit([&, i]() -> LatestJob::Deliver { return [&, i] { delivered.push_back(i); }; });
    go = true;
    QTRY_COMPARE(delivered, (std::vector<int>{9}));
    job.submit([&]() -> LatestJob::Deliver { return [&] { delivered.push_back(10); }; });
    job.forget();
    job.submit([&]() -> LatestJob::Deliver { return [&] { delivered.push_back(11); }; });
    QTRY_COMPARE(delivered, (std::vector<int>{9, 11}));
  }

  void tableShowsNoNumberThatIsMissing() {
    CandidateModel model;
    std::vector<explore::Event> events = {
        explore::CandidateProposed{row(1, "queued")}, explore::CandidateProposed{row(2, "queued")},
        explore::CandidateJudged{row(2, "accepted", 120)}, explore::RanksChanged{{{2, 1}}}};
    model.apply(events);
    QCOMPARE(model.rowCount(), 2);
    const auto text = [&](int r, int c) { return model.index(r, c).data().toString(); };
    for (const int c : {CandidateModel::Rank, CandidateModel::Score, CandidateModel::Registers, CandidateModel::Shared,
                        CandidateModel::Occupancy}) {
      QCOMPARE(text(0, c), dash());
      QVERIFY(!model.index(0, c).data(Qt::ToolTipRole).toString().isEmpty());  // says why
    }
    QCOMPARE(text(1, CandidateModel::Rank), QString("1"));
    QCOMPARE(text(1, CandidateModel::Score), QString("120"));
    QCOMPARE(model.headerData(CandidateModel::Score, Qt::Horizontal, Qt::DisplayRole).toString(),
             QString("Cost (simulated)"));
    QCOMPARE(model.accepted(), 1);
    QCOMPARE(model.judged(), 1);
    model.apply({explore::CandidateProgress{1, {"smoke", "case odd", 0.25}}});
    QCOMPARE(model.index(0, 0).data(CandidateModel::StateRole).toInt(),
             static_cast<int>(store::CandidateState::judging));
    QCOMPARE(model.index(0, 0).data(CandidateModel::FractionRole).toDouble(), 0.25);
    model.apply(
        {explore::CandidateProgress{99, {}}, explore::RanksChanged{{{98, 1}}}});  // of another run: nothing happens
    QCOMPARE(model.rowCount(), 2);
  }

  void missingNumbersSortLastBothWays() {
    CandidateModel model;
    model.reset({row(1, "rejected"), row(2, "accepted", 30), row(3, "accepted", 10), row(4, "queued")});
    CandidateFilter filter;
    filter.setSourceModel(&model);
    filter.sort(CandidateModel::Score, Qt::AscendingOrder);
    QCOMPARE(ids(filter).front(), 3);
    QCOMPARE(ids(filter)[1], 2);
    filter.sort(CandidateModel::Score, Qt::DescendingOrder);
    QCOMPARE(ids(filter).front(), 2);
    QCOMPARE(ids(filter)[1], 3);
    filter.set_state("accepted");
    QCOMPARE(filter.rowCount(), 2);
    filter.set_state("open");
    QCOMPARE(ids(filter), std::vector<qlonglong>{4});
    filter.set_state("");
    filter.set_words("candidate 3");
    QCOMPARE(ids(filter), std::vector<qlonglong>{3});
    filter.set_words("no such word");
    QCOMPARE(filter.rowCount(), 0);
  }

  void notJudgedIsAStateOfItsOwn() {
    CandidateModel model;
    explore::CandidateRow late = row(3, "not judged");
    late.verdict = "not judged at smoke: the deadline of 60 s passed";
    model.reset({row(1, "rejected"), row(2, "accepted", 30), late, row(4, "queued")});
    QVERIFY(model.index(2, CandidateModel::Verdict).data().toString().startsWith("Not judged at smoke"));
    QCOMPARE(model.accepted(), 1);
    QVERIFY(state_token(store::CandidateState::not_judged) != state_token(store::CandidateState::rejected));
    QVERIFY(state_icon(store::CandidateState::not_judged) != state_icon(store::CandidateState::rejected));
    CandidateFilter filter;
    filter.setSourceModel(&model);
    filter.set_state("rejected");
    QCOMPARE(ids(filter), std::vector<qlonglong>{1});
    filter.set_state("not judged");
    QCOMPARE(ids(filter), std::vector<qlonglong>{3});
    filter.set_state("");
    filter.set_words("state:not-judged");
    QCOMPARE(ids(filter), std::vector<qlonglong>{3});
  }

  void aLowPanelScrollsInOnePlace() {
    PinnedEnds ends(nullptr, "page");
    auto* name = new QLineEdit(&ends);
    auto* sign = new QPushButton("Sign", &ends);
    ends.head()->addWidget(name);
    ends.foot()->addWidget(sign);
    auto* words = new QWidget;
    words->setFixedSize(200, 600);
    ends.page()->addWidget(words);
    ends.resize(300, 400);
    ends.show();
    QVERIFY(QTest::qWaitForWindowActive(&ends));
    const auto scrolled = [&](const QWidget* w) { return ends.area()->widget()->isAncestorOf(w); };
    QVERIFY(ends.pinned() && !scrolled(name) && !scrolled(sign) && scrolled(words));
    QVERIFY(ends.minimumSizeHint().height() < 100);
    name->setFocus();
    ends.resize(300, 180);
    QTRY_VERIFY(!ends.pinned() && scrolled(name) && scrolled(sign));
    QVERIFY(name->isVisible() && name->hasFocus());  // what is typed goes on
    QTRY_VERIFY(sign->mapToGlobal(QPoint()).y() - words->mapToGlobal(QPoint()).y() >= words->height());
    ends.resize(300, 400);
    QTRY_VERIFY(ends.pinned() && !scrolled(name) && !scrolled(sign) && name->hasFocus());
    QTRY_VERIFY(name->y() < ends.area()->y() && ends.area()->y() < sign->mapTo(&ends, QPoint()).y());
  }

  // Headings and code grow with the text when the zoom changes, also after the text was shown.
  void markdownFollowsTheFont() {
    FactsView facts;
    facts.show_markdown("# Head\n\nText and `code`.\n");
    const auto sizes = [&] {
      QMap<QString, double> all;
      for (QTextBlock block = facts.document()->begin(); block.isValid(); block = block.next())
        for (auto at = block.begin(); !at.atEnd(); ++at) {
          const QFont font = at.fragment().charFormat().font().resolve(facts.document()->defaultFont());
          all[at.fragment().text().trimmed()] = font.pointSizeF();
        }
      return all;
    };
    const auto zoomed = [&](double points) {
      QFont font = facts.font();
      font.setPointSizeF(points);
      facts.setFont(font);
      emit Theme::instance().changed();
      return sizes();
    };
    const auto small = zoomed(10), large = zoomed(20);
    QCOMPARE(small["code"], 10.0);
    QVERIFY(small["Head"] > 10);
    QCOMPARE(large["code"], 20.0);
    QCOMPARE(large["Head"], 2 * small["Head"]);
    QCOMPARE(facts.toPlainText(), QString("Head\nText and code."));
  }

  void logKeepsTheNewest() {
    LogModel log;
    QList<LogModel::Line> lines;
    for (int i = 0; i < LogModel::capacity - 10; ++i)
      lines.append({QTime(12, 0), store::MessageLevel::info, QString::number(i)});
    log.add(lines);
    log.add(lines);
    QCOMPARE(log.rowCount(), LogModel::capacity);
    QCOMPARE(log.index(log.rowCount() - 1, 1).data().toString(), QString::number(LogModel::capacity - 11));
  }

  void evidenceIsEscaped() {
    evidence::StageResult stage;
    stage.stage = evidence::Stage::compile;
    stage.outcome = evidence::Outcome::failed;
    stage.message = "<b>refused</b>";
    stage.detail = "vector<float> & more";
    const QString html = stage_evidence(stage).string();
    QVERIFY(html.contains("&lt;b&gt;refused"));
    QVERIFY(html.contains("vector&lt;float&gt; &amp; more"));
  }

  void specTextIsToldFromSentences() {
    QVERIFY(text_kind("op relu(x: f32[N]) -> y: f32[N] {}") == TextKind::spec);
    QVERIFY(text_kind("  //@ phrases: relu\nop relu(") == TextKind::spec);
    QVERIFY(text_kind("op that adds two vectors") == TextKind::sentence);
    QVERIFY(text_kind("softmax of 512 rows") == TextKind::sentence);
  }

  void paletteFindsByLetters() {
    QVERIFY(fuzzy_score("expl", "Run: Explore") > fuzzy_score("expl", "Code: Next example"));
    QVERIFY(fuzzy_score("rune", "Run: Explore") > 0);
    QCOMPARE(fuzzy_score("xyz", "Run: Explore"), 0);
  }

  void longTextsArriveInSlices() {
    CodeEditor editor(CodeLanguage::ptx, true);
    QString text;
    for (int i = 0; i < 100000; ++i) text += "\tfma.rn.f32 \t%f1, %f2, %f3, %f4; // " + QString::number(i) + "\n";
    QSignalSpy complete(&editor, &CodeEditor::text_complete);
    editor.set_code(text);
    QVERIFY(!editor.complete());
    QTRY_COMPARE(complete.count(), 1);
    QCOMPARE(editor.lines(), 100001);
    QVERIFY(editor.text() == text);
    QCOMPARE(editor.mark_all({"// 99999"}), 1);
    QVERIFY(editor.find({"// 99999"}, true, true));
    editor.set_code("short");
    QCOMPARE(editor.text(), QString("short"));
    QVERIFY(editor.isReadOnly());
  }

  void editorsFindExpressions() {
    CodeEditor editor(CodeLanguage::cuda, false);
    editor.set_code("float a1 = µ(x);\nFLOAT b22 = y;\n// float\n");
    QCOMPARE(editor.mark_all({"float"}), 3);  // letter case does not count
    QCOMPARE(editor.mark_all({"a.1"}), 0);    // plain words are no expression
    QCOMPARE(editor.mark_all({"\\b[ab]\\d+", true}), 2);
    QVERIFY(editor.find({"^float (\\w+)", true}, true, true));
    QCOMPARE(editor.selectedText(), QString("float a1"));
    QVERIFY(editor.find({"^float (\\w+)", true}, true, false));
    QCOMPARE(editor.selectedText(), QString("FLOAT b22"));  // beyond a letter of two bytes
    QVERIFY(editor.find({"^float (\\w+)", true}, true, false));
    QCOMPARE(editor.selectedText(), QString("float a1"));  // round the end
    QVERIFY(editor.find({"^float (\\w+)", true}, false, false));
    QCOMPARE(editor.selectedText(), QString("FLOAT b22"));
    QVERIFY(!editor.find({"(", true}, true, true));
    QCOMPARE(editor.mark_all({"(", true}), 0);
    QCOMPARE(editor.mark_all({"x*", true}), 1);  // matches of nothing do not count
  }

  void whatIsFoundIsReplaced() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* editor = new CodeEditor(CodeLanguage::cuda, false, &panel);
    SearchBar* bar = new SearchBar([editor] { return editor; }, &panel);
    column->addWidget(editor);
    column->addWidget(bar);
    panel.resize(500, 300);
    panel.show();
    editor->set_code("x[i] = a;\nx[j] = b;\nx[k] = c;\n");
    const auto* words = panel.findChild<QLineEdit*>("search_words");
    auto* with = panel.findChild<QLineEdit*>("replace_words");
    const auto* count = panel.findChild<QLabel*>("search_count");
    bar->open();
    QVERIFY(with->isVisible());
    QTest::keyClicks(const_cast<QLineEdit*>(words), "x[");
    QCOMPARE(count->text(), QString("3 matches"));
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    with->setFocus();
    QTest::keyClicks(with, "y[");
    QTest::keyClick(with, Qt::Key_Return);  // the selected one
    QCOMPARE(editor->text(), QString("y[i] = a;\nx[j] = b;\nx[k] = c;\n"));
    QCOMPARE(count->text(), QString("2 matches"));
    QTest::mouseClick(panel.findChild<QToolButton*>("search_expression"), Qt::LeftButton);
    QVERIFY(count->text() != "2 matches");  // says what is wrong with it
    QTest::mouseClick(panel.findChild<QPushButton*>("replace_all"), Qt::LeftButton);
    QCOMPARE(editor->text(), QString("y[i] = a;\nx[j] = b;\nx[k] = c;\n"));
    const_cast<QLineEdit*>(words)->setText("(\\w)\\[(\\w)\\] = (\\w)");
    with->setText("\\3 = \\1[\\2]\\\\");
    QTest::mouseClick(panel.findChild<QPushButton*>("replace_all"), Qt::LeftButton);
    QCOMPARE(editor->text(), QString("a = y[i]\\;\nb = x[j]\\;\nc = x[k]\\;\n"));
    QCOMPARE(count->text(), QString("3 replaced"));
    editor->undo();  // one step
    QCOMPARE(editor->text(), QString("y[i] = a;\nx[j] = b;\nx[k] = c;\n"));
    editor->setReadOnly(true);
    bar->open();
    QVERIFY(!with->isVisible());
    QCOMPARE(editor->replace_all({"a"}, "b"), 0);
    QTest::keyClick(const_cast<QLineEdit*>(words), Qt::Key_Escape);
    QVERIFY(bar->isHidden());
  }

  void figuresAreOfOneWidth() {
    for (const QString& family : {QString(), QString("system"), QString("No Such Font")}) {
      choose_fonts({family, family});
      QFont font = QApplication::font();
      font.setFamily(text_family());
      const QFontMetricsF metrics(figures_font(font));
      for (const char digit : {'1', '4', '7'})
        QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance('0'));
    }
    choose_fonts({});
  }
  void fourSizesFollowTheApplicationsFont() {
    const QFont before = QApplication::font();
    QLabel label;
    set_type(&label, Type::title);
    QFont doubled = before;
    doubled.setPointSizeF(before.pointSizeF() * 2);
    QApplication::setFont(doubled);
    Theme::instance().restyle();
    QCOMPARE(label.font().pointSizeF(), doubled.pointSizeF() * type_factor(Type::title));
    QVERIFY(type_font(Type::small).pointSizeF() < doubled.pointSizeF());
    QVERIFY(type_font(Type::display).pointSizeF() > label.font().pointSizeF());
    QApplication::setFont(before);
  }
  void numbersAsText() {
    QCOMPARE(count_text(1234567), QString("1\u202f234\u202f567"));
    QCOMPARE(count_text(0.5), QString("0.5"));
    QCOMPARE(bytes_text(49152), QString("48 KiB"));
    QCOMPARE(seconds_text(0.0001), QString("< 1 ms"));
    QCOMPARE(number_text(std::nan("")), QString("NaN"));
  }

  // What is too long to be pasted leaves the selection that it was to replace.
  void aPasteThatIsRefusedTakesNothing() {
    CodeEditor editor(CodeLanguage::cuda, false);
    editor.setText("int x;");
    editor.show();
    QVERIFY(QTest::qWaitForWindowExposed(&editor));
    const auto paste = [&](const QString& text) {
      QApplication::clipboard()->setText(text);
      editor.selectAll();
      QTest::keySequence(&editor, QKeySequence::Paste);
      return editor.text();
    };
    QCOMPARE(paste(QString(200 * 1024, 'a')), QString("int x;"));
    QCOMPARE(paste("float y;"), QString("float y;"));
  }
};

QTEST_MAIN(PartsTest)
#include "parts_test.moc"
