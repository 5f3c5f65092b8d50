// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and buttons in less room than they would like.
#include <QComboBox>
#include <QSignalSpy>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest>
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/wrap_button.h"

using namespace ww::widgets;

class FlowTest : public QObject {
  Q_OBJECT

 private slots:
  void barsShrinkBeforeTheyWrap() {
    for (const auto before : {FlowLayout::Before::wrapping, FlowLayout::Before::shrinking}) {
      QWidget bar;
      auto* row = new FlowLayout(&bar, 8, before);
      QComboBox* box = make_shrinking_combo(&bar, "box", "Box", {}, 6);
      box->addItem("a long title of a metric that nobody needs to read whole");
      auto* button = make_tool(&bar, "button", "Fit", "Fit");
      row->addWidget(box);
      row->addWidget(button);
      const int whole = box->sizeHint().width() + 8 + button->sizeHint().width();
      for (const int width : {whole + 100, whole, whole - 60, box->minimumSizeHint().width() + 4}) {
        bar.resize(width, 100);
        bar.show();
        QTest::qWait(0);
        const bool fits = before == FlowLayout::Before::shrinking ? width > 120 && width >= whole - 60 : width >= whole;
        const int apart = button->geometry().center().y() - box->geometry().center().y();
        QCOMPARE(std::abs(apart) <= 1, fits);  // in one row, on one line
        QVERIFY(box->geometry().right() < width || !fits);
        if (width >= whole) QCOMPARE(box->width(), box->sizeHint().width());
      }
    }
  }

  void barsKeepTheirMargins() {
    QWidget bar;
    auto* row = new FlowLayout(&bar, 8);
    row->setContentsMargins(10, 4, 6, 2);
    QList<QWidget*> buttons;
    for (int i = 0; i < 4; ++i) row->addWidget(buttons.emplaceBack(make_tool(&bar, "b", "Button", "Button")));
    bar.resize(1000, 60);
    bar.show();
    QTRY_COMPARE(buttons[0]->pos(), QPoint(10, 4));
    const QSize one = buttons[0]->sizeHint();
    QCOMPARE(row->heightForWidth(1000), 4 + one.height() + 2);
    QCOMPARE(row->heightForWidth(10 + 2 * one.width() + 8 + 6), 4 + 2 * one.height() + 8 + 2);
    QCOMPARE(row->heightForWidth(10 + 2 * one.width() + 8 + 5), 4 + 4 * one.height() + 3 * 8 + 2);
  }

  void aLongChoiceIsBrokenIntoLines() {
    QWidget window;
    auto* column = make_column(&window);
    auto* button =
        new WrapButton(QString("bias over the 64 channels or over the 128 columns of the image ").repeated(4));
    column->addWidget(button);
    window.resize(300, 400);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(window.width(), 300);
    QVERIFY2(button->height() > 4 * button->fontMetrics().lineSpacing(), qPrintable(QString::number(button->height())));
    window.resize(600, 400);
    QTRY_VERIFY(button->width() > 400);
    QVERIFY(button->heightForWidth(600) < button->heightForWidth(300));
    QSignalSpy clicked(button, &QPushButton::clicked);
    QTest::keyClick(button, Qt::Key_Space);
    QCOMPARE(clicked.size(), 1);
  }
};

QTEST_MAIN(FlowTest)
#include "flow_test.moc"
