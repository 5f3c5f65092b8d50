// SPDX-License-Identifier: Apache-2.0
// The PTX front end: what it understands, how it refuses, and that no text can hurt it.
#include <filesystem>
#include "simt/bed.h"
#include "simt/module.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

std::vector<std::string> fixtures() {
  std::vector<std::string> texts;
  for (const auto& f : std::filesystem::directory_iterator(std::string(WW_SOURCE_DIR) + "/tests/simt/fixtures"))
    if (f.path().extension() == ".ptx") texts.push_back(*read_file(f.path()));
  return texts;
}
std::string error_of(const std::string& ptx) {
  const auto m = parse_module(ptx);
  return m ? "" : m.error().message;
}

}  // namespace

class ParserTest : public QObject {
  Q_OBJECT
 private slots:
  void fixturesParse() {
    const auto texts = fixtures();
    QCOMPARE(texts.size(), std::size_t{16});
    for (const std::string& t : texts) QCOMPARE(error_of(t), std::string());
  }

  void moduleIsUnderstood() {
    const auto program = load(fixture("12_control.sm80.ptx"));
    QVERIFY(program.has_value());
    const Module& m = (*program)->module();
    QCOMPARE(m.version, std::string("9.0"));
    QCOMPARE(m.target, std::string("sm_80"));
    const Variable* tab = m.variable("tab");
    QVERIFY(tab != nullptr);
    QCOMPARE(tab->bytes(), std::size_t{16});
    QCOMPARE(tab->references.size(), std::size_t{2});
    QCOMPARE(tab->references[1].offset, std::size_t{8});
    QCOMPARE(m.variable("$str")->initial.size(), std::size_t{8});
    const KernelInfo* k = (*program)->kernel("strct");
    QVERIFY(k != nullptr);
    QCOMPARE(k->params.size(), std::size_t{3});
    QVERIFY(k->params[0].is_array);
    QCOMPARE(k->params[0].size, std::size_t{24});
    QCOMPARE(k->params[0].align, std::size_t{8});
    QCOMPARE(k->params[1].offset, std::size_t{24});
    QCOMPARE(k->param_bytes, std::size_t{40});
    QVERIFY((*program)->kernel("loc")->local_bytes >= 128);
    QVERIFY((*program)->kernel("fib") == nullptr);
    QCOMPARE(load(fixture("04_tiled_mm.sm80.ptx")).value()->kernel("transpose")->static_shared,
             std::size_t{32 * 33 * 4});
    QCOMPARE(load(fixture("04_tiled_mm.sm80.ptx")).value()->kernel("sgemm")->maxntid.x, 256u);
    QCOMPARE(load(fixture("14_sm90.sm90.ptx")).value()->kernel("clus")->cluster.x, 2u);
  }

  void sourceLinesFollowInlining() {
    const std::string body =
        ".visible .entry k() {\n.reg .b32 %r<9>;\n.loc 1 7 0\nmov.u32 %r1, 1;\n.loc 2 100 3, function_name "
        "$L__info_string0, inlined_at 1 9 5\nmov.u32 %r2, 2;\n"
        ".loc 3 50 1, function_name $L__info_string1, inlined_at 2 100 3\nmov.u32 %r3, 3;\n.loc 1 0 5\nmov.u32 %r4, "
        "4;\n.loc 1 12 1, function_name $L__info_string0, inlined_at 1 9 5\nmov.u32 %r5, 5;\nret;\n}\n";
    const auto program = load(module_text(body));
    QVERIFY2(program.has_value(), program ? "" : program.error().message.c_str());
    std::vector<int> lines;
    for (const auto& i : (*program)->instructions("k")) lines.push_back(i.source_line);
    QCOMPARE(lines, (std::vector<int>{7, 9, 9, 9, 12, 12}));  // 12: the innermost place in the candidate's own file
    QCOMPARE((*program)->source_line(7), 7);
    QCOMPARE((*program)->source_line(100000), 0);
  }

