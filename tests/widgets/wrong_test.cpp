// SPDX-License-Identifier: GPL-3.0-or-later
// From a failing verdict to the wrong elements, with a scripted engine. Pictures go to <build>/screenshots.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>
#include "panels/candidates/candidate_panel.h"
#include "panels/verdict/heat_map.h"
#include "panels/verdict/heat_scale.h"
#include "panels/verdict/tensor_pictures.h"
#include "panels/verdict/verdict_panel.h"
#include "panels/verdict/wrong_elements.h"
#include "panels/code/code_panel.h"
#include "parts/theme/elide_label.h"
#include "session/selection.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

// Two matrices of 7 x 33, each eighth column of the second wrong, and one NaN in the first.
evidence::WrongMap made_map() {
  evidence::WrongMap map;
  map.tensor = "y";
  map.dtype = "f32";
  map.shape = {4, 7, 33};
  map.rows = 7;
  map.columns = 33;
  map.matrices = 4;
  map.wrong_matrices = 2;
  map.failure.case_name = "odd";
  map.failure.element = evidence::FailingElement{"y", {2, 0, 7}, 0.25, 0.5, 0.02, 1, 29, 924};
  map.wrong_elements = {evidence::WrongPattern::columns, {0, 1, 7}, {7, 8, 4}, {}, 1};
  map.wrong_values = {evidence::WrongRule::offset, 2, 0, 0};
  map.writer = WriteSite{"scale", 4, {2, 0, 0}, {7, 0, 0}};
  for (const std::int64_t which : {1, 2}) {
    evidence::WrongMatrix m;
    m.leading = {which};
    for (std::int64_t i = 0; i < 7 * 33; ++i) {
      const double expected = static_cast<double>(i % 33) / 32;
      const bool wrong = which == 2 ? i % 33 % 8 == 7 : i == 40;
      m.element.push_back(i);
      m.expected.push_back(expected);
      m.actual.push_back(!wrong ? expected : which == 2 ? expected + 2 : std::numeric_limits<double>::quiet_NaN());
      m.ratio.push_back(!wrong ? 0.125 : which == 2 ? 100 : std::numeric_limits<double>::infinity());
      if (wrong && m.wrong++ == 0) m.first = i;
    }
    map.maps.push_back(std::move(m));
  }
  return map;
}

// A matrix of cells, of which `wrong` are.
evidence::WrongMap map_of(std::int64_t rows, std::int64_t columns, std::int64_t cell_rows, std::int64_t cell_columns,
                          const std::function<bool(std::int64_t row, std::int64_t column)>& wrong) {
  evidence::WrongMap map;
  map.tensor = "y";
  map.dtype = "f32";
  map.shape = {rows, columns};
  map.rows = rows;
  map.columns = columns;
  map.cell_rows = cell_rows;
  map.cell_columns = cell_columns;
  map.wrong_matrices = 1;
  map.failure.case_name = "powers";
  map.failure.binding.symbols = {{"R", rows}, {"C", columns}};
  evidence::WrongMatrix m;
  for (std::int64_t cell = 0; cell < map.down() * map.across(); ++cell) {
    const std::int64_t row = cell / map.across() * cell_rows, column = cell % map.across() * cell_columns;
    const double expected = std::sin(0.02 * static_cast<double>(row)) + 0.01 * static_cast<double>(column);
    const bool is_wrong = wrong(row, column);
    m.element.push_back(row * columns + column);
    m.expected.push_back(expected);
    m.actual.push_back(is_wrong ? -expected - 1 : expected);
    m.ratio.push_back(is_wrong ? 10 + static_cast<double>(row) : 0.25);
    if (is_wrong && m.wrong++ == 0) m.first = row * columns + column;
  }
  map.failure.element = evidence::FailingElement{"y", {0, 0}, 1, 2, 1e-6, 4, m.wrong, rows * columns};
  map.maps = {m};
  return map;
}

}  // namespace

class WrongTest : public QObject, test::WindowFixture {
  Q_OBJECT
  std::unique_ptr<MainWindow> judged(const Services& services) {
    auto w = open_with(services);
    if (!QTest::qWaitFor([&] { return w->session()->ready(); }, 20000)) return w;
    (void)(explore(*w) && ran(*w));
    return w;
  }
  static bool selects(MainWindow& w, std::int64_t candidate, const QString& summary) {
    w.candidates()->select(candidate);
    return QTest::qWaitFor(
        [&] { return w.verdict()->findChild<QLabel*>("verdict_summary")->text().startsWith(summary); }, 10000);
  }
  static WrongElements* opened(MainWindow& w) {
    w.show_dock("verdict");
    QTest::mouseClick(w.verdict()->findChild<QPushButton*>("show_wrong"), Qt::LeftButton);
    return w.findChild<WrongElements*>("wrong_elements");
  }

