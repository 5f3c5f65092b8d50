// SPDX-License-Identifier: Apache-2.0
// What the checker says of faulty specs: place, length of the mark, sentence and hint, each word of it.
#include <QtTest>
#include <algorithm>
#include <string>
#include <vector>
#include "op/parse.h"

using namespace ww;
using namespace ww::op;

namespace {

struct Expected {
  const char* text;
  int line, column, length;
  const char* message;
  const char* hint;
};

// Rows with the same text are the reports on that text, in order.
const std::vector<Expected> right_sides = {
    {R"(x[i, j] +)", 4, 1, 1, "expected a value, found '}'", ""},
    {R"(x[i, j] * (g[j])", 4, 1, 1, "expected ')' to close the bracket, found '}'", ""},
    {R"(x[i])", 3, 13, 4, "'x' has 2 dimensions and is given 1 subscript", ""},
    {R"(x[i, j] + gg[j])", 3, 23, 5, "there is no tensor 'gg'", "did you mean 'g'?"},
    {R"(gama * x[i, j])", 3, 13, 4, "nothing here is called 'gama'", ""},
    {R"(epz + x[i, j])", 3, 13, 3, "nothing here is called 'epz'", "did you mean 'eps'?"},
    {R"(expp(x[i, j]))", 3, 13, 4, "there is no function 'expp'", "did you mean 'exp'?"},
    {R"(expf(x[i, j]))", 3, 13, 4, "there is no function 'expf'", "write exp(x)"},
    {R"(mean(j) x[i, j])", 3, 13, 4, "there is no function 'mean'", "write sum(i) x[i] / N"},
    {R"(mean(j) x[i, j])", 3, 21, 1, "expected an operator or the next equation, found 'x'",
     "a product is written with *"},
    {R"(exp(x[i, j], 2))", 3, 13, 15, "'exp' takes 1 argument, got 2", ""},
    {R"(max(x[i, j]))", 3, 13, 12, "'max' takes 2 arguments, got 1", "a maximum over an index is written max(k) x[k]"},
    {R"(sum(j) x[i, j])", 3, 17, 1, "index 'j' is already in use here", "give this one another name"},
    {R"(sum(q) 1.0)", 3, 17, 1,
     "the range of index 'q' cannot be inferred, because it subscripts no dimension by itself",
     "give the range: q in 0..n"},
    {R"(sum(q) x[i, q] + x[q, j])", 3, 32, 1, "nothing here is called 'q'", ""},
    {R"(sum(k) x[i, j])", 3, 17, 1, "index 'k' has the name of an input", "give the index another name"},
    {R"(x[i, g[j]])", 3, 18, 4, "a subscript of 'x' must be an integer, and this is a real number",
     "write i64(floor(…)) to make it whole"},
    {R"(x[i, 0.5])", 3, 18, 3, "a subscript of 'x' must be an integer, and this is a real number",
     "write i64(floor(…)) to make it whole"},
    {R"(b[i])", 3, 13, 4, "'y' is f32, but this value is boolean", "turn it into a number: if(…, 1, 0)"},
    {R"(if(x[i, j], 1, 2))", 3, 16, 7, "the first argument of 'if' must be a condition, and this is a real number",
     "compare it: … != 0"},
    {R"(if(b[i], 1, true))", 3, 13, 17, "the two values of 'if' are a condition and a number",
     "make both numbers or both conditions"},
    {R"(if(b[i], 1))", 3, 13, 11, "'if' takes 3 arguments, got 2", "write if(condition, value, otherwise)"},
    {R"(b[i] + 1)", 3, 13, 4, "'+' takes numbers, and this is a condition", "turn it into a number: if(…, 1, 0)"},
    {R"(!x[i, j])", 3, 14, 7, "what follows '!' must be a condition, and this is a real number", "compare it: … != 0"},
    {R"(-b[i])", 3, 14, 4, "'-' takes numbers, and this is a condition", "turn it into a number: if(…, 1, 0)"},
    {R"(0 < x[i, j] < 1)", 3, 25, 1, "comparisons cannot be chained", "join two comparisons with &&"},
    {R"(x[i, j] == b[i])", 3, 13, 15, "'==' compares a condition with a number", ""},
    {R"(pad(sum(q in 0..2) x[i + q, j], 0))", 3, 32, 11, "a reduction inside 'pad(…, …)' shifts its index 'q'",
     "write pad(x[i + q, j], …) around this element"},
    {R"(pad(j + 1, 0))", 3, 17, 5, "the first argument of 'pad' must read an element of a tensor",
     "write pad(x[…], value)"},
    {R"(pad(x[i, j]))", 3, 13, 12, "'pad' takes 2 arguments, got 1", "write pad(x[…], value)"},
    {R"(any(q) g[q])", 3, 20, 4, "what 'any' ranges over must be a condition, and this is a real number",
     "put the condition in brackets: any(i) (x[i] > 0)"},
    {R"(x[i, j] 2)", 3, 21, 1, "expected an operator or the next equation, found the number 2",
     "a product is written with *"},
    {R"(2x[i, j])", 3, 13, 2, "'2x' is neither a number nor a name",
     "a name starts with a letter; write * between a number and a name"},
    {R"(x[i, j] & b[i])", 3, 21, 1, "'&' is not part of the language", "logical and is &&"},
    {R"(x[i, j] = 2)", 3, 21, 1, "expected an operator or the next equation, found '='", "to compare, write =="},
    {R"(N[i])", 3, 13, 4, "'N' is not a tensor and has no elements", ""},
    {R"(x[j, i])", 3, 18, 1, "index 'i' would run over N (dimension 0 of 'y') and over M (dimension 1 of 'x')",
     "use two indices, or give the range: i in 0..N"},
    {R"(g[i])", 3, 15, 1, "index 'i' would run over N (dimension 0 of 'y') and over M (dimension 0 of 'g')",
     "use two indices, or give the range: i in 0..N"},
    {R"(x)", 3, 13, 1, "'x' has 2 dimensions and is given no subscripts", "write x[…]"},
    {R"(exp)", 3, 13, 3, "'exp' is a function and needs arguments in brackets", "write exp(…)"},
    {R"(f32(x[i,j], 1))", 3, 13, 14, "a cast to f32 takes 1 argument, got 2", ""},
    {R"(1e999)", 3, 13, 5, "the number 1e999 is outside the range of f64", ""},
    {R"(99999999999999999999)", 3, 13, 20, "the number 99999999999999999999 does not fit in 64 bits",
     "write it with a decimal point to make it real"},
    {R"(sum(i in 0..N) x[i, j])", 3, 17, 9, "index 'i' is already in use here", "give this one another name"},
    {R"(sum(q in 0..0.5) 1.0)", 3, 25, 3, "the range of index 'q' must be an integer, and this is a real number",
     "write i64(floor(…)) to make it whole"},
    {R"(sum(q in 0..M : g[q]) g[q])", 3, 29, 4,
     "the restriction of 'sum' must be a condition, and this is a real number", "compare it: … != 0"},
    {R"(x[i, j] ** 2)", 3, 21, 2, "there is no operator **", "a power is written x ^ 2"},
    {R"(+x[i, j])", 3, 13, 1, "there is no unary +", ""},
    {R"(y[i, j])", 3, 13, 7, "'y' is defined by itself",
     "a recurrence reads an earlier step, the same in every such read: h[t] = a[t] * pad(h[t - 1], 0) + x[t]; a "
     "running total is sum(j in 0..i+1) x[j]"},
    {R"(x[i, j] @ 2)", 3, 21, 1, "'@' is not part of the language", ""},
    {R"(x[i, k[i]] + k[i, j])", 3, 26, 7, "'k' has 1 dimension and is given 2 subscripts", ""},
    {R"(sin(b[i]))", 3, 17, 4, "'sin' takes numbers, and this is a condition", "turn it into a number: if(…, 1, 0)"},
    {R"(ceildiv(x[i, j], 2))", 3, 13, 19, "'ceildiv' takes integers", ""},
    {R"(x(i, j))", 3, 13, 1, "'x' is not a function; subscripts go in square brackets", "write x[…]"},
    {R"(sum[i])", 3, 13, 6, "'sum' is a reduction and takes its arguments in round brackets", "write sum(…)"},
    {R"(in)", 3, 13, 2, "expected a value, found the word 'in'", ""},
    {R"(x[])", 3, 15, 1, "expected a subscript of 'x', found ']'", "a scalar tensor is written without brackets"},
    {R"(f32(0x10000000000000000))", 3, 17, 19, "the number 0x10000000000000000 does not fit in 64 bits", ""},
    {R"(f32(u64(k[i]) / -k[j]))", 3, 29, 5, "'/' has a u64 on one side, and this is signed",
     "write u64(…) or i64(…) around one of them"},
    {R"(f32(max(u64(k[i]), k[j])))", 3, 32, 4, "'max' has a u64 on one side, and this is signed",
     "write u64(…) or i64(…) around one of them"},
    {R"(f32(pow2ceil(u64(k[i]))))", 3, 17, 19, "'pow2ceil' does not take a u64",
     "write i64(…) where it stays below 2^63"},
    {R"(f32(0x1G))", 3, 17, 4, "'0x1G' is no hexadecimal number", "its digits are 0 to 9 and a to f"},
    {R"(×)", 3, 13, 2, "this character is not part of the language",
     "names and operators use plain ASCII letters and signs"},
};

const std::vector<Expected> whole_specs = {
    {"", 1, 1, 0, "a spec begins with the word 'op', found the end of the text",
     "write op name(x: f32[N]) -> y: f32[N] { … }"},
    {"f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 1, 1, "a spec begins with the word 'op', found 'f'",
     "write op name(x: f32[N]) -> y: f32[N] { … }"},
    {"op (x: f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 4, 1, "expected the op's name, found '('", ""},
    {"op f(x f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 8, 3, "expected ':' and an element type after 'x', found 'f32'",
     ""},
    {"op f(x: float[N]) -> y: f32[N] { y[i] = x[i] }", 1, 9, 5,
     "'float' is not an element type (f64 f32 f16 bf16 e4m3 e5m2 i64 i32 i8 u64 u32 u16 u8 bool)",
     "did you mean 'f32'?"},
    {"op f(x: f32[N], x: f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 17, 1, "'x' is declared twice",
     "the first is in line 1, column 6"},
    {"op f(x: f32[]) -> y: f32[N] { y[i] = 1.0 }", 1, 13, 1, "a scalar tensor has no brackets", "write x: f32"},
    {"op f(x: f32[N]) -> y: f32[N] { z[i] = x[i] }", 1, 20, 1, "the output 'y' has no equation", ""},
    {"op f(x: f32[N]) -> y: f32[N] { x[i] = 1.0 y[i] = x[i] }", 1, 32, 1, "'x' is an input and cannot be assigned", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n y[i] = x[i]\n y[i] = 2.0\n}", 3, 2, 1, "'y' has a second equation",
     "every tensor has one equation; use if(…) for cases and sum(…) for totals"},
    {"op f(x: f32[N]) -> y: f32[N] {\n a[i] = b[i] + x[i]\n b[i] = a[i]\n y[i] = b[i]\n}", 2, 9, 4,
     "'a' and 'b' are needed to compute one another",
     "a recurrence reads an earlier step, the same in every such read: h[t] = a[t] * pad(h[t - 1], 0) + x[t]; a "
     "running total is sum(j in 0..i+1) x[j]"},
    {"op f(x: f32[N]) -> y: f32[N] {\n y[i] = y[i] + x[i]\n}", 2, 9, 4, "'y' is defined by itself",
     "a recurrence reads an earlier step, the same in every such read: h[t] = a[t] * pad(h[t - 1], 0) + x[t]; a "
     "running total is sum(j in 0..i+1) x[j]"},
    {"op f(x: f32[N]; a = b, b = 2) -> y: f32[N] { y[i] = x[i] }", 1, 21, 1, "the constant 'b' is declared later",
     "a constant may use those before it"},
    {"op f(x: f32[N]; a = x) -> y: f32[N] { y[i] = x[i] }", 1, 21, 1, "a constant's value cannot read a tensor ('x')",
     "write an equation for it"},
    {"op f(x: f32[1.5]) -> y: f32[N] { y[i] = x[0] }", 1, 13, 3,
     "a dimension of 'x' must be an integer, and this is a real number", "write i64(floor(…)) to make it whole"},
    {"op f(x: f32[N]; s = 2.0) -> y: f32[N / s] { y[i] = x[0] }", 1, 36, 5,
     "a dimension of 'y' must be an integer, and this is a real number", "write i64(floor(…)) to make it whole"},
    {"op f(x: f32[N]) -> y: f32[N]\n default M = 3 { y[i] = x[i] }", 2, 10, 1, "'M' is not a shape symbol", ""},
    {"op f(x: f32[N]) -> y: f32[N]\n default N = 2.5 { y[i] = x[i] }", 2, 14, 3,
     "a default is a whole number, found the number 2.5", ""},
    {"op f(x: f32[N]) -> y: i32[N] { y[i] = x[i] }", 1, 39, 4, "'y' is i32, but this value is real",
     "write i32(…) to cut it to a whole number"},
    {"op f(x: f32[N]) -> y: bool[N] { y[i] = x[i] }", 1, 40, 4, "'y' is bool, but this value is real",
     "compare it: … != 0"},
    {"op f(x: f32[N]) -> y: f32[N] { y[i, j] = x[i] }", 1, 32, 6, "'y' has 1 dimension, and its equation has 2 indices",
     ""},
    {"op f(x: f32[N]) -> y: f32[N] { y[i in 1..N] = x[i] }", 1, 34, 9,
     "index 'i' must cover dimension 0 of 'y', which is 0..N", "leave the range out"},
    {"op f(x: f32[N]) -> y: f32 { t[i in 1..N] = x[i] y = sum(i) t[i] }", 1, 31, 9,
     "the index 'i' of a tensor must start at 0", "shift it on the right side"},
    {"op f(x: f32[N]) -> y: f32[N, N] { y[i, i] = x[i] }", 1, 40, 1, "index 'i' is already in use here",
     "give this one another name"},
    {"op f(x: f32[N]) -> y: f32[N] { y[0] = x[0] }", 1, 34, 1, "the left side of an equation takes index names only",
     "use if(i == …, a, b) to treat one element apart"},
    {"op f(x: f32[N]) -> y: f32[N] { y[i] += x[i] }", 1, 37, 1, "expected '=' after 'y[…]', found '+'",
     "every tensor has one equation; a total is sum(k) … on the right side"},
    {"op f(x: f32[N]) -> y: f32[N] { y[i] = x[i]", 1, 43, 0,
     "expected '}' after the last equation, found the end of the text", ""},
    {"op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] } extra", 1, 46, 5,
     "expected nothing after the closing '}', found 'extra'", "a file holds one op"},
    {"op f(x: i32[N] in 0..0.5) -> y: f32[N] { y[i] = f32(x[i]) }", 1, 22, 3,
     "the domain of 'x' must be given in integers", ""},
    {"op f(x: f32[N]) -> y: f32[N] default N = 0 { y[i] = x[i] }", 1, 38, 1, "the default of 'N' is 0",
     "a size is at least 1"},
    {"op f(x: f32[N] sorted sorted) -> y: f32[N] { y[i] = x[i] }", 1, 23, 6, "'sorted' is given twice for 'x'", ""},
    {"op f(x: f32[N]) -> y: f32[N] sorted { y[i] = x[i] }", 1, 30, 6, "the output 'y' takes no 'sorted'",
     "only inputs are drawn"},
    {"op f(x: f32[N] permutation) -> y: f32[N] { y[i] = x[i] }", 1, 16, 11,
     "a permutation holds integers, and 'x' is of f32", "declare it i32"},
    {"op f(x: i32[N] in 0..4 permutation) -> y: i32[N] { y[i] = x[i] }", 1, 24, 11,
     "'x' is a permutation, which says already that it holds 0 to n-1, each once", ""},
    {"op f(x: f32 distinct) -> y: f32 { y = x }", 1, 13, 8,
     "'x' is a scalar, and 'distinct' is said of the elements of a row", ""},
    {"op f(x: f32[N] in 1..2 positive) -> y: f32[N] { y[i] = x[i] }", 1, 24, 8,
     "'x' has a domain and takes no 'positive'", "let the domain begin above 0"},
    {"op f(x: bool[N] sorted) -> y: bool[N] { y[i] = x[i] }", 1, 17, 6, "a bool tensor takes no 'sorted'", ""},
    {"op f(x: f32[N]) -> y: f32[N] in 0..1 { y[i] = x[i] }", 1, 33, 1, "the output 'y' takes no domain",
     "only inputs are drawn"},
    {"op f(x: f32[N], sum: f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 17, 3,
     "'sum' is a reduction and cannot be used as a name", ""},
    {"op f(x: f32[N]) -> y: f32[N] { y[x] = 1.0 }", 1, 34, 1, "index 'x' has the name of an input",
     "give the index another name"},
    {"op f(x: f32[N]) -> y: f32[N] { y[exp] = 1.0 }", 1, 34, 3, "'exp' is a function and cannot name an index", ""},
    {"//@ nothing\nop f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }", 1, 1, 11, "a directive needs a key and a value",
     "write it as //@ key: value"},
    {"op f(x: f32[N]) y: f32[N] { y[i] = x[i] }", 1, 17, 1, "expected '->' and the outputs, found 'y'", ""},
    {"op f(x: f32[N] -> y: f32[N] { y[i] = x[i] }", 1, 16, 2,
     "expected ',' or the end of the list of tensors, found '->'", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n t[q] = 1.0\n y[i] = x[i]\n}", 2, 4, 1,
     "the range of index 'q' cannot be inferred, because it subscripts no dimension by itself",
     "give the range: q in 0..n"},
    {"op f(x: f32[N], w: f32[M]) -> y: f32[N] {\n y[i] = x[i] * w[i]\n}", 2, 18, 1,
     "index 'i' would run over N (dimension 0 of 'y') and over M (dimension 0 of 'w')",
     "use two indices, or give the range: i in 0..N"},
    {"op f(x: f32[0 - 1]) -> y: f32[N] { y[i] = 1.0 }", 1, 13, 5, "a dimension of 'x' is negative", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n a[i] = exp(x[i]\n b[i] = foo(a[i])\n y[i] = x[i] + c[i] + bar\n}", 3, 2, 1,
     "expected ')' after the arguments of 'exp', found 'b'", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n a[i] = exp(x[i]\n b[i] = foo(a[i])\n y[i] = x[i] + c[i] + bar\n}", 3, 9, 3,
     "there is no function 'foo'", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n a[i] = exp(x[i]\n b[i] = foo(a[i])\n y[i] = x[i] + c[i] + bar\n}", 4, 16, 4,
     "there is no tensor 'c'", ""},
    {"op f(x: f32[N]) -> y: f32[N] {\n a[i] = exp(x[i]\n b[i] = foo(a[i])\n y[i] = x[i] + c[i] + bar\n}", 4, 23, 3,
     "nothing here is called 'bar'", ""},
};

const std::string before =
    "op f(x: f32[N, M], g: f32[M], k: i32[N], b: bool[N]; eps = 1e-5, n = 3) -> y: f32[N, M]\n{\n  y[i, j] = ";

void check(const std::vector<Expected>& table, const std::string& prefix, const std::string& suffix) {
  for (std::size_t i = 0; i < table.size();) {
    const std::string text = prefix + table[i].text + suffix;
    const ParseOutcome out = parse(text);
    QVERIFY2(!out, text.c_str());
    std::size_t n = 0;
    for (; i + n < table.size() && std::string(table[i + n].text) == table[i].text; ++n) {
      const Expected& e = table[i + n];
      QVERIFY2(n < out.diagnostics.size(), text.c_str());
      const Diagnostic& d = out.diagnostics[n];
      QCOMPARE(QString::fromStdString(d.message), QString::fromUtf8(e.message));
      QCOMPARE(QString::fromStdString(d.hint), QString::fromUtf8(e.hint));
      QCOMPARE(d.place.line, e.line);
      QCOMPARE(d.place.column, e.column);
      QCOMPARE(static_cast<int>(d.span.end - d.span.begin), e.length);
    }
    QVERIFY2(out.diagnostics.size() == n, (text + "\n" + render_all(out.diagnostics, text)).c_str());
    i += n;
  }
}

}  // namespace

