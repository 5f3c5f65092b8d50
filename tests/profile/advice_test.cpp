// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include "profile/advice.h"

using namespace ww;
using namespace ww::profile;

namespace {

const std::string two_rules = R"j({"schema":"warpwright/advice/1","rules":[
 {"id":"few","section":"memory",
  "title":"Few","when":[{"sum":["a","-b/1"],"below":3}],"evidence":"{0} only ({provenance})",
  "explanation":"More."},
 {"id":"wide","section":"stalls","title":"Wide","applies":["simulated"],"group":"tensor","ideal":1,"line":"sectors",
  "when":[{"sum":["sectors"],"per":["requests"],"above":4}],
  "evidence":"{0} each, {0%}, {limiter}","explanation":"Less."}]})j";

AdviceInput input() {
  AdviceInput in;
  in.provenance = Provenance::simulated;
  in.values = {{"a", 5}, {"b", 3.5}, {"sectors", 800}, {"requests", 100}};
  in.shares = {{CostGroup::tensor, 0.5}};
  in.lines = {{3, {{"sectors", 10}}}, {7, {{"sectors", 700}}}, {9, {{"sectors", 90}}}};
  in.limiter = OccupancyLimit::registers;
  return in;
}

std::vector<std::string> names(const std::vector<Advice>& list) {
  std::vector<std::string> out;
  for (const Advice& a : list) out.push_back(a.id);
  return out;
}

}  // namespace

class AdviceTest : public QObject {
  Q_OBJECT
 private slots:
  void saysWhatItsNumbersSay() {
    const auto rules = AdviceRules::parse(two_rules);
    QVERIFY2(rules.has_value(), rules ? "" : rules.error().text().c_str());
    const std::vector<Advice> list = rules->advise(input());
    QCOMPARE(names(list), (std::vector<std::string>{"wide", "few"}));  // the one with a bound first
    QCOMPARE(list[0].line, 7);
    QCOMPARE(list[0].section, Section::stalls);
    QCOMPARE(list[1].section, Section::memory);
    QCOMPARE(list[0].evidence, std::string("8 each, 800 %, registers"));
    QCOMPARE(list[0].gain, 1 / (1 - 0.5 * (1 - 1.0 / 8)));
    QCOMPARE(list[1].evidence, std::string("1.50 only (simulated)"));
    QCOMPARE(list[1].gain, 0.0);
    QVERIFY(advice_text(list, 1).find("By itself at most 1.78 times faster, modelled") != std::string::npos);
    QVERIFY(advice_text(list, 1).find("Few") == std::string::npos);
  }
  void isSilentWithoutItsNumbers() {
    const auto rules = AdviceRules::parse(two_rules);
    AdviceInput in = input();
    in.values = {{"a", 5}, {"sectors", 800}, {"requests", 0}};
    QVERIFY(rules->advise(in).empty());
    in = input();
    in.provenance = Provenance::measured;  // never mixed with what is simulated
    QCOMPARE(names(rules->advise(in)), (std::vector<std::string>{"few"}));
  }
  void refusesRulesThatCannotHold() {
    for (const char* bad :
         {"{\"schema\":[]}", "{\"schema\":3}", "{}", "[",
          R"({"schema":"warpwright/advice/1","rules":[{"id":"x","section":"memory",
          "title":"t","evidence":"e","explanation":"e",
          "when":[]}]})",
          R"({"schema":"warpwright/advice/1","rules":[{"id":"x","section":"memory",
          "title":"t","evidence":"e","explanation":"e",
          "when":[{"sum":["a"]}]}]})",
          R"({"schema":"warpwright/advice/1","rules":[{"id":"x","section":"memory",
          "title":"t","evidence":"e","explanation":"e",
          "when":[{"sum":[1],"above":2}]}]})",
          R"({"schema":"warpwright/advice/1","rules":[{"id":"x","title":"t","evidence":"e","explanation":"e",
          "when":[{"sum":["a"],"above":2}]}]})",
          R"({"schema":"warpwright/advice/1","rules":[{"id":"x","section":"y","title":"t","evidence":"e",
          "explanation":"e","when":[{"sum":["a"],"above":2}]}]})"})
      QVERIFY2(!AdviceRules::parse(bad).has_value(), bad);
  }
  void shippedRulesAreWhole() {
    const auto rules = AdviceRules::load();
    QVERIFY2(rules.has_value(), rules ? "" : rules.error().text().c_str());
    QVERIFY(rules->size() >= 32);
    AdviceInput in;  // a kernel that reads columns, spills and uses double by accident
    in.provenance = Provenance::simulated;
    in.values = {{"global_load_sectors", 3200},
                 {"global_load_bytes", 12800},
                 {"thread_instructions.load_global", 3200},
                 {"warp_instructions.f64", 10},
                 {"warps", 100},
                 {"spill_bytes", 16}};
    in.shares = {{CostGroup::global_memory, 0.8}};
    in.text = "extern \"C\" __global__ void k() { y[i] = x[i * n] * 2.0; }";
    const std::vector<std::string> said = names(rules->advise(in));
    for (const char* id : {"uncoalesced-loads", "spills", "double-by-accident"})
      QVERIFY2(std::find(said.begin(), said.end(), id) != said.end(), id);
    in.text = "double by intention";
    QCOMPARE(names(rules->advise(in)).size(), said.size() - 1);
  }
};

QTEST_GUILESS_MAIN(AdviceTest)
#include "advice_test.moc"
