// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of model services in the window: the keychain, keys for a session, refused keys, the settings page of models.
// Pictures go to <build>/screenshots.
#include <QCheckBox>
#include <QDirIterator>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QtTest>
#include "widgets/models_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {
constexpr const char* planted = "planted-key-0123456789abcdef";

}  // namespace

class WindowKeysTest : public QObject, test::ModelsFixture {
  Q_OBJECT

  std::unique_ptr<MainWindow> ready() {  // to explore with a model
    auto w = open();
    (void)QTest::qWaitFor([&] { return w->session()->ready(); }, 20000);
    w->describe()->form()->set_generator("model");
    return w;
  }
  // The settings page of models, with this service selected.
  static QWidget* models_page(MainWindow& w, int service) {
    press(&w, "model_settings");
    auto* page = child<QWidget>(&w, "models_page");
    auto* services = services_of(page);
    (void)QTest::qWaitFor([&] { return services->topLevelItemCount() == 3; });
    services->setCurrentItem(services->topLevelItem(service));
    return page;
  }
  static QTreeWidget* services_of(QWidget* page) { return child<QTreeWidget>(page, "services"); }
  // Asks the service for its list, and agrees.
  static void check(QWidget* page) {
    press(page, "check_service");
    if (QDialog* box = page->findChild<QDialog*>("ask_for_list")) press(box, "ask_for_list_yes");
  }

 private slots:
  void init() {
    set_up();
    keys_ = std::make_shared<test::FakeKeyStore>();
  }
  void cleanup() { engine_->release(); }

