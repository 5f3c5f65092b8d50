// SPDX-License-Identifier: GPL-3.0-or-later
// The window's grid: every gap and margin is one of these, in pixels at scale 1. Half a step separates parts of a
// group.
#pragma once
#include <QMargins>

namespace ww::widgets {

namespace grid {
constexpr int half = 4, step = 8, wide = 16, section = 24;
constexpr QMargins panel{step, step, step, step};  // the content of a panel
constexpr QMargins bar{step, half, step, half};    // a row of controls across a panel
constexpr QMargins page{wide, wide, wide, wide};   // a page of text, a dialog
constexpr QMargins open_page{section, section, section, section};
}  // namespace grid

}  // namespace ww::widgets
