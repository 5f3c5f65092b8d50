// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "candidate/bare_kernel.h"
#include "candidate/candidate.h"
#include "candidate/compared_literals.h"

using namespace ww;
using namespace ww::candidate;

namespace {

op::Spec spec_of(const char* text) { return *op::parse_spec(text); }

const char* relu = "op relu(x: f32[R, C]) -> y: f32[R, C]\n default R = 4, C = 8\n{ y[r, c] = max(x[r, c], 0) }\n";
const char* axpy = "op axpy(x: f32[N], z: f32[N]; a = 2.5) -> y: f32[N]\n default N = 8\n{ y[i] = a * x[i] + z[i] }\n";

std::string lines(const char* spec, const std::string& cuda) {
  const auto kernels = bare_kernels(cuda);
  if (kernels.size() != 1) return "kernels: " + std::to_string(kernels.size());
  const op::Spec op = spec_of(spec);
  return plan_lines(op, {suggest_launch(kernels[0], cuda, op)});
}

}  // namespace

class BareKernelTest : public QObject {
  Q_OBJECT
 private slots:
  void numbersThatAKernelComparesWith_data() {
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("found");  // "text=value"
    const auto row = [](const char* name, const char* code, const char* found) {
      QTest::newRow(name) << QByteArray(code) << QByteArray(found);
    };
    row("none", "for (int c = 0; c < C; c++) s += p[c] * 7;", "");
    row("on the right", "if (i - j >= 1024) continue;", "1024=1024");
    row("on the left", "if (4096u <= i) return;", "4096u=4096");
    row("within a side", "int j = i - 4095 > 0 ? i - 4095 : 0;", "4095=4095");
    row("a product", "while (c < (1 << 30) && r != 1024 * 4)", "(1 << 30)=1073741824 1024 * 4=4096");
    row("negative", "y = k == -100 ? 0 : k > -1;", "-100=-100");
    row("hexadecimal", "if (i >= 0x100'000LL) return;", "0x100'000LL=1048576");
    row("real", "if (x > 20.0f || x < 1e5) return;", "");
    row("too large", "if (i < 99999999999999999999 || i < (1 << 99)) return;", "99=99");
    row("in comments and texts", "// i < 50\nchar* s = \"i < 60\"; /* i < 70 */", "");
    row("without an end", "i <", "");
    row("as a template's", "static_cast<float4*>(p)[3]", "");
  }
  void numbersThatAKernelComparesWith() {
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, found);
    std::string all;
    for (const ComparedLiteral& l : compared_literals("\n" + code.toStdString())) {
      all += (all.empty() ? "" : " ") + l.text + "=" + std::to_string(l.value);
      QCOMPARE(l.line, 2);
    }
    QCOMPARE(all, found.toStdString());
  }
  void signaturesAreRead() {
    const auto kernels = bare_kernels(
        "// __global__ void no(int x) {}\nconst char* s = \"__global__ void no() {}\";\n"
        "__global__ void later(float* p);\n"
        "extern \"C\" __global__ void __launch_bounds__(256, 2) k(const float* __restrict__ x, __half *y,\n"
        "    unsigned char* const m, long long n /* , int q */, float eps = 1e-5f, double) {}\n"
        "template <int N> __global__ void t(float (*z)[N]) { }\n");
    QCOMPARE(kernels.size(), std::size_t{2});
    const BareKernel& k = kernels[0];
    QCOMPARE(k.name, std::string("k"));
    QVERIFY(k.extern_c && !k.is_template && !k.dynamic_shared);
    QCOMPARE(k.most_threads, std::optional<std::int64_t>(256));
    QCOMPARE(k.parameters.size(), std::size_t{6});
    QCOMPARE(k.parameters[0].name, std::string("x"));
    QVERIFY(k.parameters[0].pointer && k.parameters[0].constant && k.parameters[0].dtype == DType::f32);
    QVERIFY(k.parameters[1].pointer && !k.parameters[1].constant && k.parameters[1].dtype == DType::f16);
    QVERIFY(k.parameters[2].pointer && !k.parameters[2].constant && k.parameters[2].dtype == DType::u8);
    QCOMPARE(k.parameters[3].name, std::string("n"));
    QVERIFY(k.parameters[3].dtype == DType::i64);
    QCOMPARE(k.parameters[4].name, std::string("eps"));
    QVERIFY(kernels[1].is_template && !kernels[1].extern_c);
    const auto wide = bare_kernels("__global__ void k(unsigned long long* h, __nv_fp8_e4m3* q, uint64_t n) {}\n");
    QVERIFY(wide[0].parameters[0].dtype == DType::u64 && wide[0].parameters[1].dtype == DType::e4m3 &&
            wide[0].parameters[2].dtype == DType::u64);
  }

  void plansFollowTheSignatureAndTheOp() {
    // All of it is known or can be guessed.
    QCOMPARE(lines(relu,
                   "__global__ void __launch_bounds__(128) k(const float* x, float* y, int n) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n}\n"),
             std::string("//@ candidate relu\n//@ launch k grid(ceildiv(R * C, 128)) block(128) args(x, y, R * C)\n"));
    // The block's size cannot be known.
    QCOMPARE(lines(relu, "__global__ void k(const float* in, float* out, int R, int C) { int r = blockIdx.x; }\n"),
             std::string("//@ candidate relu\n//@ launch k grid(R) block(?) args(x, y, R, C)\n"));
    QCOMPARE(lines(axpy, "__global__ void k(int n, float alpha, float* y, const float* x, const float* z) {}\n"),
             std::string("//@ candidate axpy\n//@ launch k grid(1) block(?) args(N, a, y, x, z)\n"));
    // Shared memory of a size given at the launch, and a grid of two dimensions, are asked for.
    QCOMPARE(lines(relu,
                   "__global__ void k(const float* x, float* y) {\n  extern __shared__ float s[];\n"
                   "  int r = blockIdx.y;\n}\n"),
             std::string("//@ candidate relu\n//@ launch k grid(?) block(?) shared(?) args(x, y)\n"));
    // `extern "C"` says nothing of the arrays in the body; strides of one number of warps do of the block.
    const auto strided = [](const char* first, const char* second) {
      return std::string(
                 "extern \"C\" __global__ void k(const float* x, float* y, int R, int C) {\n"
                 "  __shared__ float s[256];\n  int r = blockIdx.x;\n  for (int c = threadIdx.x; c < C; c += ") +
             first + ") s[c] = x[c];\n  for (int c = threadIdx.x; c < C; c += " + second + ") y[c] = s[c];\n}\n";
    };
    QCOMPARE(lines(relu, strided("256", "256").c_str()),
             std::string("//@ candidate relu\n//@ launch k grid(R) block(256) args(x, y, R, C)\n"));
    using Strides = std::pair<const char*, const char*>;
    for (const Strides& s : {Strides("256", "128"), Strides("N", "N"), Strides("100", "100"), Strides("2048", "2048")})
      QCOMPARE(lines(relu, strided(s.first, s.second).c_str()),
               std::string("//@ candidate relu\n//@ launch k grid(R) block(?) args(x, y, R, C)\n"));
    // Sizes by how their names begin, in whatever order.
    QCOMPARE(lines(relu, "__global__ void k(const float* x, float* y, int cols, int rows) { int r = blockIdx.x; }\n"),
             std::string("//@ candidate relu\n//@ launch k grid(R) block(?) args(x, y, C, R)\n"));
    QCOMPARE(lines(relu, "__global__ void k(const float* x, float* y, int r0, int rows) {}\n"),
             std::string("//@ candidate relu\n//@ launch k grid(1) block(?) args(x, y, ?, ?)\n"));
    // Types that do not fit, and too many parameters, are not guessed.
    QCOMPARE(lines(relu, "__global__ void k(const double* in, float* out, int p, int q) {}\n"),
             std::string("//@ candidate relu\n//@ launch k grid(1) block(?) args(?, y, ?, ?)\n"));
  }

  void aWholePlanMakesACandidate() {
    const std::string cuda =
        "#include <cuda_fp16.h>\n__global__ void __launch_bounds__(64) k(const float* x, float* y, int N) {}\n";
    const op::Spec op = spec_of("op copy(x: f32[N]) -> y: f32[N]\n default N = 8\n{ y[i] = x[i] }\n");
    const auto kernels = bare_kernels(cuda);
    const SuggestedLaunch launch = suggest_launch(kernels.at(0), cuda, op);
    QVERIFY(launch.complete());
    QVERIFY(launch.args[0].source == Source::known && launch.block.source == Source::guessed);
    const std::string text = with_plan_lines(cuda, op, kernels[0], launch);
    QVERIFY(text.find("extern \"C\" __global__") != text.npos);
    const auto parsed = parse(text, Language::cuda);
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().text().c_str());
    QVERIFY(check_contract(*parsed, op).has_value());
  }

  void theAdviceSaysWhatIsLeftToDo() {
    const op::Spec op = spec_of(relu);
    const std::string two =
        "__global__ void a(const float* x, float* y) {}\nextern \"C\" __global__ void b(const float* x, float* y) {}\n";
    const std::string advice = plan_advice(two, op);
    QVERIFY(advice.find("//@ launch a grid(1) block(?) args(x, y)\n//@ launch b grid(1) block(?) args(x, y)\n") !=
            advice.npos);
    QVERIFY(advice.find("in place of each '?'") != advice.npos && advice.find("extern \"C\"") != advice.npos);
    QVERIFY(plan_advice("//@ candidate relu\n" + two, op).empty());
    QVERIFY(plan_advice("template <int N> __global__ void t(float* y) {}", op).empty());
    QVERIFY(plan_advice("no kernel", op).empty());
  }

  void brokenTextsHaveNoKernels() {
    for (const char* text : {"", "__global__", "__global__ void", "__global__ void k(", "__global__ void k(int x",
                             "__global__ void k(int x);", "__global__ (int) {}", "/* __global__ void k() {}",
                             "__global__ void __launch_bounds__(", "\"__global__ void k() {}", "__global__ ; k() {}"})
      QVERIFY2(bare_kernels(text).empty(), text);
    QCOMPARE(bare_kernels("__global__ void k(void) {}").at(0).parameters.size(), std::size_t{0});
    QCOMPARE(bare_kernels("__global__ void k(,,) {}").at(0).parameters.size(), std::size_t{0});
  }
};

QTEST_GUILESS_MAIN(BareKernelTest)
#include "bare_kernel_test.moc"
