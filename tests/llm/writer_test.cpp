// SPDX-License-Identifier: Apache-2.0
// Answers of the writer beyond a complete file: edits of the parent, and calls of tools before it answers.
#include <QtTest>
#include "llm/scripted_client.h"
#include "llm/tokens.h"
#include "llm/tools.h"

using namespace ww;
using namespace ww::llm;
using namespace ww::test;

class WriterTest : public QObject, WithPrompts {
  Q_OBJECT

 private slots:
  void initTestCase() { load_prompts(); }

  void editsChangeTheParent() {
    const std::string search = "//@ launch k grid(R) block(32) args(x, y, C)\n",
                      edit =
                          "```text\n<<<<<<< SEARCH\n" + search +
                          "=======\n//@ launch k grid(R) block(64) args(x, y, C)\n>>>>>>> REPLACE\n```\n\nNote: more "
                          "threads.\n";
    std::string wider = relu;
    wider.replace(wider.find("block(32)"), 9, "block(64)");
    const Sheet sheet{{"spec", relu_spec}, {"parent", relu}};
    {
      Scripted client({{edit}});
      const auto d = write(desk(client), settings(), Mode::cuda, sheet, "improve", {});
      QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
      QCOMPARE(d->text, wider);
      QCOMPARE(d->note, std::string("more threads."));
      QCOMPARE(d->structure, std::string("plain"));
      QCOMPARE(client.candidates.at(101), candidate::parse(wider, candidate::Language::cuda)->hash);
      QVERIFY(has(client.prompt(), "<<<<<<< SEARCH"));  // the form is told
    }
    {  // what does not match is told back, with what is there
      std::string off = edit;
      off.replace(off.find("block(32)"), 9, "block(33)");
      Scripted client({{off}, {edit}});
      const auto d = write(desk(client), settings(), Mode::cuda, sheet, "improve", {});
      QVERIFY2(d && d->repaired && d->text == wider, d ? "" : d.error().text().c_str());
      const std::string told = client.requests[1].messages.back().text();
      QVERIFY2(has(told, "edit 1 matches nowhere") && has(told, "    3 | " + search), told.c_str());
    }
    {  // edits that break the file, or without a file
      std::string broken_edit = edit;
      broken_edit.replace(broken_edit.find("block(64)"), 9, "blcok(64)");
      Scripted client({{broken_edit}, {edit}, {edit}, {good}});
      QVERIFY(write(desk(client), settings(), Mode::cuda, sheet, "improve", {}).has_value());
      QVERIFY(has(client.requests[1].messages.back().text(), "with these edits the file is no candidate"));
      const auto fresh = write(desk(client), settings(), Mode::cuda, {{"spec", relu_spec}}, "fresh", {});
      QVERIFY(fresh && fresh->text == relu);
      QVERIFY(has(client.requests[3].messages.back().text(), "there is no file to edit"));
    }
  }

  void theWriterCallsTools() {
    struct Box : Toolbox {
      std::vector<std::string> calls;
      std::vector<Tool> list() const override { return {{"check", "Judges.", R"({"type":"object"})"}}; }
      std::string call(const std::string& tool, const std::string& arguments, std::stop_token) override {
        calls.push_back(tool + " " + arguments);
        return calls.size() == 1 ? "wrong at /home/ada/x.cu\n" : "right";
      }
    };
    const auto calling = [](const std::string& id) {
      return Say{
          "Let me see.", Stop::calls, {{.kind = Block::Kind::call, .text = "{\"n\":1}", .id = id, .tool = "check"}}};
    };
    Settings takes = settings();
    takes.model.endpoint.tools = true;
    const Sheet sheet{{"spec", relu_spec}};
    {
      Box box;
      Scripted client({calling("a"), calling("b"), {good}});
      const Desk with_tools{client, prompts_, open_, &box, 3};
      const auto d = write(with_tools, takes, Mode::cuda, sheet, "fresh", {});
      QVERIFY2(d && d->text == relu && d->exchange == 103 && !d->repaired, d ? "" : d.error().text().c_str());
      QCOMPARE(box.calls, (std::vector<std::string>(2, "check {\"n\":1}")));
      QCOMPARE(client.outcomes,
               (std::map<std::int64_t, std::string>{{101, "called"}, {102, "called"}, {103, "candidate"}}));
      QCOMPARE(client.purposes[2].label.text, std::string("fresh, after 2 calls"));
      const Request& last = client.requests[2];
      QCOMPARE(last.messages.size(), std::size_t{6});
      QVERIFY(last.messages[2].role == Role::assistant && last.messages[2].blocks[0].id == "a");
      const Block& result = last.messages[3].blocks[0];
      QVERIFY(last.messages[3].role == Role::user && result.kind == Block::Kind::result && result.id == "a");
      QCOMPARE(result.text, std::string("wrong at [path]"));  // within the limits
      QVERIFY(last.tools.size() == 1 && has(client.prompt(), "you may call check, at most 3 times"));
    }
    {  // no more than the limit are carried out, and the model is told
      Box box;
      Say two = calling("a");
      two.before.push_back(calling("b").before[0]);
      Scripted client({two, {good}});
      QVERIFY(write({client, prompts_, open_, &box, 1}, takes, Mode::cuda, sheet, "", {}).has_value());
      QCOMPARE(box.calls.size(), std::size_t{1});
      QVERIFY(has(client.requests[1].messages[3].blocks[0].text, "the last call"));
      QVERIFY(has(client.requests[1].messages[3].blocks[1].text, "No calls are left"));
      QVERIFY(!client.requests[0].no_calls && client.requests[1].no_calls && client.requests[1].tools.size() == 1);
    }
    {  // a model that never answers
      Box box;
      Scripted client(std::vector<Say>(9, calling("a")));
      bool only_called = false;
      const auto d = write({client, prompts_, open_, &box, 1}, takes, Mode::cuda, sheet, "", {}, nullptr, &only_called);
      QVERIFY(!d && d.error().code == Code::parse && has(d.error().message, "only called tools"));
      QVERIFY(only_called);
      QCOMPARE(client.requests.size(), std::size_t{2});
      Scripted other({calling("a"), {"no code"}, {"none"}});  // which is no answer either
      QVERIFY(!write({other, prompts_, open_, &box, 1}, takes, Mode::cuda, sheet, "", {}, nullptr, &only_called));
      QVERIFY(!only_called);
    }
    {  // where the service takes none, by text
      Box box;
      Scripted client({{good}});
      QVERIFY(write({client, prompts_, open_, &box, 3}, settings(), Mode::cuda, sheet, "", {}).has_value());
      QVERIFY(client.requests.at(0).tools.empty() && has(client.prompt(), "you may call"));
    }
    {  // not where no sources may be sent, or the model has another part
      Box box;
      Limits closed = open_;
      closed.sources = false;
      Scripted client({{good}, {R"({"bottleneck":"b","evidence":"e","moves":[]})"}});
      QVERIFY(write({client, prompts_, closed, &box, 3}, takes, Mode::cuda, sheet, "", {}).has_value());
      QVERIFY(!has(client.prompt(), "you may call"));
      QVERIFY(analyse({client, prompts_, open_, &box, 3}, takes, {{"parent", relu}, {"numbers", "n"}}, "", {}));
      for (const Request& r : client.requests) QVERIFY(r.tools.empty());
      QVERIFY(!has(client.prompt(), "you may call"));
    }
  }

