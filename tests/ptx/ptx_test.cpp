// SPDX-License-Identifier: Apache-2.0
// The PTX lexer and syntax tree: tokens, places, what the tree keeps, and that any text is read as far as it can be.
#include <QtTest>
#include "base/files.h"
#include "ptx/normal.h"
#include "ptx/one_way.h"
#include "ptx/syntax.h"

using namespace ww::ptx;

namespace {

// "name:ld dotted:.global …"
QString tokens_of(std::string_view text, bool comments = false) {
  static const char* const kinds[] = {"end", "name", "dotted", "number", "string", "mark", "comment"};
  QStringList out;
  Lexer lexer(text);
  for (Token t = comments ? lexer.next_any() : lexer.next(); t.kind != Token::Kind::end;
       t = comments ? lexer.next_any() : lexer.next())
    out << QString("%1:%2").arg(kinds[static_cast<int>(t.kind)],
                                QString::fromUtf8(t.text.data(), static_cast<int>(t.text.size())));
  return out.join(' ');
}

File entry(const std::string& text) { return parse(text); }
std::string problem_of(std::string_view text) {
  const File file = parse(text);
  return file.problem ? file.problem->text() : "";
}
std::string in_body(const std::string& text) { return ".entry k()\n{\n" + text + "\n}\n"; }
std::string problem_in_body(const std::string& text) { return problem_of(in_body(text)); }

}  // namespace

class PtxTest : public QObject {
  Q_OBJECT
 private slots:
  void tokens() {
    QCOMPARE(
        tokens_of("@!%p1 ld.global.L1::no_allocate.f32 $L_1,[%rd2+0x1fU]; // x"),
        QString("mark:@ mark:! name:%p1 name:ld dotted:.global dotted:.L1::no_allocate dotted:.f32 name:$L_1 mark:, "
                "mark:[ name:%rd2 mark:+ number:0x1fU mark:] mark:;"));
    QCOMPARE(tokens_of("9.0 1.5e-3 1. .5 0f3F800000 0x1e-5 1e5-2 12.u32"),
             QString("number:9.0 number:1.5e-3 number:1. dotted:.5 number:0f3F800000 number:0x1e mark:- number:5 "
                     "number:1e5 mark:- number:2 number:12 dotted:.u32"));
    QCOMPARE(tokens_of("a::b : :: .x::"), QString("name:a mark::: name:b mark:: mark::: dotted:.x mark:::"));
    QCOMPARE(tokens_of("a/*\n*/b // c\n#1 \"x\"\n d # e", true),
             QString("name:a comment:/*\n*/ name:b comment:// c comment:#1 \"x\" name:d mark:# name:e"));
    QCOMPARE(tokens_of("größer"), QString("name:gr mark:öß name:er"));
    QCOMPARE(tokens_of("\"a \\\" b\" \"open\nx"), QString("string:\"a \\\" b\" string:\"open name:x"));
    QCOMPARE(tokens_of("/* never closed"), QString());
    QCOMPARE(tokens_of(""), QString());
  }

  void placesOfTokens() {
    Lexer lexer("a\r\n  b /* 1\n2 */ c");
    const Token a = lexer.next(), b = lexer.next(), c = lexer.next(), end = lexer.next();
    QVERIFY(a.line == 1 && a.column == 1);
    QVERIFY(b.line == 2 && b.column == 3);
    QVERIFY(c.line == 3 && c.column == 6);
    QVERIFY(end.kind == Token::Kind::end && end.line == 3 && end.column == 7);
    QVERIFY(lexer.next().kind == Token::Kind::end);
  }

  void numbers() {
    const auto read = [](std::string_view text) {
      Number n;
      return parse_number(text, n) ? n.bits : -1;
    };
    QCOMPARE(read("0"), 0);
    QCOMPARE(read("017"), 15);
    QCOMPARE(read("0x1F"), 31);
    QCOMPARE(read("0b101U"), 5);
    QCOMPARE(read("18446744073709551614"), -2);
    Number n;
    QVERIFY(parse_number("0f7FC00001", n) && n.kind == Number::Kind::single && n.single_bits == 0x7FC00001u);
    QCOMPARE(negated(n).single_bits, 0xFFC00001u);
    QVERIFY(parse_number("2.25", n) && n.kind == Number::Kind::decimal && n.single_bits == 0x40100000u);
    QVERIFY(parse_number("0d3FF8000000000000", n) && n.kind == Number::Kind::twofold && n.bits == 0x3FF8000000000000);
    for (const char* bad : {"", "0x", "0xZZ", "08", "12a", "0f3F80000", "0f3F8000000", "1.5x", "18446744073709551616"})
      QVERIFY2(!parse_number(bad, n), bad);
  }

