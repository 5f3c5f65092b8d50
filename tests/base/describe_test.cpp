// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include "base/described_json.h"
#include "base/json_reader.h"
#include "base/schema.h"

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

enum class Regime { cold, warm };
constexpr auto names_of(Regime) {
  return std::to_array<ww::Enumerator<Regime>>({{Regime::cold, "cold"}, {Regime::warm, "warm"}, {Regime::warm, "hot"}});
}

struct Clocks {
  double sm_mhz = nan;
  WW_FIELDS(Clocks, (sm_mhz, "of the multiprocessors", sparse))
};

struct Sample {
  static constexpr std::string_view described_as = "SAMPLE";
  double us = 0;
  int replays = 1;
  Clocks clocks;
  template <class V>
  static void fields(V&& v) {
    v("us", &Sample::us, "microseconds");
    v("replays", &Sample::replays, ww::Presence::defaulted);
    v(ww::inlined, &Sample::clocks);
  }
};

struct Limits {
  bool sources = true;
  std::uint8_t level = 3;
  WW_FIELDS(Limits, (sources, "code of candidates"), (level, "from 0 to 255", defaulted))
};

struct Row {
  std::int64_t run = 0;
  double floor = nan;
  std::vector<int> parts;
  int sum() const { return std::accumulate(parts.begin(), parts.end(), 0); }
  WW_FIELDS(Row, (run, "outside of runs: null", nullable), (floor, nullable), parts, (sum, "of the parts"))
};

struct Whole {
  std::string name;
  Regime regime = Regime::cold;
  std::vector<Sample> samples;
  std::optional<double> temperature;
  std::optional<Limits> limits;
  std::map<std::string, std::int64_t> symbols;
  std::vector<std::pair<std::string, double>> rates;
  std::uint32_t block[3] = {};
  std::filesystem::path program;
  std::chrono::milliseconds deadline{250};
  std::uint64_t seed = 0;
  WW_FIELDS(Whole, (name, "of the caller's choice"), (regime, "of the L2 cache", defaulted),
            (samples, "in order", defaulted), (temperature, sparse), (limits, defaulted), (symbols, defaulted),
            (rates, "per second", sparse), (block, defaulted), (program, defaulted),
            ((deadline_ms, deadline), defaulted), (seed, defaulted))
};

Whole full() {
  Whole w;
  w.name = "layer norm";
  w.regime = Regime::warm;
  w.samples = {{1.5, 3, {}}, {inf, 1, {1980}}, {nan, 1, {-inf}}};
  w.temperature = 0.2;
  w.limits = Limits{false, 200};
  w.symbols = {{"R", 4096}, {"C", -1}};
  w.rates = {{"f32", 1e13}, {"bf16", inf}};
  w.block[1] = 4000000000u;
  w.program = "/tmp/worker";
  w.deadline = std::chrono::milliseconds(5);
  w.seed = std::numeric_limits<std::uint64_t>::max();
  return w;
}

}  // namespace

class DescribeTest : public QObject {
  Q_OBJECT
 private slots:
  void comes_back_as_it_was() {
    const std::string text = ww::json::text_of(full());
    const auto back = ww::json::read_text<Whole>(text, "unreadable");
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QVERIFY(ww::same(*back, full()));
    QCOMPARE(ww::json::text_of(*back), text);
  }

  void numbers_that_are_not_finite_have_one_spelling() {
    const auto j = ww::json::of(full());
    QCOMPARE(j["samples"][1]["us"], ww::json::Json("inf"));
    QCOMPARE(j["samples"][2]["us"], ww::json::Json("nan"));
    QCOMPARE(j["samples"][2]["sm_mhz"], ww::json::Json("-inf"));
    QVERIFY(!j["samples"][0].contains("sm_mhz"));  // unknown, and NaN is its default
    const auto null = ww::json::read_text<Sample>(R"({"us": null})", "unreadable");
    QVERIFY(null && std::isnan(null->us));
  }

  void sparse_members_are_written_only_where_they_say_something() {
    const auto j = ww::json::of(Whole{});
    QVERIFY(!j.contains("temperature") && !j.contains("rates"));
    QVERIFY(j.contains("limits") && j["limits"].is_null());
    QCOMPARE(j["deadline_ms"], ww::json::Json(250));
    const auto back = ww::json::read<Whole>(j, "unreadable");
    QVERIFY(back && ww::same(*back, Whole{}));
  }

