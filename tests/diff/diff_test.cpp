// SPDX-License-Identifier: Apache-2.0
// Differences of listings, numbers and verdicts.
#include <QtTest>
#include <random>
#include "base/described_json.h"
#include "diff/align.h"
#include "diff/numbers.h"
#include "diff/texts.h"
#include "diff/verdicts.h"
#include "evidence/metric.h"

using namespace ww;
using namespace ww::diff;

namespace {

using Keys = std::vector<std::uint32_t>;

bool holds(const Keys& left,
           const Keys& right) {  // the hunks turn the one into the other, and everything between them is equal
  int i = 0, j = 0;
  const auto same_upto = [&](int l, int r) {
    if (l - i != r - j) return false;
    for (; i < l; ++i, ++j)
      if (left[static_cast<std::size_t>(i)] != right[static_cast<std::size_t>(j)]) return false;
    return true;
  };
  for (const Hunk& h : align(left, right).hunks) {
    if (!same_upto(h.left, h.right) || h.left_end < h.left || h.right_end < h.right ||
        (h.left == h.left_end && h.right == h.right_end))
      return false;
    i = h.left_end;
    j = h.right_end;
  }
  return same_upto(static_cast<int>(left.size()), static_cast<int>(right.size()));
}

int changed_lines(const Keys& left, const Keys& right) {
  int n = 0;
  for (const Hunk& h : align(left, right).hunks) n += h.left_end - h.left + h.right_end - h.right;
  return n;
}

std::string text_of(const TextDiff& d, bool right) {
  std::string text;
  for (const Row& r : d.rows)
    if (const int line = right ? r.right : r.left; line >= 0)
      text += std::string((right ? d.right : d.left).line(line)) + "\n";
  return text;
}

store::CandidateRecord accepted(const std::string& hash, std::vector<std::pair<std::string, double>> values,
                                Provenance provenance = Provenance::measured, const std::string& device = "cuda:0") {
  store::CandidateRecord c;
  c.hash = hash;
  c.state = store::CandidateState::accepted;
  evidence::Verdict v;
  v.accepted = true;
  v.metrics = evidence::Metrics{provenance, device, "default", std::move(values), {}, {}};
  v.coverage = {{"default", {{{"R", 512}}, {}}, true, 5}};
  v.ptx = ".visible .entry k()\n{\n\tmov.u32 %r1, 1;\n\tret;\n}\n";
  c.verdict = v;
  return c;
}

const NumberRow* find(const std::vector<NumberRow>& rows, const std::string& name) {
  for (const NumberRow& r : rows)
    if (r.left.name == name) return &r;
  return nullptr;
}

}  // namespace

