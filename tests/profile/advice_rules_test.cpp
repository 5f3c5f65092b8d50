// SPDX-License-Identifier: Apache-2.0
// Every shipped rule: numbers that show its fault, the same without the fault, and each number missing in turn.
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>
#include "profile/advice.h"
#include "profile/measurement.h"

using namespace ww;
using namespace ww::profile;

namespace {

using Values = std::map<std::string, double>;

struct Shown {
  std::string id, provenance;
  Values fault;   // all numbers that the case looks at: with them the rule speaks
  Values change;  // of these, what takes the fault away
  std::string limiter, text;
  int line = 0;     // where the text has it
  double gain = 0;  // 0: no bound is expected
};

std::string stalled(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}
const std::string warps_active = "smsp__average_warps_active_per_issue_active.ratio";
const std::string ld_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                  ld_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const std::string st_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                  st_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
const std::string ld_inst = "smsp__inst_executed_op_global_ld.sum", st_inst = "smsp__inst_executed_op_global_st.sum";
const std::string dram_rate = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";

const std::string plain = "extern \"C\" __global__ void k(const float* x, float* y) {\n  y[0] = x[0];\n}\n";
const std::string loop =
    "extern \"C\" __global__ void k(const float* x, float* y) {\n  for (int i = 0; i < 9; ++i) {\n    "
    "__syncthreads();\n    y[i] = x[i];\n  }\n}\n";
const std::string division = "// 7 % 2\n__global__ void k(float* y) {\n  int r = i / n, c = i % n;\n}\n";
const std::string half = "__global__ void k(const __half* x) {}\n";

std::vector<Shown> shown() {
  const auto stall = [](const char* id, const char* reason, double much) {
    return Shown{
        id, "measured",         {{stalled(reason), much}, {warps_active, 10}}, {{stalled(reason), 0.1}}, "", "",
        0,  1 / (1 - much / 10)};
  };
  Shown waits = stall("waits-for-memory", "long_scoreboard", 8);
  waits.fault[dram_rate] = 50;
  waits.gain = 2;  // not beyond the peak of device memory
  Shown chain = stall("dependent-chain", "wait", 4);
  chain.fault["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 30;
  Shown shared_queue = stall("shared-queue", "mio_throttle", 4);
  shared_queue.fault[stalled("short_scoreboard")] = 0;
  Shown loop_barrier = stall("barrier-in-loop", "barrier", 5);
  loop_barrier.text = loop;
  loop_barrier.line = 3;
  return {
      {"uncoalesced-loads",
       "simulated",
       {{"global_load_sectors", 3200}, {"global_load_bytes", 12800}, {"thread_instructions.load_global", 3200}},
       {{"global_load_sectors", 400}},
       "",
       "",
       0,
       1 / (1 - 0.5 * 0.875)},
      {"uncoalesced-loads", "measured", {{ld_sectors, 3200}, {ld_requests, 100}}, {{ld_sectors, 400}}},
      {"uncoalesced-stores",
       "simulated",
       {{"global_store_sectors", 3200}, {"global_store_bytes", 12800}},
       {{"global_store_sectors", 400}},
       "",
       "",
       0,
       1 / (1 - 0.5 * 0.875)},
      {"uncoalesced-stores", "measured", {{st_sectors, 3200}, {st_requests, 100}}, {{st_sectors, 400}}},
      {"strided-vector-loads",
       "simulated",
       {{"global_load_sectors", 3200}, {"global_load_bytes", 51200}, {"thread_instructions.load_global", 3200}},
       {{"global_load_sectors", 1600}},
       "",
       "",
       0,
       4. / 3},
      {"narrow-loads",
       "simulated",
       {{"global_load_bytes", 12800},
        {"thread_instructions.load_global", 3200},
        {"global_load_requests", 100},
        {"warps", 10}},
       {{"global_load_bytes", 51200}}},
      {"narrow-loads", "measured", {{ld_sectors, 400}, {ld_requests, 100}, {"plan_warps", 10}}, {{ld_sectors, 1600}}},
      {"narrow-stores",
       "simulated",
       {{"global_store_bytes", 12800},
        {"thread_instructions.store_global", 3200},
        {"global_store_requests", 100},
        {"warps", 10}},
       {{"global_store_requests", 20}}},
      {"narrow-stores", "measured", {{st_sectors, 400}, {st_requests, 100}, {"plan_warps", 10}}, {{"plan_warps", 50}}},
      {"broadcast-loads",
       "simulated",
       {{"global_load_bytes", 12800}, {"global_load_sectors", 100}, {"global_load_requests", 100}, {"warps", 10}},
       {{"global_load_sectors", 400}}},
      {"broadcast-loads", "measured", {{ld_sectors, 100}, {ld_requests, 100}, {"plan_warps", 10}}, {{ld_sectors, 400}}},
      {"redundant-loads",
       "simulated",
       {{"global_load_bytes", 8000}, {"op_bytes_read", 1000}},
       {{"global_load_bytes", 1000}},
       "",
       "",
       0,
       1 / (1 - 0.5 * 0.875)},
      {"redundant-loads",
       "measured",
       {{"dram__bytes_read.sum", 2000}, {"op_bytes_read", 1000}},
       {{"dram__bytes_read.sum", 1010}}},
      {"intermediate-traffic",
       "simulated",
       {{"global_store_bytes", 2000}, {"op_bytes_written", 1000}},
       {{"global_store_bytes", 1000}},
       "",
       "",
       0,
       4. / 3},
      {"intermediate-traffic",
       "measured",
       {{"dram__bytes_write.sum", 2000}, {"op_bytes_written", 1000}},
       {{"dram__bytes_write.sum", 900}}},
      {"recomputation",
       "simulated",
       {{"flops_f32", 5000}, {"flops_f16", 0}, {"flops_f64", 0}, {"op_flops", 1000}},
       {{"flops_f32", 1000}},
       "",
       "",
       0,
       1 / (1 - 0.3 * 0.8)},
      {"bank-conflicts",
       "simulated",
       {{"bank_conflicts", 310}, {"shared_load_requests", 10}, {"shared_store_requests", 10}},
       {{"bank_conflicts", 1}},
       "",
       "",
       0,
       1.25},
      {"bank-conflicts",
       "measured",
       {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 310},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0},
        {"smsp__inst_executed_op_shared_ld.sum", 10},
        {"smsp__inst_executed_op_shared_st.sum", 10}},
       {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 1}}},
      {"divergence",
       "simulated",
       {{"divergent_branches", 50}, {"branches", 100}},
       {{"divergent_branches", 1}},
       "",
       "",
       0,
       1 / 0.9},
      {"divergence",
       "measured",
       {{"smsp__sass_branch_targets_threads_divergent.sum", 50}, {"smsp__sass_branch_targets.sum", 100}},
       {{"smsp__sass_branch_targets_threads_divergent.sum", 1}}},
      {"idle-lanes",
       "simulated",
       {{"thread_instructions", 160}, {"warp_instructions", 10}},
       {{"thread_instructions", 320}},
       "",
       "",
       0,
       2},
      {"idle-lanes",
       "measured",
       {{"smsp__thread_inst_executed_per_inst_executed.ratio", 16}},
       {{"smsp__thread_inst_executed_per_inst_executed.ratio", 31}},
       "",
       "",
       0,
       2},
      {"ragged-blocks", "", {{"plan_threads", 1600}, {"plan_warps", 100}}, {{"plan_threads", 3200}}, "", "", 0, 2},
      {"local-memory",
       "simulated",
       {{"local_load_requests", 10}, {"local_store_requests", 0}, {"warps", 10}},
       {{"local_load_requests", 0}},
       "",
       "",
       0,
       1.25},
      {"local-memory",
       "measured",
       {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 10}, {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0}},
       {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0}}},
      {"spills", "", {{"spill_bytes", 16}}, {{"spill_bytes", 0}}},
      {"occupancy-registers", "", {{"occupancy", 0.2}, {"registers", 200}}, {{"occupancy", 0.5}}, "registers"},
      {"occupancy-shared", "", {{"occupancy", 0.2}}, {{"occupancy", 0.5}}, "shared memory"},
      {"low-occupancy", "", {{"occupancy", 0.2}}, {{"occupancy", 0.5}}, "block size"},
      {"small-blocks", "", {{"occupancy", 0.5}, {"block_threads", 32}}, {{"block_threads", 64}}, "blocks per SM"},
      {"achieved-occupancy",
       "measured",
       {{"sm__warps_active.avg.pct_of_peak_sustained_active", 25}, {"occupancy", 1}},
       {{"sm__warps_active.avg.pct_of_peak_sustained_active", 90}}},
      {"little-work", "simulated", {{"warps", 100}, {"launches", 1}}, {{"warps", 9000}}, "", "", 0, 2},
      {"little-work",
       "",
       {{"plan_blocks", 33}, {"multiprocessors", 132}, {"plan_launches", 1}},
       {{"plan_blocks", 132}},
       "",
       "",
       0,
       4},
      {"tail-effect", "", {{"tail_waste", 0.25}, {"waves", 1.5}}, {{"tail_waste", 0.05}}, "", "", 0, 4. / 3},
      {"uneven-work",
       "measured",
       {{"sm__cycles_active.max", 200}, {"sm__cycles_active.avg", 100}},
       {{"sm__cycles_active.max", 105}},
       "",
       "",
       0,
       2},
      {"index-overhead",
       "simulated",
       {{"warp_instructions.integer", 300},
        {"warp_instructions.predicate", 0},
        {"warp_instructions.control", 0},
        {"global_requests", 10}},
       {{"warp_instructions.integer", 30}}},
      {"index-overhead",
       "measured",
       {{"smsp__inst_executed_pipe_alu.sum", 300}, {ld_inst, 10}, {st_inst, 0}, {"smsp__inst_executed.sum", 400}},
       {{"smsp__inst_executed_pipe_alu.sum", 30}}},
      {"little-per-thread",
       "simulated",
       {{"global_bytes", 8000000}, {"threads", 1000000}, {"warps", 31250}, {"launches", 1}},
       {{"global_bytes", 32000000}}},
      {"little-per-thread",
       "measured",
       {{ld_sectors, 125000},
        {st_sectors, 125000},
        {"plan_threads", 1000000},
        {"plan_warps", 31250},
        {"plan_launches", 1}},
       {{ld_sectors, 500000}}},
      {"integer-division",
       "simulated",
       {{"warp_instructions.integer", 300}, {"global_requests", 10}},
       {{"warp_instructions.integer", 200}},
       "",
       division,
       3,
       1 / 0.7},
      {"integer-division",
       "measured",
       {{"smsp__inst_executed_pipe_alu.sum", 300}, {ld_inst, 10}, {st_inst, 0}},
       {{"smsp__inst_executed_pipe_alu.sum", 200}},
       "",
       division,
       3},
      {"double-by-accident",
       "simulated",
       {{"warp_instructions.f64", 10}, {"warps", 10}},
       {{"warp_instructions.f64", 0}},
       "",
       plain},
      {"double-by-accident",
       "measured",
       {{"smsp__inst_executed_pipe_fp64.sum", 10}},
       {{"smsp__inst_executed_pipe_fp64.sum", 0}},
       "",
       plain},
      {"conversions",
       "simulated",
       {{"warp_instructions.conversion", 100},
        {"warp_instructions.f32", 10},
        {"warp_instructions.f16", 0},
        {"warp_instructions.special", 0},
        {"warps", 10}},
       {{"warp_instructions.f32", 200}}},
      {"conversions",
       "measured",
       {{"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", 100},
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 10},
        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 0}},
       {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 500}}},
      {"barrier-in-loop", "simulated", {{"barriers", 300}, {"warps", 10}}, {{"barriers", 20}}, "", "", 0, 1 / 0.9},
      loop_barrier,
      {"tree-reduction",
       "simulated",
       {{"barriers", 100}, {"warps", 10}, {"warp_instructions.shuffle", 0}, {"shared_load_requests", 200}},
       {{"warp_instructions.shuffle", 50}}},
      {"fences", "simulated", {{"warp_instructions.fence", 30}, {"warps", 10}}, {{"warp_instructions.fence", 10}}},
      stall("fences", "membar", 5),
      {"atomics", "simulated", {{"global_atomics", 320}, {"warps", 10}}, {{"global_atomics", 10}}, "", "", 0, 1 / 0.9},
      {"atomics",
       "measured",
       {{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 0},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 30},
        {"plan_warps", 10}},
       {{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 1}}},
      {"shared-atomics",
       "simulated",
       {{"shared_atomics", 3200}, {"warps", 10}},
       {{"shared_atomics", 100}},
       "",
       "",
       0,
       1.25},
      {"shared-atomics",
       "measured",
       {{"smsp__inst_executed_op_shared_atom.sum", 100}, {"plan_warps", 10}},
       {{"smsp__inst_executed_op_shared_atom.sum", 10}}},
      {"special-functions",
       "simulated",
       {{"warp_instructions.special", 100}, {"global_requests", 10}},
       {{"warp_instructions.special", 10}},
       "",
       "",
       0,
       1 / 0.9},
      {"special-functions",
       "measured",
       {{"smsp__inst_executed_pipe_xu.sum", 100}, {ld_inst, 10}, {st_inst, 0}},
       {{"smsp__inst_executed_pipe_xu.sum", 10}}},
      {"tensor-unused",
       "simulated",
       {{"op_intensity", 100}, {"warp_instructions.tensor", 0}},
       {{"warp_instructions.tensor", 5}},
       "",
       half,
       0,
       1 / 0.7},
      {"tensor-unused",
       "measured",
       {{"op_intensity", 100}, {"sm__inst_executed_pipe_tensor.sum", 0}},
       {{"sm__inst_executed_pipe_tensor.sum", 5}},
       "",
       half},
      {"missing-restrict",
       "simulated",
       {{"global_load_requests", 40}, {"global_store_requests", 10}, {"warps", 10}},
       {{"global_load_requests", 10}},
       "",
       plain,
       1},
      {"missing-restrict",
       "measured",
       {{ld_inst, 40}, {st_inst, 10}, {"plan_warps", 10}},
       {{ld_inst, 10}},
       "",
       plain,
       1},
      {"short-loops",
       "simulated",
       {{"branches", 200}, {"warp_instructions", 1000}, {"warps", 10}},
       {{"branches", 100}},
       "",
       loop,
       2,
       1 / 0.9},
      {"short-loops",
       "measured",
       {{"smsp__inst_executed_op_branch.sum", 200}, {"smsp__inst_executed.sum", 1000}},
       {{"smsp__inst_executed_op_branch.sum", 100}},
       "",
       loop,
       2},
      {"many-launches", "", {{"plan_launches", 4}}, {{"plan_launches", 3}}},
      {"dram-bound", "measured", {{dram_rate, 90}}, {{dram_rate, 60}}},
      waits,
      stall("memory-queue", "lg_throttle", 5),
      shared_queue,
      stall("waits-at-barriers", "barrier", 5),
      chain,
      stall("busy-pipe", "math_pipe_throttle", 5),
      stall("code-too-large", "no_instruction", 5),
      stall("drain", "drain", 5),
      {"issue-bound",
       "measured",
       {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 90}},
       {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 40}}},
  };
}

