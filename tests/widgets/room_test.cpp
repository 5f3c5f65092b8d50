// SPDX-License-Identifier: GPL-3.0-or-later
// Room for work: docks after a resize, what the wheel scrolls, the search bar, and where file dialogs open.
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QWheelEvent>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/describe/spec_view.h"
#include "panels/diff/diff_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/editor/search_bar.h"
#include "session/file_dialogs.h"
#include "shell/window/docks.h"
#include "widgets/own_paths.h"
#include "widgets/room_fixture.h"

using namespace ww;
using namespace ww::widgets;

class RoomTest : public QObject, test::RoomFixture {
  Q_OBJECT
  // Takes the dialog that opens next, and answers it. `file` is relative to the folder that it shows.
  static QString folder_of_next(const std::function<void()>& open, const QString& file = {}) {
    QString folder;
    QTimer answer;  // again until the dialog closes: it refuses a file while its list of the folder is not there yet
    int attempts = 0;
    QObject::connect(&answer, &QTimer::timeout, &answer, [&] {
      auto* modal = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      auto* dialog = qobject_cast<QFileDialog*>(modal);
      if (!dialog) return modal ? modal->reject() : void();
      if (folder.isEmpty()) folder = dialog->directory().absolutePath();
      if (file.isEmpty() || ++attempts > 3000) return dialog->reject();
      if (auto* name = dialog->findChild<QLineEdit*>("fileNameEdit")) name->setText(file);  // as typed
      QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
    });
    answer.start(10);
    open();
    return folder;
  }

 private slots:
  void init() { set_up(); }

  // It need not be there: a workspace is made in it.
  void aWorkspaceIsMadeByItsPath() {
    const auto w = opened();
    const QString made = folder_->filePath("new");
    const QString shown = folder_of_next([&] { action(*w, "file.open_workspace")->trigger(); }, made);
    QCOMPARE(shown, QDir(folder_->path()).absolutePath());  // beside the one that is open
    QTRY_COMPARE(w->session()->folder(), made);
    QVERIFY(QFile::exists(made));
  }

  void codeAndPtxAreZoomedAlike() {
    const auto w = opened();
    QVERIFY(explored(*w));
    w->candidates()->select(1);
    const auto code_height = [&] {
      return int(w->code()->source()->SendScintilla(QsciScintillaBase::SCI_TEXTHEIGHT, 0UL));
    };
    const int before = code_height(), ptx = w->code()->ptx()->fontMetrics().height();
    for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
    QTRY_VERIFY2(qAbs(code_height() - before * 1.5) <= 2, qPrintable(QString("%1, %2").arg(before).arg(code_height())));
    QVERIFY(qAbs(w->code()->ptx()->fontMetrics().height() - ptx * 1.5) <= 2);
    action(*w, "view.zoom_reset")->trigger();
    QTRY_COMPARE(code_height(), before);
  }

