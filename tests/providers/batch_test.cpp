// SPDX-License-Identifier: Apache-2.0
// Batches against a service on loopback that takes them as Anthropic (a list) or OpenAI (a file) does, and misbehaves.
#include <QtTest>
#include <map>
#include "stages.h"

using namespace ww;
using namespace ww::cases;

namespace {

std::string part_with_lines(const std::string& body) {  // the file of a form
  const std::size_t head = body.find("application/jsonl\r\n\r\n");
  if (head == body.npos) return {};
  const std::size_t begin = head + 21;
  return body.substr(begin, body.find("\r\n--", begin) - begin);
}

class Service {
 public:
  explicit Service(std::string dialect) : dialect_(std::move(dialect)), list_(dialect_ == "messages") {}

  std::string fault;  // what it does wrong
  int polls = 2;      // looks before the batch has ended
  std::vector<std::string> calls;
  std::vector<Json> bodies;  // of the requests in the batch

  Answer operator()(const Received& r) {
    calls.push_back(r.method + " " + r.target);
    const std::string batches = list_ ? "/v1/messages/batches" : "/v1/batches";
    if (r.method == "POST" && r.target == "/v1/files") return upload(r);
    if (r.method == "POST" && r.target == batches) return begin(r);
    for (const auto& [id, asked] : asked_) {
      if (r.method == "GET" && r.target == batches + "/" + id) {
        if (fault == "unknown" && id == name(1)) break;
        return look(id);
      }
      if (r.method == "POST" && r.target == batches + "/" + id + "/cancel") return json({{"id", id}});
      if (r.method == "GET" && r.target == (list_ ? batches + "/" + id + "/results" : "/v1/files/" + id + "/content"))
        return results(id);
    }
    if (r.method == "GET" && r.target == "/v1/files/file-3/content") return text(errors_);
    return json({{"error", {{"message", "no such path: " + r.target}}}}, 404);
  }

 private:
  static Answer text(const std::string& body, int status = 200) {
    Answer a;
    a.status = status;
    a.headers = {{"content-type", "application/json"}};
    a.pieces = {{body, 0ms}};
    return a;
  }
  static Answer json(const Json& j, int status = 200) { return text(j.dump(), status); }

