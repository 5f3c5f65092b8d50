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
};

}  // namespace ww::test
