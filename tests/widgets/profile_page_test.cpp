// SPDX-License-Identifier: GPL-3.0-or-later
// The profile as one page: headlines, changes, provenance, sections that open and close, the search for metrics.
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QToolButton>
#include <QXmlStreamReader>
#include <QtTest>
#include <qcustomplot.h>
#include "panels/profile/profile_page.h"
#include "panels/profile/profile_panel.h"
#include "panels/profile/provenance_badge.h"
#include "session/profile_loader.h"
#include "support/profiles.h"
#include "widgets/known_profiles.h"
#include "parts/theme/elide_label.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;
using profile::Section;

namespace {

struct PageBench : test::KnownProfiles, test::PanelFixture {
  PageBench() : PanelFixture(scripted, services()), loader(services().profile, &session, &selection) {
    auto first = support::measured_view(1);
    first->architecture = "sm_90";
    first->limits = *profile::device_limits("sm_90");
    for (auto& launch : first->launches) launch.occupancy = profile::occupancy(*first->limits, launch.shape);
    first->advice.push_back(
        {"a", "Loads touch too much", "4 of 1.", "Why it costs.", 3, 1.5, Provenance::measured, Section::memory});
    first->advice.push_back({"b", "Warps wait", "6 cycles.", "Why.", 0, 0, Provenance::measured, Section::stalls});
    known = {{1, first}, {2, support::measured_view(2, 24)}, {3, support::simulated_view(3)}, {4, support::bare(4)}};
    context.profiles = &loader;
    window.resize(700, 560);
    page = show(new ProfilePage(context));
  }
  bool choose(std::int64_t candidate, std::int64_t baseline = 0) {
    if (!session.ready() && !open()) return false;
    selection.set_baseline(baseline);
    selection.set_current(candidate);
    return QTest::qWaitFor([&] {
      return !loader.busy() && !loader.profiles().empty() && loader.profiles().front()->record.id == candidate;
    });
  }
  QString text(const char* name) { return child<QLabel>(name)->text(); }
  QScrollBar* bar() { return child<QScrollArea>("profile_area")->verticalScrollBar(); }
  QString against() { return child<ElideLabel>("profile_against")->full_text(); }
  // The words of a section's chart in the order of drawing, as its picture has them.
  QStringList drawn(Section section) {
    ProfilePanel* panel = page->section(section)->panel();
    const QString file = folder.filePath("chart.svg");
    QStringList words;
    if (!panel->save(file).isEmpty()) return words;
    QFile picture(file);
    if (!picture.open(QIODevice::ReadOnly)) return words;
    QXmlStreamReader xml(&picture);
    while (!xml.atEnd())
      if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("text"))
        words += xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
    return words;
  }
  // What stands beside the bar of that row; empty: nothing does.
  QString beside(Section section, const QString& row) {
    const QStringList words = drawn(section);
    const qsizetype at = words.indexOf(row);
    static const QRegularExpression change("^[+\u2212\u00b1\u00d7][0-9.]+( pp| %)?$");
    return at >= 0 && change.match(words.value(at + 2)).hasMatch() ? words[at + 2] : QString();
  }
  void open_all() { QTest::mouseClick(child<QToolButton>("profile_all"), Qt::LeftButton); }
  ProfileLoader loader;
  ProfilePage* page;
};

}  // namespace

class ProfilePageTest : public QObject {
  Q_OBJECT
 private slots:
  void headlinesTellChangeAndProvenance() {
    PageBench b;
    QVERIFY(b.choose(1, 2));
    QTRY_COMPARE(b.text("change_launches"), QString("−40 %"));  // 18 of 30 µs
    QCOMPARE(b.text("value_launches"), QString("18 µs"));
    const auto badge = [&](Section section) {
      return b.page->section(section)->findChild<ProvenanceBadge*>()->provenance();
    };
    QCOMPARE(badge(Section::launches), Provenance::measured);
    QVERIFY(b.choose(3, 2));
    QTRY_COMPARE(badge(Section::memory), Provenance::simulated);
    const auto title = [&] {
      return b.page->section(Section::speed_of_light)->findChild<QToolButton*>("toggle_speed_of_light")->text();
    };
    QCOMPARE(title(), badge(Section::speed_of_light) == Provenance::simulated ? "Simulated cost" : "Speed of light");
    QCOMPARE(b.text("change_memory"), QString());  // nothing simulated is compared with what is measured
    QCOMPARE(b.text("value_stalls"), QString("not known"));
    QVERIFY(b.choose(1, 1));
    QTRY_COMPARE(b.text("value_launches"), QString("18 µs"));
    QVERIFY(!b.child<QLabel>("change_launches")->isVisible());  // it is the baseline itself
    QVERIFY2(b.against().endsWith(" is the baseline"), qPrintable(b.against()));
    QVERIFY(b.choose(9));  // cannot be read
    QTRY_COMPARE(b.text("value_launches"), QString());
    b.selection.clear();
    QTRY_COMPARE(b.text("value_memory"), QString());
  }

