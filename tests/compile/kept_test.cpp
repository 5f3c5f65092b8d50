// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "compile/output_bytes.h"
#include "compile/resources.h"

using namespace ww::compile;

class KeptTest : public QObject {
  Q_OBJECT
 private slots:
  void anOutputAsBytesComesBackWhole() {
    Output o;
    o.ptx = ".version 8.0\n";
    o.cubin.assign(100, '\xff');
    o.resources.push_back({"k", 31, 1024, 8, 4, 2, 372, 1});
    o.log = "candidate.cu(3): warning: ü\n";
    o.compiler = "NVRTC 13.0";
    o.seconds = 0.25;
    const auto back = output_of_bytes(output_bytes(o));
    QVERIFY(back && back->from_cache);
    QCOMPARE(back->ptx, o.ptx);
    QCOMPARE(back->cubin, o.cubin);
    QCOMPARE(back->log, o.log);
    QCOMPARE(back->compiler, o.compiler);
    QCOMPARE(back->seconds, o.seconds);
    QCOMPARE(back->resources.size(), std::size_t{1});
    const KernelResources& k = back->resources[0];
    QVERIFY(k.kernel == "k" && k.registers == 31 && k.static_shared == 1024 && k.stack == 8 && k.spill_stores == 4 &&
            k.spill_loads == 2 && k.constant == 372 && k.barriers == 1);
  }
  void otherBytesAreNoOutput() {
    const std::string good = output_bytes({});
    for (std::size_t size = 0; size < good.size(); ++size) QVERIFY(!output_of_bytes(good.substr(0, size)));
    QVERIFY(!output_of_bytes("warpwright"));
  }
  void assemblerLogIsRead() {
    const AssemblerLog l = read_assembler_log(
        "candidate.cu(3): warning #177-D: variable \"x\" was declared\n"
        "ptxas info    : 43 bytes gmem, 64 bytes cmem[4]\n"
        "ptxas info    : Compiling entry function 'z' for 'sm_80'\n"
        "ptxas info    : Function properties for helper\n"
        "    999 bytes stack frame, 999 bytes spill stores, 999 bytes spill loads\n"
        "ptxas info    : Function properties for z\n"
        "ptxas         .     48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 24 registers, used 2 barriers, 48 bytes cumulative stack size, 1024 bytes smem, 360 "
        "bytes cmem[0], 8 bytes cmem[2]\n"
        "ptxas info    : Compile time = 12.192 ms\n"
        "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
        "ptxas info    : Function properties for a\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 8 registers, 352 bytes cmem[0]\n"
        "ptxas warning : something is odd\n");
    QCOMPARE(l.kernels.size(), std::size_t{2});
    const KernelResources& z = l.kernels[1];
    QVERIFY(z.kernel == "z" && z.registers == 24 && z.barriers == 2 && z.stack == 48 && z.spill_stores == 12 &&
            z.spill_loads == 16 && z.static_shared == 1024 && z.constant == 368);
    QVERIFY(l.kernels[0].kernel == "a" && l.kernels[0].registers == 8 && l.kernels[0].barriers == 0);
    QCOMPARE(l.rest,
             std::string(
                 "candidate.cu(3): warning #177-D: variable \"x\" was declared\nptxas warning : something is odd\n"));
  }
};

QTEST_GUILESS_MAIN(KeptTest)
#include "kept_test.moc"
