// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSet>
#include <QtTest>
#include "parts/theme/theme.h"
#include "session/export_dialog.h"
#include "widgets/audit.h"
#include "widgets/pictures.h"

using namespace ww;
using namespace ww::widgets;

class ExportDialogTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  void exportNamesItsForms() {
    for (const bool is_signed : {true, false}) {
      ExportDialog dialog({12, "relu", is_signed, {}, "Nothing computes the gradients."}, nullptr);
      dialog.show();
      auto* kinds = dialog.findChild<QListWidget*>("export_kinds");
      auto* summary = dialog.findChild<QLabel*>("export_summary");
      QCOMPARE(kinds->count(), 5);
      QCOMPARE(dialog.kind(), exporter::Kind::torch);
      QSet<QString> said;
      for (int i = 0; i < kinds->count(); ++i) {
        said.insert(summary->text());
        QVERIFY2(!kinds->item(i)->text().isEmpty() && !summary->text().isEmpty(), qPrintable(QString::number(i)));
        QTest::keyClick(kinds, Qt::Key_Down);
      }
      QCOMPARE(said.size(), 5);
      const QStringList found = test::clipped(&dialog) + test::overlapping(&dialog) + test::inaccessible(&dialog) +
                                test::elided(&dialog) + test::nested_scrolling(&dialog);
      QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
      QCOMPARE(dialog.kind(), exporter::Kind::ptx);
      auto* note = dialog.findChild<QLabel*>("export_unsigned");
      QCOMPARE(note->isVisible(), !is_signed);
      if (!is_signed) QVERIFY(note->text().contains("#12 has not been reviewed"));
      test::save_picture(dialog, is_signed ? "export-signed" : "export-unsigned");
      QTest::keyClick(kinds, Qt::Key_Return);
      QCOMPARE(dialog.result(), int(QDialog::Accepted));
    }
  }

  void exportOffersABackward() {
    ExportDialog dialog(
        {12,
         "relu",
         true,
         {{40, "relu_backward", "rows", {{"R", 8}}, true, true}, {41, "relu_backward", "", {{"R", 8}}, false, false}},
         {}},
        nullptr);
    dialog.show();
    auto* kinds = dialog.findChild<QListWidget*>("export_kinds");
    auto* backward = dialog.findChild<QComboBox*>("export_backward");
    auto* note = dialog.findChild<QLabel*>("export_unsigned");
    QVERIFY(backward->isVisible() && !dialog.findChild<QLabel*>("export_no_backward")->isVisible());
    QCOMPARE(dialog.backward(), std::int64_t{0});
    QVERIFY(dialog.all_signed() && !note->isVisible());
    backward->setCurrentIndex(backward->findText("#40", Qt::MatchStartsWith));
    QCOMPARE(dialog.backward(), std::int64_t{40});
    QVERIFY(dialog.all_signed());
    backward->setCurrentIndex(backward->findText("#41", Qt::MatchStartsWith));
    QCOMPARE(dialog.backward(), std::int64_t{41});
    QVERIFY2(!dialog.all_signed() && note->isVisible() && note->text().contains("#41"), qPrintable(note->text()));
    kinds->setCurrentRow(2);  // CuPy has no autograd
    QCOMPARE(dialog.kind(), exporter::Kind::cupy);
    QVERIFY(!backward->isVisible() && dialog.all_signed());
    QCOMPARE(dialog.backward(), std::int64_t{0});
    kinds->setCurrentRow(0);
    const QStringList found = test::clipped(&dialog) + test::overlapping(&dialog) + test::inaccessible(&dialog) +
                              test::elided(&dialog) + test::nested_scrolling(&dialog);
    QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
    test::save_picture(dialog, "export-backward");
  }

  void exportStaysUntilItIsDone() {
    ExportDialog dialog({12, "relu", true, {}, {}}, nullptr);
    int asked = 0;
    dialog.set_go([&] { ++asked; });
    dialog.show();
    auto* kinds = dialog.findChild<QListWidget*>("export_kinds");
    kinds->setCurrentRow(2);
    QTest::mouseClick(dialog.findChild<QPushButton*>("export_go"), Qt::LeftButton);
    QVERIFY(asked == 1 && dialog.isVisible());
    dialog.show_busy();
    QTest::keyClick(kinds, Qt::Key_Return);
    QCOMPARE(asked, 1);
    dialog.show_problem("#12 was not exported: the disk is full");
    QCOMPARE(dialog.focusWidget()->objectName(), QString("export_go"));
    auto* problem = dialog.findChild<QLabel*>("export_problem");
    QVERIFY(problem->isVisible() && problem->text().contains("the disk is full"));
    QCOMPARE(dialog.kind(), exporter::Kind::cupy);  // the choice is kept
    QTest::keyClick(kinds, Qt::Key_Return);
    QCOMPARE(asked, 2);
    dialog.finish();
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
  }

  void exportSaysHowToGetABackward() {
    ExportDialog dialog({12, "relu", true, {}, "'warpwright-cli spec relu --gradient' writes it."}, nullptr);
    dialog.show();
    auto* how = dialog.findChild<QLabel*>("export_no_backward");
    QVERIFY(how->isVisible() && how->text().contains("--gradient"));
    QVERIFY(!dialog.findChild<QComboBox*>("export_backward")->isVisible());
    dialog.findChild<QListWidget*>("export_kinds")->setCurrentRow(4);
    QVERIFY(!how->isVisible());
  }
};

QTEST_MAIN(ExportDialogTest)
#include "export_dialog_test.moc"
