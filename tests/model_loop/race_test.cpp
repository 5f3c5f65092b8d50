// SPDX-License-Identifier: Apache-2.0
// Strategies that race for one budget, ops that share a campaign's, and the report on both.
#include <QXmlStreamReader>
#include <QtTest>
#include <map>
#include "explore/campaign.h"
#include "model_loop/scripted_model_runs.h"
#include "report/race.h"
#include "report/report.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::report;
using namespace ww::testing;

class RaceTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

 private slots:
  void initTestCase() { offer_model(); }
  void init() { renew(); }

  void racersHaveEqualSharesAndSeeOnlyTheirOwn() {
    std::vector<std::pair<std::string, std::string>> asked_by;  // label is not in the request: the seed tells
    RunOptions o = options_with({"refine", "sample"}, 8);
    const RunEnded ended = go(o);
    QCOMPARE(ended.state, store::RunState::done);
    std::map<std::string, int> count;
    std::map<std::string, std::string> owner;
    const auto list = workspace_->candidates(ended.run).value();
    for (const auto& c : list) {
      ++count[c.generator];
      owner[c.hash] = c.generator;
      if (!c.parent.empty()) QCOMPARE(owner.at(c.parent), c.generator);
    }
    QCOMPARE(count["model/refine"], 4);
    QCOMPARE(count["model/sample"], 4);

    o.model.strategies = {"refine", "refine"};
    QVERIFY(go(o).why.find("named twice") != std::string::npos);
    o.model.strategies = {"guess"};
    QVERIFY(go(o).why.find("there is no strategy 'guess'") != std::string::npos);
  }

  void aCampaignGoesWhereTheWholeGainsMost() {
    const auto named = [](const std::string& name) {
      RunOptions o = options_with({"refine"}, 0);
      o.spec.replace(o.spec.find("scale"), 5, name);
      return o;
    };
    use([](const llm::Request& r,
           std::stop_token c) -> Result<std::string> {  // of "slow" nothing is gained, of "fast" ever a little
      Result<std::string> text = sensible(r, c);
      const bool fast = said(r).find("op fast(") != std::string::npos;
      if (const std::size_t at = text ? text->find("candidate scale") : std::string::npos; at != std::string::npos)
        text->replace(at + 10, 5, fast ? "fast" : "slow");
      return text;
    });
    CampaignOptions options;
    options.slice = 2;
    options.budget.candidates = 8;
    options.ops = {{1, named("slow")}, {4, named("fast")}};
    std::vector<std::size_t> order;
    std::vector<double> gains;
    std::stop_source stop;
    CampaignWatch watch;
    watch.slice = [&](const CampaignSlice& s) {
      order.push_back(s.op);
      gains.push_back(s.state.ops[s.op].gain);
      for (const CampaignOpState& op : s.state.ops) QVERIFY(op.gain <= gains.back());
      if (order.size() == 2) stop.request_stop();
    };
    const auto first = run_campaign(*workspace_, options, watch, stop.get_token());
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    QCOMPARE(first->state, store::RunState::cancelled);
    QCOMPARE(order[0], std::size_t{1});  // four times the weight
    QCOMPARE(campaigns(*workspace_), std::vector<std::int64_t>{first->campaign});
    watch.slice = [&](const CampaignSlice& s) { order.push_back(s.op); };
    const auto resumed = resume_campaign(*workspace_, first->campaign, watch);
    QVERIFY2(resumed, resumed ? "" : resumed.error().text().c_str());
    QCOMPARE(resumed->state, store::RunState::done);
    QVERIFY(resumed->why.find("8 candidates") != std::string::npos);
    QVERIFY(std::count(order.begin(), order.end(), std::size_t{1}) >
            std::count(order.begin(), order.end(), std::size_t{0}));
    const CampaignState state = campaign_state(*workspace_, first->campaign).value();
    QCOMPARE(state.judged(), 8);
    QCOMPARE(state.ops[1].weight, 0.8);
    QVERIFY(state.tokens() > 0);
    QCOMPARE(state.ops[1].speedup, *state.ops[1].first / *state.ops[1].best);
    QVERIFY(state.whole && *state.whole >= 1);
    double now = 0;
    for (const CampaignOpState& op : state.ops) now += op.weight / op.speedup;
    QCOMPARE(*state.whole, 1 / now);
    const auto lines = campaign_lines(state);
    QCOMPARE(lines.size(), std::size_t{3});
    QVERIFY(lines[1].starts_with("fast: 80.0 % of the time"));
    QVERIFY(workspace_->runs()->size() <= 2);

    options.ops[0].weight = 0;
    QVERIFY(!run_campaign(*workspace_, options, {}));
    options.ops[0].weight = 1;
    options.budget = {0, 0, 0, 0};
    QVERIFY(!run_campaign(*workspace_, options, {}));
    QVERIFY(!resume_campaign(*workspace_, 77, {}));
  }

  void theReportTellsWhoFoundWhatWhen() {
    const RunEnded ended = go(options_with({"refine", "sample"}, 8));
    const Race race = race_of(*workspace_, ended.run).value();
    QCOMPARE(race.racers.size(), std::size_t{2});
    std::int64_t tokens = 0;
    for (const RacerResult& r : race.racers) {
      QCOMPARE(r.candidates, 4);
      tokens += r.tokens;
      for (std::size_t i = 0; i < r.finds.size(); ++i) {
        QVERIFY(r.finds[i].tokens > 0 && r.finds[i].tokens <= r.tokens);
        if (i > 0)
          QVERIFY(r.finds[i].score < r.finds[i - 1].score && r.finds[i].candidates > r.finds[i - 1].candidates);
      }
    }
    QCOMPARE(race.racers[0].strategy, std::string("refine"));
    QVERIFY(!race.racers[0].finds.empty());
    std::int64_t used = 0;
    for (const ModelUse& u : race.models) used += u.prompt + u.completion;
    QCOMPARE(tokens, used);
    const std::string page = html_report(*workspace_, ended.run).value();
    QXmlStreamReader xml(QString::fromStdString(page));
    while (!xml.atEnd()) xml.readNext();
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    for (const char* part :
         {"The race of the strategies", "Found what when", "Models and spend", "test:one", ">sample<"})
      QVERIFY2(page.find(part) != std::string::npos, part);
  }
};

QTEST_GUILESS_MAIN(RaceTest)
#include "race_test.moc"
