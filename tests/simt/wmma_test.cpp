// SPDX-License-Identifier: Apache-2.0
// Matrix products whose matrices are in memory before and after: wmma of every shape and type, mma.m8n8k4 of f16, and
// products of fp8 with sums of f16.
#include <cmath>
#include "base/dtype.h"
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

std::uint64_t raw_of(const std::string& type, double v) {
  if (type == "f16") return f64_to_f16(v);
  if (type == "bf16") return f64_to_bf16(v);
  if (type == "f32" || type == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(v));
  if (type == "f64") return std::bit_cast<std::uint64_t>(v);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
}
double value_of(const std::string& type, std::uint64_t raw) {
  if (type == "f16") return f16_to_f64(static_cast<std::uint16_t>(raw));
  if (type == "bf16") return bf16_to_f64(static_cast<std::uint16_t>(raw));
  if (type == "f32" || type == "tf32")
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
  if (type == "f64") return std::bit_cast<double>(raw);
  return static_cast<std::int32_t>(raw);
}
unsigned bytes_of(const std::string& type) {
  return type == "f64" ? 8 : type == "s8" || type == "u8" ? 1 : type == "f16" || type == "bf16" ? 2 : 4;
}

// A matrix in memory, by rows or by columns, with room between them.
struct Matrix {
  std::string type;
  unsigned rows, columns;
  bool by_columns;
  std::vector<double> values;  // by rows
  unsigned stride() const { return (by_columns ? rows : columns) + 8; }
  std::size_t place(unsigned row, unsigned column) const {
    return bytes_of(type) * (by_columns ? column * stride() + row : row * stride() + column);
  }
  std::size_t bytes() const { return bytes_of(type) * stride() * (by_columns ? columns : rows); }
  std::vector<std::uint8_t> memory() const {
    std::vector<std::uint8_t> all(bytes());
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c) {
        const std::uint64_t raw = raw_of(type, values[r * columns + c]);
        std::memcpy(all.data() + place(r, c), &raw, bytes_of(type));
      }
    return all;
  }
};

std::string list_of(const std::string& name, unsigned count) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) text += (k != 0 ? ", %" : "%") + name + std::to_string(k);
  return text + "}";
}

double random_of(const std::string& type, Numbers& random) {
  if (type == "u8") return random.between(0, 255);
  if (type == "s8") return random.between(-128, 127);
  if (type == "s32") return random.between(-100000, 100000);
  return random.between(-32, 32) / 8.0;  // exact in every type, and so are sums of products
}

}  // namespace