class DiffTest : public QObject {
  Q_OBJECT
 private slots:
  void directionsOfMetrics_data() {
    QTest::addColumn<int>("better");
    for (const char* name :
         {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
          "dram__cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__warps_active.avg.pct_of_peak_sustained_active",
          "lts__t_sector_hit_rate.pct", "smsp__inst_executed.avg.per_cycle_active", "dram__bytes_read.sum.per_second",
          "smsp__sass_average_branch_targets_threads_uniform.pct", "smsp__thread_inst_executed_per_inst_executed.ratio",
          "fraction"})
      QTest::newRow(name) << 1;
    for (const char* name :
         {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
          "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "median_us", "dram__bytes.sum",
          "smsp__inst_executed.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "sm__cycles_elapsed.max",
          "gpu__time_duration.sum", "global_sectors", "warp_instructions"})
      QTest::newRow(name) << -1;
    for (const char* name : {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
                             "smsp__average_warps_active_per_issue_active.ratio", "smsp__warps_launched.sum"})
      QTest::newRow(name) << 0;
  }
  void directionsOfMetrics() {
    QFETCH(int, better);
    QCOMPARE(static_cast<int>(evidence::better_of(QTest::currentDataTag())), better);
  }
  void alignmentsHold() {
    std::mt19937 rng(7);
    for (int round = 0; round < 300; ++round) {
      const std::uint32_t words = round % 3 == 0   ? 3
                                  : round % 3 == 1 ? 40
                                                   : 100000;  // all lines common, some, nearly all once
      Keys left;
      for (std::uint32_t i = 0, n = rng() % 900; i < n; ++i) left.push_back(rng() % words);
      Keys right = left;
      for (std::uint32_t edits = rng() % 60; edits > 0; --edits) {
        const auto at = right.empty() ? 0 : rng() % right.size();
        if (rng() % 3 == 0 && !right.empty())
          right.erase(right.begin() + static_cast<std::ptrdiff_t>(at));
        else if (rng() % 2 == 0)
          right.insert(right.begin() + static_cast<std::ptrdiff_t>(at), rng() % words);
        else if (right.size() > 20)
          std::rotate(right.begin(), right.begin() + 10, right.begin() + 20);
      }
      QVERIFY2(holds(left, right), qPrintable(QString("round %1").arg(round)));
      QVERIFY(holds(right, left));
    }
    QVERIFY(align(Keys{}, Keys{}).hunks.empty());
    QCOMPARE(align(Keys{}, Keys{1, 2}).hunks, (std::vector<Hunk>{{0, 0, 0, 2}}));
    QVERIFY(align(Keys{5, 6}, Keys{5, 6}).hunks.empty());
  }

  void longListingsOfCommonLinesAreCutIntoPieces() {
    std::mt19937 rng(3);
    Keys left, right;
    for (int i = 0; i < 6000; ++i) left.push_back(rng() % 4), right.push_back(rng() % 4);
    const Alignment a = align(left, right);
    QVERIFY(a.coarse);
    QVERIFY(holds(left, right));
    for (std::uint32_t& k : right) k += 100;  // nothing in common: one change, and nothing coarse about it
    QCOMPARE(align(left, right).hunks.size(), std::size_t{1});
    QVERIFY(!align(left, right).coarse);
  }

  void aMovedBlockCostsItsOwnLinesAlone() {
    Keys left;
    for (std::uint32_t i = 0; i < 4000; ++i) left.push_back(i % 7 == 0 ? 5 : 1000 + i);
    Keys right = left;
    std::rotate(right.begin() + 1000, right.begin() + 1100, right.begin() + 3000);
    QVERIFY(holds(left, right));
    QVERIFY(changed_lines(left, right) <= 220);
  }

  void rowsShowBothTextsInFull() {
    const std::string left = "a\nb = 1;\nc\nd\n", right = "a\nb = 2;\nc\nx\ny\nd\n";
    const TextDiff d = compare_texts(left, right, {});
    QCOMPARE(text_of(d, false), left);
    QCOMPARE(text_of(d, true), right);
    QCOMPARE(d.changes.size(), std::size_t{2});
    QCOMPARE(d.rows[1].kind, RowKind::changed);
    QCOMPARE(d.rows[3].kind, RowKind::added);
    QCOMPARE(d.rows[3].left, -1);
    QCOMPARE(d.added, 3);
    QCOMPARE(d.removed, 1);
    const Words w = compare_words(d.left.line(1), d.right.line(1), {});
    QCOMPARE(w.left, (std::vector<diff::Span>{{4, 5}}));
    QCOMPARE(w.right, (std::vector<diff::Span>{{4, 5}}));
    QVERIFY(compare_texts("same\n", "same\n", {}).changes.empty());
    QCOMPARE(compare_texts("", "x\n", {}).rows.size(), std::size_t{1});
    QVERIFY(compare_texts("", "", {}).rows.empty());
  }

  void likeLinesStandBesideEachOther() {
    const TextDiff d =
        compare_texts("float a = x[i];\nreturn;\n", "int unrelated;\nbool other;\nfloat a = x[i + 1];\nreturn;\n", {});
    QCOMPARE(d.rows.size(), std::size_t{4});
    QCOMPARE(d.rows[2].kind, RowKind::changed);
    QCOMPARE(d.rows[2].left, 0);
    QCOMPARE(d.rows[2].right, 2);
  }

