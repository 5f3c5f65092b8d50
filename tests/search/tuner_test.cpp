// SPDX-License-Identifier: Apache-2.0
// What the search proposes next, and how verdicts steer it.
#include <QtTest>
#include <functional>
#include "op/parse.h"
#include "search/tuner.h"

using namespace ww;

namespace {

op::Spec softmax() {
  return *op::parse_spec(
      "op softmax(x: f32[R, C]) -> y: f32[R, C] default R = 512, C = 1024 { top[r] = max(c) x[r, c]  e[r, c] = "
      "exp(x[r, c] - top[r])  z[r] = sum(c) e[r, c]  y[r, c] = e[r, c] / z[r] }");
}

search::Tuner new_tuner() { return *search::Tuner::make(softmax(), {}); }

// Judges every offer at once by `score`; negative: rejected.
struct Session {
  search::Tuner tuner = new_tuner();
  std::vector<search::Judged> history;
  std::vector<search::Offer> offers;
  void run(std::size_t count, const std::function<double(const search::Offer&)>& score, std::size_t step = 4) {
    while (offers.size() < count) {
      const auto next = tuner.next(history, std::min(step, count - offers.size()));
      if (next.empty()) return;
      for (const search::Offer& o : next) {
        const double s = score(o);
        history.push_back({o.hash, o.text, s >= 0, s >= 0, s});
        offers.push_back(o);
      }
    }
  }
};

}  // namespace

class TunerTest : public QObject {
  Q_OBJECT
 private slots:
  void first_one_of_each_structure() {
    search::Tuner t = new_tuner();
    const auto offers = t.next({}, t.structures());
    QCOMPARE(offers.size(), t.structures());
    std::set<std::string> structures;
    for (const auto& o : offers) {
      structures.insert(o.structure);
      const auto c = candidate::parse(o.text, candidate::Language::cuda);
      QVERIFY(c.has_value());
      QCOMPARE(c->hash, o.hash);
      for (const auto& axis : c->tune) QCOMPARE(axis.values.size(), 1u);
      QVERIFY(o.parent.empty());
      QVERIFY(!o.note.empty());
    }
    QCOMPARE(structures.size(), offers.size());
    QVERIFY(structures.size() >= 8);
  }

  void wanted_is_respected() {
    search::Tuner t = new_tuner();
    QCOMPARE(t.next({}, 3).size(), 3u);
    QCOMPARE(t.next({}, 1).size(), 1u);
    QVERIFY(t.next({}, 0).empty());
  }

  void same_history_same_offers() {
    Session a, b;
    const auto score = [](const search::Offer& o) { return static_cast<double>(o.text.size() % 97); };
    a.run(40, score);
    b.run(40, score);
    QCOMPARE(a.offers.size(), b.offers.size());
    for (std::size_t i = 0; i < a.offers.size(); ++i) QCOMPARE(a.offers[i].hash, b.offers[i].hash);
  }

  void nothing_is_offered_twice() {
    Session s;
    s.run(60, [](const search::Offer& o) { return static_cast<double>(o.hash[0]); });
    std::set<std::string> hashes;
    for (const auto& o : s.offers) QVERIFY(hashes.insert(o.hash).second);
  }

  void tuning_follows_the_best() {
    Session s;
    const auto score = [](const search::Offer& o) { return o.structure == "row-block-shared" ? 1.0 : 100.0; };
    s.run(s.tuner.structures() + 4, score);
    const std::size_t first = s.tuner.structures();
    int on_best = 0;
    for (std::size_t i = first; i < s.offers.size(); ++i) {
      on_best += s.offers[i].structure == "row-block-shared";
      QVERIFY(!s.offers[i].parent.empty());
      QVERIFY(s.offers[i].note.find(" -> ") != std::string::npos ||
              s.offers[i].note.find("remaining") != std::string::npos);
    }
    QVERIFY(on_best >= 2);
  }

  // Larger blocks are better here: the search walks there from the default, each step a child of the best before it.
  void climbs() {
    Session s;
    s.run(s.tuner.structures() + 14, [](const search::Offer& o) {
      const auto c = candidate::parse(o.text, candidate::Language::cuda);
      if (o.structure != "row-block") return 1e6;
      return 2000.0 - static_cast<double>(candidate::first_tuning(*c).at("BLOCK"));
    });
    const bool reached = std::any_of(s.offers.begin(), s.offers.end(), [](const search::Offer& o) {
      return o.structure == "row-block" && o.text.find("BLOCK = 1024") != std::string::npos;
    });
    QVERIFY(reached);
  }

  void failed_structures_are_dropped() {
    Session s;
    s.run(s.tuner.structures() + 10,
          [](const search::Offer& o) { return o.structure.rfind("row-block", 0) == 0 ? -1.0 : 5.0; });
    for (std::size_t i = s.tuner.structures(); i < s.offers.size(); ++i)
      QVERIFY2(s.offers[i].structure.rfind("row-block", 0) != 0, s.offers[i].structure.c_str());
    QVERIFY(s.offers.size() > s.tuner.structures());
  }

  void ends() {
    Session s;
    s.run(
        100000, [](const search::Offer&) { return 1.0; }, 64);
    QVERIFY(s.offers.size() > 30);
    QVERIFY(s.offers.size() < 3000);
    QVERIFY(s.tuner.next(s.history, 4).empty());
  }

  void nothing_accepted_ends() {
    Session s;
    s.run(100000, [](const search::Offer&) { return -1.0; });
    QCOMPARE(s.offers.size(), s.tuner.structures());
  }

  // A run that goes on in another process: what was judged there is known here.
  void recalls_what_another_process_offered() {
    Session before;
    before.run(6, [](const search::Offer&) { return 1.0; });
    search::Tuner fresh = new_tuner();
    std::set<std::string> old;
    for (const auto& j : before.history) old.insert(j.hash);
    for (const auto& o : fresh.next(before.history, 10)) QVERIFY(!old.count(o.hash));
  }

  void texts_of_others_are_ignored() {
    search::Tuner t = new_tuner();
    const auto offers = t.next({{"abc", "not a candidate", true, true, 0.1}, {"def", "", false, false, 0}}, 4);
    QCOMPARE(offers.size(), 4u);
  }
};

QTEST_GUILESS_MAIN(TunerTest)
#include "tuner_test.moc"
