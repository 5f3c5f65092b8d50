// SPDX-License-Identifier: Apache-2.0
// Messages of time, profile, device and execute: there and back, and what does not follow them.
#include <QtTest>
#include <cmath>
#include "profile/measurement_json.h"
#include "rpc/messages.h"

using namespace ww;
using namespace ww::rpc;

namespace {

profile::SubjectTiming timing() {
  profile::SubjectTiming t;
  t.subject = "candidate";
  t.cache = profile::Cache::warm;
  t.graph = false;
  t.note = "plain launches";
  profile::TimedSample a;
  a.us = 12.5;
  a.replays = 40;
  a.round = 3;
  a.clocks.sm_mhz = 1980;
  a.clocks.throttle = 4;
  a.clocks.throttle_known = true;
  profile::TimedSample b;
  b.us = 13;
  t.samples = {a, b};
  return t;
}

profile::DeviceDetails details() {
  profile::DeviceDetails d;
  d.name = "cuda:0";
  d.gpu = "NVIDIA H200";
  d.architecture = "sm_90a";
  d.multiprocessors = 132;
  d.memory = 150'000'000'000;
  d.peak_bandwidth = 4.8e12;
  d.datasheet = {{"bandwidth", 4.8e12}, {"bf16", 9.9e14}};
  d.datasheet_source = "a document";
  return d;
}

template <class T>
Json without(const T& json, const char* name) {
  Json j = json;
  j.erase(name);
  return j;
}

}  // namespace

class MeasureMessagesTest : public QObject {
  Q_OBJECT

