// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window with the scripted engine, in a folder of its own.
#pragma once
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "session/session.h"
#include "shell/window/main_window.h"
#include "widgets/fake_engine.h"
#include "widgets/pictures.h"

namespace ww::test {

class WindowFixture {
 protected:
  void set_up() {
    folder_ = std::make_unique<QTemporaryDir>();
    engine_ = std::make_shared<FakeEngine>();
    QVERIFY(widgets::Theme::instance().apply("light"));
  }
  std::unique_ptr<widgets::MainWindow> open(widgets::WindowOptions options = {}) {
    return open_with(FakeEngine::services(engine_), std::move(options));
  }
  std::unique_ptr<widgets::MainWindow> open_with(const widgets::Services& services,
                                                 widgets::WindowOptions options = {}) {
    options.settings_file = folder_->filePath("settings.ini");
    if (options.workspace.isEmpty()) options.workspace = folder_->filePath("workspace");
    auto window = std::make_unique<widgets::MainWindow>(services, options);
    window->resize(1280, 800);
    window->show();
    return window;
  }
  // The active one, as shortcuts need it.
  std::unique_ptr<widgets::MainWindow> active(widgets::WindowOptions options = {}) {
    auto window = open(std::move(options));
    (void)QTest::qWaitForWindowActive(window.get());
    return window;
  }
  static bool explore(widgets::MainWindow& w, int candidates = 6) {
    generator::RunOptions options;
    options.spec = FakeEngine::softmax();
    options.budget.candidates = candidates;
    return w.session()->explore(options);
  }
  // Waits for the end of a run.
  static bool ran(const widgets::MainWindow& w, int candidates = 6) {
    return QTest::qWaitFor([&] { return !w.session()->running() && w.candidates()->model()->judged() == candidates; },
                           120000);
  }
  // The active window, with a finished run of six candidates.
  std::unique_ptr<widgets::MainWindow> explored() {
    auto window = active({.input = "softmax of 512 rows"});
    auto* explore = child<QPushButton>(window.get(), "explore");
    (void)QTest::qWaitFor([&] { return explore->isEnabled(); }, 120000);
    explore->click();
    if (!ran(*window)) qFatal("the run did not come to its end");
    return window;
  }
  template <class T>
  static T* child(QWidget* w, const char* name) {
    return w->findChild<T*>(name);
  }
  static void press(QWidget& w, const char* button) { child<QPushButton>(&w, button)->click(); }
  static QAction* action(widgets::MainWindow& w, const char* id) { return w.actions_registry()->action(id); }
  static void picture(QWidget& w, const QString& name) { save_picture(w, name); }

  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<FakeEngine> engine_;
};

}  // namespace ww::test