  // The wheel over a box without the focus scrolls the form around it.
  void theWheelScrollsTheFormAndLeavesItsBoxes() {
    const auto w = opened();
    QTRY_VERIFY(w->describe()->can_explore());
    w->describe()->form()->set_generator("model");  // many fields
    w->show_dock("describe");
    w->describe()->focus_sentence();
    auto* box = child<QComboBox>(w.get(), "generator");
    QScrollArea* area = nullptr;
    for (QWidget* around = box; around && !area; around = around->parentWidget())
      area = qobject_cast<QScrollArea*>(around);
    QVERIFY(area && w->describe()->isAncestorOf(area));
    QScrollBar* bar = area->verticalScrollBar();
    w->resize(1280, 600);
    QTRY_VERIFY(bar->maximum() > 100);
    const auto turn = [](QWidget* over, int by) {  // as by the window system: what ignores it passes it on
      const QPoint at = over->rect().center();
      QWheelEvent event(at, over->mapToGlobal(at), {}, {0, by}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
      QSpontaneKeyEvent::setSpontaneous(&event);
      qApp->notify(over, &event);
    };
    QVERIFY(!(box->focusPolicy() & 0x4));  // the wheel gives no focus
    for (QComboBox* one : {box, child<QComboBox>(w.get(), "writing_mode")}) {
      area->ensureWidgetVisible(one);
      QTRY_VERIFY(one->isVisible() && !one->visibleRegion().isEmpty());
      one->setCurrentIndex(1);
      QVERIFY(one->count() > 2 && !one->hasFocus());
      bar->setValue(bar->maximum() / 2);
      for (const int by : {-120, 120, 120}) {
        const int before = bar->value();
        turn(one, by);
        QVERIFY2(by < 0 ? bar->value() > before : bar->value() < before, qPrintable(one->objectName()));
        QCOMPARE(one->currentIndex(), 1);
        QVERIFY(!one->hasFocus());
      }
    }
    // With the focus it is the box that turns.
    auto* mode = child<QComboBox>(w.get(), "writing_mode");
    mode->setFocus();
    QTRY_VERIFY(mode->hasFocus());
    const int before = bar->value();
    turn(mode, -120);
    QCOMPARE(mode->currentIndex(), 2);
    QCOMPARE(bar->value(), before);
  }

  void docksKeepTheirSharesThroughAResize() {
    const auto w = opened();
    QDockWidget *code = w->dock("code"), *candidates = w->dock("candidates");
    w->resizeDocks({code}, {620}, Qt::Horizontal);  // as by a separator
    w->resizeDocks({candidates}, {220}, Qt::Vertical);
    QTest::mouseRelease(w.get(), Qt::LeftButton);
    const QSize before = code->size();
    const int table = candidates->height();
    for (const QSize size : {QSize(1000, 700), QSize(2200, 1300), QSize(1000, 700), QSize(1280, 800)}) {
      resize(*w, size);
      QVERIFY2(std::abs(code->width() - before.width() * size.width() / 1280) <= 90,
               qPrintable(QString("%1 of %2").arg(code->width()).arg(size.width())));
    }
    QVERIFY2(std::abs(code->width() - before.width()) <= 12, qPrintable(QString::number(code->width())));
    QVERIFY2(std::abs(code->height() - before.height()) <= 12, qPrintable(QString::number(code->height())));
    QVERIFY2(std::abs(candidates->height() - table) <= 12, qPrintable(QString::number(candidates->height())));
  }

  void aDoubleClickMaximisesAPanel() {
    const auto w = opened();
    const auto shown = [&] {
      QStringList ids;
      for (const QDockWidget* dock : w->docks()->all())
        if (!dock->isHidden()) ids += dock->objectName();
      return ids;
    };
    const QStringList before = shown();
    QVERIFY(before.size() > 3);
    QDockWidget* candidates = w->dock("candidates");
    const QSize size = candidates->size();
    candidates->raise();
    QTabBar* tabs = nullptr;
    int tab = -1;
    for (QTabBar* bar : w->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      for (int i = 0; i < bar->count(); ++i)
        if (bar->isVisible() && bar->tabText(i) == candidates->windowTitle()) tabs = bar, tab = i;
    if (tabs)
      QTest::mouseDClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
    else
      QTest::mouseDClick(candidates, Qt::LeftButton, {}, QPoint(20, 6));
    QCOMPARE(shown(), QStringList("candidates"));
    QVERIFY(w->docks()->maximised() && !candidates->isFloating());
    QTRY_VERIFY(candidates->width() > 1200);
    resize(*w, {1100, 760});
    resize(*w, {1280, 800});
    QTest::mouseDClick(candidates, Qt::LeftButton, {}, QPoint(20, 6));  // on its title
    QCOMPARE(shown(), before);
    QTRY_VERIFY2((candidates->size() - size).width() <= 12, qPrintable(QString::number(candidates->width())));
    // By the keyboard; another panel that is asked for, or another layout, brings the rest back.
    w->show_dock("code");
    action(*w, "view.maximise")->trigger();
    QCOMPARE(shown(), QStringList("code"));
    w->show_dock("verdict");
    QVERIFY(!w->docks()->maximised() && shown().size() >= before.size());
    action(*w, "view.maximise")->trigger();
    w->docks()->choose("review");
    QVERIFY(!w->docks()->maximised() && shown().size() > 1);
    w->docks()->choose("explore");
    QVERIFY(shown().size() >= before.size());
  }

  // Sizes that the person gave, not those of the layout's data.
  void aMaximisedPanelGoesBackToItsSizeAfterARestart() {
    QSize code, candidates;
    {
      const auto w = opened();
      QVERIFY(explored(*w));
      w->show_dock("code");
      w->resizeDocks({w->dock("code")}, {640}, Qt::Horizontal);
      const int height = w->dock("candidates")->height();
      w->resizeDocks({w->dock("candidates")}, {height + 40}, Qt::Vertical);
      QTRY_VERIFY(w->dock("candidates")->height() != height);
      QVERIFY(w->close());
    }
    const auto w = opened_again();
    QVERIFY(explored(*w));
    w->show_dock("code");
    QTest::qWait(0);
    code = w->dock("code")->size();
    candidates = w->dock("candidates")->size();
    for (int i = 0; i < 2; ++i) {
      action(*w, "view.maximise")->trigger();
      QTRY_VERIFY(w->docks()->maximised());
      action(*w, "view.maximise")->trigger();
      QTRY_VERIFY(!w->docks()->maximised());
      QTRY_VERIFY2(qAbs(w->dock("code")->width() - code.width()) <= 12 &&
                       qAbs(w->dock("code")->height() - code.height()) <= 12,
                   qPrintable(QString("%1 x %2").arg(w->dock("code")->width()).arg(w->dock("code")->height())));
      QVERIFY(qAbs(w->dock("candidates")->height() - candidates.height()) <= 12);
    }
  }

  void candidatesAreGoneBackTo() {
    const auto w = opened();
    QAction *back = action(*w, "go.back"), *forward = action(*w, "go.forward");
    QVERIFY(explore(*w) && ran(*w));
    for (const std::int64_t id : {2, 5, 3}) {
      w->candidates()->select(id);
      QTRY_COMPARE(w->selection()->current(), id);
    }
    w->selection()->choose_line(4);
    QVERIFY(back->isEnabled() && !forward->isEnabled());
    back->trigger();
    QCOMPARE(w->selection()->current(), std::int64_t{3});
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{2});
    forward->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
    forward->trigger();
    forward->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{3});
    QCOMPARE(w->selection()->line(), 4);
    QVERIFY(!forward->isEnabled());
    back->trigger();
    back->trigger();
    w->candidates()->select(6);  // what was forward is forgotten
    QTRY_VERIFY(!forward->isEnabled());
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
  }

