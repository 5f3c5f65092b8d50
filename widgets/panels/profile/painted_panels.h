// SPDX-License-Identifier: GPL-3.0-or-later
// The profiler's panels with painted charts; the window only shows them. One file each.
#pragma once
#include "panels/profile/painted_panel.h"

namespace ww::widgets {

PaintedPanel* make_memory_panel(const Context& context);
PaintedPanel* make_instructions_panel(const Context& context);
PaintedPanel* make_stalls_panel(const Context& context);
PaintedPanel* make_timeline_panel(const Context& context);
PaintedPanel* make_hot_spots_panel(const Context& context);

}  // namespace ww::widgets
