// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts for code without ligatures, so that "/=" is never drawn as one sign. A style strategy does not do: QScintilla
// replaces it, HTML cannot name it, and Qt can switch a font's features off only from 6.7 on. GUI thread only.
#pragma once
#include <QString>

namespace ww::widgets {

// A copy of that family, known to this program alone, that draws each character with its own glyph. The family itself
// if it has no ligatures or cannot be copied.
QString unligated(const QString& family);
bool is_unligated(const QString& family);  // such a copy

}  // namespace ww::widgets
