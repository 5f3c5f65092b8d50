// SPDX-License-Identifier: Apache-2.0
// What a model that repeats itself costs: tokens for each improvement, where it is told what to do otherwise and where
// that is kept from it. Such a model makes the same change of the same parent, most of the time, until it is told to
// make another; half of the changes gain. Its analyst always names the same moves. Tokens are those of the requests as
// they are sent.
#include <QtTest>
#include <map>
#include "model_loop/scripted_model_runs.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::int64_t number_after(const std::string& text, const std::string& mark, std::int64_t otherwise) {
  const std::size_t at = text.rfind(mark);
  return at == std::string::npos ? otherwise : std::atoll(text.c_str() + at + mark.size());
}

std::string step(std::int64_t from, std::uint64_t way) {  // half of the ways gain a tenth
  const std::int64_t to = mixed(static_cast<std::uint64_t>(from) * 31 + way) % 2 == 0 ? from * 9 / 10 : from * 21 / 20;
  return file(script::candidate("from " + std::to_string(from) + " way " + std::to_string(way),
                                "accepted " + std::to_string(to)),
              "way " + std::to_string(way));
}

Result<std::string> analysis() {
  return "{\"bottleneck\": \"loads are narrow\", \"evidence\": \"4 bytes a request\", \"moves\": ["
         "{\"name\": \"way 0\", \"why\": \"wider requests\", \"gain\": 1.1},"
         "{\"name\": \"way 1\", \"why\": \"fewer requests\", \"gain\": 1.1},"
         "{\"name\": \"way 2\", \"why\": \"fewer barriers\", \"gain\": 1.1}]}";
}

Answer repeating_model(bool told) {
  return [told](const llm::Request& r, std::stop_token) -> Result<std::string> {
    if (asks_analyst(r)) return analysis();
    const std::string prompt = r.messages.back().text();
    const std::uint64_t seed = static_cast<std::uint64_t>(r.seed.value_or(0)), dice = mixed(seed);
    const std::size_t parent = prompt.find("# The candidate to start from");
    if (parent == std::string::npos)
      return file(
          script::candidate("fresh " + std::to_string(seed), "accepted " + std::to_string(1000000 + dice % 9999)),
          "from nothing");
    const std::int64_t cost = number_after(prompt.substr(parent), "// becomes: accepted ", 1000000);
    if (const std::int64_t move = told ? number_after(prompt, ": take move ", 0) : 0; move > 0)
      return step(cost, static_cast<std::uint64_t>(move - 1));
    const bool knows =
        told && (prompt.find(" came back") != std::string::npos || prompt.find("did not make") != std::string::npos ||
                 prompt.find("second change you think of") != std::string::npos);
    if (!knows && dice % 10 < 8) return step(cost, 0);  // its habit
    return step(cost, 1 + dice / 16 % 6);
  };
}

}  // namespace

class RepeatsTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

  struct Spent {
    std::int64_t tokens = 0;
    int improvements = 0, repeats = 0, requests = 0, analyses = 0;
    double each() const { return improvements == 0 ? 1e18 : static_cast<double>(tokens) / improvements; }
  };
  Spent spent(const std::string& strategy, bool analyst, bool told) {
    Spent sum;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      renew();
      use(repeating_model(told));
      RunOptions o = options_with({strategy}, 0);
      o.budget.tokens = 400000;
      o.budget.candidates = 200;
      if (!analyst) o.model.analyst = "none";
      o.model.seed = seed;
      const RunEnded ended = go(o);
      std::map<std::string, double> scores;
      for (const store::CandidateRecord& c : candidates(ended.run)) {
        if (c.score) scores[c.hash] = *c.score;
        const auto parent = scores.find(c.parent);
        sum.improvements += c.score && parent != scores.end() && *c.score < parent->second;
      }
      for (const store::ExchangeRecord& e : exchanges(ended.run)) {
        sum.tokens += e.prompt_tokens + e.completion_tokens;
        sum.repeats += e.outcome == store::ExchangeOutcome::duplicate;
        sum.analyses += e.role == store::AgentRole::analyst;
        ++sum.requests;
      }
    }
    qInfo(
        "%s, %s, %s: %.0f tokens for each improvement (%d improvements, %d requests, of these %d repeats and %d "
        "analyses; %.0f tokens a request)",
        strategy.c_str(), analyst ? "analyst" : "no analyst", told ? "told" : "not told", sum.each(), sum.improvements,
        sum.requests, sum.repeats, sum.analyses, double(sum.tokens) / sum.requests);
    return sum;
  }

 private slots:
  void initTestCase() {
    offer_model();
    counts_tokens = true;
  }
  void cleanupTestCase() { counts_tokens = false; }

  void tellingOfRepeatsSavesTokens_data() {
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<bool>("analyst");
    for (const char* name : {"refine", "beam", "evolve", "keep"})
      for (const bool analyst : {false, true})
        QTest::addRow("%s, %s", name, analyst ? "analyst" : "none") << name << analyst;
  }
  void tellingOfRepeatsSavesTokens() {
    QFETCH(QString, strategy);
    QFETCH(bool, analyst);
    const Spent before = spent(strategy.toStdString(), analyst, false),
                after = spent(strategy.toStdString(), analyst, true);
    QVERIFY(after.improvements > 0 && after.each() < before.each());
    QVERIFY(after.repeats * before.requests < before.repeats * after.requests);
  }
};

QTEST_GUILESS_MAIN(RepeatsTest)
#include "repeats_test.moc"
