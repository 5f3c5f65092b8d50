// SPDX-License-Identifier: GPL-3.0-or-later
// The window with the scripted engine, in the layout in which runs are explored.
#pragma once
#include "panels/describe/describe_panel.h"
#include "shell/window/docks.h"
#include "widgets/window_fixture.h"

namespace ww::test {

class RoomFixture : protected WindowFixture {
 protected:
  std::unique_ptr<widgets::MainWindow> opened() {
    auto w = active({.input = "softmax of 512 rows"});
    w->docks()->choose("explore");
    (void)QTest::qWaitFor([&] { return w->session()->ready(); }, 20000);
    QTest::qWait(50);
    return w;
  }
  static bool explored(widgets::MainWindow& w) {
    if (!QTest::qWaitFor([&] { return w.describe()->can_explore(); }, 20000)) return false;
    press(w, "explore");
    return ran(w);
  }
  std::unique_ptr<widgets::MainWindow> opened_again() {  // with what the last one showed
    auto w = open();
    (void)QTest::qWaitFor([&] { return w->candidates()->model()->judged() == 6; }, 20000);
    return w;
  }
  static void resize(widgets::MainWindow& w, QSize size) {
    w.resize(size);
    QTest::qWait(50);  // sizes follow between events
  }
};

}  // namespace ww::test