  Answer upload(const Received& r) {
    if (r.header("content-type").rfind("multipart/form-data; boundary=", 0) != 0 ||
        r.body.find("\r\n\r\nbatch\r\n") == r.body.npos)
      return json({{"error", {{"message", "no form"}}}}, 400);
    lines_ = part_with_lines(r.body);
    return json({{"id", fault == "bad id" ? "../../file" : "file-1"}});
  }
  Answer begin(const Received& r) {
    if (fault == "refused")
      return json({{"error", {{"type", "invalid_request_error"}, {"message", "no: " + key}}}}, 400);
    if (fault == "busy once" && !std::exchange(was_busy_, true)) return json(Json::object(), 529);
    if (fault == "no JSON") return text("<html>");
    const Json j = Json::parse(r.body);
    newest_ = name(asked_.size() + 1);
    if (list_) {
      for (const Json& one : j.at("requests")) take(one.at("custom_id"), one.at("params"));
    } else {
      std::istringstream in(lines_);
      for (std::string line; std::getline(in, line);) {
        const Json one = Json::parse(line);
        if (one.at("method") != "POST" || one.at("url") != j.at("endpoint")) return json(Json::object(), 400);
        take(one.at("custom_id"), one.at("body"));
      }
      if (j.at("input_file_id") != "file-1" || j.at("completion_window") != "24h") return json(Json::object(), 400);
    }
    const std::string id = fault == "bad id" ? "a/../b" : newest_;
    return json({{"id", id}, {list_ ? "processing_status" : "status", list_ ? "in_progress" : "validating"}});
  }
  void take(const std::string& id, const Json& body) {
    bodies.push_back(body);
    asked_[newest_].emplace_back(id, body);
  }
  std::string name(std::size_t number) const { return (list_ ? "msgbatch_" : "batch_") + std::to_string(number); }
  Answer look(const std::string& id) {
    if (fault == "out") return json(Json::object(), 503);
    if (fault == "unreadable" && id == name(1)) return text("<html>");
    if (fault == "looks fail" && looks_++ % 2 == 0) return json(Json::object(), 503);
    if (fault == "never ends" || polls-- > 0)
      return json({{"id", "x"},
                   {list_ ? "processing_status" : "status", "in_progress"},
                   {"request_counts", {{list_ ? "succeeded" : "completed", 1}}}});
    if (fault == "failed" && !list_ && id == name(1))
      return json({{"id", "x"},
                   {"status", "failed"},
                   {"errors", {{"data", Json::array({Json{{"code", "bad"}, {"message", "line 1: no model"}}})}}}});
    if (fault == "failed" && id == name(1)) return json({{"id", "x"}, {"processing_status", "failed"}});
    if (list_) return json({{"id", "x"}, {"processing_status", "ended"}});
    Json j{{"id", "x"}, {"status", "completed"}, {"output_file_id", id}};
    if (id == name(1) && (fault == "one expired" || fault == "one errored")) j["error_file_id"] = "file-3";
    if (fault == "bad file") j["output_file_id"] = "f/../../keys";
    return json(j);
  }
  Answer results(const std::string& id) {
    if (fault == "results lost" && id == name(1)) return json({{"error", {{"message", "gone"}}}}, 404);
    std::string out;
    auto order = asked_.at(id);
    if (fault == "other order") std::reverse(order.begin(), order.end());
    if (fault == "noise") out += "\nno json\n{\"custom_id\":\"request-99\"}\n{\"custom_id\":7}\n[]\n";
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool second = order[i].first == "request-2" && id == name(1);
      if (second && fault == "one missing") continue;
      if (second && (fault == "one expired" || fault == "one errored")) {
        (list_ ? out : errors_) += failure(order[i].first);
        continue;
      }
      out += success(order[i].first, order[i].second, second ? fault : std::string());
    }
    if (fault == "twice") out += out;
    return text(out);
  }
  std::string failure(const std::string& id) const {
    const bool expired = fault == "one expired";
    if (list_)
      return Json{{"custom_id", id},
                  {"result", expired
                                 ? Json{{"type", "expired"}}
                                 : Json{{"type", "errored"},
                                        {"error",
                                         {{"type", "error"},
                                          {"error", {{"type", "invalid_request_error"}, {"message", "too long"}}}}}}}}
                 .dump() +
             "\n";
    return Json{{"custom_id", id},
                {"response",
                 expired ? Json() : Json{{"status_code", 400}, {"body", {{"error", {{"message", "too long"}}}}}}},
                {"error", expired ? Json{{"code", "batch_expired"}} : Json()}}
               .dump() +
           "\n";
  }
  std::string success(const std::string& id, const Json& body, const std::string& how) const {
    const std::string all = body.dump();
    const std::size_t at = all.find("Question ");
    const Json reply = reply_of("Answer " + all.substr(at + 9, 1) + (how == "key" ? " " + key : ""), how);
    return (list_ ? Json{{"custom_id", id}, {"result", {{"type", "succeeded"}, {"message", reply}}}}
                  : Json{{"custom_id", id}, {"response", {{"status_code", 200}, {"body", reply}}}, {"error", Json()}})
               .dump() +
           "\n";
  }
  Json reply_of(const std::string& said, const std::string& how) const {
    const bool cut = how == "cut", calls = how == "calls";
    if (how == "not the dialect") return {{"hello", "world"}};
    if (dialect_ == "chat") {
      Json message{{"role", "assistant"}, {"content", said}};
      if (calls)
        message["tool_calls"] = Json::array(
            {Json{{"id", "c1"}, {"function", {{"name", "check"}, {"arguments", "{\"candidate\":\"x\"}"}}}}});
      return {{"id", "r"},
              {"model", "m1"},
              {"choices", Json::array({Json{{"index", 0},
                                            {"message", message},
                                            {"finish_reason", cut     ? "length"
                                                              : calls ? "tool_calls"
                                                                      : "stop"}}})},
              {"usage", {{"prompt_tokens", 5}, {"completion_tokens", 6}}}};
    }
    if (dialect_ == "responses") {
      Json output = Json::array({Json{{"type", "message"},
                                      {"role", "assistant"},
                                      {"content", Json::array({Json{{"type", "output_text"}, {"text", said}}})}}});
      if (calls)
        output.push_back({{"type", "function_call"},
                          {"id", "fc"},
                          {"call_id", "c1"},
                          {"name", "check"},
                          {"arguments", "{\"candidate\":\"x\"}"},
                          {"status", "completed"}});
      Json j{{"id", "r"},
             {"status", cut ? "incomplete" : "completed"},
             {"model", "m1"},
             {"output", output},
             {"usage", {{"input_tokens", 5}, {"output_tokens", 6}}}};
      if (cut) j["incomplete_details"] = {{"reason", "max_output_tokens"}};
      return j;
    }
    Json content = Json::array({Json{{"type", "text"}, {"text", said}}});
    if (calls)
      content.push_back({{"type", "tool_use"}, {"id", "c1"}, {"name", "check"}, {"input", {{"candidate", "x"}}}});
    return {{"id", "r"},
            {"type", "message"},
            {"model", "m1"},
            {"content", content},
            {"stop_reason", cut     ? "max_tokens"
                            : calls ? "tool_use"
                                    : "end_turn"},
            {"usage", {{"input_tokens", 5}, {"output_tokens", 6}}}};
  }

