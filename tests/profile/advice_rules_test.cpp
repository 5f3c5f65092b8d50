// SPDX-License-Identifier: Apache-2.0
// Every shipped rule: numbers that show its fault, the same without the fault, and each number missing in turn.
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include "base/files.h"
#include "profile/advice.h"
#include "profile/measurement.h"

using namespace ww;
using namespace ww::profile;

namespace {

using Values = std::map<std::string, double>;

struct Shown {
  std::string id;
  Provenance provenance = Provenance::unknown;  // none: a case of any
  Values fault;                                 // all numbers that the case looks at: with them the rule speaks
  Values change;                                // of these, what takes the fault away
  std::string limiter, text;
  int line = 0;     // where the text has it
  double gain = 0;  // 0: no bound is expected
};

// The kernels that rules look at.
const std::map<std::string, std::string> texts = {
    {"plain", "extern \"C\" __global__ void k(const float* x, float* y) {\n  y[0] = x[0];\n}\n"},
    {"loop",
     "extern \"C\" __global__ void k(const float* x, float* y) {\n  for (int i = 0; i < 9; ++i) {\n    "
     "__syncthreads();\n    y[i] = x[i];\n  }\n}\n"},
    {"division", "// 7 % 2\n__global__ void k(float* y) {\n  int r = i / n, c = i % n;\n}\n"},
    {"half", "__global__ void k(const __half* x) {}\n"},
};

void read_numbers(const std::string& list, Values& values) {  // "NAME VALUE, NAME VALUE"
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ',');) {
    std::istringstream words(one);
    std::string name;
    double value = 0;
    if (!(words >> name >> value)) qFatal("no number and its value: %s", one.c_str());
    values[name] = value;
  }
}

double quotient(const std::string& text) {  // "4/3", "2"
  std::istringstream in(text);
  double above = 0, below = 1;
  char slash = '/';
  if (!(in >> above) || (in >> slash && (slash != '/' || !(in >> below)))) qFatal("no quotient: %s", text.c_str());
  return above / below;
}

void read_member(const std::string& line, Shown& s) {
  const std::size_t at = line.find(' ');
  const std::string member = line.substr(0, at), rest = at == std::string::npos ? std::string() : line.substr(at + 1);
  if (member == "fault")
    read_numbers(rest, s.fault);
  else if (member == "change")
    read_numbers(rest, s.change);
  else if (member == "limiter")
    s.limiter = rest;
  else if (member == "text")
    s.text = texts.at(rest);
  else if (member == "line")
    s.line = std::stoi(rest);
  else if (member == "gain")
    s.gain = quotient(rest);
  else if (member != "#")
    qFatal("no such member: %s", line.c_str());
}

const std::vector<Shown>& shown() {
  static const std::vector<Shown> all = [] {
    const auto text = read_file(WW_SOURCE_DIR "/tests/profile/fixtures/advice_rules.txt");
    if (!text) qFatal("%s", text.error().text().c_str());
    std::vector<Shown> list;
    std::istringstream in(*text);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with('#')) continue;
      if (line.starts_with("  ") && !list.empty()) {
        read_member(line.substr(2), list.back());
        continue;
      }
      std::istringstream words(line);
      Shown s;
      if (!(words >> s.id)) qFatal("no rule: '%s'", line.c_str());
      std::string provenance;
      words >> provenance;
      s.provenance = enum_or_unknown<Provenance>(provenance);
      list.push_back(std::move(s));
    }
    return list;
  }();
  return all;
}

AdviceInput input_of(const Shown& s, const Values& values) {
  using enum CostGroup;
  AdviceInput in;
  in.provenance = s.provenance == Provenance::unknown ? Provenance::simulated : s.provenance;
  in.values.assign(values.begin(), values.end());
  in.limiter = enum_or_unknown<OccupancyLimit>(s.limiter);
  in.text = s.text;
  if (s.provenance == Provenance::simulated)
    in.shares = {{global_memory, 0.5}, {arithmetic, 0.3},        {shared_memory, 0.2},
                 {local_memory, 0.2},  {control, 0.1},           {shuffles_and_barriers, 0.1},
                 {atomics, 0.1},       {special_functions, 0.1}, {idle_schedulers, 0.5}};
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
    const std::vector<Shown>& list = shown();
    for (int i = 0; i < static_cast<int>(list.size()); ++i)
      QTest::newRow((list[i].id + " " + enum_string(list[i].provenance)).c_str()) << i;
  }
  void speaksOfItsFaultAlone() {
    QFETCH(int, at);
    const Shown& s = shown()[static_cast<std::size_t>(at)];
    const std::vector<Advice> said = rules_.advise(input_of(s, s.fault));
    const Advice* a = find(said, s.id);
    QVERIFY2(a, advice_text(said, 9).c_str());
    QCOMPARE(a->provenance, s.provenance == Provenance::unknown ? Provenance::modelled : s.provenance);
    QVERIFY2(a->evidence.find(enum_name(a->provenance)) != std::string::npos,
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
    if (s.provenance != Provenance::unknown) {  // counts of one origin never meet rules of the other
      Shown other = s;
      other.provenance = s.provenance == Provenance::simulated ? Provenance::measured : Provenance::simulated;
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
    in.provenance = Provenance::simulated;
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
    in.provenance = Provenance::measured;
    in.values = {{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 5},
                 {"smsp__average_warps_active_per_issue_active.ratio", 10}};
    in.text = texts.at("loop");
    in.lines = {{3, {{"stall.barrier", 40}, {"stall.long_scoreboard", 5}}},
                {4, {{"stall.barrier", 90}, {"stall.long_scoreboard", 900}}}};
    const std::vector<Advice> said = rules_.advise(in);
    QCOMPARE(find(said, "barrier-in-loop")->line, 3);  // line 4 waits longer, but has no barrier
    in.text.clear();
    QCOMPARE(find(rules_.advise(in), "waits-at-barriers")->line, 4);
  }
  void aStoreIsNotBlamedOnALoadsLine() {
    AdviceInput in;
    in.provenance = Provenance::simulated;
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
        advice_request({"x", "Title", "0.5 of it (measured).", "Do this.", 12, 1.5, Provenance::measured});
    QCOMPARE(request, std::string("Title. 0.5 of it (measured). Look at line 12. Do this."));
  }

 private:
  AdviceRules rules_;
};

QTEST_GUILESS_MAIN(AdviceRulesTest)
#include "advice_rules_test.moc"