  void whiteSpaceCanBeIgnored() {
    const char *left = "if (a) {\n  b;\n", *right = "if  (a)  {\n\tb;\n\n";
    QVERIFY(!compare_texts(left, right, {}).changes.empty());
    const TextDiff d = compare_texts(left, right, {Form::text, true});
    QCOMPARE(d.changes.size(), std::size_t{1});  // the empty line
    QCOMPARE(d.added, 1);
  }

  void normalPtxIgnoresRegistersLabelsAndLines() {
    const char* left =
        "\t.reg .f32 %f<9>;\n$L__BB0_2:\n\t.loc\t1 3 4\n\tfma.rn.f32 \t%f1, %f2, %f2, %f1;\n\t@%p1 bra "
        "\t$L__BB0_2;\n\tmov.u32 %r1, %tid.x;\n";
    const char* right =
        "\t.reg .f32 %f<12>;\n$L__BB0_7: // here\n\tfma.rn.f32 %f10, %f4, %f4, %f10;\n\t@%p3 bra $L__BB0_7;\n\tmov.u32 "
        "%r9, %tid.x;\n";
    QVERIFY(!compare_texts(left, right, {}).changes.empty());
    const TextDiff d = compare_texts(left, right, {Form::ptx, false});
    QVERIFY(d.changes.empty());
    QCOMPARE(d.left.lines.size(), std::size_t{5});  // .loc says nothing of the work
    QCOMPARE(d.left.lines[2].number, 4);
    // What differs in the work is still seen: another operand, another special register.
    QCOMPARE(compare_texts("fma.rn.f32 %f1, %f2, %f3, %f1;", "fma.rn.f32 %f1, %f2, %f2, %f1;", {Form::ptx, false})
                 .changes.size(),
             std::size_t{1});
    QCOMPARE(compare_texts("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %ntid.x;", {Form::ptx, false}).changes.size(),
             std::size_t{1});
    QCOMPARE(compare_texts("mov.u64 %rd1, %clock64;", "mov.u64 %rd2, %globaltimer;", {Form::ptx, false}).changes.size(),
             std::size_t{1});
    QCOMPARE(instructions_of(left, Form::ptx), 3);
  }

  void normalSassIgnoresAddressesEncodingsAndRegisters() {
    const char* left =
        ".text.k:\n\t//## File \"k.cu\", line 3\n        /*0010*/                   S2R R0, SR_TID.X ;  /* "
        "0x0000000000007919 */\n.L_x_1:\n        /*0020*/              @!P0 BRA `(.L_x_1) ;\n";
    const char* right =
        "        /*0090*/                   S2R R12, SR_TID.X ;\n.L_x_9:\n        /*00a0*/              @!P2 BRA "
        "`(.L_x_9) ;\n";
    const TextDiff d = compare_texts(left, right, {Form::sass, false});
    QVERIFY(d.changes.empty());
    QCOMPARE(d.left.lines.size(), std::size_t{3});
    QCOMPARE(std::string(d.left.line(0)), std::string("S2R R0, SR_TID.X ;"));
    QCOMPARE(compare_texts("/*0*/ FADD R1, R2, RZ ;", "/*0*/ FADD R1, R2, R3 ;", {Form::sass, false}).changes.size(),
             std::size_t{1});
    QCOMPARE(
        compare_texts("/*0*/ LDG.E R1, [R2.64] ;", "/*0*/ LDG.E.128 R4, [R8.64] ;", {Form::sass, false}).changes.size(),
        std::size_t{1});
    QCOMPARE(instructions_of(left, Form::sass), 2);
  }

