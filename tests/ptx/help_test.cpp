// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include "ptx/help.h"

using namespace ww;
using namespace ww::ptx;

class PtxHelpTest : public QObject {
  Q_OBJECT
 private slots:
  void theLongestOpcodeWins() {
    const InstructionHelps& helps = instruction_helps();
    const auto section = [&](const char* instruction) {
      const InstructionHelp* help = helps.find(instruction);
      return help ? help->section : std::string();
    };
    QCOMPARE(section("ld.global.f32"), std::string("9.7.9.8"));
    QCOMPARE(section("ld.global.nc.v4.f32"), std::string("9.7.9.9"));
    QCOMPARE(section("ld.globalx.nc"), std::string("9.7.9.8"));
    QCOMPARE(section("add.s64"), std::string("9.7.1.1"));
    QCOMPARE(section("add.rn.ftz.f32"), std::string("9.7.3.3"));
    QCOMPARE(section("add.f16x2"), std::string("9.7.4.1"));
    QCOMPARE(section("add.cc.u32"), std::string("9.7.2.1"));
    QCOMPARE(section("bar.sync"), std::string("9.7.13.1"));
    QCOMPARE(section("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), std::string("9.7.14.5"));
    QCOMPARE(section("ret"), std::string("9.7.12.6"));
    for (const char* unknown : {"", ".", "nosuch", "nosuch.f32", "ldx", "add", "add.pred", "..", "LD.global"})
      QVERIFY2(!helps.find(unknown), unknown);
  }

  void thereIsHelpForTheCommonestOpcodes() {
    const InstructionHelps& helps = instruction_helps();
    QVERIFY(!helps.version.empty());
    std::set<std::string> opcodes;
    for (const InstructionHelp& help : helps.list) {
      opcodes.insert(help.opcode);
      QVERIFY2(help.section.starts_with("9.7.") && help.sentence.ends_with('.'), help.opcode.c_str());
    }
    QVERIFY2(opcodes.size() >= 80, std::to_string(opcodes.size()).c_str());
  }

  void brokenFilesAreRefused() {
    QVERIFY(read_helps("# only this\n\nversion 1\n"));
    for (const char* broken :
         {"ld", "ld | any | 9", "ld | some | 9 | Loads.", " | any | 9 | Loads.", "ld | any | | x", "||||"})
      QVERIFY2(!read_helps(broken), broken);
  }
};

QTEST_GUILESS_MAIN(PtxHelpTest)
#include "help_test.moc"
