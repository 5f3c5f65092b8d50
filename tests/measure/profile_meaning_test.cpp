// SPDX-License-Identifier: Apache-2.0
// What a profile means: with measured numbers, with simulated ones alone, with none.
#include <QtTest>
#include <cmath>
#include <set>
#include "measure/hot_lines.h"
#include "measure/instruction_mix.h"
#include "measure/launch_times.h"
#include "measure/memory_flow.h"
#include "measure/metrics.h"
#include "measure/roof_points.h"
#include "measure/speed_of_light.h"
#include "measure/stalls.h"
#include "measure/why_better.h"
#include "support/profiles.h"

using namespace ww;
using namespace ww::measure;
using support::bare;
using support::measured_view;
using support::simulated_view;

namespace {

double count_of(const InstructionMix& mix, const std::string& kind) {
  const auto at = std::ranges::find(mix.parts, kind, &MixPart::kind);
  return at == mix.parts.end() ? profile::unknown : at->count;
}

const SpeedOfLightRow& row_of(const std::vector<SpeedOfLightRow>& rows, const std::string& part) {
  static const SpeedOfLightRow none;
  const auto at = std::ranges::find(rows, part, &SpeedOfLightRow::part);
  return at == rows.end() ? none : *at;
}

}  // namespace

class ProfileMeaningTest : public QObject {
  Q_OBJECT
 private slots:
  void instructionsAreOfOneSource() {
    const InstructionMix written = instruction_mix(*simulated_view(1), MixSource::written);
    QCOMPARE(written.total, 9.0);
    QCOMPARE(written.provenance(), Provenance::counted);
    for (const auto& [kind, count] : std::map<std::string, double>{{"constant", 1},
                                                                   {"load_global", 1},
                                                                   {"f32", 1},
                                                                   {"control", 2},
                                                                   {"shared", 1},
                                                                   {"barrier", 1},
                                                                   {"special", 1},
                                                                   {"move", 1},
                                                                   {"integer", 0}})
      QVERIFY2(count_of(written, kind) == count, kind.c_str());
    const InstructionMix best = instruction_mix(*simulated_view(1));
    QCOMPARE(best.source, MixSource::simulated);
    QCOMPARE(best.total, 5000.0);
    const InstructionMix measured = instruction_mix(*measured_view(2));
    QCOMPARE(measured.source, MixSource::pipes);
    QCOMPARE(count_of(measured, "alu"), 800.0);  // of both launches
    QCOMPARE(count_of(measured, "other"), 600.0);
    QVERIFY(std::isnan(count_of(measured, "fma")));  // not counted, which is not none
    QVERIFY(instruction_mix(*measured_view(2), MixSource::operations).why_not.find("full set") != std::string::npos);
    const InstructionMix none = instruction_mix(*bare(3));
    QVERIFY(none.parts.empty() && std::isnan(none.total));
    QCOMPARE(none.why_not, std::string("it has no PTX"));
  }

  void launchesAreMeasuredOrModelled() {
    const LaunchTimes measured = launch_times(*measured_view(2));
    QVERIFY(measured.measured());
    QCOMPARE(measured.sum_us, 16.0);
    QCOMPARE(measured.whole_us, 18.0);
    QCOMPARE(measured.launches[0].part, 0.75);
    const LaunchTimes modelled = launch_times(*simulated_view(1));
    QCOMPARE(modelled.source, PartSource::lines);
    QCOMPARE(modelled.launches[0].part, 0.7);  // 700 of 1000 warp instructions are of the first kernel
    QVERIFY(std::isnan(modelled.launches[0].us));
    auto half_measured = measured_view(2);
    half_measured->counters->kernels.pop_back();
    QVERIFY(!launch_times(*half_measured).measured());  // one of two: no timeline can be made of it
    auto none = bare(3);
    none->launches.clear();
    none->launches_why_not = "the plan cannot be made";
    QCOMPARE(launch_times(*none).why_not, std::string("the plan cannot be made"));
  }
  void linesBelongToTheKernelsThatHoldThem() {
    auto elsewhere = simulated_view(1);  // of no kernel
    elsewhere->record.verdict->metrics->lines.push_back({1, 500, 500, 0, 0, 0, 0});
    QCOMPARE(launch_times(*elsewhere).source, PartSource::warps);
    QCOMPARE(launch_times(*elsewhere).launches[0].part, 0.5);
    auto shared = simulated_view(1);  // a function that both kernels call, inlined: line 3
    std::string& ptx = shared->record.verdict->ptx;
    ptx.insert(ptx.find("\t.loc 1 7 0"), "\t.loc 1 3 0\n\tadd.f32 %f4, %f3, %f3;\n");
    QCOMPARE(launch_times(*shared).source, PartSource::warps);
    auto commented = simulated_view(1);  // the text is not searched for the kernels' heads
    commented->record.text = "/* __global__ void second */\n" + commented->record.text;
    QCOMPARE(launch_times(*commented).launches[0].part, 0.7);
    auto own = simulated_view(1);  // PTX is its own source
    own->record.verdict->ptx = ".visible .entry first()\n{\n\tret;\n}\n.visible .entry second()\n{\n\tret;\n}\n";
    own->record.verdict->metrics->lines = {{3, 300, 9600, 0, 0, 0, 0}, {7, 100, 3200, 0, 0, 0, 0}};
    QCOMPARE(launch_times(*own).launches[0].part, 0.75);
  }