class DiagnosticsTest : public QObject {
  Q_OBJECT
 private slots:
  void rightSides() { check(right_sides, before, "\n}\n"); }
  void wholeSpecs() { check(whole_specs, "", ""); }

  void aByteThatIsNoText() {
    const Result<Spec> spec = parse_spec("// f\xfcr\nop copy(x: f32[N]) -> y: f32[N] { y[i] = x[i] }\n", "copy.op");
    QVERIFY(!spec);
    QCOMPARE(spec.error().message, std::string("copy.op:1:5: this byte is not UTF-8 text"));
  }

  void caret() {
    const std::string text =
        "op ln(x: f32[R, C], gamma: f32[C]) -> y: f32[R, C]\n{\n  y[r, c] = x[r, c] * gamm[c]\n}\n";
    const Result<Spec> spec = parse_spec(text, "ln.op");
    QVERIFY(!spec);
    QCOMPARE(spec.error().code, Code::parse);
    QCOMPARE(spec.error().message, std::string("ln.op:3:23: there is no tensor 'gamm'"));
    QCOMPARE(spec.error().cause, std::string("ln.op:3:23: error: there is no tensor 'gamm'\n"
                                             "    y[r, c] = x[r, c] * gamm[c]\n"
                                             "                        ^~~~~~~\n"
                                             "  hint: did you mean 'gamma'?\n"));
  }

