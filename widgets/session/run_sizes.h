// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include "store/workspace.h"

namespace ww::widgets {

QString proved_text(const store::RunRecord& run);  // "22 of 24 proved"; "7 imported, not judged here"
QString run_line(const store::RunRecord& run);     // "Run 3: softmax 512 × 1024, 22 of 24 proved, today 14:02"
QString run_sizes(const store::RunRecord& run);    // "512 × 1024", in the order of the op's symbols; empty: not known

}  // namespace ww::widgets