  void whatCallsTakeStaysWithinThePrompt_data() {
    QTest::addColumn<std::size_t>("calls");
    QTest::addColumn<std::size_t>("name");       // its bytes
    QTest::addColumn<std::size_t>("arguments");  // their bytes
    QTest::addColumn<std::int64_t>("room");      // tokens beside the first prompt
    QTest::addColumn<bool>("kept");              // some of them go back
    QTest::newRow("long arguments") << std::size_t{1} << std::size_t{5} << std::size_t{400'000} << std::int64_t{400}
                                    << true;
    QTest::newRow("a long name") << std::size_t{1} << std::size_t{100'000} << std::size_t{2} << std::int64_t{400}
                                 << true;
    QTest::newRow("many calls") << std::size_t{50} << std::size_t{5} << std::size_t{900} << std::int64_t{1500} << true;
    QTest::newRow("no room") << std::size_t{1} << std::size_t{5} << std::size_t{900} << std::int64_t{8} << false;
  }
  void whatCallsTakeStaysWithinThePrompt() {
    QFETCH(std::size_t, calls);
    QFETCH(std::size_t, name);
    QFETCH(std::size_t, arguments);
    QFETCH(std::int64_t, room);
    QFETCH(bool, kept);
    struct Box : Toolbox {
      std::vector<Tool> list() const override { return {{"check", "Judges.", R"({"type":"object"})"}}; }
      std::string call(const std::string&, const std::string&, std::stop_token) override { return "right"; }
    } box;
    Say say{"", Stop::calls, {}};
    for (std::size_t i = 0; i < calls; ++i) {
      std::string text;
      while (text.size() < arguments) text += "a1-";
      say.before.push_back(
          {.kind = Block::Kind::call, .text = text, .id = "c" + std::to_string(i), .tool = std::string(name, 'n')});
    }
    Settings takes = settings();
    takes.model.endpoint.tools = true;
    const Sheet sheet{{"spec", relu_spec}};
    Scripted sizes({{good}});
    QVERIFY(write({sizes, prompts_, open_, &box, 6}, takes, Mode::cuda, sheet, "", {}).has_value());
    takes.prompt_tokens = estimate_tokens(sizes.requests[0]) + room;
    Scripted client({say, {good}});
    const auto d = write({client, prompts_, open_, &box, 6}, takes, Mode::cuda, sheet, "", {});
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    const Request& last = client.requests.at(1);
    QVERIFY2(estimate_tokens(last) <= takes.prompt_tokens, std::to_string(estimate_tokens(last)).c_str());
    std::vector<std::string> asked, answered;
    for (const Message& m : last.messages)
      for (const Block& b : m.blocks) {
        if (b.kind == Block::Kind::call) asked.push_back(b.id);
        if (b.kind == Block::Kind::result) answered.push_back(b.id);
      }
    QCOMPARE(asked, answered);
    QVERIFY2(asked.empty() != kept, std::to_string(asked.size()).c_str());
    QCOMPARE(last.no_calls, !kept || calls >= 6);
  }
};

QTEST_GUILESS_MAIN(WriterTest)
#include "writer_test.moc"
