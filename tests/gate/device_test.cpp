// SPDX-License-Identifier: Apache-2.0
// Argument marshalling, and the SIMT machine behind the device seam.
#include <QtTest>
#include <algorithm>
#include <cstring>
#include "device/device.h"
#include "device/marshal.h"
#include "support/planned.h"

using namespace ww;
using namespace ww::device;
using candidate::PlannedArg;
using candidate::PlannedLaunch;
using testing::real, testing::tensor, testing::whole;

namespace {

Result<std::vector<std::byte>> one(PlannedArg arg, const std::string& type, std::size_t size, bool array = false) {
  PlannedLaunch l;
  l.kernel = "k";
  l.args = {std::move(arg)};
  return marshal(l, {{type, size, 0, array}}, size, [](const std::string& name) -> std::optional<std::uint64_t> {
    return name == "x" ? std::optional<std::uint64_t>(0x1234500000000u) : std::nullopt;
  });
}

template <class T>
T value(const std::vector<std::byte>& bytes, std::size_t at = 0) {
  T v{};
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}

const char* add_ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 add_0, .param .u64 add_1, .param .u32 add_2, .param .f32 add_3)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [add_0];
  ld.param.u64 %rd2, [add_1];
  ld.param.u32 %r1, [add_2];
  ld.param.f32 %f3, [add_3];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f1, %f3;
  st.global.f32 [%rd5], %f2;
DONE:
  ret;
}
)";

PlannedLaunch add_launch(std::int64_t n) {
  return testing::launch_of("add", 4, 64, {tensor("x"), tensor("y"), whole(n), real(1)});
}

}  // namespace

class DeviceTest : public QObject {
  Q_OBJECT
  static std::shared_ptr<const Module> load_add() {
    compile::Output o;
    o.ptx = add_ptx;
    auto m = open_simt()->load(o);
    if (!m) qFatal("%s", m.error().text().c_str());
    return *m;
  }
  static std::unique_ptr<Execution> prepared(const Module& module, std::int64_t x_count = 200) {
    auto e = module.execution();
    std::vector<float> x(static_cast<std::size_t>(x_count), 2.0f);
    if (!(*e)->allocate("x", DType::f32, x_count, Access::read_only) ||
        !(*e)->write("x", std::as_bytes(std::span(x))) || !(*e)->allocate("y", DType::f32, 200, Access::read_write) ||
        !(*e)->poison("y", 0xFF))
      qFatal("cannot prepare");
    return std::move(*e);
  }

