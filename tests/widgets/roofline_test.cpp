// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline's drawing: roofs and points of the caches, labels and their numbers, the element types shown.
#include <QCheckBox>
#include <QLabel>
#include <QTableWidget>
#include <QtTest>
#include <qcustomplot.h>
#include <cmath>
#include "panels/profile/roofline_panel.h"
#include "parts/theme/theme.h"
#include "support/profiles.h"
#include "widgets/known_profiles.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;
using measure::RoofLevel;

namespace {

// In 18 microseconds 360 million f32 operations on 36 MB of the op's own: 20 TFLOP/s at 10 operations per byte.
std::shared_ptr<ProfileView> view_of(std::int64_t id) {
  auto view = support::measured_view(id);
  view->roofline = profile::Roofline{.flops = 360e6, .bytes_read = 24e6, .bytes_written = 12e6, .unit = "f32"};
  for (auto& kernel : view->counters->kernels) {
    kernel.values.push_back({"dram__bytes.sum", "byte", 20e6});
    kernel.values.push_back({"lts__t_sectors.sum", "sector", 1.25e6});  // of 32 bytes
    for (auto& value : kernel.values)
      if (value.name.starts_with("l1tex__t_sectors_pipe_lsu_mem_global_op_")) value.value = 1.25e6;
  }
  view->gpu = profile::DeviceDetails{};
  view->gpu->datasheet = {{"bandwidth", 4.8e12}, {"f32", 67e12}, {"bf16", 989e12}, {"f64", 34e12}};
  view->ceilings = profile::Ceilings{};
  view->ceilings->copy_bandwidth = 4e12;
  view->ceilings->l2_bandwidth = 6.2e12;
  view->ceilings->l1_bandwidth = 31e12;
  view->ceilings->matrix_rate = {{"f32", 51e12}, {"bf16", 700e12}, {"tf32", 400e12}};
  return view;
}

struct Bench : test::PanelFixture {
  Bench() {
    window.resize(900, 560);
    panel = show(new RooflinePanel(context));
  }
  void look_at(const Profiles& profiles) {
    panel->show_profiles(profiles);
    QCoreApplication::processEvents();
    panel->plot()->replot();
  }
  QList<QCPItemText*> labels(bool all = false) const {
    QList<QCPItemText*> list;
    for (int i = 0; i < panel->plot()->itemCount(); ++i)
      if (auto* text = qobject_cast<QCPItemText*>(panel->plot()->item(i)); text && (all || text->visible()))
        list += text;
    return list;
  }
  QStringList words() const {
    QStringList list;
    for (const QCPItemText* label : labels(true)) list += label->text().replace(QChar(0xa0), ' ');
    return list;
  }
  QCPItemText* label(const QString& beginning) const {
    for (QCPItemText* one : labels())
      if (one->text().replace(QChar(0xa0), ' ').startsWith(beginning)) return one;
    return nullptr;
  }
  // Lines along which a rate grows with the intensity: bytes per second of each.
  QList<double> slopes() const {
    QList<double> list;
    for (int i = 0; i < panel->plot()->graphCount(); ++i) {
      const auto data = panel->plot()->graph(i)->data();
      if (data->size() != 2 || data->at(0)->value == data->at(1)->value) continue;
      const double first = data->at(0)->value / data->at(0)->key, last = data->at(1)->value / data->at(1)->key;
      list += std::abs(first / last - 1) < 1e-9 ? first : -1;
    }
    std::sort(list.begin(), list.end());
    return list;
  }
  QList<double> levels() const {  // of the flat lines: operations per second of each
    QList<double> list;
    for (int i = 0; i < panel->plot()->graphCount(); ++i)
      if (const auto data = panel->plot()->graph(i)->data();
          data->size() == 2 && data->at(0)->value == data->at(1)->value)
        list += data->at(0)->value;
    std::sort(list.begin(), list.end());
    return list;
  }
  const RooflinePanel::Shown* point(RoofLevel level, std::int64_t candidate = 1) const {
    for (const RooflinePanel::Shown& p : panel->points())
      if (p.point.level == level && p.candidate == candidate) return &p;
    return nullptr;
  }
  // Around the words of a label, turned as it is.
  static QPolygonF around(const QCPItemText* label) {
    const QFontMetrics metrics(label->font());
    const double width = metrics.horizontalAdvance(label->text()), height = metrics.ascent();
    const QPointF middle = (label->topLeft->pixelPosition() + label->bottomRight->pixelPosition()) / 2;
    return QTransform()
        .translate(middle.x(), middle.y())
        .rotate(label->rotation())
        .map(QPolygonF(QRectF(-width / 2, -height / 2, width, height)));
  }
  // Labels that lie on a marker; empty: none does.
  QStringList covering() const {
    QStringList list;
    for (const QCPItemText* one : labels())
      for (const RooflinePanel::Shown& p : panel->points()) {
        if (!std::isfinite(p.point.rate)) continue;
        const QPointF at = panel->pixel_of(p);
        if (QPolygonF(QRectF(at - QPointF(4, 4), QSizeF(8, 8))).intersects(around(one)))
          list += one->text() + QString(" at %1, %2").arg(at.x()).arg(at.y());
      }
    return list;
  }
  RooflinePanel* panel;
};

}  // namespace

