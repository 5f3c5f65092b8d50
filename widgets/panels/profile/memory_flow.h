// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate moves between its threads, the caches and device memory, read from its counters or its simulated
// counts. What neither has is unknown, with the reason.
#pragma once
#include <QStringList>
#include "session/profile_view.h"

class QPainter;
class QRectF;

namespace ww::widgets {

struct ChartSpot;

struct MemoryArrow {
  enum Id { load, store, l2_read, l2_write, dram_read, dram_write, shared_load, shared_store };
  QString title;  // "L2 to L1"
  double bytes = profile::unknown;
  Provenance provenance = Provenance::unknown;  // of the bytes
  QStringList facts;                            // "4.00 sectors a request"
  QString why_not;                              // no bytes, and why
};
struct MemoryFlow {
  Provenance provenance = Provenance::unknown;
  QList<MemoryArrow> arrows;         // in the order of Id
  QStringList l1, l2, dram, shared;  // facts of the places
  QString least;                     // modelled: what device memory moves at least
  QString why_not;
  struct Fact {
    QString where, what, value, provenance;  // or why it is not known
  };
  QList<Fact> table() const;  // all of it
};
MemoryFlow memory_flow(const ProfileView& view);

// Draws one flow into the box; `most`: bytes of the widest arrow of all flows that are compared.
QList<ChartSpot> paint_flow(QPainter& painter, const QRectF& box, const MemoryFlow& flow, double most);

}  // namespace ww::widgets