  void strangeBytesAreTexts() {
    for (const char* text : {"\xff\xfe\n\t\r\n", "\n\n\n", "%", "$L", ".", "/*", "*/", "//", "@", "%r", ".reg <", "R",
                             "\"", "'", "/**/", "a\rb"}) {
      for (const Form form : {Form::text, Form::ptx, Form::sass}) {
        compare_texts(text, "x\n", {form, false});
        QVERIFY(compare_texts(text, text, {form, true}).changes.empty());
        compare_words(text, "% $ . R1", {form, true});
        instructions_of(text, form);
      }
    }
  }

  void numbersKnowTheirNoise() {
    auto l = accepted("a", {{"median_us", 100},
                            {"q1_us", 99},
                            {"q3_us", 103},
                            {"median_warm_us", 90},
                            {"gpu__time_duration.sum", 99000},
                            {"samples", 9}});
    auto near = accepted("b", {{"median_us", 102},
                               {"q1_us", 101},
                               {"q3_us", 105},
                               {"median_warm_us", 90.05},
                               {"gpu__time_duration.sum", 98000},
                               {"samples", 9}});
    const auto far = accepted("c", {{"median_us", 50}, {"q1_us", 49}, {"q3_us", 51}});
    for (auto* one : {&l, &near}) one->verdict->metrics->floor = evidence::Floor{50};
    auto rows = compare_numbers(numbers_of(l), numbers_of(near), {});
    QCOMPARE(find(rows, "median_us")->noise, Noise::within);
    QCOMPARE(find(rows, "median_us")->verdict(), 0);
    QCOMPARE(find(rows, "median_warm_us")->noise, Noise::within);           // less than 0.1 us
    QCOMPARE(find(rows, "gpu__time_duration.sum")->noise, Noise::unknown);  // one count
    QCOMPARE(find(rows, "floor_us")->noise, Noise::exact);
    QVERIFY(!find(rows, "floor_us")->changed());
    QVERIFY(!find(rows, "samples"));
    QCOMPARE(find(rows, "PTX instructions")->left.value, 2.0);
    rows = compare_numbers(numbers_of(l), numbers_of(far), {});
    QCOMPARE(find(rows, "median_us")->noise, Noise::beyond);
    QCOMPARE(find(rows, "median_us")->verdict(), 1);
    QCOMPARE(find(rows, "median_us")->percent, -50.0);
    QVERIFY(!find(rows, "median_warm_us")->right.why_not.empty());  // missing, never 0
    QVERIFY(std::isnan(find(rows, "median_warm_us")->change));
    QVERIFY(find(rows, "median_warm_us")->changed());
  }

  void numbersOfDifferentOriginAreNotSubtracted() {
    const auto simulated = accepted("a", {{"warp_instructions", 100}}, Provenance::simulated, "simt");
    const auto measured = accepted("b", {{"warp_instructions", 90}});
    auto rows = compare_numbers(numbers_of(simulated), numbers_of(measured), {});
    QCOMPARE(find(rows, "score")->noise, Noise::not_comparable);
    const auto also = accepted("c", {{"warp_instructions", 90}}, Provenance::simulated, "simt");
    rows = compare_numbers(numbers_of(simulated), numbers_of(also), {});
    QCOMPARE(find(rows, "warp_instructions")->noise, Noise::exact);
    QCOMPARE(find(rows, "warp_instructions")->change, -10.0);
    auto other_case = also;
    other_case.verdict->coverage[0].binding.symbols["R"] = 513;
    rows = compare_numbers(numbers_of(simulated), numbers_of(other_case), {});
    QCOMPARE(find(rows, "warp_instructions")->noise, Noise::not_comparable);
    QVERIFY(std::isnan(find(rows, "warp_instructions")->change));
  }

