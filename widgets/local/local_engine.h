// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include "session/engine.h"

namespace ww::widgets {

std::shared_ptr<Engine> make_local_engine();  // the engine itself, in this process (workers apart); nothing is loaded
                                              // yet

}  // namespace ww::widgets