  void severalAtOnceInTextOrder() {
    const ParseOutcome out =
        parse("op f(x: f33[N]; e = q) -> y: f32[N], z: f32[N]\n{\n  y[i] = foo(x[i])\n  a = true + 1\n}\n");
    QVERIFY(!out);
    std::vector<int> lines;
    for (const Diagnostic& d : out.diagnostics) lines.push_back(d.place.line);
    QVERIFY(std::is_sorted(lines.begin(), lines.end()));
    QCOMPARE(lines, (std::vector<int>{1, 1, 1, 3, 4}));
  }

  void atMostFifty() {
    std::string text = "op f(x: f32[N]) -> y: f32[N] {\n";
    for (int i = 0; i < 200; ++i) text += "  t" + std::to_string(i) + "[i] = nothing[i]\n";
    const ParseOutcome out = parse(text + "}\n");
    QVERIFY(!out);
    QCOMPARE(out.diagnostics.size(), std::size_t{50});
  }

  void wordsOfTheLanguageNameNothing() {
    for (const std::string word :
         {"op", "default", "in", "if", "pad", "true", "false", "inf", "pi", "sum", "max", "exp", "i64"})
      for (const std::string& text :
           {"op f(x: f32[N]; " + word + " = 3) -> y: f32[N] {\n  y[i] = x[i] * " + word + "\n}\n",
            "op f(x: f32[N]; " + word + " = 3, c = " + word + ") -> y: f32[N] {\n  y[i] = x[i] * c\n}\n",
            "op f(" + word + ": f32[N]) -> y: f32[N] {\n  y[i] = " + word + "[i]\n}\n",
            "op f(x: f32[N]) -> " + word + ": f32[N] {\n  " + word + "[i] = x[i]\n}\n",
            "op f(x: f32[" + word + "]) -> y: f32[N] {\n  y[i] = x[i]\n}\n",
            "op f(x: f32[N]) -> y: f32[N]\n  default " + word + " = 3\n{\n  y[i] = x[i]\n}\n",
            "op f(x: f32[N]) -> y: f32[N] {\n  " + word + "[i] = x[i]\n  y[i] = " + word + "[i]\n}\n",
            "op f(x: f32[N]) -> y: f32[N] {\n  y[" + word + "] = x[" + word + "]\n}\n"})
        QVERIFY2(!parse(text), text.c_str());
  }