class RooflineTest : public QObject {
  Q_OBJECT
 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  void cachesHaveRoofsAndPoints() {
    Bench b;
    b.look_at({view_of(1)});
    b.picture("roofline-caches");
    QCOMPARE(b.slopes(), (QList<double>{4e12, 4.8e12, 6.2e12, 31e12}));
    for (const char* words : {"memory 4 TB/s, measured", "memory 4.8 TB/s, datasheet", "L2 cache 6.2 TB/s, measured",
                              "L1 cache 31 TB/s, measured"})
      QVERIFY2(b.label(words), qPrintable(QString(words) + " of " + b.words().join("; ")));
    // Each point is at its own bytes, and below the roof of its level.
    QCOMPARE(b.panel->points().size(), std::size_t{4});
    for (const auto& [level, bytes, bandwidth] :
         {std::tuple(RoofLevel::op, 36e6, 4e12), std::tuple(RoofLevel::dram, 40e6, 4e12),
          std::tuple(RoofLevel::l2, 80e6, 6.2e12), std::tuple(RoofLevel::l1, 160e6, 31e12)}) {
      const auto* p = b.point(level);
      QVERIFY(p);
      QCOMPARE(p->point.intensity, 360e6 / bytes);
      QCOMPARE(p->point.rate, 20e12);
      QVERIFY(p->point.rate <= bandwidth * p->point.intensity);
      const QPointF at = b.panel->pixel_of(*p);
      QVERIFY(b.panel->plot()->axisRect()->rect().contains(at.toPoint()));
      QTest::mouseClick(b.panel->plot(), Qt::LeftButton, {}, at.toPoint());
      const QString said = b.child<QLabel>("roofline_details")->text().replace(QChar(0xa0), ' ');
      QVERIFY2(said.contains(QString::number(360e6 / bytes, 'g', 3) + " operations per byte") &&
                   said.contains("20 TFLOP/s"),
               qPrintable(said));
      QVERIFY2(said.contains(QString::fromStdString(measure::level_name(level))), qPrintable(said));
    }
    for (const char* words : {"DRAM", "L2", "L1"}) QVERIFY2(b.words().contains(words), words);
    QVERIFY2(!b.panel->sentence().contains("have no points"), qPrintable(b.panel->sentence()));
    // Without the levels only what the op itself needs is there.
    auto* levels = b.child<QCheckBox>("roofline_levels");
    QVERIFY(levels->isVisible());
    levels->click();
    QTRY_COMPARE(b.panel->points().size(), std::size_t{1});
    QCOMPARE(b.slopes(), (QList<double>{4e12, 4.8e12}));
    QVERIFY(!b.words().join("; ").contains("cache"));
    levels->click();
    QTRY_COMPARE(b.panel->points().size(), std::size_t{4});
  }

