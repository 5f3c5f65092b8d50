// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/memory_flow.h"
#include <cmath>
#include <QCoreApplication>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString flow_tr(const char* text) { return QCoreApplication::translate("MemoryFlow", text); }
QString flow_bytes(double bytes) {
  return std::isfinite(bytes) ? bytes_text(static_cast<std::int64_t>(bytes)) : dash();
}
QString each_text(double total, double by) {
  return std::isfinite(total) && by > 0 ? QString::number(total / by, 'f', 2) : QString();
}

QList<MemoryArrow> all_arrows() {
  return {{flow_tr("L1 to kernel (loads)"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("Kernel to L1 (stores)"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("L2 to L1"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("L1 to L2"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("Device memory to L2"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("L2 to device memory"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("Shared memory to kernel"), profile::unknown, Provenance::unknown, {}, {}},
          {flow_tr("Kernel to shared memory"), profile::unknown, Provenance::unknown, {}, {}}};
}

void give(MemoryArrow& arrow, double bytes, Provenance provenance, const QString& why_not) {
  arrow.bytes = bytes;
  if (std::isfinite(bytes))
    arrow.provenance = provenance;
  else
    arrow.why_not = why_not;
}

void add_requests(MemoryArrow& arrow, double requests, double sectors) {
  if (!std::isfinite(requests)) return;
  arrow.facts.append(flow_tr("%1 requests").arg(short_count(requests)));
  if (const QString each = each_text(sectors, requests); !each.isEmpty())
    arrow.facts.append(flow_tr("%1 sectors each").arg(each));
}

void add_rate(QStringList& facts, const QString& text, double percent) {
  if (std::isfinite(percent)) facts.append(text.arg(QString::number(percent, 'f', 1)));
}

void add_conflicts(QStringList& facts, double conflicts, double accesses) {
  if (!std::isfinite(conflicts)) return;
  facts.append(flow_tr("%1 bank conflicts").arg(short_count(conflicts)));
  if (const QString each = each_text(conflicts, accesses); !each.isEmpty() && conflicts > 0)
    facts.append(flow_tr("%1 an access").arg(each));
}

MemoryFlow measured_flow(const ProfileView& view) {
  MemoryFlow flow;
  flow.provenance = Provenance::measured;
  flow.arrows = all_arrows();
  const auto of = [&](const char* name) { return counter_of(view, name); };
  const auto sum = [&](const char* a, const char* b) {  // where one of two units was not counted the other is not all
    return of(a) + of(b);
  };
  const QString small = flow_tr("not in the small set of counters: count the full set");
  const double ld = of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
               st = of("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  give(flow.arrows[MemoryArrow::load], 32 * ld, flow.provenance, flow_tr("the counter is missing"));
  give(flow.arrows[MemoryArrow::store], 32 * st, flow.provenance, flow_tr("the counter is missing"));
  add_requests(flow.arrows[MemoryArrow::load], of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), ld);
  add_requests(flow.arrows[MemoryArrow::store], of("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), st);
  give(flow.arrows[MemoryArrow::l2_read],
       sum("l1tex__m_xbar2l1tex_read_bytes_pipe_lsu.sum", "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum"),
       flow.provenance, small);
  give(flow.arrows[MemoryArrow::l2_write],
       sum("l1tex__m_l1tex2xbar_write_bytes_pipe_lsu.sum", "l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum"),
       flow.provenance, small);
  give(flow.arrows[MemoryArrow::dram_read], of("dram__bytes_read.sum"), flow.provenance,
       flow_tr("the counter is missing"));
  give(flow.arrows[MemoryArrow::dram_write], of("dram__bytes_write.sum"), flow.provenance,
       flow_tr("the counter is missing"));
  add_rate(flow.l1, flow_tr("%1 % hits"), of("l1tex__t_sector_hit_rate.pct"));
  const double local =
      sum("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
  if (local > 0) flow.l1.append(flow_tr("local memory: %1 sectors").arg(short_count(local)));
  add_rate(flow.l2, flow_tr("%1 % hits"), of("lts__t_sector_hit_rate.pct"));
  if (const double all = of("lts__t_sectors.sum"); std::isfinite(all))
    flow.l2.append(flow_tr("%1 sectors").arg(short_count(all)));
  add_rate(flow.dram, flow_tr("%1 % of its peak"), of("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"));
  const double sld = of("smsp__inst_executed_op_shared_ld.sum"), sst = of("smsp__inst_executed_op_shared_st.sum");
  const QString no_bytes = flow_tr("bytes of shared memory are not counted by the hardware");
  flow.arrows[MemoryArrow::shared_load].why_not = flow.arrows[MemoryArrow::shared_store].why_not = no_bytes;
  if (std::isfinite(sld)) flow.arrows[MemoryArrow::shared_load].facts.append(flow_tr("%1 loads").arg(short_count(sld)));
  if (std::isfinite(sst))
    flow.arrows[MemoryArrow::shared_store].facts.append(flow_tr("%1 stores").arg(short_count(sst)));
  if (sld == 0) give(flow.arrows[MemoryArrow::shared_load], 0, flow.provenance, {});
  if (sst == 0) give(flow.arrows[MemoryArrow::shared_store], 0, flow.provenance, {});
  add_conflicts(flow.shared,
                sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
                sld + sst);
  if (view.launches.size() > 1 && flow.l1.isEmpty()) flow.l1.append(flow_tr("hit rate: known launch by launch only"));
  return flow;
}

MemoryFlow simulated_flow(const ProfileView& view) {
  MemoryFlow flow;
  flow.provenance = Provenance::simulated;
  flow.arrows = all_arrows();
  const auto of = [&](const char* name) { return simulated_of(view, name); };
  const QString none = flow_tr("the SIMT machine has no caches");
  give(flow.arrows[MemoryArrow::load], 32 * of("global_load_sectors"), flow.provenance, flow_tr("not counted"));
  give(flow.arrows[MemoryArrow::store], 32 * of("global_store_sectors"), flow.provenance, flow_tr("not counted"));
  add_requests(flow.arrows[MemoryArrow::load], of("global_load_requests"), of("global_load_sectors"));
  add_requests(flow.arrows[MemoryArrow::store], of("global_store_requests"), of("global_store_sectors"));
  const auto used = [&](MemoryArrow& arrow, double asked, double sectors) {
    if (sectors > 0 && std::isfinite(asked))
      arrow.facts.append(flow_tr("%1 % used").arg(QString::number(100 * asked / (32 * sectors), 'f', 0)));
  };
  used(flow.arrows[MemoryArrow::load], of("global_load_bytes"), of("global_load_sectors"));
  used(flow.arrows[MemoryArrow::store], of("global_store_bytes"), of("global_store_sectors"));
  for (const int at : {MemoryArrow::l2_read, MemoryArrow::l2_write, MemoryArrow::dram_read, MemoryArrow::dram_write})
    flow.arrows[at].why_not = none;
  flow.l1.append(flow_tr("hits not simulated"));
  flow.l2.append(flow_tr("hits not simulated"));
  if (view.roofline)
    flow.least = flow_tr("at least %1 read and %2 written (modelled)")
                     .arg(flow_bytes(view.roofline->bytes_read), flow_bytes(view.roofline->bytes_written));
  give(flow.arrows[MemoryArrow::shared_load], of("shared_load_bytes"), flow.provenance, flow_tr("not counted"));
  give(flow.arrows[MemoryArrow::shared_store], of("shared_store_bytes"), flow.provenance, flow_tr("not counted"));
  const auto shared = [&](MemoryArrow& arrow, double requests, double wavefronts) {
    if (!(requests > 0)) return;
    arrow.facts.append(flow_tr("%1 requests").arg(short_count(requests)));
    if (const QString each = each_text(wavefronts, requests); !each.isEmpty())
      arrow.facts.append(flow_tr("%1 wavefronts each").arg(each));
  };
  shared(flow.arrows[MemoryArrow::shared_load], of("shared_load_requests"), of("shared_load_wavefronts"));
  shared(flow.arrows[MemoryArrow::shared_store], of("shared_store_requests"), of("shared_store_wavefronts"));
  add_conflicts(flow.shared, of("bank_conflicts"), of("shared_load_requests") + of("shared_store_requests"));
  if (const double atomics = of("global_atomics"); atomics > 0)
    flow.l2.append(flow_tr("%1 atomics").arg(short_count(atomics)));
  if (const double local = of("local_load_requests") + of("local_store_requests"); local > 0)
    flow.l1.append(flow_tr("local memory: %1 requests").arg(short_count(local)));
  return flow;
}

}  // namespace

MemoryFlow memory_flow(const ProfileView& view) {
  if (has_counters(view)) return measured_flow(view);
  if (simulated(view)) return simulated_flow(view);
  MemoryFlow flow;
  flow.why_not = view.counters_why_not.empty() ? flow_tr("there are neither counters nor simulated counts of it")
                                               : qs(view.counters_why_not);
  return flow;
}

QList<MemoryFlow::Fact> MemoryFlow::table() const {
  QList<Fact> out;
  const QString known_by = enum_text(provenance);
  for (const MemoryArrow& a : arrows) {
    const bool known = std::isfinite(a.bytes);
    out.append({a.title, flow_tr("bytes"), known ? flow_bytes(a.bytes) : flow_tr("not measured"),
                known ? enum_text(a.provenance) : a.why_not});
    for (const QString& fact : a.facts) out.append({a.title, flow_tr("accesses"), fact, known_by});
  }
  const auto place = [&](const QString& where, const QStringList& facts) {
    for (const QString& fact : facts) out.append({where, flow_tr("facts"), fact, known_by});
  };
  place(flow_tr("L1 cache"), l1);
  place(flow_tr("L2 cache"), l2);
  place(flow_tr("Device memory"), dram);
  if (!least.isEmpty())
    out.append({flow_tr("Device memory"), flow_tr("facts"), least, enum_text(Provenance::modelled)});
  place(flow_tr("Shared memory"), shared);
  return out;
}

}  // namespace ww::widgets