  void timesTakenInTurnDecide() {
    std::mt19937 rng(1);
    profile::SubjectTiming a{.subject = "x.cu", .cache = profile::Cache::cold},
        b{.subject = "y.cu", .cache = profile::Cache::cold};
    for (int round = 0; round < 12; ++round)
      for (int s = 0; s < 5; ++s) {
        a.samples.push_back({.us = 100 + 0.001 * (rng() % 100), .round = round});
        b.samples.push_back({.us = 80 + 0.001 * (rng() % 100), .round = round});
      }
    nlohmann::ordered_json j = {{"case", {{"op", "relu"}, {"symbols", {{"R", 512}}}}},
                                {"first", {{"label", "x.cu"}, {"hash", "hash-a"}}},
                                {"second", {{"label", "y.cu"}, {"hash", "hash-b"}}},
                                {"raw", nlohmann::ordered_json::array({json::of(a), json::of(b)})}};
    store::MeasurementRecord record;
    record.kind = profile::MeasurementKind::compare;
    record.device = "cuda:0";
    record.json = j.dump();
    record.created = "2026-11-20T10:00:00Z";
    auto broken = record;
    broken.json = "{ hash-a hash-b";
    const auto forward = paired_timings({broken, record}, "hash-a", "hash-b");
    QCOMPARE(forward.size(), std::size_t{1});
    QCOMPARE(forward[0].call, profile::Call::faster);
    QVERIFY(forward[0].high < 0.9);
    QCOMPARE(paired_timings({record}, "hash-b", "hash-a")[0].call, profile::Call::slower);  // as the sides stand
    QVERIFY(paired_timings({record}, "hash-a", "hash-c").empty());
    // The verdicts' own medians, whose quartiles overlap, follow what was timed in turn in the same place.
    const auto l = accepted("hash-a", {{"median_us", 100}, {"q1_us", 70}, {"q3_us", 120}}),
               r = accepted("hash-b", {{"median_us", 80}, {"q1_us", 70}, {"q3_us", 120}});
    const auto rows = compare_numbers(numbers_of(l), numbers_of(r), forward);
    QCOMPARE(find(rows, "median_us")->noise, Noise::beyond);
    QVERIFY(find(rows, "timed in turn, cold cache (R = 512)"));
    QCOMPARE(find(rows, "timed in turn, cold cache (R = 512)")->verdict(), 1);
  }

  void verdictsAreComparedStageByStage() {
    auto l = accepted("a", {}), r = accepted("b", {});
    l.verdict->stages = {{evidence::Stage::contract, evidence::Outcome::passed, "claims 6 of 6 cases"},
                         {evidence::Stage::compile, evidence::Outcome::passed, "NVRTC 13.0"}};
    r.verdict->stages = {{evidence::Stage::contract, evidence::Outcome::passed, "claims 5 of 6 cases"},
                         {evidence::Stage::compile, evidence::Outcome::passed, "NVRTC 13.0"},
                         {evidence::Stage::smoke, evidence::Outcome::failed, "a fault"}};
    evidence::Failure failure;
    failure.case_name = "odd";
    failure.fault = Fault{.kind = FaultKind::out_of_bounds, .message = "4 bytes past x", .kernel = "k", .line = 12};
    r.verdict->stages[2].failure = failure;
    r.verdict->coverage = {{"default", {{{"R", 512}}, {}}, true, 5}, {"odd", {{{"R", 33}}, {}}, false, 0}};
    const auto rows = compare_verdicts(l, r);
    QCOMPARE(rows.size(), std::size_t{8});
    QVERIFY(!rows[0].differs);  // other words, the same outcome
    QVERIFY(rows[2].differs);
    QCOMPARE(rows[2].left.outcome, SideOutcome::skipped);
    QCOMPARE(rows[2].right.line, 12);
    QVERIFY(rows[2].right.failure.find("out of bounds in k, line 12: 4 bytes past x (case odd)") != std::string::npos);
    QCOMPARE(rows[7].right.outcome, SideOutcome::not_claimed);
    QCOMPARE(rows[7].left.outcome, SideOutcome::not_reached);
    store::CandidateRecord open;
    open.state = store::CandidateState::queued;
    QCOMPARE(compare_verdicts(open, r)[0].left.outcome, SideOutcome::not_judged);
  }
};

QTEST_APPLESS_MAIN(DiffTest)
#include "diff_test.moc"
