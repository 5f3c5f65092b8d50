// SPDX-License-Identifier: Apache-2.0
// Settings of single roles, from arguments and from files; a catalogue that is newer than the shipped one.
#include <QtTest>
#include "base/files.h"
#include "llm/agents.h"
#include "llm/catalogue.h"
#include "llm/roles.h"
#include "llm/roles_file.h"
#include "llm/scripted_client.h"
#include "llm/turns.h"

using namespace ww;
using namespace ww::llm;

namespace {

std::string file(const std::string& members) {
  std::string text = "{'schema': 'warpwright-models/1', " + members + "}";
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}
const std::string shipped = file(
    "'date': '2026-10-16', 'presets': [{'name': 'a', 'provider': 'openai', 'dialect': 'chat', 'base_url': "
    "'http://127.0.0.1:1/v1'}], 'models': [{'preset': 'a', 'name': 'm', 'price': {'prompt': 1, 'completion': 2, "
    "'source': 's', 'date': '2026-10-16'}}]");

std::string update(const std::string& date, int price) {
  return file("'date': '" + date + "', 'models': [{'preset': 'a', 'name': 'm', 'price': {'prompt': " +
              std::to_string(price) + ", 'completion': 2, 'source': 's', 'date': '" + date + "'}}]");
}

}  // namespace

class RolesTest : public QObject {
  Q_OBJECT

 private slots:
  void argumentsSetRoles() {
    std::vector<RoleSettings> roles;
    for (const char* text :
         {"fixer:effort=low", "fixer:temperature=0.25", "fixer:output-tokens=4000", "fixer:prompt-tokens=9000",
          "fixer:model=ollama:qwen3:8b", "analyst:fallback=a:1", "analyst:fallback=b:2", "fixer:effort=max"})
      QVERIFY2(set_role(roles, text).has_value(), text);
    QCOMPARE(roles.size(), std::size_t{2});
    const RoleSettings* fixer = role_of(roles, "fixer");
    QVERIFY(fixer && fixer->effort == "max" && fixer->temperature == 0.25 && fixer->output_tokens == 4000 &&
            fixer->prompt_tokens == 9000 && fixer->model == "ollama:qwen3:8b");
    QCOMPARE(role_of(roles, "analyst")->fallbacks, (std::vector<std::string>{"a:1", "b:2"}));
    QVERIFY(!role_of(roles, "writer"));
    Settings s;
    s.effort = "high";
    apply_role(roles, "fixer", s);
    QVERIFY(s.effort == "max" && s.temperature == 0.25 && s.output_tokens == 4000 && s.prompt_tokens == 9000);
    Settings same;
    same.effort = "high";
    apply_role(roles, "analyst", same);
    QVERIFY(same.effort == "high" && !same.temperature && same.output_tokens == Settings().output_tokens);
  }