  void keysGoToTheKeychainAlone() {
    {
      auto w = ready();
      auto* model = child<QComboBox>(w.get(), "model");
      model->setEditText("keyless:big");
      QTRY_VERIFY(child<QLabel>(w.get(), "model_note")->text().contains("needs a key"));
      auto* page = models_page(*w, 1);
      auto* key = child<QLineEdit>(page, "service_key");
      QCOMPARE(key->echoMode(), QLineEdit::Password);
      QCOMPARE(child<QLabel>(page, "key_state")->text(), QString("not set"));
      QVERIFY(!child<QPushButton>(page, "set_key")->isEnabled() &&
              !child<QPushButton>(page, "forget_key")->isEnabled());
      QTest::keyClicks(key, planted);
      press(page, "set_key");
      QVERIFY(key->text().isEmpty());
      QTRY_COMPARE(QString::fromStdString(keys_->kept["keyless"]), QString(planted));
      QTRY_COMPARE(child<QLabel>(page, "key_state")->text(), QString("in the keychain"));
      QTRY_VERIFY(!child<QLabel>(w.get(), "model_note")->text().contains("needs a key"));  // the form knows at once
      check(page);
      QTRY_VERIFY(child<QLabel>(page, "service_answer")->text().contains("Nobody answers"));
      services_of(page)->setCurrentItem(services_of(page)->topLevelItem(0));
      check(page);
      QTRY_COMPARE(child<QLabel>(page, "service_answer")->text(),
                   QString("The server responded and lists 3 models: unpriced, writer-1, new-2."));
      QVERIFY(child<QLabel>(page, "key_state")->text().contains("environment"));
      picture(*page, "models-page-light");
      QVERIFY(w->close());
    }
    // The settings hold the service's name, and the key is nowhere on the disk.
    QFile file(folder_->filePath("settings.ini"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray settings = file.readAll();
    QVERIFY(settings.contains("keyless") && !settings.contains(planted));
    // The next start reads it back; forgetting it removes it.
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    QTRY_VERIFY(!child<QLabel>(w.get(), "model_note")->text().contains("needs a key"));
    auto* page = models_page(*w, 1);
    QTRY_VERIFY(child<QPushButton>(page, "forget_key")->isEnabled());
    press(page, "forget_key");
    QTRY_VERIFY(keys_->kept.empty());
    QTRY_COMPARE(child<QLabel>(page, "key_state")->text(), QString("not set"));
  }

  void aKeyForThisSessionIsWrittenNowhere() {
    {
      auto w = ready();
      child<QComboBox>(w.get(), "model")->setEditText("keyless:big");
      auto* page = models_page(*w, 1);
      child<QCheckBox>(page, "key_for_session")->click();
      QTest::keyClicks(child<QLineEdit>(page, "service_key"), planted);
      press(page, "set_key");
      QTRY_COMPARE(child<QLabel>(page, "key_state")->text(), QString("for this session"));
      QTRY_VERIFY(!child<QLabel>(w.get(), "model_note")->text().contains("needs a key"));
      QCOMPARE(engine_->key_of("keyless")->reveal(), std::string_view(planted));
      QVERIFY(keys_->kept.empty());
      // Forgotten by hand, and given again.
      press(page, "forget_key");
      QTRY_COMPARE(child<QLabel>(page, "key_state")->text(), QString("not set"));
      QTest::keyClicks(child<QLineEdit>(page, "service_key"), planted);
      press(page, "set_key");
      QTRY_COMPARE(child<QLabel>(page, "key_state")->text(), QString("for this session"));
      QVERIFY(w->close());
    }
    QVERIFY(keys_->kept.empty());
    QDirIterator files(folder_->path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY2(!file.readAll().contains(planted), qPrintable(file.fileName()));
    }
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    QVERIFY(!engine_->key_of("keyless"));
  }

  void aRefusedKeyIsSaidAsSuch() {
    engine_->refuses_keys = true;
    auto w = ready();
    auto* page = models_page(*w, 0);
    const auto* services = services_of(page);
    QCOMPARE(services->topLevelItem(0)->text(3), QString("not tried yet"));
    check(page);
    auto* answer = child<QLabel>(page, "service_answer");
    QTRY_COMPARE(answer->text(), QString("Remote refused the key. Enter another in Settings → Models."));
    QCOMPARE(answer->property("role").toString(), QString("error"));
    QTRY_COMPARE(services->topLevelItem(0)->text(3), QString("refuses"));
  }

  void noServiceIsAskedForItsModelsWithoutPermission() {
    auto w = ready();
    auto* page = models_page(*w, 0);
    press(page, "check_service");
    auto* box = page->findChild<QMessageBox*>("ask_for_list");
    QVERIFY(box);
    QVERIFY2(box->text().contains("api.remote.example"), qPrintable(box->text()));
    QCOMPARE(box->informativeText(), QString("Only the key is sent."));
    box->reject();
    QTRY_VERIFY(!page->findChild<QMessageBox*>("ask_for_list"));
    QCOMPARE(engine_->asked_for_lists.load(), 0);
    check(page);
    QTRY_COMPARE(engine_->asked_for_lists.load(), 1);
    QTRY_VERIFY(child<QLabel>(page, "service_answer")->text().contains("lists 3 models"));
    press(page, "check_service");  // it was for once
    QVERIFY(page->findChild<QMessageBox*>("ask_for_list"));
    page->findChild<QMessageBox*>("ask_for_list")->reject();

    QVERIFY(engine_->allow("api.remote.example", {.sources = false}));
    w->findChild<QDialog*>("settings")->reject();
    QTRY_VERIFY(!w->findChild<QWidget*>("models_page"));
    page = models_page(*w, 0);
    press(page, "check_service");
    QVERIFY(!page->findChild<QMessageBox*>("ask_for_list"));
    QTRY_COMPARE(engine_->asked_for_lists.load(), 2);
  }

  void listedModelsAreKeptWhenSettingsOpenAgain() {
    auto w = ready();
    auto* models = w->describe()->form()->models()->findChild<ModelCombo*>();
    QTRY_VERIFY(models->count() > 0);
    QCOMPARE(models->findText("remote:new-2"), -1);
    QPointer<QWidget> page = models_page(*w, 0);
    check(page);
    QTRY_VERIFY(models->findText("remote:new-2") >= 0);  // can be chosen at once
    w->findChild<QDialog*>("settings")->reject();
    QTRY_VERIFY(!page);
    page = models_page(*w, 0);
    const auto* services = services_of(page);
    QCOMPARE(services->topLevelItem(0)->text(3), reach_text(Reach::answers));
    QVERIFY(child<QLabel>(page, "service_answer")->text().contains("new-2"));
    // Another key may see other models.
    QTest::keyClicks(child<QLineEdit>(page, "service_key"), planted);
    press(page, "set_key");
    QTRY_COMPARE(services->topLevelItem(0)->text(3), reach_text(Reach::untried));
    QVERIFY(!child<QLabel>(page, "service_answer")->isVisible());
    QTRY_COMPARE(models->findText("remote:new-2"), -1);
  }

  void withoutAKeychainThePageNamesTheVariable() {
    keys_->problem = "There is no keychain service on this machine.";
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    QVERIFY(engine_->allow("api.remote.example", {false, false, true}));
    emit w->describe()->settings_wanted();
    auto* page = child<QWidget>(w.get(), "models_page");
    auto* services = child<QTreeWidget>(page, "services");
    QTRY_COMPARE(services->topLevelItemCount(), 3);
    services->setCurrentItem(services->topLevelItem(1));
    auto* note = child<QLabel>(page, "no_keychain");
    QTRY_VERIFY(note->isVisible());
    QVERIFY2(note->text().contains("no keychain service") && note->text().contains("KEYLESS_API_KEY"),
             qPrintable(note->text()));
    // What can be had is a key for this session.
    auto* only = child<QCheckBox>(page, "key_for_session");
    QVERIFY(only->isChecked() && !only->isEnabled());
    QVERIFY(child<QLineEdit>(page, "service_key")->isEnabled());
    // Allowed hosts, and taking one back.
    auto* hosts = child<QTreeWidget>(page, "hosts");
    QTRY_COMPARE(hosts->topLevelItemCount(), 1);
    QCOMPARE(hosts->topLevelItem(0)->text(2), QString("the op, device name"));
    hosts->setCurrentItem(hosts->topLevelItem(0));
    QVERIFY(Theme::instance().apply("dark"));
    picture(*page, "models-page-dark");
    press(page, "forget_host");
    QTRY_COMPARE(hosts->topLevelItemCount(), 0);
    QVERIFY(engine_->consents()->empty());
  }
};

QTEST_MAIN(WindowKeysTest)
#include "window_keys_test.moc"
