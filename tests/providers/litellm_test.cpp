// SPDX-License-Identifier: Apache-2.0
// The dialects as an independent server speaks them: a LiteLLM proxy (PyPI: litellm[proxy]) in front of a service on
// loopback, whose streams it translates. Needs WARPWRIGHT_LITELLM_PYTHON, a Python that has it.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <arpa/inet.h>
#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/files.h"
#include "stages.h"

using namespace ww;
using namespace ww::cases;

namespace {

int free_port() {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  const bool bound = ::bind(s, reinterpret_cast<sockaddr*>(&a), size) == 0 &&
                     ::getsockname(s, reinterpret_cast<sockaddr*>(&a), &size) == 0;
  ::close(s);
  return bound ? ntohs(a.sin_port) : 0;
}

}  // namespace

class LitellmTest : public QObject, Stages {
  Q_OBJECT
  QTemporaryDir folder_;
  QProcess proxy_;
  int port_ = 0;

  // What the service behind the proxy does: one of "words", "calls", "cut", "busy", "refused".
  void behave(const std::string& how) {
    const std::lock_guard lock(plain_->mutex);
    plain_->seen = plain_->server.received().size();
    plain_->handler = [how](const Received& r) {
      const std::string dialect = r.target.find("/responses") != r.target.npos ? "responses" : "chat";
      Answer a;
      if (how == "busy" || how == "refused") {
        a.status = how == "busy" ? 429 : 400;
        a.headers = {{"content-type", "application/json"}};
        a.pieces = {{R"({"error":{"message":"not now","type":"x","code":"y"}})", 0ms}};
        return a;
      }
      a.pieces = {{how == "calls" ? calling(dialect, Calling::whole)
                   : how == "cut" ? calling(dialect, Calling::cut)
                                  : usual(dialect, true),
                   0ms}};
      return a;
    };
  }

  llm::Endpoint endpoint(const std::string& dialect) {
    llm::Endpoint e = endpoint_of({{"attempts", 1}}, dialect, plain_->server);
    e.base_url = "http://127.0.0.1:" + std::to_string(port_) + "/v1";
    e.key = Secret("sk-litellm-test-1234");
    e.legacy_max_tokens = e.tools = true;
    return e;
  }

