// SPDX-License-Identifier: GPL-3.0-or-later
// Icons in the colours of the theme at the time they are drawn, so that holders need not replace them. GUI thread.
#pragma once
#include <QIcon>
#include <QString>

namespace ww::widgets {

// `most`: not drawn larger, in points; 0: as large as asked for.
QIcon themed_icon(const QString& name, const QString& token, int most);

}  // namespace ww::widgets
