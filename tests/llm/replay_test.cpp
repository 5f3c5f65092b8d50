// SPDX-License-Identifier: Apache-2.0
// Requests and replies as JSON, estimates of tokens, hosts that may be asked, replay of a run, trajectories.
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include "base/visible.h"
#include "base/files.h"
#include "base/hash.h"
#include "llm/message_json.h"
#include "llm/replay.h"
#include "llm/trajectories.h"
#include "llm/client_fixture.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Request full_request() {
  Request r;
  r.model = "small-1";
  Message m = message(Role::assistant, "text with \"quotes\", \n newlines, \x01 and \xE2\x80\xA6");
  m.blocks.push_back({Block::Kind::thinking, "hm", R"({"type":"thinking","signature":"abc"})"});
  m.blocks.push_back({Block::Kind::opaque, "", R"({"type":"redacted_thinking","data":"xyz"})"});
  r.messages = {message(Role::system, "be brief", true), message(Role::user, std::string("a\0b", 3)), m};
  r.max_output_tokens = 77;
  r.temperature = 0.1 + 0.2;
  r.seed = -5;
  r.effort = "high";
  r.schema = OutputSchema{"answer", R"({"type":"object"})"};
  return r;
}

Reply full_reply() {
  Reply r = reply_of("the answer", 100, 50);
  r.blocks.push_back({Block::Kind::thinking, "hm", R"({"signature":"abc"})"});
  r.stop = Stop::length;
  r.usage = {100, 80, 10, 50, 40, true};
  r.structured = true;
  r.first_token_seconds = 1.0 / 3;
  r.seconds = 2.0 / 3;
  r.attempts = 3;
  return r;
}

// Records one exchange for each text: {question, answer}.
void record(store::Workspace& w, std::int64_t run, const std::vector<std::pair<std::string, std::string>>& exchanges) {
  auto client = Client::make(w, run, {}, {}).value();
  for (const auto& [question, answer] : exchanges) {
    const Model m = model_of([&answer = answer](const Request&, Observer& o, std::stop_token) -> Result<Reply> {
      if (Status s = o.sending({"POST", "http://127.0.0.1:1/", "127.0.0.1:1", "", 1}); !s) return fail(s.error());
      if (answer == "broken") {  // twice
        o.delta({Delta::Kind::text, "bro"});
        o.delta({Delta::Kind::restart, "the stream broke"});
        if (Status s = o.sending({"POST", "http://127.0.0.1:1/", "127.0.0.1:1", "", 2}); !s) return fail(s.error());
      }
      o.delta({Delta::Kind::text, answer});
      if (answer == "broken") {
        o.received("data: bro");
        return fail(Code::io, "the stream broke");
      }
      return reply_of(answer, 10, 5);
    });
    (void)client->ask(m, request_of(question), {store::AgentRole::writer, "attempt"}, {});
  }
}

struct SilentObserver : Observer {
  std::string text;
  Status sending(const Outgoing&) override { return fail(Code::internal, "a replay sends nothing"); }
  void received(std::string_view) override {}
  void delta(const Delta& d) override { text += d.text; }
};

Request asked(const std::string& user) {
  Request r = request_of(user);
  r.model = "small-1";
  return r;
}

}  // namespace

class ReplayTest : public QObject, ClientFixture {
  Q_OBJECT
 private slots:
  void init() { begin(); }

  void jsonRoundTrips() {
    const std::string request = request_to_json(full_request()), reply = reply_to_json(full_reply());
    QCOMPARE(request_to_json(request_from_json(request).value()), request);
    QCOMPARE(reply_to_json(reply_from_json(reply).value()), reply);
    const Request r = request_from_json(request).value();
    QVERIFY(r.temperature == 0.1 + 0.2 && r.seed == -5 && r.schema->json == R"({"type":"object"})" &&
            r.messages[0].cache && !r.messages[1].cache);
    QVERIFY(r.messages[1].text() == std::string("a\0b", 3) && r.messages[2].blocks[2].kind == Block::Kind::opaque &&
            r.messages[2].blocks[1].raw == full_request().messages[2].blocks[1].raw);
    const Reply a = reply_from_json(reply).value();
    QVERIFY(a.usage.cache_written == 10 && a.seconds == 2.0 / 3 && a.attempts == 3 && a.structured &&
            a.stop == Stop::length && a.thinking() == "hm");
    // Absent is not the same as a value.
    Request plain = asked("q"), cold = plain;
    cold.temperature = 0;
    QVERIFY(request_to_json(plain) != request_to_json(cold));
    QVERIFY(!request_from_json(request_to_json(plain))->temperature &&
            *request_from_json(request_to_json(cold))->temperature == 0);
    // Bytes that are no UTF-8 do not stop it.
    QCOMPARE(request_from_json(request_to_json(asked("a\xff z")))->messages[1].text(), std::string("a\xEF\xBF\xBD z"));
  }