class WmmaTest : public QObject {
  Q_OBJECT
 private slots:
  void products_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("sum");
    QTest::addColumn<QString>("result");
    QTest::addColumn<int>("registers_a");
    QTest::addColumn<int>("registers_b");
    const auto row = [](const char* shape, const char* type, const char* sum, const char* result, int a, int b) {
      QTest::addRow("%s %s %s %s", shape, type, sum, result) << shape << type << sum << result << a << b;
    };
    for (const char* shape : {"m16n16k16", "m32n8k16", "m8n32k16"}) {
      row(shape, "f16", "f32", "f32", 8, 8);
      row(shape, "f16", "f16", "f16", 8, 8);
      row(shape, "f16", "f32", "f16", 8, 8);
    }
    row("m16n16k16", "bf16", "f32", "f32", 4, 4);
    row("m32n8k16", "bf16", "f32", "f32", 8, 2);
    row("m8n32k16", "bf16", "f32", "f32", 2, 8);
    for (const char* type : {"s8", "u8"}) {
      row("m16n16k16", type, "s32", "s32", 2, 2);
      row("m32n8k16", type, "s32", "s32", 4, 1);
      row("m8n32k16", type, "s32", "s32", 1, 4);
    }
    row("m16n16k8", "tf32", "f32", "f32", 4, 4);
    row("m8n8k4", "f64", "f64", "f64", 1, 1);
  }
  void products() {
    QFETCH(QString, shape);
    QFETCH(QString, type);
    QFETCH(QString, sum);
    QFETCH(QString, result);
    QFETCH(int, registers_a);
    QFETCH(int, registers_b);
    const std::string name = shape.toStdString(), t = type.toStdString(), c_type = sum.toStdString(),
                      d_type = result.toStdString();
    const auto number_after = [&](char letter) {
      return static_cast<unsigned>(std::stoi(name.substr(name.find(letter) + 1)));
    };
    const unsigned m = number_after('m'), n = number_after('n'), k = number_after('k');
    const auto sums = [](const std::string& of) { return of == "f64" ? 2u : of == "f16" ? 4u : 8u; };
    for (const bool a_columns : {false, true})
      for (const bool b_columns : {false, true}) {
        Numbers random(m * 100 + k + (a_columns ? 1 : 0));
        const auto filled = [&](const std::string& of, unsigned rows, unsigned columns, bool by_columns) {
          Matrix x{of, rows, columns, by_columns, {}};
          for (unsigned i = 0; i < rows * columns; ++i) x.values.push_back(random_of(of, random));
          return x;
        };
        const Matrix a = filled(t, m, k, a_columns), b = filled(t, k, n, b_columns),
                     c = filled(c_type, m, n, b_columns);
        Matrix d{d_type, m, n, a_columns, std::vector<double>(std::size_t{m} * n)};
        const bool doubles = t == "f64";
        const std::string reg = doubles ? "e" : "x", layout_a = a_columns ? "col" : "row",
                          layout_b = b_columns ? "col" : "row";
        const auto part = [&](const std::string& letter, unsigned count) { return list_of(reg + letter, count); };
        const std::string types = t == "f16" ? d_type + "." + c_type : d_type + "." + t + "." + t + "." + c_type;
        const std::string body =
            "ld.param.u64 %rd1, [pin];\nadd.s64 %rd2, %rd1, 8192;\nadd.s64 %rd3, %rd1, 16384;\nld.param.u64 %rd4, "
            "[pout];\n"
            "wmma.load.a.sync.aligned." +
            layout_a + "." + name + ".global." + t + " " + part("a", static_cast<unsigned>(registers_a)) +
            ", [%rd1], " + std::to_string(a.stride()) + ";\nwmma.load.b.sync.aligned." + layout_b + "." + name + "." +
            t + " " + part("b", static_cast<unsigned>(registers_b)) + ", [%rd2], " + std::to_string(b.stride()) +
            ";\nwmma.load.c.sync.aligned." + layout_b + "." + name + ".global." + c_type + " " +
            part("c", sums(c_type)) + ", [%rd3+64], " + std::to_string(c.stride()) + ";\nwmma.mma.sync.aligned." +
            layout_a + "." + layout_b + "." + name + "." + types + " " + part("d", sums(d_type)) + ", " +
            part("a", static_cast<unsigned>(registers_a)) + ", " + part("b", static_cast<unsigned>(registers_b)) +
            ", " + part("c", sums(c_type)) + ";\nwmma.store.d.sync.aligned." + layout_a + "." + name + ".global." +
            d_type + " [%rd4], " + part("d", sums(d_type)) + ", " + std::to_string(d.stride()) + ";\n";
        std::string declared;
        for (const char* letter : {"a", "b", "c", "d"})
          declared += ".reg ." + std::string(doubles ? "f64" : "b32") + " %" + reg + letter + "<8>;\n";
        Bed bed(kernel_text(declared, body));
        std::vector<std::uint8_t> in(16384 + 64 + c.bytes());
        const auto put = [&](const Matrix& x, std::size_t at) {
          const auto all = x.memory();
          std::copy(all.begin(), all.end(), in.begin() + static_cast<std::ptrdiff_t>(at));
        };
        put(a, 0), put(b, 8192), put(c, 16384 + 64);
        const auto out = bed.put(std::vector<std::uint8_t>(d.bytes()), "out"), from = bed.put(in, "in");
        GOOD(bed.run("k", {1}, {32}, out, from));
        const auto got = bed.get<std::uint8_t>(out, d.bytes());
        for (unsigned row = 0; row < m; ++row)
          for (unsigned column = 0; column < n; ++column) {
            double want = c.values[row * n + column];
            for (unsigned i = 0; i < k; ++i) want += a.values[row * k + i] * b.values[i * n + column];
            std::uint64_t raw = 0;
            std::memcpy(&raw, got.data() + d.place(row, column), bytes_of(d_type));
            QCOMPARE(value_of(d_type, raw), value_of(d_type, raw_of(d_type, want)));
          }
      }
  }

  void bytesSaturate() {
    for (const bool saturates : {false, true}) {
      const std::string tail = saturates ? ".satfinite" : "";
      const std::string body =
          "mov.u32 %x0, 0x7f7f7f7f;\nmov.u32 %x1, 0x7fffffff;\n"
          "wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32" +
          tail +
          " {%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}, {%x0}, {%x0, %x0, %x0, %x0}, "
          "{%x1, %x1, %x1, %x1, %x1, %x1, %x1, %x1};\nst.global.u32 [%o], %y7;";
      Bed bed(kernel_text(".reg .b32 %x<2>, %y<8>;\n", body));
      const auto out = bed.put(std::vector<std::uint32_t>(4 * 32), "out");
      GOOD(bed.run("k", {1}, {32}, out, out));
      QCOMPARE(bed.get<std::uint32_t>(out, 1)[0], saturates ? 0x7fffffffu : 0x7fffffffu + 16 * 127 * 127);
    }
  }

  // The layouts of PTX ISA, section 9.7.14.5.1.
  void fourProductsOfEight_data() {
    QTest::addColumn<QString>("opcode");
    for (const char* a : {"row", "col"})
      for (const char* b : {"row", "col"})
        for (const char* sums : {"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.f16.f16.f16"})
          QTest::addRow("%s %s %s", a, b, sums) << QString("mma.sync.aligned.m8n8k4.%1.%2.%3").arg(a, b, sums);
  }
  void fourProductsOfEight() {
    QFETCH(QString, opcode);
    const std::string code = opcode.toStdString();
    const bool a_columns = code.find("k4.col") != std::string::npos,
               b_columns = code.find("col.f") != std::string::npos,
               half_d = code.find(".f16.f16.f16") != std::string::npos && code.find("f32.") == std::string::npos,
               half_c = code.ends_with("f16.f16");
    const bool c_is_half = half_c && code.ends_with(".f16.f16.f16");
    const unsigned c_registers = c_is_half ? 4 : 8, d_registers = half_d ? 4 : 8;
    std::string body =
        "mul.wide.u32 %rd1, %r0, 64;\nld.param.u64 %rd2, [pin];\nadd.s64 %rd1, %rd1, %rd2;\n"
        "ld.global.v4.u32 {%a0, %a1, %b0, %b1}, [%rd1];\n"
        "ld.global.v4.u32 {%c0, %c1, %c2, %c3}, [%rd1+16];\n"
        "ld.global.v4.u32 {%c4, %c5, %c6, %c7}, [%rd1+32];\n" +
        code + " " + list_of("d", d_registers) + ", {%a0, %a1}, {%b0, %b1}, " + list_of("c", c_registers) +
        ";\nmul.wide.u32 %rd3, %r0, 32;\nld.param.u64 %rd4, [pout];\nadd.s64 %rd3, %rd3, %rd4;\n";
    for (unsigned k = 0; k < d_registers; ++k)
      body += "st.global.u32 [%rd3+" + std::to_string(4 * k) + "], %d" + std::to_string(k) + ";\n";
    Bed bed(kernel_text(".reg .b32 %a<2>, %b<2>, %c<8>, %d<8>;\n", body));
    Numbers random(9);
    // Products are numbered by the four lanes that hold them.
    double a[4][8][4], b[4][4][8], c[4][8][8];
    for (auto* all : {&a[0][0][0], &b[0][0][0]})
      for (unsigned k = 0; k < 128; ++k) all[k] = random.between(-16, 16) / 4.0;
    for (unsigned k = 0; k < 256; ++k) (&c[0][0][0])[k] = random.between(-16, 16) / 4.0;
    std::vector<std::uint32_t> in(16 * 32);
    const auto upper = [](unsigned lane) { return lane < 16 ? 0u : 4u; };
    const auto place_of_sum = [&](bool half, unsigned lane, unsigned i) {
      return half ? std::pair(lane % 4 + upper(lane), i)
                  : std::pair((lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1));
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned q = lane / 4 % 4;
      std::uint32_t* const mine = &in[16 * lane];
      for (unsigned i = 0; i < 4; ++i) {
        const double x = a_columns ? a[q][i + upper(lane)][lane % 4] : a[q][lane % 4 + upper(lane)][i];
        const double y = b_columns ? b[q][i][lane % 4 + upper(lane)] : b[q][lane % 4][i + upper(lane)];
        mine[i / 2] |= static_cast<std::uint32_t>(raw_of("f16", x) << (16 * (i % 2)));
        mine[2 + i / 2] |= static_cast<std::uint32_t>(raw_of("f16", y) << (16 * (i % 2)));
      }
      for (unsigned i = 0; i < 8; ++i) {
        const auto [row, column] = place_of_sum(c_is_half, lane, i);
        if (c_is_half)
          mine[4 + i / 2] |= static_cast<std::uint32_t>(raw_of("f16", c[q][row][column]) << (16 * (i % 2)));
        else
          mine[4 + i] = static_cast<std::uint32_t>(raw_of("f32", c[q][row][column]));
      }
    }
    const auto out = bed.put(std::vector<std::uint32_t>(8 * 32), "out"), from = bed.put(in, "in");
    GOOD(bed.run("k", {1}, {32}, out, from));
    const auto got = bed.get<std::uint32_t>(out, 8 * 32);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned q = lane / 4 % 4;
        const auto [row, column] = place_of_sum(half_d, lane, i);
        double want = c[q][row][column];
        for (unsigned k = 0; k < 4; ++k) want += a[q][row][k] * b[q][k][column];
        const double found =
            half_d ? value_of("f16", got[8 * lane + i / 2] >> (16 * (i % 2))) : value_of("f32", got[8 * lane + i]);
        QCOMPARE(found, half_d ? value_of("f16", raw_of("f16", want)) : want);
      }
  }

  void halfSumsOfFp8() {
    for (const unsigned k : {16u, 32u}) {
      const unsigned b_registers = k / 16, a_registers = 2 * b_registers;
      std::string body = "mul.wide.u32 %rd1, %r0, 64;\nld.param.u64 %rd2, [pin];\nadd.s64 %rd1, %rd1, %rd2;\n";
      for (unsigned i = 0; i < 8; ++i)
        body += "ld.global.u32 %x" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
      body += "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f16.e4m3.e5m2.f16 {%y0, %y1}, " +
              list_of("x", a_registers) + ", {" + (k == 16 ? "%x4" : "%x4, %x5") + "}, {%x6, %x7};\n" +
              "st.global.v2.u32 [%o], {%y0, %y1};";
      Bed bed(kernel_text(".reg .b32 %x<8>, %y<2>;\n", body, ""));
      Numbers random(k);
      std::vector<std::uint32_t> in(16 * 32);
      for (std::size_t w = 0; w < in.size(); ++w)
        in[w] = w % 16 < 6 ? static_cast<std::uint32_t>(random.next()) & 0xb3b3b3b3u
                           : static_cast<std::uint32_t>(raw_of("f16", random.between(-64, 64) / 8.0) |
                                                        raw_of("f16", random.between(-64, 64) / 8.0) << 16);
      const auto out = bed.put(std::vector<std::uint32_t>(4 * 32), "out"), from = bed.put(in, "in");
      GOOD(bed.run("k", {1}, {32}, out, from));
      const auto got = bed.get<std::uint32_t>(out, 4 * 32);
      const auto fp8 = [&](DType type, unsigned lane, unsigned reg, unsigned byte) {
        return fp8_to_f64(type, static_cast<std::uint8_t>(in[16 * lane + reg] >> (8 * byte)));
      };
      for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          const unsigned lane = row % 8 * 4 + column / 2, half = column % 2, reg = row / 8;
          double want = f16_to_f64(static_cast<std::uint16_t>(in[16 * lane + 6 + reg] >> (16 * half)));
          for (unsigned i = 0; i < k; ++i)
            want += fp8(DType::e4m3, row % 8 * 4 + i % 16 / 4, row / 8 + i / 16 * 2, i % 4) *
                    fp8(DType::e5m2, column * 4 + i % 16 / 4, 4 + i / 16, i % 4);
          QCOMPARE(static_cast<std::uint16_t>(got[4 * lane + reg] >> (16 * half)), f64_to_f16(want));
        }
    }
  }

  void othersAreRefusedByName() {
    for (const char* opcode :
         {"wmma.load.a.sync.aligned.row.m16n16k16.global.tf32", "wmma.load.c.sync.aligned.row.m8n8k4.global.f32",
          "wmma.load.a.sync.aligned.row.m8n8k128.global.b1"}) {
      Bed bed(kernel_text(".reg .b32 %x<8>;\n", std::string(opcode) + " {%x0}, [%o], 16;"));
      const std::string wrong = bed.run("k", {1}, {32}, bed.room<int>(64), bed.room<int>(64));
      QVERIFY2(wrong.find(opcode) != std::string::npos, wrong.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(WmmaTest)
#include "wmma_test.moc"