  void findSearchesWhatHasTheFocus() {
    const auto w = opened();
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && w->candidates()->model()->judged() > 1);
    w->candidates()->select(2);
    const auto searched = [&](QWidget* focused) -> QWidget* {
      focused->setFocus();
      action(*w, "code.find")->trigger();
      for (const SearchBar* bar : w->findChildren<SearchBar*>())
        if (const auto* words = bar->findChild<QLineEdit*>("search_words"); words->hasFocus()) {
          QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);  // gives the focus back
          return QApplication::focusWidget();
        }
      return nullptr;
    };
    w->show_dock("diff");
    QTRY_VERIFY(w->diff()->shown() && w->diff()->view()->isVisible());
    QCOMPARE(searched(w->diff()->view()), w->diff()->view());
    QVERIFY(w->diff()->isVisible());
    w->show_dock("code");
    w->code()->set_pane(CodePanel::ptx_listing, true);
    QTRY_VERIFY(w->code()->ptx()->rows() > 0);
    QCOMPARE(searched(w->code()->ptx()), w->code()->ptx());
    QCOMPARE(searched(w->code()->source()), w->code()->source());
    CodeEditor* spec = w->describe()->spec_view()->editor();
    w->show_dock("describe");
    QCOMPARE(searched(spec), spec);
    QVERIFY(w->code()->source()->isVisible());
    QCOMPARE(searched(w->candidates()->table()), w->code()->source());
  }

  void theSearchBarIsWholeAt1280() {
    const auto w = opened();
    QVERIFY(explore(*w, 3));
    QTRY_VERIFY(!w->session()->running() && !w->code()->source()->text().isEmpty());
    for (const char* layout : {"explore", "profile", "review", "learn"}) {
      w->docks()->choose(layout);
      w->show_dock("code");
      QTest::qWait(50);
      w->code()->source()->setFocus();
      QTest::keyClick(w->code()->source(), Qt::Key_F, Qt::ControlModifier);
      auto* bar = w->code()->findChild<SearchBar*>();
      QTRY_VERIFY2(bar->isVisible(), layout);
      QTRY_COMPARE(bar->visibleRegion().boundingRect(), bar->rect());
      const QList<QWidget*> parts = bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
      for (const QWidget* part : parts)
        if (part->isVisible()) QVERIFY2(bar->rect().contains(part->geometry()), layout);
      QVERIFY2(bar->findChild<QLineEdit*>()->width() >= 100, layout);
      picture(*w, QString("find-") + layout);
      QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Escape);
    }
  }

  void dialogsOpenWhereAFileOfThatKindWasLast() {
    QDir(folder_->path()).mkpath("receipts");
    QDir(folder_->path()).mkpath("kernels");
    QFile file(folder_->filePath("kernels/relu.op"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("op relu(x: f32[N]) -> y: f32[N]\n{ y[i] = max(x[i], 0) }\n");
    file.close();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString first = QFileInfo(documents).isDir() ? documents : QDir::homePath();
    {
      const auto w = opened();
      const auto open_file = [&] { action(*w, "file.open_file")->trigger(); };
      QCOMPARE(folder_of_next(open_file), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(open_file, file.fileName()), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(open_file), QFileInfo(file).absolutePath());
      // Another kind has its own.
      const auto receipt = [&] { FileDialogs::instance().save(w.get(), FileKind::receipt, "Export", "receipt.json"); };
      QCOMPARE(folder_of_next(receipt, folder_->filePath("receipts/r.json")), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(receipt), QDir(folder_->filePath("receipts")).absolutePath());
      QVERIFY(w->close());
    }
    const auto again = opened();
    QCOMPARE(FileDialogs::instance().folder(FileKind::receipt), folder_->filePath("receipts"));
    QCOMPARE(FileDialogs::instance().folder(FileKind::chart), first);
    QVERIFY(QDir(folder_->filePath("receipts")).removeRecursively());
    QCOMPARE(FileDialogs::instance().folder(FileKind::receipt), first);  // it is gone
  }
};

WW_TEST_WITH_OWN_PATHS(RoomTest, QApplication)
#include "room_test.moc"
