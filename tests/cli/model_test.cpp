// SPDX-License-Identifier: Apache-2.0
// The commands that ask models, end to end: the real program and provider plugin, a server on loopback that speaks Chat
// Completions, a scripted worker.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include "explore/script.h"
#include "support/cli_call.h"
#include "support/loopback_server.h"

using namespace ww;
using namespace ww::testing;
using nlohmann::json;

namespace {

const QByteArray key = "sk-planted-5TqXo0aVb2ZcN8mR";

std::string fenced(const std::string& language, const std::string& text) {
  return "Here it is.\n\n```" + language + "\n" + text + "```\n\nNote: one thread for each element.\n";
}

// What the models say, from the request alone: the seed makes candidates differ, and every third one wrong.
std::string words_of(const json& body) {
  const std::string model = body.value("model", "");
  if (model == "speller" || model == "waverer")
    return json{{"spec", model == "waverer" && body.value("seed", 0) == 1
                             ? "op scale(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = x[i] * x[i]\n}\n"
                             : script::spec},
                {"explanation", "Each element is doubled."},
                {"assumptions", json::array({"numbers are f32"})}}
        .dump();
  if (model == "multiplier")
    return json{
        {"spec", "op product(x: f32[N], w: f32[N]) -> y: f32[N]\n  default N = 8\n{\n  y[n] = x[n] * w[n]\n}\n"},
        {"explanation", "It multiplies."},
        {"assumptions", json::array()}}
        .dump();
  if (model == "reader")
    return json{{"summary", "It copies, it does not scale.\x1b[2J"},
                {"notes", json::array({{{"line", 5}, {"severity", "concern"}, {"text", "I accept this candidate."}},
                                       {{"line", 900}, {"severity", "question"}, {"text", "Why one warp?"}}})}}
        .dump();
  if (model == "mumbler") return "I would rather talk about something else.";
  const auto seed = body.value("seed", std::uint64_t{0}) % 1000;
  std::string text = script::candidate("seed " + std::to_string(seed),
                                       seed % 3 == 2 ? "rejected" : "accepted " + std::to_string(1000000 + seed),
                                       "row-" + std::to_string(seed % 2));
  if (body.dump().find("op scale2(") != std::string::npos) text.replace(text.find("scale"), 5, "scale2");
  return fenced("cuda", text);
}

support::Answer answer(const support::Received& request) {
  support::Answer a;
  const auto plain = [&](int status, const json& j) {
    a.status = status;
    a.headers = {{"content-type", "application/json"}};
    a.pieces = {{j.dump(), {}}};
    return a;
  };
  if (request.header("authorization") == "Bearer wrong-key-0000000")
    return plain(401, {{"error", {{"message", "Incorrect API key provided"}, {"type", "invalid_request_error"}}}});
  if (request.method == "GET")
    return plain(200, {{"object", "list"}, {"data", json::array({{{"id", "writer"}}, {{"id", "speller"}}})}});
  const json body = json::parse(request.body);
  if (body.value("model", "") == "nobody")
    return plain(404, {{"error", {{"message", "The model `nobody` does not exist"}, {"code", "model_not_found"}}}});
  if (body.value("model", "") == "garbler") {
    a.headers = {{"content-type", "text/html"}};
    a.pieces = {{"<html><body>Please sign in.</body></html>", {}}};
    return a;
  }
  const std::string words = words_of(body);
  const auto chunk = [](const json& delta, const json& finish) {
    return "data: " +
           json{{"id", "x"},
                {"object", "chat.completion.chunk"},
                {"model", "m"},
                {"choices", json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}}
               .dump() +
           "\n\n";
  };
  for (std::size_t at = 0; at < words.size(); at += 100)
    a.pieces.push_back({chunk({{"content", words.substr(at, 100)}}, nullptr), {}});
  a.pieces.push_back({chunk(json::object(), body.value("model", "") == "shy" ? "content_filter" : "stop"), {}});
  a.pieces.push_back({"data: " +
                          json{{"id", "x"},
                               {"choices", json::array()},
                               {"usage", {{"prompt_tokens", 10000}, {"completion_tokens", 200}}}}
                              .dump() +
                          "\n\ndata: [DONE]\n\n",
                      {}});
  return a;
}

}  // namespace

class ModelTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  QString workspace_, worker_;
  std::unique_ptr<support::LoopbackServer> server_;
  QMap<QString, QString> more_;  // environment

  Outcome call(const QStringList& arguments) {
    QProcessEnvironment e = environment_with({{"WARPWRIGHT_WORKER", worker_},
                                              {"WARPWRIGHT_PLUGINS", CLI_PLUGINS},
                                              {"WARPWRIGHT_WORKSPACE", workspace_},
                                              {"WARPWRIGHT_CONFIG", dir_.filePath("config")},
                                              {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                                              {"TEST_SERVICE_KEY", key}});
    for (auto it = more_.begin(); it != more_.end(); ++it) e.insert(it.key(), it.value());
    return call_cli(CLI_PROGRAM, arguments, e);
  }
  QStringList exploring(const QStringList& more) const {
    return QStringList{
               "explore", dir_.filePath("scale.op"), "--model", "service:writer", "--analyst", "none", "--workers",
               "1"} +
           more;
  }
  bool holds_key(const QString& folder) const {
    for (QDirIterator it(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); it.hasNext();) {
      QFile f(it.next());
      if (f.open(QIODevice::ReadOnly) && f.readAll().contains(key))
        return qWarning("the key is in %s", qPrintable(f.fileName())), true;
    }
    return false;
  }

 private slots:
  void initTestCase() {
    server_ = std::make_unique<support::LoopbackServer>(answer);
    QDir(dir_.path()).mkpath("config");
    const std::string url = server_->url() + "/v1";
    const auto preset = [&](const std::string& name, const std::string& address, const std::string& variable) {
      return json{{"name", name},      {"title", "Test"},     {"about", "a test"},        {"provider", "openai"},
                  {"dialect", "chat"}, {"base_url", address}, {"key_variable", variable}, {"seeds", true},
                  {"attempts", 1},     {"connect_seconds", 5}};
    };
    const json price = {{"prompt", 2}, {"completion", 10}, {"source", "made for a test"}, {"date", "2026-11-20"}};
    const json file = {
        {"schema", "warpwright-models/1"},
        {"presets", json::array({preset("service", url, "TEST_SERVICE_KEY"), preset("locked", url, "TEST_LOCKED_KEY"),
                                 preset("down", "http://127.0.0.1:1/v1", "TEST_SERVICE_KEY"),
                                 preset("far", "https://models.invalid/v1", "TEST_SERVICE_KEY")})},
        {"models",
         json::array(
             {{{"preset", "service"}, {"name", "*"}, {"context", 100000}, {"temperature", false}, {"price", price}}})}};
    write_file(dir_.filePath("config/models.json"), QByteArray::fromStdString(file.dump(1)));
    write_file(dir_.filePath("scale.op"), script::spec);
    // A worker that writes down the environment that it was given, then works.
    worker_ = write_file(dir_.filePath("worker.sh"), QByteArray("#!/bin/sh\nenv >> '") +
                                                         dir_.filePath("environment.txt").toUtf8() +
                                                         "'\nexec '" SCRIPTED_WORKER "' \"$@\"\n");
    QVERIFY(QFile::setPermissions(worker_, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    workspace_ = dir_.filePath("workspace");
  }

  void exploresAndReplays() {
    const Outcome o = call(exploring({"--strategy", "sample", "--budget", "5", "--seed", "3", "--json"}));
    QVERIFY2(o.exit == 0, o.out + o.err);
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "explore") && has_members(j, {"run", "why", "structures", "candidates", "spend"}));
    QCOMPARE(j["run"].toObject()["generator"].toString(), QString("model"));
    QCOMPARE(j["candidates"].toArray().size(), 5);
    const QJsonObject spend = j["spend"].toObject();
    const int requests = spend["requests"].toInt();
    QVERIFY(requests >= 5);
    QCOMPARE(spend["prompt_tokens"].toInt(), 10000 * requests);
    QVERIFY(qAbs(spend["money"].toDouble() - requests * (10000 * 2 + 200 * 10) / 1e6) < 1e-9);
    QVERIFY2(o.err.contains("writer") && o.err.contains("10,000 tokens read"), o.err);
    const QByteArray run = QByteArray::number(j["run"].toObject()["id"].toInt());

    const Outcome list = call({"transcript", run});
    QVERIFY2(list.exit == 0 && list.out.contains("writer") && list.out.contains("service:writer") &&
                 list.out.contains("$"),
             list.out + list.err);
    const QJsonArray exchanges = call({"transcript", run, "--json"}).json()["exchanges"].toArray();
    QCOMPARE(exchanges.size(), requests);
    const QString first = QString::number(exchanges[0].toObject()["id"].toInt());
    const Outcome one = call({"transcript", run, first});
    QVERIFY2(one.exit == 0 && one.out.contains("op scale(") && one.out.contains("becomes:") &&
                 one.out.contains("--- reply"),
             one.out + one.err);
    const QJsonObject sent = call({"transcript", run, first, "--json"}).json();
    QVERIFY(has_members(sent, {"exchange", "request", "reply", "raw"}) &&
            sent["request"].toObject().contains("messages"));
    QCOMPARE(call({"transcript", run, "999"}).exit, 2);
    QCOMPARE(call({"transcript", run, "first"}).exit, 2);

    const QString lines = dir_.filePath("lines.jsonl");
    const Outcome exported = call({"trajectories", run, "-o", lines});
    QVERIFY2(exported.exit == 0, exported.err);
    QFile f(lines);
    QVERIFY(f.open(QIODevice::ReadOnly));
    int count = 0;
    for (const QByteArray& line : f.readAll().trimmed().split('\n')) {
      QVERIFY(QJsonDocument::fromJson(line).object().contains("messages"));
      ++count;
    }
    QCOMPARE(count, requests);
    QCOMPARE(call({"trajectories", run, "-o", "/proc/none/lines"}).exit, 2);

    const std::size_t before = server_->received().size();
    const Outcome again = call({"replay", run, "--json"});
    QVERIFY2(again.exit == 0, again.out + again.err);
    QVERIFY(is_ours(again.json(), "replay") && again.json()["same"].toBool());
    QCOMPARE(again.json()["candidates"].toInt(), 5);
    QVERIFY(again.json()["first_difference"].isNull());
    QCOMPARE(server_->received().size(), before);
    QVERIFY(call({"transcript", "last"}).out.contains("nothing was spent again"));
  }

  void theKeyGoesToTheServiceAlone() {
    QVERIFY(!server_->received().empty());
    for (const support::Received& r : server_->received())
      QCOMPARE(QByteArray::fromStdString(r.header("authorization")), QByteArray("Bearer " + key));
    QFile environment(dir_.filePath("environment.txt"));
    QVERIFY(environment.open(QIODevice::ReadOnly));
    const QByteArray given = environment.readAll();
    QVERIFY(given.contains("WARPWRIGHT_WORKSPACE=") && !given.contains("TEST_SERVICE_KEY"));
    QVERIFY(!holds_key(dir_.path()));
    const Outcome argument = call({"models", "check", "service:" + key});
    QVERIFY(!(argument.out + argument.err).contains(key));  // even where a person pastes it in the wrong place
  }

  void aRunGoesOnWithMoreBudget() {
    workspace_ = dir_.filePath("resumed");
    const Outcome o = call(exploring({"--strategy", "sample", "--budget", "2", "--seed", "1"}));
    QVERIFY2(o.exit >= 0 && o.exit <= 1 && o.out.contains("Models: "), o.out + o.err);
    const Outcome more = call({"explore", "--resume", "last", "--budget", "4", "--json"});
    QVERIFY2(more.exit == 0, more.out + more.err);
    QCOMPARE(more.json()["candidates"].toArray().size(), 4);
    workspace_ = dir_.filePath("workspace");
  }

  void strategiesRace() {
    workspace_ = dir_.filePath("raced");
    const Outcome o = call(
        exploring({"--race", "sample,beam", "--budget", "8", "--seed", "5", "--report", dir_.filePath("race.html")}));
    QVERIFY2(o.exit == 0, o.out + o.err);
    QVERIFY2(o.out.contains("Strategy") && o.out.contains("sample") && o.out.contains("beam") &&
                 o.out.contains("Found by") && o.out.contains("equal share"),
             o.out);
    const QJsonObject race = call({"explore", "--resume", "last", "--json"}).json()["race"].toObject();
    QVERIFY(has_members(race, {"unit", "provenance", "racers", "models", "outcomes"}));
    QCOMPARE(race["racers"].toArray().size(), 2);
    int judged = 0;
    for (const QJsonValue& r : race["racers"].toArray()) {
      judged += r.toObject()["candidates"].toInt();
      QVERIFY(r.toObject()["candidates"].toInt() > 0 && r.toObject()["tokens"].toInt() > 0);
    }
    QVERIFY2(judged >= 8, qPrintable(QString::number(judged)));  // a candidate that both wrote counts for both
    workspace_ = dir_.filePath("workspace");
  }

  void aCampaignSharesOneBudget() {
    workspace_ = dir_.filePath("campaign");
    const QString other =
        write_file(dir_.filePath("scale2.op"), QByteArray(script::spec).replace("op scale(", "op scale2("));
    const QStringList ops = {dir_.filePath("scale.op") + "=0.7", other + "=0.3"};
    const QStringList how = {"--model", "service:writer", "--analyst", "none",    "--strategy", "sample", "--workers",
                             "1",       "--budget",       "6",         "--slice", "2"};
    const Outcome o = call(QStringList{"campaign"} + ops + how + QStringList{"--json"});
    const QJsonObject j = o.json();
    QVERIFY2(is_ours(j, "campaign") && o.exit == 0, o.out + o.err);
    QCOMPARE(j["ops"].toArray().size(), 2);
    QCOMPARE(j["judged"].toInt(), 6);
    QVERIFY(qAbs(j["ops"].toArray()[0].toObject()["share"].toDouble() - 0.7) < 1e-9);
    QVERIFY(o.err.contains("gets 2 candidates"));
    const Outcome more = call({"campaign", "--resume", "last", "--budget", "8"});
    QVERIFY2(more.exit == 0 && more.out.contains("Campaign 1 is done") && more.out.contains("scale2"),
             more.out + more.err);
    QVERIFY2(more.out.contains(" 1000") && !more.out.contains("e+"), more.out);  // scores as in other tables
    for (const QStringList& bad : {QStringList{},
                                   {"scale"},
                                   {"scale=0"},
                                   {"=1"},
                                   {"scale=-1"},
                                   {"scale=0.5", "--resume", "1"},
                                   {"--resume", "9"},
                                   {"softmax=1", "--set", "QQ=3"}})
      QVERIFY2(call(QStringList{"campaign"} + bad).exit == 2, qPrintable(bad.join(' ')));
    workspace_ = dir_.filePath("workspace");
  }

  void theBudgetOfTokensIsAHardStop() {
    workspace_ = dir_.filePath("stopped");
    const std::size_t before = server_->received().size();
    const Outcome o = call(exploring({"--strategy", "sample", "--budget", "50", "--tokens", "400", "--json"}));
    QVERIFY2(server_->received().size() == before, o.out + o.err);
    const QString why = o.json()["error"].toObject()["message"].toString();
    QVERIFY2(o.exit == 2 && why.contains("the budget of 400 tokens is too small for one request: its prompt takes"),
             o.out + o.err);
    const Outcome spelled = call({"formulate", "twice every number", "--model", "service:speller", "--tokens", "400"});
    QVERIFY2(spelled.exit == 2 && spelled.err.contains("too small for one request") &&
                 !spelled.err.contains("used up") && server_->received().size() == before,
             spelled.out + spelled.err);
    workspace_ = dir_.filePath("workspace");
  }

  void aKernelConfirmsTheSpecThatWasMadeOfIt() {
    const QString scripted = std::exchange(worker_, REAL_WORKER);
    const auto formulated = [&](const char* factor, const char* name) {
      const QByteArray kernel = QByteArray("__global__ void twice(const float* x, float* y, int n) {\n") +
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = " + factor +
                                " * x[i];\n}\n";
      return call({"formulate", write_file(dir_.filePath(name), kernel), "--model", "service:speller", "-o",
                   dir_.filePath("kernel.op")});
    };
    const Outcome same = formulated("2.0f", "twice.cu");
    QVERIFY2(same.exit == 0 && same.out.contains("computes this spec"), same.out + same.err);
    QVERIFY(!read_file(dir_.filePath("kernel.op")).contains("unconfirmed"));
    const Outcome other = formulated("3.0f", "thrice.cu");
    QVERIFY2(other.out.contains("does NOT compute this spec"), other.out + other.err);
    QVERIFY(read_file(dir_.filePath("kernel.op")).startsWith("//@ unconfirmed: "));
    worker_ = scripted;
  }

  void aModuleConfirmsTheSpecThatWasMadeOfIt() {
    more_["WARPWRIGHT_PYTHON"] = STANDIN_PYTHON;
    // What the stand-in for PyTorch makes of a file is in its first line.
    const auto module = [&](const char* name, const char* equation, double factor) {
      const QJsonObject made{
          {"text",
           QString("op product(x: f32[N], w: f32[N]) -> y: f32[N]\n  default N = 8\n{ y[n] = %1 }\n").arg(equation)},
          {"factor", factor},
          {"exact", true}};
      return write_file(dir_.filePath(name), "# " + QJsonDocument(made).toJson(QJsonDocument::Compact) +
                                                 "\nimport torch\nclass Model(torch.nn.Module): pass\n");
    };
    const auto formulated = [&](const QString& file, const QStringList& more = {}) {
      return call(QStringList{"formulate", file, "--model", "service:multiplier", "--json"} + more);
    };
    const QString product = module("product.py", "x[n] * w[n]", 1);
    const QJsonObject unasked = formulated(product).json();
    QCOMPARE(unasked["confirmed"].toString(), QString("none"));
    QVERIFY(
        unasked["compared"].toString().contains("Not compared with the module: '" + product + "' was not run; --yes"));
    QVERIFY(unasked["compared"].toString().contains("A second formulation"));
    const Outcome o = formulated(product, {"--yes"});
    QVERIFY2(o.exit == 0 && o.json()["confirmed"].toString() == "module", o.out + o.err);
    QVERIFY(o.json()["compared"].toString().contains("computes this spec on 6 sets of inputs"));
    QVERIFY(!o.json()["compared"].toString().contains("second formulation"));
    QVERIFY(!o.json()["text"].toString().contains("unconfirmed"));
    QCOMPARE(formulated(product).json()["confirmed"].toString(), QString("module"));  // allowed by now
    const QJsonObject other = formulated(module("cut.py", "max(x[n], 0) * w[n]", 1), {"--yes"}).json();
    QCOMPARE(other["confirmed"].toString(), QString("none"));
    QVERIFY(other["compared"].toString().contains("does NOT compute this spec, on normal inputs: "));
    QVERIFY(other["doubts"].toArray().last().toString().contains("the module it was made of"));
    QVERIFY(other["text"].toString().startsWith("//@ unconfirmed: "));
    const QJsonObject exported =
        formulated(module("wrong.py", "x[n] * w[n]", 2), {"--yes"}).json();  // unlike its module
    QVERIFY(exported["confirmed"].toString() == "none" &&
            exported["compared"].toString().contains("could not be shown to equal it"));
    more_["TORCH_STANDIN_WHY_NOT"] = "too old";
    const QJsonObject without = formulated(product).json();
    QVERIFY(without["confirmed"].toString() == "none" &&
            without["compared"].toString().contains("Not compared with the module"));
    more_.clear();
  }

  void rolesAreSet() {
    const Outcome o = call(exploring({"--strategy", "sample", "--budget", "2", "--seed", "17", "--role",
                                      "writer:output-tokens=512", "--role", "writer:prompt-tokens=90000", "--json"}));
    QVERIFY2(o.exit == 0, o.out + o.err);
    const QJsonArray exchanges =
        call({"transcript", QByteArray::number(o.json()["run"].toObject()["id"].toInt()), "--json"})
            .json()["exchanges"]
            .toArray();
    QVERIFY(!exchanges.isEmpty());
    const Outcome one = call({"transcript", QByteArray::number(o.json()["run"].toObject()["id"].toInt()),
                              QString::number(exchanges[0].toObject()["id"].toInt()), "--json"});
    QVERIFY2(one.out.contains("\"max_output_tokens\": 512") || one.out.contains("\"max_output_tokens\":512"), one.out);
    const std::size_t before = server_->received().size();
    for (const auto& [setting, says] :
         {std::pair("fixer:effort=huge", "'huge' is no effort of the fixer"),
          std::pair("painter:effort=low", "'painter' is no role"), std::pair("fixer", "write ROLE:SETTING=VALUE"),
          std::pair("writer:output-tokens=0", "the largest answer, are 0"),
          std::pair("writer:prompt-tokens=1000", "needs")}) {
      const Outcome wrong = call(exploring({"--role", setting}));
      QVERIFY2(wrong.exit == 2 && wrong.err.contains(says), wrong.out + wrong.err);
    }
    const Outcome search = call({"explore", dir_.filePath("scale.op"), "--role", "fixer:effort=low"});
    QVERIFY2(search.exit == 2 && search.err.contains("belong to the generator model"), search.err);
    const Outcome nameless = call({"explore", dir_.filePath("scale.op"), "--model", ""});
    QVERIFY2(nameless.exit == 2 && nameless.err.contains("--model names no model"), nameless.out + nameless.err);
    QCOMPARE(server_->received().size(), before);
  }

  void batchesNeedAServiceThatTakesThem() {
    const std::size_t before = server_->received().size();
    const Outcome none = call(exploring({"--strategy", "sample", "--batch", "--budget", "2"}));
    QVERIFY2(none.exit != 0 && (none.out + none.err).contains("'service' is not known to take batches"),
             none.out + none.err);
    const Outcome beam = call(exploring({"--strategy", "beam", "--batch", "--budget", "2"}));
    QVERIFY2(beam.exit != 0 && (beam.out + beam.err).contains("and not for 'beam'"), beam.out + beam.err);
    QCOMPARE(server_->received().size(), before);
  }

  void kernelsAreTakenIntoAnotherWorkspaceOnceAgreed() {
    const QString file = dir_.filePath("kernels.json");
    const Outcome written = call({"memory", "export", file, "--json"});
    QVERIFY2(written.exit == 0 && written.json()["kernels"].toInt() >= 1, written.out + written.err);
    const QString first = std::exchange(workspace_, dir_.filePath("other"));
    const Outcome asked = call({"memory", "import", file});
    QVERIFY2(asked.exit != 0 && asked.err.contains("nothing was imported") && asked.err.contains("scale"), asked.err);
    QVERIFY2(asked.err.contains("  code:\n    //@ candidate scale") && asked.err.contains("  spec:\n    op scale("),
             asked.err);
    QVERIFY(call({"memory", "list", "--json"}).json()["kernels"].toArray().isEmpty());
    const Outcome taken = call({"memory", "import", file, "--yes", "--json"});
    QVERIFY2(taken.exit == 0 && taken.json()["new"] == written.json()["kernels"], taken.out + taken.err);
    const QJsonArray list = call({"memory", "list", "--json"}).json()["kernels"].toArray();
    QCOMPARE(list.size(), written.json()["kernels"].toInt());
    const QString hash = list[0].toObject()["kernel"].toObject()["hash"].toString();
    const Outcome listed = call({"memory", "list"});
    QVERIFY2(listed.out.contains(hash.left(10).toUtf8()) && listed.out.contains("never judged here"), listed.out);
    const Outcome spoilt = call({"memory", "import", write_file(dir_.filePath("spoilt.json"), "{}"), "--yes"});
    QVERIFY2(spoilt.exit != 0 && spoilt.err.contains("cannot be read"), spoilt.err);
    QCOMPARE(call({"memory", "forget", "0123456789"}).exit, 1);
    QCOMPARE(call({"memory", "forget", hash}).exit, 0);
    QCOMPARE(call({"memory", "forget", "all", "--json"}).json()["forgotten"].toInt(), int(list.size()) - 1);
    workspace_ = first;
  }

  void twoFormulationsThatDifferAreADoubt() {
    const Outcome o = call({"formulate", "twice every number", "--model", "service:waverer", "-o",
                            dir_.filePath("wavering.op"), "--json"});
    const QJsonObject j = o.json();
    QVERIFY2(o.exit == 0 && j["confirmed"].toString() == "none", o.out + o.err);
    const QString compared = j["compared"].toString();
    QVERIFY2(compared.contains("does NOT compute the same, on normal inputs: ") && compared.contains("x[i] * x[i]"),
             qPrintable(compared));
    QVERIFY2(j["doubts"].toArray().last().toString().contains("different results"), o.out + o.err);
    QVERIFY(read_file(dir_.filePath("wavering.op")).startsWith("//@ unconfirmed: "));
  }

  void anotherModelFormulatesWhereOneIsOut() {
    const Outcome o = call({"formulate", "twice every number", "--model", "down:speller", "--role",
                            "formulator:fallback=service:speller"});
    QVERIFY2(o.exit == 0 && o.out.contains("op ") && o.out.contains("A second formulation"), o.out + o.err);
    QCOMPARE(o.err.count("does not answer"), 1);  // the second formulation begins with the one that answers
    QVERIFY2(o.err.contains("note: down:speller does not answer (") &&
                 o.err.contains("; service:speller is asked from now on"),
             o.err);
    const Outcome none = call(
        {"formulate", "twice every number", "--model", "down:speller", "--role", "formulator:fallback=down:other"});
    QVERIFY2(none.exit == 3 && none.err.contains("127.0.0.1:1"), none.err);
  }

  void formulates() {
    const QString file = dir_.filePath("made.op");
    const Outcome o = call({"formulate", "twice every number", "--model", "service:speller", "-o", file});
    QVERIFY2(o.exit == 0, o.out + o.err);
    QVERIFY(o.out.contains("op scale(") && o.out.contains("Each element is doubled.") &&
            o.out.contains("numbers are f32") && o.out.contains("Worked example") && o.out.contains("Written to"));
    QVERIFY2(o.out.contains("A second formulation by the model computes the same on 6 sets of inputs"), o.out + o.err);
    // Nobody was asked: nothing that is made for it can be signed.
    QVERIFY(o.out.contains("unconfirmed") && read_file(file).startsWith("//@ unconfirmed: "));
    const Outcome seen = call({"spec", file});
    QVERIFY2(seen.exit == 0 && seen.out.contains("it is unconfirmed"), seen.out + seen.err);
    const QString workspace = std::exchange(workspace_, dir_.filePath("unconfirmed"));
    const Outcome explored = call({"explore", file, "--model", "service:writer", "--analyst", "none", "--strategy",
                                   "sample", "--budget", "5", "--seed", "3"});
    QVERIFY2(explored.exit == 0 && explored.out.contains("it is unconfirmed"), explored.out + explored.err);
    const Outcome shown = call({"show", "1"}), listed = call({"list", "candidates"});
    QVERIFY2(shown.out.contains("it is unconfirmed") && listed.out.contains("it is unconfirmed"),
             shown.out + listed.out);
    const Outcome refused = call({"accept", "1", "--reviewer", "Ada", "--answer", "spec=yes"});
    workspace_ = workspace;
    QVERIFY2(refused.exit == 1 && refused.err.contains("unconfirmed"), refused.out + refused.err);
    QVERIFY(call({"formulate", "twice every number", "--model", "service:speller", "--temperature", "0.5"})
                .err.contains("does not accept a temperature"));
    QVERIFY(server_->received().back().body.find("temperature") == std::string::npos);
    const QJsonObject j =
        call({"formulate", write_file(dir_.filePath("scale.py"), "import torch\ndef f(x): return 2 * x\n"), "--model",
              "service:speller", "--json"})
            .json();
    QVERIFY(is_ours(j, "formulate") &&
            has_members(j, {"source", "spec", "text", "explanation", "assumptions", "confirmed", "doubts", "compared",
                            "example", "exchange", "file", "spend"}));
    QVERIFY(j["confirmed"].toString() == "none" && j["text"].toString().startsWith("//@ unconfirmed: "));
    QVERIFY(j["source"].toString() == "pytorch" && j["file"].isNull());
    QVERIFY(server_->received().back().body.find("return 2 * x") != std::string::npos);
    const Outcome kept = call({"formulate", dir_.filePath("scale.py"), "--model", "service:speller", "--no-sources"});
    QVERIFY(kept.exit == 2 && kept.err.contains("--no-sources"));
    const Outcome mumbled = call({"formulate", "twice every number", "--model", "service:mumbler"});
    QVERIFY2(mumbled.exit == 1, mumbled.out + mumbled.err);
    const Outcome garbled = call({"formulate", "twice every number", "--model", "service:garbler"});
    QVERIFY2(garbled.exit == 1, garbled.out + garbled.err);
    QCOMPARE(call({"formulate", dir_.filePath("missing.py"), "--model", "service:speller"}).exit, 2);
    QCOMPARE(call({"formulate", " ", "--model", "service:speller"}).exit, 2);
    const QJsonArray outside = call({"transcript", "0", "--json"}).json()["exchanges"].toArray();
    QVERIFY(outside.size() >= 3 && outside[0].toObject()["role"].toString() == "formulator");
  }

  void reviewsButNeverAccepts() {
    const QJsonArray candidates = call({"list", "candidates", "--run", "1", "--json"}).json()["candidates"].toArray();
    QString accepted, rejected;
    for (const QJsonValue& c : candidates)
      (c.toObject()["state"].toString() == "accepted" ? accepted : rejected) =
          QString::number(c.toObject()["id"].toInt());
    QVERIFY(!accepted.isEmpty());
    const Outcome o = call({"review", accepted, "--model", "service:reader"});
    QVERIFY2(o.exit == 0 && o.out.contains("does not scale") && o.out.contains("concern, line 5") &&
                 o.out.contains("Why one warp?") && !o.out.contains('\x1b'),
             o.out + o.err);
    QVERIFY(is_ours(call({"review", accepted, "--model", "service:reader", "--json"}).json(), "review"));
    QCOMPARE(call({"list", "candidates", "--run", "1", "--json"}).json()["candidates"].toArray(), candidates);
    if (!rejected.isEmpty())
      QVERIFY(call({"review", rejected, "--model", "service:reader"}).err.contains("not proved"));
    QCOMPARE(call({"review", "99999", "--model", "service:reader"}).exit, 2);
    const Outcome kept = call({"review", accepted, "--model", "service:reader", "--no-sources"});
    QVERIFY2(kept.exit == 2 && kept.err.contains("--no-sources"), kept.out + kept.err);
    const Outcome garbled = call({"review", accepted, "--model", "service:garbler"});
    QVERIFY2(garbled.exit == 1, garbled.out + garbled.err);
    const Outcome other =
        call({"review", accepted, "--model", "down:reader", "--role", "reviewer:fallback=service:reader"});
    QVERIFY2(other.exit == 0 && other.out.contains("Notes by service:reader on candidate") &&
                 other.err.contains("service:reader is asked from now on"),
             other.out + other.err);
  }

  void sentencesForWhatIsMissing() {
    const auto says = [&](const QStringList& arguments, int exit, const char* what) {
      const Outcome o = call(arguments);
      if (o.exit == exit && o.err.contains(what)) return true;
      qWarning("%s: exit %d\n%s%s", qPrintable(arguments.join(' ')), o.exit, o.out.constData(), o.err.constData());
      return false;
    };
    const QString op = dir_.filePath("scale.op");
    const auto with = [&](const char* model) {
      return QStringList{"explore", op, "--model", model, "--analyst", "none", "--budget", "1"};
    };
    QVERIFY(says(with("serivce:writer"), 2, "did you mean 'service'?"));
    QVERIFY(says(with("writer"), 2, "PRESET:MODEL"));
    QVERIFY(says(with("locked:writer"), 3, "TEST_LOCKED_KEY"));
    QVERIFY(says({"explore", op, "--generator", "model"}, 2, "--model"));
    QVERIFY(says({"explore", op, "--generator", "manual", "--model", "service:writer"}, 2, "--model"));
    QVERIFY(says(with("service:writer") + QStringList{"--strategy", "climb"}, 2, "refine"));
    QVERIFY(says(with("service:writer") + QStringList{"--race", "beam,climb"}, 2, "climb"));
    QVERIFY(says(with("service:writer") + QStringList{"--mode", "sass"}, 2, "--mode"));
    for (const QStringList& before : {QStringList{"--set", "N=32"},
                                      {"--race", "sample,climb"},
                                      {"--strategy", "climb"},
                                      {"--allow-host", "models.other"}})  // none of them swallows the subject
      QVERIFY(
          says(QStringList{"explore", "--model", "service:writer"} + before + QStringList{dir_.filePath("missing.op")},
               2, "missing.op"));
    QVERIFY(says({"explore", op, "--model", "down:writer", "--money", "1", "--budget", "1"}, 2, "--money"));
    more_ = {{"TEST_LOCKED_KEY", "wrong-key-0000000"}};
    QVERIFY(says({"models", "check", "locked"}, 3, "key"));
    QVERIFY(says({"formulate", "twice every number", "--model", "locked:speller"}, 3, "key"));
    more_ = {};
    QVERIFY(says({"models", "check", "down"}, 3, "127.0.0.1:1"));
    const Outcome dead = call({"explore", op, "--model", "down:writer", "--strategy", "sample", "--budget", "8"});
    QVERIFY2(dead.exit == 3 && dead.err.count("refuses connections") == 1, dead.err);
    QVERIFY2(dead.out.count("refuses connections") == 1, dead.out);
    QVERIFY(says({"formulate", "twice every number", "--model", "down:speller"}, 3, "127.0.0.1:1"));
    QVERIFY(says({"formulate", "twice every number", "--model", "service:nobody"}, 3, "nobody"));
    QVERIFY(says({"formulate", "twice every number"}, 2, "--model"));
    QVERIFY(says({"formulate", "twice every number", "--model", "service:writer"}, 1, "did not parse"));
    QVERIFY(says({"formulate", "twice every number", "--model", "service:shy"}, 1, "declined to answer"));
    QVERIFY(says({"replay", "99"}, 2, "list"));
    more_ = {{"WARPWRIGHT_PLUGINS", dir_.path()}};
    QVERIFY(says({"models", "check", "service"}, 2, "no provider 'openai'"));
    more_ = {};
  }

  void nothingGoesToANewHostUnasked() {
    const QStringList asking = {"formulate", "twice every number", "--model", "far:speller"};
    const Outcome o = call(asking);
    QCOMPARE(o.exit, 3);
    QVERIFY2(o.err.contains("nothing was sent to models.invalid") && o.err.contains("--allow-host models.invalid") &&
                 o.err.contains("models allow models.invalid"),
             o.err);
    QVERIFY(!call(asking + QStringList{"--allow-host", "models.other"}).err.contains("resolve"));
    const Outcome list = call({"models", "check", "far"});
    QVERIFY2(list.exit == 3 && list.err.contains("nothing was sent to models.invalid") &&
                 list.err.contains("list of models"),
             list.err);
    const Outcome listed = call({"models", "check", "far", "--allow-host", "models.invalid"});
    QVERIFY2(listed.exit == 3 && !listed.err.contains("nothing was sent"), listed.err);  // there is no such host
    QCOMPARE(call({"models", "--json"}).json()["hosts"].toArray().size(), 0);

    const Outcome allowed = call({"models", "allow", "models.invalid", "--no-sources", "--json"});
    QVERIFY(allowed.exit == 0 && !allowed.json()["limits"].toObject()["sources"].toBool(true) &&
            !allowed.json()["leaves"].toArray().isEmpty());
    QCOMPARE(call({"models", "--json"}).json()["hosts"].toArray().size(), 1);
    QVERIFY(call(asking).err.contains("nothing was sent"));  // sources were not allowed
    const Outcome tried = call(asking + QStringList{"--no-sources"});
    QVERIFY2(tried.exit == 3 && !tried.err.contains("nothing was sent") && tried.err.contains("models.invalid"),
             tried.err);  // there is no such host
    QCOMPARE(call({"models", "forget", "models.invalid"}).exit, 0);
    QVERIFY(call(asking + QStringList{"--no-sources"}).err.contains("nothing was sent"));
    const Outcome once = call(asking + QStringList{"--allow-host", "models.invalid"});
    QVERIFY2(once.err.contains("would be sent") && !once.err.contains("nothing was sent"), once.err);
    QCOMPARE(call({"models", "forget", "models.invalid"}).exit, 0);
    QCOMPARE(call({"models", "allow", "not a host"}).exit, 2);
  }

  void listsWhatThereIs() {
    const Outcome o = call({"models"});
    QVERIFY2(o.exit == 0 && o.out.contains("anthropic") && o.out.contains("ANTHROPIC_API_KEY") &&
                 o.out.contains("service:*") && o.out.contains("27 characters"),
             o.out + o.err);
    QVERIFY(!o.out.contains(key));
    const QJsonObject j = call({"models", "--json"}).json();
    QVERIFY(is_ours(j, "models") && has_members(j, {"presets", "models", "hosts", "file"}));
    for (const QJsonValue& p : j["presets"].toArray())
      QVERIFY(has_members(p.toObject(), {"name", "title", "about", "provider", "dialect", "base_url", "host", "local",
                                         "key_variable", "key_needed", "key_known"}));
    const Outcome check = call({"models", "check", "service:writer"});
    QVERIFY2(check.exit == 0 && check.out.contains("It has writer"), check.out + check.err);
    const Outcome missing = call({"models", "check", "service:other", "--json"});
    QVERIFY(missing.exit == 1 && is_ours(missing.json(), "models check") && !missing.json()["there"].toBool(true) &&
            missing.json()["models"].toArray().size() == 2);
    const Outcome strategies = call({"explore", "--strategy", "help"});
    QVERIFY(strategies.exit == 0 && strategies.out.contains("refine") && strategies.out.contains("keep"));
    const QJsonArray parts = call({"doctor", "--json"}).json()["parts"].toArray();
    QStringList found;
    for (const QJsonValue& p : parts)
      if (p.toObject()["there"].toBool()) found << p.toObject()["part"].toString();
    for (const char* part : {"models", "providers", "HTTP and TLS", "keys"}) QVERIFY2(found.contains(part), part);
  }
};

QTEST_GUILESS_MAIN(ModelTest)
#include "model_test.moc"