  void whatTwoReadersMayReadOtherwiseIsNamed() {
    const auto doubt = [](std::string_view text) {
      const auto found = find_ambiguity(text);
      return found ? found->text() : "";
    };
    for (const char* good : {"", "// größer \\ than \"this\r\n\tret;", "/* // */ .pragma \"nounroll\"; a[1] // #",
                             ".file 1 \"a#b//c\"", "ret; /**/"})
      QCOMPARE(doubt(good), std::string());
    QCOMPARE(doubt("ret;\n.pragma \"a\\\", \"; mul.f32 %f1, %f1, %f1; //\";"), std::string("2:9: a backslash"));
    QCOMPARE(doubt(std::string_view("a\n b\0c", 6)), std::string("2:3: a control character"));
    for (const char* control : {"a\rb", "a\r", "a\vb", "// \f", "\x7f"})
      QVERIFY2(doubt(control).ends_with("a control character"), control);
    QCOMPARE(doubt("// x \\ \t\nret;"), std::string("1:6: a backslash at the end of a line"));
    QCOMPARE(doubt("a \\ b"), std::string("1:3: a backslash"));
    QCOMPARE(doubt("größe"), std::string("1:3: a character outside ASCII"));
    QCOMPARE(doubt(".file 1 \"ö\""), std::string("1:9: a character outside ASCII"));
    QCOMPARE(doubt("ret;\n  # 1 \"a\"\n"), std::string("2:3: a line that begins with '#'"));
    QCOMPARE(doubt("a # b"), std::string("1:3: a '#'"));
    QCOMPARE(doubt("/* a"), std::string("1:1: an unterminated comment"));
    QCOMPARE(doubt("/*/"), std::string("1:1: an unterminated comment"));
    QCOMPARE(doubt(".pragma \"a\nb\";"), std::string("1:9: an unterminated string"));
    QCOMPARE(doubt("\""), std::string("1:1: an unterminated string"));
  }