  void memoryKeepsItsSourcesApart() {
    const MemoryFlow simulated = memory_flow(*simulated_view(1));
    QCOMPARE(simulated.provenance, Provenance::simulated);
    const MemoryArrow& load = *simulated.at(MemoryPath::load);
    QCOMPARE(load.bytes, 32.0 * 32000);
    QCOMPARE(load.sectors_each, 32.0);
    QCOMPARE(load.used, 0.125);
    QVERIFY(std::isnan(simulated.at(MemoryPath::l2_read)->bytes));
    QCOMPARE(simulated.at(MemoryPath::l2_read)->why_not, std::string("the SIMT machine has no caches"));
    QCOMPARE(simulated.at(MemoryPath::shared_load)->wavefronts_each, 4.0);
    QVERIFY(std::isnan(simulated.at(MemoryPath::shared_store)->requests));
    QCOMPARE(simulated.conflicts_each, 3.0);
    const MemoryFlow measured = memory_flow(*measured_view(2));
    QCOMPARE(measured.provenance, Provenance::measured);
    QCOMPARE(measured.at(MemoryPath::dram_read)->bytes, 2.0 * (1 << 20));
    QCOMPARE(measured.at(MemoryPath::load)->sectors_each, 4.0);
    QVERIFY(measured.at(MemoryPath::l2_read)->why_not.find("full set") != std::string::npos);
    QCOMPARE(measured.at(MemoryPath::shared_load)->bytes, 0.0);  // no loads, so no bytes
    QVERIFY(std::isnan(measured.at(MemoryPath::shared_store)->bytes));
    const MemoryFlow none = memory_flow(*bare(3));
    QVERIFY(none.arrows.empty() && !none.at(MemoryPath::load) && !none.why_not.empty());
  }

  void stallsAreRankedAndExplained() {
    const Stalls cycles = stalls(*measured_view(2), StallSource::counters);
    QCOMPARE(cycles.launches.size(), std::size_t{2});
    QCOMPARE(cycles.launches[1].kernel, std::string("second"));
    QCOMPARE(cycles.launches[0].parts[0].reason, std::string("long_scoreboard"));
    QCOMPARE(cycles.launches[0].parts[0].title(), std::string("Global memory"));
    QCOMPARE(cycles.launches[0].total, 10.0);
    QVERIFY(!stall_meaning("barrier").empty() && stall_meaning("new").empty());
    QCOMPARE(stall_title("new"), std::string("new"));
    QCOMPARE(stalls(*measured_view(2), StallSource::samples).launches[0].total, 75.0);
    const std::vector<StallLine> lines = stall_lines(*measured_view(2));
    QCOMPARE(lines[0].line, 3);
    QCOMPARE(lines[0].samples, 65.0);
    QCOMPARE(lines[0].main_samples, 60.0);
    const Stalls none = stalls(*simulated_view(1), StallSource::counters);
    QVERIFY(none.launches.empty() && none.why_not.find("has no clock") != std::string::npos);
  }

