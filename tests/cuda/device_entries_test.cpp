// SPDX-License-Identifier: Apache-2.0
// Kernels' parameters out of PTX whose bodies may hold anything.
#include <QtTest>
#include "device/entries.h"

using namespace ww;
using namespace ww::device;

class EntriesTest : public QObject {
  Q_OBJECT
 private slots:
  void parametersAndTheirPlaces() {
    const auto entries = read_entries(
        "\n"
        "// .entry in_a_comment(.param .u64 x)\n"
        ".version 9.0\n"
        ".target sm_90a\n"
        ".address_size 64\n"
        ".file 1 \"a .entry in a name( \"\n"
        "/* .entry another( */\n"
        ".extern .func (.param .b32 r) helper (.param .b64 p);\n"
        ".visible .entry first(\n"
        "\t.param .u32 first_param_0,\n"
        "\t.param .u64 .ptr .global .align 16 first_param_1,\n"
        "\t.param .f32 first_param_2,\n"
        "\t.param .align 64 .b8 first_param_3[128],\n"
        "\t.param .u8 first_param_4,\n"
        "\t.param .f64 first_param_5\n"
        ")\n"
        ".maxntid 256, 1, 1\n"
        "{\n"
        "\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, p, 1, 1;\n"
        "\t@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd3, {%r2, %r3}], "
        "[%r4];\n"
        "\tret;\n"
        "}\n"
        ".weak .entry nothing() { ret; }\n"
        ".entry bare { ret; }\n");
    QVERIFY2(entries, entries ? "" : entries.error().text().c_str());
    QCOMPARE(entries->size(), std::size_t{3});
    const Entry& e = (*entries)[0];
    QCOMPARE(e.name, std::string("first"));
    QCOMPARE(e.line, 9);
    const std::size_t offsets[] = {0, 8, 16, 64, 192, 200}, sizes[] = {4, 8, 4, 128, 1, 8};
    const std::string types[] = {"u32", "u64", "f32", "b8", "u8", "f64"};
    QCOMPARE(e.parameters.size(), std::size_t{6});
    for (std::size_t i = 0; i < 6; ++i) {
      QCOMPARE(e.parameters[i].offset, offsets[i]);
      QCOMPARE(e.parameters[i].size, sizes[i]);
      QCOMPARE(e.parameters[i].type, types[i]);
      QCOMPARE(e.parameters[i].is_array, i == 3);
    }
    QCOMPARE(e.bytes, std::size_t{208});
    QVERIFY((*entries)[1].parameters.empty() && (*entries)[2].parameters.empty());
    QCOMPARE((*entries)[2].name, std::string("bare"));
  }
  void aKernelDeclaredTwiceIsOne() {
    const auto entries = read_entries(".visible .entry k(.param .u64 a);\n.visible .entry k(.param .u64 a) { ret; }");
    QVERIFY(entries);
    QCOMPARE(entries->size(), std::size_t{1});
  }
  void noKernel() {
    const auto entries = read_entries("");
    QVERIFY(entries && entries->empty());
  }
  void whatCannotBeRead() {
    for (const char* text : {".entry k(.param .u64 a", ".entry k(.reg .u64 a)", ".entry k(.param a)",
                             ".entry k(.param .b8 a[)", ".entry k(.param .b8 a[99999999999])",
                             ".entry k(.param .align 0 .u64 a)", ".entry k(.param .u64 a,", ".entry"}) {
      const auto entries = read_entries(std::string("\n\n") + text);
      QVERIFY2(!entries, text);
      QCOMPARE(entries.error().code, Code::parse);
      QVERIFY2(entries.error().message.find("line 3") != std::string::npos, entries.error().message.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(EntriesTest)
#include "device_entries_test.moc"