  const std::string dialect_;
  const bool list_;
  bool was_busy_ = false;
  int looks_ = 0;
  std::string lines_, errors_, newest_;
  std::map<std::string, std::vector<std::pair<std::string, Json>>> asked_;  // by batch
};

using Replies = Result<std::vector<Result<llm::Reply>>>;
struct Watched {
  std::vector<Watcher> watchers = std::vector<Watcher>(3);
  Replies replies = std::vector<Result<llm::Reply>>();
  Service service;
};

}  // namespace

class BatchTest : public QObject, Stages {
  Q_OBJECT

  llm::Endpoint endpoint(const std::string& dialect) {
    llm::Endpoint e = endpoint_of({{"attempts", 4}}, dialect, plain_->server);
    e.batches = true;
    e.batch_poll = 1ms;
    return e;
  }

  Watched ask(const std::string& dialect, const std::string& fault, std::stop_token stop = {}, int not_allowed = -1) {
    Watched w{.service = Service(dialect)};
    w.service.fault = fault;
    ask(w, dialect, std::move(stop), not_allowed);
    return w;
  }
  void ask(Watched& w, const std::string& dialect, std::stop_token stop = {}, int not_allowed = -1) {
    const std::string fault = w.service.fault;
    {
      const std::lock_guard lock(plain_->mutex);
      plain_->seen = plain_->server.received().size();
      plain_->handler = [&w](const Received& r) { return w.service(r); };
    }
    std::vector<llm::Request> requests;
    for (int i = 1; i <= 3; ++i)
      requests.push_back(
          request_of({{"request",
                       {{"messages", Json::array({Json::array({"user", "Question " + std::to_string(i)})})},
                        {"tools", fault == "calls" ? Json::array({"check"}) : Json::array()}}}}));
    std::vector<llm::BatchItem> items;
    for (std::size_t i = 0; i < 3; ++i) {
      if (static_cast<int>(i) == not_allowed) w.watchers[i].refuse_at = 1;
      items.push_back({&requests[i], &w.watchers[i]});
    }
    w.replies = provider_of(endpoint(dialect))->complete_all(items, stop);
  }

  static std::string said(const Result<llm::Reply>& r) {
    return r ? r->text() : std::string(code_name(r.error().code));
  }

  static void dialects(const QStringList& scenarios) {
    QTest::addColumn<QString>("dialect");
    QTest::addColumn<QString>("fault");
    for (const char* dialect : {"chat", "responses", "messages"})
      for (const QString& s : scenarios)
        QTest::newRow(qPrintable(QString("%1: %2").arg(dialect, s))) << QString(dialect) << s;
  }

 private slots:
  void initTestCase() { open(); }