  void hotLinesAreRanked() {
    const auto view = simulated_view(1);
    const std::vector<LineMetric> metrics = metrics_by_line(*view);
    QCOMPARE(metrics[0].id, std::string("simulated.warp_instructions"));
    const std::vector<HotLine> lines = hot_lines(*view, metrics[0]);
    QCOMPARE(lines[0].line, 3);
    QCOMPARE(lines[0].share, 0.6);
    QCOMPARE(lines[0].text, std::string("t[threadIdx.x] = x[threadIdx.x * 32];"));
    QCOMPARE(lines[1].line, 7);
    QCOMPARE(lines[3].cumulative, 1.0);
    const std::vector<LineMetric> samples = metrics_by_line(*measured_view(2));
    QCOMPARE(samples[1].title, std::string("Samples: Global memory"));
    QVERIFY(std::ranges::none_of(samples, [](const LineMetric& m) { return m.id.ends_with(".selected"); }));
    QVERIFY(metrics_by_line(*bare(3)).empty());
    QCOMPARE(source_line("one\n  two \r\nthree", 2), std::string("two"));
    for (const int line : {-1, 0, 4}) QCOMPARE(source_line("one\ntwo\nthree", line), std::string());
  }
  void unitsAreSplitWhereTheDataPermit() {
    auto view = measured_view(1);
    view->counters->kernels.resize(1);
    auto& values = view->counters->kernels[0].values;
    values.push_back({"smsp__inst_executed_op_branch.sum", "inst", 120});
    values.push_back({"smsp__inst_executed_op_global_ld.sum", "inst", 200});
    InstructionMix mix = instruction_mix(*view, MixSource::pipes);
    QCOMPARE(count_of(mix, "load_global"), 200.0);
    QCOMPARE(count_of(mix, "store_shared"), 10.0);
    QCOMPARE(count_of(mix, "lsu"), 90.0);  // of 300
    QCOMPARE(count_of(mix, "branch"), 120.0);
    QCOMPARE(count_of(mix, "other"), 180.0);  // of 300
    double sum = 0;
    for (const MixPart& p : mix.parts) sum += p.count;
    QCOMPARE(sum, mix.total);
    values.push_back({"smsp__inst_executed_pipe_cbu.sum", "inst", 100});  // they are in the unit
    mix = instruction_mix(*view, MixSource::pipes);
    QVERIFY(std::isnan(count_of(mix, "branch")));
    QCOMPARE(count_of(mix, "other"), 200.0);
    values.push_back({"smsp__inst_executed_op_local_ld.sum", "inst", 900});  // more than the unit executed
    values.push_back({"smsp__inst_executed_op_local_st.sum", "inst", 0});
    mix = instruction_mix(*view, MixSource::pipes);
    QVERIFY(std::isnan(count_of(mix, "local")));
    QCOMPARE(count_of(mix, "lsu"), 90.0);
  }

  void eachSectionHasAHeadline() {
    const auto measured = measured_view(1), slower = measured_view(2, 24);
    const auto metrics = profile_metrics(*measured), others = profile_metrics(*slower),
               simulated = profile_metrics(*simulated_view(3));
    std::set<std::string> ids;
    for (const ProfileMetric& m : metrics) QVERIFY2(ids.insert(m.id).second, m.id.c_str());
    for (const auto& section : names_of(profile::Section())) QVERIFY(headline(metrics, section.value));
    const ProfileMetric* time = headline(metrics, profile::Section::launches);
    QCOMPARE(time->value, 18.0);
    QCOMPARE(time->provenance, Provenance::measured);
    QCOMPARE(same_metric(others, *time)->value, 30.0);
    QVERIFY(!same_metric(simulated, *time));
    const ProfileMetric* memory = headline(simulated, profile::Section::memory);
    QCOMPARE(memory->provenance, Provenance::simulated);
    QCOMPARE(memory->value, 32.0 * 36000);
    const ProfileMetric* stall = headline(simulated, profile::Section::stalls);
    QVERIFY(std::isnan(stall->value) && !stall->why_not.empty());
    QVERIFY(!same_metric(metrics, *stall));
    QVERIFY(headline(profile_metrics(*bare(4)), profile::Section::memory)->provenance == Provenance::unknown);
  }

  void whatMakesOneCheaper() {
    const auto better = simulated_view(1), other = simulated_view(2, 3);
    QVERIFY(!why_better(*better, *other).cost);                                           // their costs are not known
    QCOMPARE(why_better(*better, *other).metric->better.id, std::string("memory.load"));  // the load alone fell by 3
    better->cost = {{profile::CostGroup::global_memory, 100}, {profile::CostGroup::arithmetic, 50}};
    better->cost_total = 150;
    other->cost = {{profile::CostGroup::global_memory, 280}, {profile::CostGroup::arithmetic, 70}};
    other->cost_total = 350;
    const WhyBetter why = why_better(*better, *other);
    QVERIFY(why.cost && why.metric && !why.roof_percent);
    QVERIFY(why.cost->group == profile::CostGroup::global_memory);
    QCOMPARE(why.cost->share, 0.9);
    QCOMPARE(why.metric->better.id, std::string("memory.touched"));
    QCOMPARE(why.metric->better.value, 32.0 * 36000);
    QCOMPARE(why.metric->other, 32.0 * 100000);
    const WhyBetter turned = why_better(*other, *better);  // it is not the better one
    QVERIFY(!turned.cost && !turned.metric);
    QVERIFY(!why_better(*measured_view(1), *simulated_view(2)).metric);  // never across provenances
    QVERIFY(!why_better(*bare(1), *bare(2)).metric);
  }

