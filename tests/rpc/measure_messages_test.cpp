// SPDX-License-Identifier: Apache-2.0
// Messages of time, profile and device: there and back, and what does not follow them.
#include <QtTest>
#include <cmath>
#include "rpc/messages.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::rpc;

namespace {

profile::SubjectTiming timing() {
  profile::TimedSample a;
  a.us = 12.5;
  a.replays = 40;
  a.round = 3;
  a.clocks.sm_mhz = 1980;
  a.clocks.throttle = 4;
  profile::TimedSample b;
  b.us = 13;
  return {.subject = "candidate",
          .cache = profile::Cache::warm,
          .samples = {a, b},
          .graph = false,
          .note = "plain launches"};
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
Result<T> from(const Json& j) {
  return json::read<T>(j, "it cannot be read");
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
    const auto back = from<profile::SubjectTiming>(json::of(timing()));
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
    QCOMPARE(back->samples[0].clocks.throttle, std::optional<std::uint64_t>{4});
    QVERIFY(!back->samples[1].clocks.throttle);
  }
  void detailsAndCeilingsThereAndBack() {
    const auto d = from<profile::DeviceDetails>(json::of(details()));
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    QCOMPARE(d->gpu, std::string("NVIDIA H200"));
    QCOMPARE(d->memory, std::int64_t{150'000'000'000});
    QCOMPARE(d->peak_bandwidth, 4.8e12);
    QVERIFY(std::isnan(d->peak_f64));
    QCOMPARE(d->datasheet, details().datasheet);
    profile::Ceilings c;
    c.matrix_rate = {{"f32", 5e13}};
    c.why_not = "no cuBLAS";
    const auto back = json::read_text<profile::Ceilings>(json::text_of(c, 2), "");
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
    const auto back = from<profile::CounterReport>(json::of(r));
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->passes, 4);
    QCOMPARE(back->kernels[0].launch, 1);
    QCOMPARE(back->kernels[0].values[0].unit, std::string("byte"));
    QVERIFY(std::isnan(back->kernels[0].values[1].value));
    QCOMPARE(back->kernels[0].values[2].value, HUGE_VAL);
    QCOMPARE(back->kernels[0].lines[0].reasons, k.lines[0].reasons);
  }
  void corruptMeasurementsAreNamed() {
    QCOMPARE(json::read_text<profile::Ceilings>("{{", "").error().code, Code::corrupt);
    QCOMPARE(from<profile::SubjectTiming>(Json::array()).error().code, Code::corrupt);
    QCOMPARE(from<profile::SubjectTiming>(nullptr).error().code, Code::corrupt);
    Json j = json::of(timing());
    QVERIFY(from<profile::SubjectTiming>(without(j, "samples")).error().text().find("'samples' is missing") !=
            std::string::npos);
    j["cache"] = "lukewarm";
    QVERIFY(from<profile::SubjectTiming>(j).error().text().find("'lukewarm'") != std::string::npos);
    j = json::of(timing());
    j["samples"][0]["us"] = "fast";
    QVERIFY(!from<profile::SubjectTiming>(j));
    j["samples"] = 7;
    QVERIFY(!from<profile::SubjectTiming>(j));
    j = json::of(details());
    j["memory"] = 1.5;
    QVERIFY(from<profile::DeviceDetails>(j).error().text().find("'memory' has the wrong type") != std::string::npos);
    j = json::of(details());
    j["datasheet"] = Json::array();
    QVERIFY(!from<profile::DeviceDetails>(j));
    QVERIFY(!from<profile::Ceilings>({{"matrix_rate", {{"f32", "much"}}}}));
    QVERIFY(!from<profile::CounterReport>({{"set", "small"}, {"kernels", {3}}}));
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
    const auto back = request_of<TimeRequest>(json::of(r));
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
    support::text_rows(
        {"change"},
        {{"no subjects", R"({"subjects": []})"},
         {"subjects no list", R"({"subjects": 3})"},
         {"subject no object", R"({"subjects": ["x"]})"},
         {"no name", R"({"subjects": [{"baseline": "naive"}]})"},
         {"twice", R"({"subjects": [{"name": "a", "baseline": "naive"}, {"name": "a", "baseline": "naive"}]})"},
         {"neither", R"({"subjects": [{"name": "a"}]})"},
         {"both", R"({"subjects": [{"name": "a", "candidate": "x", "baseline": "naive"}]})"},
         {"language", R"({"subjects": [{"name": "a", "candidate": "x", "language": "basic"}]})"},
         {"rounds", R"({"rounds": 0})"},
         {"samples", R"({"samples": 100000})"},
         {"offset", R"({"round_offset": -1})"},
         {"type", R"({"verify": "yes"})"},
         {"no cache", R"({"cold": false, "warm": false})"},
         {"binding", R"({"binding": {"symbols": 3}})"}});
  }
  void timeRequestsThatMakeNoSense() {
    QFETCH(QString, change);
    TimeRequest r;
    r.spec = "op a";
    r.subjects = {{"naive", "", candidate::Language::cuda, "naive"}};
    Json j = json::of(r);
    QVERIFY(request_of<TimeRequest>(j).has_value());
    j.merge_patch(Json::parse(change.toStdString()));
    const auto back = request_of<TimeRequest>(j);
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
    const Json j = json::of(r);
    const auto back = reply_of<TimeReply>(j);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(back->device.gpu, std::string("NVIDIA H200"));
    QCOMPARE(back->seconds, 1.5);
    QCOMPARE(back->subjects[0].verified, true);
    QCOMPARE(back->subjects[0].timings[0].samples.size(), std::size_t{2});
    QCOMPARE(back->subjects[1].error, std::string("no library"));
    QCOMPARE(reply_of<TimeReply>(without(j, "subjects")).error().code, Code::corrupt);
    QCOMPARE(reply_of<TimeReply>(without(j, "device")).error().code, Code::corrupt);
    QCOMPARE(reply_of<TimeReply>(Json::array()).error().code, Code::corrupt);
    Json broken = j;
    broken["subjects"][0]["timings"][0].erase("cache");
    QCOMPARE(reply_of<TimeReply>(broken).error().code, Code::corrupt);
  }
  void countAndDeviceThereAndBack() {
    CountRequest c;
    c.spec = "op a";
    c.candidate = "text";
    c.set = "full";
    c.binding.symbols = {{"N", 5}};
    const auto count = request_of<CountRequest>(json::of(c));
    QVERIFY(count.has_value());
    QCOMPARE(count->set, std::string("full"));
    QCOMPARE(count->device, std::string("cuda:0"));
    QCOMPARE(count->binding.symbols, c.binding.symbols);
    QVERIFY(!request_of<CountRequest>({{"set", 3}}));
    const auto device = request_of<DeviceRequest>(json::of(DeviceRequest{"cuda:3", true}));
    QVERIFY(device.has_value());
    QCOMPARE(device->name, std::string("cuda:3"));
    QVERIFY(device->ceilings);
    DeviceReply r;
    r.details = details();
    QVERIFY(!reply_of<DeviceReply>(json::of(r))->ceilings);
    r.ceilings = profile::Ceilings{};
    r.ceilings->copy_bandwidth = 4.2e12;
    QCOMPARE(reply_of<DeviceReply>(json::of(r))->ceilings->copy_bandwidth, 4.2e12);
    QCOMPARE(reply_of<DeviceReply>(Json::object()).error().code, Code::corrupt);
    QCOMPARE(reply_of<DeviceReply>({{"details", 3}}).error().code, Code::corrupt);
  }
};

QTEST_GUILESS_MAIN(MeasureMessagesTest)
#include "measure_messages_test.moc"
