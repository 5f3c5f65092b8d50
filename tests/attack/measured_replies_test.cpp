// SPDX-License-Identifier: Apache-2.0
// Replies to compile, time, profile and device that a worker under foreign control might give: each is one genuine
// reply with one lie in it.
#include <QtTest>
#include <cmath>
#include <functional>
#include <limits>
#include "../explore/script.h"
#include "rpc/check_reply.h"

using namespace ww;
using namespace ww::rpc;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

CompileRequest to_compile() {
  CompileRequest r;
  r.candidate = script::candidate("one", "accepted");
  return r;
}
compile::Output compiled() {
  compile::Output o;
  o.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
  o.cubin =
      "\x7f"
      "ELF and more";
  o.resources = {{"k", 16, 64, 0, 0, 0, 0, 0}};
  o.compiler = "NVRTC 13.0";
  o.seconds = 0.1;
  return o;
}

TimeRequest to_time() {
  TimeRequest r;
  r.spec = script::spec;
  r.subjects = {{"mine", "text", candidate::Language::cuda, ""}, {"theirs", "", candidate::Language::cuda, "naive"}};
  r.rounds = 2;
  r.samples = 3;
  r.round_offset = 4;
  return r;
}
profile::DeviceDetails details() {
  profile::DeviceDetails d;
  d.name = "cuda:0";
  d.multiprocessors = 132;
  d.datasheet = {{"bandwidth", 4.8e12}};
  return d;
}
TimeReply timed() {
  TimeReply reply;
  reply.device = details();
  for (const char* name : {"mine", "theirs"}) {
    TimedOutcome o;
    o.name = name;
    o.verified = true;
    for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
      profile::SubjectTiming t{name, cache, {}, true, ""};
      for (int round : {4, 5})
        for (int sample = 0; sample < 3; ++sample) t.samples.push_back({12.5, 1, round, {}});
      o.timings.push_back(t);
    }
    reply.subjects.push_back(o);
  }
  return reply;
}

CountRequest to_count() {
  CountRequest r;
  r.spec = script::spec;
  r.candidate = script::candidate("one", "accepted");
  return r;
}
profile::CounterReport counted() {
  profile::CounterReport r;
  r.set = "small";
  r.passes = 4;
  r.kernels = {{"k",
                0,
                {{"dram__bytes.sum", "byte", 4096}, {"unknown", "", no_number}, {"ratio", "", infinity}},
                {{5, {{"barrier", 3}}}}}};
  return r;
}

DeviceRequest to_describe() { return {"cuda:0", true}; }
DeviceReply described() {
  profile::Ceilings c;
  c.copy_bandwidth = 4e12;
  c.matrix_rate = {{"f32", 5e13}};
  return {details(), c};
}

// y of 2 x 3 cells of 1 x 2 elements; the fifth and the sixth column are wrong in the first row, and one element below.
GateRequest to_map() {
  GateRequest r;
  r.spec = "op scale(x: f32[R, C]) -> y: f32[R, C]\n  default R = 2, C = 6\n{\n  y[i, j] = 2 * x[i, j]\n}\n";
  return r;
}
evidence::WrongMap mapped() {
  evidence::WrongMap map;
  map.tensor = "y";
  map.dtype = "f32";
  map.shape = {2, 6};
  map.failure.case_name = "odd";
  map.failure.binding.symbols = {{"C", 6}, {"R", 2}};
  map.failure.element = evidence::FailingElement{"y", {0, 4}, 1, 2, 1e-6, 0, 3, 12};
  map.rows = 2;
  map.columns = 6;
  map.cell_columns = 2;
  map.wrong_matrices = 1;
  map.wrong_elements = {evidence::WrongPattern::scattered, {0, 1, 2}, {4, 1, 2}, {}, 0};
  map.maps = {
      {{}, 3, 4, {0, 3, 4, 6, 9, 11}, {1, 1, 1, 1, 1, 1}, {1, 1, 2, 1, 1, 2}, {0, 0.5, 9, no_number, 0, infinity}}};
  return map;
}

template <class Reply>
struct Forgery {
  const char* name;
  std::function<void(Reply&)> lie;
};

// Every one is found, and the genuine one passes.
template <class Request, class Reply>
QString unseen(Status (*check)(const Request&, const Reply&), const Request& request, const Reply& genuine,
               const std::vector<Forgery<Reply>>& forgeries) {
  if (const Status s = check(request, genuine); !s) return "genuine: " + QString::fromStdString(s.error().text());
  QStringList missed;
  for (const Forgery<Reply>& f : forgeries) {
    Reply reply = genuine;
    f.lie(reply);
    const Status s = check(request, reply);
    if (s || s.error().code != Code::corrupt || s.error().cause.empty()) missed << f.name;
  }
  return missed.join(", ");
}

}  // namespace

