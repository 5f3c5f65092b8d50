// SPDX-License-Identifier: GPL-3.0-or-later
// A window on its start page, with a scripted engine.
#pragma once
#include <QtTest>
#include "parts/theme/label.h"
#include "widgets/window_fixture.h"

namespace ww::test {

class StartFixture : public WindowFixture {
 protected:
  std::unique_ptr<widgets::MainWindow> open_bare() {
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    auto window = std::make_unique<widgets::MainWindow>(
        FakeEngine::services(engine_), widgets::WindowOptions{.settings_file = folder_->filePath("settings.ini")});
    window->resize(1280, 800);
    window->show();
    window->activateWindow();
    return window;
  }
  static void type(QWidget* into, const QString& text) { QTest::keyClicks(into, text); }
  static QString reading(widgets::MainWindow& w) { return child<widgets::Label>(&w, "start_reading")->text(); }
};

}  // namespace ww::test
