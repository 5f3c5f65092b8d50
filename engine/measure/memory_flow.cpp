// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_flow.h"
#include <cmath>

namespace ww::measure {
namespace {

constexpr double flow_sector_bytes = 32;

double per(double total, double by) { return std::isfinite(total) && by > 0 ? total / by : profile::unknown; }
double positive(double value) { return value > 0 ? value : profile::unknown; }

class Flow {
 public:
  explicit Flow(Provenance provenance) {
    flow_.provenance = provenance;
    for (const auto& path : names_of(MemoryPath())) flow_.arrows.emplace_back().path = path.value;
  }

 protected:
  MemoryArrow& at(MemoryPath path) { return flow_.arrows[static_cast<std::size_t>(path)]; }
  void give(MemoryPath path, double bytes, const char* why_not) {
    at(path).bytes = bytes;
    if (!std::isfinite(bytes)) at(path).why_not = why_not;
  }
  void give_sectors(MemoryPath path, double sectors, double requests, const char* why_not) {
    give(path, flow_sector_bytes * sectors, why_not);
    at(path).requests = requests;
    at(path).sectors_each = per(sectors, requests);
  }
  void give_conflicts(double conflicts, double accesses) {
    flow_.bank_conflicts = conflicts;
    if (conflicts > 0) flow_.conflicts_each = per(conflicts, accesses);
  }
  MemoryFlow flow_;
};

class MeasuredFlow : Flow {
 public:
  explicit MeasuredFlow(const CandidateProfile& view) : Flow(Provenance::measured), view_(view) {}

  MemoryFlow read() {
    using enum MemoryPath;
    const char *missing = "the counter is missing", *small = "not in the small set of counters: count the full set",
               *no_bytes = "bytes of shared memory are not counted by the hardware";
    give_sectors(load, of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
                 of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), missing);
    give_sectors(store, of("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
                 of("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), missing);
    give(l2_read, of("l1tex__m_xbar2l1tex_read_bytes_pipe_lsu.sum") + of("l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum"),
         small);
    give(l2_write,
         of("l1tex__m_l1tex2xbar_write_bytes_pipe_lsu.sum") + of("l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum"),
         small);
    give(dram_read, of("dram__bytes_read.sum"), missing);
    give(dram_write, of("dram__bytes_write.sum"), missing);
    flow_.l1_hits = of("l1tex__t_sector_hit_rate.pct");
    flow_.l2_hits = of("lts__t_sector_hit_rate.pct");
    if (view_.launches.size() > 1 && !std::isfinite(flow_.l1_hits))
      flow_.hits_why_not = "hit rate: known launch by launch only";
    flow_.local_sectors = positive(of("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum") +
                                   of("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"));
    flow_.l2_sectors = of("lts__t_sectors.sum");
    flow_.dram_percent = of("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
    const double loads = of("smsp__inst_executed_op_shared_ld.sum"),
                 stores = of("smsp__inst_executed_op_shared_st.sum");
    for (const auto& [path, accesses] : {std::pair(shared_load, loads), {shared_store, stores}}) {
      at(path).requests = accesses;
      give(path, accesses == 0 ? 0 : profile::unknown, no_bytes);
    }
    give_conflicts(of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") +
                       of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
                   loads + stores);
    return std::move(flow_);
  }

 private:
  double of(const char* name) const { return counter_of(view_, name); }
  const CandidateProfile& view_;
};

class SimulatedFlow : Flow {
 public:
  explicit SimulatedFlow(const CandidateProfile& view) : Flow(Provenance::simulated), view_(view) {}

  MemoryFlow read() {
    using enum MemoryPath;
    const char* missing = "not counted";
    for (const auto& [path, name] : {std::pair(load, "global_load_"), {store, "global_store_"}}) {
      const double sectors = of(name, "sectors");
      give_sectors(path, sectors, of(name, "requests"), missing);
      at(path).used = per(of(name, "bytes"), flow_sector_bytes * sectors);
    }
    for (const MemoryPath path : {l2_read, l2_write, dram_read, dram_write})
      give(path, profile::unknown, "the SIMT machine has no caches");
    for (const auto& [path, name] : {std::pair(shared_load, "shared_load_"), {shared_store, "shared_store_"}}) {
      give(path, of(name, "bytes"), missing);
      at(path).requests = positive(of(name, "requests"));
      at(path).wavefronts_each = per(of(name, "wavefronts"), at(path).requests);
    }
    flow_.hits_why_not = "hits not simulated";
    flow_.local_requests = positive(of("local_load_", "requests") + of("local_store_", "requests"));
    flow_.atomics = positive(of("global_", "atomics"));
    give_conflicts(of("bank_", "conflicts"), of("shared_load_", "requests") + of("shared_store_", "requests"));
    if (view_.roofline) {
      flow_.least_read = view_.roofline->bytes_read;
      flow_.least_written = view_.roofline->bytes_written;
    }
    return std::move(flow_);
  }

 private:
  double of(const char* front, const char* what) const { return simulated_of(view_, std::string(front) + what); }
  const CandidateProfile& view_;
};

}  // namespace

std::string title_of(MemoryPath path) {
  switch (path) {
    case MemoryPath::load: return "L1 to kernel (loads)";
    case MemoryPath::store: return "Kernel to L1 (stores)";
    case MemoryPath::l2_read: return "L2 to L1";
    case MemoryPath::l2_write: return "L1 to L2";
    case MemoryPath::dram_read: return "Device memory to L2";
    case MemoryPath::dram_write: return "L2 to device memory";
    case MemoryPath::shared_load: return "Shared memory to kernel";
    case MemoryPath::shared_store: return "Kernel to shared memory";
  }
  return {};
}

MemoryFlow memory_flow(const CandidateProfile& view) {
  if (has_counters(view)) return MeasuredFlow(view).read();
  if (simulated(view)) return SimulatedFlow(view).read();
  MemoryFlow flow;
  flow.why_not =
      view.counters_why_not.empty() ? "there are neither counters nor simulated counts of it" : view.counters_why_not;
  return flow;
}

}  // namespace ww::measure