  // Each bar has its change against the baseline: percentage points of a share, percent of a count.
  void changesStandBesideTheBars() {
    PageBench b;
    const auto light = [](std::int64_t id, double us, double memory) {
      auto view = std::make_shared<ProfileView>(*support::measured_view(id, us));
      for (auto& kernel : view->counters->kernels)
        kernel.values.push_back({"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", memory});
      view->roofline = profile::Roofline{.flops = 1e6, .bytes_read = 1e6, .bytes_written = 1e6, .unit = "f32"};
      view->roofline->measured.memory_us = 9;
      return view;
    };
    b.known[11] = light(11, 12, 62);  // 18 microseconds: half of what a copy reaches
    auto before = light(12, 24, 70);
    before->counters->kernels[0].values.push_back({"smsp__inst_executed_pipe_fma.sum", "inst", 0});
    for (auto& value : before->counters->kernels[0].values) {
      if (value.name == "smsp__inst_executed_pipe_alu.sum") value.value = 100;  // of both launches 500
      if (value.name.find("stalled_barrier") != std::string::npos) value.value = 13;
    }
    b.known[12] = before;
    b.known[13] = support::simulated_view(13, 1.5);
    b.known[14] = support::simulated_view(14);
    QVERIFY(b.choose(11, 12));
    b.open_all();
    QTRY_COMPARE(b.beside(Section::speed_of_light, "Device memory"), QString("\u22128.0 pp"));
    QCOMPARE(b.beside(Section::speed_of_light, "Useful traffic"), QString("+20 pp"));
    QCOMPARE(b.beside(Section::instructions, "Integer and logic (ALU)"), QString("+60 %"));  // 800, not 500
    const QStringList stalls = b.drawn(Section::stalls);
    QVERIFY2(stalls.filter(QRegularExpression("Global memory  60\\.0 % \\(\\+30 pp\\)")).size() == 1,
             qPrintable(stalls.join("; ")));  // 6 of 20 cycles before
    // Simulated counts against simulated ones.
    QVERIFY(b.choose(13, 14));
    QTRY_COMPARE(b.beside(Section::instructions, "f32"), QString("+50 %"));
    QCOMPARE(b.beside(Section::instructions, "Integer"), QString("\u00b10 %"));
    // What was not measured there has no change; nor has the baseline itself, nor anything without one.
    QVERIFY(b.choose(11, 14));
    QTRY_VERIFY(b.drawn(Section::speed_of_light).contains("Device memory"));
    QTRY_COMPARE(b.beside(Section::speed_of_light, "Device memory"), QString());
    QCOMPARE(b.beside(Section::instructions, "Integer and logic (ALU)"), QString());
    QVERIFY(b.choose(12, 12));
    QTRY_VERIFY(b.drawn(Section::speed_of_light).contains("Device memory"));
    QCOMPARE(b.beside(Section::speed_of_light, "Device memory"), QString());
    QVERIFY(b.choose(11, 12));
    QTRY_COMPARE(b.beside(Section::speed_of_light, "Device memory"), QString("\u22128.0 pp"));
    b.selection.set_baseline(0);
    QTRY_COMPARE(b.beside(Section::speed_of_light, "Device memory"), QString());
  }

  // Numbers of another op, or of the same at another shape, are no reference.
  void aForeignBaselineIsNamedAndGivesNoPercentages() {
    PageBench b;
    auto other = std::make_shared<ProfileView>(*support::measured_view(5, 24));
    auto of_softmax = std::make_shared<ProfileView>(*b.known.at(1));
    of_softmax->record.id = 6;
    of_softmax->record.text = "//@ candidate softmax\n";
    other->record.text = "//@ candidate rmsnorm\n";
    auto small = std::make_shared<ProfileView>(*support::measured_view(7, 24));
    small->case_name = "C = 8, R = 4";
    small->record.text = of_softmax->record.text;
    of_softmax->case_name = "C = 8192, R = 4096";
    b.known[5] = other;
    b.known[6] = of_softmax;
    b.known[7] = small;
    QVERIFY(b.choose(1, 2));
    QTRY_COMPARE(b.text("change_launches"), QString("\u221240 %"));
    QVERIFY(b.choose(6, 5));
    QTRY_VERIFY2(b.against().contains("computes rmsnorm, not softmax"), qPrintable(b.against()));
    QVERIFY(b.against().startsWith("#5"));
    QVERIFY(!b.child<QLabel>("change_launches")->isVisible());
    QVERIFY(b.choose(6, 7));
    QTRY_VERIFY2(b.against().contains("judged at C = 8, R = 4, not at C = 8192, R = 4096"), qPrintable(b.against()));
    QVERIFY(!b.child<QLabel>("change_launches")->isVisible());
    QVERIFY(b.choose(1, 2));
    QTRY_COMPARE(b.text("change_launches"), QString("\u221240 %"));
  }