 private slots:
  void initTestCase() {
    const QByteArray python = qgetenv("WARPWRIGHT_LITELLM_PYTHON");
    if (python.isEmpty()) QSKIP("no LiteLLM: WARPWRIGHT_LITELLM_PYTHON names no Python with litellm[proxy]");
    open();
    behave("words");  // the proxy may look at the service before it is asked
    port_ = free_port();
    const std::string config = folder_.filePath("config.yaml").toStdString(),
                      behind = "      api_base: " + plain_->server.url() + "/v1\n      api_key: behind\n";
    QVERIFY(write_file_atomic(config, "model_list:\n  - model_name: m1\n    litellm_params:\n      model: openai/m1\n" +
                                          behind + "general_settings:\n  master_key: sk-litellm-test-1234\n" +
                                          "litellm_settings:\n  num_retries: 0\n  telemetry: false\n")
                .has_value());
    QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
    e.insert("LITELLM_LOCAL_MODEL_COST_MAP", "True");  // asks nothing of the network
    e.insert("NO_PROXY", "*");
    proxy_.setProcessEnvironment(e);
    proxy_.setProcessChannelMode(QProcess::MergedChannels);
    proxy_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });  // it ends with a test that is killed
    proxy_.start(python, {"-c", "from litellm import run_server; run_server()", "--config",
                          QString::fromStdString(config), "--host", "127.0.0.1", "--port", QString::number(port_)});
    QVERIFY2(proxy_.waitForStarted(), qPrintable(proxy_.errorString()));
    QByteArray said;
    while (!said.contains("Uvicorn running on")) {
      QVERIFY2(proxy_.waitForReadyRead(300000), said.right(2000).constData());
      said += proxy_.readAll();
    }
  }
  void cleanupTestCase() {
    if (proxy_.state() == QProcess::NotRunning) return;
    proxy_.terminate();
    if (!proxy_.waitForFinished(20000)) proxy_.kill();
    proxy_.waitForFinished();
  }

  void replies_data() {
    QTest::addColumn<QString>("dialect");
    QTest::addColumn<QString>("how");
    for (const char* dialect : {"chat", "responses", "messages"})
      for (const char* how : {"words", "calls", "cut", "busy", "refused", "by text", "seed"})
        QTest::newRow(qPrintable(QString("%1: %2").arg(dialect, how))) << dialect << how;
  }
  void replies() {
    QFETCH(QString, dialect);
    QFETCH(QString, how);
    behave(how.toStdString());
    Json request{{"messages", Json::array({Json::array({"system", "S"}), Json::array({"user", "U"})})}, {"max", 500}};
    if (how == "calls" || how == "cut") request["tools"] = Json::array({"check", "advice"});
    if (how == "seed") request["seed"] = 7;
    if (how == "by text") {
      request["messages"].push_back(Json::array({"assistant", "```tool: check\nx\n```"}));
      request["messages"].push_back(
          Json::array({"user", Json::array({Json::array({"result", "", "check", "It passes."})})}));
    }
    llm::Endpoint e = endpoint(dialect.toStdString());
    e.seeds = how == "seed";
    Watcher w;
    const auto reply = provider_of(e)->complete(request_of({{"request", request}}), w, {});
    const std::vector<Received> behind = plain_->received();
    QVERIFY2(!behind.empty(), reply ? reply->text().c_str() : reply.error().text().c_str());
    for (const Received& r : behind) {
      QVERIFY(r.body.find("sk-litellm-test-1234") == std::string::npos);
      if (how == "by text") QVERIFY2(r.body.find("It passes.") != std::string::npos, r.body.c_str());
    }
    if (how == "busy" || how == "refused") {
      QVERIFY(!reply);
      QCOMPARE(reply.error().code, how == "busy" ? Code::unavailable : Code::invalid_argument);
      return;
    }
    QVERIFY2(reply.has_value(), reply ? "" : reply.error().text().c_str());
    QVERIFY(w.whole);
    if (how != "calls" && how != "cut") {
      QCOMPARE(QString::fromStdString(reply->text()), QString("Grüße, 世界 😀!"));
      QCOMPARE(reply->stop, llm::Stop::end);
      return;
    }
    QCOMPARE(reply->text(), std::string("I check."));
    if (how == "cut") {
      QCOMPARE(reply->stop, llm::Stop::length);
      return;
    }
    QCOMPARE(reply->stop, llm::Stop::calls);
    QStringList calls;
    for (const llm::Block& b : reply->blocks)
      if (b.kind == llm::Block::Kind::call)
        calls << QString::fromStdString(b.tool + " " + Json::parse(b.text, nullptr, false).dump());
    QCOMPARE(calls, (QStringList{"check {\"candidate\":\"Grüße, 世界\"}", "advice {}"}));
  }

  void models_data() {
    QTest::addColumn<QString>("dialect");
    for (const char* dialect : {"chat", "responses", "messages"}) QTest::newRow(dialect) << dialect;
  }
  void models() {
    QFETCH(QString, dialect);
    const auto list = provider_of(endpoint(dialect.toStdString()))->models({});
    QVERIFY2(list.has_value(), list ? "" : list.error().text().c_str());
    QCOMPARE(*list, std::vector<std::string>{"m1"});
  }

  void aWrongKeyIsRefused_data() { models_data(); }
  void aWrongKeyIsRefused() {
    QFETCH(QString, dialect);
    behave("words");
    llm::Endpoint e = endpoint(dialect.toStdString());
    e.key = Secret("sk-wrong-5678901234");
    Watcher w;
    const auto reply = provider_of(e)->complete(request_of(none), w, {});
    QVERIFY(!reply && reply.error().text().find("sk-wrong") == std::string::npos);
    // Without a database of keys the proxy answers a wrong one with 400.
    QVERIFY2(reply.error().code == Code::denied || reply.error().code == Code::invalid_argument,
             reply.error().text().c_str());
    QVERIFY(plain_->received().empty());
  }
};

QTEST_GUILESS_MAIN(LitellmTest)
#include "litellm_test.moc"
