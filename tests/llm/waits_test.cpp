// SPDX-License-Identifier: Apache-2.0
// Waits that a service asks for, longer than those between two attempts.
#include <QtTest>
#include "llm/client.h"
#include "llm/fake_provider.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;

class WaitsTest : public QObject, support::WithWorkspace {
  Q_OBJECT
  std::unique_ptr<Client> client(SpendLimits limits, ModelEventHandler handler) {
    return Client::make(*workspace_, run_, limits, {}, std::move(handler)).value();
  }

 private slots:
  void init() {
    renew();
    run_ = new_run(*workspace_);
  }

  void longWaitsAreForThePatient() {
    using namespace std::chrono_literals;
    std::vector<std::chrono::milliseconds> seen;
    auto c = client({}, [&](const ModelEvent& e) {
      if (const auto* wait = std::get_if<Awaiting>(&e)) seen.push_back(wait->left);
    });
    std::vector<bool> agreed;
    std::vector<std::chrono::milliseconds> asked = {67min, 1s, 0ms};
    const Model m = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      for (const std::chrono::milliseconds left : asked) {
        agreed.push_back(o.awaits(left));
        if (!agreed.back()) return fail(Code::unavailable, "the service asks to wait");
      }
      return reply_of("after the wait");
    });
    Purpose purpose{store::AgentRole::writer, "fresh"};
    QVERIFY(!c->ask(m, request_of("q"), purpose, {}).has_value());
    QVERIFY(agreed == std::vector<bool>{false} && seen.empty());
    purpose.patient = true;
    agreed.clear();
    QCOMPARE(c->ask(m, request_of("q"), purpose, {})->reply.text(), std::string("after the wait"));
    QVERIFY(agreed == std::vector<bool>(3, true) && seen == asked);
    // Not for ever: neither at once nor in parts. A wait that breaks off is over.
    for (const auto& tries :
         {std::vector<std::chrono::milliseconds>{26h}, std::vector<std::chrono::milliseconds>{20h, 0ms, 6h}}) {
      asked = tries;
      agreed.clear();
      QVERIFY(!c->ask(m, request_of("q"), purpose, {}).has_value());
      QCOMPARE(agreed.size(), tries.size());
      QVERIFY(!agreed.back());
    }
    asked = {2h};
    const Model broken = model_of([&](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      if (!o.awaits(2h)) return fail(Code::internal, "not patient");
      return fail(Code::cancelled, "cancelled");
    });
    seen.clear();
    QVERIFY(!c->ask(broken, request_of("q"), purpose, {}).has_value());
    QVERIFY(seen == (std::vector<std::chrono::milliseconds>{2h, 0ms}));
  }

  void aShortContextIsReportedOnce() {
    std::vector<PromptCut> seen;
    auto c = client({}, [&](const ModelEvent& e) {
      if (const auto* cut = std::get_if<PromptCut>(&e)) seen.push_back(*cut);
    });
    std::int64_t read = 0;
    const Model m = model_of(
        [&](const Request&, Observer&, std::stop_token) -> Result<Reply> { return reply_of("an answer", read, 10); });
    std::string words;
    for (int i = 0; i < 1000; ++i) words += "word ";
    for (const std::int64_t n : {0, 1000, 600, 400, 300}) {  // not told, all of it, a crude estimate, a part, again
      read = n;
      QVERIFY(c->ask(m, request_of(words), {store::AgentRole::writer, "fresh"}, {}).has_value());
      QCOMPARE(seen.size(), std::size_t(n > 0 && n < 500 ? 1 : 0));
    }
    QVERIFY(seen[0].read == 400 && seen[0].estimated > 900 && seen[0].model == "work:small-1");
    QVERIFY(sentence(seen[0]).find("its context is too short") != std::string::npos);
    QVERIFY(sentence({1, "ollama:q", 4096, 20000}).find("OLLAMA_CONTEXT_LENGTH") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(WaitsTest)
#include "waits_test.moc"
