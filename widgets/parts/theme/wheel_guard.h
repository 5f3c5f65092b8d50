// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel scrolls the page under the pointer. It changes the value of a box only if the box has the focus, and never
// moves the focus.
#pragma once

class QObject;

namespace ww::widgets {

void guard_against_wheel(QObject* owner);  // in the whole application

}  // namespace ww::widgets