  void limitsComeFirstAndAlone() {
    std::string many = "op f(x: f32[N]) -> h: f32[N] {\n";
    for (int i = 0; i < 5000; ++i) many += "t" + std::to_string(i) + "[i] = x[i]\n";
    const ParseOutcome out = parse(many + "h[i] = x[i]\n}\n");
    QCOMPARE(out.diagnostics.size(), std::size_t{1});
    QCOMPARE(out.diagnostics[0].message, std::string("a spec has at most 500 equations"));
  }

  void namesHaveALimit() {
    const std::string longest(255, 'n'), longer(256, 'n'), longest_of_all(1'000'000, 'n');
    const auto specs_with = [](const std::string& n) {
      return std::vector<std::string>{
          "op " + n + "(x: f32[N]) -> y: f32[N] {\n  y[i] = x[i]\n}\n",
          "op f(" + n + ": f32[N]) -> y: f32[N] {\n  y[i] = " + n + "[i]\n}\n",
          "op f(x: f32[N]) -> " + n + ": f32[N] {\n  " + n + "[i] = x[i]\n}\n",
          "op f(x: f32[" + n + "]) -> y: f32[" + n + "] {\n  y[i] = x[i]\n}\n",
          "op f(x: f32[N]; " + n + " = 2) -> y: f32[N] {\n  y[i] = " + n + " * x[i]\n}\n",
          "op f(x: f32[N]) -> y: f32[N] {\n  " + n + "[i] = x[i]\n  y[i] = " + n + "[i]\n}\n",
          "op f(x: f32[N]) -> y: f32[N] {\n  y[" + n + "] = x[" + n + "]\n}\n"};
    };
    for (const std::string& text : specs_with(longest)) QVERIFY2(parse(text), text.c_str());
    for (const std::string& text : specs_with(longer)) {
      const ParseOutcome out = parse(text);
      QVERIFY2(!out, text.c_str());
      QCOMPARE(out.diagnostics[0].message, std::string("a name has at most 255 characters; this one has 256"));
    }
    const ParseOutcome huge = parse("op " + longest_of_all + "(x: f32[N]) -> y: f32[N] {\n  y[i] = x[i]\n}\n");
    QCOMPARE(huge.diagnostics.size(), std::size_t{1});
    QVERIFY(huge.diagnostics[0].message.ends_with("this one has 1000000"));
  }