  void namesMayLookLikeOpcodes() {
    Bed bed(
        module_text(".visible .entry bar(.param .u64 add)\n{\n.reg .b64 ld, mul;\n.reg .b32 ret1;\nld.param.u64 ld, "
                    "[add];\nmov.u64 mul, ld;\nmov.u32 ret1, 9;\n"
                    "{ .reg .pred p; setp.eq.u32 p, ret1, 9; @p bra st; trap; st: }\n{ .reg .pred p; setp.eq.u32 p, "
                    "ret1, 9; @p bra st; trap; st: }\nst.global.u32 [mul], ret1;\nret;\n}\n"));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto out = bed.room<int>(1);
    QCOMPARE(bed.run("bar", {1}, {1}, out), std::string());
    QCOMPARE(bed.get<int>(out, 1)[0], 9);
  }

  void numbersInAllForms() {
    Bed bed(kernel_text("",
                        "mov.u32 %r1, 0x1F;\nadd.u32 %r1, %r1, 0b101;\nadd.u32 %r1, %r1, 017;\nadd.u32 %r1, %r1, "
                        "100U;\nadd.u32 %r1, %r1, -1;\nst.global.u32 [%o], %r1;\n"
                        "mov.f32 %f1, 0f40490FDB;\nst.global.f32 [%o+4], %f1;\nmov.f64 %fd1, "
                        "0d3FF8000000000000;\nadd.f64 %fd1, %fd1, 2.25;\nst.global.f64 [%o+8], %fd1;"));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto out = bed.room<double>(2);
    QCOMPARE(bed.run("k", {1}, {1}, out, out), std::string());
    QCOMPARE(bed.get<int>(out, 1)[0], 31 + 5 + 15 + 100 - 1);
    QCOMPARE(bed.get<float>(out, 2)[1], 3.14159274f);
    QCOMPARE(bed.get<double>(out, 2)[1], 3.75);
  }

  // The assembler takes the bits of a literal of the other width, not its value.
  void literalsOfAnotherWidthAreRefused() {
    const char* const refused[] = {"mov.f64 %fd1, 0f3F800000;", "mov.f32 %f1, 0d3FF0000000000000;",
                                   "add.f64 %fd1, %fd1, 0f3F800000;", "mov.u32 %r1, 1.0;", "mov.f32 %f1, 1;"};
    for (const char* text : refused) {
      Bed bed(kernel_text("", text));
      QVERIFY2(bed.program, bed.error.c_str());
      const std::string why = bed.run("k", {1}, {1}, bed.room<int>(1), bed.room<int>(1));
      QVERIFY2(why.find("unsupported") != std::string::npos, (text + (": " + why)).c_str());
    }
    const auto initialised = [](const std::string& variable) {
      return error_of(module_text(variable + "\n.visible .entry k() { ret; }"));
    };
    for (const char* bad : {".global .f64 g = 0f3F800000;", ".global .f32 g = 0d3FF0000000000000;",
                            ".global .f32 g = 1;", ".global .b64 g[1] = {0f3F800000};", ".global .b8 g[1] = {1.0};"})
      QVERIFY2(initialised(bad).find("a number of the wrong type initialises g") != std::string::npos, bad);
    for (const char* good : {".global .f64 g = 1.5;", ".global .f32 g = 0f3F800000;", ".global .b32 g = 0f3F800000;",
                             ".global .u8 g[2] = {1, -1};"})
      QCOMPARE(initialised(good), std::string());
    QVERIFY(error_of(module_text(".visible .entry k() { .reg .b64 %a; ld.u8 %a, [%a+1.0]; }"))
                .find("an offset must be an integer") != std::string::npos);
  }

  void branchTables() {
    Bed bed(kernel_text(
        "",
        "ts: .branchtargets A, B, C;\nand.b32 %r1, %r0, 3;\nsetp.lt.u32 %p1, %r1, 3;\nmov.u32 %r2, 99;\n@%p1 brx.idx "
        "%r1, ts;\nbra E;\n"
        "A: mov.u32 %r2, 10;\nbra E;\nB: mov.u32 %r2, 20;\nbra E;\nC: mov.u32 %r2, 30;\nE: st.global.u32 [%o], %r2;"));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto out = bed.room<int>(128);
    QCOMPARE(bed.run("k", {1}, {32}, out, out), std::string());
    const int want[] = {10, 20, 30, 99};
    for (int t = 0; t < 32; ++t) QCOMPARE(bed.get<int>(out, 128)[4 * t], want[t & 3]);
  }

