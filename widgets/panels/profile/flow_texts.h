// SPDX-License-Identifier: GPL-3.0-or-later
// A memory flow as text, and as a picture.
#pragma once
#include <QStringList>
#include "session/profile_view.h"

class QPainter;
class QRectF;

namespace ww::widgets {

struct ChartSpot;
using measure::MemoryArrow;
using measure::MemoryFlow;
using measure::MemoryPath;

QString arrow_title(const MemoryArrow& arrow);
QString arrow_bytes(const MemoryArrow& arrow);                              // empty: unknown
QStringList arrow_facts(const MemoryFlow& flow, const MemoryArrow& arrow);  // "4.00 sectors each"
struct PlaceFacts {
  QStringList l1, l2, dram, shared;
  QString least;  // modelled: the minimum traffic of device memory
};
PlaceFacts place_facts(const MemoryFlow& flow);

struct FlowFact {
  QString where, what, value, provenance;  // or the reason if unknown
};
QList<FlowFact> flow_table(const MemoryFlow& flow);  // all of it

// Draws one flow into the box; `most`: bytes of the widest arrow of all compared flows.
// noted: with what holds for all numbers; of several flows, one says it.
QList<ChartSpot> paint_flow(QPainter& painter, const QRectF& box, const MemoryFlow& flow, double most,
                            bool noted = true);

}  // namespace ww::widgets
