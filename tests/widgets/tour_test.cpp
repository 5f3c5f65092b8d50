// SPDX-License-Identifier: GPL-3.0-or-later
// The tour on the bundled session, with the engine itself: every step has what it speaks of.
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/code/open_tabs.h"
#include "panels/describe/describe_panel.h"
#include "parts/editor/code_editor.h"
#include "panels/describe/run_form.h"
#include "session/services.h"
#include "session/event_watchdog.h"
#include "session/selection.h"
#include "parts/theme/theme.h"
#include "panels/tour/tour.h"
#include "panels/tour/tour_panel.h"
#include "panels/tour/tour_steps.h"
#include "shell/start/start_page.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "widgets/fake_engine.h"
#include "widgets/own_paths.h"

using namespace ww;
using namespace ww::widgets;

class TourTest : public QObject {
  Q_OBJECT

  // What the tour's texts put in quotation marks, for a person to type.
  static QStringList suggested() {
    QFile file(WW_SOURCE_DIR "/resources/tour/tour.json");
    const auto tour = file.open(QIODevice::ReadOnly) ? read_tour(file.readAll()) : Result<TourSteps>(TourSteps());
    if (!tour) return {};
    static const QRegularExpression quoted("[\"\\x{201c}]([^\"\\x{201c}\\x{201d}]+)[\"\\x{201d}]");
    QStringList found;
    for (const TourStep& step : tour->steps)
      for (const QString& text : {step.text, step.exercise})
        for (const QRegularExpressionMatch& match : quoted.globalMatch(text)) found += match.captured(1);
    return found;
  }

