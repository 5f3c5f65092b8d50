// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs of the whole window: opened once, typed into at once, and left without losing a text.
#include <QDialogButtonBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTreeView>
#include <sys/stat.h>
#include "panels/candidates/candidate_panel.h"
#include "parts/plan_form.h"
#include "session/file_types.h"
#include "session/folder_dialog.h"
#include "session/marks.h"
#include "shell/window/dialogs.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class DialogsTest : public QObject, test::WindowFixture {
  Q_OBJECT

  std::unique_ptr<MainWindow> with_candidate() {  // that is selected
    auto w = explored();
    w->show_dock("candidates");
    w->candidates()->select(2);
    return w;
  }
  static QList<QDialog*> open_dialogs() {
    QList<QDialog*> list;
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* dialog = qobject_cast<QDialog*>(top); dialog && dialog->isVisible()) list << dialog;
    return list;
  }
  static QPlainTextEdit* note_of(MainWindow& w) {
    auto* dialog = child<QInputDialog>(&w, "note_dialog");
    return dialog && dialog->isVisible() ? dialog->findChild<QPlainTextEdit*>() : nullptr;
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void whatIsTypedIsNotLostByEscape() {
    auto w = with_candidate();
    action(*w, "candidates.note")->trigger();
    QTRY_VERIFY(note_of(*w));
    QPointer<QDialog> dialog = child<QInputDialog>(w.get(), "note_dialog");
    QTest::keyClicks(note_of(*w), "a long thought");
    QTest::keyClick(note_of(*w), Qt::Key_Escape);
    auto* box = child<QMessageBox>(dialog, "discard_text");
    QVERIFY(box && box->isVisible() && dialog->isVisible());
    QCOMPARE(box->defaultButton(), box->findChild<QPushButton*>("discard_text_no"));
    picture(*box, "discard-text");
    QTest::mouseClick(box->findChild<QPushButton*>("discard_text_no"), Qt::LeftButton);
    QTRY_VERIFY(!dialog->findChild<QMessageBox*>("discard_text"));
    QVERIFY(dialog->isVisible());
    QCOMPARE(note_of(*w)->toPlainText(), QString("a long thought"));
    QTest::keyClick(note_of(*w), Qt::Key_Escape);
    QTest::mouseClick(child<QPushButton>(dialog, "discard_text_yes"), Qt::LeftButton);
    QTRY_VERIFY(!dialog);
    QVERIFY(w->candidates()->model()->marks(2).note.isEmpty());
    // Nothing typed: nothing is asked.
    action(*w, "candidates.note")->trigger();
    QTRY_VERIFY(note_of(*w));
    QTest::keyClick(note_of(*w), Qt::Key_Escape);
    QTRY_VERIFY(!w->findChild<QInputDialog*>("note_dialog"));
    // Another one, closed by its window's button.
    action(*w, "candidates.tag")->trigger();
    QPointer<QDialog> tags = child<QDialog>(w.get(), "tag_dialog");
    QVERIFY(tags);
    QTest::keyClicks(child<QLineEdit>(tags, "new_tags"), "fast");
    tags->close();
    QVERIFY(tags && tags->isVisible());
    QVERIFY(child<QMessageBox>(tags, "discard_text"));
    QTest::mouseClick(child<QPushButton>(tags, "discard_text_yes"), Qt::LeftButton);
    QTRY_VERIFY(!tags);
  }

  // They come before the dialog's window has the focus.
  void whatIsTypedAfterTheKeyThatOpensADialogGoesIntoIt() {
    auto w = with_candidate();
    QTableView* table = w->candidates()->table();
    table->setFocus();
    QTest::keyClick(table, Qt::Key_N);
    QTRY_VERIFY(note_of(*w));
    QTest::keyClicks(table, "not now");
    QCOMPARE(open_dialogs().size(), 1);
    QCOMPARE(note_of(*w)->toPlainText(), QString("not now"));
    QTest::keyClick(note_of(*w), Qt::Key_Escape);
    QTest::mouseClick(child<QPushButton>(w.get(), "discard_text_yes"), Qt::LeftButton);
    QTRY_VERIFY(open_dialogs().isEmpty());
    // As the window system sends them: the shortcuts are found though their window is blocked.
    table->setFocus();
    action(*w, "candidates.note")->trigger();
    QTRY_VERIFY(note_of(*w));
    w->activateWindow();
    table->setFocus();
    if (QTest::qWaitFor([&] { return table->hasFocus(); }, 1000)) {
      for (const Qt::Key key : {Qt::Key_N, Qt::Key_T}) QTest::keyClick(w->windowHandle(), key);
      QCOMPARE(open_dialogs().size(), 1);
      QCOMPARE(note_of(*w)->toPlainText(), QString("nt"));
    }
    child<QInputDialog>(w.get(), "note_dialog")->reject();
    QTRY_VERIFY(open_dialogs().isEmpty());
    // Where there is no field, they are nobody's.
    action(*w, "candidates.columns")->trigger();
    QTRY_COMPARE(open_dialogs().size(), 1);
    QTest::keyClicks(table, "nt");
    QCOMPARE(open_dialogs().size(), 1);
    QTest::keyClick(table, Qt::Key_Escape);
    QTRY_VERIFY(open_dialogs().isEmpty());
  }

  void eachDialogOpensOnce() {
    auto w = with_candidate();
    for (const NamedDialog& dialog : dialogs_of(*w)) {
      if (dialog.name == "delete_run") continue;  // it asks the store first
      dialog.open();
      QTRY_VERIFY2(!open_dialogs().isEmpty(), qPrintable(dialog.name));
      dialog.open();
      QTest::qWait(0);
      QVERIFY2(open_dialogs().size() == 1, qPrintable(dialog.name));
      open_dialogs().first()->reject();
      QTRY_VERIFY2(open_dialogs().isEmpty(), qPrintable(dialog.name));
    }
  }

  void aFolderThatIsNotThereCanBeChosen() {
    QTemporaryDir within;
    FolderDialog dialog(nullptr, "Choose a folder", within.path(), "kernel_17");
    dialog.open();
    QTRY_VERIFY(dialog.isVisible());
    auto* choose = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    QTRY_VERIFY(choose->isEnabled());
    auto* typed = child<QLineEdit>(&dialog, "fileNameEdit");
    typed->setText("another");
    QTRY_VERIFY(choose->isEnabled());
    choose->click();
    QCOMPARE(dialog.chosen(), within.filePath("another"));
    // Quotes are part of a name.
    for (const QString name : {"say \"b\" now", "exp pt \"q'\u00fc", "a 'b'"}) {
      FolderDialog next(nullptr, "Choose a folder", within.path(), {});
      next.open();
      child<QLineEdit>(&next, "fileNameEdit")->setText(name);
      QTRY_VERIFY(next.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open)->isEnabled());
      next.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open)->click();
      QCOMPARE(next.chosen(), within.filePath(name));
    }
    FolderDialog blank(nullptr, "Choose a folder", within.path(), {});
    blank.open();
    child<QLineEdit>(&blank, "fileNameEdit")->setText("   ");
    blank.accept();
    QVERIFY(blank.isVisible() && blank.chosen().isEmpty());
  }

  // However fast it is typed.
  void aPathIsTakenAsItIsTyped() {
    QTemporaryDir within;
    QVERIFY(QDir(within.path()).mkpath("deep/deeper"));
    FolderDialog dialog(nullptr, "Choose a folder", within.path(), {});
    dialog.open();
    QTRY_VERIFY(dialog.isVisible());
    auto* typed = child<QLineEdit>(&dialog, "fileNameEdit");
    const QString path = within.filePath("deep/deeper/new");
    for (const QChar c : path) {
      QTest::keyClick(typed, c.toLatin1());
      QCoreApplication::processEvents();
    }
    QCOMPARE(typed->text(), path);
    dialog.accept();
    QCOMPARE(dialog.chosen(), path);
  }

  void aFileIsNotAFolder() {
    QTemporaryDir within;
    QFile file(within.filePath("kernel.cu"));
    QVERIFY(file.open(QFile::WriteOnly));
    FolderDialog dialog(nullptr, "Choose a folder", within.path(), {});
    dialog.open();
    child<QLineEdit>(&dialog, "fileNameEdit")->setText(file.fileName());
    dialog.accept();
    auto* box = dialog.findChild<QMessageBox*>("not_a_folder");
    QVERIFY(box && box->isVisible());
    QCOMPARE(box->text(), "kernel.cu is a file.");
    box->accept();
    QVERIFY(dialog.isVisible() && dialog.chosen().isEmpty());
  }

  // Files that wait for whoever writes to them, as those of /proc do.
  void filesAreNotReadToBeListed() {
    QTemporaryDir within;
    const QString pipe = within.filePath("waits");
    QVERIFY(mkfifo(pipe.toLocal8Bit().constData(), 0600) == 0);
    QCOMPARE(file_types()->type(QFileInfo(pipe)), QString("File"));
    QVERIFY(!file_types()->icon(QFileInfo(within.path())).isNull());
    FolderDialog dialog(nullptr, "Choose a folder", within.path(), {});
    QCOMPARE(dialog.iconProvider(), file_types());
    // Dates are shown whole.
    dialog.open();
    const auto* files = child<QTreeView>(&dialog, "treeView");
    QCOMPARE(files->header()->sectionResizeMode(3), QHeaderView::ResizeToContents);
  }

  void aLongQueryLeavesTheDialogItsWidth() {
    auto w = with_candidate();
    action(*w, "go.find")->trigger();
    auto* find = child<QDialog>(w.get(), "find_everywhere");
    QTRY_VERIFY(find && find->isVisible());
    const int width = find->width();
    child<QLineEdit>(find, "find_words")->setText(QString("a word of a long query ").repeated(40));
    QTRY_VERIFY(child<QLabel>(find, "find_sentence")->text().startsWith("Looking for") ||
                child<QLabel>(find, "find_sentence")->text().startsWith("No matches"));
    QTest::qWait(0);
    QCOMPARE(find->width(), width);
    QVERIFY(find->minimumSizeHint().width() <= width);
  }
};

QTEST_MAIN(DialogsTest)
#include "dialogs_test.moc"
