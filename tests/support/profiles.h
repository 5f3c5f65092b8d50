// SPDX-License-Identifier: Apache-2.0
// Profiles of a candidate with two kernels: with measured numbers, with simulated ones, with none.
#pragma once
#include <memory>
#include "measure/candidate_profile.h"

namespace ww::support {

inline const std::string two_kernels =
    "//@ candidate two\n"
    "extern \"C\" __global__ void first(const float* x, float* t) {\n"
    "  t[threadIdx.x] = x[threadIdx.x * 32];\n"
    "}\n"
    "extern \"C\" __global__ void second(const float* t, float* y) {\n"
    "  __syncthreads();\n"
    "  y[threadIdx.x] = t[threadIdx.x];\n"
    "}\n";

inline std::shared_ptr<measure::CandidateProfile> bare(std::int64_t id) {
  auto view = std::make_shared<measure::CandidateProfile>();
  view->record.id = id;
  view->record.text = two_kernels;
  view->record.hash = "h" + std::to_string(id);
  view->record.generator = "model";
  view->name = "#" + std::to_string(id) + " a kernel with a rather long name for a legend";
  view->device = "simt";
  view->counters_why_not = "The SIMT machine has no hardware counters";
  for (const char* kernel : {"first", "second"}) {
    measure::LaunchView launch;
    launch.kernel = kernel;
    launch.grid[0] = 64;
    launch.block[0] = 128;
    view->launches.push_back(launch);
  }
  return view;
}

inline std::shared_ptr<measure::CandidateProfile> simulated_view(std::int64_t id, double factor = 1) {
  auto view = bare(id);
  evidence::Metrics m;
  m.provenance = Provenance::simulated;
  m.device = "simt";
  m.case_name = "default";
  m.values = {{"global_load_requests", 1000 * factor},
              {"global_load_sectors", 32000 * factor},
              {"global_load_bytes", 128000 * factor},
              {"global_store_requests", 1000},
              {"global_store_sectors", 4000},
              {"global_store_bytes", 128000},
              {"shared_load_requests", 100},
              {"shared_load_wavefronts", 400},
              {"shared_load_bytes", 12800},
              {"shared_store_requests", 0},
              {"shared_store_wavefronts", 0},
              {"shared_store_bytes", 0},
              {"bank_conflicts", 300},
              {"global_atomics", 0},
              {"local_load_requests", 0},
              {"local_store_requests", 0},
              {"warp_instructions.integer", 3000},
              {"warp_instructions.f32", 1000 * factor},
              {"warp_instructions.load_global", 1000}};
  m.lines = {{2, 100, 3200, 0, 0, 0, 0},
             {3, 600, 19200, 32000, 0, 0, 0},
             {6, 100, 3200, 0, 0, 0, 0},
             {7, 200, 6400, 4000, 0, 300, 0}};
  evidence::Verdict verdict;
  verdict.accepted = true;
  verdict.metrics = m;
  verdict.ptx =
      ".file 1 \"candidate.cu\"\n.visible .entry first(\n)\n{\n\t.loc 1 2 0\n\tld.param.u64 %rd1, [first_param_0];\n"
      "\t.loc 1 3 0\n\tmov.u32 %r1, %tid.x;\n\tld.global.f32 %f1, [%rd1];\n\tfma.rn.f32 %f2, %f1, %f1, %f1;\n"
      "\tret;\n}\n.visible .entry second(\n)\n{\n\t.loc 1 6 0\n@%p1 bra $L_1;\n\tst.shared.f32 [%rd2], %f2;\n"
      "\tbar.sync 0;\n\t.loc 1 7 0\n\tex2.approx.f32 %f3, %f2;\n$L_1:\n}\n";
  view->record.verdict = verdict;
  return view;
}

inline std::shared_ptr<measure::CandidateProfile> measured_view(std::int64_t id, double us = 12) {
  auto view = bare(id);
  view->device = "cuda:0";
  view->counters_why_not.clear();
  profile::CounterReport report;
  report.set = "full";
  for (int launch = 0; launch < 2; ++launch) {
    profile::KernelCounters k;
    k.kernel = launch ? "second" : "first";
    k.launch = launch;
    k.values = {{"gpu__time_duration.sum", "ns", launch ? 4000.0 : us * 1000},
                {"dram__bytes_read.sum", "byte", 1 << 20},
                {"dram__bytes_write.sum", "byte", 1 << 19},
                {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", 32768},
                {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", 8192},
                {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", 16384},
                {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", 4096},
                {"smsp__inst_executed_op_shared_ld.sum", "inst", 0},
                {"smsp__inst_executed_op_shared_st.sum", "inst", 10},
                {"smsp__inst_executed.sum", "inst", 1000},
                {"smsp__inst_executed_pipe_alu.sum", "inst", 400},
                {"smsp__inst_executed_pipe_lsu.sum", "inst", 300},
                {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "cycle", 6},
                {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "cycle", 3},
                {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "cycle", 1}};
    k.lines = {{launch ? 7 : 3, {{"long_scoreboard", 60}, {"selected", 5}}}, {launch ? 6 : 2, {{"barrier", 10}}}};
    report.kernels.push_back(k);
  }
  view->counters = report;
  view->counters_when = "set full of 2026-11-20";
  view->cold = measure::TimeView{us + 6, us + 5, us + 7, 50, "of the run"};
  return view;
}

}  // namespace ww::support