  void answersArrive_data() {
    dialects({"nothing wrong", "other order", "noise", "twice", "looks fail", "busy once", "cut", "calls", "key",
              "one missing", "one errored", "one expired", "not the dialect"});
  }
  void answersArrive() {
    QFETCH(QString, dialect);
    QFETCH(QString, fault);
    const Watched w = ask(dialect.toStdString(), fault.toStdString());
    QVERIFY2(w.replies.has_value(), w.replies ? "" : w.replies.error().text().c_str());
    QCOMPARE(w.replies->size(), std::size_t{3});
    const std::string second = fault == "one missing"       ? "io"
                               : fault == "one errored"     ? "invalid_argument"
                               : fault == "one expired"     ? "timeout"
                               : fault == "not the dialect" ? "corrupt"
                               : fault == "key"             ? "Answer 2 [key]"
                                                            : "Answer 2";
    for (std::size_t i = 0; i < 3; ++i) {
      const Result<llm::Reply>& r = (*w.replies)[i];
      const std::string expected = i == 1 ? second : "Answer " + std::to_string(i + 1);
      QVERIFY2(said(r) == expected, (said(r) + (r ? "" : ": " + r.error().text())).c_str());
      const Watcher& watcher = w.watchers[i];
      QCOMPARE(watcher.sent.size(), std::size_t{1});
      QCOMPARE(Json::parse(watcher.sent[0].body), w.service.bodies[i]);
      QVERIFY(watcher.sent[0].host.starts_with("127.0.0.1"));
      QVERIFY(watcher.bytes.find(key) == std::string::npos && watcher.whole);
      QCOMPARE(watcher.batches, std::vector<std::string>{dialect == "messages" ? "msgbatch_1" : "batch_1"});
      if (!r) continue;
      QCOMPARE(watcher.text, r->text());
      QCOMPARE(r->usage.prompt, std::int64_t{5});
      QCOMPARE(r->usage.completion, std::int64_t{6});
      QVERIFY(r->usage.reported && r->attempts == 1);
      const bool affected = i == 1;
      QCOMPARE(r->stop, affected && fault == "cut"     ? llm::Stop::length
                        : affected && fault == "calls" ? llm::Stop::calls
                                                       : llm::Stop::end);
      if (affected && fault == "calls") {
        const llm::Block& call = r->blocks.back();
        QVERIFY(call.kind == llm::Block::Kind::call && call.tool == "check" && call.id == "c1" &&
                Json::parse(call.text) == Json({{"candidate", "x"}}));
      }
    }
    for (const Json& body : w.service.bodies) QVERIFY(!body.contains("stream") && !body.contains("stream_options"));
    QVERIFY2(w.watchers[0].waits.find("of 3 requests answered") != std::string::npos, w.watchers[0].waits.c_str());
    for (const Received& r : plain_->received()) QVERIFY((r.target + r.body).find(key) == std::string::npos);
  }

  void aLostBatchIsAnError_data() {
    dialects({"refused", "no JSON", "bad id", "failed", "results lost"});
    QTest::newRow("chat: bad file") << QString("chat") << QString("bad file");
    QTest::newRow("responses: bad file") << QString("responses") << QString("bad file");
  }
  void aLostBatchIsAnError() {
    QFETCH(QString, dialect);
    QFETCH(QString, fault);
    const Watched w = ask(dialect.toStdString(), fault.toStdString());
    QVERIFY(!w.replies.has_value());
    const Error& e = w.replies.error();
    QVERIFY2(e.text().find(key) == std::string::npos, e.text().c_str());
    QVERIFY2(!e.message.empty() && e.message.back() != '.', e.text().c_str());
    const bool corrupt = fault == "no JSON" || fault == "bad id" || fault == "bad file";
    QCOMPARE(e.code, corrupt ? Code::corrupt : Code::invalid_argument);
    if (fault == "failed" && dialect != "messages") QVERIFY(e.text().find("line 1: no model") != std::string::npos);
    for (const std::string& call : w.service.calls) QVERIFY2(call.find("..") == std::string::npos, call.c_str());
  }

  void aCancelledBatchIsGivenUp_data() { dialects({"never ends"}); }
  void aCancelledBatchIsGivenUp() {
    QFETCH(QString, dialect);
    std::stop_source stop;
    Watched w{.service = Service(dialect.toStdString())};
    w.service.fault = "never ends";
    {
      const std::lock_guard lock(plain_->mutex);
      plain_->handler = [&](const Received& r) { return w.service(r); };
    }
    const llm::Request request =
        request_of({{"request", {{"messages", Json::array({Json::array({"user", "Question 1"})})}}}});
    w.watchers[0].on_delta = [&](const Delta&) { stop.request_stop(); };
    const Replies replies =
        provider_of(endpoint(dialect.toStdString()))->complete_all({{&request, &w.watchers[0]}}, stop.get_token());
    QVERIFY(!replies && replies.error().code == Code::cancelled);
    QVERIFY2(QString::fromStdString(w.service.calls.back()).endsWith("/cancel"), w.service.calls.back().c_str());
  }

  void whatMayNotBeSentIsLeftOut_data() { dialects({"nothing wrong"}); }
  void whatMayNotBeSentIsLeftOut() {
    QFETCH(QString, dialect);
    const Watched w = ask(dialect.toStdString(), "", {}, 1);
    QVERIFY(w.replies.has_value());
    QCOMPARE(said((*w.replies)[0]), std::string("Answer 1"));
    QCOMPARE(said((*w.replies)[1]), std::string("unavailable"));
    QCOMPARE(said((*w.replies)[2]), std::string("Answer 3"));
    QCOMPARE(w.service.bodies.size(), std::size_t{2});
  }

