// SPDX-License-Identifier: GPL-3.0-or-later
// The actions that open a dialog of the window while a candidate is selected, for its pictures and the test of them.
#pragma once
#include <array>

namespace ww::widgets {

constexpr std::array dialog_actions = {
    "help.palette",   "go.quick_open", "go.find",        "file.settings",   "file.models",
    "help.shortcuts", "help.about",    "candidates.tag", "candidates.note", "candidates.columns",
};

}  // namespace ww::widgets