 private slots:
  void tensorsArePointers() {
    QCOMPARE(value<std::uint64_t>(*one(tensor("x"), "u64", 8)), std::uint64_t{0x1234500000000u});
    QVERIFY(one(tensor("x"), "b64", 8).has_value());
    QVERIFY(!one(tensor("x"), "u32", 4));
    QVERIFY(!one(tensor("x"), "f64", 8));
    QVERIFY(!one(tensor("x"), "b8", 8, true));
    QCOMPARE(one(tensor("z"), "u64", 8).error().code, Code::internal);
  }
  void integersMustFit() {
    QCOMPARE(value<std::int32_t>(*one(whole(-7), "s32", 4)), -7);
    QCOMPARE(value<std::uint32_t>(*one(whole(4294967295), "u32", 4)), 4294967295u);
    QVERIFY(!one(whole(4294967296), "u32", 4));
    QVERIFY(!one(whole(-2147483649), "s32", 4));
    QVERIFY(one(whole(-1), "s8", 1).has_value());
    QVERIFY(!one(whole(300), "u8", 1));
    QCOMPARE(value<std::int64_t>(*one(whole(std::int64_t{1} << 40), "s64", 8)), std::int64_t{1} << 40);
    QCOMPARE(value<float>(*one(whole(3), "f32", 4)), 3.0f);
    QVERIFY(!one(whole(16777217), "f32", 4));
    QCOMPARE(value<double>(*one(whole(16777217), "f64", 8)), 16777217.0);
    const auto refused = one(whole(300), "u8", 1);
    QCOMPARE(refused.error().code, Code::invalid_argument);
    QCOMPARE(refused.error().message, std::string("argument 1 of the kernel k is the integer 300, but the parameter is "
                                                  "a 8-bit integer: the value does not fit"));
  }
  void realsNeedRealParameters() {
    QCOMPARE(value<float>(*one(real(0.1), "f32", 4)), 0.1f);
    QCOMPARE(value<double>(*one(real(0.1), "f64", 8)), 0.1);
    QVERIFY(!one(real(0.1), "u32", 4));
    QVERIFY(!one(real(1e300), "f32", 4));
    QVERIFY(!one(real(0.5), "b8", 2, true));
  }
  void countsMustAgree() {
    PlannedLaunch l;
    l.kernel = "k";
    l.args = {whole(1), whole(2)};
    const auto r = marshal(l, {{"u32", 4, 0, false}}, 4);
    QCOMPARE(r.error().message, std::string("the kernel k takes 1 parameters, its launch passes 2"));
  }
  void offsetsAreKept() {
    PlannedLaunch l;
    l.kernel = "k";
    l.args = {whole(1), tensor("x"), real(2)};
    const auto r = marshal(l, {{"u32", 4, 0, false}, {"u64", 8, 8, false}, {"f32", 4, 16, false}}, 20);
    QVERIFY(r.has_value());
    QCOMPARE(value<std::uint32_t>(*r, 0), 1u);
    QCOMPARE(value<std::uint64_t>(*r, 8), std::uint64_t{0});
    QCOMPARE(value<float>(*r, 16), 2.0f);
  }
  void devicesByName() {
    QVERIFY(open("simt").has_value());
    QCOMPARE(open("simt:1").error().code, Code::not_found);
    QCOMPARE(open("quantum").error().code, Code::unavailable);
    add_kind("test", [](std::string_view name) -> Result<std::unique_ptr<Device>> {
      return fail(Code::unsupported, std::string(name));
    });
    QCOMPARE(open("test:3").error().message, std::string("test:3"));
  }
  void countsAddUp() {
    Counts a, b;
    a.values = {{"launches", 1}, {"x", 2}};
    b.values = {{"launches", 1}, {"y", 5}};
    evidence::LineCount l;
    l.line = 7;
    l.warp_instructions = 3;
    b.lines = {l};
    a += b;
    a += b;
    QCOMPARE(a.values, (std::vector<std::pair<std::string, double>>{{"launches", 3}, {"x", 2}, {"y", 10}}));
    QCOMPARE(a.lines.size(), std::size_t{1});
    QCOMPARE(a.lines[0].warp_instructions, std::uint64_t{6});
  }
  // Of tensors of 2^32 + 200 elements the last 200 exist, of a grid of 4 blocks the last two run: others would fault.
  void theEndOfALargeTensor() {
    const auto module = load_add();
    const std::int64_t count = (std::int64_t{1} << 32) + 200;
    const auto e = std::move(*module->execution());
    std::vector<float> x(200, 2.0f);
    QVERIFY(e->allocate_end("x", DType::f32, count, 200, Access::read_only));
    QVERIFY(e->write("x", std::as_bytes(std::span(x))));
    QVERIFY(e->allocate("y", DType::f32, 256, Access::read_write) && e->poison("y", 0xFF));
    QVERIFY(!e->allocate_end("z", DType::f32, 10, 11, Access::read_only));
    LaunchOptions o;
    o.first_block = {2, 0, 0};
    const auto outside = e->launch(add_launch(256), o);
    QVERIFY(outside && outside->fault && outside->fault->kind == FaultKind::out_of_bounds);
    QCOMPARE(outside->fault->address - *e->address("x"), std::uint64_t{128 * 4});
    QVERIFY(e->renew(1));
    QVERIFY(e->allocate_end("x", DType::f32, 256, 128, Access::read_only));
    QVERIFY(e->write("x", std::as_bytes(std::span(x).first(128))));
    QVERIFY(e->allocate("y", DType::f32, 256, Access::read_write) && e->poison("y", 0xFF));
    const auto inside = e->launch(add_launch(256), o);
    QVERIFY2(inside && !inside->fault, inside ? inside->fault->message.c_str() : "");
    QCOMPARE(e->unwritten("y")->count, std::size_t{512});
    QCOMPARE(e->unwritten("y")->last, std::size_t{511});
    o.first_block = {4, 0, 0};
    QVERIFY(!e->launch(add_launch(256), o));
  }
  void aKernelRuns() {
    const auto module = load_add();
    QCOMPARE(module->kernels().at(0).name, std::string("add"));
    QVERIFY(module->fits(add_launch(200)));
    QVERIFY(!module->fits(PlannedLaunch{"sub"}));
    const auto e = prepared(*module);
    QCOMPARE(e->unwritten("y")->count, std::size_t{800});
    LaunchOptions o;
    o.checks = Checks::full;
    o.counters = true;
    const auto out = e->launch(add_launch(150), o);
    QVERIFY2(out.has_value(), out ? "" : out.error().text().c_str());
    QVERIFY(!out->fault);
    QCOMPARE(e->unwritten("y")->count, std::size_t{200});
    QCOMPARE(e->unwritten("y")->first, std::size_t{600});
    QCOMPARE(e->unwritten("y")->last, std::size_t{799});
    std::vector<float> y(200);
    QVERIFY(e->read("y", std::as_writable_bytes(std::span(y))));
    QCOMPARE(y[149], 3.0f);
    std::vector<float> x(200, 2.0f);
    QVERIFY(*e->holds("x", std::as_bytes(std::span(x))));
    QVERIFY(!*e->holds("y", std::as_bytes(std::span(x))));
    QVERIFY(!**e->check_guards().map([](const auto& f) { return std::optional<bool>(f.has_value()); }));
    const auto get = [&](const std::string& name) {
      for (const auto& [n, v] : out->counts.values)
        if (n == name) return v;
      return -1.0;
    };
    QCOMPARE(get("threads"), 256.0);
    QCOMPARE(get("launches"), 1.0);
    QCOMPARE(get("global_load_bytes"), 600.0);
    QCOMPARE(get("global_store_bytes"), 600.0);
    QCOMPARE(get("global_bytes"), 1200.0);
    QVERIFY(get("warp_instructions") > 100);
    // Without line information the PTX is its own source: line 23 is the load.
    const auto load = std::find_if(out->counts.lines.begin(), out->counts.lines.end(),
                                   [](const evidence::LineCount& l) { return l.line == 23; });
    QVERIFY(load != out->counts.lines.end());
    QCOMPARE(load->thread_instructions, std::uint64_t{150});
    QCOMPARE(load->global_sectors, std::uint64_t{19});
    QCOMPARE(load->global_load_sectors, std::uint64_t{19});
    QCOMPARE(load->global_store_sectors, std::uint64_t{0});
    QVERIFY(std::any_of(out->counts.lines.begin(), out->counts.lines.end(), [](const evidence::LineCount& l) {
      return l.global_store_sectors == 19 && l.global_load_sectors == 0;
    }));
  }
  void faultsAreSpokenPlainly() {
    const auto module = load_add();
    const auto short_x = prepared(*module, 100);
    auto out = short_x->launch(add_launch(200), {});
    QVERIFY(out.has_value());
    QVERIFY(out->fault.has_value());
    QCOMPARE(out->fault->kind, FaultKind::out_of_bounds);
    QCOMPARE(out->fault->buffer, std::string("x"));
    QVERIFY(out->fault->offset >= 400);
    QCOMPARE(out->fault->line, 23);
    const auto e = prepared(*module);
    PlannedLaunch into_x = add_launch(200);
    std::swap(into_x.args[0], into_x.args[1]);
    out = e->launch(into_x, {});
    QCOMPARE(out->fault->kind, FaultKind::read_only_write);
    LaunchOptions full;
    full.checks = Checks::full;
    const auto fresh = prepared(*module);
    into_x.args[1] = tensor("y");
    out = fresh->launch(into_x, full);
    QCOMPARE(out->fault->kind, FaultKind::uninitialised_read);
    PlannedLaunch cooperative = add_launch(200);
    cooperative.cooperative = true;
    QVERIFY(!fresh->launch(cooperative, {})->fault);
  }
  void misuseIsAnError() {
    const auto module = load_add();
    const auto e = prepared(*module);
    QVERIFY(!e->allocate("x", DType::f32, 1, Access::read_only));
    QVERIFY(!e->allocate("z", DType::f32, -1, Access::read_only));
    QVERIFY(!e->write("nothing", {}));
    QVERIFY(!e->unwritten("nothing"));
    std::vector<std::byte> wrong(3);
    QVERIFY(!e->read("y", wrong));
    QVERIFY(!e->launch(PlannedLaunch{"sub"}, {}));
    compile::Output bad;
    bad.ptx = "this is no PTX";
    QVERIFY(!open_simt()->load(bad));
  }
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
