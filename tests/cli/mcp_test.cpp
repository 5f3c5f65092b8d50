// SPDX-License-Identifier: Apache-2.0
// `warpwright-cli mcp`, spoken to as a client does: line by line, with both ways to begin, and with what no client
// should send. The worker and the search are the real ones.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <signal.h>
#include "support/cli_call.h"

using namespace ww::testing;

namespace mcp_client {

constexpr const char* current = "2026-07-28";

QJsonObject with_envelope(QJsonObject params, const QString& version = current) {
  QJsonObject meta = params["_meta"].toObject();
  meta["io.modelcontextprotocol/protocolVersion"] = version;
  meta["io.modelcontextprotocol/clientCapabilities"] = QJsonObject();
  meta["io.modelcontextprotocol/clientInfo"] = QJsonObject{{"name", "tester"}, {"version", "1"}};
  params["_meta"] = meta;
  return params;
}

class Client {
 public:
  Client(const QProcessEnvironment& environment, const QStringList& more = {}) {
    process_.setProcessEnvironment(environment);
    process_.start(CLI_PROGRAM, QStringList{"mcp"} + more);
  }
  ~Client() { finish(); }
  qint64 pid() const { return process_.processId(); }

  void send(const QByteArray& line) {
    process_.write(line + '\n');
    process_.waitForBytesWritten(-1);
  }
  void send(const QJsonObject& message) { send(QJsonDocument(message).toJson(QJsonDocument::Compact)); }
  int ask(const QString& method, const QJsonObject& params = {}) {
    send(QJsonObject{{"jsonrpc", "2.0"}, {"id", ++last_}, {"method", method}, {"params", with_envelope(params)}});
    return last_;
  }
  void cancel(int id) {
    send(QJsonObject{
        {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", QJsonObject{{"requestId", id}}}});
  }
  // The next message; each must be one line of JSON-RPC.
  const QJsonObject next() {  // const, so that its members are values and not references
    while (!process_.canReadLine())
      if (!process_.waitForReadyRead(300000)) return {};
    const QByteArray line = process_.readLine();
    const QJsonObject message = QJsonDocument::fromJson(line).object();
    if (message["jsonrpc"].toString() != "2.0") qWarning("not of the protocol: %s", line.constData());
    return message;
  }
  const QJsonObject answer(int id) {  // what comes before it is kept in `between`
    for (;;) {
      const QJsonObject message = next();
      if (message.isEmpty() || (message.contains("id") && message["id"].toInt() == id)) return message;
      between.append(message);
    }
  }
  const QJsonObject call(const QString& tool, const QJsonObject& arguments = {}) {
    return answer(ask("tools/call", {{"name", tool}, {"arguments", arguments}}))["result"].toObject();
  }
  int finish() {  // the end of its input; its exit status
    process_.closeWriteChannel();
    if (!process_.waitForFinished(300000)) return -1;
    return process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
  }
  QJsonArray between;

 private:
  QProcess process_;
  int last_ = 0;
};

QString text_of(const QJsonObject& result) { return result["content"].toArray().at(0)["text"].toString(); }
const QJsonObject found_in(const QJsonObject& result) { return result["structuredContent"].toObject(); }
int code_of(const QJsonObject& message) { return message["error"].toObject()["code"].toInt(); }

const QString relu =
    "//@ candidate relu\n//@ title one thread per element\n"
    "//@ launch run grid(ceildiv(R * C, 256)) block(256) args(x, y, R, C)\n"
    "extern \"C\" __global__ void run(const float* x, float* y, int R, int C) {\n"
    "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < (long long)R * C) y[i] = x[i] > 0 ? x[i] : 0;\n}\n";

}  // namespace mcp_client
using namespace mcp_client;

class McpTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int folders_ = 0;
  QString workspace_;

  QProcessEnvironment environment() const {
    return environment_with({{"WARPWRIGHT_WORKER", REAL_WORKER},
                             {"WARPWRIGHT_PLUGINS", CLI_PLUGINS},
                             {"WARPWRIGHT_WORKSPACE", workspace_},
                             {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                             {"WARPWRIGHT_CONFIG", dir_.filePath("config")}});
  }
  static QJsonObject small() { return {{"R", 10}, {"C", 100}}; }
  int explored(Client& c, int budget = 1) {  // the number of its best candidate
    const QJsonObject r = c.call("explore", {{"op", "relu"}, {"set", small()}, {"budget", budget}, {"workers", 1}});
    for (const QJsonValue& row : found_in(r)["candidates"].toArray())
      if (row["rank"].toInt() == 1) return row["id"].toInt();
    qWarning("nothing was accepted: %s", qPrintable(text_of(r)));
    return 0;
  }

 private slots:
  void init() { workspace_ = dir_.filePath("w" + QString::number(++folders_)); }

  void currentRevision() {
    Client c(environment());
    const QJsonObject d = c.answer(c.ask("server/discover"))["result"].toObject();
    QCOMPARE(d["supportedVersions"].toArray(), QJsonArray{current});
    QVERIFY(has_members(d["capabilities"].toObject(), {"tools", "resources", "prompts"}));
    QCOMPARE(d["resultType"].toString(), "complete");
    QVERIFY(d["ttlMs"].isDouble() && d["cacheScope"].toString() == "private");
    QCOMPARE(d["_meta"].toObject()["io.modelcontextprotocol/serverInfo"].toObject()["name"].toString(), "warpwright");
    // What the handshake had is gone.
    QCOMPARE(code_of(c.answer(c.ask("ping"))), -32601);
    QCOMPARE(code_of(c.answer(c.ask("initialize"))), -32601);
    c.send(QJsonObject{
        {"jsonrpc", "2.0"}, {"id", 90}, {"method", "tools/list"}, {"params", with_envelope({}, "2031-01-01")}});
    const QJsonObject other = c.answer(90);
    QCOMPARE(code_of(other), -32022);
    QCOMPARE(other["error"]["data"]["supported"].toArray(), QJsonArray{current});
    QCOMPARE(other["error"]["data"]["requested"].toString(), "2031-01-01");
    QCOMPARE(c.finish(), 0);
  }

  void revisionsWithHandshake() {
    for (const auto& [asked, given] : {std::pair("2025-11-25", "2025-11-25"),
                                       {"2025-06-18", "2025-06-18"},
                                       {"2025-03-26", "2025-03-26"},
                                       {"2024-11-05", "2024-11-05"},
                                       {"1999-01-01", "2025-11-25"}}) {
      Client c(environment());
      c.send(QJsonObject{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/list"}});
      QCOMPARE(code_of(c.answer(1)), -32600);  // too early
      c.send(QJsonObject{{"jsonrpc", "2.0"}, {"id", "a"}, {"method", "ping"}});
      QCOMPARE(c.next()["id"].toString(), "a");
      c.send(QJsonObject{{"jsonrpc", "2.0"},
                         {"id", 2},
                         {"method", "initialize"},
                         {"params", QJsonObject{{"protocolVersion", asked},
                                                {"capabilities", QJsonObject()},
                                                {"clientInfo", QJsonObject{{"name", "old"}, {"version", "1"}}}}}});
      const QJsonObject r = c.answer(2)["result"].toObject();
      QCOMPARE(r["protocolVersion"].toString(), given);
      QVERIFY(!r.contains("resultType") && !r.contains("_meta"));
      QVERIFY(r["instructions"].toString().contains("check"));
      c.send(QJsonObject{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
      c.send(QJsonObject{{"jsonrpc", "2.0"}, {"id", 3}, {"method", "tools/list"}});
      QVERIFY(c.answer(3)["result"]["tools"].toArray().size() > 10);
      c.send(QJsonObject{{"jsonrpc", "2.0"},
                         {"id", 4},
                         {"method", "resources/read"},
                         {"params", QJsonObject{{"uri", "warpwright://op/there_is_none"}}}});
      QCOMPARE(code_of(c.answer(4)), -32002);
    }
  }

  void whatIsNoMessage_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("code");
    QTest::newRow("no JSON") << QByteArray("{\"jsonrpc\": ") << -32700;
    QTest::newRow("not UTF-8") << QByteArray("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}") << -32700;
    QTest::newRow("nested too deeply") << QByteArray(100000, '[') << -32700;
    QTest::newRow("a batch") << QByteArray("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]") << -32600;
    QTest::newRow("a number") << QByteArray("7") << -32600;
    QTest::newRow("no version") << QByteArray("{\"id\": 1, \"method\": \"ping\"}") << -32600;
    QTest::newRow("no method") << QByteArray("{\"jsonrpc\": \"2.0\", \"id\": 1}") << -32600;
    QTest::newRow("id null") << QByteArray("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}") << -32600;
    QTest::newRow("id a list") << QByteArray("{\"jsonrpc\": \"2.0\", \"id\": [1], \"method\": \"ping\"}") << -32600;
    QTest::newRow("params a list") << QByteArray(
                                          "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": [1]}")
                                   << -32602;
    QTest::newRow("too long") << QByteArray("\"") + QByteArray(17 << 20, 'x') + '"' << -32700;
  }
  void whatIsNoMessage() {
    QFETCH(QByteArray, line);
    QFETCH(int, code);
    Client c(environment());
    c.send(line);
    const QJsonObject message = c.next();
    QCOMPARE(code_of(message), code);
    QVERIFY(message.contains("id"));
    QVERIFY(!message["error"]["message"].toString().isEmpty());
    // It goes on: what needs no answer gets none, and the next request is served.
    c.send(QByteArray(""));
    c.send(QJsonObject{{"jsonrpc", "2.0"}, {"method", "notifications/unknown"}});
    c.send(QJsonObject{{"jsonrpc", "2.0"}, {"id", 5}, {"result", QJsonObject()}});
    c.cancel(77);
    const int after = c.ask("tools/list");
    QCOMPARE(c.next()["id"].toInt(), after);
  }

  void toolsAreDescribed() {
    Client c(environment());
    const QJsonArray tools = c.answer(c.ask("tools/list"))["result"]["tools"].toArray();
    QStringList names;
    for (const QJsonValue& t : tools) {
      const QString name = t["name"].toString();
      names += name;
      QVERIFY2(t["description"].toString().size() > 40, qPrintable(name));
      const QJsonObject input = t["inputSchema"].toObject(), output = t["outputSchema"].toObject();
      QCOMPARE(input["type"].toString(), "object");
      QCOMPARE(input["additionalProperties"].toBool(true), false);
      for (const QJsonValue& p : input["properties"].toObject())
        QVERIFY2(!p["description"].toString().isEmpty(), qPrintable(name));
      QCOMPARE(output["type"].toString(), "object");
      QVERIFY(has_members(t["annotations"].toObject(), {"readOnlyHint", "destructiveHint", "openWorldHint"}));
    }
    for (const char* tool : {"describe", "check", "submit", "explore", "list", "show", "diff", "advise", "compare",
                             "time", "profile", "notes"})
      QVERIFY2(names.contains(tool), tool);
    QVERIFY(!names.contains("export"));  // no folder was named
    for (const char* absent : {"accept", "reject", "sign", "countersign", "withdraw", "keys"})
      QVERIFY2(!names.contains(absent), absent);
    QCOMPARE(code_of(c.answer(c.ask("tools/call", {{"name", "accept"}}))), -32602);
    QCOMPARE(code_of(c.answer(c.ask("tools/call", {}))), -32602);
    QCOMPARE(code_of(c.answer(c.ask("tools/fly"))), -32601);
    QCOMPARE(code_of(c.answer(c.ask("subscriptions/listen"))), -32601);
  }

  void whatAToolCannotDoIsASentence_data() {
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QJsonObject>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("missing") << "check" << QJsonObject() << "'kernel' is missing";
    QTest::newRow("unknown") << "check" << QJsonObject{{"kernle", ""}} << "did you mean 'kernel'?";
    QTest::newRow("type") << "explore" << QJsonObject{{"op", "relu"}, {"budget", "many"}} << "'budget'";
    QTest::newRow("range") << "explore" << QJsonObject{{"op", "relu"}, {"budget", 0}} << "must lie between 1";
    QTest::newRow("enum") << "list" << QJsonObject{{"what", "cats"}} << "one of runs, candidates, ops";
    QTest::newRow("unclear op") << "explore" << QJsonObject{{"op", "frobnicate the wibble"}} << "not understood";
    QTest::newRow("two ways") << "explore" << QJsonObject() << "not both";
    QTest::newRow("no directives") << "check" << QJsonObject{{"kernel", "void f() {}"}} << "//@ candidate OP";
    QTest::newRow("byte order mark") << "check" << QJsonObject{{"kernel", QChar(0xFEFF) + relu}} << "byte order mark";
    QTest::newRow("no such op") << "check" << QJsonObject{{"kernel", "//@ candidate rleu\n"}} << "similar names: relu";
    QTest::newRow("no candidate") << "check" << QJsonObject{{"kernel", "//@ candidate relu\n//@ lanch x\n"}} << "lanch";
    QTest::newRow("file as op") << "check"
                                << QJsonObject{{"kernel", relu}, {"op", WW_SOURCE_DIR "/resources/ops/map/relu.op"}}
                                << "not understood";
    QTest::newRow("file as spec") << "check" << QJsonObject{{"kernel", "//@ spec /etc/passwd\n" + relu}} << "spec";
    QTest::newRow("file as candidate") << "time"
                                       << QJsonObject{{"candidate", WW_SOURCE_DIR "/tests/bench/kernels/relu.cu"}}
                                       << "no workspace";
    QTest::newRow("no workspace") << "show" << QJsonObject{{"candidate", 1}} << "'explore' creates it";
    QTest::newRow("setting") << "check" << QJsonObject{{"kernel", relu}, {"set", QJsonObject{{"Q", 3}}}} << "'Q'";
    QTest::newRow("device") << "check" << QJsonObject{{"kernel", relu}, {"device", "abacus"}} << "abacus";
  }
  void whatAToolCannotDoIsASentence() {
    QFETCH(QString, tool);
    QFETCH(QJsonObject, arguments);
    QFETCH(QString, said);
    Client c(environment());
    const QJsonObject r = c.call(tool, arguments);
    QVERIFY(r["isError"].toBool());
    QVERIFY2(text_of(r).contains(said), qPrintable(text_of(r)));
    QVERIFY(has_members(found_in(r)["error"].toObject(), {"code", "message", "cause", "hint"}));
  }

  void anAgentMendsAKernel() {
    Client c(environment());
    const QJsonObject op = c.call("describe", {{"op", "relu of a 10x100 matrix"}});
    QVERIFY(is_ours(found_in(op), "spec"));
    QVERIFY(found_in(op)["understood"].toBool());
    const QJsonObject question = c.call("describe", {{"op", "frobnicate the wibble"}});
    QVERIFY(!question["isError"].toBool() && !found_in(question)["questions"].toArray().isEmpty());

    QString wrong = relu;
    wrong.replace("if (i < (long long)R * C) ", "");
    const QJsonObject bad = c.call("check", {{"kernel", wrong}, {"set", small()}});
    QVERIFY(!bad["isError"].toBool());  // a rejection is an answer
    QVERIFY(is_ours(found_in(bad), "check"));
    QCOMPARE(found_in(bad)["verdict"]["accepted"].toBool(true), false);
    QVERIFY2(text_of(bad).contains("line 6"), qPrintable(text_of(bad)));
    const QJsonObject good = c.call("check", {{"kernel", relu}, {"set", small()}, {"op", "relu"}});
    QVERIFY2(text_of(good).startsWith("proved"), qPrintable(text_of(good)));
    QVERIFY(found_in(good)["score"]["value"].toDouble() > 0);
    QCOMPARE(found_in(good)["score"]["provenance"].toString(), "simulated");

    const int best = explored(c, 2);
    QVERIFY(best > 0);
    const QJsonObject kept = c.call("submit", {{"kernel", relu}, {"parent", best}, {"note", "plain"}});
    const int mine = found_in(kept)["candidate"]["id"].toInt();
    QVERIFY2(mine > 0 && is_ours(found_in(kept), "show"), qPrintable(text_of(kept)));
    QCOMPARE(found_in(kept)["candidate"]["generator"].toString(), "manual/tester 1");
    const QJsonObject again = c.call("submit", {{"kernel", relu}});
    QVERIFY(text_of(again).startsWith("The run has this text already"));
    QCOMPARE(found_in(again)["candidate"]["id"].toInt(), mine);

    QVERIFY(
        found_in(c.call("show", {{"candidate", mine}, {"ptx", true}}))["verdict"]["ptx"].toString().contains(".entry"));
    QVERIFY(found_in(c.call("diff", {{"before", best}, {"after", QString::number(mine)}}))["diff"].toString().contains(
        "+"));
    const QJsonObject advice = found_in(c.call("advise", {{"candidate", mine}}));
    QCOMPARE(advice["metrics"]["provenance"].toString(), "simulated");
    const QString advised = text_of(c.call("advise", {{"candidate", mine}}));
    QVERIFY2(advised.contains('\n') && !advised.contains("\\n"), qPrintable(advised));  // lines, not escapes
    QVERIFY(advice["cost"]["total"].toDouble() > 0);
    const QJsonObject two = found_in(c.call("compare", {{"first", mine}, {"second", best}}));
    QVERIFY2(two["ratio"].toDouble() > 0, qPrintable(two["why_not"].toString()));
    QCOMPARE(found_in(c.call("list"))["runs"].toArray().size(), 1);
    QCOMPARE(found_in(c.call("list", {{"what", "candidates"}}))["candidates"].toArray().size(), 3);
    QVERIFY(text_of(c.call("list", {{"what", "ops"}, {"words", "softmax"}})).contains("softmax"));
    const QJsonObject timed = c.call("time", {{"candidate", mine}, {"device", "simt"}});
    QVERIFY2(timed["isError"].toBool() && text_of(timed).contains("SIMT"), qPrintable(text_of(timed)));

    const QJsonObject note = c.call("notes", {{"candidate", mine}, {"text", "look here"}, {"line", 6}});
    QCOMPARE(found_in(note)["decision"]["reviewer"].toString(), "an agent (tester 1)");
    QCOMPARE(found_in(note)["state"].toString(), "open");
    const QJsonObject file = c.call("show", {{"candidate", "../../etc/passwd"}});
    QVERIFY(file["isError"].toBool() && text_of(file).contains("neither a candidate number"));
    QCOMPARE(c.finish(), 0);
  }

  void exportsGoIntoTheNamedFolderAlone() {
    const QString folder = dir_.filePath("exports");
    QDir().mkpath(folder);
    Client c(environment(), {"--export-to", folder, "--unsigned"});
    const int best = explored(c);
    for (const char* name : {"../outside", "/tmp/outside", "", "a/b", "."})
      QVERIFY2(c.call("export", {{"candidate", best}, {"name", name}, {"as", "ptx"}})["isError"].toBool(), name);
    const QJsonObject made = c.call("export", {{"candidate", best}, {"name", "mine"}, {"as", "ptx"}});
    QVERIFY2(QFile::exists(folder + "/mine/plan.json"), qPrintable(text_of(made)));
    QCOMPARE(found_in(made)["signed"].toBool(true), false);
    QVERIFY(
        c.call("export", {{"candidate", best}, {"name", "mine"}, {"as", "ptx"}})["isError"].toBool());  // there already
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{"mine"});
    Client strict(environment(), {"--export-to", folder});
    const QJsonObject refused = strict.call("export", {{"candidate", best}, {"name", "signed"}, {"as", "ptx"}});
    QVERIFY2(refused["isError"].toBool() && !QFile::exists(folder + "/signed"), qPrintable(text_of(refused)));
    QCOMPARE(call_cli(CLI_PROGRAM, {"mcp", "--export-to", folder + "/none"}, environment()).exit, 2);
  }

  void progressAndCancel() {
    Client c(environment());
    const int id = c.ask("tools/call", {{"name", "explore"},
                                        {"arguments", QJsonObject{{"op", "matmul"}, {"budget", 10000}, {"workers", 1}}},
                                        {"_meta", QJsonObject{{"progressToken", "p"}}}});
    double last = -1;
    bool judged = false;
    while (!judged) {  // the first candidate is judged, so that the run has something to keep
      const QJsonObject n = c.next();
      QCOMPARE(n["method"].toString(), "notifications/progress");
      QCOMPARE(n["params"]["progressToken"].toString(), "p");
      QVERIFY(n["params"]["progress"].toDouble() > last);
      last = n["params"]["progress"].toDouble();
      judged = last > 0 || n["params"]["message"].toString().startsWith("run ");
    }
    QCOMPARE(code_of(c.answer(c.ask("resources/read", {{"uri", "warpwright://op/none"}}))),
             -32602);  // served meanwhile
    c.cancel(id);
    // No answer to it comes; the run says that it was cancelled, and can be resumed.
    QString state;
    while (state != "cancelled") {
      const QJsonObject r = c.call("list");
      QVERIFY(!r["isError"].toBool());
      state = found_in(r)["runs"].toArray().at(0)["state"].toString();
      QVERIFY2(state == "running" || state == "cancelled", qPrintable(state));
    }
    for (const QJsonValue& m : c.between) QVERIFY(m["method"].isString());
    const QJsonObject twin = c.call("explore", {{"resume", "last"}, {"budget", 1}});
    QVERIFY2(!twin["isError"].toBool(), qPrintable(text_of(twin)));
    QCOMPARE(found_in(twin)["run"]["id"].toInt(), 1);
  }

  void twoClientsAtOnce() {
    Client a(environment()), b(environment());
    const QJsonObject what = {
        {"name", "explore"},
        {"arguments", QJsonObject{{"op", "relu"}, {"set", small()}, {"budget", 2}, {"workers", 1}}}};
    const int first = a.ask("tools/call", what), second = b.ask("tools/call", what);
    const QJsonObject one = found_in(a.answer(first)["result"].toObject()),
                      two = found_in(b.answer(second)["result"].toObject());
    QCOMPARE(one["run"]["accepted"].toInt(), 2);
    QCOMPARE(two["run"]["accepted"].toInt(), 2);
    QVERIFY(one["run"]["id"].toInt() != two["run"]["id"].toInt());
    QCOMPARE(found_in(a.call("list"))["runs"].toArray().size(), 2);
    // While one works on a run, the other is told so.
    const int busy =
        a.ask("tools/call", {{"name", "explore"},
                             {"arguments", QJsonObject{{"op", "matmul"}, {"budget", 10000}, {"workers", 1}}},
                             {"_meta", QJsonObject{{"progressToken", 1}}}});
    QVERIFY(a.next()["params"]["message"].toString().startsWith("run 3"));
    const QJsonObject refused = b.call("submit", {{"kernel", relu}, {"run", 3}});
    QVERIFY2(refused["isError"].toBool() && text_of(refused).contains("another process"), qPrintable(text_of(refused)));
    a.cancel(busy);
  }

  void theEndOfItsInputEndsItAndItsWorkers() {
    Client c(environment());
    c.ask("tools/call", {{"name", "explore"},
                         {"arguments", QJsonObject{{"op", "matmul"}, {"budget", 10000}, {"workers", 1}}},
                         {"_meta", QJsonObject{{"progressToken", 1}}}});
    for (double progress = 0; progress <= 0;) {
      const QJsonObject n = c.next();
      QVERIFY2(n.contains("params"), "it ended before it was told to");
      progress = n["params"]["progress"].toDouble();
    }
    QStringList workers;
    for (const QString& task :
         QDir(QString("/proc/%1/task").arg(c.pid())).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      QFile list(QString("/proc/%1/task/%2/children").arg(c.pid()).arg(task));
      if (list.open(QIODevice::ReadOnly)) workers += QString(list.readAll()).split(' ', Qt::SkipEmptyParts);
    }
    if (workers.isEmpty()) QSKIP("not on this kernel: it does not list children");
    QCOMPARE(c.finish(), 0);
    for (const QString& w : workers) QVERIFY2(::kill(w.toInt(), 0) != 0, qPrintable("worker " + w + " lives"));
  }

  void resourcesAndPrompts() {
    Client c(environment());
    const int best = explored(c);
    QStringList uris;
    QJsonObject page = c.answer(c.ask("resources/list"))["result"].toObject();
    for (;;) {
      for (const QJsonValue& r : page["resources"].toArray()) uris += r["uri"].toString();
      if (!page.contains("nextCursor")) break;
      page = c.answer(c.ask("resources/list", {{"cursor", page["nextCursor"]}}))["result"].toObject();
    }
    QVERIFY(uris.size() > 280 && uris.removeDuplicates() == 0);
    QCOMPARE(code_of(c.answer(c.ask("resources/list", {{"cursor", "-1"}}))), -32602);
    const auto read = [&](const QString& uri) {
      return c.answer(c.ask("resources/read", {{"uri", uri}}))["result"]["contents"].toArray().at(0).toObject();
    };
    QVERIFY(read("warpwright://guide/candidate")["text"].toString().startsWith("# "));
    QVERIFY(read("warpwright://op/softmax")["text"].toString().contains("op softmax("));
    QVERIFY(read("warpwright://candidate/" + QString::number(best))["text"].toString().contains("//@ candidate relu"));
    QCOMPARE(QJsonDocument::fromJson(read("warpwright://run/1")["text"].toString().toUtf8())["run"].toInt(), 1);
    QVERIFY(read("warpwright://report/1")["text"].toString().contains("<html"));
    for (const char* uri : {"file:///etc/passwd", "warpwright://guide/../../LICENSES", "warpwright://candidate/0x1",
                            "warpwright://run/99", "warpwright://", "warpwright://op/", "warpwright://candidate/1/2"})
      QVERIFY2(code_of(c.answer(c.ask("resources/read", {{"uri", uri}}))) == -32602, uri);
    QCOMPARE(c.answer(c.ask("resources/templates/list"))["result"]["resourceTemplates"].toArray().size(), 4);

    const QJsonArray prompts = c.answer(c.ask("prompts/list"))["result"]["prompts"].toArray();
    QCOMPARE(prompts.size(), 3);
    const QJsonObject p =
        c.answer(c.ask("prompts/get", {{"name", "optimise-kernel"},
                                       {"arguments", QJsonObject{{"kernel", "{op} {kernel}"}}}}))["result"]
            .toObject();
    const QString text = p["messages"].toArray().at(0)["content"]["text"].toString();
    QVERIFY2(text.contains("{op} {kernel}\n```") && text.contains("Op: the one that the kernel names"),
             qPrintable(text));
    QCOMPARE(code_of(c.answer(c.ask("prompts/get", {{"name", "write-kernel"}}))), -32602);
    QCOMPARE(code_of(c.answer(c.ask("prompts/get", {{"name", "fly"}}))), -32602);
  }

  void theOfficialClient() {
    const QString python = qEnvironmentVariable("WARPWRIGHT_MCP_PYTHON", "python3");
    if (call_cli(python, {"-c", "from mcp import Client"}, environment()).exit != 0)
      QSKIP("no MCP client: WARPWRIGHT_MCP_PYTHON names a Python that has the package mcp, version 2 or later");
    for (const char* script : {"mcp_client.py", "mcp_agent.py"}) {
      const Outcome o = call_cli(python, {QString(WW_SOURCE_DIR "/tests/cli/") + script, CLI_PROGRAM}, environment());
      QVERIFY2(o.exit == 0, (o.out + o.err).constData());
    }
  }
};

QTEST_GUILESS_MAIN(McpTest)
#include "mcp_test.moc"
