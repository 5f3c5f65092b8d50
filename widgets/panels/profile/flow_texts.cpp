// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/flow_texts.h"
#include <cmath>
#include <QCoreApplication>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString flow_tr(const char* text) { return QCoreApplication::translate("MemoryFlow", text); }

// Adds what is known; "%1" of the text is the number.
void add_count(QStringList& facts, const char* text, double number) {
  if (std::isfinite(number)) facts.append(flow_tr(text).arg(short_count(number)));
}
void add_number(QStringList& facts, const char* text, double number, int decimals) {
  if (std::isfinite(number)) facts.append(flow_tr(text).arg(QString::number(number, 'f', decimals)));
}

}  // namespace

QString arrow_title(const MemoryArrow& arrow) { return qs(title_of(arrow.path)); }

QString arrow_bytes(const MemoryArrow& arrow) {
  return std::isfinite(arrow.bytes) ? bytes_text(static_cast<std::int64_t>(arrow.bytes)) : QString();
}

QStringList arrow_facts(const MemoryFlow& flow, const MemoryArrow& arrow) {
  QStringList facts;
  const bool measured = flow.provenance == Provenance::measured;
  add_count(facts,
            measured && arrow.path == MemoryPath::shared_load    ? QT_TRANSLATE_NOOP("MemoryFlow", "%1 loads")
            : measured && arrow.path == MemoryPath::shared_store ? QT_TRANSLATE_NOOP("MemoryFlow", "%1 stores")
                                                                 : QT_TRANSLATE_NOOP("MemoryFlow", "%1 requests"),
            arrow.requests);
  add_number(facts, QT_TRANSLATE_NOOP("MemoryFlow", "%1 sectors each"), arrow.sectors_each, 2);
  add_number(facts, QT_TRANSLATE_NOOP("MemoryFlow", "%1 % used"), 100 * arrow.used, 0);
  add_number(facts, QT_TRANSLATE_NOOP("MemoryFlow", "%1 wavefronts each"), arrow.wavefronts_each, 2);
  return facts;
}

PlaceFacts place_facts(const MemoryFlow& flow) {
  PlaceFacts facts;
  for (const auto& [list, hits] : {std::pair(&facts.l1, flow.l1_hits), {&facts.l2, flow.l2_hits}}) {
    add_number(*list, QT_TRANSLATE_NOOP("MemoryFlow", "%1 % hits"), hits, 1);
    if (list->isEmpty() && !flow.hits_why_not.empty()) list->append(qs(flow.hits_why_not));
  }
  add_count(facts.l1, QT_TRANSLATE_NOOP("MemoryFlow", "local memory: %1 sectors"), flow.local_sectors);
  add_count(facts.l1, QT_TRANSLATE_NOOP("MemoryFlow", "local memory: %1 requests"), flow.local_requests);
  add_count(facts.l2, QT_TRANSLATE_NOOP("MemoryFlow", "%1 sectors"), flow.l2_sectors);
  add_count(facts.l2, QT_TRANSLATE_NOOP("MemoryFlow", "%1 atomics"), flow.atomics);
  add_number(facts.dram, QT_TRANSLATE_NOOP("MemoryFlow", "%1 % of its peak"), flow.dram_percent, 1);
  add_count(facts.shared, QT_TRANSLATE_NOOP("MemoryFlow", "%1 bank conflicts"), flow.bank_conflicts);
  add_number(facts.shared, QT_TRANSLATE_NOOP("MemoryFlow", "%1 per access"), flow.conflicts_each, 2);
  if (std::isfinite(flow.least_read))
    facts.least = flow_tr("at least %1 read and %2 written (modelled)")
                      .arg(bytes_text(static_cast<std::int64_t>(flow.least_read)),
                           bytes_text(static_cast<std::int64_t>(flow.least_written)));
  return facts;
}

QList<FlowFact> flow_table(const MemoryFlow& flow) {
  QList<FlowFact> out;
  const QString known_by = enum_text(flow.provenance);
  for (const MemoryArrow& a : flow.arrows) {
    const QString bytes = arrow_bytes(a);
    out.append({arrow_title(a), flow_tr("bytes"), bytes.isEmpty() ? flow_tr("not measured") : bytes,
                bytes.isEmpty() ? qs(a.why_not) : known_by});
    for (const QString& fact : arrow_facts(flow, a)) out.append({arrow_title(a), flow_tr("accesses"), fact, known_by});
  }
  const PlaceFacts facts = place_facts(flow);
  const auto place = [&](const QString& where, const QStringList& list) {
    for (const QString& fact : list) out.append({where, flow_tr("facts"), fact, known_by});
  };
  place(flow_tr("L1 cache"), facts.l1);
  place(flow_tr("L2 cache"), facts.l2);
  place(flow_tr("Device memory"), facts.dram);
  if (!facts.least.isEmpty())
    out.append({flow_tr("Device memory"), flow_tr("facts"), facts.least, enum_text(Provenance::modelled)});
  place(flow_tr("Shared memory"), facts.shared);
  return out;
}

}  // namespace ww::widgets