class MeasuredRepliesTest : public QObject {
  Q_OBJECT
 private slots:
  void compilations() {
    using F = Forgery<compile::Output>;
    const std::vector<F> all = {
        {"no PTX", [](auto& o) { o.ptx.clear(); }},
        {"machine code that is none", [](auto& o) { o.cubin = "#!/bin/sh"; }},
        {"an endless log", [](auto& o) { o.log.assign(1 << 20, 'x'); }},
        {"an endless compiler", [](auto& o) { o.compiler.assign(1 << 20, 'x'); }},
        {"negative seconds", [](auto& o) { o.seconds = -1; }},
        {"no number of seconds", [](auto& o) { o.seconds = no_number; }},
        {"endless seconds", [](auto& o) { o.seconds = infinity; }},
        {"a kernel without a name", [](auto& o) { o.resources[0].kernel.clear(); }},
        {"a kernel twice", [](auto& o) { o.resources.push_back(o.resources[0]); }},
        {"a kernel that is not there", [](auto& o) { o.resources[0].kernel = "other"; }},
        {"registers below zero", [](auto& o) { o.resources[0].registers = -1; }},
        {"shared memory below zero", [](auto& o) { o.resources[0].static_shared = -1; }},
        {"a stack below zero", [](auto& o) { o.resources[0].stack = -1; }},
        {"spills below zero", [](auto& o) { o.resources[0].spill_stores = -1; }},
        {"reloads below zero", [](auto& o) { o.resources[0].spill_loads = -1; }},
        {"constants below zero", [](auto& o) { o.resources[0].constant = -1; }},
        {"barriers below zero", [](auto& o) { o.resources[0].barriers = -1; }},
    };
    QCOMPARE(unseen(check_compiled, to_compile(), compiled(), all), QString());
  }
  // Its program is its text, whatever the worker says.
  void thePtxOfPtxIsItsOwn() {
    CompileRequest r;
    r.language = candidate::Language::ptx;
    r.candidate = compiled().ptx;
    QVERIFY(check_compiled(r, compiled()));
    compile::Output other = compiled();
    other.ptx += ".visible .entry another() { ret; }\n";
    QCOMPARE(check_compiled(r, other).error().cause, std::string("its PTX is not the candidate's"));
  }
  void timings() {
    using F = Forgery<TimeReply>;
    const auto sample = [](TimeReply& r) -> profile::TimedSample& { return r.subjects[0].timings[0].samples[2]; };
    const std::vector<F> all = {
        {"no subject", [](auto& r) { r.subjects.clear(); }},
        {"a subject less", [](auto& r) { r.subjects.pop_back(); }},
        {"a subject twice", [](auto& r) { r.subjects[1] = r.subjects[0]; }},
        {"a subject more", [](auto& r) { r.subjects.push_back(r.subjects[0]); }},
        {"subjects in another order", [](auto& r) { std::swap(r.subjects[0], r.subjects[1]); }},
        {"another subject", [](auto& r) { r.subjects[0].name = "other"; }},
        {"another device", [](auto& r) { r.device.name = "cuda:1"; }},
        {"no device", [](auto& r) { r.device.name.clear(); }},
        {"negative memory", [](auto& r) { r.device.memory = -1; }},
        {"negative multiprocessors", [](auto& r) { r.device.multiprocessors = -132; }},
        {"a negative clock of the device", [](auto& r) { r.device.sm_max_mhz = -1; }},
        {"an infinite rate of the device", [](auto& r) { r.device.peak_f32 = infinity; }},
        {"a figure that is no number", [](auto& r) { r.device.datasheet[0].second = no_number; }},
        {"an endless name of the device", [](auto& r) { r.device.gpu.assign(1 << 20, 'x'); }},
        {"negative seconds", [](auto& r) { r.seconds = -1; }},
        {"no number of seconds", [](auto& r) { r.seconds = no_number; }},
        {"verified and wrong", [](auto& r) { r.subjects[0].error = "wrong"; }},
        {"an endless note", [](auto& r) { r.subjects[0].note.assign(1 << 20, 'x'); }},
        {"an endless note of a timing", [](auto& r) { r.subjects[0].timings[0].note.assign(1 << 20, 'x'); }},
        {"another's timing", [](auto& r) { r.subjects[0].timings[0].subject = "theirs"; }},
        {"a regime twice", [](auto& r) { r.subjects[0].timings[1].cache = profile::Cache::cold; }},
        {"no sample", [](auto& r) { r.subjects[0].timings[0].samples.clear(); }},
        {"a sample more than was asked for",
         [](auto& r) { r.subjects[0].timings[0].samples.push_back(r.subjects[0].timings[0].samples[0]); }},
        {"a negative time", [&](auto& r) { sample(r).us = -1e-9; }},
        {"an infinite time", [&](auto& r) { sample(r).us = infinity; }},
        {"a time that is no number", [&](auto& r) { sample(r).us = no_number; }},
        {"a time of no execution", [&](auto& r) { sample(r).replays = 0; }},
        {"a time of fewer than none", [&](auto& r) { sample(r).replays = -1; }},
        {"an earlier round", [&](auto& r) { sample(r).round = 3; }},
        {"a later round", [&](auto& r) { sample(r).round = 6; }},
        {"a round below zero", [&](auto& r) { sample(r).round = std::numeric_limits<int>::min(); }},
        {"a negative clock", [&](auto& r) { sample(r).clocks.sm_mhz = -1; }},
        {"an infinite power", [&](auto& r) { sample(r).clocks.power_w = infinity; }},
    };
    QCOMPARE(unseen(check_times, to_time(), timed(), all), QString());
    TimeRequest r = to_time();
    r.warm = false;
    QVERIFY(!check_times(r, timed()));  // timed with a warm cache, which was not asked for
    r = to_time();
    r.verify = false;
    QVERIFY(!check_times(r, timed()));
    TimeReply left = timed();  // the device was lost before it was the second one's turn
    left.subjects[1] = {"theirs", "", false, "", {}};
    QVERIFY(check_times(to_time(), left));
  }
  void counters() {
    using F = Forgery<profile::CounterReport>;
    const std::vector<F> all = {
        {"another set", [](auto& r) { r.set = "full"; }},
        {"passes below zero", [](auto& r) { r.passes = -1; }},
        {"negative seconds", [](auto& r) { r.seconds = -1; }},
        {"no number of seconds", [](auto& r) { r.seconds = no_number; }},
        {"an endless reason", [](auto& r) { r.why_not.assign(1 << 20, 'x'); }},
        {"another kernel", [](auto& r) { r.kernels[0].kernel = "other"; }},
        {"a launch that is not planned", [](auto& r) { r.kernels[0].launch = 1; }},
        {"a launch below zero", [](auto& r) { r.kernels[0].launch = -1; }},
        {"a launch twice", [](auto& r) { r.kernels.push_back(r.kernels[0]); }},
        {"a negative counter", [](auto& r) { r.kernels[0].values[0].value = -1; }},
        {"a counter below everything", [](auto& r) { r.kernels[0].values[0].value = -infinity; }},
        {"a counter twice", [](auto& r) { r.kernels[0].values[1].name = "dram__bytes.sum"; }},
        {"a counter without a name", [](auto& r) { r.kernels[0].values[1].name.clear(); }},
        {"a line below zero", [](auto& r) { r.kernels[0].lines[0].line = -1; }},
        {"a line behind the last", [](auto& r) { r.kernels[0].lines[0].line = 100; }},
    };
    QCOMPARE(unseen(check_counts, to_count(), counted(), all), QString());
    CountRequest r = to_count();
    r.candidate = "no candidate at all";
    QVERIFY(!check_counts(r, counted()));
  }
  void maps() {
    using F = Forgery<evidence::WrongMap>;
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const std::vector<F> all = {
        {"no tensor", [](auto& m) { m.tensor.clear(); }},
        {"an input", [](auto& m) { m.tensor = m.failure.element->tensor = "x"; }},
        {"another type", [](auto& m) { m.dtype = "f64"; }},
        {"another shape",
         [](auto& m) {
           m.shape = {3, 4};
         }},
        {"no shape", [](auto& m) { m.shape.clear(); }},
        {"a size below zero",
         [](auto& m) {
           m.shape = {-2, -6};
         }},
        {"sizes beyond everything",
         [](auto& m) {
           m.shape = {huge, huge};
         }},
        {"no case", [](auto& m) { m.failure.case_name.clear(); }},
        {"an endless case", [](auto& m) { m.failure.case_name.assign(1 << 20, 'x'); }},
        {"sizes that the op does not have", [](auto& m) { m.failure.binding.symbols["N"] = 1; }},
        {"other sizes", [](auto& m) { m.failure.binding.symbols["C"] = 7; }},
        {"no failure", [](auto& m) { m.failure.element.reset(); }},
        {"another tensor's failure", [](auto& m) { m.failure.element->tensor = "z"; }},
        {"a failure beside the tensor",
         [](auto& m) {
           m.failure.element->index = {0, 6};
         }},
        {"a failure with an index less", [](auto& m) { m.failure.element->index = {0}; }},
        {"fewer elements than there are", [](auto& m) { m.failure.element->total = 11; }},
        {"more wrong elements than its maps", [](auto& m) { m.failure.element->wrong = 4; }},
        {"other rows", [](auto& m) { m.rows = 3; }},
        {"no columns", [](auto& m) { m.columns = 0; }},
        {"rows below zero", [](auto& m) { m.rows = -2; }},
        {"more matrices", [](auto& m) { m.matrices = 2; }},
        {"cells of nothing", [](auto& m) { m.cell_rows = 0; }},
        {"cells below zero", [](auto& m) { m.cell_columns = -2; }},
        {"cells larger than the matrix", [](auto& m) { m.cell_rows = huge; }},
        {"no wrong matrix", [](auto& m) { m.wrong_matrices = 0; }},
        {"more wrong matrices than there are", [](auto& m) { m.wrong_matrices = 2; }},
        {"no map", [](auto& m) { m.maps.clear(); }},
        {"a map twice",
         [](auto& m) {
           m.maps.push_back(m.maps[0]);
           m.matrices = m.wrong_matrices = 2;
         }},
        {"a map twice of one matrix", [](auto& m) { m.maps.push_back(m.maps[0]); }},
        {"a cell less", [](auto& m) { m.maps[0].element.pop_back(); }},
        {"a value less", [](auto& m) { m.maps[0].expected.pop_back(); }},
        {"a value more", [](auto& m) { m.maps[0].actual.push_back(0); }},
        {"no errors", [](auto& m) { m.maps[0].ratio.clear(); }},
        {"a negative error", [](auto& m) { m.maps[0].ratio[0] = -1; }},
        {"another cell's element", [](auto& m) { m.maps[0].element[0] = 2; }},
        {"an element below zero", [](auto& m) { m.maps[0].element[0] = -1; }},
        {"an element beside the matrix", [](auto& m) { m.maps[0].element[5] = 12; }},
        {"a subscript too many", [](auto& m) { m.maps[0].leading = {0}; }},
        {"no wrong element", [](auto& m) { m.maps[0].wrong = 0; }},
        {"more wrong elements than cells hold", [](auto& m) { m.maps[0].wrong = m.failure.element->wrong = 5; }},
        {"a first element that is right", [](auto& m) { m.maps[0].first = 0; }},
        {"a first element below zero", [](auto& m) { m.maps[0].first = -1; }},
        {"a first element beside the matrix", [](auto& m) { m.maps[0].first = huge; }},
        {"no row in its pattern", [](auto& m) { m.wrong_elements.rows.count = 0; }},
        {"rows of its pattern beside the matrix",
         [](auto& m) {
           m.wrong_elements.rows = {1, 1, 2};
         }},
        {"columns without end",
         [](auto& m) {
           m.wrong_elements.columns = {0, huge, 2};
         }},
        {"columns before the first", [](auto& m) { m.wrong_elements.columns.first = -1; }},
        {"elements without end", [](auto& m) { m.wrong_elements.pattern = evidence::WrongPattern::elements; }},
        {"a share over one", [](auto& m) { m.wrong_elements.share = 1.5; }},
        {"a share that is no number", [](auto& m) { m.wrong_elements.share = no_number; }},
        {"an infinite factor",
         [](auto& m) {
           m.wrong_values = {evidence::WrongRule::scaled, infinity, 0, 0};
         }},
        {"a neighbour beyond the matrix",
         [](auto& m) {
           m.wrong_values = {evidence::WrongRule::neighbour, 0, -huge, 0};
         }},
    };
    QCOMPARE(unseen(check_wrong, to_map(), mapped(), all), QString());
    GateRequest r = to_map();
    r.spec = "no op at all";
    QVERIFY(!check_wrong(r, mapped()));
  }
  void devices() {
    using F = Forgery<DeviceReply>;
    const std::vector<F> all = {
        {"another device", [](auto& r) { r.details.name = "simt"; }},
        {"a negative cache", [](auto& r) { r.details.l2 = -1; }},
        {"negative registers", [](auto& r) { r.details.registers_per_sm = -1; }},
        {"an endless architecture", [](auto& r) { r.details.architecture.assign(1 << 20, '9'); }},
        {"a negative bandwidth", [](auto& r) { r.details.peak_bandwidth = -1; }},
        {"a negative ceiling", [](auto& r) { r.ceilings->copy_bandwidth = -1; }},
        {"a negative ceiling of a cache", [](auto& r) { r.ceilings->l2_bandwidth = -1; }},
        {"an infinite ceiling", [](auto& r) { r.ceilings->copy_bandwidth = infinity; }},
        {"a rate that is no number", [](auto& r) { r.ceilings->matrix_rate[0].second = no_number; }},
        {"an endless date", [](auto& r) { r.ceilings->measured.assign(1 << 20, '2'); }},
    };
    QCOMPARE(unseen(check_device, to_describe(), described(), all), QString());
    QVERIFY(!check_device({"cuda:0", false}, described()));  // ceilings, which were not asked for
  }
};

QTEST_GUILESS_MAIN(MeasuredRepliesTest)
#include "measured_replies_test.moc"