 private slots:
  void init() { set_up(); }

  void inputsAndOutputsOfACaseArePictures() {
    const auto w = judged(test::FakeEngine::services(engine_));
    QVERIFY(selects(*w, 3, "Proved"));
    w->show_dock("verdict");
    QTest::mouseClick(w->verdict()->findChild<QPushButton*>("show_tensors"), Qt::LeftButton);
    auto* dialog = w->findChild<TensorPictures*>();
    QVERIFY(dialog);
    auto* cases = dialog->findChild<QComboBox*>("tensor_case");
    auto* tensors = dialog->findChild<QComboBox*>("tensor_name");
    QCOMPARE(cases->count(), 3);
    QTRY_VERIFY2(dialog->ready(), qPrintable(dialog->findChild<QLabel*>("tensor_state")->text()));
    cases->setCurrentIndex(cases->findText("odd", Qt::MatchStartsWith));
    QTRY_VERIFY(dialog->ready());
    QCOMPARE(tensors->count(), 2);
    QVERIFY2(tensors->itemText(0).startsWith("input x: f32["), qPrintable(tensors->itemText(0)));
    QVERIFY2(tensors->itemText(1).startsWith("output y: f32["), qPrintable(tensors->itemText(1)));
    QVERIFY2(dialog->readout().startsWith("x["), qPrintable(dialog->readout()));
    const QImage input = dialog->map()->image();
    tensors->setCurrentIndex(1);
    QVERIFY(dialog->readout().startsWith("y["));
    QVERIFY(dialog->map()->image() != input);
    // Each row of a softmax of equal inputs is of equal values.
    auto* inputs = dialog->findChild<QComboBox*>("tensor_inputs");
    inputs->setCurrentIndex(inputs->findText("constant"));
    QTRY_VERIFY(dialog->ready());
    const QImage constant = dialog->map()->image();
    for (int x = 1; x < constant.width(); ++x) QCOMPARE(constant.pixel(x, 0), constant.pixel(0, 0));
    picture(*dialog, "tensor-pictures");
  }

