// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>
#include <vector>
#include "base/source.h"

namespace ww::widgets {

// Errors of a compiler's log ("candidate.cu(12): error: …") or of the reader of candidate files ("candidate:12:5:
// error: …"), placed in the text that they are about.
std::vector<Diagnostic> diagnostics_of_log(std::string_view text, std::string_view log);

}  // namespace ww::widgets
