// SPDX-License-Identifier: Apache-2.0
// Matrix products beyond f16, bf16, tf32 and m16n8 bytes, against sums over the matrices' elements; movmatrix.
#include <bit>
#include <cmath>
#include "base/dtype.h"
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

struct Shape {
  const char* opcode;
  unsigned rows, k, per;  // per: neighbours in k in a register
  const char* type;       // of a and b
};

// Of the element (row, k) of a or (column, k) of b: which lane, register and part hold it.
struct Holder {
  unsigned lane, reg, part;
};
Holder holder(const Shape& s, unsigned row, unsigned k, bool of_a) {
  const unsigned in_lane = 4 * s.per, halves = of_a ? s.rows / 8 : 1;
  return {row % 8 * 4 + k % in_lane / s.per, row / 8 + k / in_lane * halves, k % s.per};
}

std::string list_of(const char* name, unsigned from, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i != 0 ? ", %" : "%") + std::string(name) + std::to_string(from + i);
  return text + "}";
}

// One warp: each lane's registers come from `in` and go to `out`, all of 8 bytes in memory.
std::string program(const Shape& s) {
  const bool doubles = s.type == std::string("f64");
  const unsigned b = s.k / (4 * s.per), a = b * s.rows / 8, sums = s.rows / 4;
  const std::string reg = doubles ? "e" : "x", type = doubles ? "f64" : "b32";
  std::string body =
      "mul.wide.u32 %rd1, %r0, 256;\nmul.wide.u32 %rd2, %r0, 16;\nsub.s64 %rd3, %i, %rd2;\n"
      "add.s64 %rd3, %rd3, %rd1;\nsub.s64 %rd4, %o, %rd2;\nadd.s64 %rd4, %rd4, %rd1;\n";
  for (unsigned i = 0; i < a + b + sums; ++i)
    body += "ld.global." + type + " %" + reg + std::to_string(i) + ", [%rd3+" + std::to_string(8 * i) + "];\n";
  body += std::string(s.opcode) + " " + list_of(reg.c_str(), 40, sums) + ", " + list_of(reg.c_str(), 0, a) + ", " +
          list_of(reg.c_str(), a, b) + ", " + list_of(reg.c_str(), a + b, sums) + ";\n";
  for (unsigned i = 0; i < sums; ++i)
    body += "st.global." + type + " [%rd4+" + std::to_string(8 * i) + "], %" + reg + std::to_string(40 + i) + ";\n";
  return kernel_text(".reg .b32 %x<64>;\n.reg .f64 %e<64>;\n", body);
}

double element_of(const std::string& type, std::uint64_t word, unsigned part) {
  if (type == "f64") return std::bit_cast<double>(word);
  if (type == "s8") return static_cast<std::int8_t>(word >> (8 * part));
  if (type == "u8") return static_cast<std::uint8_t>(word >> (8 * part));
  if (type == "u4") return static_cast<double>((word >> (4 * part)) & 15);
  if (type == "s4") return static_cast<double>(((static_cast<int>(word >> (4 * part)) & 15) ^ 8) - 8);
  if (type == "b1") return static_cast<double>((word >> part) & 1);
  return fp8_to_f64(type == "e4m3" ? DType::e4m3 : DType::e5m2, static_cast<std::uint8_t>(word >> (8 * part)));
}

}  // namespace