  void structureAndAdviceSayWhy() {
    const auto better = simulated_view(1), other = simulated_view(2, 3);
    const double loaded = simulated_of(*better, "global_load_bytes");
    QVERIFY(loaded > 0);
    QVERIFY(!why_better(*better, *other).loads);  // the inputs' size is not known
    better->roofline.emplace().bytes_read = loaded;
    better->record.generator = "search";
    better->record.structure = "row-warp-registers-fused";
    WhyBetter why = why_better(*better, *other);
    QVERIFY(why.loads);
    QCOMPARE(why.loads->better, 1.0);
    QCOMPARE(why.loads->other, simulated_of(*other, "global_load_bytes") / loaded);
    QVERIFY(why.loads->row == search::RowPlace::registers);
    better->record.generator = "model";  // what others call a structure proves nothing
    QVERIFY(why_better(*better, *other).loads->row == search::RowPlace::unknown);
    better->record.generator = "search";
    for (auto& [name, count] : better->record.verdict->metrics->values)
      if (name == "local_load_requests") count = 1;  // of registers that were spilled
    QVERIFY(why_better(*better, *other).loads->row == search::RowPlace::unknown);
    better->timings_case = "C = 8";
    QVERIFY(!why_better(*better, *other).loads);
    better->timings_case.clear();
    better->roofline->bytes_read = loaded / 2;  // not once
    QVERIFY(!why_better(*better, *other).loads);

    // Advice that the other one has and the better one has not, both having been counted alike.
    better->advice.clear();
    other->advice = {{.id = "low-occupancy", .gain = 9, .provenance = Provenance::modelled},
                     {.id = "bank-conflicts", .gain = 2, .provenance = Provenance::simulated},
                     {.id = "divergence", .gain = 1.5, .provenance = Provenance::simulated}};
    QCOMPARE(why_better(*better, *other).avoided->id, std::string("bank-conflicts"));
    better->advice = {other->advice[1]};
    QCOMPARE(why_better(*better, *other).avoided->id, std::string("divergence"));
    better->advice.clear();
    QVERIFY(!why_better(*measured_view(1), *other).avoided);
    better->roofline->bytes_read = loaded;
    other->advice = {{.id = "redundant-loads", .gain = 2, .provenance = Provenance::simulated}};
    why = why_better(*better, *other);
    QVERIFY(why.loads && !why.avoided);  // said once
  }

  void metricsOfLines() {
    evidence::Metrics m;
    m.provenance = Provenance::simulated;
    m.lines = {{7, 100, 3200, 400, 0, 0, 0, 100, 12800}, {8, 10, 320, 320, 0, 0, 0, 10, 1280}};
    const auto metrics = line_metrics(m);
    QCOMPARE(metrics.size(), std::size_t{4});  // no wavefronts, conflicts and branches
    QCOMPARE(metrics[2].id, std::string("simulated.global_sectors"));
    QCOMPARE(metrics[2].most, 400.0);
    profile::CounterReport report;
    report.kernels.push_back(
        {"k", 0, {}, {{7, {{"long_scoreboard", 30}, {"wait", 5}}}, {0, {{"wait", 9}}}, {8, {{"wait", 1}}}}});
    const auto samples = line_metrics(report, "today");
    QCOMPARE(samples.size(), std::size_t{3});
    QCOMPARE(samples[0].values.at(7), 35.0);
    QCOMPARE(samples[1].title, std::string("Samples: long_scoreboard"));
    QCOMPARE(samples[1].provenance, Provenance::measured);
    QVERIFY(line_metrics(evidence::Metrics{}).empty() && line_metrics(profile::CounterReport{}, {}).empty());
  }