  void defaults_hold_for_what_is_missing_and_strangers_are_ignored() {
    const auto w = ww::json::read_text<Whole>(R"({"stranger": [1], "name": "x"})", "unreadable");
    QVERIFY2(w, w ? "" : w.error().text().c_str());
    QVERIFY(w->regime == Regime::cold && w->deadline.count() == 250 && !w->temperature && !w->limits);
  }

  void other_names_of_a_value_are_read_but_not_written() {
    const auto w = ww::json::read_text<Whole>(R"({"name": "x", "regime": "hot"})", "unreadable");
    QVERIFY(w && w->regime == Regime::warm);
    QCOMPARE(ww::json::of(*w)["regime"], ww::json::Json("warm"));
    QCOMPARE(ww::enum_from_name<Regime>("tepid"), std::nullopt);
    QCOMPARE(ww::enum_name(Regime::cold), std::string_view("cold"));
  }

  void errors_name_the_member_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cause");
    const auto row = [](const char* name, const char* text, const char* cause) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(cause);
    };
    row("not JSON", "{", "this is not JSON: line 1, column 2");
    row("empty", "", "this is not JSON: line 1, column 1");
    row("not JSON on a later line", "{\n \"name\": \"\u00e4\u00e4\", oops\n}", "this is not JSON: line 2, column 16");
    row("cut", "{\"name\": \"never ends", "this is not JSON: line 1, column 21");
    row("a number beyond any", "{\n\"seed\": 1e999}", "a number is too large: line 2, column 13");
    row("a list", "[]", "it has the wrong type: it should be an object");
    row("missing", "{}", "the member 'name' is missing");
    row("number for text", R"({"name": 1})", "the member 'name' has the wrong type: it should be a text");
    row("null for text", R"({"name": null})", "the member 'name' has the wrong type: it should be a text");
    row("unknown name", R"({"name": "", "regime": "tepid"})",
        "the member 'regime' has the unknown value 'tepid': it is one of cold, warm");
    row("number for enum", R"({"name": "", "regime": 0})",
        "the member 'regime' has the wrong type: it should be a text");
    row("object for list", R"({"name": "", "samples": {}})",
        "the member 'samples' has the wrong type: it should be a list");
    row("within a list", R"({"name": "", "samples": [{"us": 1}, {"replays": 2}]})",
        "the member 'samples[1].us' is missing");
    row("inlined", R"({"name": "", "samples": [{"us": 1, "sm_mhz": "fast"}]})",
        "the member 'samples[0].sm_mhz' has the wrong type: it should be a number");
    row("fraction for integer", R"({"name": "", "samples": [{"us": 1, "replays": 2.5}]})",
        "the member 'samples[0].replays' has the wrong type: it should be an integer");
    row("too large", R"({"name": "", "samples": [{"us": 1, "replays": 5000000000}]})",
        "the member 'samples[0].replays' is out of range");
    row("negative", R"({"name": "", "seed": -1})", "the member 'seed' is out of range");
    row("too large for a byte", R"({"name": "", "limits": {"sources": true, "level": 256}})",
        "the member 'limits.level' is out of range");
    row("number for bool", R"({"name": "", "limits": {"sources": 1}})",
        "the member 'limits.sources' has the wrong type: it should be true or false");
    row("named value", R"({"name": "", "symbols": {"R": 1, "C": "x"}})",
        "the member 'symbols.C' has the wrong type: it should be an integer");
    row("array of another length", R"({"name": "", "block": [1, 2]})", "the member 'block' has the wrong length");
    row("element", R"({"name": "", "block": [1, 2, "3"]})",
        "the member 'block[2]' has the wrong type: it should be an integer");
  }
  void nothing_of_what_is_no_json_is_quoted() {
    for (const std::string& text : {"{\"a\": " + std::string(100000, '9') + "}", std::string(100000, 'x'),
                                    "[\"" + std::string(100000, 'q') + "\x1b\"]", "{\"" + std::string(100000, 'k')}) {
      const auto read = ww::json::parse(text);
      QVERIFY(!read);
      const std::string said = read.error().text();
      QVERIFY2(said.size() < 100 && said.find("exception") == said.npos && said.find("line 1, column ") != said.npos,
               said.substr(0, 200).c_str());
    }
    try {
      (void)ww::json::Json::parse("{}").at("nowhere");
      QFAIL("there is no such member");
    } catch (const std::exception& e) { QCOMPARE(ww::json::explain_exception(e), std::string("a member is missing")); }
    try {
      (void)ww::json::Json(3).get<std::string>();
      QFAIL("it is a number");
    } catch (const std::exception& e) {
      QCOMPARE(ww::json::explain_exception(e), std::string("a member has the wrong type"));
    }
    QCOMPARE(ww::json::explain_exception(std::runtime_error("as it is")), std::string("as it is"));
  }
  void errors_name_the_member() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cause);
    const auto w = ww::json::read_text<Whole>(text.toStdString(), "this is no whole");
    QVERIFY(!w);
    QCOMPARE(w.error().code, ww::Code::corrupt);
    QCOMPARE(w.error().message, std::string("this is no whole"));
    QCOMPARE(QByteArray::fromStdString(w.error().cause), cause);
  }

  void text_that_is_nested_too_deeply_is_refused() {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    QVERIFY(ww::json::parse(nested(ww::json::max_depth)));
    const auto deep = ww::json::parse(nested(1'000'000));
    QVERIFY(!deep);
    QCOMPARE(deep.error().code, ww::Code::corrupt);
    QVERIFY(!ww::json::parse(std::string(1'000'000, '[')));
    QVERIFY(ww::json::parse('"' + std::string(1000, '[') + "\\\"" + std::string(1000, '[') + '"'));  // within a text
  }

  void bytes_that_are_not_utf8_can_be_written() {
    Whole w;
    w.name =
        "a\xff"
        "b";
    QVERIFY(ww::json::read_text<Whole>(ww::json::text_of(w), "unreadable"));
  }

  void each_member_is_compared() {
    const std::vector<std::function<void(Whole&)>> changes = {
        [](Whole& w) { w.name = "other"; },     [](Whole& w) { w.samples[2].clocks.sm_mhz = 5; },
        [](Whole& w) { w.samples.pop_back(); }, [](Whole& w) { w.limits->level = 1; },
        [](Whole& w) { w.limits.reset(); },     [](Whole& w) { w.symbols["C"] = 7; },
        [](Whole& w) { w.symbols["D"] = 7; },   [](Whole& w) { w.rates[0].first = "f16"; },
        [](Whole& w) { w.block[2] = 9; },       [](Whole& w) { w.program = "/tmp"; },
    };
    QVERIFY(ww::same(full(), full()));
    for (const auto& change : changes) {
      Whole b = full();
      change(b);
      QVERIFY(!ww::same(full(), b));
    }
  }

  void what_is_unknown_is_null_where_the_description_says_so() {
    QCOMPARE(ww::json::text_of(Row{}), std::string(R"({"run":null,"floor":null,"parts":[],"sum":0})"));
    const std::string text = ww::json::text_of(Row{3, 0.5, {1, 2}});
    QCOMPARE(text, std::string(R"({"run":3,"floor":0.5,"parts":[1,2],"sum":3})"));
    QVERIFY(ww::same(ww::json::read_text<Row>(text, "unreadable").value(), Row{3, 0.5, {1, 2}}));
    const Row unknown = ww::json::read_text<Row>(R"({"run":null,"parts":[]})", "unreadable").value();
    QVERIFY(unknown.run == 0 && std::isnan(unknown.floor));
    QVERIFY(!ww::json::read_text<Row>(R"({"run":"3","parts":[]})", "unreadable"));
    const std::string table = ww::schema::markdown(ww::schema::members_of<Row>());
    QVERIFY(table.find("| `run` | integer or null | outside of runs: null |\n") != std::string::npos);
    QVERIFY(table.find("| `sum` | integer | of the parts |\n") != std::string::npos);
  }

  void the_schema_lists_every_member() {
    const std::string table = ww::schema::markdown(ww::schema::members_of<Whole>());
    for (const char* line :
         {"| `name` | text | of the caller's choice |\n", "| `regime` | `\"cold\"`, `\"warm\"` | of the L2",
          "| `samples` | list of SAMPLE | in order |\n", "| `temperature`? | number or null |  |\n",
          "| `limits` | object or null |  |\n", "| `limits.level` | integer | from 0 to 255 |\n",
          "| `symbols` | object of integer by name |", "| `rates`? | object of number by name | per second |",
          "| `block` | 3 of integer |", "| `program` | text |", "| `deadline_ms` | integer |"})
      QVERIFY2(table.find(line) != std::string::npos, (std::string(line) + "\n" + table).c_str());
    const auto sample = ww::schema::members_of<Sample>();
    QCOMPARE(sample.size(), std::size_t{3});
    QCOMPARE(sample[2].name, std::string("sm_mhz"));
  }
};

QTEST_GUILESS_MAIN(DescribeTest)
#include "describe_test.moc"