class FurtherMmaTest : public QObject {
  Q_OBJECT
 private slots:
  void products_data() {
    QTest::addColumn<QString>("opcode");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("per");
    QTest::addColumn<QString>("type");
    const auto row = [](const char* opcode, int rows, int k, int per, const char* type) {
      QTest::newRow(opcode) << opcode << rows << k << per << type;
    };
    row("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 8, 4, 1, "f64");
    row("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 16, 4, 1, "f64");
    row("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 1, "f64");
    row("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 16, 16, 1, "f64");
    row("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", 8, 16, 4, "s8");
    row("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", 8, 16, 4, "u8");
    row("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 8, 32, 8, "s4");
    row("mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", 16, 32, 8, "u4");
    row("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", 16, 64, 8, "s4");
    row("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 128, 32, "b1");
    row("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128, 32, "b1");
    row("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 256, 32, "b1");
    row("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, 4, "e4m3");
    row("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 32, 4, "e5m2");
    row("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 16, 4, "e4m3");
    row("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", 16, 16, 4, "e5m2");
  }
  void products() {
    QFETCH(QString, opcode);
    QFETCH(int, rows);
    QFETCH(int, k);
    QFETCH(int, per);
    QFETCH(QString, type);
    const std::string code = opcode.toStdString(), kind = type.toStdString();
    const Shape s{code.c_str(), static_cast<unsigned>(rows), static_cast<unsigned>(k), static_cast<unsigned>(per),
                  kind.c_str()};
    const unsigned b = s.k / (4 * s.per), a = b * s.rows / 8, sums = s.rows / 4;
    Numbers random(static_cast<std::uint64_t>(rows * 1000 + k));
    std::vector<std::uint64_t> in(32 * 32);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool is_sum = i % 32 >= a + b;
      if (kind == "f64")
        in[i] = std::bit_cast<std::uint64_t>(static_cast<double>(random.between(-1000, 1000)) / 64);
      else if (!is_sum)
        in[i] = random.next() & (kind[0] == 'e' ? 0xb3b3b3b3u : 0xffffffffu);  // fp8: finite
      else
        in[i] = kind[0] == 'e' ? std::bit_cast<std::uint32_t>(static_cast<float>(random.between(-100, 100)) / 8)
                               : static_cast<std::uint32_t>(random.between(-1000, 1000));
    }
    Bed bed(program(s));
    const auto out = bed.put(std::vector<std::uint64_t>(32 * 32), "out"), from = bed.put(in, "in");
    GOOD(bed.run("k", {1}, {32}, out, from));
    const auto got = bed.get<std::uint64_t>(out, 32 * 32);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; r < sums; ++r) {
        const unsigned row = lane / 4 + 8 * (r / 2), column = lane % 4 * 2 + r % 2;
        const std::uint64_t c = in[lane * 32 + a + b + r], d = got[lane * 32 + r];
        double sum = 0;
        for (unsigned kk = 0; kk < s.k; ++kk) {
          const Holder x = holder(s, row, kk, true), y = holder(s, column, kk, false);
          const double left = element_of(kind, in[x.lane * 32 + x.reg], x.part),
                       right = element_of(kind, in[y.lane * 32 + a + y.reg], y.part);
          const bool by_xor = code.find("xor") != std::string::npos;
          sum += by_xor ? static_cast<double>(left != right) : left * right;
        }
        if (kind == "f64")
          QCOMPARE(std::bit_cast<double>(d), sum + std::bit_cast<double>(c));  // exact: no rounding with such numbers
        else if (kind[0] == 'e')
          QCOMPARE(std::bit_cast<float>(static_cast<std::uint32_t>(d)),
                   static_cast<float>(sum + static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(c)))));
        else
          QCOMPARE(static_cast<double>(static_cast<std::int32_t>(d)),
                   sum + static_cast<double>(static_cast<std::int32_t>(c)));
      }
  }

  void sumsSaturate() {
    for (const auto& [opcode, expected] :
         {std::pair{"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", 0x7fffffffu},
          {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 0x80000000u + 16 * 100 * 100 - 1}}) {
      Bed bed(program({opcode, 8, 16, 4, "s8"}));
      std::vector<std::uint64_t> in(32 * 32, 0x64646464);
      for (std::size_t i = 0; i < in.size(); ++i)
        if (i % 32 >= 2) in[i] = 0x7fffffff;
      const auto out = bed.put(std::vector<std::uint64_t>(32 * 32), "out"), from = bed.put(in, "in");
      GOOD(bed.run("k", {1}, {32}, out, from));
      QCOMPARE(static_cast<std::uint32_t>(bed.get<std::uint64_t>(out, 1)[0]), expected);
    }
  }

  void matricesAreTransposed() {
    Bed bed(kernel_text("",
                        "ld.global.u32 %r1, [%i];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
                        "st.global.u32 [%o], %r2;"));
    std::vector<std::uint32_t> in(4 * 32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {  // the element (i, j) is 8 i + j
      const std::uint32_t first = lane / 4 * 8 + lane % 4 * 2;
      in[4 * lane] = first | ((first + 1) << 16);
    }
    const auto out = bed.put(std::vector<std::uint32_t>(4 * 32), "out"), from = bed.put(in, "in");
    GOOD(bed.run("k", {1}, {32}, out, from));
    const auto got = bed.get<std::uint32_t>(out, 4 * 32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t i = lane / 4, j = lane % 4 * 2;
      QCOMPARE(got[4 * lane], (8 * j + i) | ((8 * (j + 1) + i) << 16));
    }
  }

  void othersAreRefusedByName() {
    for (const char* opcode :
         {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", "mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32",
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f32"}) {
      Bed bed(program({opcode, 8, 4, 1, "f64"}));
      const std::string wrong = bed.run("k", {1}, {32}, bed.room<int>(64), bed.room<int>(64));
      QVERIFY2(wrong.find(opcode) != std::string::npos, wrong.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(FurtherMmaTest)
#include "further_mma_test.moc"