  // A process that died, or whose service went away, while its batch was under way; the next one asks for the same.
  void whatAnEarlierProcessSentIsFetched_data() {
    dialects({"nothing wrong", "looks fail", "other order", "one expired", "one errored", "one missing", "unknown",
              "failed", "results lost", "unreadable"});
  }
  void whatAnEarlierProcessSentIsFetched() {
    QFETCH(QString, dialect);
    QFETCH(QString, fault);
    Watched w{.service = Service(dialect.toStdString())};
    w.service.fault = "out";
    ask(w, dialect.toStdString());
    QVERIFY(!w.replies && w.replies.error().code == Code::unavailable);
    QCOMPARE(w.service.bodies.size(), std::size_t{3});
    std::vector<Watcher> later(3);
    for (std::size_t i = 0; i < 3; ++i) later[i].earlier = w.watchers[i].place;
    w.watchers = later;
    w.service.fault = fault.toStdString();
    ask(w, dialect.toStdString());
    QVERIFY2(w.replies.has_value(), w.replies ? "" : w.replies.error().text().c_str());
    const bool all_lost = fault == "unknown" || fault == "failed" || fault == "results lost" || fault == "unreadable";
    const bool one_lost = fault == "one expired" || fault == "one missing";
    QCOMPARE(w.service.bodies.size(), std::size_t(all_lost ? 6 : one_lost ? 4 : 3));  // what was sent, and paid
    for (std::size_t i = 0; i < 3; ++i) {
      const Watcher& watcher = w.watchers[i];
      const bool again = all_lost || (one_lost && i == 1);
      const std::string expected =
          fault == "one errored" && i == 1 ? "invalid_argument" : "Answer " + std::to_string(i + 1);
      QCOMPARE(said((*w.replies)[i]), expected);
      QCOMPARE(watcher.sent.size(), std::size_t(again));
      QCOMPARE(watcher.again.size(), std::size_t(again));
      QCOMPARE(watcher.batches.size(), std::size_t(again));
      if (!again) continue;
      QCOMPARE(watcher.place.batch, std::string(dialect == "messages" ? "msgbatch_2" : "batch_2"));
      const std::string why = fault == "one expired"   ? "it says: "
                              : fault == "one missing" ? "it is not among its results"
                              : fault == "unreadable"  ? "what the service says of the batch cannot be read"
                              : fault == "failed"      ? ""
                                                       : "the service no longer has the batch";
      QVERIFY2(watcher.again[0].starts_with((dialect == "messages" ? "batch msgbatch_1" : "batch batch_1") +
                                            std::string(" holds no answer to this request: ") + why),
               watcher.again[0].c_str());
    }
  }

  void anEarlierBatchWaitsForItsService_data() { dialects({"out"}); }
  void anEarlierBatchWaitsForItsService() {
    QFETCH(QString, dialect);
    Watched w{.service = Service(dialect.toStdString())};
    w.service.fault = "out";
    ask(w, dialect.toStdString());
    for (Watcher& watcher : w.watchers) watcher.earlier = watcher.place;
    ask(w, dialect.toStdString());
    QVERIFY(!w.replies && w.replies.error().code == Code::unavailable);
    QCOMPARE(w.service.bodies.size(), std::size_t{3});  // nothing is asked a second time
    w.service.fault = "";
    ask(w, dialect.toStdString());
    QVERIFY(w.replies && said((*w.replies)[2]) == "Answer 3");
    QCOMPARE(w.service.bodies.size(), std::size_t{3});
  }

  void newRequestsGoBesideEarlierOnes_data() { dialects({"nothing wrong"}); }
  void newRequestsGoBesideEarlierOnes() {
    QFETCH(QString, dialect);
    Watched w{.service = Service(dialect.toStdString())};
    w.service.fault = "out";
    ask(w, dialect.toStdString());
    w.watchers[0].earlier = w.watchers[0].place;
    w.watchers[2].earlier = w.watchers[2].place;
    w.service.fault = "";
    ask(w, dialect.toStdString());
    QVERIFY(w.replies.has_value());
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(said((*w.replies)[i]), "Answer " + std::to_string(i + 1));
    QCOMPARE(w.service.bodies.size(), std::size_t{4});
    QVERIFY(w.watchers[0].again.empty() && w.watchers[1].again.empty());
  }

  void servicesWithoutBatches_data() { dialects({"nothing wrong"}); }
  void servicesWithoutBatches() {
    QFETCH(QString, dialect);
    llm::Endpoint e = endpoint(dialect.toStdString());
    e.batches = false;
    const Replies replies = provider_of(e)->complete_all({}, {});
    QVERIFY(!replies && replies.error().code == Code::unsupported);
  }
};

QTEST_GUILESS_MAIN(BatchTest)
#include "batch_test.moc"