  void theTreeKeepsWhatStandsThere() {
    const std::string text =
        ".version 9.0\n.target sm_90a, debug\n.address_size 64\n.file 1 \"candidate.cu\", 5, 6\n"
        ".extern .shared .align 16 .b8 smem[];\n.global .align 8 .u64 tab[2] = {generic(f)+4, -1};\n"
        ".visible .func (.param .b32 r) f(.param .align 8 .b8 s[24]);\n"
        "// a comment .entry\n.visible .entry k(\n.param .u64 .ptr .global .align 16 a, // first\n.param .v2 .f32 b)\n"
        ".maxntid 256, 2\n.noreturn\n{\n.reg .b32 %r<9>, x;\n.loc 1 7 3, function_name $L0+2, inlined_at 1 9 5\n"
        "$A: @!%p1 ld.global.v2.f32 {%f1, _}, [%rd1 + -8];\nsetp.lt.u32 %p1|%p2, %tid.x, tab+8;\n"
        "{ .shared .b8 tile[4][8]; }\nts: .branchtargets $A;\npr: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
        "ret;\n}\n";
    const File file = parse(text);
    QVERIFY2(!file.problem, file.problem ? file.problem->text().c_str() : "");
    QCOMPARE(file.version, std::string_view("9.0"));
    QCOMPARE(file.target, std::string_view("sm_90a"));
    QCOMPARE(file.files.at(0).name, std::string_view("candidate.cu"));
    QCOMPARE(file.functions.size(), std::size_t{2});
    QVERIFY(!file.functions[0].is_entry && !file.functions[0].has_body && file.functions[0].results.size() == 1);
    const Function& k = file.functions[1];
    QVERIFY(k.is_entry && k.has_body && k.is_readable);
    QCOMPARE(k.name, std::string_view("k"));
    QCOMPARE(k.place.line, 9);
    QCOMPARE(k.last_line, 23);
    QCOMPARE(k.parameters.size(), 2u);
    const Variable& a = file.variables[k.parameters.begin];
    const Variable& b = file.variables[k.parameters.begin + 1];
    QVERIFY(a.type == Type::u64 && a.align == 8 && a.line == 10);  // 16 is of what it points to
    QVERIFY(b.type == Type::f32 && b.align == 8 && b.bytes() == 8);
    QCOMPARE(k.attributes.size(), 2u);
    QVERIFY(file.attributes[0].name == "maxntid" && file.attributes[0].values[1] == 2 && file.attributes[0].count == 2);
    const Variable& tab = file.variables[file.items[5].range.begin];
    QVERIFY(tab.name == "tab" && tab.values.size() == 2);
    QCOMPARE(file.values[tab.values.begin].symbol, std::string_view("f"));
    QCOMPARE(file.values[tab.values.begin].addend, std::int64_t{4});
    QCOMPARE(file.values[tab.values.begin + 1].number.bits, std::int64_t{-1});

    using Kind = Statement::Kind;
    const std::vector<Kind> kinds = {Kind::registers,   Kind::location,  Kind::label,      Kind::instruction,
                                     Kind::instruction, Kind::open,      Kind::variables,  Kind::close,
                                     Kind::targets,     Kind::prototype, Kind::instruction};
    QCOMPARE(k.body.size(), static_cast<std::uint32_t>(kinds.size()));
    const auto statement = [&](std::size_t i) { return file.statements[k.body.begin + i]; };
    for (std::size_t i = 0; i < kinds.size(); ++i) QVERIFY2(statement(i).kind == kinds[i], std::to_string(i).c_str());
    const Location& l = file.locations[statement(1).range.begin];
    QVERIFY(l.place == (SourcePlace{1, 7, 3}) && l.inlined_at == (SourcePlace{1, 9, 5}));
    const Statement ld = statement(3);
    QCOMPARE(ld.name, std::string_view("ld.global.v2.f32"));
    QVERIFY(ld.guard == "%p1" && ld.guard_negated);
    QVERIFY(ld.place.line == 17 && ld.place.column == 5);
    QCOMPARE(ld.text, std::string_view("@!%p1 ld.global.v2.f32 {%f1, _}, [%rd1 + -8];"));
    std::vector<const Operand*> all;
    for (const Operand& o : file.operands_of(ld)) all.push_back(&o);
    QCOMPARE(all.size(), std::size_t{2});
    QVERIFY(all[0]->kind == Operand::Kind::vector && below(*all[0]).count() == 2);
    QVERIFY(all[1]->kind == Operand::Kind::address && all[1]->number.bits == -8 && below(*all[1]).count() == 1);
    all.clear();
    for (const Operand& o : file.operands_of(statement(4))) all.push_back(&o);
    QVERIFY(all[0]->kind == Operand::Kind::pair && below(*all[0]).count() == 2);
    QCOMPARE(all[1]->text, std::string_view("%tid.x"));
    QVERIFY(all[2]->has_offset && all[2]->number.bits == 8);
    QCOMPARE(file.variables[statement(6).range.begin].bytes(), std::size_t{32});
  }

  void problemsHavePlaces() {
    QCOMPARE(problem_of("hello"), std::string("1:1: expected a directive"));
    QCOMPARE(problem_of(".version 9.0\n.nonsense"), std::string("2:1: unknown directive .nonsense"));
    QCOMPARE(problem_of("\xef\xbb\xbf.version 9.0"), std::string("1:1: expected a directive"));
    QCOMPARE(problem_in_body("mov.u32 %r1, 0xZZ;"), std::string("3:14: malformed number"));
    QCOMPARE(problem_in_body("mov.u32 %r1 5;"), std::string("3:13: expected ';'"));
    QCOMPARE(problem_in_body("mov.u32 %r1, [[[[[[a]]]]]];"), std::string("3:19: operands are nested too deeply"));
    QCOMPARE(problem_in_body(".local .b8 x[99999999999999];"), std::string("3:14: a number is out of range here"));
    QCOMPARE(problem_in_body(".reg .q32 a;"), std::string("3:6: unknown type .q32"));
    QCOMPARE(problem_of(".entry k() { ret;"), std::string("1:18: the body of k does not end"));
    QCOMPARE(problem_of(".entry k() { ret;}}"), std::string("1:19: expected a directive"));
    QCOMPARE(problem_of(".file 1 \"open\n"), std::string("1:9: the quoted string is not closed"));
    QCOMPARE(problem_of(".global .b8 a[1] = {1, 2};"), std::string("1:24: too many initialisers"));
  }