  // Bars of another op say nothing beside these; another size is drawn, and named.
  void comparedOnesOfAnotherOpAreNotDrawn() {
    PageBench b;
    const auto made = [&](std::int64_t id, const char* op, const char* sizes) {
      auto view = std::make_shared<ProfileView>(*support::measured_view(id, 24));
      view->record.text = std::string("//@ candidate ") + op + "\n";
      view->case_name = sizes;
      b.known[id] = view;
    };
    made(5, "softmax", "C = 8192");
    made(6, "softmax", "C = 8192");
    made(7, "softmax", "C = 16");
    made(8, "rmsnorm", "C = 8192");
    QVERIFY(b.choose(5));
    b.selection.set_places({6, 7, 8});
    const auto* panel = b.page->section(Section::speed_of_light)->panel();
    const auto drawn = [&] {
      QList<std::int64_t> ids;
      for (const auto& view : panel->profiles()) ids.append(view->record.id);
      return ids;
    };
    QTRY_COMPARE(drawn(), (QList<std::int64_t>{5, 6, 7}));
    const QString text = b.text("profile_unlike");
    QVERIFY2(text.contains("#7") && text.contains("judged at C = 16, not at C = 8192"), qPrintable(text));
    QVERIFY2(text.contains("#8") && text.contains("computes rmsnorm, not softmax: it is not drawn"), qPrintable(text));
    QVERIFY(!text.contains("#6") && b.child<QLabel>("profile_unlike")->isVisible());
    b.selection.set_places({6});
    QTRY_VERIFY(!b.child<QLabel>("profile_unlike")->isVisible());
  }

  void badgesDifferInMoreThanColour() {
    const QSet<int> fills = {ProvenanceBadge::fill(Provenance::measured), ProvenanceBadge::fill(Provenance::simulated),
                             ProvenanceBadge::fill(Provenance::modelled)};
    QCOMPARE(fills.size(), 3);
  }

  void sectionsOpenAndAreRemembered() {
    PageBench b;
    QVERIFY(b.choose(1));
    ProfileSection* memory = b.page->section(Section::memory);
    QVERIFY(!memory->expanded() && !memory->panel()->isVisible());
    QSignalSpy changed(b.page, &ProfilePage::sections_changed);
    QTest::mouseClick(b.child<QLabel>("what_memory"), Qt::LeftButton);  // anywhere on the header
    QTRY_VERIFY(memory->panel()->isVisible());
    b.child<QToolButton>("toggle_roofline")->setFocus();
    QTest::keyClick(b.child<QToolButton>("toggle_roofline"), Qt::Key_Space);
    QVERIFY(!b.page->section(Section::roofline)->expanded());
    QCOMPARE(changed.count(), 2);
    QSettings settings(b.folder.filePath("page.ini"), QSettings::IniFormat);
    b.page->save(settings);
    QTest::mouseClick(b.child<QToolButton>("profile_none"), Qt::LeftButton);
    for (const ProfileSection* one : b.page->sections()) QVERIFY(!one->expanded());
    b.page->restore(settings);
    QVERIFY(memory->expanded() && !b.page->section(Section::roofline)->expanded());
    QSignalSpy wanted(b.page, &ProfilePage::panel_wanted);
    QTest::mouseClick(b.child<QToolButton>("open_hot_lines"), Qt::LeftButton);
    QCOMPARE(wanted.first().first().toString(), QString("hot_spots"));
  }

  void onlyThePageScrolls() {
    PageBench b;
    for (const std::int64_t candidate : {1, 3}) {
      QVERIFY(b.choose(candidate));
      QVERIFY(b.selection.compare(2, true));
      b.open_all();
      QTRY_VERIFY(b.bar()->maximum() > 0);
      for (const bool table : {false, true}) {
        for (ProfileSection* one : b.page->sections()) one->panel()->show_table(table);
        QTest::qWait(0);
        for (const QScrollBar* bar : b.page->findChildren<QScrollBar*>())
          if (bar->orientation() == Qt::Vertical && bar->isVisible())
            QVERIFY2(bar == b.bar() || bar->maximum() == 0,
                     qPrintable(bar->parentWidget()->parentWidget()->objectName()));
      }
      for (ProfileSection* one : b.page->sections()) one->panel()->show_table(false);
    }
  }

