// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <random>
#include "rpc/framing.h"
#include "rpc/messages.h"

using namespace ww;
using namespace ww::rpc;

class FramingTest : public QObject {
  Q_OBJECT
  static std::vector<std::string> all_of(FrameReader& reader, bool* broken = nullptr) {
    std::vector<std::string> out;
    for (;;) {
      auto next = reader.next();
      if (broken) *broken = !next;
      if (!next || !*next) return out;
      out.push_back(**next);
    }
  }

 private slots:
  void messagesSurviveEverySplit() {
    const std::string stream = frame("{}") + frame("") + frame("hello\r\n\r\nworld") + frame(std::string("a\0b", 3));
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      FrameReader reader;
      reader.feed(std::string_view(stream).substr(0, cut));
      auto got = all_of(reader);
      reader.feed(std::string_view(stream).substr(cut));
      for (auto& m : all_of(reader)) got.push_back(m);
      QCOMPARE(got.size(), std::size_t{4});
      QCOMPARE(got[2], std::string("hello\r\n\r\nworld"));
      QCOMPARE(got[3].size(), std::size_t{3});
      QVERIFY(reader.empty());
    }
  }
  void byteByByte() {
    FrameReader reader;
    std::size_t count = 0;
    for (const char c : frame("one") + frame("two")) {
      reader.feed({&c, 1});
      count += all_of(reader).size();
    }
    QCOMPARE(count, std::size_t{2});
  }
  void otherFieldsAndCaseAreFine() {
    FrameReader reader;
    reader.feed("content-type: x\r\nCONTENT-LENGTH:  2 \r\n\r\nok");
    const auto got = all_of(reader);
    QCOMPARE(got.size(), std::size_t{1});
    QCOMPARE(got[0], std::string("ok"));
  }
  void garbageIsAnError_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << QByteArray("hello world\n");
    QTest::newRow("no length") << QByteArray("A: b\r\n\r\n");
    QTest::newRow("not a number") << QByteArray("Content-Length: x\r\n\r\n");
    QTest::newRow("negative") << QByteArray("Content-Length: -1\r\n\r\n");
    QTest::newRow("trailing") << QByteArray("Content-Length: 1 2\r\n\r\n");
    QTest::newRow("overflow") << QByteArray("Content-Length: 99999999999999999999999\r\n\r\n");
    QTest::newRow("huge") << QByteArray("Content-Length: 99999999999\r\n\r\n");
    QTest::newRow("contradiction") << QByteArray("Content-Length: 1\r\nContent-Length: 2\r\n\r\nab");
    QTest::newRow("endless header") << QByteArray("X: ") + QByteArray(5000, 'y');
    QTest::newRow("zeros") << QByteArray(10, '\0');
    QTest::newRow("json without a frame") << QByteArray("{\"jsonrpc\": \"2.0\"}\n");
  }
  void garbageIsAnError() {
    QFETCH(QByteArray, bytes);
    FrameReader reader;
    reader.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    bool broken = false;
    all_of(reader, &broken);
    QVERIFY(broken);
    reader.feed(frame("{}"));  // and stays one
    all_of(reader, &broken);
    QVERIFY(broken);
  }
  void randomBytesNeverPassTheLimit() {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
      FrameReader reader(64);
      std::string bytes = round % 2 ? "Content-Length: " + std::to_string(random() % 100) + "\r\n\r\n" : "";
      for (std::size_t n = random() % 200; n > 0; --n)
        bytes += static_cast<char>(random() % 4 ? "\r\n: 0123C"[random() % 9] : random());
      reader.feed(bytes);
      for (const std::string& m : all_of(reader)) QVERIFY(m.size() <= 64);
    }
  }
  void requestsAndErrorsRoundTrip() {
    const auto request = read_message(request_text(7, "gate", {{"spec", "op \"x\"\n"}}));
    QVERIFY(request.has_value());
    QCOMPARE(*request->id, std::int64_t{7});
    QCOMPARE(request->method, std::string("gate"));
    QCOMPARE(request->params["spec"].get<std::string>(), std::string("op \"x\"\n"));
    const auto reply = read_message(error_text(7, {Code::unsupported, "no \xff", "why"}));
    QVERIFY(reply.has_value());
    QVERIFY(reply->is_reply());
    QCOMPARE(reply->error->code, Code::unsupported);
    QCOMPARE(reply->error->cause, std::string("why"));
  }
  void badMessagesAreRefused() {
    for (const char* text :
         {"", "[]", "{}", "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":1}",
          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":1}", "{\"jsonrpc\":\"2.0\",\"method\":5}",
          "{\"jsonrpc\":\"2.0\",\"result\":5}", "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[1]}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"m\",\"data\":{\"code\":3}}}", "{\"jsonrpc\""})
      QVERIFY2(!read_message(text), text);
  }
  void parametersAreChecked() {
    GateRequest asked;
    asked.spec = "s";
    asked.candidate = "c";
    asked.language = candidate::Language::ptx;
    asked.binding.symbols["N"] = 5;
    asked.binding.constants["eps"] = 0.5;
    asked.seeds = 3;
    asked.measure = false;
    const auto got = request_of<GateRequest>(json::of(asked));
    QVERIFY(got.has_value());
    QCOMPARE(got->binding, asked.binding);
    QCOMPARE(got->language, candidate::Language::ptx);
    QCOMPARE(got->seeds, 3);
    QVERIFY(!got->measure);
    QVERIFY(!request_of<GateRequest>({{"spec", 5}}));
    QVERIFY(!request_of<GateRequest>({{"seeds", 0}}));
    QVERIFY(!request_of<GateRequest>({{"language", "c"}}));
    QVERIFY(!request_of<GateRequest>({{"binding", {{"symbols", {{"N", "five"}}}}}}));
  }
  void compileOutputsRoundTrip() {
    compile::Output o;
    o.ptx = ".version 8.0";
    o.cubin = std::string("\0\x7f\xff", 3);
    o.log = "warning";
    o.compiler = "NVRTC 13.0";
    o.seconds = 0.25;
    o.from_cache = true;
    compile::KernelResources k;
    k.kernel = "k";
    k.registers = 32;
    k.spill_loads = 8;
    o.resources.push_back(k);
    const auto back = compile_output(compile_result(o));
    QVERIFY(back.has_value());
    QCOMPARE(back->cubin, o.cubin);
    QCOMPARE(back->ptx, o.ptx);
    QCOMPARE(back->resources.at(0).registers, 32);
    QCOMPARE(back->resources.at(0).spill_loads, std::int64_t{8});
    QVERIFY(back->from_cache);
    Json bad = compile_result(o);
    bad["cubin"] = "0g";
    QVERIFY(!compile_output(bad));
    QVERIFY(!compile_output(Json(3)));
  }
};

QTEST_GUILESS_MAIN(FramingTest)
#include "framing_test.moc"
