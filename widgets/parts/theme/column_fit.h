// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns give way where a table has no room for all of them.
#pragma once
#include <QList>
#include <QMap>

class QHeaderView;

namespace ww::widgets {

int column_width(QHeaderView& header, int column);  // also of a hidden one

// The fewest of `order`, from its first on, without which the others of `widths` (by column) fit in `room` pixels. All
// of them, if even that does not help.
QList<int> columns_without_room(const QMap<int, int>& widths, const QList<int>& order, int room);

}  // namespace ww::widgets