  void aFailingVerdictLeadsToItsWrongElements() {
    Services services = test::FakeEngine::services(engine_);
    std::atomic<std::int64_t> asked{0};
    services.wrong = [&](store::Workspace&, std::int64_t candidate, const std::stop_token&,
                         const rpc::ProgressHandler&) -> Result<evidence::WrongMap> {
      asked = candidate;
      return made_map();
    };
    const auto w = judged(services);
    auto* button = w->verdict()->findChild<QPushButton*>("show_wrong");
    QVERIFY(selects(*w, 3, "Proved"));
    QVERIFY(button->isHidden());  // nothing is wrong
    QVERIFY(selects(*w, 4, "Rejected"));
    QVERIFY(!button->isHidden());
    // One line above the code says the same, and leads there.
    auto* line = w->code()->findChild<ElideLabel*>("verdict_line");
    QCOMPARE(line->full_text(), w->verdict()->findChild<QLabel*>("verdict_summary")->text());
    w->show_dock("code");
    QTest::mouseClick(w->code()->findChild<QToolButton*>("verdict_line_open"), Qt::LeftButton);
    QTRY_VERIFY(w->verdict()->isVisible());
    WrongElements* dialog = opened(*w);
    QVERIFY(dialog);
    QTRY_VERIFY(dialog->ready());
    QCOMPARE(asked.load(), std::int64_t{4});
    QCOMPARE(dialog->findChild<QLabel*>("wrong_title")->text(), QString("y, case odd, inputs normal, seed 0"));
    const QString pattern = dialog->findChild<QLabel*>("wrong_pattern")->text();
    QVERIFY2(pattern.startsWith("29 of 924 elements are wrong, in 2 of 4 matrices; in the worst one: every 8th column, "
                                "from column 7. They are the "
                                "right values plus 2."),
             qPrintable(pattern));
    QCOMPARE(dialog->findChild<QLabel*>("wrong_writer")->text(),
             QString("y[2, 0, 7] was last written by thread (7, 0, 0) of block (2, 0, 0) of kernel scale, in line 4: "
                     "//@ launch softmax_rows grid(ceildiv(R, 8)) block(256) args(x, y, R, C)"));
    QSignalSpy lines(w->selection(), &Selection::line_chosen);
    QTest::mouseClick(dialog->findChild<QPushButton*>("wrong_line"), Qt::LeftButton);
    QCOMPARE(lines.count(), 1);
    QCOMPARE(lines.at(0).at(0).toInt(), 4);
    // It does not stand on the line; opened again it is there at once, without another judgement.
    QVERIFY(!dialog->isVisible());
    asked = 0;
    w->show_dock("verdict");
    QCOMPARE(opened(*w), dialog);
    QTRY_VERIFY(dialog->isVisible());
    QVERIFY(dialog->ready());
    QCOMPARE(asked.load(), std::int64_t{0});
    auto* matrix = dialog->findChild<QComboBox*>("wrong_matrix");
    QCOMPARE(matrix->count(), 2);
    QCOMPARE(matrix->currentText(), QString("[2]: 28 wrong"));  // the one with most of them
    QVERIFY2(dialog->readout().contains("y[2, 0, 7]: expected 0.21875, got 2.21875; wrong: the error is 100 times"),
             qPrintable(dialog->readout()));

    // The pictures differ where the output is wrong, and only there.
    HeatMap *expected = dialog->map(0), *actual = dialog->map(1), *error = dialog->map(2);
    for (int cell = 0; cell < 7 * 33; ++cell) {
      const QPoint at(cell % 33, cell / 33);
      const bool wrong = at.x() % 8 == 7;
      QCOMPARE(expected->image().pixelColor(at) != actual->image().pixelColor(at), wrong);
      QCOMPARE(error->image().pixelColor(at) != error->image().pixelColor(0, 0), wrong);
    }
    // The pointer names what is below it; beside the picture the chosen element stays.
    QTest::mouseMove(dialog->windowHandle(), error->mapTo(dialog, error->middle_of(2 * 33 + 4).toPoint()));
    QTRY_VERIFY2(dialog->readout().startsWith("y[2, 2, 4]: expected 0.125, got 0.125; right"),
                 qPrintable(dialog->readout()));
    QCOMPARE(error->cell_at(error->middle_of(70)), 70);
    QCOMPARE(error->cell_at(QPointF(-3, 4)), -1);
    QTest::mouseClick(actual, Qt::LeftButton, {}, actual->middle_of(15).toPoint());
    QVERIFY(dialog->readout().startsWith("y[2, 0, 15]"));
    error->setFocus();
    QTest::keyClick(error, Qt::Key_Down);
    QVERIFY(dialog->readout().startsWith("y[2, 1, 15]"));
    QTest::keyClick(error, Qt::Key_Home);
    QTest::keyClick(error, Qt::Key_Left);  // no further
    QVERIFY(dialog->readout().startsWith("y[2, 1, 0]"));
    QCOMPARE(error->accessibleDescription(), dialog->readout());

    matrix->setCurrentIndex(0);
    QVERIFY2(
        dialog->readout().startsWith("y[1, 1, 7]: expected 0.21875, got NaN; wrong: an unexpected NaN or infinity"),
        qPrintable(dialog->readout()));
    picture(*dialog, "wrong-light");
    QVERIFY(Theme::instance().apply("dark"));
    matrix->setCurrentIndex(1);
    picture(*dialog, "wrong-dark");
    dialog->close();
  }

  void aDialogIsOpenOnce() {
    Services services = test::FakeEngine::services(engine_);
    services.wrong = [&](auto&, auto, const auto&, const auto&) -> Result<evidence::WrongMap> { return made_map(); };
    const auto w = judged(services);
    QVERIFY(selects(*w, 4, "Rejected"));
    QCOMPARE(opened(*w), opened(*w));
    QCOMPARE(w->findChildren<WrongElements*>().size(), 1);
    // What leads to it can be reached with the keyboard.
    auto* button = w->verdict()->findChild<QPushButton*>("show_wrong");
    QVERIFY(button->focusPolicy() & Qt::TabFocus);
  }

  // A wrong element is seen, however small its cell.
  void noWrongElementIsLostInALargePicture() {
    const evidence::WrongMap map = map_of(400, 500, 1, 1, [](auto r, auto c) { return r == 37 && c == 401; });
    HeatMap error(HeatOf::error, "Error", nullptr);
    error.show_matrix(500, 400, map.maps[0], range_of(map.maps[0]));
    const QRgb wrong = error.image().pixel(401, 37);
    QVERIFY(wrong != error.image().pixel(0, 0));
    for (const QSize size : {QSize(120, 90), QSize(33, 400), QSize(500, 400), QSize(1, 1)}) {
      const QImage shown = error.shown(size);
      QVERIFY(shown.width() <= size.width() && shown.height() <= size.height());
      int seen = 0;
      for (int y = 0; y < shown.height(); ++y)
        for (int x = 0; x < shown.width(); ++x) seen += shown.pixel(x, y) == wrong;
      QCOMPARE(seen, 1);
    }
  }