  void peaksAndSharesAreApart() {
    auto view = measured_view(2);
    for (auto& k : view->counters->kernels)
      k.values.push_back({"lts__throughput.avg.pct_of_peak_sustained_elapsed", "%", k.launch == 0 ? 80.0 : 40.0});
    view->roofline = profile::Roofline{.flops = 18e6, .bytes_read = 8e6, .bytes_written = 1e6, .unit = "f32"};
    view->roofline->measured.memory_us = 9;
    view->ceilings_why_not = "not stored";
    const std::vector<SpeedOfLightRow> rows = speed_of_light_rows(*view, SpeedOfLightKind::measured);
    QCOMPARE(row_of(rows, "L2 cache").percent, 70.0);  // by the launches' times
    QCOMPARE(row_of(rows, "Useful traffic").percent, 50.0);
    QVERIFY(std::isnan(row_of(rows, "Useful operations").percent));
    QCOMPARE(row_of(rows, "Useful operations").why_not, std::string("not stored"));
    QVERIFY(row_of(rows, "Compute").why_not.find("--counters full") != std::string::npos);
    QCOMPARE(highest_row(rows)->part, std::string("L2 cache"));
    QVERIFY(!has_speed_of_light(*view, SpeedOfLightKind::simulated));
    auto counted = simulated_view(1);
    counted->cost = {{profile::CostGroup::global_memory, 30}, {profile::CostGroup::arithmetic, 10}};
    counted->cost_total = 40;
    QVERIFY(has_speed_of_light(*counted, SpeedOfLightKind::simulated) &&
            !has_speed_of_light(*counted, SpeedOfLightKind::measured));
    const std::vector<SpeedOfLightRow> shares = speed_of_light_rows(*counted, SpeedOfLightKind::simulated);
    QCOMPARE(shares[0].part, std::string("Global memory"));
    QCOMPARE(shares[0].percent, 75.0);
    QVERIFY(!highest_row({}));
  }

  void pointsHaveAPlaceUnderARoof() {
    auto view = measured_view(2);
    QCOMPARE(why_no_points(*view), NoPoints::unknown);
    view->roofline = profile::Roofline{.flops = 18e6, .bytes_read = 8e6, .bytes_written = 1e6, .unit = "f32"};
    QCOMPARE(why_no_points(*view), NoPoints::none);
    const std::vector<RoofPoint> points = roof_points(*view, profile::Cache::cold);
    QCOMPARE(points[0].level, RoofLevel::op);
    QCOMPARE(points[0].intensity, 2.0);
    QCOMPARE(points[0].rate, 1e12);
    QVERIFY(std::isnan(roof_points(*view, profile::Cache::warm)[0].rate));
    QCOMPARE(useful_bandwidth(*view), 0.5e12);
    view->ceilings = profile::Ceilings{};
    view->ceilings->copy_bandwidth = 4e12;
    view->ceilings->matrix_rate = {{"f32", 5e13}, {"bf16", 9e14}};
    const std::vector<RoofCeiling> ceilings = roof_ceilings(*view, nullptr);
    QCOMPARE(ceilings.size(), std::size_t{3});
    QCOMPARE(roof_at(ceilings, 2), 8e12);
    QCOMPARE(roof_at(ceilings, 100), 5e13);
    view->ceilings->l2_bandwidth = 6e12;  // a cache has a roof of its own, which limits no op
    const std::vector<RoofCeiling> cached = roof_ceilings(*view, nullptr);
    QVERIFY(
        std::ranges::any_of(cached, [](const RoofCeiling& c) { return c.memory == RoofLevel::l2 && c.value == 6e12; }));
    QVERIFY(std::ranges::none_of(cached, [](const RoofCeiling& c) { return c.memory == RoofLevel::l1; }));
    QCOMPARE(roof_at(cached, 2), 8e12);
    QVERIFY(std::isnan(roof_at({}, 2)));
    // What cuBLAS reaches in f64 is the matrix units' rate, and not one above the lanes' peak.
    view->roofline->unit = "f64";
    view->ceilings->matrix_rate = {{"f64", 55e12}};
    const profile::Datasheet h200{.rates = {{"f64", 34e12}, {"f64_tensor", 67e12}}};
    const std::vector<RoofCeiling> f64 = roof_ceilings(*view, &h200);
    for (const RoofCeiling& measured : f64)
      for (const RoofCeiling& promised : f64)
        if (measured.measured && !promised.measured && measured.name == promised.name)
          QVERIFY2(measured.value <= promised.value, measured.name.c_str());
    QCOMPARE(std::count_if(f64.begin(), f64.end(), [](const auto& c) { return c.name == "f64 tensor cores"; }), 2);
    QCOMPARE(roof_at(f64, 1000), 55e12);
    view->roofline->shares_work = true;
    QCOMPARE(why_no_points(*view), NoPoints::shared_work);
    QVERIFY(roof_points(*view, profile::Cache::cold).empty());
  }
};

QTEST_APPLESS_MAIN(ProfileMeaningTest)
#include "profile_meaning_test.moc"