  void theWheelScrollsThePageOverAPlot() {
    PageBench b;
    QVERIFY(b.choose(1));
    b.open_all();
    QTRY_VERIFY(b.bar()->maximum() > 0);
    auto* plot = b.page->section(Section::occupancy)->findChild<QCustomPlot*>();
    QTRY_VERIFY(plot && plot->isVisible());
    QWheelEvent wheel(QPointF(20, 20), plot->mapToGlobal(QPointF(20, 20)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(plot, &wheel);
    QTRY_VERIFY(b.bar()->value() > 0);
  }

  void metricsAreFoundByName() {
    PageBench b;
    QVERIFY(b.choose(1, 2));
    QTRY_COMPARE(b.text("value_launches"), QString("18 µs"));
    auto* list = b.child<QListWidget>("metric_matches");
    QTest::keyClicks(b.page->search(), "dram");
    QTRY_VERIFY(list->isVisible() && list->count() > 0);
    QVERIFY(b.page->section(Section::memory)->found());
    QVERIFY(!b.page->section(Section::launches)->found());
    while (!list->currentItem()->text().startsWith("Memory")) {
      const int row = list->currentRow();
      QTest::keyClick(b.page->search(), Qt::Key_Down);
      QVERIFY(list->currentRow() > row);
    }
    QTest::keyClick(b.page->search(), Qt::Key_Return);
    QVERIFY(b.page->section(Section::memory)->expanded());
    QTRY_VERIFY(b.page->section(Section::memory)->panel()->visibleRegion().boundingRect().height() > 0);
    b.page->search()->setFocus();
    QTest::keyClick(b.page->search(), Qt::Key_Escape);
    QVERIFY(b.page->search()->text().isEmpty() && !list->isVisible());
    QVERIFY(!b.page->section(Section::memory)->found());
    QTest::keyClicks(b.page->search(), "no such <b>metric</b>");
    QVERIFY(list->isVisible());
    QVERIFY2(list->item(0)->text().contains("No metric"), qPrintable(list->item(0)->text()));
    QTest::keyClick(b.page->search(), Qt::Key_Return);  // goes nowhere
    QVERIFY(list->isVisible());
    for (const ProfileSection* one : b.page->sections()) QVERIFY(!one->found());
  }

  void adviceStandsInItsSection() {
    PageBench b;
    QVERIFY(b.choose(1));
    QTRY_COMPARE(b.text("tips_memory"), QString("1 hint"));
    QVERIFY(!b.child<QLabel>("tips_occupancy")->isVisible());
    QTest::mouseClick(b.child<QToolButton>("toggle_memory"), Qt::LeftButton);
    QSignalSpy line(&b.selection, &Selection::line_chosen);
    auto* jump = b.page->section(Section::memory)->findChild<QPushButton*>("section_line");
    QVERIFY(jump);
    QTest::mouseClick(jump, Qt::LeftButton);
    QCOMPARE(line.first().first().toInt(), 3);
    const auto* text = b.page->section(Section::memory)->findChild<QLabel*>("section_advice");
    QVERIFY2(text->text().contains("4 of 1.") && text->text().contains("1.50"), qPrintable(text->text()));
    QVERIFY(!b.page->section(Section::stalls)->findChild<QPushButton*>("section_line"));
    // A run that got further says so beside the bound.
    std::vector<explore::CandidateRow> rows(2);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].id = static_cast<std::int64_t>(i) + 1;
      rows[i].state = store::CandidateState::accepted;
      rows[i].rank = 2 - static_cast<int>(i);
      rows[i].score =
          appraisal::Score{.value = i == 0 ? 247.0 : 10.0, .provenance = Provenance::measured, .unit = "µs"};
    }
    b.model.reset(rows);
    QVERIFY(b.choose(2) && b.choose(1));
    QTRY_VERIFY2(b.page->section(Section::memory)
                     ->findChild<QLabel*>("section_advice")
                     ->text()
                     .contains("with other changes this run reached 24.7 times"),
                 qPrintable(b.page->section(Section::memory)->findChild<QLabel*>("section_advice")->text()));
  }
};

QTEST_MAIN(ProfilePageTest)
#include "profile_page_test.moc"
