// SPDX-License-Identifier: GPL-3.0-or-later
// A panel that shows a run, and where it asked the window to go.
#pragma once
#include "widgets/panel_fixture.h"

namespace ww::test {

struct Bench : PanelFixture {
  QStringList went;  // actions of the window that a panel asked for
  Bench() {
    for (const char* id : {"go.code", "go.diff"}) registry.add(id, "Go", id, {}, {}, id, [this, id] { went += id; });
  }
  template <class Panel>
  Panel* show() {
    return PanelFixture::show(new Panel(context));
  }
  // A panel that shows a run of six, which waits once so many are judged.
  template <class Panel>
  Panel* show_waiting(int judged) {
    engine->hold_before(judged);
    Panel* panel = show<Panel>();
    if (!open() || !session.explore(options(6)) || !QTest::qWaitFor([&] { return model.judged() == judged; }, 20000))
      qFatal("no run that waits");
    return panel;
  }
};

}  // namespace ww::test
