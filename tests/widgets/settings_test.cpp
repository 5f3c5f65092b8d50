// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that panels and runs follow: the GPU that is modelled, the budget, the CUDA toolkit.
#include <QComboBox>
#include <QDir>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>
#include "base/cuda_folder.h"
#include "generator/run_options.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/diff/diff_panel.h"
#include "session/profile_loader.h"
#include "shell/settings/toolkit_field.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class SettingsTest : public QObject, WindowFixture {
  Q_OBJECT
  std::unique_ptr<MainWindow> explored(const Services& services) {
    engine_->candidates = 4;
    auto w = open_with(services, {.input = "softmax"});
    if (!QTest::qWaitFor([&] { return child<QPushButton>(w.get(), "explore")->isEnabled(); }, 20000)) return w;
    child<QSpinBox>(w.get(), "budget")->setValue(4);
    press(*w, "explore");
    (void)QTest::qWaitFor([&] { return !w->session()->running() && w->candidates()->model()->judged() == 4; }, 20000);
    return w;
  }

 private slots:
  void init() { set_up(); }

  void oneGpuIsModelledEverywhere() {
    {
      const Services services = FakeEngine::services(engine_);
      auto w = explored(services);
      auto* button = child<QToolButton>(w.get(), "modelled_gpu");
      QVERIFY(button && button->isVisible());
      QCOMPARE(services.gpu->chosen(), std::string());
      for (QAction* a : button->menu()->actions())
        if (a->text().startsWith("L4 ")) a->trigger();
      QCOMPARE(button->text(), QString("L4"));
      // Roofline, occupancy and advice of the profile, the table and the diff.
      w->candidates()->select(1);
      const auto limits = [&] {
        const Profiles& all = w->context().profiles->profiles();
        return !all.empty() && all.front()->limits ? all.front()->limits->architecture : std::string();
      };
      QTRY_COMPARE(limits(), std::string("sm_89"));
      QCOMPARE(w->context().profiles->profiles().front()->modelled_gpu->gpu, std::string("L4"));
      QTRY_VERIFY(!w->candidates()->model()->rows().front().annotation->kernels.empty());
      QTRY_COMPARE(w->candidates()->model()->rows().front().annotation->kernels.front().architecture,
                   std::string("sm_89"));
      w->show_dock("diff");
      w->diff()->show_pair(1, 2);
      QTRY_VERIFY(w->diff()->pair() && w->diff()->right() == 2);
      bool modelled = false;
      for (const auto& n : w->diff()->pair()->right->numbers)
        if (n.group == "occupancy") {
          QCOMPARE(n.where, std::string("sm_89"));
          modelled = true;
        }
      QVERIFY(modelled);
      // New runs are compiled for it, which the summary says.
      QCOMPARE(w->describe()->options().architecture, std::string("sm_89"));
      QVERIFY2(w->describe()->summary().contains("SIMT for L4"), qPrintable(w->describe()->summary()));
      QVERIFY(w->close());
    }
    // It is remembered, and settings have it, too.
    auto w = open();
    QCOMPARE(child<QToolButton>(w.get(), "modelled_gpu")->text(), QString("L4"));
    action(*w, "file.settings")->trigger();
    auto* box = child<QComboBox>(child<QDialog>(w.get(), "settings"), "setting_gpu");
    QVERIFY(box->currentText().startsWith("L4 "));
    box->setCurrentIndex(0);
    emit box->activated(0);
    QVERIFY(w->context().services.gpu->chosen().empty());
    QCOMPARE(w->describe()->options().architecture, generator::RunOptions().architecture);
  }

  void budgetIsSetOnce() {
    {
      auto w = open();
      QCOMPARE(w->describe()->form()->candidates(), 24);
      action(*w, "file.settings")->trigger();
      child<QSpinBox>(child<QDialog>(w.get(), "settings"), "setting_budget")->setValue(7);
      QCOMPARE(w->describe()->form()->candidates(), 7);
      child<QSpinBox>(w.get(), "budget")->setValue(9);  // of one run
      QVERIFY(w->close());
    }
    auto w = open();
    QCOMPARE(w->describe()->form()->candidates(), 7);
  }

  void aToolkitIsChosen() {
    const QString toolkit = folder_->filePath("toolkit");
    QVERIFY(QDir().mkpath(toolkit + "/lib64"));
    {
      auto w = open();
      QVERIFY(chosen_cuda_folder().empty());
      action(*w, "file.settings")->trigger();
      auto* dialog = child<QDialog>(w.get(), "settings");
      auto* field = child<QLineEdit>(dialog, "setting_toolkit");
      QVERIFY(field->text().isEmpty());
      field->setText(toolkit + "/");
      QTest::keyClick(field, Qt::Key_Return);
      QCOMPARE(chosen_cuda_folder(), std::filesystem::path(toolkit.toStdString()));
      auto* found = child<QLabel>(dialog, "setting_toolkit_found");
      QTRY_VERIFY(!found->text().startsWith("Looking"));
      QVERIFY2(found->text().contains("NVRTC"), qPrintable(found->text()));
      QVERIFY(w->close());
    }
    {
      choose_cuda_folder({});
      auto w = open();  // it is remembered
      QCOMPARE(chosen_cuda_folder(), std::filesystem::path(toolkit.toStdString()));
      action(*w, "file.settings")->trigger();
      auto* field = child<QLineEdit>(child<QDialog>(w.get(), "settings"), "setting_toolkit");
      QCOMPARE(field->text(), toolkit);
      field->clear();
      QTest::keyClick(field, Qt::Key_Return);
      QVERIFY(chosen_cuda_folder().empty());
    }
  }

  void aToolkitIsDescribed() {
    const QString here = folder_->filePath("cuda");
    QVERIFY(QDir().mkpath(here + "/lib64") && QDir().mkpath(folder_->filePath("cuda-old")));
    QFile library(here + "/lib64/libnvrtc.so.13");
    QVERIFY(library.open(QIODevice::WriteOnly));
    compile::Toolkit found;
    found.nvrtc = library.fileName().toStdString();
    found.nvrtc_version = "13.0";
    found.headers = found.nvjitlink = found.nvdisasm = "/somewhere";
    QCOMPARE(toolkit_text(here, found), "NVRTC 13.0: " + library.fileName());
    QCOMPARE(toolkit_text({}, found), "NVRTC 13.0: " + library.fileName());
    found.headers.clear();
    QVERIFY(toolkit_text(here, found).contains("Missing: headers"));
    QVERIFY(toolkit_text(folder_->filePath("cuda-old"), found).startsWith("The folder has no NVRTC"));
    QVERIFY(toolkit_text(folder_->filePath("none"), found).startsWith("The folder does not exist"));
    QCOMPARE(toolkit_text(here, fail(Code::unavailable, "NVRTC was not found")), QString("NVRTC was not found"));
  }
};

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