  void jsonThatIsWrong_data() {
    support::text_rows({"before", "after", "named"},
                       {{"cut", "}]}", "", "JSON"},
                        {"role", "\"system\"", "\"god\"", "'god'"},
                        {"missing", "\"model\"", "\"mode\"", "'model'"},
                        {"type", "77", "\"77\"", "'max_output_tokens'"},
                        {"fraction", "77", "77.5", "'max_output_tokens'"},
                        {"unknown", "\"effort\"", "\"efort\"", "'efort'"},
                        {"kind", "\"opaque\"", "\"secret\"", "'secret'"},
                        {"list", "\"messages\":[", "\"messages\":7,\"x\":[", "'messages'"}});
  }
  void jsonThatIsWrong() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, named);
    QString text = QString::fromStdString(request_to_json(full_request()));
    QVERIFY(text.contains(before));
    text.replace(text.lastIndexOf(before), before.size(), after);
    const auto r = request_from_json(text.toStdString());
    QVERIFY(!r && r.error().code == Code::corrupt);
    QVERIFY2(r.error().text().find(named.toStdString()) != std::string::npos, r.error().text().c_str());
    QVERIFY(!reply_from_json(text.toStdString()));
    QVERIFY(!reply_from_json("[]") && !request_from_json("null") && !reply_from_json(""));
  }

  void tokensAreAnUpperEstimate() {
    QCOMPARE(estimate_tokens(""), std::int64_t{0});
    QCOMPARE(estimate_tokens("word"), std::int64_t{1});
    QCOMPARE(estimate_tokens("The quick brown fox"), std::int64_t{1 + 2 + 2 + 1});
    QVERIFY(estimate_tokens("123456") == 6 && estimate_tokens("threadIdx.x") == 2 + 1 + 1 + 1);
    QVERIFY(estimate_tokens("----------------") == 4 && estimate_tokens("                ") == 1 &&
            estimate_tokens("\n\n") == 2);
    QVERIFY(estimate_tokens("\xE6\xBC\xA2\xE5\xAD\x97") == 4 && estimate_tokens("\xC3\xA9") == 1 &&
            estimate_tokens("\xF0\x9F\x98\x80") == 3);
    // Never more than bytes, never less for more, and the same wherever the text is cut.
    const std::string code = read_file(fs::path(WW_SOURCE_DIR) / "engine/llm/tokens.cpp").value();
    const std::int64_t all = estimate_tokens(code);
    QVERIFY(all > static_cast<std::int64_t>(code.size()) / 6 && all < static_cast<std::int64_t>(code.size()));
    TokenMeter meter;
    std::int64_t before = 0;
    for (std::size_t at = 0; at < code.size(); at += 7) {
      meter.add(std::string_view(code).substr(at, 7));
      QVERIFY(meter.tokens() >= before && meter.tokens() <= static_cast<std::int64_t>(at) + 7);
      before = meter.tokens();
    }
    QCOMPARE(meter.tokens(), all);
    QVERIFY(estimate_tokens(full_request()) > estimate_tokens("be brief") + 12);
  }

  void hosts_data() {
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("host");
    QTest::addColumn<bool>("here");
    const auto row = [](const char* name, const char* url, const char* host, bool here) {
      QTest::newRow(name) << url << host << here;
    };
    row("service", "https://api.openai.com/v1", "api.openai.com", false);
    row("its own port", "https://API.OpenAI.com:443/v1", "api.openai.com", false);
    row("another port", "http://gpu-server:8000", "gpu-server:8000", false);
    row("https on 80", "https://x.org:80/", "x.org:80", false);
    row("localhost", "http://localhost:11434", "localhost:11434", true);
    row("capitals, dot", "http://LocalHost.:80/", "localhost", true);
    row("127/8", "http://127.9.8.7:1", "127.9.8.7:1", true);
    row("short", "http://127.1", "127.1", true);
    row("one number", "http://2130706433/", "2130706433", true);
    row("hexadecimal", "http://0x7f.0.0.1/", "0x7f.0.0.1", true);
    row("six", "http://[::1]:8080/v1", "[::1]:8080", true);
    row("six, long", "http://[0:0:0:0:0:0:0:1]/", "[0:0:0:0:0:0:0:1]", true);
    row("mapped", "http://[::ffff:127.0.0.1]/", "[::ffff:127.0.0.1]", true);
    row("six, another", "http://[2001:db8::1]/", "[2001:db8::1]", false);
    row("looks local", "http://localhost.evil.com/", "localhost.evil.com", false);
    row("looks like 127", "http://127.0.0.1.evil.com/", "127.0.0.1.evil.com", false);
    row("name before @", "http://localhost@evil.com/", "evil.com", false);
    row("two @", "http://localhost@localhost:80@evil.com/", "evil.com", false);
    row("backslash", "http://localhost\\@evil.com/", "evil.com", false);
    row("backslash behind", "http://evil.com\\.localhost/", "", false);
    row("question", "http://evil.com?@localhost/", "evil.com", false);
    row("fragment", "http://evil.com#localhost", "evil.com", false);
    row("percent", "http://localhost%2eevil.com/", "", false);
    row("another script", "http://ⓛocalhost/", "", false);
    row("no scheme", "api.openai.com/v1", "", false);
    row("nothing", "", "", false);
    row("no host", "http:///v1", "", false);
    row("bad port", "http://localhost:80x/", "", false);
    row("open bracket", "http://[::1/", "", false);
    row("behind the bracket", "http://[::1].evil.com/", "", false);
    row("128", "http://128.0.0.1/", "128.0.0.1", false);
  }
  void hosts() {
    QFETCH(QString, url);
    QFETCH(QString, host);
    QFETCH(bool, here);
    QCOMPARE(QString::fromStdString(host_of(url.toStdString())), host);
    QCOMPARE(is_this_machine(host.toStdString()), here);
    QCOMPARE(allowed({host.toStdString()}, {}), here);  // nothing is allowed yet
  }

  void consentIsKept() {
    QVERIFY(consents()->empty() && !allowed({"api.example.org"}, {}));
    QVERIFY(allow("API.example.org", {false, false, true}));
    QVERIFY(allow("gpu-server:8000", {}));
    QVERIFY(allowed({"api.example.org"}, {false, false, false}) && allowed({"api.example.org"}, {false, false, true}));
    QVERIFY(!allowed({"api.example.org"}, {true, false, true}) && !allowed({"api.example.org"}, {false, true, false}));
    QVERIFY(!allowed({"api.example.org:8443"}, {false, false, false}) &&
            !allowed({"evil.api.example.org"}, {false, false, false}));
    QVERIFY(allow("api.example.org", {false, false, false}));  // replaces
    QVERIFY(!allowed({"api.example.org"}, {false, false, true}));
    const auto list = consents().value();
    QCOMPARE(list.size(), std::size_t{2});
    QVERIFY(list[1].host == "api.example.org" && !list[1].limits.device_name && list[1].date.size() == 10);
    QVERIFY(forget("gpu-server:8000") && !allowed({"gpu-server:8000"}, {}));
    QCOMPARE(forget("gpu-server:8000").error().code, Code::not_found);
    for (const char* bad : {"", "two words", "http://x.org", "a/b", "x.org:port"})
      QCOMPARE(allow(bad, {}).error().code, Code::invalid_argument);
    // A proxy on this machine is asked about like any host.
    QVERIFY(!allowed({"127.0.0.1:4000", true}, {}) && allow("127.0.0.1:4000", {false, false, false}));
    QVERIFY(!allowed({"127.0.0.1:4000", true}, {}) && allowed({"127.0.0.1:4000", true}, {false, false, false}));
    // A damaged list allows nothing, and is not replaced.
    QVERIFY(write_file_atomic(config_dir() / "hosts.json", "{\"hosts\":[{\"host\":\"api.example.org\"}]}"));
    QVERIFY(!allowed({"api.example.org"}, {false, false, false}) && allowed({"localhost"}, {}));
    QVERIFY(consents().error().code == Code::corrupt && allow("x.org", {}).error().code == Code::corrupt);
    const auto lines = outgoing_data({false, false, false});
    QVERIFY(std::any_of(lines.begin(), lines.end(),
                        [](const OutgoingData& l) { return l.text().starts_with("not sent: source code"); }));
    QVERIFY(outgoing_data({})[3].sent && !lines[3].sent);
  }

  void repliesComeBackInTheirOrder() {
    record(*workspace_, run_,
           {{"same", "first"}, {"other", "elsewhere"}, {"same", "second"}, {"same", "broken"}, {"same", "fourth"}});
    const auto before = workspace_->exchanges(run_).value();
    const auto provider = make_replay(*workspace_, run_).value();
    QVERIFY(is_replay(*provider));
    QCOMPARE(provider->models({}).value(), (std::vector<std::string>{"work:small-1"}));
    const std::int64_t again = new_run(*workspace_);
    Model m = model_of({}, "https://nobody.example.org/v1");  // never allowed: nothing goes there
    m.provider = provider;
    auto client = Client::make(*workspace_, again, {}, {}).value();
    const std::pair<const char*, std::size_t> order[] = {
        {"other", 1}, {"same", 0}, {"same", 2}, {"same", 3}, {"same", 4}};
    for (const auto& [question, was] : order) {
      const auto x = client->ask(m, request_of(question), {store::AgentRole::writer, "attempt"}, {});
      const store::ExchangeRecord then = workspace_->exchange(before[was].id).value(),
                                  now = workspace_->exchange(workspace_->exchanges(again)->back().id).value();
      QCOMPARE(now.request, then.request);
      if (x) QCOMPARE(now.reply, then.reply);  // byte for byte
      QVERIFY(now.state == then.state && now.why == then.why && now.code == then.code && now.raw == then.raw);
      QVERIFY(now.provider == "replay" && now.host.empty() && now.prompt_tokens == then.prompt_tokens &&
              now.completion_tokens == then.completion_tokens && now.attempts == then.attempts);
      QCOMPARE(x.has_value(), was != 3);
    }
    const Spend then = Client::make(*workspace_, run_, {}, {}).value()->spend(), now = client->spend();
    QVERIFY(now.usage.prompt == then.usage.prompt && now.usage.completion == then.usage.completion &&
            now.requests == 5 && now.failed == 1);
    const auto more = client->ask(m, request_of("same"), {store::AgentRole::writer, ""}, {});
    QVERIFY(!more && more.error().code == Code::not_found && more.error().message.find("4 times") != std::string::npos);
    // A replay of the replay.
    SilentObserver observer;
    QCOMPARE(make_replay(*workspace_, again).value()->complete(asked("same"), observer, {})->text(),
             std::string("first"));
    QCOMPARE(observer.text, std::string("first"));
    QCOMPARE(make_replay(*workspace_, new_run(*workspace_)).error().code, Code::not_found);
  }

  void theBudgetIsNoPartOfTheQuestion() {
    record(*workspace_, run_, {{"q", "first"}, {"q", "second"}});
    const auto provider = make_replay(*workspace_, run_).value();
    SilentObserver observer;
    Request cut = asked("q");
    cut.max_output_tokens = 12;
    QCOMPARE(provider->complete(cut, observer, {})->text(), std::string("first"));
    QCOMPARE(provider->complete(asked("q"), observer, {})->text(), std::string("second"));
    QCOMPARE(provider->complete(cut, observer, {}).error().code, Code::not_found);
  }

  void toolsMayWordItOtherwise() {
    const auto with_result = [](const std::string& text, const std::string& arguments = "{}") {
      Request r = asked("q");
      r.tools = {{"check", "Judges.", "{}"}};
      r.messages.push_back(
          {Role::assistant, {{.kind = Block::Kind::call, .text = arguments, .id = "a", .tool = "check"}}});
      r.messages.push_back({Role::user, {{.kind = Block::Kind::result, .text = text, .id = "a", .tool = "check"}}});
      return r;
    };
    QCOMPARE(request_to_json(request_from_json(request_to_json(with_result("x"))).value()),
             request_to_json(with_result("x")));
    store::ExchangeRecord e;
    e.run = run_;
    e.provider = "openai";
    e.model = "work:small-1";
    e.request = request_to_json(with_result("accepted in 3 s"));
    e.request_hash = hash_hex(e.request);
    e.id = workspace_->add_exchange(e).value();
    Reply reply;
    reply.blocks.push_back({Block::Kind::text, "the answer", {}});
    e.reply = reply_to_json(reply);
    e.state = store::ExchangeState::replied;
    QVERIFY(workspace_->end_exchange(e));
    SilentObserver observer;
    const auto provider = make_replay(*workspace_, run_).value();
    QCOMPARE(provider->complete(with_result("x", "{\"n\":1}"), observer, {}).error().code, Code::not_found);
    Request without = with_result("accepted in 3 s");
    without.tools.clear();
    const Error miss = provider->complete(without, observer, {}).error();
    QVERIFY2(miss.message.find("the tools: recorded check, asked none") != std::string::npos, miss.message.c_str());
    QCOMPARE(provider->complete(with_result("accepted in 4 s"), observer, {})->text(), std::string("the answer"));
  }

  void whatWasInterruptedHasNoReply() {
    store::ExchangeRecord e;
    e.run = run_;
    e.provider = "openai";
    e.model = "work:small-1";
    for (const char* question : {"q", "lost"}) {
      e.request = request_to_json(asked(question));
      e.request_hash = hash_hex(e.request);
      workspace_->add_exchange(e).value();
    }
    record(*workspace_, run_, {{"q", "after the restart"}});
    const auto provider = make_replay(*workspace_, run_).value();
    SilentObserver observer;
    QCOMPARE(provider->complete(asked("q"), observer, {})->text(), std::string("after the restart"));
    const auto lost = provider->complete(asked("lost"), observer, {});
    QVERIFY(!lost && lost.error().code == Code::cancelled &&
            lost.error().message.find("interrupted") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(provider->complete(asked("q"), observer, stop.get_token()).error().code, Code::cancelled);
  }

  void aMissSaysWhatDiffers() {
    record(*workspace_, run_, {{"line one\nwrite a softmax with rows of 128\nend", "a"}, {"something else", "b"}});
    const auto provider = make_replay(*workspace_, run_).value();
    SilentObserver observer;
    const auto why = [&](const Request& r) { return provider->complete(r, observer, {}).error(); };
    const Error text = why(asked("line one\nwrite a softmax with rows of 256\nend"));
    QVERIFY(text.code == Code::not_found);
    for (const char* part : {"exchange 1", "message 2 (user), line 2", "rows of 128", "rows of 256"})
      QVERIFY2(text.message.find(part) != std::string::npos, text.message.c_str());
    Request r = asked("something else");
    r.temperature = 0.5;
    QVERIFY2(why(r).message.find("exchange 2") != std::string::npos &&
                 why(r).message.find("the temperature: recorded none, asked 0.5") != std::string::npos,
             why(r).message.c_str());
    r = asked("something else");
    r.model = "large-2";
    QVERIFY(why(r).message.find("recorded 'small-1', asked 'large-2'") != std::string::npos);
    r = asked("something else");
    r.messages.push_back(message(Role::assistant, "and"));
    QVERIFY2(why(r).message.find("number of messages") != std::string::npos, why(r).message.c_str());
  }

  void trajectories() {
    record(*workspace_, run_,
           {{"q1", "kernel one"},
            {"q2", "kernel two"},
            {"q3", "kernel three"},
            {"q4", "no kernel"},
            {"q5", "broken"},
            {"q6", "kernel one again"},
            {"q7", "kernel one, unchanged"}});
    const auto list = workspace_->exchanges(run_).value();
    const auto add = [&](std::size_t exchange, const std::string& text) {
      store::CandidateRecord c;
      c.run = run_;
      c.text = text;
      c.hash = hash_hex(text);
      c.language = candidate::Language::cuda;
      c.exchange = list[exchange].id;
      return workspace_->add_candidate(c).value();
    };
    const auto verdict = [](bool accepted) {
      evidence::Verdict v;
      v.accepted = accepted;
      v.stages.push_back({evidence::Stage::smoke,
                          accepted ? evidence::Outcome::passed : evidence::Outcome::failed,
                          "y differs",
                          "",
                          {},
                          0});
      return v;
    };
    const std::int64_t one = add(0, "one"), two = add(1, "two"), three = add(2, "three"), again = add(5, "again");
    QVERIFY(workspace_->set_verdict(one, verdict(true), 8.0, Provenance::simulated, "slots"));
    QVERIFY(workspace_->set_verdict(two, verdict(true), 4.0, Provenance::simulated, "slots"));
    QVERIFY(workspace_->set_verdict(three, verdict(false), {}, Provenance::unknown, ""));
    QVERIFY(workspace_->set_duplicate(again, hash_hex("one")));
    QVERIFY(workspace_->set_outcome(list[0].id, store::ExchangeOutcome::candidate, hash_hex("one")));
    QVERIFY(workspace_->set_outcome(list[3].id, store::ExchangeOutcome::unparsable, ""));
    QVERIFY(workspace_->set_outcome(list[6].id, store::ExchangeOutcome::duplicate, hash_hex("one")));
    std::vector<Json> lines;
    const auto n = export_trajectories(*workspace_, run_, [&](std::string_view line) -> Status {
      if (line.find('\n') != line.npos) return fail(Code::internal, "a newline");
      lines.push_back(Json::parse(line));
      return {};
    });
    QVERIFY2(n.has_value(), n ? "" : n.error().text().c_str());
    QVERIFY(*n == 7 && lines.size() == 7);
    const Json& a = lines[0];
    QVERIFY(a["schema"] == 1 && a["run"] == run_ && a["op"] == "softmax" && a["device"] == "simt" &&
            a["role"] == "writer" && a["model"] == "work:small-1");
    QVERIFY(a["messages"][0]["role"] == "system" && a["messages"][1]["content"] == "q1" && a["reply"] == "kernel one" &&
            a["usage"]["prompt"] == 10 && a["outcome"] == "candidate");
    QVERIFY(a["candidate"] == hash_hex("one") && a["verdict"]["accepted"] == true &&
            a["reward"]["speed"]["of_best"] == 0.5 && a["reward"]["speed"]["over_first"] == 1.0);
    QVERIFY(a["reward"]["value"] == 0.75 && a["reward"]["speed"]["provenance"] == "simulated" &&
            a["reward"]["speed"]["unit"] == "slots");
    QVERIFY(lines[1]["reward"]["value"] == 1.0 && lines[1]["reward"]["speed"]["over_first"] == 2.0 &&
            lines[1]["candidate"] == hash_hex("two"));  // found by its exchange
    QVERIFY(lines[2]["reward"]["value"] == 0.0 && lines[2]["verdict"]["stage"] == "smoke" &&
            !lines[2]["reward"].contains("speed"));
    QVERIFY(!lines[3].contains("reward") && !lines[3].contains("verdict") && lines[3]["outcome"] == "unparsable" &&
            lines[3]["candidate"] == "");
    QVERIFY(lines[4]["state"] == "failed" && lines[4]["reply"] == "broken" && lines[4]["why"] == "the stream broke");
    QVERIFY(lines[5]["duplicate_of"] == hash_hex("one") && lines[5]["reward"]["value"] == 0.0 &&
            !lines[5]["reward"].contains("speed"));
    QVERIFY(lines[6]["outcome"] == "duplicate" && lines[6]["candidate"] == hash_hex("one") &&
            lines[6]["verdict"]["accepted"] == true);  // the parent's text, returned unchanged
    QVERIFY(lines[6]["reward"]["value"] == 0.0 && !lines[6]["reward"].contains("speed"));
    store::ExchangeRecord odd = workspace_->exchange(list[3].id).value();
    odd.why = "\u202egnp\u009b2J\u200b";
    QVERIFY(workspace_->end_exchange(odd));
    std::string whole;
    QVERIFY(export_trajectories(*workspace_, run_, [&](std::string_view line) -> Status {
      whole += line;
      return Json::accept(line) ? Status() : fail(Code::internal, "no JSON");
    }));
    QVERIFY(whole.find("\\u202egnp\\u009b2J\\u200b") != whole.npos);
    QCOMPARE(visible(whole), whole);
    QCOMPARE(export_trajectories(*workspace_, run_, [](std::string_view) -> Status { return fail(Code::io, "full"); })
                 .error()
                 .code,
             Code::io);
    QCOMPARE(export_trajectories(*workspace_, 99, [](std::string_view) { return Status(); }).error().code,
             Code::not_found);
    QCOMPARE(export_trajectories(*workspace_, 0, [](std::string_view) { return Status(); }).value(), std::int64_t{0});
  }
};

QTEST_GUILESS_MAIN(ReplayTest)
#include "replay_test.moc"