 private slots:
  void timingsThereAndBack() {
    const auto back = profile::timing_from_json(profile::to_json(timing()));
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->subject, std::string("candidate"));
    QCOMPARE(back->cache, profile::Cache::warm);
    QCOMPARE(back->graph, false);
    QCOMPARE(back->note, std::string("plain launches"));
    QCOMPARE(back->samples.size(), std::size_t{2});
    QCOMPARE(back->samples[0].us, 12.5);
    QCOMPARE(back->samples[0].replays, 40);
    QCOMPARE(back->samples[0].round, 3);
    QCOMPARE(back->samples[0].clocks.sm_mhz, 1980.0);
    QVERIFY(std::isnan(back->samples[0].clocks.power_w));
    QVERIFY(back->samples[0].clocks.throttle_known);
    QCOMPARE(back->samples[0].clocks.throttle, std::uint64_t{4});
    QVERIFY(!back->samples[1].clocks.throttle_known);
  }
  void detailsAndCeilingsThereAndBack() {
    const auto d = profile::details_from_json(profile::to_json(details(), 2));
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    QCOMPARE(d->gpu, std::string("NVIDIA H200"));
    QCOMPARE(d->memory, std::int64_t{150'000'000'000});
    QCOMPARE(d->peak_bandwidth, 4.8e12);
    QVERIFY(std::isnan(d->peak_f64));
    QCOMPARE(d->datasheet, details().datasheet);
    profile::Ceilings c;
    c.matrix_rate = {{"f32", 5e13}};
    c.why_not = "no cuBLAS";
    const auto back = profile::ceilings_from_json(profile::to_json(c));
    QVERIFY(back.has_value());
    QVERIFY(std::isnan(back->copy_bandwidth));
    QCOMPARE(back->matrix_rate, c.matrix_rate);
    QCOMPARE(back->why_not, c.why_not);
  }
  void countersThereAndBack() {
    profile::CounterReport r;
    r.set = "small";
    r.passes = 4;
    r.seconds = 0.25;
    profile::KernelCounters k;
    k.kernel = "rows";
    k.launch = 1;
    k.values = {
        {"dram__bytes.sum", "byte", 1e9}, {"unknown.sum", "", profile::unknown}, {"endless.ratio", "", HUGE_VAL}};
    k.lines = {{7, {{"long_scoreboard", 12}, {"barrier", 3}}}};
    r.kernels = {k};
    const auto back = profile::counters_from_json(profile::to_json(r));
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->passes, 4);
    QCOMPARE(back->kernels[0].launch, 1);
    QCOMPARE(back->kernels[0].values[0].unit, std::string("byte"));
    QVERIFY(std::isnan(back->kernels[0].values[1].value));
    QCOMPARE(back->kernels[0].values[2].value, HUGE_VAL);
    QCOMPARE(back->kernels[0].lines[0].reasons, k.lines[0].reasons);
  }
  void corruptMeasurementsAreNamed() {
    QCOMPARE(profile::timing_from_json("{{").error().code, Code::corrupt);
    QCOMPARE(profile::timing_from_json("[]").error().code, Code::corrupt);
    QCOMPARE(profile::timing_from_json("null").error().code, Code::corrupt);
    Json j = profile::json_of(timing());
    QVERIFY(profile::timing_of(without(j, "samples")).error().text().find("'samples' is missing") != std::string::npos);
    j["cache"] = "lukewarm";
    QVERIFY(profile::timing_of(j).error().text().find("'lukewarm'") != std::string::npos);
    j = profile::json_of(timing());
    j["samples"][0]["us"] = "fast";
    QVERIFY(!profile::timing_of(j));
    j["samples"] = 7;
    QVERIFY(!profile::timing_of(j));
    j = profile::json_of(details());
    j["memory"] = 1.5;
    QVERIFY(profile::details_of(j).error().text().find("'memory' has the wrong type") != std::string::npos);
    j = profile::json_of(details());
    j["datasheet"] = Json::array();
    QVERIFY(!profile::details_of(j));
    QVERIFY(!profile::ceilings_from_json("{\"matrix_rate\": {\"f32\": \"much\"}}"));
    QVERIFY(!profile::counters_from_json("{\"set\": \"small\", \"kernels\": [3]}"));
  }
  void timeRequestThereAndBack() {
    TimeRequest r;
    r.spec = "op a";
    r.architecture = native_architecture;
    r.binding.symbols = {{"N", 77}};
    r.subjects = {{"mine", "text", candidate::Language::ptx, ""}, {"theirs", "", candidate::Language::cuda, "cublas"}};
    r.rounds = 4;
    r.samples = 6;
    r.cold = false;
    r.order_seed = 123456789012345;
    r.round_offset = 8;
    r.verify = false;
    const auto back = time_request(time_params(r));
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->spec, r.spec);
    QCOMPARE(back->architecture, std::string());  // the device's own
    QCOMPARE(back->binding.symbols, r.binding.symbols);
    QCOMPARE(back->subjects.size(), std::size_t{2});
    QCOMPARE(back->subjects[0].language, candidate::Language::ptx);
    QCOMPARE(back->subjects[0].candidate, std::string("text"));
    QCOMPARE(back->subjects[1].baseline, std::string("cublas"));
    QCOMPARE(back->rounds, 4);
    QCOMPARE(back->samples, 6);
    QCOMPARE(back->cold, false);
    QCOMPARE(back->warm, true);
    QCOMPARE(back->order_seed, r.order_seed);
    QCOMPARE(back->round_offset, 8);
    QCOMPARE(back->verify, false);
  }
  void timeRequestsThatMakeNoSense_data() {
    QTest::addColumn<QString>("change");
    QTest::newRow("no subjects") << R"({"subjects": []})";
    QTest::newRow("subjects no list") << R"({"subjects": 3})";
    QTest::newRow("subject no object") << R"({"subjects": ["x"]})";
    QTest::newRow("no name") << R"({"subjects": [{"baseline": "naive"}]})";
    QTest::newRow("twice")
        << R"({"subjects": [{"name": "a", "baseline": "naive"}, {"name": "a", "baseline": "naive"}]})";
    QTest::newRow("neither") << R"({"subjects": [{"name": "a"}]})";
    QTest::newRow("both") << R"({"subjects": [{"name": "a", "candidate": "x", "baseline": "naive"}]})";
    QTest::newRow("language") << R"({"subjects": [{"name": "a", "candidate": "x", "language": "basic"}]})";
    QTest::newRow("rounds") << R"({"rounds": 0})";
    QTest::newRow("samples") << R"({"samples": 100000})";
    QTest::newRow("offset") << R"({"round_offset": -1})";
    QTest::newRow("type") << R"({"verify": "yes"})";
    QTest::newRow("no cache") << R"({"cold": false, "warm": false})";
    QTest::newRow("binding") << R"({"binding": {"symbols": 3}})";
  }
  void timeRequestsThatMakeNoSense() {
    QFETCH(QString, change);
    TimeRequest r;
    r.spec = "op a";
    r.subjects = {{"naive", "", candidate::Language::cuda, "naive"}};
    Json j = time_params(r);
    QVERIFY(time_request(j).has_value());
    j.merge_patch(Json::parse(change.toStdString()));
    const auto back = time_request(j);
    QVERIFY(!back);
    QCOMPARE(back.error().code, Code::invalid_argument);
    QVERIFY(!back.error().message.empty());
  }
  void timeReplyThereAndBack() {
    TimeReply r;
    r.device = details();
    r.seconds = 1.5;
    TimedOutcome good;
    good.name = "mine";
    good.verified = true;
    good.note = "verified";
    good.timings = {timing()};
    TimedOutcome bad;
    bad.name = "theirs";
    bad.error = "no library";
    r.subjects = {good, bad};
    const Json j = time_result(r);
    const auto back = time_reply(j);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->device.gpu, std::string("NVIDIA H200"));
    QCOMPARE(back->seconds, 1.5);
    QCOMPARE(back->subjects[0].verified, true);
    QCOMPARE(back->subjects[0].timings[0].samples.size(), std::size_t{2});
    QCOMPARE(back->subjects[1].error, std::string("no library"));
    QCOMPARE(time_reply(without(j, "subjects")).error().code, Code::corrupt);
    QCOMPARE(time_reply(without(j, "device")).error().code, Code::corrupt);
    QCOMPARE(time_reply(Json::array()).error().code, Code::corrupt);
    Json broken = j;
    broken["subjects"][0]["timings"][0].erase("cache");
    QCOMPARE(time_reply(broken).error().code, Code::corrupt);
  }
  void countAndDeviceThereAndBack() {
    CountRequest c;
    c.spec = "op a";
    c.candidate = "text";
    c.set = "full";
    c.binding.symbols = {{"N", 5}};
    const auto count = count_request(count_params(c));
    QVERIFY(count.has_value());
    QCOMPARE(count->set, std::string("full"));
    QCOMPARE(count->device, std::string("cuda:0"));
    QCOMPARE(count->binding.symbols, c.binding.symbols);
    QVERIFY(!count_request({{"set", 3}}));
    const auto device = device_request(device_params({"cuda:3", true}));
    QVERIFY(device.has_value());
    QCOMPARE(device->name, std::string("cuda:3"));
    QVERIFY(device->ceilings);
    DeviceReply r;
    r.details = details();
    QVERIFY(!device_reply(device_result(r))->ceilings);
    r.ceilings = profile::Ceilings{};
    r.ceilings->copy_bandwidth = 4.2e12;
    QCOMPARE(device_reply(device_result(r))->ceilings->copy_bandwidth, 4.2e12);
    QCOMPARE(device_reply(Json::object()).error().code, Code::corrupt);
    QCOMPARE(device_reply({{"details", 3}}).error().code, Code::corrupt);
  }
  void executeThereAndBack() {
    ExecuteRequest q;
    q.spec = "op a";
    q.candidate = "text";
    q.distribution = op::Distribution::ramp;
    q.seed = 9;
    const auto asked = execute_request(execute_params(q));
    QVERIFY(asked.has_value());
    QCOMPARE(asked->distribution, op::Distribution::ramp);
    QCOMPARE(asked->seed, std::uint64_t{9});
    QCOMPARE(execute_request({{"distribution", "lumpy"}}).error().code, Code::invalid_argument);
    ExecuteReply r;
    r.message = "wrong";
    r.printed = "hello";
    r.fault = gate::Fault{};
    r.fault->kind = "trap";
    r.fault->line = 5;
    r.resources = {{"rows", 32, 1024, 0, 0, 0, 16, 1}};
    ExecutedOutput o;
    o.tensor = "y";
    o.dtype = DType::bf16;
    o.shape = {2, 3};
    o.total = 6;
    o.wrong = 1;
    o.largest_ratio = HUGE_VAL;
    o.least = -1;
    o.nans = 2;
    o.worst = gate::FailingElement{};
    o.worst->index = {1, 2};
    o.worst->actual = std::nan("");
    r.outputs = {o};
    const Json j = execute_result(r);
    const auto back = execute_reply(j);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->right, false);
    QCOMPARE(back->fault->line, 5);
    QCOMPARE(back->resources[0].registers, 32);
    QCOMPARE(back->outputs[0].dtype, DType::bf16);
    QCOMPARE(back->outputs[0].shape, o.shape);
    QCOMPARE(back->outputs[0].largest_ratio, HUGE_VAL);
    QVERIFY(std::isnan(back->outputs[0].mean));
    QVERIFY(std::isnan(back->outputs[0].worst->actual));
    QCOMPARE(execute_reply(without(j, "outputs")).error().code, Code::corrupt);
    Json broken = j;
    broken["outputs"][0]["dtype"] = "f31";
    QCOMPARE(execute_reply(broken).error().code, Code::corrupt);
    broken = j;
    broken["fault"].erase("kind");
    QCOMPARE(execute_reply(broken).error().code, Code::corrupt);
    broken = j;
    broken["outputs"][0]["shape"][0] = "two";
    QCOMPARE(execute_reply(broken).error().code, Code::corrupt);
  }
};

QTEST_GUILESS_MAIN(MeasureMessagesTest)
#include "measure_messages_test.moc"
