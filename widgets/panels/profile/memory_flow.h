// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate moves between its threads, the caches and device memory, read from its counters or its simulated
// counts. What neither says is not known, and the reason stands with it.
#pragma once
#include <QStringList>
#include "session/profile_view.h"

namespace ww::widgets {

struct MemoryArrow {
  enum Id { load, store, l2_read, l2_write, dram_read, dram_write, shared_load, shared_store };
  QString title;  // "L2 to L1"
  double bytes = profile::unknown;
  QString provenance;  // of the bytes: "measured", "simulated"; empty: not known
  QStringList facts;   // "4.00 sectors a request"
  QString why_not;     // no bytes, and why
};
struct MemoryFlow {
  QString provenance;                // "measured", "simulated"; empty: nothing is known
  QList<MemoryArrow> arrows;         // in the order of Id
  QStringList l1, l2, dram, shared;  // facts of the places
  QString why_not;
  struct Fact {
    QString where, what, value, provenance;
  };
  QList<Fact> table() const;  // all of it
};
MemoryFlow memory_flow(const ProfileView& view);

}  // namespace ww::widgets