  void aCacheThatWasNotMeasuredHasNeither() {
    Bench b;
    auto view = view_of(1);
    view->ceilings->l1_bandwidth = profile::unknown;
    b.look_at({view});
    QCOMPARE(b.slopes(), (QList<double>{4e12, 4.8e12, 6.2e12}));
    QVERIFY(b.point(RoofLevel::l2) && !b.point(RoofLevel::l1));
    QVERIFY(!b.words().join("; ").contains("L1"));
    view = view_of(2);
    view->ceilings->l1_bandwidth = view->ceilings->l2_bandwidth = profile::unknown;
    b.look_at({view});
    QCOMPARE(b.slopes(), (QList<double>{4e12, 4.8e12}));
    QVERIFY(!b.point(RoofLevel::l2, 2) && !b.point(RoofLevel::l1, 2) && b.point(RoofLevel::dram, 2));
    QVERIFY2(b.panel->sentence().contains("The L1 and L2 caches have no points"), qPrintable(b.panel->sentence()));
  }

  // A candidate's sign stands at one line only; a line of a memory level has the level's name. All roofs have their
  // labels.
  void withoutTimesLinesAreLabelledOnce() {
    Bench b;
    for (const QSize size : {QSize(900, 560), QSize(560, 420), QSize(1500, 800)})
      for (const int candidates : {1, 2, 3}) {
        b.window.resize(size);
        Profiles list;
        for (int i = 1; i <= candidates; ++i) {
          auto view = std::make_shared<ProfileView>(*support::simulated_view(i, i));
          view->roofline = profile::Roofline{.flops = 360e6, .bytes_read = 24e6, .bytes_written = 12e6, .unit = "f32"};
          view->modelled_gpu = profile::Datasheet{};
          view->modelled_gpu->gpu = "H200";
          view->modelled_gpu->rates = {{"bandwidth", 4.8e12}, {"f32", 67e12}};
          view->record.verdict->metrics->values.emplace_back("global_sectors", 2e6);
          list.push_back(view);
        }
        b.look_at(list);
        QVERIFY(b.point(RoofLevel::counted) && std::isnan(b.point(RoofLevel::counted)->point.rate));
        if (candidates == 2 && size.width() == 900) b.picture("roofline-no-times");
        const QStringList words = b.words();
        QVERIFY2(words.filter(QRegularExpression("^. op$")).size() == candidates, qPrintable(words.join("; ")));
        QCOMPARE(words.filter(QRegularExpression("^. sectors$")).size(), candidates);
        for (const char* roof : {"memory 4.8 TB/s, datasheet", "f32 67 TFLOP/s, datasheet"})
          QVERIFY2(b.label(roof), qPrintable(QString(roof) + " of " + words.join("; ")));
      }
  }

  // Each slope ends where it meets the highest roof of its kind: no slope ends in the air.
  void roofsMeet() {
    Bench b;
    b.look_at({view_of(1)});
    const auto begin = [&](double level) {  // of the flat line at that level
      for (int i = 0; i < b.panel->plot()->graphCount(); ++i)
        if (const auto data = b.panel->plot()->graph(i)->data();
            data->size() == 2 && data->at(0)->value == level && data->at(1)->value == level)
          return data->at(0)->key;
      return 0.0;
    };
    QCOMPARE(begin(51e12), 51e12 / 31e12);
    QVERIFY(b.panel->plot()->xAxis->range().lower < begin(51e12));
    b.child<QCheckBox>("roofline_levels")->click();
    QCOMPARE(begin(51e12), 51e12 / 4e12);
  }

  void onlyTheElementTypeOfTheOpIsDrawn() {
    Bench b;
    b.look_at({view_of(1)});
    QCOMPARE(b.levels(), (QList<double>{51e12, 67e12}));
    QVERIFY2(b.label("f32 51 TFLOP/s, measured") && b.label("f32 67 TFLOP/s, datasheet"),
             qPrintable(b.words().join("; ")));
    for (const char* other : {"bf16", "tf32", "f64"})
      QVERIFY2(b.words().filter(QRegularExpression(QString("\\b%1\\b").arg(other))).isEmpty(), other);
    // The range is of what is drawn: no room is left for rates of other types.
    QVERIFY(b.panel->plot()->yAxis->range().upper < 300e12);
    auto of_bf16 = view_of(2);
    of_bf16->roofline->unit = "bf16";
    b.look_at({of_bf16});
    QCOMPARE(b.levels(), (QList<double>{700e12, 989e12}));
    QVERIFY(b.words().filter("f32").isEmpty());
  }

