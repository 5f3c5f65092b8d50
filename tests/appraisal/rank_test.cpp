// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include "base/files.h"
#include "appraisal/rank.h"

using namespace ww;
using namespace ww::appraisal;

namespace {

evidence::Metrics zeros(const RankRules& rules) {
  evidence::Metrics m;
  m.provenance = Provenance::simulated;
  for (const RankRules::Term& t : rules.terms) m.values.emplace_back(t.metric, 0);
  m.values.emplace_back("launches", 1);
  m.values.emplace_back("warps", 1000);
  return m;
}

void set(evidence::Metrics& m, const std::string& name, double value) {
  for (auto& [n, v] : m.values)
    if (n == name) v = value;
}

double part(const Cost& cost, profile::CostGroup group) {
  for (const CostPart& p : cost.parts)
    if (p.group == group) return p.cost;
  return -1;
}

}  // namespace

class RankTest : public QObject {
  Q_OBJECT
 private slots:
  void rulesAreWhole() {
    const auto rules = RankRules::load();
    QVERIFY2(rules, rules ? "" : rules.error().text().c_str());
    QVERIFY(rules->terms.size() > 10);
    for (const RankRules::Term& t : rules->terms) {
      QVERIFY2(!t.source.empty(), t.metric.c_str());
      QVERIFY(t.weight.contains(80) && t.weight.contains(90));
    }
    QVERIFY(rules->groups.back() == profile::CostGroup::idle_schedulers);
  }

  void costIsTheWeightedSum() {
    const RankRules rules = RankRules::load().value();
    evidence::Metrics m = zeros(rules);
    QCOMPARE(simulated_cost(rules, m, "sm_80")->total, 0.0);
    set(m, "warp_instructions.f32", 100);
    set(m, "shared_wavefronts", 10);
    const Cost on80 = simulated_cost(rules, m, "sm_80").value();
    QCOMPARE(part(on80, profile::CostGroup::arithmetic), 200.0);    // 64 lanes a clock: two slots each
    QCOMPARE(part(on80, profile::CostGroup::shared_memory), 40.0);  // a clock of four schedulers each
    QCOMPARE(on80.total, 240.0);
    QCOMPARE(simulated_cost(rules, m, "sm_90")->total, 140.0);  // 128 lanes a clock
    QCOMPARE(simulated_cost(rules, m, "sm_90a")->total, 140.0);
    QCOMPARE(simulated_cost(rules, m, "sm_86")->total, 240.0);  // the nearest older
    QCOMPARE(simulated_cost(rules, m, "sm_75")->total, 240.0);  // the oldest there is
    QCOMPARE(simulated_cost(rules, m, "sm_120")->total, 140.0);
  }

  void eachCountMakesItDearer() {
    const RankRules rules = RankRules::load().value();
    for (const RankRules::Term& t : rules.terms) {
      evidence::Metrics m = zeros(rules);
      set(m, "warp_instructions.integer", 10);
      const double before = simulated_cost(rules, m, "sm_80")->total;
      set(m, t.metric, 1000);
      QVERIFY2(simulated_cost(rules, m, "sm_80")->total >= before, t.metric.c_str());
    }
  }

  void fewWarpsLeaveSchedulersIdle() {
    const RankRules rules = RankRules::load().value();
    evidence::Metrics m = zeros(rules);
    set(m, "warp_instructions.integer", 100);
    set(m, "warps", 4);
    const Cost cost = simulated_cost(rules, m, "sm_80").value();
    QCOMPARE(cost.total, 200.0 * rules.fill_warps / 4);
    double sum = 0;
    for (const CostPart& p : cost.parts) sum += p.cost;
    QCOMPARE(sum, cost.total);
    set(m, "warps", 8);
    set(m, "launches", 2);  // four in each
    QCOMPARE(simulated_cost(rules, m, "sm_80")->total, cost.total);
    set(m, "warps", 32);  // most of which exit at once
    m.values.emplace_back("busy_warps", 8);
    QCOMPARE(simulated_cost(rules, m, "sm_80")->total, cost.total);
  }

  void aMissingNumberIsNotZero() {
    const RankRules rules = RankRules::load().value();
    for (std::size_t i = 0; i < zeros(rules).values.size(); ++i) {
      evidence::Metrics m = zeros(rules);
      const std::string name = m.values[i].first;
      std::erase_if(m.values, [&](const auto& v) { return v.first == name; });
      const auto cost = simulated_cost(rules, m, "sm_80");
      QVERIFY2(!cost, name.c_str());
      QCOMPARE(cost.error().code, Code::not_found);
    }
    evidence::Verdict v;
    v.accepted = true;
    QVERIFY(!score_of(rules, v, "sm_80"));
    v.metrics = zeros(rules);
    QCOMPARE(score_of(rules, v, "sm_80")->provenance, Provenance::simulated);
    v.accepted = false;
    QVERIFY(!score_of(rules, v, "sm_80"));
    set(*v.metrics, "warp_instructions.integer", std::numeric_limits<double>::infinity());
    v.accepted = true;
    QVERIFY(!score_of(rules, v, "sm_80"));
  }

  void measuredTimesAreScoresOfTheirOwn() {
    const RankRules rules = RankRules::load().value();
    evidence::Verdict v;
    v.accepted = true;
    v.metrics = evidence::Metrics{Provenance::measured, "cuda:0", "default", {{rules.measured_metric, 12.5}}, {}};
    const Score s = score_of(rules, v, "sm_90").value();
    QCOMPARE(s.value, 12.5);
    QCOMPARE(s.provenance, Provenance::measured);
    QVERIFY(s.unit != rules.unit);
  }

  void tiesShareARank() {
    const auto ranks = ranks_of({{7, 3.0}, {2, 5.0}, {9, 1.0}, {1, 5.0}, {3, 6.0}});
    const std::vector<std::pair<std::int64_t, int>> expected = {{9, 1}, {7, 2}, {1, 3}, {2, 3}, {3, 5}};
    QCOMPARE(ranks, expected);
    QVERIFY(ranks_of({}).empty());
    const std::vector<std::pair<std::int64_t, int>> near = {{1, 1}, {2, 1}, {3, 3}};
    QCOMPARE(ranks_of({{3, 1001.5}, {2, 1000.9}, {1, 1000.0}}), near);
  }

  void badRulesAreNamed() {
    QTemporaryDir dir;
    const std::filesystem::path file = std::filesystem::path(dir.path().toStdString()) / "rules.json";
    QVERIFY(!RankRules::load(file));
    for (const char* text : {"", "{", "[]", "{\"schema\": \"warpwright/simt-rank/1\"}", "{\"schema\": \"other\"}"}) {
      QVERIFY(write_file_atomic(file, text));
      const auto rules = RankRules::load(file);
      QVERIFY(!rules);
      QVERIFY(rules.error().message.find(file.string()) != std::string::npos);
    }
    std::string text = read_file(resources_dir() / "rules/simt_rank.json").value();
    text.replace(text.find("\"sm_80\": 2"), 10, "\"sm_80\":-2");
    QVERIFY(write_file_atomic(file, text));
    QCOMPARE(RankRules::load(file).error().code, Code::corrupt);
  }
};

QTEST_GUILESS_MAIN(RankTest)
#include "rank_test.moc"
