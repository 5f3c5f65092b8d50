// SPDX-License-Identifier: Apache-2.0
// Runs whose model calls tools, and what later runs remember of earlier ones.
#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>
#include <map>
#include <set>
#include "llm/message_json.h"
#include "llm/tool_text.h"
#include "model_loop/scripted_model_runs.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;

namespace {

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

std::string quoted(const std::string& text) {
  return QJsonDocument(QJsonArray{QString::fromStdString(text)})
      .toJson(QJsonDocument::Compact)
      .mid(1)
      .chopped(1)
      .toStdString();
}

}  // namespace

class ToolsTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

  using Calls = std::vector<std::pair<std::string, std::string>>;  // tool, arguments
  std::map<std::string, std::string> results_;                     // by the call's id

  // Each answer of the writer is preceded by these calls, all at once.
  void call_first(const Calls& calls) {
    before = [this, calls](const llm::Request& r, llm::Observer&) -> std::optional<Result<llm::Reply>> {
      if (asks_analyst(r)) return std::nullopt;
      for (const llm::Block& b : r.messages.back().blocks)
        if (b.kind == llm::Block::Kind::result) results_[b.id] = b.text;
      if (r.tools.empty() || r.messages.size() > 2) return std::nullopt;
      llm::Reply reply;
      for (const auto& [tool, arguments] : calls)
        reply.blocks.push_back({.kind = llm::Block::Kind::call,
                                .text = arguments,
                                .id = "c" + std::to_string(reply.blocks.size()),
                                .tool = tool});
      reply.stop = llm::Stop::calls;
      reply.usage = {100, 0, 0, 10, 0, true};
      return reply;
    };
  }

 private slots:
  void initTestCase() { offer_model(); }
  void init() {
    renew();
    results_.clear();
  }

  void theModelCallsTools() {
    RunOptions o = options_with({"refine"}, 3);
    o.model.analyst = "none";
    const RunEnded first = go(o);
    QCOMPARE(first.state, store::RunState::done);
    std::int64_t accepted = 0;
    for (const store::CandidateRecord& c : candidates(first.run))
      if (c.state == store::CandidateState::accepted) accepted = c.id;
    QVERIFY(accepted > 0);

    const auto code = [](const std::string& becomes) {
      return "{\"candidate\":" + quoted(script::candidate("tried", becomes)) + "}";
    };
    call_first({{"check", code("accepted 500")},
                {"check", code("rejected")},
                {"count", code("accepted 500")},
                {"compile", code("accepted 500")},
                {"advice", R"({"page":"spills"})"},
                {"kernel", "{\"candidate\":" + std::to_string(accepted) + "}"},
                {"kernel", R"({"candidate":100000})"},
                {"advice", R"({"page":"nothing"})"},
                {"format", "{}"},
                {"check", "{\"candidate\""},
                {"check", R"({"candidate":"int x;"})"},
                {"time", code("accepted 500")},
                {"profile", R"({"candidate":"ffffffff"})"},
                {"profile", R"({"candidate":"f"})"},
                {"instruction", R"({"opcode":" ld.global.nc.f32 "})"},
                {"instruction", R"({"opcode":"frobnicate"})"}});
    o.model.tool_calls = 16;
    o.model.seed = 8;
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    const char* said_of[] = {"It passes the quick check",
                             "y[3]: expected 6, got 7",
                             "simulated",
                             "It compiles.",
                             "spill",
                             "//@ candidate scale",
                             "is not one of these",
                             "There is no page 'nothing'",
                             "There is no tool 'format'",
                             "It failed: the arguments",
                             "It is no candidate",
                             "no GPU, so nothing can be timed",
                             "no candidate whose hash begins",
                             "at least 4 characters",
                             "PTX ISA",
                             "No explanation of 'frobnicate'"};
    for (std::size_t i = 0; i < std::size(said_of); ++i) {
      const std::string& text = results_["c" + std::to_string(i)];
      QVERIFY2(has(text, said_of[i]), (std::to_string(i) + ": " + text).c_str());
    }
    // Nothing of it is a candidate; the exchanges have all of it.
    QCOMPARE(candidates(ended.run).size(), std::size_t{3});
    int called = 0;
    for (const store::ExchangeRecord& e : exchanges(ended.run)) called += e.outcome == store::ExchangeOutcome::called;
    QCOMPARE(called, 3);
    for (const store::CandidateRecord& c : candidates(ended.run)) {
      const store::ExchangeRecord e = workspace_->exchange(c.exchange).value();
      QVERIFY2(has(e.label, ", after 16 calls"), e.label.c_str());
      QVERIFY(has(e.request, "It passes the quick check"));
    }
    before = {};
    replays_the_same(ended.run);
  }

  void profilesOfTheRunAreRead() {
    RunOptions o = options_with({"refine"}, 4);
    o.model.analyst = "none";
    use([](const llm::Request& r, std::stop_token stop) {  // the first question, whatever the tools said
      llm::Request asked = r;
      asked.messages.resize(2);
      return sensible(asked, stop);
    });
    std::vector<std::string> said_of;
    before = [&](const llm::Request& r, llm::Observer&) -> std::optional<Result<llm::Reply>> {
      for (const llm::Block& b : r.messages.back().blocks)
        if (b.kind == llm::Block::Kind::result) said_of.push_back(b.text);
      const auto all = workspace_->runs().value();
      std::string hash;
      for (const store::CandidateRecord& c : candidates(all.front().id)) hash = c.hash;
      if (r.messages.size() > 2 || hash.empty()) return std::nullopt;
      llm::Reply reply;
      reply.blocks.push_back({.kind = llm::Block::Kind::call,
                              .text = "{\"candidate\":\"" + hash.substr(0, 8) + "\"}",
                              .id = "p",
                              .tool = "profile"});
      reply.stop = llm::Stop::calls;
      return reply;
    };
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QVERIFY(
        std::any_of(said_of.begin(), said_of.end(), [](const std::string& t) { return has(t, "It has no numbers"); }));
    std::string all_said;
    for (const std::string& t : said_of) all_said += t + "\n--\n";
    QVERIFY2(has(all_said, "simulated"), all_said.c_str());
    before = {};
    QCOMPARE(replay(ended.run).state, store::RunState::done);
  }

  // Where the service takes no tools, they are called by blocks in the text.
  void callsByText() {
    RunOptions o = options_with({"refine"}, 3);
    o.model.writer = "plain:one";
    o.model.analyst = "none";
    o.model.tool_calls = 4;
    std::vector<std::string> results;
    std::string prompt;
    before = [&](const llm::Request& r, llm::Observer&) -> std::optional<Result<llm::Reply>> {
      prompt = r.messages[1].text();
      for (const llm::Block& b : r.messages.back().blocks)
        if (b.kind == llm::Block::Kind::result) results.push_back(b.text);
      if (!r.tools.empty()) return fail(Code::internal, "tools were sent");
      if (r.messages.size() > 2) return std::nullopt;
      llm::Reply reply;
      const std::string tried = script::candidate("tried ``` x", "accepted 500");
      reply.blocks.push_back({llm::Block::Kind::text,
                              "First I look.\n````tool: check\n" + tried +
                                  "````\n```tool: advice\nspills\n```\n```tool: instruction\n{\"opcode\": "
                                  "\"bar.sync\"}\n```\n```tool: dance\nnow\n```\n```tool: compile\n" +
                                  tried + "```\n",
                              {}});
      return reply;
    };
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QVERIFY2(has(prompt, "you may call compile, check, count,") && has(prompt, "```tool: check") &&
                 has(prompt, "as the rules have it") && has(prompt, "```tool: instruction"),
             prompt.c_str());
    QCOMPARE(results.size(), std::size_t{15});
    QVERIFY2(results[0].starts_with("Result of check:\n") && has(results[0], "It passes the quick check"),
             results[0].c_str());
    QVERIFY2(has(results[1], "spill"), results[1].c_str());
    QVERIFY2(has(results[2], "PTX ISA"), results[2].c_str());
    QVERIFY2(has(results[3], "There is no tool 'dance'") && has(results[3], "the last call"), results[3].c_str());
    QVERIFY2(has(results[4], "No calls are left"), results[4].c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{3});
    before = {};
    replays_the_same(ended.run);
  }

  void callsAreLimitedPerAnswer() {
    RunOptions o = options_with({"sample"}, 2);
    o.model.analyst = "none";
    for (const int limit : {0, 1}) {
      o.model.tool_calls = limit;
      o.model.seed = 20 + static_cast<std::uint64_t>(limit);
      call_first({{"advice", R"({"page":"spills"})"}, {"advice", R"({"page":"spills"})"}});
      results_.clear();
      QCOMPARE(go(o).state, store::RunState::done);
      QCOMPARE(results_.size(), limit == 0 ? std::size_t{0} : std::size_t{2});
      if (limit == 1) QVERIFY(has(results_["c0"], "the last call") && has(results_["c1"], "No calls are left"));
    }
  }

  void aModelThatOnlyCallsIsOfferedNoMore_data() {
    QTest::addColumn<QString>("writer");
    QTest::newRow("as its service takes them") << "test:one";
    QTest::newRow("by text") << "plain:one";
  }
  void aModelThatOnlyCallsIsOfferedNoMore() {
    QFETCH(QString, writer);
    RunOptions o = options_with({"refine"}, 2);
    o.model.writer = writer.toStdString();
    o.model.analyst = "none";
    o.model.tool_calls = 2;
    std::vector<std::string> prompts;
    int offered = 0;
    before = [&](const llm::Request& r, llm::Observer&) -> std::optional<Result<llm::Reply>> {
      if (r.messages.size() == 2) prompts.push_back(said(r));
      if (!has(said(r), "you may call")) return std::nullopt;
      ++offered;
      llm::Reply reply;
      if (r.tools.empty()) {
        reply.blocks.push_back({llm::Block::Kind::text, "```tool: advice\nspills\n```\n", {}});
      } else {
        reply.blocks.push_back(
            {.kind = llm::Block::Kind::call, .text = R"({"page":"spills"})", .id = "c", .tool = "advice"});
        reply.stop = llm::Stop::calls;
      }
      return reply;
    };
    const RunEnded ended = go(o);
    QVERIFY2(ended.state == store::RunState::done, (ended.why + log(ended.run)).c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{2});
    QCOMPARE(offered, 6);  // two attempts, each with two calls and a last word
    const std::string told = "2 attempts in a row ended without a candidate, since the model only called tools";
    QVERIFY2(has(log(ended.run), "warning: tools are no longer offered in this run: " + told), log(ended.run).c_str());
    QVERIFY(prompts.size() >= 3 && !has(prompts[0], "nothing but calls"));
    QVERIFY2(has(prompts[1], "1 x nothing but calls of tools") && has(prompts[2], "2 x nothing but calls of tools"),
             prompts[1].c_str());
    Budget more = o.budget;
    more.candidates = 3;
    const Result<RunEnded> resumed = explore::resume(*workspace_, ended.run, handler(), {}, more);
    QVERIFY2(resumed && resumed->state == store::RunState::done, log(ended.run).c_str());
    QCOMPARE(candidates(ended.run).size(), std::size_t{3});
    QCOMPARE(offered, 6);
    before = {};
    const RunEnded again = replay(ended.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    QCOMPARE(texts(again.run), texts(ended.run));
  }

  void callsInTextAreRead_data() {
    QTest::addColumn<QByteArray>("reply");
    QTest::addColumn<QStringList>("calls");
    const auto row = [](const char* name, const char* reply, const QStringList& calls) {
      QTest::newRow(name) << QByteArray(reply) << calls;
    };
    row("one value", "```tool: advice\nspills\n```", {R"(advice {"page":"spills"})"});
    row("an object", "```tool: advice\n{\"page\": \"spills\"}\n```", {R"(advice {"page": "spills"})"});
    row("a number", "```tool: kernel\n 12 \n```", {R"(kernel {"candidate":12})"});
    row("no number", "```tool: kernel\ntwelve\n```", {R"(kernel {"candidate":"twelve"})"});
    row("an unknown name", "```tool: dance\nnow\n```", {"dance {}"});
    row("no name", "```tool:\nnow\n```", {" {}"});
    row("without a blank", "~~~tool:advice\nspills\n~~~", {R"(advice {"page":"spills"})"});
    row("two", "```tool: advice\na\n```\nand\n```tool: advice\nb\n```",
        {R"(advice {"page":"a"})", R"(advice {"page":"b"})"});
    row("within thoughts", "<think>\n```tool: advice\na\n```\n</think>\nNo.", {});
    row("not closed", "```tool: advice\nspills", {});
    row("an answer", "```cuda\nint x; // tool: advice\n```\nNote: tool: advice", {});
    row("a tool's name alone", "```advice\nspills\n```", {});
    row("bytes that are no text", "```tool: advice\n\xff\x01\n```", {"advice {\"page\":\"\xEF\xBF\xBD\"}"});
    row("empty", "", {});
  }
  void callsInTextAreRead() {
    QFETCH(QByteArray, reply);
    QFETCH(QStringList, calls);
    const std::vector<llm::Tool> tools{
        {"advice", "A page.", R"({"type":"object","properties":{"page":{"type":"string","enum":["spills"]}}})"},
        {"kernel", "Code.", R"({"type":"object","properties":{"candidate":{"type":"integer"}}})"}};
    QStringList got;
    for (const llm::Block& b : llm::calls_in(reply.toStdString(), tools)) {
      QVERIFY(b.id.empty() && b.kind == llm::Block::Kind::call);
      got << QString::fromStdString(b.tool + " " + b.text);
    }
    QCOMPARE(got, calls);
  }

  void laterRunsRememberKernels() {
    RunOptions o = options_with({"refine"}, 4);
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      prompts.push_back(said(r));
      return sensible(r, c);
    });
    const RunEnded first = go(o);
    QCOMPARE(first.state, store::RunState::done);
    for (const std::string& p : prompts) QVERIFY(!has(p, "Kernels for the same or similar ops"));
    std::optional<store::CandidateRecord> best;
    for (const store::CandidateRecord& c : candidates(first.run))
      if (c.score && (!best || *c.score < *best->score)) best = c;
    QVERIFY(best.has_value());

    prompts.clear();
    o.spec.replace(o.spec.find("op scale("), 9, "op twice(");  // another op of the family
    o.model.seed = 9;
    const RunEnded second = go(o);
    QVERIFY(!prompts.empty());
    QVERIFY2(has(prompts[0], "- candidate " + std::to_string(best->id) + ", scale") && has(prompts[0], best->text),
             prompts[0].c_str());
    // Without sources only what it was, and how fast.
    prompts.clear();
    o.model.limits.sources = false;
    o.model.seed = 10;
    (void)go(o);
    QVERIFY(!prompts.empty() && has(prompts[0], "- candidate " + std::to_string(best->id) + ", scale") &&
            !has(prompts[0], best->text));
    // An op of another family is told nothing.
    prompts.clear();
    o.model.limits.sources = true;
    o.spec = "op total(x: f32[R, C]) -> y: f32[R]\n  default R = 8, C = 16\n{\n  y[r] = sum(c) x[r, c]\n}\n";
    (void)go(o);
    QVERIFY(!prompts.empty() && !has(prompts[0], "Kernels for the same or similar ops"));
  }

  void aRunBeginsWithAForecast() {
    RunOptions o = options_with({"sample"}, 4);
    o.model.analyst = "none";
    const RunEnded first = go(o);
    QVERIFY2(has(log(first.run), "no forecast of tokens: no earlier run of this workspace asked test:one"),
             log(first.run).c_str());
    o.budget.candidates = 8;
    o.model.seed = 11;
    const RunEnded second = go(o);  // each request of the first took 20,100 tokens
    QVERIFY2(has(log(second.run), "forecast: about 160000 tokens for 8 candidates, from 1 earlier run with test:one"),
             log(second.run).c_str());
    o.model.writer = "test:two";
    const RunEnded other = go(o);
    QVERIFY2(has(log(other.run), "no forecast of tokens"), log(other.run).c_str());
  }

  void everyPromptIsAnother_data() {
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<int>("candidates");
    QTest::newRow("sample") << "sample" << 12;
    QTest::newRow("beam") << "beam" << 60;
    QTest::newRow("refine") << "refine" << 30;
  }
  void everyPromptIsAnother() {
    QFETCH(QString, strategy);
    QFETCH(int, candidates);
    std::mutex mutex;
    std::set<std::string> prompts;
    int count = 0;
    use([&](const llm::Request& r, std::stop_token c) {
      {
        const std::lock_guard lock(mutex);
        prompts.insert(said(r));
        ++count;
      }
      return sensible(r, c);
    });
    RunOptions o = options_with({strategy.toStdString()}, candidates);
    o.model.analyst = "none";
    QCOMPARE(go(o).state, store::RunState::done);
    QVERIFY(count >= candidates);
    QVERIFY2(static_cast<int>(prompts.size()) == count,
             (std::to_string(prompts.size()) + " of " + std::to_string(count) + " prompts are distinct").c_str());
    if (strategy != "sample") return;
    QVERIFY(std::any_of(prompts.begin(), prompts.end(), [](const std::string& p) {
      return has(p, "# Structures tried in this run") && has(p, "tried, 0 proved") && has(p, "Choose a structure");
    }));
  }
};

QTEST_GUILESS_MAIN(ToolsTest)
#include "tools_test.moc"
