// SPDX-License-Identifier: Apache-2.0
// Places to stop at as people write them, and what registers are called in CUDA's words.
#include <QtTest>
#include "sim/register_names.h"
#include "sim/stop_text.h"
#include "simt/module.h"

using namespace ww;
using namespace ww::sim;

class StopTextTest : public QObject {
  Q_OBJECT
 private slots:
  void placesAreRead() {
    const auto read = [](const char* text) { return read_stop(text).value_or(StopAt{}); };
    QCOMPARE(read("line:12").line, 12);
    QCOMPARE(read("ptx 40").kind, StopKind::ptx_line);
    QCOMPARE(read(" barrier ").kind, StopKind::barrier);
    QCOMPARE(read("line").kind, StopKind::source_line);
    QCOMPARE(read("step").kind, StopKind::instruction);
    QCOMPARE(read("warp 3 line").warp, 3);
    StopAt at = read("thread 5 reads out[33]");
    QVERIFY(at.kind == StopKind::read && at.buffer == "out" && at.index == 33 && at.thread == 5);
    at = read("y[7]");
    QVERIFY(at.kind == StopKind::write && at.buffer == "y" && at.index == 7 && at.thread == -1);
    at = read("warp 2: write:shared[3]");
    QVERIFY(at.kind == StopKind::write && at.buffer == "shared" && at.warp == 2);
    at = read("thread 3, sum changes");
    QVERIFY(at.kind == StopKind::changes && at.variable == "sum" && at.thread == 3);
    at = read("%f3 >= -0.5");
    QVERIFY(at.kind == StopKind::holds && at.variable == "%f3" && at.relation == Relation::at_least);
    QCOMPARE(at.number, -0.5);
    QCOMPARE(read("k==16").relation, Relation::equal);
    QCOMPARE(read("thread == 2").variable, std::string("thread"));  // a variable of this name
  }

  void whatIsNoPlaceIsRefused() {
    for (const char* text : {"", "y", "y[", "y[-1]", "y[1.5]", "line:0", "line:x", "line:", "lines", "thread 5",
                             "sum becomes 3", "sum > x", "sum >", "thread 99999999999 reads y[0]", "[3]", "reads"}) {
      const auto at = read_stop(text);
      QVERIFY2(!at, text);
      QCOMPARE(at.error().code, Code::invalid_argument);
      QVERIFY(!at.error().cause.empty());
    }
  }

  void registersHaveCudasWords() {
    const auto module = simt::parse_module(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 "
        "p2)\n{\n.reg .pred %p<2>;\n.reg .f32 %f<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        ".shared .align 4 .b8 _ZZ1kE4part[128];\n"
        "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nld.param.u32 %r1, [p2];\n"
        "cvta.to.global.u64 %rd3, %rd1;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
        "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.s32 %p1, %r5, %r1;\n@%p1 bra END;\n"
        "mul.wide.s32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd3, %rd4;\nld.global.f32 %f1, [%rd5+8];\n"
        "shl.b32 %r6, %r4, 2;\nmov.u32 %r7, _ZZ1kE4part;\nadd.s32 %r8, %r7, %r6;\nst.shared.f32 [%r8], %f1;\n"
        "ld.shared.f32 %f2, [%r7+64];\n@%p1 mov.f32 %f2, %f1;\nEND:\nret;\n}\n");
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    const simt::Function& f = *module->function("k");
    const std::vector<std::string> names = register_names(f, {"x", "y", "n"});
    const auto name = [&](const std::string& reg) {
      for (std::size_t i = 0; i < f.registers.size(); ++i)
        if (f.registers[i].name == reg) return names[i];
      return std::string("absent");
    };
    QCOMPARE(name("%r5"), std::string("blockIdx.x * blockDim.x + threadIdx.x"));
    QCOMPARE(name("%p1"), std::string("blockIdx.x * blockDim.x + threadIdx.x >= n"));
    QCOMPARE(name("%rd5"), std::string("&x[blockIdx.x * blockDim.x + threadIdx.x]"));
    QCOMPARE(name("%f1"), std::string("x[blockIdx.x * blockDim.x + threadIdx.x + 2]"));
    QCOMPARE(name("%r8"), std::string("&part[threadIdx.x]"));
    QCOMPARE(name("%f2"), std::string());              // written twice
    QCOMPARE(register_names(f, {})[0].empty(), true);  // unknown parameters
  }

  void parametersOfAKernelAreRead() {
    const char* code =
        "/* __global__ void k(int wrong) */\n__device__ void k2(int no);\ntemplate <class T> struct S {};\n"
        "extern \"C\" __global__ void __launch_bounds__(64) k(const float* __restrict__ x,\n  S<int, 2> s, // , z\n"
        "  float (&unused)[4], int n) { k2(n); }\n";
    QCOMPARE(parameter_names(code, "k").front(), std::string("x"));
    QCOMPARE(parameter_names(code, "k").back(), std::string("n"));
    QCOMPARE(parameter_names(code, "k")[1], std::string("s"));
    QVERIFY(parameter_names(code, "k2").empty());
    QVERIFY(parameter_names("__global__ void k(", "k").empty());
    QCOMPARE(variable_name("_ZZ7productE2as"), std::string("as"));
    QCOMPARE(variable_name("table"), std::string("table"));
  }
};

QTEST_GUILESS_MAIN(StopTextTest)
#include "stop_text_test.moc"
