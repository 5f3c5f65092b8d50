// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace ww::widgets {

// Long work that is not a run.
enum class Work : std::uint8_t { measuring, judging, signing, importing, exporting };

}  // namespace ww::widgets