  void wrongSettingsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* text, const char* says) { QTest::newRow(text) << text << says; };
    row("fixer", "write ROLE:SETTING=VALUE");
    row("fixer:effort", "write ROLE:SETTING=VALUE");
    row("fixer:effort=", "write ROLE:SETTING=VALUE");
    row("", "write ROLE:SETTING=VALUE");
    row("painter:effort=low", "'painter' is no role; there are writer, fixer, analyst, formulator, reviewer");
    row("fixer:speed=low", "'speed' is no setting of a role; there are model, fallback, effort");
    row("fixer:effort=huge", "'huge' is no effort of the fixer; there are none, low, medium, high, max");
    row("fixer:temperature=warm", "'warm' is no temperature");
    row("fixer:temperature=3", "not from 0 to 2");
    row("fixer:temperature=nan", "not from 0 to 2");
    row("fixer:output-tokens=12x", "'12x' is no number of tokens");
    row("fixer:output-tokens=1", "the fixer's output-tokens, the largest answer, are 1, and not from 256 to 1000000");
    row("fixer:output-tokens=0", "not from 256 to 1000000");
    row("fixer:prompt-tokens=0", "the largest prompt, are 0");
    row("fixer:prompt-tokens=99999999999999999999", "no number of tokens");
  }
  void wrongSettingsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    std::vector<RoleSettings> roles;
    const Status s = set_role(roles, text.toStdString());
    QVERIFY(!s && s.error().code == Code::invalid_argument);
    QVERIFY2(QString::fromStdString(s.error().message).contains(says), s.error().message.c_str());
  }

  void argumentsWinOverTheFile() {
    const Result<Catalogue> c = Catalogue::parse(
        shipped, file("'roles': {'fixer': {'model': 'a:m', 'effort': 'low', 'temperature': 0.5, 'output_tokens': 8000,"
                      "'fallbacks': ['a:x', 'a:y']}, 'reviewer': {'model': 'a:m'}}"));
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    std::vector<RoleSettings> given;
    QVERIFY(set_role(given, "fixer:effort=high").has_value());
    QVERIFY(set_role(given, "fixer:fallback=a:z").has_value());
    const std::vector<RoleSettings> all = merged(c->roles(), given);
    const RoleSettings* fixer = role_of(all, "fixer");
    QVERIFY(fixer->model == "a:m" && fixer->effort == "high" && fixer->temperature == 0.5 &&
            fixer->output_tokens == 8000 && fixer->fallbacks == std::vector<std::string>{"a:z"});
    QCOMPARE(role_of(all, "reviewer")->model, std::string("a:m"));
  }

  void wrongFilesAreNamed_data() {
    QTest::addColumn<QString>("own");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* own, const char* says) { QTest::newRow(name) << own << says; };
    row("no map", "'roles': ['fixer']", "'roles' does not map roles");
    row("a role that there is not", "'roles': {'painter': {}}", "'painter' is no role");
    row("no settings", "'roles': {'fixer': 'low'}", "the role 'fixer' is not an object");
    row("a typo", "'roles': {'fixer': {'efort': 'low'}}", "there is no member 'efort'");
    row("an effort", "'roles': {'fixer': {'effort': 'huge'}}", "'huge' is no effort");
    row("a temperature", "'roles': {'fixer': {'temperature': 9}}", "not from 0 to 2");
    row("tokens", "'roles': {'fixer': {'output_tokens': 3}}", "not from 256");
    row("fallbacks", "'roles': {'fixer': {'fallbacks': 'a:m'}}", "'fallbacks' is not a list");
    row("a fallback", "'roles': {'fixer': {'fallbacks': [1]}}", "not a string");
    row("a date", "'date': 'today'", "'date' is not of the form");
  }
  void wrongFilesAreNamed() {
    QFETCH(QString, own);
    QFETCH(QString, says);
    const Result<Catalogue> c = Catalogue::parse(shipped, file(own.toStdString()));
    QVERIFY(!c && c.error().code == Code::parse);
    QVERIFY2(QString::fromStdString(c.error().message).contains(says), c.error().message.c_str());
    QVERIFY2(QString::fromStdString(c.error().message).contains("models.json:"), c.error().message.c_str());
  }

  // What a person wrote into the file stays: comments, order, other members.
  void rolesAreWrittenIntoTheFile() {
    const std::string own =
        "// ours\n{\n  /* \"roles\": {} */ \"schema\": \"warpwright-models/1\",\n  \"presets\": [{\"name\": \"a\", "
        "\"about\": \"a brace } and \\\"roles\\\": {\", \"provider\": \"openai\", \"dialect\": \"chat\", \"base_url\": "
        "\"http://127.0.0.1:1/v1\"}], // the \"last\"\n";
    const std::string old = "  \"roles\": {\"fixer\": {\"effort\": \"low\"} /* cheap */} // end\n}\n",
                      none = "  \"models\": []\n}\n";
    std::vector<RoleSettings> roles;
    for (const char* text : {"fixer:effort=high", "analyst:model=a:m", "analyst:fallback=a:x",
                             "analyst:temperature=0.5", "reviewer:output-tokens=4000"})
      QVERIFY(set_role(roles, text));
    const Result<std::string> replaced = with_roles(own + old, roles), added = with_roles(own + none, roles),
                              made = with_roles("", roles), emptied = with_roles(own + old, {});
    for (const Result<std::string>* text : {&replaced, &added, &made}) {
      QVERIFY2(text->has_value(), *text ? "" : text->error().text().c_str());
      const Catalogue c = Catalogue::parse(read_file(Catalogue::shipped_file()).value(), **text).value();
      QCOMPARE(c.roles().size(), std::size_t{3});
      const RoleSettings* analyst = role_of(c.roles(), "analyst");
      QVERIFY(analyst->model == "a:m" && analyst->fallbacks == std::vector<std::string>{"a:x"} &&
              analyst->temperature == 0.5 && role_of(c.roles(), "fixer")->effort == "high");
    }
    QVERIFY2(replaced->starts_with(own) && replaced->ends_with("} // end\n}\n"), replaced->c_str());
    QVERIFY2(added->ends_with(none) && added->find("// the \"last\"") != std::string::npos, added->c_str());
    QCOMPARE(*emptied, own + "  \"roles\": {} // end\n}\n");
    for (const char* bad : {"{", "[]", "{}", "{\"schema\": \"warpwright-models/1\", \"roles\": {\"painter\": {}}}"}) {
      const Result<std::string> refused = with_roles(bad, roles);
      QVERIFY(!refused && refused.error().message.find("models.json") != std::string::npos);
    }
    roles.front().effort = "huge";
    QVERIFY(!with_roles("", roles));
    QVERIFY(
        !with_roles("{\"schema\": \"warpwright-models/1\", \"roles\": {\"fixer\": {\"effort\": \"low\"}}, \"roles\": "
                    "{\"fixer\": {\"effort\": \"low\"}}}",
                    {}));
  }

  void aRoleHasItsModelsInTurn() {
    std::vector<RoleSettings> roles;
    for (const char* text : {"reviewer:model=a:m", "reviewer:fallback=a:x", "reviewer:fallback=a:m"})
      QVERIFY(set_role(roles, text));
    QCOMPARE(models_of(roles, "reviewer", ""), (std::vector<std::string>{"a:m", "a:x"}));
    QCOMPARE(models_of(roles, "reviewer", "b:1"), (std::vector<std::string>{"b:1", "a:x", "a:m"}));
    QCOMPARE(models_of(roles, "formulator", "b:1"), std::vector<std::string>{"b:1"});
    QVERIFY(models_of(roles, "formulator", "").empty());
  }

  void theNextAnswersWhereAServiceIsOut_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("passes");
    QTest::newRow("out") << static_cast<int>(Code::unavailable) << true;
    QTest::newRow("a refused key") << static_cast<int>(Code::denied) << true;
    QTest::newRow("an unreadable reply") << static_cast<int>(Code::parse) << false;
    QTest::newRow("cancelled") << static_cast<int>(Code::cancelled) << false;
  }
  void theNextAnswersWhereAServiceIsOut() {
    QFETCH(int, code);
    QFETCH(bool, passes);
    test::Scripted client({{"unused"}});
    const PromptLibrary prompts;
    const Desk desk{client, prompts, {}};
    Turns turns;
    for (const char* name : {"one", "two", "three"}) {
      Settings& s = turns.models.emplace_back();
      s.model.facts.preset = "a";
      s.model.facts.name = name;
    }
    std::vector<std::string> said;
    turns.say = [&](const std::string& sentence) { said.push_back(sentence); };
    const auto ask = [&](const Settings& s) -> Result<std::string> {
      if (s.model.facts.name != "three") return fail(static_cast<Code>(code), "no luck");
      return s.model.facts.name;
    };
    const Result<std::string> answer = in_turn(desk, turns, {}, ask);
    QCOMPARE(answer.has_value(), passes);
    QCOMPARE(said.size(), std::size_t{passes ? 2u : 0u});
    if (!passes) return;
    QCOMPARE(said.front(), std::string("a:one does not answer (no luck); a:two is asked from now on"));
    QCOMPARE(turns.now().model.facts.name, std::string("three"));  // a later question begins there
    QVERIFY(!in_turn(desk, turns, {}, [](const Settings&) -> Result<int> { return fail(Code::unavailable, "out"); }));
    test::Scripted spent({});  // its budget is used up
    turns.models.resize(2, turns.models.front());
    const Desk poor{spent, prompts, {}};
    QVERIFY(!in_turn(poor, turns, {}, [](const Settings&) -> Result<int> { return fail(Code::unavailable, "spent"); }));
    QCOMPARE(turns.models.size(), std::size_t{2});
  }

  void aNewerCatalogueReplacesPrices() {
    const auto price = [](const Catalogue& c) { return c.facts("a", "m").price->prompt; };
    const auto plain = Catalogue::parse(shipped, "");
    QVERIFY(price(*plain) == 1 && plain->date() == "2026-10-16" && plain->passed_over().empty());
    const auto newer = Catalogue::parse(shipped, "", update("2026-12-01", 7));
    QVERIFY(price(*newer) == 7 && newer->date() == "2026-12-01" && newer->passed_over().empty());
    const auto older = Catalogue::parse(shipped, "", update("2026-10-15", 7));
    QVERIFY(price(*older) == 1 && older->date() == "2026-10-16" && older->passed_over() == "2026-10-15");
    // The user's own entries win over both.
    const auto own = Catalogue::parse(shipped, update("2020-01-01", 9), update("2026-12-01", 7));
    QVERIFY(price(*own) == 9 && own->date() == "2026-12-01");
    const auto undated = Catalogue::parse(shipped, "", file("'models': []"));
    QVERIFY(!undated && undated.error().message.find("'date' is missing") != std::string::npos);
    QVERIFY(undated.error().message.find("catalogue.json:") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(RolesTest)
#include "roles_test.moc"
