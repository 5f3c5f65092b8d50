// SPDX-License-Identifier: GPL-3.0-or-later
// Settings: zoom, fonts, the GPU that is modelled, the budget, the CUDA toolkit; where they are found.
#include <Qsci/qscilexer.h>
#include <QComboBox>
#include <QDir>
#include <QDialog>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include "base/cuda_folder.h"
#include "generator/run_options.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/describe/spec_view.h"
#include "panels/diff/diff_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/type.h"
#include "parts/theme/unligated_font.h"
#include "session/profile_loader.h"
#include "shell/settings/toolkit_field.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class SettingsTest : public QObject, WindowFixture {
  Q_OBJECT
  QString settings() const { return folder_->filePath("settings.ini"); }
  static long code_line_height(const MainWindow& w) {
    return w.describe()->spec_view()->editor()->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0UL);
  }
  std::unique_ptr<MainWindow> explored(const Services& services) {
    engine_->candidates = 4;
    auto w = open_with(services, {.input = "softmax"});
    if (!QTest::qWaitFor([&] { return child<QPushButton>(w.get(), "explore")->isEnabled(); }, 20000)) return w;
    child<QSpinBox>(w.get(), "budget")->setValue(4);
    press(*w, "explore");
    (void)ran(*w, 4);
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
    auto w = active();
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
      auto w = active();
      QCOMPARE(w->describe()->form()->candidates(), 24);
      action(*w, "file.settings")->trigger();
      child<QSpinBox>(child<QDialog>(w.get(), "settings"), "setting_budget")->setValue(7);
      QCOMPARE(w->describe()->form()->candidates(), 7);
      child<QSpinBox>(w.get(), "budget")->setValue(9);  // of one run
      QVERIFY(w->close());
    }
    auto w = active();
    QCOMPARE(w->describe()->form()->candidates(), 7);
  }

  void aToolkitIsChosen() {
    const QString toolkit = folder_->filePath("toolkit");
    QVERIFY(QDir().mkpath(toolkit + "/lib64"));
    {
      auto w = active();
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
      auto w = active();  // it is remembered
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

  void zoomScalesEverythingAndIsRemembered() {
    const double before = QApplication::font().pointSizeF();
    long code = 0;
    {
      auto w = active();
      code = code_line_height(*w);
      QTest::keyClick(w.get(), Qt::Key_Equal, Qt::ControlModifier);
      QTest::keyClick(w.get(), Qt::Key_Equal, Qt::ControlModifier);
      QVERIFY(QApplication::font().pointSizeF() > before * 1.15);
      QVERIFY(code_line_height(*w) > code);
      QVERIFY(w->close());
    }
    auto w = active();
    QVERIFY(QApplication::font().pointSizeF() > before * 1.15);
    QVERIFY(code_line_height(*w) > code);
    action(*w, "view.zoom_reset")->trigger();
    QCOMPARE(QApplication::font().pointSizeF(), before);
    QCOMPARE(code_line_height(*w), code);
  }

  void defaultColumnsAreOfTheZoom() {
    auto w = active();
    const auto widths = [&] {
      QList<int> list;
      for (int i = 0; i < CandidateModel::ColumnCount; ++i)
        list += i == CandidateModel::Name ? 0 : w->candidates()->table()->columnWidth(i);  // which takes the rest
      return list;
    };
    const auto reset = [&] {
      emit w->candidates()->table()->horizontalHeader()->customContextMenuRequested(QPoint(20, 5));
      auto* menu = child<QMenu>(w.get(), "column_menu");
      for (QAction* action : menu->actions())
        if (action->text() == "Default columns") action->trigger();
      menu->close();
    };
    action(*w, "view.zoom_in")->trigger();
    action(*w, "view.zoom_in")->trigger();
    const QList<int> zoomed = widths();
    reset();
    QCOMPARE(widths(), zoomed);
    action(*w, "view.zoom_reset")->trigger();
    const QList<int> usual = widths();
    QVERIFY(usual != zoomed);
    reset();
    QCOMPARE(widths(), usual);
  }

  void settingsOpenAgainAtOnce() {
    const auto w = active();
    const auto shown = [&] {
      for (QDialog* dialog : w->findChildren<QDialog*>("settings"))
        if (dialog->isVisible()) return dialog;
      return static_cast<QDialog*>(nullptr);
    };
    action(*w, "file.settings")->trigger();
    QVERIFY(shown());
    shown()->reject();
    action(*w, "file.settings")->trigger();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // the closed one goes
    QVERIFY(shown());
  }

  void settingsAreSearched() {
    auto w = active();
    const long code = code_line_height(*w);
    action(*w, "file.settings")->trigger();
    auto* dialog = child<QDialog>(w.get(), "settings");
    auto* pages = child<QListWidget>(dialog, "settings_pages");
    QTest::keyClicks(child<QLineEdit>(dialog, "settings_words"), "zoom");
    QVERIFY(!pages->item(0)->isHidden() && pages->item(2)->isHidden());
    child<QSpinBox>(dialog, "setting_zoom")->setValue(120);
    QTRY_VERIFY(code_line_height(*w) > code);
    child<QSpinBox>(dialog, "setting_zoom")->setValue(100);
    child<QLineEdit>(dialog, "settings_words")->setText("keychain");
    QVERIFY(pages->item(0)->isHidden() && !pages->item(2)->isHidden());
    QVERIFY(child<QWidget>(dialog, "models_page"));
    child<QLineEdit>(dialog, "settings_words")->setText("nonsense words");
    for (int i = 0; i < pages->count(); ++i) QVERIFY(pages->item(i)->isHidden());
  }

  void fontsAreChosenInSettingsAndRemembered() {
    QString chosen;
    {
      auto w = active();
      action(*w, "file.settings")->trigger();
      auto* box = child<QComboBox>(child<QDialog>(w.get(), "settings"), "setting_code_font");
      QVERIFY(box->count() > 2);  // the window's, the system's, those that are here
      box->setFocus();
      for (int i = 0; i < 2; ++i) QTest::keyClick(box, Qt::Key_Down);
      chosen = box->currentText();
      QCOMPARE(code_family(), unligated(chosen));
      QCOMPARE(w->describe()->spec_view()->editor()->lexer()->defaultFont().family(), unligated(chosen));
      QVERIFY(w->close());
    }
    {
      auto w = active();
      QCOMPARE(code_family(), unligated(chosen));
      QVERIFY(w->close());
    }
    QSettings(settings(), QSettings::IniFormat).setValue("window/text_font", "No Such Font");
    QSettings(settings(), QSettings::IniFormat).remove("window/code_font");
    auto w = active();
    QVERIFY(text_family() != "No Such Font" && QFontDatabase::hasFamily(text_family()));
    QCOMPARE(QApplication::font().family(), text_family());
  }
};

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
