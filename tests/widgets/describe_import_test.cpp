// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch in the describe panel: the ops that its calls name, and the import of modules with a stand-in for PyTorch.
#include <QFile>
#include <QMessageBox>
#include "widgets/describe_fixture.h"
#include "session/text_kind.h"

using namespace ww;
using namespace ww::widgets;

class DescribeImportTest : public QObject, test::DescribeFixture {
  Q_OBJECT
  static QString pytorch(const QString& answers) {
    QString first = "# {'text': 'op product(x: f32[N], w: f32[N]) -> y: f32[N] default N = 8 { y[n] = x[n] * w[n] }', ";
    first += "'exact': true, " + answers + "}";
    return first.replace('\'', '"') + "\nimport torch\nclass Product(torch.nn.Module):\n  pass\n";
  }
  void import_and_agree() {
    QTRY_VERIFY(button("import_module"));
    button("import_module")->click();
    QTRY_VERIFY(panel_->findChild<QPushButton*>("run_file_yes"));
    panel_->findChild<QPushButton*>("run_file_yes")->click();
  }

 private slots:
  void initTestCase() { set_up_services(); }
  void init() { set_up_panel(); }

  void pytorchIsNamedWithTheOpsThatMakeItsCalls() {
    panel_->set_sentence(
        "import torch\nimport torch.nn.functional as F\n\ndef forward(x):\n    return F.softmax(x, dim=-1)\n");
    QTRY_VERIFY(lines().join("\n").contains("This is PyTorch"));
    QVERIFY(lines().contains("softmax"));
    QPushButton* link = nullptr;
    for (QPushButton* b : panel_->reading()->findChildren<QPushButton*>())
      if (b->text() == "softmax" && b->property("role") == "link") link = b;
    QVERIFY(link);
    QTRY_VERIFY(link->isVisible());
    QTest::mouseClick(link, Qt::LeftButton);
    QTRY_VERIFY(panel_->spec_text().contains("op softmax("));
    QTRY_VERIFY(panel_->spec_ready());
    QVERIFY(panel_->reading()->findChild<QPushButton*>("ask_model"));
    // The op was chosen, so nothing is missing; the code is not what the spec was made from.
    QVERIFY2(panel_->unclear().isEmpty(), qPrintable(panel_->unclear()));
    QVERIFY(!panel_->ask_what_is_missing() && !panel_->findChild<QMessageBox*>("run_file"));
    QVERIFY(panel_->options().sentence.empty());
    panel_->set_sentence(panel_->sentence() + "\n# another one\n");
    QTRY_VERIFY(panel_->unclear().contains("This is PyTorch"));
  }
  // With a stand-in for PyTorch: the file's first line has its answers.
  void importedModulesBecomeSpecs() {
    const QString module = pytorch("'factor': 1");
    panel_->set_sentence(module);
    QTRY_VERIFY(button("import_module"));
    QVERIFY(panel_->unclear().contains("import"));
    const auto press_import = [&](const char* answer) {
      button("import_module")->click();
      QTRY_VERIFY(panel_->findChild<QMessageBox*>("run_file"));
      auto* box = panel_->findChild<QMessageBox*>("run_file");
      QVERIFY(box->defaultButton() == box->button(QMessageBox::Cancel));  // Return alone runs nothing
      auto* yes = box->findChild<QPushButton*>("run_file_yes");
      (QLatin1String(answer) == "yes" ? static_cast<QAbstractButton*>(yes) : box->button(QMessageBox::Cancel))->click();
      QTRY_VERIFY(!panel_->findChild<QMessageBox*>("run_file"));
    };
    press_import("no");
    QVERIFY(button("import_module") && panel_->spec_text().isEmpty());
    press_import("yes");
    QTRY_VERIFY(panel_->spec_ready());
    QVERIFY(panel_->spec_text().contains("op product("));
    QVERIFY2(lines().join("\n").contains("equal to the module on 6 random input sets"), qPrintable(lines().join("\n")));
    QVERIFY(lines().join("\n").contains("The file's own sizes: N = 1024."));
    QCOMPARE(panel_->options().sentence, module.trimmed().toStdString());
    QVERIFY(panel_->unclear().isEmpty() && !panel_->nothing_to_run());

    panel_->set_sentence("relu");
    QTRY_VERIFY(panel_->spec_text().contains("op relu("));
    panel_->set_sentence(module);  // the same file again: no question
    QTRY_VERIFY(button("import_module"));
    QVERIFY(panel_->nothing_to_run());
    QVERIFY(panel_->ask_what_is_missing() && !panel_->findChild<QMessageBox*>("run_file"));
    QTRY_VERIFY(panel_->spec_ready() && panel_->spec_text().contains("op product("));
  }
  void aModuleThatDiffersIsNotTaken() {
    panel_->set_sentence(pytorch("'factor': 1.01"));
    import_and_agree();
    QTRY_VERIFY(lines().join("\n").contains("its spec differs from the module at N = 3 y[0] is 2 by"));
    QVERIFY(panel_->spec_text().isEmpty() && button("import_module"));
    panel_->set_sentence(pytorch("'refused': ['It sorts.', 'line 3']"));
    import_and_agree();
    QTRY_VERIFY2(lines().join("\n").contains("It sorts."), qPrintable(lines().join("\n")));
    QVERIFY(panel_->spec_text().isEmpty() && button("import_module"));
  }
  void withoutPyTorchNothingIsAsked() {
    qputenv("TORCH_STANDIN_WHY_NOT", "this Python cannot import torch");
    panel_->set_sentence(pytorch("'factor': 2"));
    QTRY_VERIFY(button("import_module"));
    button("import_module")->click();
    QTRY_VERIFY2(lines().join("\n").contains("pip install torch"), qPrintable(lines().join("\n")));
    qunsetenv("TORCH_STANDIN_WHY_NOT");
    QVERIFY(lines().join("\n").contains("No Python here has PyTorch 2.6 or newer"));
    QVERIFY(!panel_->findChild<QMessageBox*>("run_file") && button("import_module"));
  }
  void anImportCanBeStopped() {
    QTemporaryDir folder;
    const QString mark = folder.filePath("running");
    panel_->set_sentence(pytorch(QString("'hold': '%1'").arg(mark)));
    import_and_agree();
    QTRY_VERIFY(QFile::exists(mark));
    QVERIFY(lines().join("\n").contains("Python runs the file"));
    button("stop_asking")->click();
    QTRY_VERIFY(button("import_module"));
    QVERIFY(panel_->spec_text().isEmpty());
    panel_->set_sentence("import torch\nclass A(torch.nn.Module):\n  pass\nclass B(torch.nn.Module):\n  pass\n");
    QTRY_VERIFY(button("import_module") && button("import_module")->text() == QString("Import B\u2026"));  // of two
  }
  void fusedCallsComeFirst() {
    const auto ops = services_.language->ops();
    QVERIFY(ops);
    const QStringList names = ops_called("y = F.relu(F.linear(x, w, bias))", *ops, 3);
    QVERIFY(!names.isEmpty());
    QCOMPARE(names.first(), QString("linear_relu"));
    QVERIFY(ops_called("print('hello')", *ops, 3).isEmpty());
    QVERIFY(ops_called("((((", *ops, 3).isEmpty());
  }
};

QTEST_MAIN(DescribeImportTest)
#include "describe_import_test.moc"
