// SPDX-License-Identifier: Apache-2.0
// `sim` end to end, with the real worker: cases that pass, differ, fault and cannot be judged, listings, speeds.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include "support/cli_call.h"

using namespace ww::testing;

namespace {

const QByteArray saxpy = R"(// y += a * x
__global__ void saxpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";
const QByteArray twice = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 out, .param .u64 in)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s64 %rd5, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];
  shl.b32 %r3, %r2, 1;
  st.global.u32 [%rd5], %r3;
  ret;
}
)";

QByteArray saxpy_case(const QByteArray& out, const QByteArray& more = {}) {
  return R"({"cu": "saxpy.cu", "entry": "saxpy", "block": [4], )" + more + R"("args": [
  {"name": "x", "type": "f32", "in": [1, 2, 3, 4]},
  {"name": "y", "type": "f32", "in": [10, 10, 10, 10], "out": )" +
         out + R"(}, {"value": 2}, {"value": 4}]})";
}

}  // namespace

class CliSimTest : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;

  QString write(const QString& name, const QByteArray& text) { return write_file(dir_.filePath(name), text); }
  static Outcome call(const QStringList& arguments) {
    return call_cli(CLI_PROGRAM, arguments, environment_with({{"WARPWRIGHT_WORKER", REAL_WORKER}}));
  }
  Outcome run(const QByteArray& text, const QStringList& more = {}) {
    return call(QStringList{"sim", "run", write("case.json", text)} + more);
  }

 private slots:
  void initTestCase() {
    write("saxpy.cu", saxpy);
    write("twice.ptx", twice);
  }

  void aCaseThatPasses() {
    const Outcome o = run(R"({"ptx": "twice.ptx", "block": [3], "args": [{"type": "i32", "out": [2, 4, -6]},
                             {"in": "0100000002000000fdffffff"}]})");
    QVERIFY2(o.exit == 0 && o.out.startsWith("Passed (twice, sm_80)"), o.out + o.err);
    QVERIFY2(o.out.contains("arg 0: 2 4 -6\n"), o.out);
    QVERIFY2(o.out.contains("thread_instructions"), o.out);
  }

  void aCaseInCuda() {
    const Outcome good = run(saxpy_case("[12, 14, 16, 18]"));
    QVERIFY2(good.exit == 0, good.out + good.err);
    const Outcome wrong = run(saxpy_case("[12, 14, 17, 18]"));
    QCOMPARE(wrong.exit, 1);
    QVERIFY2(wrong.out.contains("y[2]: expected 17, got 16; 1 of 4 elements differ"), wrong.out);
    const Outcome close = run(saxpy_case("[12, 14, 17, 18]", R"("compare": {"rtol": 0.1}, )"));
    QVERIFY2(close.exit == 0, close.out + close.err);
    const Outcome beyond =
        run(saxpy_case("[12, 14, 16, 18]").replace("[4]", "[8]").replace("\"value\": 4", "\"value\": 5"));
    QCOMPARE(beyond.exit, 1);
    QVERIFY2(beyond.out.contains("memory: Thread (4,0,0)") && beyond.out.contains("line 4"), beyond.out);
    write("saxpy.cu", "int x = \"1\";");
    const Outcome refused = run(saxpy_case("[1, 1, 1, 1]"));
    write("saxpy.cu", saxpy);
    QVERIFY2(refused.exit == 1 && refused.err.contains("line 1") + refused.err.contains("(1)"), refused.err);
  }

  void jsonHasEverything() {
    const Outcome o = run(R"({"ptx": "twice.ptx", "block": [3], "args": [{"type": "i32", "bytes": 12, "name": "y"},
                             {"in": "010000000200000003000000"}]})",
                          {"--json", "--bytes"});
    QVERIFY2(o.exit == 0, o.out + o.err);
    QCOMPARE(o.json()["command"].toString(), QString("sim run"));
    const QJsonObject outcome = o.json()["outcome"].toObject();
    QCOMPARE(outcome["ending"].toString(), QString("passed"));
    const QJsonObject y = outcome["outputs"].toArray()[0].toObject();
    QCOMPARE(y["hex"].toString(), QString("020000000400000006000000"));
    QCOMPARE(y["first"].toArray()[2].toString(), QString("6"));
    QVERIFY(outcome["counters"].toObject()["warp_instructions"].toInt() > 5);
  }

  void outputsAreSaved() {
    const QString folder = dir_.filePath("saved/here");
    const Outcome o =
        run(R"({"ptx": "twice.ptx", "block": [1], "args": [{"bytes": 4, "name": "../y"}, {"in": "05000000"}]})",
            {"--save", folder});
    QVERIFY2(o.exit == 0, o.out + o.err);
    QCOMPARE(read_file(folder + "/.._y.bin").toHex(), QByteArray("0a000000"));
  }

  void whatIsNotJudged() {
    write("odd.ptx", QByteArray(twice).replace("shl.b32 %r3, %r2, 1;", "frob.b32 %r3, %r2, 1;"));
    const QByteArray args = R"("block": [1], "args": [{"bytes": 4}, {"in": "05000000"}]})";
    const Outcome unknown = run(R"({"ptx": "odd.ptx", )" + args);
    QVERIFY2(unknown.exit == 6 && unknown.out.contains("frob.b32"), unknown.out + unknown.err);
    write("loop.ptx", QByteArray(twice).replace("ret;", "L: bra L;"));
    const Outcome endless = run(R"({"ptx": "loop.ptx", "budget": 100000, )" + args);
    QVERIFY2(endless.exit == 6 && endless.out.contains("budget"), endless.out + endless.err);
    const Outcome late = run(R"({"ptx": "loop.ptx", )" + args, {"--seconds", "1"});
    QVERIFY2(late.exit == 6 && late.err.contains("deadline"), late.out + late.err);
  }

  void unusableCases() {
    QCOMPARE(call({"sim", "run", dir_.filePath("none.json")}).exit, 2);
    const Outcome mistyped = run(R"({"ptx": "twice.ptx", "blok": [1]})");
    QVERIFY2(mistyped.exit == 2 && mistyped.err.contains("'blok' is not known"), mistyped.err);
    const QByteArray twice_with = R"({"ptx": "twice.ptx", "block": [1], "args": )";
    QCOMPARE(run(twice_with + R"([{"bytes": 4}]})").exit, 2);                                  // one missing
    QCOMPARE(run(twice_with + R"([{"bytes": 4}, {"bytes": 4}], "entry": "other"})").exit, 2);  // no such kernel
    QCOMPARE(run(twice_with + R"([{"bytes": 4}, {"bytes": 4}]})", {"--checks", "rases"}).exit, 2);
    write("broken.ptx", "nonsense");
    QCOMPARE(run(R"({"ptx": "broken.ptx", "block": [1]})").exit, 1);
  }

  void largeBuffersArrive() {  // more than a worker may send
    const Outcome o = run(R"({"ptx": "twice.ptx", "block": [1], "checks": ["memory"], "args": [{"bytes": 4},
                             {"type": "u8", "in": {"count": 24000000, "start": 7}}]})");
    QVERIFY2(o.exit == 0, o.out + o.err);
  }

  void listings() {
    const Outcome o = call({"sim", "disasm", write("twice.ptx", twice)});
    QVERIFY2(o.exit == 0 && o.out.contains("kernel twice(u64 out, u64 in)") &&
                 o.out.contains("ld.global.u32 %r2, [%rd4]"),
             o.out + o.err);
    const Outcome json = call({"sim", "disasm", write("twice.ptx", twice), "--json"});
    const QJsonArray functions = json.json()["listing"].toObject()["functions"].toArray();
    QCOMPARE(functions[0].toObject()["instructions"].toArray().size(), 10);
    QCOMPARE(call({"sim", "disasm", dir_.filePath("twice.ptx"), "--kernel", "other"}).exit, 2);
    const Outcome cuda = call({"sim", "disasm", write("saxpy.cu", saxpy), "--arch", "sm_90"});
    QVERIFY2(cuda.exit == 0 && cuda.out.contains("for sm_90") && cuda.out.contains("fma.rn.f32"), cuda.out + cuda.err);
  }

  void traces() {
    const QString file =
        write("trace.json", R"({"ptx": "twice.ptx", "block": [3], "args": [{"type": "i32", "bytes": 12, "name": "y"},
                               {"type": "i32", "in": [1, 2, 3], "name": "x"}]})");
    const Outcome text = call({"sim", "trace", file, "--until", "write:y[2]", "--limit", "2"});
    QVERIFY2(text.exit == 0 && text.out.contains("%r3 = 0x2 0x4 0x6") && text.out.contains("writes 12 bytes of y") &&
                 text.out.contains("steps before it are not shown"),
             text.out + text.err);
    const Outcome json = call({"sim", "trace", file, "--until", "read:x[0]", "--thread", "0", "--back", "1", "--json"});
    const QJsonObject trace = json.json()["trace"].toObject();
    QCOMPARE(trace["arrival"].toString(), QString("there"));
    QCOMPARE(trace["position"].toInt(), 6);
    const QJsonObject group = trace["warps"].toArray()[0].toObject()["groups"].toArray()[0].toObject();
    QCOMPARE(group["instruction"].toString(), QString("ld.global.u32 %r2, [%rd4]"));
    QCOMPARE(call({"sim", "trace", file, "--until", "write:x[0]"}).exit, 1);  // nothing writes it
    for (const char* where : {"write:z[0]", "write:y[3]", "write:y", "line:x", "ptx:1", "somewhere"})
      QCOMPARE(call({"sim", "trace", file, "--until", where}).exit, 2);
    QCOMPARE(call({"sim", "trace", file, "--block", "1,0,0"}).exit, 2);
    const QString picture = dir_.filePath("y.svg");
    const Outcome lens = call({"sim", "trace", file, "--lens", "y", "--out", picture});
    QVERIFY2(lens.exit == 0 && lens.out.contains("y: 3 elements of type i32; 0 read"), lens.out + lens.err);
    QVERIFY(read_file(picture).startsWith("<svg"));
    QCOMPARE(call({"sim", "trace", file, "--out", picture}).exit, 2);
  }

  // Without a case: the inputs are those that the gate draws.
  void aCandidateIsTraced() {
    const QByteArray text =
        "//@ candidate silu_multiply\n//@ temp mid: f32[R, C]\n"
        "//@ launch silu grid(R) block(32) args(a, mid, C)\n//@ launch multiply grid(R) block(32) args(mid, b, y, C)\n"
        "extern \"C\" __global__ void silu(const float* a, float* mid, int C) {\n"
        "  for (int c = threadIdx.x; c < C; c += 32) {\n    float v = a[blockIdx.x * C + c];\n"
        "    mid[blockIdx.x * C + c] = v / (1.0f + expf(-v));\n  }\n}\n"
        "extern \"C\" __global__ void multiply(const float* mid, const float* b, float* y, int C) {\n"
        "  for (int c = threadIdx.x; c < C; c += 32)\n"
        "    y[blockIdx.x * C + c] = mid[blockIdx.x * C + c] * b[blockIdx.x * C + c];\n}\n";
    const QString file = write("silu.cu", text);
    const Outcome o = call({"sim", "trace", file, "--set", "R=2", "--set", "C=40", "--until", "write:mid[41]"});
    QVERIFY2(o.exit == 0 && o.out.startsWith("C = 40, R = 2, normal inputs, seed 1\nsilu, "), o.out + o.err);
    QVERIFY2(o.out.contains("Block (1,0,0)") && o.out.contains("of mid in"), o.out);
    const QStringList second{"sim", "trace", file, "--launch", "2", "--set", "R=2", "--set", "C=40"};
    const auto first_read = [&](const QStringList& more) {
      const QJsonObject t =
          call(second + QStringList{"--until", "read:b[0]", "--json"} + more).json()["trace"].toObject();
      const QJsonArray accesses = t["steps"].toArray().last()["accesses"].toArray();
      return accesses[0].toObject()["lanes"].toArray()[0].toObject()["value"].toString();
    };
    const QString usual = first_read({});
    QVERIFY(!usual.isEmpty());
    QCOMPARE(first_read({}), usual);
    QVERIFY(first_read({"--input-seed", "7"}) != usual);
    QCOMPARE(first_read({"--inputs", "constant"}), QString("0000803f"));  // 1 in f32
    const QString picture = dir_.filePath("silu.svg");
    const Outcome drawn = call(second + QStringList{"--lens", "y", "--show", "error", "--out", picture});
    QVERIFY2(drawn.exit == 0 && read_file(picture).contains("green within the bound"), drawn.out + drawn.err);
    const Outcome no_error = call(second + QStringList{"--lens", "mid", "--show", "error", "--out", picture});
    QVERIFY2(no_error.exit == 2 && no_error.err.contains("mid is no output of the op"), no_error.err);
    QVERIFY(call({"sim", "trace", file, "--variables", "--until", "v changes"}).exit == 0);
    // PTX with a plan in its comments, too.
    const QByteArray ptx = QByteArray(twice).replace(
        ".version 8.0", "//@ candidate doubled\n//@ launch twice grid(1) block(N) args(y, x)\n.version 8.0");
    write("doubled.op", "op doubled(x: i32[N]) -> y: i32[N]\n  default N = 3\n{ y[i] = x[i] * 2 }");
    const Outcome of_ptx =
        call({"sim", "trace", write("doubled.ptx", ptx), "--op", dir_.filePath("doubled.op"), "--until", "write:y[2]"});
    QVERIFY2(of_ptx.exit == 0 && of_ptx.out.contains("writes 12 bytes of y"), of_ptx.out + of_ptx.err);
  }

  void whatIsNoCandidateIsNotTraced() {
    const QString file = write("relu.cu",
                               "//@ candidate relu\n//@ launch relu grid(R) block(32) args(x, y, C)\n"
                               "extern \"C\" __global__ void relu(const float* x, float* y, int C) {}\n");
    const auto refused = [&](const QStringList& more, const char* why, int exit = 2) {
      const Outcome o = call(QStringList{"sim", "trace"} + more);
      if (o.exit != exit || !o.err.contains(why)) qWarning("%d %s", o.exit, (o.out + o.err).constData());
      return o.exit == exit && o.err.contains(why);
    };
    QVERIFY(refused({file, "--set", "Q=3"}, "Q"));
    QVERIFY(refused({file, "--set", "R=none"}, "R"));
    QVERIFY(refused({file, "--launch", "2"}, "the plan has no launch 2"));
    QVERIFY(refused({file, "--inputs", "odd"}, "odd"));
    QVERIFY(refused({write("plain.cu", saxpy)}, "candidate"));
    QVERIFY(refused({write("plain.cu", saxpy), "--op", "relu"}, "does not say how it is launched"));
    QVERIFY(refused({dir_.filePath("absent.cu")}, "absent.cu"));
    QVERIFY(refused({write("broken.cu", read_file(file) + "nonsense\n")}, "nonsense", 1));
    const QString json =
        write("trace.json", R"({"ptx": "twice.ptx", "block": [3], "args": [{"type": "i32", "bytes": 12},
                               {"type": "i32", "in": [1, 2, 3]}]})");
    QVERIFY(refused({json, "--set", "R=4"}, "are for FILE.cu and FILE.ptx"));
    QVERIFY(refused({json, "--launch", "1"}, "are for FILE.cu and FILE.ptx"));
    QVERIFY(refused({json, "--reverse", "--until", "end"}, "the step of --from"));
    QVERIFY(refused({json, "--reverse", "--from", "5"}, "a place of --until"));
  }

  void tracesGoBack() {
    write("saxpy.cu", saxpy);
    const QString file = write("lines.json", saxpy_case("[12, 14, 16, 18]"));
    const auto at = [&](const QStringList& more) {
      const Outcome o = call(QStringList{"sim", "trace", file, "--json"} + more);
      return o.json()["trace"].toObject();
    };
    const int line = at({"--until", "line"})["position"].toInt();
    QVERIFY(line > 0);
    const int next = at({"--until", "line", "--from", QString::number(line)})["position"].toInt();
    QVERIFY(next > line);
    QCOMPARE(at({"--until", "line", "--from", QString::number(next), "--reverse"})["position"].toInt(), line);
    QCOMPARE(at({"--until", "step", "--from", QString::number(next)})["position"].toInt(), next + 1);
    QCOMPARE(at({"--until", "step", "--from", QString::number(next), "--reverse"})["position"].toInt(), next - 1);
    const Outcome begin = call({"sim", "trace", file, "--until", "end", "--from", "9", "--reverse"});
    QVERIFY2(begin.exit == 0 && begin.out.contains("Stopped at step 0, as asked."), begin.out + begin.err);
    const Outcome none = call({"sim", "trace", file, "--until", "write:y[0]", "--from", "9", "--reverse"});
    QVERIFY2(none.exit == 1 && none.out.contains("There is no such point before step 9"), none.out + none.err);
  }

  void picturesOfABuffer() {
    write("right.json", saxpy_case("[12, 14, 16, 18]"));
    write("wrong.json", saxpy_case("[12, 14, 16, 19]"));
    const auto drawn = [&](const char* file, const char* name, const QStringList& more) {
      const Outcome o =
          call(QStringList{"sim", "trace", dir_.filePath(file), "--lens", "y", "--out", dir_.filePath(name)} + more);
      if (o.exit != 0) qWarning("%s", (o.out + o.err).constData());
      return read_file(dir_.filePath(name));
    };
    QVERIFY(drawn("right.json", "y.png", {"--show", "values"}).startsWith("\x89PNG"));
    QVERIFY(drawn("right.json", "y.gif", {"--show", "writes", "--frames", "5"}).startsWith("GIF89a"));
    const QByteArray good = drawn("right.json", "good.svg", {"--show", "error,writer"});
    const QByteArray bad = drawn("wrong.json", "bad.svg", {"--show", "error,writer"});
    QVERIFY(good.contains("green within the bound") && good.contains("a hue for each block"));
    QVERIFY(good != bad);
    for (const QStringList& more :
         {QStringList{"--out", "y.bmp"}, QStringList{"--out", "y.png", "--show", "values,reads"},
          QStringList{"--out", "y.png", "--show", "colours"}, QStringList{"--show", "values"},
          QStringList{"--frames", "201"}})
      QCOMPARE(call(QStringList{"sim", "trace", dir_.filePath("right.json"), "--lens", "y"} + more).exit, 2);
    const Outcome none = call({"sim", "trace", dir_.filePath("right.json"), "--lens", "x", "--show", "error", "--out",
                               dir_.filePath("x.svg")});
    QVERIFY2(none.exit != 0 && none.err.contains("the case expects nothing of x"), none.err);
  }

  void variablesByName() {
    const QString file = write("named.json", saxpy_case("[12, 14, 16, 18]"));
    const Outcome o = call({"sim", "trace", file, "--variables", "--totals", "--until", "thread 2 i == 2"});
    QVERIFY2(o.exit == 0, o.out + o.err);
    static const QRegularExpression row("\ni +int +0x0000000f +0 1 2 3\n");
    QVERIFY2(row.match(QString::fromUtf8(o.out)).hasMatch(), o.out);
    QVERIFY2(o.out.contains("Live registers of the PTX: ") && o.out.contains("So far (simulated)"), o.out);
    const Outcome optimised = call({"sim", "trace", file, "--until", "thread 2 i == 2"});
    QVERIFY2(optimised.exit == 2 && optimised.err.contains("no variable or register 'i'"), optimised.err);
    // What a register holds, in the words of the source.
    QVERIFY(call({"sim", "trace", file, "--limit", "40"}).out.contains("(blockIdx.x * blockDim.x + threadIdx.x)"));
  }

  void aMomentIsShown() {
    const QString file = write("bad.wwmoment", "{\"version\": 1}");
    const Outcome o = call({"sim", "moment", file});
    QVERIFY2(o.exit == 2 && o.err.contains("is no moment of a kernel"), o.err);
    QCOMPARE(call({"sim", "moment", dir_.filePath("absent.wwmoment")}).exit, 2);
    const QJsonObject moment{
        {"version", 1},
        {"title", "Relu"},
        {"spec", "op relu(x: f32[N]) -> y: f32[N]\n  default N = 40\n{ y[i] = max(x[i], 0) }"},
        {"candidate",
         "//@ candidate relu\n//@ launch relu grid(1) block(64) args(x, y, N)\nextern \"C\" __global__ void "
         "relu(const float* x, float* y, int n) {\n  const int i = threadIdx.x;\n  if (i < n) y[i] = fmaxf(x[i], "
         "0.0f);\n}\n"},
        {"binding", QJsonObject{{"symbols", QJsonObject{{"N", 40}}}}},
        {"block", QJsonArray{0, 0, 0}},
        {"position", 12}};
    const QString good = write("good.wwmoment", QJsonDocument(moment).toJson());
    const Outcome shown = call({"sim", "moment", good, "--json"});
    QVERIFY2(shown.exit == 0, shown.out + shown.err);
    const QJsonObject trace = shown.json()["trace"].toObject();
    QCOMPARE(trace["position"].toInt(), 12);
    QVERIFY(!shown.json().contains("same"));  // no state was saved
    const Outcome text = call({"sim", "moment", good});
    QVERIFY2(text.exit == 0 && text.out.contains("The file has no state") &&
                 !text.out.contains("the one that was saved"),
             text.out + text.err);
    QByteArray changed = read_file(good);
    changed.replace("\"position\": 12", "\"position\": 12, \"state\": \"0123456789abcdef\"");
    const Outcome other = call({"sim", "moment", write("other.wwmoment", changed)});
    QVERIFY2(other.exit == 1 && other.out.contains("The state differs"), other.out + other.err);
    changed.replace("0123456789abcdef", trace["state"].toString().toUtf8());
    QCOMPARE(call({"sim", "moment", write("other.wwmoment", changed)}).exit, 0);
  }

  void speeds() {
    write("bench.json",
          R"({"ptx": "twice.ptx", "block": [3], "args": [{"bytes": 12}, {"type": "i32", "in": [1, 2, 3]}]})");
    const Outcome o = call({"sim", "bench", dir_.filePath("bench.json"), "--runs", "3", "--json"});
    QVERIFY2(o.exit == 0, o.out + o.err);
    const QJsonArray speeds = o.json()["speeds"].toArray();
    QCOMPARE(speeds.size(), 2);
    QCOMPARE(speeds[0].toObject()["thread_instructions"].toInt(), 30);
  }
};

QTEST_GUILESS_MAIN(CliSimTest)
#include "sim_test.moc"