  // Roofs that are near to each other share a label: it has each name with its own number.
  void aSharedLabelNamesEachValue() {
    Bench b;
    auto view = view_of(1);
    view->roofline->unit = "f64";
    view->ceilings->matrix_rate = {{"f64", 35.5e12}};
    view->gpu->datasheet = {{"bandwidth", 4.8e12}, {"f64", 37.2e12}, {"f64_tensor", 40.1e12}};
    b.look_at({view});
    QCOMPARE(b.levels(), (QList<double>{35.5e12, 37.2e12, 40.1e12}));
    QVERIFY2(b.label("f64 37.2 TFLOP/s, f64 tensor cores 40.1 TFLOP/s, datasheet"), qPrintable(b.words().join("; ")));
    QVERIFY2(b.label("f64 tensor cores 35.5 TFLOP/s, measured"), qPrintable(b.words().join("; ")));
    // Far apart they have one each.
    view = view_of(2);
    view->roofline->unit = "f64";
    view->ceilings->matrix_rate.clear();
    view->gpu->datasheet = {{"bandwidth", 4.8e12}, {"f64", 34e12}, {"f64_tensor", 67e12}};
    b.look_at({view});
    QVERIFY2(b.label("f64 34 TFLOP/s, datasheet") && b.label("f64 tensor cores 67 TFLOP/s, datasheet"),
             qPrintable(b.words().join("; ")));
    // Integer operations are no FLOP.
    view = view_of(3);
    view->roofline->unit = "i8";
    view->ceilings->matrix_rate = {{"i8", 1.4e15}};
    b.look_at({view});
    QVERIFY2(b.label("i8 1.4 POP/s, measured"), qPrintable(b.words().join("; ")));
  }

  void labelsKeepClearOfMeasuredMarkers() {
    Bench b;
    int tried = 0;
    for (const QSize size : {QSize(900, 560), QSize(560, 420), QSize(1500, 800), QSize(1200, 700)}) {
      b.window.resize(size);
      b.look_at({view_of(1)});
      QCOMPARE(b.covering(), QStringList());
      // A marker comes to lie where each of the labels along a slope is: they make room for it. Those of the flat roofs
      // are further to the right than any point.
      QStringList names;
      for (const QCPItemText* one : b.labels())
        if (one->rotation() != 0) names += one->text();
      QVERIFY2(names.size() >= 2, qPrintable(names.join("; ")));
      for (const QString& name : names) {
        b.look_at({view_of(1)});
        QCPItemText* there = b.label(QString(name).replace(QChar(0xa0), ' '));
        QVERIFY2(there, qPrintable(name));
        const QPointF middle = around_middle(there);
        const double intensity = b.panel->plot()->xAxis->pixelToCoord(middle.x()),
                     rate = b.panel->plot()->yAxis->pixelToCoord(middle.y());
        const double least = b.point(RoofLevel::l1)->point.intensity;
        if (intensity < least) continue;  // further to the left than any point
        ++tried;
        auto other = std::make_shared<ProfileView>(*view_of(2));
        other->counters.reset();
        other->cold->median = 360e6 / rate * 1e6;
        other->roofline->bytes_read = 360e6 / intensity;
        other->roofline->bytes_written = 0;
        b.look_at({view_of(1), other});
        const auto* marker = b.point(RoofLevel::op, 2);
        QVERIFY(marker && (b.panel->pixel_of(*marker) - middle).manhattanLength() < 3);  // nothing else moved
        QCOMPARE(b.covering(), QStringList());
      }
    }
    QVERIFY2(tried >= 4, qPrintable(QString::number(tried)));
    // Crowded: eight candidates at nearly the same place.
    Profiles crowd;
    for (int i = 1; i <= 8; ++i) {
      auto one = view_of(i);
      one->cold->median = 18 + i;
      crowd.push_back(one);
    }
    b.look_at(crowd);
    b.picture("roofline-crowded");
    for (const QString& one : b.covering()) QVERIFY2(!one.contains(','), qPrintable(one));
  }

 private:
  static QPointF around_middle(const QCPItemText* label) { return Bench::around(label).boundingRect().center(); }
};

QTEST_MAIN(RooflineTest)
#include "roofline_test.moc"