  void errorsHavePlaces() {
    QCOMPARE(error_of("hello"), std::string("PTX 1:1: expected a directive"));
    QVERIFY(error_of("").find("this is not PTX") != std::string::npos);
    QVERIFY(error_of(".version 9.0\n.target sm_80\n.address_size 32\n").starts_with("PTX 3:1: "));
    const auto body = [](const std::string& text) {
      return error_of(module_text(".visible .entry k()\n{\n" + text + "\n}\n"));
    };
    QVERIFY2(body("bra nowhere;").find("6:5: label nowhere is not defined") != std::string::npos,
             body("bra nowhere;").c_str());
    QVERIFY(body(".reg .b32 a;\n.reg .b32 a;").find("declared twice") != std::string::npos);
    QVERIFY(body("A: A: ret;").find("defined twice") != std::string::npos);
    QVERIFY(body("@p ret;").find("not a predicate") != std::string::npos);
    QVERIFY(body("mov.u32 %r1, 0xZZ;").find("malformed number") != std::string::npos);
    QVERIFY(body(".reg .b32 %r<99999999999>;").size() > 0);
    QVERIFY(body(".local .b8 x[99999999999999];").size() > 0);
    QVERIFY(body("ret").find("expected") != std::string::npos);
    QVERIFY(error_of(module_text(".visible .entry k()\n{ ret;")).find("does not end") != std::string::npos);
    QVERIFY(error_of(module_text(".visible .entry k() { ret; }\n.visible .entry k() { ret; }")).find("defined twice") !=
            std::string::npos);
  }

  void everyPrefixIsSafe() {
    for (const char* name : {"12_control.sm80.ptx", "13_misc.sm80.ptx", "09_cp_async.sm80.ptx"}) {
      const std::string text = fixture(name);
      for (std::size_t n = 0; n < text.size(); n += 37) (void)load(text.substr(0, n));
    }
  }

  // A few thousand mutations: flipped, dropped, doubled and swapped pieces. Whatever still loads is run for a moment on
  // an argument block of nulls; the only requirement is an orderly answer.
  void mutationsAreSafe() {
    const auto texts = fixtures();
    Numbers random(2026);
    int loaded = 0, launched = 0;
    for (int round = 0; round < 1500; ++round) {
      std::string text = texts[random.next() % texts.size()];
      const std::size_t start = text.find(".visible .entry");
      if (text.size() - start > 6000) {  // one stretch of a large file: whole functions cost too long each round
        const std::size_t from = text.find("\n.visible .entry", start + random.next() % (text.size() - start));
        const std::size_t begin = from == std::string::npos ? start : from + 1;
        text = text.substr(0, text.find(".visible .entry")).substr(0, 3000) + text.substr(begin, 6000);
      }
      const int changes = random.between(1, 4);
      for (int c = 0; c < changes && !text.empty(); ++c) {
        const std::size_t at = random.next() % text.size(), n = 1 + random.next() % 12;
        switch (random.next() % 6) {
          case 0: text[at] = static_cast<char>(random.next()); break;
          case 1: text.erase(at, n); break;
          case 2: text.insert(at, text.substr(random.next() % text.size(), n)); break;
          case 3: text[at] = "{}[]();:,.%@!0123456789-+|_xfd\"/"[random.next() % 32]; break;
          case 4: text.insert(at, std::to_string(random.next() % 100000)); break;
          default: {
            const std::size_t digit = text.find_first_of("0123456789", at);
            if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random.next() % 10);
          }
        }
      }
      const auto program = load(text);
      if (!program) {
        QVERIFY(!program.error().message.empty());
        continue;
      }
      ++loaded;
      for (const KernelInfo& k : (*program)->kernels()) {
        if (k.param_bytes > 4096) continue;
        Memory memory(1 << 24);
        LaunchOptions options;
        options.instruction_budget = 3000;
        options.threads = 1;
        const auto r =
            launch(**program, k.name, {{1}, {40}, 0, std::vector<std::byte>(k.param_bytes)}, memory, options);
        launched += r.has_value();
      }
    }
    QVERIFY2(loaded > 50 && launched > 20,
             (std::to_string(loaded) + " loaded, " + std::to_string(launched) + " launched").c_str());
  }
};

QTEST_GUILESS_MAIN(ParserTest)
#include "parser_test.moc"