  void hostileText() {
    const auto refused = [](const std::string& right) {
      return !parse("op f(x: f32[N]) -> y: f32[N] {\n  y[i] = " + right + "\n}\n");
    };
    const int deep = 100000;
    QVERIFY(refused(std::string(deep, '(')));
    QVERIFY(refused(std::string(deep, '(') + "1.0" + std::string(deep, ')')));
    QVERIFY(refused(std::string(deep, '-') + "1.0"));
    QVERIFY(refused(std::string(deep, '!') + "true"));
    std::string chain = "x[i]", powers = "x[i]", sums, calls, nested = "1.0";
    for (int i = 0; i < deep; ++i) chain += " + x[i]";
    for (int i = 0; i < deep; ++i) powers += "^2";
    for (int i = 0; i < 20000; ++i) sums += "sum(a" + std::to_string(i) + " in 0..2) ";
    for (int i = 0; i < deep; ++i) calls += "exp(";
    for (int i = 0; i < 300; ++i) nested = "sum(q" + std::to_string(i) + " in 0..(" + nested + ")) 1";
    QVERIFY(refused(chain));
    QVERIFY(refused(powers));
    QVERIFY(refused(sums + "1.0"));
    QVERIFY(refused(calls));
    QVERIFY(refused(nested));
    QVERIFY(refused(std::string("x[i]\0 + 1", 10)));
    QVERIFY(!parse(std::string((1 << 20) + 1, ' ')));
    QVERIFY(!parse(std::string(1 << 20, '[')));
    std::string params = "op f(", equations = "op f(x: f32[N]) -> y: f32[N] {\n";
    for (int i = 0; i < 5000; ++i) params += "a" + std::to_string(i) + ": f32[N], ";
    for (int i = 0; i < 5000; ++i) equations += "t" + std::to_string(i) + "[i] = x[i]\n";
    QVERIFY(!parse(params + "z: f32) -> y: f32[N] { y[i] = z }"));
    QVERIFY(!parse(equations + "y[i] = x[i]\n}"));
    QVERIFY(!parse_integer_expr(std::string(deep, '(') + "1"));
  }
};

QTEST_APPLESS_MAIN(DiagnosticsTest)
#include "diagnostics_test.moc"