AdviceInput input_of(const Shown& s, const Values& values) {
  AdviceInput in;
  in.provenance = s.provenance.empty() ? "simulated" : s.provenance;
  in.values.assign(values.begin(), values.end());
  in.limiter = enum_or_unknown<OccupancyLimit>(s.limiter);
  in.text = s.text;
  if (s.provenance == "simulated")
    in.shares = {{"global memory", 0.5}, {"arithmetic", 0.3},        {"shared memory", 0.2},
                 {"local memory", 0.2},  {"control", 0.1},           {"shuffles and barriers", 0.1},
                 {"atomics", 0.1},       {"special functions", 0.1}, {"idle schedulers", 0.5}};
  return in;
}

const Advice* find(const std::vector<Advice>& list, const std::string& id) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const Advice& a) { return a.id == id; });
  return at == list.end() ? nullptr : &*at;
}

}  // namespace

class AdviceRulesTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    const auto rules = AdviceRules::load();
    QVERIFY2(rules.has_value(), rules ? "" : rules.error().text().c_str());
    rules_ = *rules;
  }
  void everyRuleIsShown() {
    QVERIFY(rules_.size() >= 32);
    std::set<std::string> all;
    for (const Shown& s : shown()) all.insert(s.id);
    for (const std::string& id : rules_.ids()) QVERIFY2(all.contains(id), id.c_str());
    QCOMPARE(all.size(), rules_.size());
  }
  void speaksOfItsFaultAlone_data() {
    QTest::addColumn<int>("at");
    const std::vector<Shown> list = shown();
    for (int i = 0; i < static_cast<int>(list.size()); ++i)
      QTest::newRow((list[i].id + " " + list[i].provenance).c_str()) << i;
  }
  void speaksOfItsFaultAlone() {
    QFETCH(int, at);
    const Shown s = shown()[static_cast<std::size_t>(at)];
    const std::vector<Advice> said = rules_.advise(input_of(s, s.fault));
    const Advice* a = find(said, s.id);
    QVERIFY2(a, advice_text(said, 9).c_str());
    QCOMPARE(a->provenance, s.provenance.empty() ? std::string("modelled") : s.provenance);
    QVERIFY2(a->evidence.find(a->provenance) != std::string::npos,
             a->evidence.c_str());  // a number never stands without its origin
    QVERIFY2(a->evidence.find('{') == std::string::npos, a->evidence.c_str());
    QVERIFY2(a->explanation.size() > 100, a->explanation.c_str());
    if (s.line > 0) QCOMPARE(a->line, s.line);
    if (s.gain > 0) QVERIFY2(std::abs(a->gain - s.gain) < 1e-6, std::to_string(a->gain).c_str());
    Values without = s.fault;
    for (const auto& [name, value] : s.change) without[name] = value;
    QVERIFY2(!find(rules_.advise(input_of(s, without)), s.id), "it speaks without the fault");
    for (const auto& [name, value] : s.fault) {  // what is not known is never taken for 0
      Values unknown_one = s.fault;
      unknown_one.erase(name);
      QVERIFY2(!find(rules_.advise(input_of(s, unknown_one)), s.id), name.c_str());
      unknown_one[name] = profile::unknown;
      QVERIFY2(!find(rules_.advise(input_of(s, unknown_one)), s.id), name.c_str());
    }
    if (!s.limiter.empty()) {
      Shown other = s;
      other.limiter = s.limiter == "registers" ? "shared memory" : "registers";
      QVERIFY(!find(rules_.advise(input_of(other, s.fault)), s.id));
    }
    if (!s.provenance.empty()) {  // counts of one origin never meet rules of the other
      Shown other = s;
      other.provenance = s.provenance == "simulated" ? "measured" : "simulated";
      QVERIFY(!find(rules_.advise(input_of(other, s.fault)), s.id));
    }
    AdviceInput same = input_of(s, s.fault);  // and no bound goes below the floor of the roofline
    same.values.emplace_back("median_us", 110);
    same.values.emplace_back("floor_us", 100);
    QVERIFY(find(rules_.advise(same), s.id)->gain <= 1.1 + 1e-9);
  }
  void textDecidesWhereItMust() {
    Values values{
        {"warp_instructions.f64", 10}, {"warps", 10}, {"warp_instructions.integer", 300}, {"global_requests", 10}};
    AdviceInput in;
    in.provenance = "simulated";
    in.values.assign(values.begin(), values.end());
    in.text = "double by intention";
    QVERIFY(!find(rules_.advise(in), "double-by-accident"));
    in.text = "// double is not meant, and 7 % 2 is a comment\nfloat x;\n/* a % b */ float doubled;";
    QVERIFY(find(rules_.advise(in), "double-by-accident"));
    QVERIFY(!find(rules_.advise(in), "integer-division"));
    in.text = "c = i % n;";
    QVERIFY(find(rules_.advise(in), "integer-division"));
    in.text.clear();  // an unknown text says nothing
    QVERIFY(!find(rules_.advise(in), "double-by-accident"));
  }
  void hottestLineIsNamed() {
    AdviceInput in;
    in.provenance = "measured";
    in.values = {{stalled("barrier"), 5}, {warps_active, 10}};
    in.text = loop;
    in.lines = {{3, {{"stall.barrier", 40}, {"stall.long_scoreboard", 5}}},
                {4, {{"stall.barrier", 90}, {"stall.long_scoreboard", 900}}}};
    const std::vector<Advice> said = rules_.advise(in);
    QCOMPARE(find(said, "barrier-in-loop")->line, 3);  // line 4 waits longer, but has no barrier
    in.text.clear();
    QCOMPARE(find(rules_.advise(in), "waits-at-barriers")->line, 4);
  }
  void aStoreIsNotBlamedOnALoadsLine() {
    AdviceInput in;
    in.provenance = "simulated";
    in.values = {{"global_store_sectors", 3200}, {"global_store_bytes", 12800}};
    in.lines = {{7, {{"global_sectors", 9000}, {"global_load_sectors", 9000}, {"wasted_load_sectors", 8000}}},
                {9, {{"global_sectors", 3200}, {"global_store_sectors", 3200}, {"wasted_store_sectors", 2800}}}};
    QCOMPARE(find(rules_.advise(in), "uncoalesced-stores")->line, 9);
    in.lines = {{7, {{"global_sectors", 9000}}}};  // of an older verdict, which does not tell them apart
    QCOMPARE(find(rules_.advise(in), "uncoalesced-stores")->line, 0);
  }
  void pagesAreThereOrSaidToBeMissing() {
    QVERIFY(!advice_page("../advice").has_value());
    QVERIFY(!advice_page("no-such-rule").has_value());
    QVERIFY(!advice_page("").has_value());
    for (const std::string& id : rules_.ids()) {
      const Result<std::string> page = advice_page(id);
      QVERIFY2(page.has_value(), id.c_str());
      QVERIFY2(page->size() > 400 && page->find("## ") != std::string::npos, id.c_str());
    }
  }
  void aRequestHoldsAllThatIsKnown() {
    const std::string request =
        advice_request({"x", "Title", "0.5 of it (measured).", "Do this.", 12, 1.5, "measured"});
    QCOMPARE(request, std::string("Title. 0.5 of it (measured). Look at line 12. Do this."));
  }

 private:
  AdviceRules rules_;
};

QTEST_GUILESS_MAIN(AdviceRulesTest)
#include "advice_rules_test.moc"