  // After a problem the reader goes on at the next statement, so that kernels are found behind anything.
  void readsOnAfterAProblem() {
    const File file = entry(
        "rubbish { } .entry a(.param .u64 p) { mov {a, 0xZZ}; what even { is; } this; ret; }\n"
        ".entry open() { ld [; .visible .entry b(.reg .u64 x) { ret; } .entry c { ret; }");
    QVERIFY(file.problem.has_value());
    QCOMPARE(file.functions.size(), std::size_t{4});
    const char* const names[] = {"a", "open", "b", "c"};
    for (int i = 0; i < 4; ++i) {
      QCOMPARE(file.functions[i].name, std::string_view(names[i]));
      QCOMPARE(file.functions[i].is_readable, i != 2);
    }
    QCOMPARE(file.statements[file.functions[0].body.end - 1].name, std::string_view("ret"));
  }

  void commentsMayStandAnywhere() {
    const std::string plain = in_body("ld.param.u64 %rd1, [a+8];"),
                      commented =
                          ".entry/**/k/**/(/**/)/*\n*/\n{//\nld.param.u64/**/%rd1/*,*/,[/**/a/**/+/**/8//]\n];\n}";
    QCOMPARE(problem_of(plain), std::string());
    QCOMPARE(problem_of(commented), std::string());
    QVERIFY(normalised_entries(plain) == normalised_entries(commented));
  }

  void anyTextIsRead() {
    const std::string fixture = *ww::read_file(std::string(WW_SOURCE_DIR) + "/tests/simt/fixtures/12_control.sm80.ptx");
    for (std::size_t n = 0; n < fixture.size(); n += 11) {
      const File file = parse(std::string_view(fixture).substr(0, n));
      (void)normalised_entries(std::string_view(fixture).substr(0, n));
      for (const Function& f : file.functions) QVERIFY(f.body.end <= file.statements.size());
    }
    std::string windows;
    for (const char c : fixture) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    QCOMPARE(problem_of(fixture), std::string());
    QCOMPARE(problem_of(windows), std::string());
    QVERIFY(normalised_entries(fixture) == normalised_entries(windows));

    std::string binary;
    for (int i = 0; i < 4096; ++i) binary += static_cast<char>(i * 7 + i / 256);
    QVERIFY(!problem_of(binary).empty());
    QVERIFY(!problem_of("\"").empty() && !problem_of("{{{{").empty() && !problem_of(".entry").empty());
    QCOMPARE(problem_of(""), std::string());
    QCOMPARE(problem_of(std::string("\0\0", 2)), std::string());
    QCOMPARE(problem_of("/*"), std::string());
    const std::string many(1 << 20, 'a'), braces(1 << 18, '{'), deep = in_body("mov " + std::string(1 << 18, '['));
    QCOMPARE(problem_of(in_body(many + " " + many + ";")), std::string());
    QVERIFY(!problem_of(many).empty() && !problem_of(deep).empty());
    QCOMPARE(problem_of(in_body(braces)).substr(0, 2), std::string("5:"));  // scopes are no recursion
    QVERIFY(problem_of(".global .b8 a[] = " + braces).find("nested too deeply") != std::string::npos);
  }

  // A chain and a fan of calls that would take exponential time when each call wrote its function anew.
  void callsWithoutEndAreBounded() {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      const std::string next = std::to_string(i + 1), after = std::to_string(i + 2);
      text += ".func f" + std::to_string(i) + "() { call f" + next + ", (); call f" + after + ", (); ret; }\n";
    }
    const auto with = [&](const char* last) {
      return normalised_entries(text + ".func f200() { " + last +
                                " }\n.func f201() { ret; }\n.entry k() { call f0, (); }");
    };
    QCOMPARE(with("ret;").size(), std::size_t{1});
    QVERIFY(with("ret;") == with("ret;"));
  }
};

QTEST_APPLESS_MAIN(PtxTest)
#include "ptx_test.moc"