  // A window on a workspace of its own, once it is ready.
  static std::unique_ptr<MainWindow> opened(const Services& services, const QTemporaryDir& folder) {
    auto w = std::make_unique<MainWindow>(services, WindowOptions{.settings_file = folder.filePath("settings.ini"),
                                                                  .workspace = folder.filePath("mine")});
    w->resize(1280, 800);
    w->show();
    [&] { QTRY_VERIFY(w->session()->ready()); }();
    return w;
  }

 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  void everyStepHasWhatItSpeaksOf() {
    QTemporaryDir folder;
    QDir(Tour::folder()).removeRecursively();
    const auto window = opened(Services(), folder);
    MainWindow& w = *window;
    // What the person had in hand before the tour.
    w.describe()->set_sentence("relu of 96x96");
    QTRY_VERIFY(w.describe()->spec_ready() && !w.describe()->pending());
    w.describe()->form()->set_candidates(5);
    const QString spec = w.describe()->spec_text();
    auto* panel = w.findChild<TourPanel*>();
    QVERIFY(panel);
    Tour* tour = panel->tour();
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY2(tour->on(), qPrintable(tour->problem()));
    QCOMPARE(w.docks()->current(), QString("learn"));
    QVERIFY(tour->count() >= 8);
    auto* device = w.findChild<QLabel*>("status_device");  // another machine's
    QTRY_VERIFY2(device->text().startsWith("recorded on cuda:0"), qPrintable(device->text()));
    QCOMPARE(w.findChild<QLabel*>("status_counters")->text(), QString());
    QDir().mkpath(WW_BINARY_DIR "/screenshots");
    for (int i = 0; i < tour->count(); ++i) {
      QCOMPARE(tour->step(), i);
      QTRY_COMPARE(w.session()->shown_run(), std::int64_t{1});
      QTest::qWait(1);
      QTRY_VERIFY2(tour->missing().isEmpty(), qPrintable(tour->current()->title + ": " + tour->missing()));
      QTRY_VERIFY2(!tour->text().contains("not in the shown run"), qPrintable(tour->text()));
      QVERIFY2(!tour->text().contains('{'), qPrintable(tour->text()));
      if (!tour->current()->candidate.isEmpty()) {
        const int row = w.candidates()->model()->row_of(w.selection()->current());
        QVERIFY(row >= 0 &&
                QString::fromStdString(w.candidates()->model()->rows()[static_cast<std::size_t>(row)].data.hash)
                    .startsWith(tour->current()->candidate));
      }
      if (!tour->current()->line_with.isEmpty()) QTRY_VERIFY(w.selection()->line() > 0);
      if (!tour->current()->dock.isEmpty())
        QTRY_VERIFY2(Docks::panel_of(w.dock(tour->current()->dock))->isVisible(), qPrintable(tour->current()->dock));
      QTRY_VERIFY(panel->isVisible());
      if (i == 0 || i == 1 || i == 4 || i == 7) {
        QTest::qWait(400);  // plots and delayed layouts
        QVERIFY(w.grab().save(QString(WW_BINARY_DIR "/screenshots/tour-%1.png").arg(i + 1)));
      }
      if (i + 1 < tour->count()) QTest::keyClick(&w, Qt::Key_Right, Qt::AltModifier);
    }
    QCOMPARE(panel->reached(), tour->count() - 1);
    QTest::keyClick(&w, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(tour->step(), tour->count() - 2);
    panel->findChild<QPushButton*>("tour_skip")->click();
    QVERIFY(!tour->on());
    QTRY_COMPARE(w.session()->folder(), folder.filePath("mine"));
    // The tour leaves nothing behind: text, spec and form are the person's, and a run can begin.
    QCOMPARE(w.describe()->sentence(), QString("relu of 96x96"));
    QCOMPARE(w.describe()->spec_text(), spec);
    QCOMPARE(w.describe()->form()->candidates(), 5);
    QCOMPARE(w.describe()->form()->generator(), std::string("search"));
    QVERIFY(w.describe()->options().binding.symbols.empty());
    QTRY_VERIFY(w.describe()->can_explore());
    const QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    QVERIFY(!settings.value("window/recent").toStringList().join(' ').contains(Tour::folder()));
    QVERIFY(!QDir(Tour::folder()).entryList({"session-*"}, QDir::Dirs).filter(QRegularExpression("part$")).size());
    // Again: it is unpacked already.
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY(tour->on());
    QCOMPARE(tour->step(), 0);
    // The start page is a place of one's own: the way there ends the tour.
    QTest::keyClick(&w, Qt::Key_Home, Qt::AltModifier);
    QVERIFY(!tour->on());
    QVERIFY(w.start_page()->isVisible());
    QTRY_COMPARE(w.session()->folder(), folder.filePath("mine"));
    QTRY_VERIFY(w.session()->ready());
    QVERIFY(w.start_page()->isVisible());
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY(tour->on());
    QCOMPARE(tour->step(), 0);
  }

  void whatTheTourSuggestsIsUnderstood() {
    const QStringList sentences = suggested();
    QVERIFY(!sentences.isEmpty());
    const auto library = op::Library::load(WW_SOURCE_DIR "/resources/ops");
    QVERIFY(library);
    for (const QString& sentence : sentences)
      QVERIFY2(op::understand(*library, sentence.toStdString()).spec, qPrintable(sentence));
  }

  // Its last step ends it: the window is as it was, and what the tour suggested can be run.
  void finishLeavesNothingBehind() {
    QTemporaryDir folder;
    const auto window = opened(test::FakeEngine::services(std::make_shared<test::FakeEngine>()), folder);
    MainWindow& w = *window;
    w.describe()->set_sentence("softmax over the rows of a 96x128 matrix");
    QTRY_VERIFY(w.describe()->can_explore());
    w.describe()->form()->set_candidates(5);
    const QString spec = w.describe()->spec_text();
    auto* panel = w.findChild<TourPanel*>();
    Tour* tour = panel->tour();
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY2(tour->on(), qPrintable(tour->problem()));
    auto *next = panel->findChild<QPushButton*>("tour_next"), *skip = panel->findChild<QPushButton*>("tour_skip");
    for (int i = 0; i + 1 < tour->count(); ++i) {
      QTRY_VERIFY(w.session()->shown_run() == 1 && tour->missing().isEmpty());
      QCOMPARE(next->text(), QString("Next"));
      QVERIFY(skip->isVisible());
      QTest::mouseClick(next, Qt::LeftButton);
      QCOMPARE(tour->step(), i + 1);
    }
    QTRY_COMPARE(next->text(), QString("Finish"));
    QVERIFY(!skip->isVisible());
    QTest::mouseClick(next, Qt::LeftButton);
    QVERIFY(!tour->on());
    QTRY_COMPARE(w.session()->folder(), folder.filePath("mine"));
    QTRY_VERIFY(w.session()->ready() && !w.session()->opening());
    QCOMPARE(w.docks()->current(), QString("explore"));
    QVERIFY(w.dock("tour")->isHidden());
    QCOMPARE(w.session()->shown_run(), std::int64_t{0});
    QCOMPARE(w.candidates()->model()->rowCount(), 0);
    QCOMPARE(w.selection()->current(), std::int64_t{0});
    QCOMPARE(w.selection()->baseline(), std::int64_t{0});
    QVERIFY(w.selection()->compared().isEmpty());
    QCOMPARE(w.describe()->sentence(), QString("softmax over the rows of a 96x128 matrix"));
    QCOMPARE(w.describe()->spec_text(), spec);
    QCOMPARE(w.describe()->form()->candidates(), 5);
    QCOMPARE(w.describe()->form()->generator(), std::string("search"));
    QVERIFY(w.describe()->options().binding.symbols.empty());
    for (const char* action : {"tour.next", "tour.back", "tour.skip"})
      QVERIFY(!w.actions_registry()->action(action)->isEnabled());
    for (const QString& sentence : suggested()) {
      w.describe()->set_sentence(sentence);
      QTRY_VERIFY2(w.describe()->can_explore(), qPrintable(sentence));
    }
    QVERIFY(w.close());
    const QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    QCOMPARE(settings.value("window/workspace").toString(), folder.filePath("mine"));
    QCOMPARE(settings.value("window/run").toLongLong(), 0);
    QVERIFY(!settings.value("window/recent").toStringList().join(' ').contains(Tour::folder()));
  }

  // Space goes on, whatever panel a step shows; the keys are named; the code is as the tour needs it.
  void itIsWatchedWithTheKeyboard() {
    QVERIFY(Theme::instance().apply("light"));
    QTemporaryDir folder;
    const auto engine = std::make_shared<test::FakeEngine>();
    MainWindow w(test::FakeEngine::services(engine),
                 WindowOptions{.settings_file = folder.filePath("settings.ini"), .workspace = folder.filePath("mine")});
    w.resize(1280, 800);
    w.show();
    QTRY_VERIFY(w.session()->ready());
    w.code()->set_pane(CodePanel::ptx_listing, true);
    w.code()->set_pane(CodePanel::cuda, false);
    auto* panel = w.findChild<TourPanel*>();
    Tour* tour = panel->tour();
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY2(tour->on(), qPrintable(tour->problem()));
    auto *next = panel->findChild<QPushButton*>("tour_next"), *back = panel->findChild<QPushButton*>("tour_back");
    const QKeySequence right(Qt::ALT | Qt::Key_Right), left(Qt::ALT | Qt::Key_Left);
    QVERIFY2(next->toolTip().contains(right.toString(QKeySequence::NativeText)), qPrintable(next->toolTip()));
    QVERIFY2(back->toolTip().contains(left.toString(QKeySequence::NativeText)), qPrintable(back->toolTip()));
    for (int i = 0; i + 1 < tour->count(); ++i) {
      QTRY_VERIFY(w.session()->shown_run() == 1 && tour->missing().isEmpty());
      if (!tour->current()->line_with.isEmpty()) {
        QTRY_VERIFY(w.selection()->line() > 0);
        const QString line = w.code()->source()->text(w.selection()->line() - 1);
        QVERIFY2(line.contains("for (") && line.contains("row[c]"), qPrintable(line));  // it loads
      }
      QVERIFY(w.code()->pane(CodePanel::cuda) && !w.code()->pane(CodePanel::ptx_listing));
      QTRY_VERIFY2(next->hasFocus(), qPrintable(tour->current()->title));
      QTest::keyClick(next, i % 2 ? Qt::Key_Space : Qt::Key_Return);
      QTRY_COMPARE(tour->step(), i + 1);
    }
    QTRY_VERIFY(next->hasFocus());
    QTest::keyClick(next, Qt::Key_Space);
    QVERIFY(!tour->on());
    QTRY_COMPARE(w.session()->folder(), folder.filePath("mine"));
    QTRY_VERIFY(w.code()->pane(CodePanel::ptx_listing) && !w.code()->pane(CodePanel::cuda));
    // Closed in the middle of the tour, the person's own arrangement is kept.
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY(tour->on());
    QVERIFY(w.close());
    const QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    QVERIFY(settings.value("code/pane_1").toBool() && !settings.value("code/pane_0").toBool());
  }

  // The tour shows its own session only; the person's work waits and comes back.
  void theWorkOfThePersonIsSetAside() {
    QTemporaryDir folder;
    const auto window = opened(test::FakeEngine::services(std::make_shared<test::FakeEngine>()), folder);
    MainWindow& w = *window;
    w.describe()->set_sentence("softmax");
    w.describe()->form()->set_candidates(6);
    for (int run = 1; run <= 2; ++run) {
      QTRY_VERIFY(w.describe()->can_explore());
      w.findChild<QPushButton*>("explore")->click();
      QTRY_VERIFY(w.session()->shown_run() == run && !w.session()->running() && w.candidates()->model()->judged() == 6);
    }
    const std::int64_t first = w.candidates()->model()->rows().front().data.id;
    auto* filter = w.findChild<QLineEdit*>("filter");
    const QString gpu = QString::fromStdString(w.context().services.gpu->known().front().gpu);
    w.context().services.gpu->choose(gpu);
    const std::string chosen = w.context().services.gpu->chosen();
    QVERIFY(!chosen.empty());
    QVERIFY(w.selection()->compare(first + 1, true) && w.selection()->compare(2, true));
    w.selection()->set_baseline(first + 3);
    const QList<std::int64_t> kept = {first + 1, 2};  // in tabs of the code
    for (const std::int64_t id : kept) w.code()->tabs()->keep(id);
    filter->setText("state:proved");
    const std::int64_t current = w.selection()->current();  // the best one
    QVERIFY(current != 0);
    w.show_dock("advice");
    QTest::qWait(1);
    auto* panel = w.findChild<TourPanel*>();
    Tour* tour = panel->tour();
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY2(tour->on(), qPrintable(tour->problem()));
    for (int i = 0; i < 3; ++i) {
      QTRY_COMPARE(w.session()->shown_run(), std::int64_t{1});
      QTRY_VERIFY2(tour->missing().isEmpty(), qPrintable(tour->missing()));
      QVERIFY(w.selection()->compared().isEmpty());
      QVERIFY(w.code()->tabs()->kept().isEmpty());
      QCOMPARE(w.selection()->baseline(), std::int64_t{0});
      QCOMPARE(filter->text(), QString());
      QVERIFY(w.context().services.gpu->chosen().empty());
      if (i < 2) QTest::keyClick(&w, Qt::Key_Right, Qt::AltModifier);
    }
    QCOMPARE(tour->current()->dock, QString("advice"));
    QWidget* advice = Docks::panel_of(w.dock("advice"));
    const auto says = [&](const char* words) {
      const QList<QLabel*> labels = advice->findChildren<QLabel*>();
      return std::ranges::any_of(labels, [&](const QLabel* l) { return l->isVisible() && l->text().contains(words); });
    };
    QTRY_VERIFY(says("pieces of advice") && !says("Against #"));  // once the profile of the step is read
    panel->findChild<QPushButton*>("tour_skip")->click();
    QTRY_COMPARE(w.session()->folder(), folder.filePath("mine"));
    QTRY_COMPARE(w.session()->shown_run(), std::int64_t{2});
    QTRY_COMPARE(w.selection()->current(), current);
    QCOMPARE(w.selection()->compared(), (QList<std::int64_t>{first + 1, 2}));
    QCOMPARE(w.code()->tabs()->kept(), kept);
    QCOMPARE(w.selection()->baseline(), first + 3);
    QCOMPARE(filter->text(), QString("state:proved"));
    QCOMPARE(w.context().services.gpu->chosen(), chosen);
    // Closed in the middle of the tour, the window opens with the same work.
    w.actions_registry()->action("tour.start")->trigger();
    QTRY_VERIFY(tour->on());
    QVERIFY(w.close());
    const QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    QCOMPARE(settings.value("window/run").toLongLong(), 2);
    QVERIFY(settings.value("window/compared").toString().startsWith(QString("%1 2 ").arg(first + 1)));
    QCOMPARE(settings.value("code/tabs").toMap(),
             (QVariantMap{{folder.filePath("mine"), QString("%1 2").arg(first + 1)}}));
    QCOMPARE(settings.value("window/modelled_gpu").toString().toStdString(), chosen);
  }
};

WW_TEST_WITH_OWN_PATHS(TourTest, WatchdogApplication)
#include "tour_test.moc"
