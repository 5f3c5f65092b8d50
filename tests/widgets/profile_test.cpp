// SPDX-License-Identifier: GPL-3.0-or-later
// The profiler's panels on numbers that were recorded (fixtures/ say where): read from a workspace by the engine's
// reader, shown, overlaid, asked what-if, exported.
#include <QCheckBox>
#include <QComboBox>
#include <QJsonDocument>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QXmlStreamReader>
#include <QtTest>
#include <QtMath>
#include <qcustomplot.h>
#include <cmath>
#include "measure/metrics.h"
#include "session/metric_texts.h"
#include "panels/profile/occupancy_panel.h"
#include "profile/occupancy_steps.h"
#include "panels/profile/roofline_panel.h"
#include "panels/profile/series_style.h"
#include "panels/profile/speed_of_light_panel.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "widgets/profile_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test::profiles;

class ProfileTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    QVERIFY(Theme::instance().apply("light"));
    QVERIFY(world_.make());
  }

  void whatTheStoreKnowsIsGathered() {
    const Services services;
    const auto workspace = store::Workspace::open(world_.folder.path().toStdString());
    QVERIFY(workspace.has_value());
    const auto view = services.profile(**workspace, world_.gpu[0], nullptr);
    QVERIFY2(view.has_value(), view ? "" : view.error().text().c_str());
    const ProfileView& v = **view;
    QCOMPARE(v.case_name, std::string("C = 8192, R = 8192"));
    QVERIFY(v.cold && v.warm);
    QCOMPARE(v.cold->median, value_of(v.record.verdict->metrics->values, "median_us"));
    QCOMPARE(v.cold->from, std::string("of the run"));
    QVERIFY(has_counters(v) && v.counters_why_not.empty());
    QCOMPARE(counter_of(v, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 8388608.0);
    QVERIFY(std::isnan(counter_of(v, "sm__throughput.avg.pct_of_peak_sustained_elapsed")));  // of the full set
    QVERIFY(std::isnan(simulated_of(v, "global_sectors")));
    QCOMPARE(v.launches.size(), std::size_t{1});
    QCOMPARE(v.launches[0].grid[0], std::int64_t{8192 * 8192 / 256});
    QVERIFY(v.launches[0].occupancy.has_value());
    QVERIFY(v.roofline && v.ceilings);
    // The floor of the run says at which rate it was made: bytes over it.
    const double floor = v.record.verdict->metrics->floor->us;
    QVERIFY(std::abs(v.ceilings->copy_bandwidth - 2.0 * 8192 * 8192 * 4 / floor * 1e6) < 1);
    QVERIFY(std::abs(v.roofline->measured.us - floor) < 1e-6 * floor);
    QVERIFY(!v.gpu->datasheet.empty());
    // The same again where nothing changed.
    QCOMPARE(services.profile(**workspace, world_.gpu[0], *view)->get(), view->get());
    QVERIFY(!services.profile(**workspace, 9999, nullptr));
  }

  void absencesSayWhy() {
    const Services services;
    const auto workspace = store::Workspace::open(world_.folder.path().toStdString());
    const ProfileView v = **services.profile(**workspace, world_.simt[1], nullptr);
    QVERIFY(!has_counters(v) && !v.cold && !v.gpu && !v.ceilings);
    QVERIFY(v.counters_why_not.find("judged on the SIMT machine") != std::string::npos);
    QVERIFY(v.timings_why_not.find("has no clock") != std::string::npos);
    QVERIFY(!v.cost.empty() && v.cost_unit == "simulated issue slots");
    QCOMPARE(v.cost_total, *v.record.score);
    QVERIFY(v.modelled_gpu && v.modelled_gpu->gpu.starts_with("A100"));  // of the run's architecture
    QVERIFY(v.roofline && std::isnan(v.roofline->measured.us));
    const ProfileView q = **services.profile(**workspace, world_.queued, nullptr);
    QVERIFY(q.counters_why_not.find("has not been judged yet") != std::string::npos);
    QVERIFY(!q.launches.empty() && !q.launches[0].occupancy && !q.launches[0].why_not.empty());
  }

  void measurementsOfTheCommandLineAreFound() {
    QVERIFY(world_.measure("relu_h200_compare.json", profile::MeasurementKind::compare, world_.queued));
    QVERIFY(world_.measure("relu_h200_counters.json", profile::MeasurementKind::counters, world_.queued));
    const Services services;
    const auto workspace = store::Workspace::open(world_.folder.path().toStdString());
    const ProfileView v = **services.profile(**workspace, world_.queued, nullptr);
    // Counters of the run's case; times only of another one, which is said.
    QVERIFY(v.counters && v.counters_case.empty());
    QCOMPARE(counter_of(v, "dram__bytes.sum"), 515025920.0);
    QVERIFY(v.cold && v.warm);
    QCOMPARE(v.timings_case, std::string("C = 8192, R = 4096"));
    QCOMPARE(v.cold->samples, 8);
    QVERIFY(v.cold->median > 98 && v.cold->median < 101);
    QCOMPARE(v.roofline->bytes_read, 4096.0 * 8192 * 4);
    QCOMPARE(v.gpu->multiprocessors, 132);
    QVERIFY(v.ceilings->matrix_rate.size() >= 5);
    // They serve other candidates of that GPU, too.
    const ProfileView other = **services.profile(**workspace, world_.gpu[0], nullptr);
    QVERIFY(other.ceilings->matrix_rate.size() >= 5);
  }

  // Measured again after its run, a candidate still has one time: the one it is ranked by.
  void aCandidateHasOneTime() {
    QByteArray again = fixture("relu_h200_compare.json");
    auto opened = store::Workspace::open(world_.folder.path().toStdString());
    QVERIFY(opened.has_value());
    const auto before = (*opened)->candidate(world_.gpu[0]);
    again.replace("22bd6a340761e2269668569ff2a84a00e8b7de52701c45b43a806600bdf4cd6c",
                  QByteArray::fromStdString(before->hash));
    auto j = nlohmann::ordered_json::parse(again.toStdString());
    j["case"]["symbols"]["R"] = 8192;  // the run's case
    QVERIFY(world_.add_measurement(j.dump(), profile::MeasurementKind::compare, world_.gpu[0]));
    const ProfileView v = **Services().profile(**opened, world_.gpu[0], nullptr);
    QVERIFY(!v.measured_later.empty());
    QCOMPARE(v.cold->median, v.record.score.value());
    QVERIFY(std::abs(v.measured_later.front().median - v.cold->median) > 1);
    const QString shown = count_text(*v.record.score);
    for (const measure::ProfileMetric& m : measure::profile_metrics(v))
      if (m.unit == measure::MetricUnit::microseconds && m.title.find("cold") != std::string::npos)
        QCOMPARE(metric_value(m.value, m.unit), shown + " µs");
    Bench<RooflinePanel> roofline(world_);
    QVERIFY(roofline.show(world_.gpu_run, world_.gpu[0]));
    QVERIFY2(roofline.panel->sentence().contains(shown + " µs"), qPrintable(roofline.panel->sentence()));
    Bench<SpeedOfLightPanel> light(world_);
    QVERIFY(light.show(world_.gpu_run, world_.gpu[0]));
    QVERIFY2(light.panel->sentence().contains(shown + " µs"), qPrintable(light.panel->sentence()));
    // The others are said where the pointer asks, with what they are.
    const QString tip = light.child<QLabel>("profile_summary")->toolTip();
    QVERIFY2(tip.startsWith(shown + " µs: median") && tip.contains("measured again, by 'compare'"), qPrintable(tip));
  }

  void speedOfLight() {
    Bench<SpeedOfLightPanel> b(world_);
    QTRY_VERIFY(b.panel->sentence().startsWith("Select a candidate"));
    QVERIFY(b.show(world_.gpu_run, world_.gpu[1], {world_.gpu[0]}));
    QCOMPARE(b.panel->kind(), measure::SpeedOfLightKind::measured);
    QVERIFY2(b.panel->sentence().contains("measured"), qPrintable(b.panel->sentence()));
    QCOMPARE(b.panel->accessibleDescription(), b.panel->sentence());
    picture(b.window, "light-measured");
    const QStringList parts = b.column(1), values = b.column(2), from = b.column(3), remarks = b.column(5);
    const auto row = parts.indexOf("Device memory");
    QVERIFY(row >= 0 && values[row].toDouble() > 50 && from[row] == "measured");
    const auto compute = parts.indexOf("Compute");
    QCOMPARE(values[compute], QString("not measured"));
    QVERIFY(remarks[compute].contains("--counters full"));
    QVERIFY(values[parts.indexOf("Useful traffic")].toDouble() > 80);
    // The toggle by hand, and its key.
    QTest::mouseClick(b.child<QToolButton>("profile_toggle"), Qt::LeftButton);
    QVERIFY(!b.panel->shows_table());
    b.child<QToolButton>("profile_toggle")->setFocus();
    b.registry.action("profile.table")->trigger();
    QTRY_VERIFY(b.panel->shows_table() || !b.window.isActiveWindow());
  }

  void simulatedSharesStayApart() {
    Bench<SpeedOfLightPanel> b(world_);
    QVERIFY(b.show(world_.simt_run, world_.simt[1], {world_.simt[0], world_.gpu[0]}));
    QCOMPARE(b.panel->kind(), measure::SpeedOfLightKind::simulated);
    QVERIFY(b.panel->sentence().contains("not of time"));
    picture(b.window, "light-simulated");
    // Costs, which can be compared; shares of each one's own on demand.
    auto* unit = b.child<QComboBox>("light_unit");
    QVERIFY(unit->isVisibleTo(b.panel));
    QCOMPARE(unit->currentText(), QString("Cost"));
    auto* canvas = const_cast<ChartCanvas*>(b.panel->canvas());
    const QImage costs = canvas->grab().toImage();
    unit->setCurrentIndex(1);
    QTRY_VERIFY(canvas->grab().toImage() != costs);
    picture(b.window, "light-shares");
    unit->setCurrentIndex(0);
    QTRY_COMPARE(canvas->grab().toImage(), costs);
    const QStringList names = b.column(0), values = b.column(2), from = b.column(3);
    double sum = 0;
    for (qsizetype i = 0; i < names.size(); ++i) {
      if (names[i].startsWith("#" + QString::number(world_.simt[1]) + " ")) sum += values[i].toDouble();
      QVERIFY(from[i] == "simulated" || values[i] == "not simulated");
    }
    QVERIFY(std::abs(sum - 100) < 0.1);
    QVERIFY(values.contains("not simulated"));  // of the one that was judged on a GPU
    // There is a choice: the same candidates by what was measured.
    auto* kind = b.child<QComboBox>("light_kind");
    QVERIFY(kind->isVisibleTo(b.panel));
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_Up);
    QTRY_COMPARE(b.panel->kind(), measure::SpeedOfLightKind::measured);
    QVERIFY(b.panel->sentence().contains("SIMT machine"));
  }

  void adviceLeadsToItsLine() {
    Bench<SpeedOfLightPanel> b(world_, {800, 520});
    QSignalSpy chosen(&b.selection, &Selection::line_chosen);
    auto* canvas = const_cast<ChartCanvas*>(b.panel->canvas());
    for (const auto& candidate : world_.simt) {
      QVERIFY(b.show(world_.simt_run, candidate));
      QTRY_VERIFY(!canvas->spots().isEmpty());
      for (const ChartSpot& spot : canvas->spots()) {
        if (spot.key < 0) continue;
        QTest::mouseClick(canvas, Qt::LeftButton, {}, spot.rect.center().toPoint());
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].toInt(), spot.key);
        return;
      }
    }
    QFAIL("none of the candidates has advice with a line");
  }

  void rooflineOfMeasuredCandidates() {
    Bench<RooflinePanel> b(world_);
    QVERIFY(b.show(world_.gpu_run, world_.gpu[1], {world_.gpu[0], world_.queued}));
    QVERIFY2(b.panel->sentence().contains("% of the roof"), qPrintable(b.panel->sentence()));
    picture(b.window, "roofline-measured");
    // Own points of three candidates, and levels of those whose counters are of the same case.
    int own = 0, levels = 0;
    for (const auto& p : b.panel->points()) {
      (p.point.level == measure::RoofLevel::op ? own : levels) += 1;
      if (p.point.level == measure::RoofLevel::op) QVERIFY(std::abs(p.point.intensity - 0.125) < 1e-9);
      if (p.candidate == world_.queued)
        QVERIFY(p.point.level == measure::RoofLevel::op);  // times and counters of two cases do not go together
    }
    QCOMPARE(own, 3);
    QCOMPARE(levels, 2);  // those of device memory: the caches have no known roof
    QTest::mouseClick(b.child<QCheckBox>("roofline_levels"), Qt::LeftButton, {},
                      QPoint(8, b.child<QCheckBox>("roofline_levels")->height() / 2));
    QTRY_COMPARE(b.panel->points().size(), std::size_t{3});
    // A click chooses, Enter makes it the current one.
    b.panel->plot()->replot();
    const auto third = std::find_if(b.panel->points().begin(), b.panel->points().end(),
                                    [&](const auto& p) { return p.candidate == world_.queued; });
    const auto second = std::find_if(b.panel->points().begin(), b.panel->points().end(),
                                     [&](const auto& p) { return p.candidate == world_.gpu[0]; });
    const QPointF at = b.panel->pixel_of(*third);  // another point may be less than a pixel away: from its far side
    const double away = at.y() < b.panel->pixel_of(*second).y() ? -4 : 4;
    QTest::mouseClick(b.panel->plot(), Qt::LeftButton, {}, (at + QPointF(0, away)).toPoint());
    QVERIFY(b.panel->chosen() >= 0);
    QVERIFY2(b.child<QLabel>("roofline_details")->text().contains("One thread per element"),
             qPrintable(b.child<QLabel>("roofline_details")->text()));
    QTest::keyClick(b.panel->plot(), Qt::Key_Return);
    QCOMPARE(b.selection.current(), world_.queued);
    QVERIFY(QTest::qWaitFor([&] { return b.panel->profiles().front()->record.id == world_.queued; }));
    QVERIFY2(b.panel->sentence().contains("not the run's"), qPrintable(b.panel->sentence()));
    // Arrow keys, past both ends.
    for (int i = 0; i < 5; ++i) QTest::keyClick(b.panel->plot(), Qt::Key_Right);
    QCOMPARE(b.panel->chosen(), static_cast<int>(b.panel->points().size()) - 1);
    for (int i = 0; i < 5; ++i) QTest::keyClick(b.panel->plot(), Qt::Key_Left);
    QCOMPARE(b.panel->chosen(), 0);
    const QStringList what = b.column(0), from = b.column(6);
    QVERIFY(from[what.indexOf("Ceiling: memory")] == "measured");
    QVERIFY(what.contains("Ceiling: bf16") && from.contains("datasheet"));
  }

  void rooflineWithoutMeasurements() {
    Bench<RooflinePanel> b(world_);
    QVERIFY(b.show(world_.simt_run, world_.simt[1], {world_.simt[0]}));
    QVERIFY(b.panel->sentence().contains("modelled"));
    QVERIFY(b.panel->sentence().contains("not measured"));
    QVERIFY(b.panel->sentence().contains("datasheet"));
    picture(b.window, "roofline-simulated");
    // The label of the memory's roof lies along it, clear of the vertical lines.
    b.panel->plot()->replot();
    QCPItemText* memory = nullptr;
    for (int i = 0; i < b.panel->plot()->itemCount(); ++i)
      if (auto* text = qobject_cast<QCPItemText*>(b.panel->plot()->item(i)); text && text->text().startsWith("memory "))
        memory = text;
    QVERIFY(memory && memory->visible());
    const QPointF middle = memory->position->pixelPosition();
    double turned = 0, away = 1e9;
    for (int i = 0; i < b.panel->plot()->graphCount(); ++i) {
      const auto data = b.panel->plot()->graph(i)->data();
      if (data->size() != 2 || data->at(0)->value >= data->at(1)->value) continue;
      const QPointF from(b.panel->plot()->xAxis->coordToPixel(data->at(0)->key),
                         b.panel->plot()->yAxis->coordToPixel(data->at(0)->value)),
          to(b.panel->plot()->xAxis->coordToPixel(data->at(1)->key),
             b.panel->plot()->yAxis->coordToPixel(data->at(1)->value));
      const QLineF roof(from, to);
      away = std::abs((middle.x() - from.x()) * roof.dy() - (middle.y() - from.y()) * roof.dx()) / roof.length();
      turned = -roof.angle();
    }
    QVERIFY2(away < 6, qPrintable(QString::number(away)));
    QCOMPARE(memory->rotation(), turned);
    const double half =
        QFontMetrics(memory->font()).horizontalAdvance(memory->text()) / 2.0 * std::cos(qDegreesToRadians(turned));
    for (const auto& p : b.panel->points()) QVERIFY(std::abs(b.panel->pixel_of(p).x() - middle.x()) > half);
    for (const auto& p : b.panel->points()) QVERIFY(std::isnan(p.point.rate));
    QVERIFY2(b.panel->sentence().contains("A100"), qPrintable(b.panel->sentence()));
    b.services.gpu->choose("L4");
    QTRY_VERIFY2(b.panel->sentence().contains("those of the L4's datasheet"), qPrintable(b.panel->sentence()));
    QCOMPARE(b.column(3).first(), QString("not measured"));
  }

  // Launch, occupancy and advice are of the chosen GPU; what was measured stays that of its own.
  void oneGpuIsModelled() {
    Bench<OccupancyPanel> b(world_);
    QVERIFY(b.show(world_.simt_run, world_.simt[1]));
    QVERIFY2(b.panel->sentence().contains("modelled for A100"), qPrintable(b.panel->sentence()));
    b.services.gpu->choose("H200 SXM");
    QTRY_VERIFY2(b.panel->sentence().contains("modelled for H200 SXM, sm_90"), qPrintable(b.panel->sentence()));
    QVERIFY2(b.panel->sentence().contains("Registers as compiled for sm_80"), qPrintable(b.panel->sentence()));
    QCOMPARE(b.panel->profiles().front()->limits->architecture, std::string("sm_90"));
    for (const profile::Advice& a : b.panel->profiles().front()->advice)
      QVERIFY2(a.evidence.find("A100") == std::string::npos, a.evidence.c_str());
    QVERIFY(b.show(world_.gpu_run, world_.gpu[1]));
    b.services.gpu->choose("L4");
    QTest::qWait(0);
    QTRY_VERIFY(!b.loader.busy());
    QVERIFY2(b.panel->sentence().contains("modelled for sm_90"), qPrintable(b.panel->sentence()));
  }

  void nextStepsAreTheSmallestThatHelp() {
    const auto sm90 = *profile::device_limits("sm_90");
    const profile::KernelShape shape{256, 40, 0, 0};
    const auto now = profile::occupancy(sm90, shape);
    const auto steps = profile::next_steps(sm90, shape);
    QVERIFY(!steps.empty());
    QCOMPARE(steps.front().quantity, profile::OccupancyLimit::registers);
    // One register more would not do, and what is said is what the model says.
    profile::KernelShape almost = shape;
    almost.registers = static_cast<int>(steps.front().to) + 1;
    QCOMPARE(profile::occupancy(sm90, almost).warps, now.warps);
    almost.registers = static_cast<int>(steps.front().to);
    QCOMPARE(profile::occupancy(sm90, almost).warps, steps.front().after.warps);
    QVERIFY(steps.front().after.warps > now.warps);
    QVERIFY(profile::step_text(steps.front()).find("fewer registers") != std::string::npos);
    const profile::KernelShape roomy{256, 16, 60000, 0};
    const auto shared = profile::next_steps(sm90, roomy);
    QVERIFY(!shared.empty() && shared.front().quantity == profile::OccupancyLimit::shared_memory);
    QCOMPARE(profile::occupancy(sm90, {256, 16, 0, shared.front().to}).warps, shared.front().after.warps);
    QCOMPARE(profile::occupancy(sm90, {256, 16, 0, shared.front().to + 1}).warps, shared.front().before.warps);
    QVERIFY(profile::next_steps(sm90, {256, 32, 0, 0}).empty());     // full
    const auto none = profile::next_steps(sm90, {1024, 255, 0, 0});  // does not fit at all
    QVERIFY(!none.empty() && none.front().before.blocks == 0);
  }

  void occupancyAnswersWhatIf() {
    Bench<OccupancyPanel> b(world_);
    QVERIFY(b.show(world_.gpu_run, world_.gpu[1], {world_.gpu[0]}));
    QVERIFY2(b.panel->sentence().contains("100 % occupancy, limited by block size"), qPrintable(b.panel->sentence()));
    QVERIFY(b.panel->sentence().contains("modelled for sm_90"));
    QVERIFY(b.panel->sentence().contains("Achieved"));
    QVERIFY(b.panel->what_if().startsWith("What if?"));
    QVERIFY(!b.child<QToolButton>("occupancy_reset")->isEnabled());
    auto* registers = b.child<QSpinBox>("occupancy_spin_0");
    registers->setFocus();
    registers->selectAll();
    QTest::keyClicks(registers, "64");
    QTRY_VERIFY2(b.panel->what_if().contains("What if: 50 % occupancy, limited by registers"),
                 qPrintable(b.panel->what_if()));
    QVERIFY(b.panel->what_if().contains("per thread"));
    QCOMPARE(b.child<QSlider>("occupancy_slider_0")->value(), 64);
    picture(b.window, "occupancy-what-if");
    QVERIFY(b.panel->csv().contains("What if"));
    auto* shared = b.child<QSlider>("occupancy_slider_2");
    shared->setFocus();
    QTest::keyClick(shared, Qt::Key_End);
    QVERIFY2(b.panel->what_if().contains("limited by shared memory"), qPrintable(b.panel->what_if()));
    QTest::mouseClick(b.child<QToolButton>("occupancy_reset"), Qt::LeftButton);
    QVERIFY(b.panel->what_if().startsWith("What if?"));
    QCOMPARE(b.panel->shape().registers, b.panel->profiles().front()->launches[0].shape.registers);
    // What was not compiled has none, and says why.
    QVERIFY(b.show(world_.gpu_run, world_.queued));
    QVERIFY2(b.panel->sentence().contains("no occupancy to show"), qPrintable(b.panel->sentence()));
    QVERIFY(b.panel->csv().isEmpty());
  }

  void exports() {
    Bench<RooflinePanel> b(world_);
    QVERIFY(!b.panel->save(world_.folder.path() + "/none.png").isEmpty());  // nothing is selected
    QVERIFY(b.show(world_.gpu_run, world_.gpu[1], {world_.gpu[0]}));
    const QString base = world_.folder.path() + "/roofline";
    QCOMPARE(b.panel->save(base + ".csv"), QString());
    QCOMPARE(b.panel->save(base + ".png"), QString());
    QCOMPARE(b.panel->save(base + ".svg"), QString());
    QVERIFY(!b.panel->save("/nowhere/at/all.svg").isEmpty());
    QFile csv(base + ".csv");
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(csv.readAll());
    QVERIFY(text.startsWith("What,Bytes of,"));
    QVERIFY(text.contains("Provenance"));
    QImage image(base + ".png");
    QVERIFY(image.width() > 1000 && image.height() > 600);
    QFile svg(base + ".svg");
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray drawn = svg.readAll();
    QXmlStreamReader xml(drawn);
    while (!xml.atEnd()) xml.readNext();
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(drawn.contains("datasheet") && drawn.contains("operations per byte"));
    const QString pictures = qEnvironmentVariable("WARPWRIGHT_PICTURES");
    if (!pictures.isEmpty())
      QFile::copy(base + ".png", pictures + "/export.png"), QFile::copy(base + ".svg", pictures + "/export.svg");
  }

  void eightAreToldApart() {
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      QVERIFY(Theme::instance().apply(theme));
      const QColor base = Theme::instance().color("base");
      const auto luminance = [](const QColor& c) {
        const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
      };
      QSet<QString> looks;
      for (int i = 0; i < most_series; ++i) {
        const SeriesStyle style = series_style(i);
        const double a = luminance(style.color), c = luminance(base);
        QVERIFY2((std::max(a, c) + 0.05) / (std::min(a, c) + 0.05) >= 4.5,
                 qPrintable(QString(theme) + " series " + series_letter(i)));
        QString dashes;
        for (const qreal d : style.pen.dashPattern()) dashes += QString::number(d) + " ";
        looks.insert(QString::number(style.marker.shape()) + dashes);
      }
      QCOMPARE(looks.size(), most_series);
    }
    QVERIFY(Theme::instance().apply("dark"));
    Bench<RooflinePanel> roofline(world_);
    QVERIFY(
        roofline.show(world_.gpu_run, world_.gpu[0], {world_.gpu[1], world_.queued, world_.simt[0], world_.simt[1]}));
    picture(roofline.window, "roofline-dark");
    Bench<OccupancyPanel> occupancy(world_);
    QVERIFY(occupancy.show(world_.gpu_run, world_.gpu[0], {world_.gpu[1], world_.simt[1]}));
    picture(occupancy.window, "occupancy-dark");
    QTRY_COMPARE(occupancy.panel->profiles().size(), std::size_t{3});
    Bench<SpeedOfLightPanel> light(world_);
    QVERIFY(light.show(world_.gpu_run, world_.gpu[0], {world_.gpu[1]}));
    picture(light.window, "light-dark");
    QVERIFY(Theme::instance().apply("light"));
  }

  void brokenMeasurementsAreLeftOut() {
    auto opened = store::Workspace::open(world_.folder.path().toStdString());
    QVERIFY(opened.has_value());
    for (const char* json :
         {"", "[]", "{\"raw\": 3, \"device\": {\"gpu\": 7}}",
          "{\"case\": {\"symbols\": {\"R\": \"x\"}}, \"raw\": [1, {}], \"counters\": {\"kernels\": 1}}"})
      QVERIFY(world_.add_measurement(json, profile::MeasurementKind::time, world_.gpu[0]));
    const auto view = Services().profile(**opened, world_.gpu[0], nullptr);
    QVERIFY(view.has_value());
    QCOMPARE((*view)->cold->from, std::string("of the run"));
  }

 private:
  World world_;
};

QTEST_MAIN(ProfileTest)
#include "profile_test.moc"