  void everythingFitsAtEverySize_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("theme");
    for (const QSize size : {QSize(1000, 700), QSize(1280, 800), QSize(2560, 1440)})
      for (const char* theme : {"light", "dark", "high-contrast"})
        QTest::addRow("%dx%d-%s", size.width(), size.height(), theme) << size << QString(theme);
  }
  void everythingFitsAtEverySize() {
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    evidence::WrongMap map;
    Services services = test::FakeEngine::services(engine_);
    services.wrong = [&](auto&, auto, const auto&, const auto&) -> Result<evidence::WrongMap> { return map; };
    const auto w = judged(services);
    QVERIFY(Theme::instance().apply(theme));
    w->resize(size);
    QVERIFY(selects(*w, 4, "Rejected"));
    const QString at = QString("-%1-%2").arg(size.width()).arg(theme);
    struct Shown {
      const char* name;
      evidence::WrongMap map;
    };
    const std::vector<Shown> all = {{"stack", made_map()},
                                    {"tiny", map_of(2, 3, 1, 1, [](auto, auto c) { return c == 2; })},
                                    {"large", map_of(1024, 1024, 4, 4, [](auto, auto c) { return c % 32 == 0; })},
                                    {"flat", map_of(1, 4096, 1, 8, [](auto, auto c) { return c >= 4000; })}};
    for (const Shown& s : all) {
      map = s.map;
      WrongElements* dialog = opened(*w);
      QTRY_VERIFY(dialog->ready());
      QVERIFY(dialog->width() <= size.width() && dialog->height() <= size.height());
      picture(*dialog, QString("wrong-") + s.name + at);
      if (s.map.across() < 8) QVERIFY2(dialog->height() < 500, s.name);  // no larger than its pictures need
      for (const QLabel* label : dialog->findChildren<QLabel*>()) {
        if (!label->isVisible()) continue;
        const int need = label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
        QVERIFY2(label->height() >= need, qPrintable(label->objectName() + ": " + label->text()));
      }
      for (int i = 0; i < 3; ++i) {
        const HeatMap* picture = dialog->map(i);
        const int cells = picture->image().width() * picture->image().height();
        QVERIFY(picture->rect().contains(picture->middle_of(cells - 1).toPoint()));
        const auto* scale = dialog->findChild<HeatScale*>(QString("wrong_scale_%1").arg(i));
        QVERIFY(scale->height() >= scale->heightForWidth(scale->width()));
        QVERIFY(!scale->accessibleName().isEmpty());
      }
      delete dialog;
    }
    if (theme == "light") picture(*w, "wrong-window" + at);
  }

  void whyThereIsNothingToShowIsSaid() {
    Services services = test::FakeEngine::services(engine_);
    services.wrong = [](store::Workspace&, std::int64_t, const std::stop_token&,
                        const rpc::ProgressHandler&) -> Result<evidence::WrongMap> {
      return fail(Code::unavailable, "there is no compiler");
    };
    const auto w = judged(services);
    QVERIFY(selects(*w, 4, "Rejected"));
    WrongElements* dialog = opened(*w);
    QTRY_COMPARE(dialog->findChild<QLabel*>("wrong_state")->text(),
                 QString("The wrong elements cannot be shown: there is no compiler."));
    QVERIFY(!dialog->ready());
  }

  void closingEndsTheWork() {
    Services services = test::FakeEngine::services(engine_);
    std::atomic<bool> begun{false}, stopped{false};
    services.wrong = [&](store::Workspace&, std::int64_t, const std::stop_token& stop,
                         const rpc::ProgressHandler& progress) -> Result<evidence::WrongMap> {
      progress({"cases", "case odd, inputs 1 of 5", 0.5});
      begun = true;
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
      return fail(Code::cancelled, "cancelled");
    };
    const auto w = judged(services);
    QVERIFY(selects(*w, 4, "Rejected"));
    WrongElements* dialog = opened(*w);
    QTRY_VERIFY(begun);
    QTRY_VERIFY(dialog->findChild<QLabel*>("wrong_state")->text().contains("case odd, inputs 1 of 5"));
    dialog->close();
    QTRY_VERIFY(stopped);
    QTRY_VERIFY(!w->findChild<WrongElements*>("wrong_elements"));
  }
};

QTEST_MAIN(WrongTest)
#include "wrong_test.moc"
