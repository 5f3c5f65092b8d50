// SPDX-License-Identifier: GPL-3.0-or-later
// The Pareto plot: two metrics of a run's candidates, and those that nobody beats. Driven as a person does, with an
// engine that follows a script.
#include <QComboBox>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <map>
#include <random>
#include <set>
#include "panels/plots/pareto.h"
#include "panels/plots/pareto_panel.h"
#include "parts/theme/theme.h"
#include "widgets/exploration_bench.h"
#include <qcustomplot.h>

using namespace ww;
using namespace ww::widgets;
using test::Bench;

class ParetoTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  void frontIsWhatNobodyBeats() {
    QVERIFY(pareto_front({}, false, false).empty());
    QCOMPARE(pareto_front({{1, 5}, {2, 3}, {3, 4}, {4, 1}}, false, false), (std::vector<int>{0, 1, 3}));
    QCOMPARE(pareto_front({{1, 5}, {2, 3}, {3, 4}, {4, 1}}, true, true), (std::vector<int>{0, 2, 3}));
    QCOMPARE(pareto_front({{1, 5}, {1, 5}, {1, 6}, {0, 9}}, false, false), (std::vector<int>{3, 0, 1}));
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
      std::vector<QPointF> points;
      for (int i = 0; i < 40; ++i)
        points.emplace_back(static_cast<int>(random() % 12), static_cast<int>(random() % 12));
      const bool hx = round & 1, hy = round & 2;
      std::set<int> expected;
      for (int i = 0; i < 40; ++i) {
        bool beaten = false;
        for (const QPointF& q : points) {
          const double dx = (hx ? -1 : 1) * (q.x() - points[static_cast<std::size_t>(i)].x()),
                       dy = (hy ? -1 : 1) * (q.y() - points[static_cast<std::size_t>(i)].y());
          beaten |= dx <= 0 && dy <= 0 && (dx < 0 || dy < 0);
        }
        if (!beaten) expected.insert(i);
      }
      const auto front = pareto_front(points, hx, hy);
      QCOMPARE(std::set<int>(front.begin(), front.end()), expected);
    }
  }

  void numbersOfALowPlotDoNotOverlap() {
    Bench bench;
    QVERIFY(bench.open());
    auto* panel = bench.show<ParetoPanel>();
    QVERIFY(bench.session.explore(bench.options(6)));
    QTRY_VERIFY(!bench.session.running() && !panel->points().empty());
    QCPAxis* axis = panel->plot()->yAxis;
    const auto fits = [&] {
      const double line = QFontMetricsF(axis->tickLabelFont()).height();
      return axis->ticker()->tickCount() * line <= std::max(line, axis->axisRect()->rect().height() * 1.0);
    };
    for (const int height : {700, 220, 260, 700}) {
      panel->resize(600, height);
      QTRY_VERIFY2(fits(), qPrintable(QString::number(height)));
    }
    QTRY_COMPARE(axis->ticker()->tickCount(), 5);
  }

  void paretoShowsTwoMetricsOfARun() {
    Bench bench;
    QVERIFY(bench.open());
    auto* panel = bench.show<ParetoPanel>();
    QVERIFY(panel->points().empty());
    QVERIFY(bench.session.explore(bench.options(6)));
    QTRY_VERIFY(!bench.session.running());
    QTRY_COMPARE(panel->points().size(), std::size_t{3});
    auto* x = panel->findChild<QComboBox*>("pareto_x");
    auto* y = panel->findChild<QComboBox*>("pareto_y");
    QVERIFY(x->currentText().contains("simulated"));
    QVERIFY(y->currentText().contains("modelled"));
    for (int i = 0; i < x->count(); ++i)  // each says where it comes from
      QVERIFY2(x->itemText(i).contains("simulated") || x->itemText(i).contains("modelled") ||
                   x->itemText(i).contains("measured"),
               qPrintable(x->itemText(i)));
    QVERIFY(!panel->front().isEmpty());
    QVERIFY(panel->summary().contains("on the front"));
    // A click on a point selects it.
    const ParetoPanel::Point& p = panel->points().back();
    const QPoint at(static_cast<int>(panel->plot()->xAxis->coordToPixel(p.x)),
                    static_cast<int>(panel->plot()->yAxis->coordToPixel(p.y)));
    QTest::mouseClick(panel->plot(), Qt::LeftButton, {}, at);
    QCOMPARE(bench.selection.current(), p.id);
    QTest::keyClick(panel->plot(), Qt::Key_Left);
    QVERIFY(bench.selection.current() != p.id);
    QTest::keyClick(panel->plot(), Qt::Key_Return);
    QCOMPARE(bench.went, QStringList{"go.code"});
    // A box zooms, a double click shows all again.
    const QCPRange all = panel->plot()->xAxis->range();
    QTest::mousePress(panel->plot(), Qt::LeftButton, {}, {200, 60});
    QTest::mouseMove(panel->plot(), {300, 120});
    QTest::mouseMove(panel->plot(), {400, 200});
    QTest::mouseRelease(panel->plot(), Qt::LeftButton, {}, {400, 200});
    QVERIFY(panel->plot()->xAxis->range().size() < all.size());
    QTest::keyClick(panel->plot(), Qt::Key_0);
    QCOMPARE(panel->plot()->xAxis->range().size(), all.size());
    // Other metrics, a logarithmic axis.
    const int occupancy = y->findData("occupancy");
    y->setCurrentIndex(occupancy);
    emit y->activated(occupancy);
    QVERIFY(panel->findChild<QToolButton*>("pareto_y_higher")->isChecked());
    QTRY_COMPARE(panel->points().size(), std::size_t{3});  // occupancies come a little later
    panel->findChild<QToolButton*>("pareto_x_log")->click();
    QCOMPARE(panel->plot()->xAxis->scaleType(), QCPAxis::stLogarithmic);
    bench.picture("pareto-light");
    panel->show_table(true);
    auto* table = panel->findChild<QTableView*>("pareto_rows");
    QCOMPARE(table->model()->rowCount(), 3);
    QCOMPARE(table->model()->index(0, 1).data().toString(), QString("yes"));
    table->setCurrentIndex(table->model()->index(1, 0));
    QVERIFY(table->model()->index(1, 0).data().toString().startsWith("#" + QString::number(bench.selection.current()) +
                                                                     " "));
    QVERIFY(Theme::instance().apply("dark"));
    bench.picture("pareto-table-dark");
  }

  void labelsOfTheFrontDoNotCoverEachOther() {
    Bench bench;
    QVERIFY(bench.open());
    auto* panel = bench.show<ParetoPanel>();
    std::vector<explore::CandidateRow> rows;
    for (int i = 0; i < 14; ++i) {  // a front of points that lie close together
      explore::CandidateRow row;
      row.id = 100 + i;
      row.hash = "hash" + std::to_string(i);
      row.state = store::CandidateState::accepted;
      row.score = appraisal::Score{1000.0 + i * (i < 10 ? 0.5 : 40), Provenance::simulated, "slots"};
      row.resources = {{"k", 64 - 2 * i, 0, 0, 0, 0, 0, 1}};
      rows.push_back(row);
    }
    bench.model.reset(rows);
    QTRY_COMPARE(panel->points().size(), rows.size());
    QTRY_COMPARE(panel->front().size(), 14);
    bench.selection.set_current(105);
    const auto rects = [&] {
      panel->plot()->replot(QCustomPlot::rpImmediateRefresh);
      std::map<QString, QRectF> shown;
      for (int i = 0; i < panel->plot()->itemCount(); ++i)
        if (auto* words = qobject_cast<QCPItemText*>(panel->plot()->item(i)); words && words->visible())
          shown[words->text()] = QRectF(words->topLeft->pixelPosition(), words->bottomRight->pixelPosition());
      return shown;
    };
    for (const QSize size : {QSize(900, 560), QSize(420, 300)}) {
      bench.window.resize(size);
      QTest::qWait(0);
      const std::map<QString, QRectF> shown = rects();
      QVERIFY2(shown.size() >= 4, qPrintable(QString::number(shown.size())));
      QVERIFY(shown.contains("#105"));  // the selected one has its name
      for (const auto& [a, first] : shown) {
        for (const auto& [b, second] : shown)
          if (a < b) QVERIFY2(!first.intersects(second), qPrintable(a + " covers " + b));
        QVERIFY2(QRectF(panel->plot()->axisRect()->rect()).adjusted(-1, -1, 1, 1).contains(first), qPrintable(a));
      }
    }
    bench.picture("pareto-labels");
  }
};

QTEST_MAIN(ParetoTest)
#include "pareto_test.moc"
