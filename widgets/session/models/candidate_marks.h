// SPDX-License-Identifier: GPL-3.0-or-later
// The user's marks on a candidate.
#pragma once
#include <QString>
#include <QStringList>

namespace ww::widgets {

struct CandidateMarks {
  bool pinned = false, trashed = false;
  QString note;
  QStringList tags;  // in the order in which they were set
  bool any() const { return pinned || trashed || !note.isEmpty() || !tags.isEmpty(); }
  bool operator==(const CandidateMarks&) const = default;
};

}  // namespace ww::widgets
