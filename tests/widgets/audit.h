// SPDX-License-Identifier: GPL-3.0-or-later
// Looks through a window's controls for what a person would trip over. Each function gives one sentence for each
// finding; none: all is well.
#pragma once
#include <QStringList>

class QWidget;

namespace ww::test {

QStringList texts(QWidget* root);         // all that can be read in it: labels, items, tooltips, pages
QStringList clipped(QWidget* root);       // a text does not fit, and no tooltip or scroll bar shows the rest
QStringList overlapping(QWidget* root);   // two visible siblings lie over each other
QStringList inaccessible(QWidget* root);  // a control without accessible name or role, or that no key reaches
QStringList elided(QWidget* root);        // a name or number loses its middle, or a cell is cut without a sign of it
QStringList nested_scrolling(QWidget* root);      // a scroll bar within what another one of that direction moves
QStringList invisible_indicators(QWidget* root);  // a check box without an edge, or focus that changes nothing
QStringList faint_placeholders(QWidget* root);    // a field's hint is hard to read on its ground
QStringList low_contrast();  // of the token pairs that the window writes with, in the present theme
// Colours in sight that the theme `before` has and the present one has not.
QStringList foreign_colours(QWidget* root, const QString& before);
bool blank(QWidget* panel);  // one colour all over

}  // namespace ww::test
