// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>
#include "op/inputs.h"
#include "op/ties.h"
#include "op/parse.h"
#include "op/philox.h"
#include "op/filled_inputs.h"

using namespace ww;
using namespace ww::op;
using ww::test::filled;

namespace {

std::vector<float> floats(Distribution d, std::uint64_t seed, int ordinal, std::int64_t n, Domain domain = {}) {
  std::vector<float> out(static_cast<std::size_t>(n));
  fill_input(d, seed, ordinal, DType::f32, domain, n, out.data());
  return out;
}

}  // namespace

class InputsTest : public QObject {
  Q_OBJECT
 private slots:
  // So that a few sets meet them all, for a vector, too, which has one row.
  void setsOfSuccessiveTurnsGoThroughTheKindsOfRows() {
    for (const std::uint64_t first : {0x5400ull, 0x9c00ull, 0x77777400ull}) {
      std::set<std::vector<float>> of_sampled;
      int zeros = 0, ones = 0, only_signs = 0;
      for (std::uint64_t turn = 0; turn < 6; ++turn) {
        std::vector<float> sampled(64), few(64);
        fill_input(Distribution::sampled, first + turn, 0, DType::f32, {}, 64, sampled.data(), 64);
        fill_input(Distribution::few, first + turn, 0, DType::f32, {}, 64, few.data(), 64);
        ones += sampled[0] == 1 && sampled[32] == 1;
        of_sampled.insert({sampled[0]});
        zeros += std::ranges::all_of(few, [](float v) { return v == 0; });
        only_signs += std::ranges::all_of(few, [](float v) { return std::abs(v) == 1; });
      }
      QVERIFY2(ones >= 2 && of_sampled.size() >= 3, std::to_string(ones).c_str());
      QVERIFY(zeros >= 1 && only_signs >= 1);
    }
  }
  // Sums of products of long rows of them leave the whole numbers that f32 holds.
  void crowdedBytesAreLargeAndOdd() {
    for (const DType dtype : {DType::i8, DType::u8})
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const std::vector<double> v = filled(Distribution::crowded, seed, dtype, {});
        const double one = v.front();
        QVERIFY(std::ranges::all_of(v, [&](double x) { return x == one; }));
        QVERIFY2(std::abs(one) >= 31 && std::fmod(one, 2) != 0, std::to_string(one).c_str());
      }
  }
  // Known answers of Random123's kat_vectors for philox4x32, 10 rounds.
  void philox() {
    using Words = std::array<std::uint32_t, 4>;
    QCOMPARE(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
    QCOMPARE(philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
             (Words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
    QCOMPARE(philox4x32_10({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
             (Words{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
  }

  void momentsOfNormal() {
    const auto x = floats(Distribution::normal, 1, 0, 200000);
    double mean = 0, square = 0, cube = 0, largest = 0;
    for (const float v : x) {
      mean += v;
      square += double{v} * v;
      cube += double{v} * v * v;
      largest = std::max(largest, std::fabs(double{v}));
    }
    const double n = static_cast<double>(x.size());
    QVERIFY(std::fabs(mean / n) < 0.01);
    QVERIFY(std::fabs(square / n - 1) < 0.02);
    QVERIFY(std::fabs(cube / n) < 0.03);
    QVERIFY(largest > 3.5 && largest < 6);
  }

  void ranges() {
    for (const float v : floats(Distribution::uniform, 2, 0, 10000)) QVERIFY(v >= -1 && v <= 1);
    for (const float v : floats(Distribution::positive, 2, 0, 10000)) QVERIFY(v > 0 && v <= 1);
    const auto large = floats(Distribution::large, 2, 0, 1000), normal = floats(Distribution::normal, 2, 0, 1000);
    for (std::size_t i = 0; i < large.size(); ++i) QVERIFY(std::fabs(large[i] - 100 * normal[i]) <= 1e-4f);
    const auto ramp = floats(Distribution::ramp, 2, 0, 40);
    QCOMPARE(ramp[0], -8.0f);
    QCOMPARE(ramp[16], 8.0f);
    QCOMPARE(ramp[17], -8.0f);
    for (const float v : floats(Distribution::constant, 2, 0, 100)) QCOMPARE(v, 1.0f);
    for (const float v : floats(Distribution::zeros, 2, 0, 100)) QCOMPARE(v, 0.0f);
    float lowest = 1e9f, highest = -1e9f;
    for (const float v : floats(Distribution::zeros, 3, 0, 10000, {true, 2.5, 3.5})) {
      QVERIFY(v >= 2.5f && v < 3.5f);
      lowest = std::min(lowest, v);
      highest = std::max(highest, v);
    }
    QVERIFY(lowest < 2.51f && highest > 3.49f);
  }

  // Element i depends on its number alone: not on the count, nor on other tensors.
  void partsAndReproduction() {
    const auto all = floats(Distribution::normal, 9, 3, 100000), some = floats(Distribution::normal, 9, 3, 777);
    QVERIFY(std::memcmp(all.data(), some.data(), 777 * 4) == 0);
    QVERIFY(std::memcmp(all.data(), floats(Distribution::normal, 9, 4, 777).data(), 777 * 4) != 0);
    QVERIFY(std::memcmp(all.data(), floats(Distribution::normal, 10, 3, 777).data(), 777 * 4) != 0);
    QVERIFY(std::memcmp(all.data(), floats(Distribution::normal, 9 + (std::uint64_t{1} << 32), 3, 777).data(),
                        777 * 4) != 0);
  }

  // The bits are part of the contract: kernels that fill on a device must make the same.
  void bits() {
    // philox(0; key 0) = 6627e8d5…: uniform = 2 * 0x6627e8d5 / 2^32 - 1.
    double u = 0, n = 0;
    fill_input(Distribution::uniform, 0, 0, DType::f64, {}, 1, &u);
    QCOMPARE(u, 2.0 * (0x6627e8d5p0 / 4294967296.0) - 1.0);
    fill_input(Distribution::normal, 0, 0, DType::f64, {}, 1, &n);
    const auto a = philox4x32_10({0, 0, 0, 0}, {0, 0}), b = philox4x32_10({0, 0, 1, 0}, {0, 0});
    double sum = 0;
    for (const std::uint32_t w : {a[0], a[1], a[2], a[3], b[0], b[1]})
      sum += (w & 0xffff) / 65536.0 + (w >> 16) / 65536.0 + 1.0 / 65536.0;
    QCOMPARE(n, sum - 6.0);
    std::uint16_t half = 0;
    fill_input(Distribution::normal, 0, 0, DType::f16, {}, 1, &half);
    QCOMPARE(half, f64_to_f16(n));
    std::uint16_t brain = 0;
    fill_input(Distribution::normal, 0, 0, DType::bf16, {}, 1, &brain);
    QCOMPARE(brain, f64_to_bf16(n));
  }

  void integers() {
    const auto check = [](DType dtype, Domain domain, std::int64_t lo, std::int64_t hi) {
      std::vector<std::byte> bytes(20000 * dtype_size(dtype));
      fill_input(Distribution::normal, 5, 0, dtype, domain, 20000, bytes.data());
      std::int64_t least = INT64_MAX, most = INT64_MIN;
      for (std::size_t i = 0; i < 20000; ++i) {
        const std::int64_t v = load_i64(dtype, bytes.data() + i * dtype_size(dtype));
        least = std::min(least, v);
        most = std::max(most, v);
      }
      QCOMPARE(least, lo);
      QCOMPARE(most, hi - 1);
    };
    check(DType::i32, {}, -8, 8);
    check(DType::i64, {}, -8, 8);
    check(DType::i8, {}, -8, 8);
    check(DType::u8, {}, 0, 16);
    check(DType::boolean, {}, 0, 2);
    check(DType::i32, {true, 0, 50}, 0, 50);
    check(DType::i64, {true, -3, -1}, -3, -1);
  }

  void strangeReals() {
    const auto drawn = [](Distribution d, DType dtype, Domain domain = {}) { return filled(d, 1, dtype, domain); };
    const auto any = [](const std::vector<double>& v, auto f) { return std::any_of(v.begin(), v.end(), f); };
    const std::vector<double> rows = drawn(Distribution::rows, DType::f32);
    int zero = 0, constant = 0, one_hot = 0, low = 0, peak = 0;
    for (std::size_t r = 0; r < 64; ++r) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(50 * r), last = first + 50;
      const auto zeros = std::count(first, last, 0.0), same = std::count(first, last, *first);
      zero += zeros == 50, constant += same == 50 && zeros == 0, one_hot += zeros == 49;
      low += std::all_of(first, last, [](double v) { return v < -4e6; });
      peak += std::count_if(first, last, [](double v) { return v > 6 && v < 28; }) == 1;
    }
    QVERIFY(zero > 0 && constant > 0 && one_hot > 0 && low > 0 && peak > 0);
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const std::vector<double> strange = drawn(Distribution::nonfinite, dtype),
                                special = drawn(Distribution::special, dtype);
      QVERIFY(any(strange, [](double v) { return std::isnan(v); }));
      QVERIFY(any(strange, [](double v) { return v == -INFINITY; }));
      const std::vector<double> infinite = drawn(Distribution::infinite, dtype);
      QVERIFY(!any(infinite, [](double v) { return std::isnan(v); }) &&
              any(infinite, [](double v) { return v == INFINITY; }));
      const std::vector<double> masked = drawn(Distribution::masked, dtype);
      QVERIFY(any(masked, [](double v) { return v == -INFINITY; }) &&
              any(masked, [](double v) { return std::isfinite(v); }) &&
              !any(masked, [](double v) { return std::isnan(v) || v == INFINITY; }));
      QVERIFY(any(special, [&](double v) { return v > largest_finite(dtype) / 0x1p21; }));
      QVERIFY(any(special, [&](double v) { return v == 0 && std::signbit(v); }));
      QVERIFY(any(special, [&](double v) { return v != 0 && std::abs(v) < smallest_normal(dtype); }));
      for (const Distribution d :
           {Distribution::rows, Distribution::mixed, Distribution::tiny, Distribution::huge, Distribution::special,
            Distribution::few, Distribution::shared, Distribution::shifted, Distribution::planted})
        for (const double v : drawn(d, dtype)) QVERIFY(std::isfinite(v));
    }
    for (const double v : drawn(Distribution::huge, DType::f32, {true, -2.0, 3.0})) QVERIFY(v >= -2.0 && v < 3.0);
    const std::vector<double> ends = drawn(Distribution::rows, DType::f64, {true, -2.0, 3.0});
    QVERIFY(any(ends, [](double v) { return v == -2.0; }));
    QVERIFY(std::all_of(ends.begin(), ends.end(), [](double v) { return v >= -2.0 && v < 3.0; }));
  }

  // What a vector holds is not left to the draw of its only row.
  void vectorsHaveStrangeElementsToo() {
    int with_nan = 0, with_infinity = 0;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      std::vector<float> v(300);
      fill_input(Distribution::nonfinite, seed, 0, DType::f32, {}, 300, v.data(), 300);
      with_nan += std::any_of(v.begin(), v.end(), [](float x) { return std::isnan(x); });
      with_infinity += std::any_of(v.begin(), v.end(), [](float x) { return std::isinf(x); });
    }
    QVERIFY2(with_nan >= 12 && with_infinity >= 14, qPrintable(QString("%1 %2").arg(with_nan).arg(with_infinity)));
  }

  void rowsOfOneSignReachTheEndOfTheirType() {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::e4m3}) {
      bool low = false, near_the_end = false, tensor = false;
      for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        const std::vector<double> v = filled(Distribution::one_sided, seed, dtype, {});
        int negative = 0;
        for (std::size_t r = 0; r < 64; ++r) {
          const auto first = v.begin() + static_cast<std::ptrdiff_t>(50 * r);
          const bool below = std::all_of(first, first + 50, [](double x) { return x < 0; });
          QVERIFY(below || std::all_of(first, first + 50, [](double x) { return x > 0; }));
          negative += below;
          near_the_end |=
              below && std::all_of(first, first + 50, [&](double x) { return x < -largest_finite(dtype) / 4; });
        }
        low |= negative > 0 && negative < 64;
        tensor |= negative == 64;
      }
      QVERIFY(low && near_the_end && tensor);
    }
  }

  void binadesCoverTheirType() {
    for (const DType dtype : {DType::f32, DType::f16}) {
      std::set<int> binades;
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        std::vector<std::byte> bytes(64 * 50 * dtype_size(dtype));
        fill_input(Distribution::binades, seed, 0, dtype, {}, 64 * 50, bytes.data(), 50);
        for (std::size_t i = 0; i < 64 * 50; ++i) {
          const double v = load_f64(dtype, &bytes[i * dtype_size(dtype)]);
          QVERIFY(v != 0 && std::abs(v) < largest_finite(dtype) / 8);
          binades.insert(std::ilogb(v));
        }
      }
      for (int e = std::ilogb(smallest_normal(dtype)); e <= std::ilogb(largest_finite(dtype)) - 4; ++e)
        QVERIFY2(binades.contains(e), std::to_string(e).c_str());
    }
  }
  void scaledRowsCoverWhatSumsReach() {
    std::set<int> of_rows;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      std::vector<float> v(64 * 50), other(64 * 50);
      const std::uint64_t by_row = seed * (turn_bits + 1) + 8 * seed + 7;
      fill_input(Distribution::scaled, by_row, 0, DType::f32, {}, 64 * 50, v.data(), 50);
      fill_input(Distribution::scaled, by_row, 1, DType::f32, {}, 64 * 50, other.data(), 50);
      for (std::size_t r = 0; r < 64; ++r) {
        double squares = 0;
        for (std::size_t c = 0; c < 50; ++c) squares += double{v[50 * r + c]} * v[50 * r + c];
        of_rows.insert(std::ilogb(std::sqrt(squares / 50)));
        for (std::size_t c = 0; c < 50; ++c) QVERIFY(std::abs(other[50 * r + c]) < 0x1p44f);
      }
    }
    QVERIFY(*of_rows.begin() >= -122 && *of_rows.rbegin() <= 116);
    QVERIFY2(of_rows.size() > 220, std::to_string(of_rows.size()).c_str());
  }
  // Sets that belong together meet every binade, by rows and as whole tensors; tails every depth.
  void setsThatBelongTogetherCoverTheRange() {
    for (const std::uint64_t base : {0x1u, 0x5eedu, 0xabcdefu}) {
      std::set<int> of_rows, squares_of_rows, of_tensors, binades;
      for (std::uint64_t turn = 0; turn < static_cast<std::uint64_t>(sets_of_all_scales(DType::f32)); ++turn) {
        constexpr std::size_t rows = 16, columns = 300;
        std::vector<float> v(rows * columns);
        const std::uint64_t seed = base * (turn_bits + 1) + turn;
        fill_input(Distribution::scaled, seed, 0, DType::f32, {}, rows * columns, v.data(), columns);
        std::set<int> now;
        double all = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          double squares = 0;
          for (std::size_t c = 0; c < columns; ++c) squares += double{v[columns * r + c]} * v[columns * r + c];
          squares /= columns;
          now.insert(std::ilogb(std::sqrt(squares)));
          all += squares / rows;
          if (turn % 8 == 7) squares_of_rows.insert(std::ilogb(squares));
        }
        if (turn % 8 == 7)
          of_rows.merge(now);
        else
          of_tensors.insert(std::ilogb(std::sqrt(all)));
        if (turn >= 24) continue;
        fill_input(Distribution::binades, seed, 0, DType::f32, {}, 9 * 50, v.data(), 50);
        for (std::size_t i = 0; i < 9 * 50; ++i) binades.insert(std::ilogb(v[i]));
      }
      for (int e = -120; e <= 115; ++e)
        QVERIFY2(of_rows.contains(e) && of_tensors.contains(e), std::to_string(e).c_str());
      for (int e = -240; e <= 230; ++e) QVERIFY2(squares_of_rows.contains(e), std::to_string(e).c_str());
      for (int e = -126; e <= 123; ++e) QVERIFY2(binades.contains(e), std::to_string(e).c_str());
    }
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      std::vector<float> v(12 * 64);
      fill_input(Distribution::tail, seed, 0, DType::f32, {}, 12 * 64, v.data(), 64);
      std::set<int> depths;
      for (std::size_t r = 0; r < 12; ++r)
        depths.insert(static_cast<int>(-*std::min_element(&v[64 * r], &v[64 * r] + 64) - std::log(64.0) - 0.25));
      QVERIFY2(depths.size() >= 11 && *depths.rbegin() >= 10, std::to_string(depths.size()).c_str());
    }
  }
  // Whatever the number of threads that share a row, one of them meets each step between 60 and 88.
  void tailsBeginFarBelow() {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      constexpr std::size_t rows = 3, columns = 4096;
      std::vector<float> v(rows * columns);
      fill_input(Distribution::tail, seed, 0, DType::f32, {}, rows * columns, v.data(), columns);
      for (std::size_t r = 0; r < rows; ++r) {
        const float* const row = &v[r * columns];
        std::set<int> steps;
        for (int i = 0; i < 32; ++i)
          if (row[i] != 0) steps.insert(static_cast<int>(row[columns - 1 - (row[columns - 1] == 0)] - row[i]));
        QVERIFY2(steps.size() >= 24 && *steps.begin() >= 59 && *steps.rbegin() <= 88 && *steps.rbegin() >= 87,
                 std::to_string(steps.size()).c_str());
        QVERIFY(*std::min_element(row + columns / 4, row + columns) >
                row[columns / 2 + (row[columns / 2] == 0)] - 0.3F);
      }
    }
  }
  void levelRowsDifferInSign() {
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::e4m3}) {
      std::set<int> levels;
      for (std::uint64_t turn = 0; turn < level_turns; ++turn) {
        const auto of = [&](Distribution d, int ordinal) {
          return filled(d, ordinal, dtype, {}, {}, 5 * (turn_bits + 1) + turn);
        };
        const std::vector<double> high = of(Distribution::level_high, 0), low = of(Distribution::level_low, 0);
        for (std::size_t i = 0; i < high.size(); ++i) {
          QVERIFY(high[i] > 0 && low[i] == -high[i] && high[i] == high[i / 50 * 50]);
          levels.insert(std::ilogb(high[i]));
        }
        const std::vector<double> other = of(Distribution::level_low, 1);
        QVERIFY(std::ranges::all_of(other, [&](double v) { return v > 0 && v == other[0]; }));
        QVERIFY(other[0] == 1 || (dtype != DType::f32 && dtype != DType::bf16 && other[0] > 1));
        QVERIFY(std::ranges::all_of(of(Distribution::level_near, 0), [](double v) { return v > 0 && v < 0.1; }));
        QCOMPARE(of(Distribution::level_near, 1), other);
      }
      const int most = std::ilogb(largest_finite(dtype)), least = std::min(most / 2, 10);
      for (int e = least; e <= most; ++e) QVERIFY2(levels.contains(e), std::to_string(e).c_str());
    }
  }

  void leadingElementsAreOneNumber() {
    int zeros = 0, ones = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<float> v(1000);
      fill_input(Distribution::leading, seed, 0, DType::f32, {}, 1000, v.data(), 100);
      for (std::size_t row = 0; row < 1000; row += 100) {
        const auto same = std::ranges::count(v.begin() + row, v.begin() + row + 50, v[row]);
        if (same < 50) continue;
        (v[row] == 0 ? zeros : ones) += 1;
        QVERIFY(v[row] == 0 || v[row] == 1);
      }
      std::vector<float> vector(1000);
      fill_input(Distribution::leading, seed, 1, DType::f32, {}, 1000, vector.data(), 1000);
      QCOMPARE(std::ranges::count(vector.begin(), vector.begin() + 500, vector[0]), 500);
    }
    QVERIFY2(zeros > 60 && ones > 20 && zeros + ones < 190, qPrintable(QString("%1 %2").arg(zeros).arg(ones)));
    for (const double v : filled(Distribution::leading, 3, DType::f32, {true, -2.0, 3.0})) QVERIFY(v >= -2 && v < 3);
    for (const double v : filled(Distribution::leading, 3, DType::boolean)) QVERIFY(v == 0 || v == 1);
  }

  void signallingSetsHoldSignallingNaN() {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::uint32_t> v(4000);
      fill_input(Distribution::signalling, seed, 0, DType::f32, {}, 4000, v.data(), 100);
      for (const std::uint32_t bits : v) {
        if ((bits & 0x7f800000) != 0x7f800000 || (bits & 0x007fffff) == 0) continue;
        ++found;
        QCOMPARE(bits & 0x00400000, 0u);
      }
    }
    QVERIFY2(found > 100, qPrintable(QString::number(found)));
  }

  void sampledElementsAreOneNumberEverywhere() {
    int ones = 0;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      std::vector<float> first(1000), second(1000);
      fill_input(Distribution::sampled, seed, 0, DType::f32, {}, 1000, first.data(), 50);
      fill_input(Distribution::sampled, seed, 1, DType::f32, {}, 1000, second.data(), 50);
      for (const std::size_t i : {0, 1, 64, 250, 500, 750, 999}) {
        QCOMPARE(first[i], first[0]);
        QCOMPARE(second[i], first[0]);
      }
      QVERIFY(first[3] != second[3] && first[3] != first[5]);
      ones += first[0] == 1;
    }
    QVERIFY(ones >= 4 && ones < 16);
    for (const double v : filled(Distribution::sampled, 3, DType::f32, {true, -2.0, 3.0}))
      QVERIFY(v >= -2.0 && v < 3.0);
    for (const double v : filled(Distribution::sampled, 3, DType::u8)) QVERIFY(v >= 0 && v < 16);
  }

  void fewValues() {
    const std::vector<double> few = filled(Distribution::few, 1, DType::f32);
    int signs = 0, zeros = 0, ones = 0, both = 0;
    for (std::size_t r = 0; r < 64; ++r) {
      const auto first = few.begin() + static_cast<std::ptrdiff_t>(50 * r), last = first + 50;
      signs += std::all_of(first, last, [](double v) { return std::abs(v) == 1; });
      zeros += std::count(first, last, 0.0) > 25, ones += std::count(first, last, 1.0) > 25;
      both += std::count_if(first, last, [](double v) { return v == 0 && std::signbit(v); }) > 10 &&
              std::count_if(first, last, [](double v) { return v == 0 && !std::signbit(v); }) > 10;
    }
    QVERIFY(signs > 0 && zeros > 0 && ones > 0 && both > 0);
    for (const Domain domain : {Domain{}, Domain{true, 0, 40}}) {
      const std::vector<double> indices = filled(Distribution::few, 1, DType::i32, domain);
      for (std::size_t r = 0; r < 64; ++r)
        QVERIFY(std::set<double>(&indices[50 * r], &indices[50 * r] + 50).size() <= 2);
    }
  }

  void pixelsAreWholeOrParts() {
    int whole = 0, parts = 0, most = 0;
    const std::vector<double> all = filled(Distribution::pixels, 1, DType::f32);
    for (std::size_t r = 0; r < 64; ++r) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(50 * r), last = first + 50;
      const double top = *std::max_element(first, last);
      whole += std::all_of(first, last, [](double v) { return v == std::floor(v); });
      parts += top == 1, most += top == 255;
      QVERIFY(std::all_of(first, last, [](double v) { return v >= 0 && v <= 255; }));
    }
    QVERIFY(whole > 16 && parts > 4 && most > 16);
  }

  void crowdedIntegersAreOneNumber() {
    std::set<double> seen;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      std::vector<std::int32_t> bins(1000);
      fill_input(Distribution::crowded, seed, 0, DType::i32, {true, 0, 40}, 1000, bins.data(), 1000);
      QCOMPARE(std::set<std::int32_t>(bins.begin(), bins.end()).size(), std::size_t{1});
      seen.insert(bins.front());
    }
    QVERIFY(seen.contains(0) && seen.contains(39) && seen.size() > 4);
  }

  // From one to the next, in each row one element is drawn anew, or two change places.
  void retouchedSetsHardlyDiffer() {
    const auto drawn = [](std::uint64_t seed) {
      std::vector<float> v(64 * 50);
      fill_input(Distribution::retouched, seed, 0, DType::f32, {}, std::ssize(v), v.data(), 50);
      return v;
    };
    std::vector<float> usual(64 * 50);
    fill_input(Distribution::normal, 0x3300, 0, DType::f32, {}, std::ssize(usual), usual.data(), 50);
    QVERIFY(drawn(0x3300) == usual && drawn(0x3400) != usual);
    for (std::uint64_t touch = 1; touch <= 6; ++touch) {
      const std::vector<float> now = drawn(0x3300 + touch);
      for (std::size_t r = 0; r < 64; ++r) {
        const auto first = static_cast<std::ptrdiff_t>(50 * r);
        std::vector<float> was(usual.begin() + first, usual.begin() + first + 50);
        std::vector<float> is(now.begin() + first, now.begin() + first + 50);
        int differ = 0;
        for (std::size_t k = 0; k < 50; ++k) differ += was[k] != is[k] ? 1 : 0;
        QCOMPARE(differ, touch % 2 != 0 ? 1 : 2);
        std::ranges::sort(was);
        std::ranges::sort(is);
        QCOMPARE(was == is, touch % 2 == 0);
      }
    }
    QVERIFY(drawn(0x3301) != drawn(0x3303));
  }

  // Of lines of 1000 elements, the distance from the first largest element to the next equal one.
  static std::vector<std::int64_t> tiedAt(std::uint64_t seed, std::int64_t stride) {
    std::vector<float> values(8000);
    fill_input(Distribution::ties, seed, 0, DType::f32, {}, 8000, values.data(), 1000);
    lay_ties(seed, 0, DType::f32, {}, 8000, {1000, stride}, values.data());
    std::vector<std::int64_t> distances;
    for (std::int64_t l = 0; l < 8; ++l) {
      std::vector<float> line;
      for (std::int64_t k = 0; k < 1000; ++k)
        line.push_back(values[static_cast<std::size_t>(stride == 1 ? l * 1000 + k : k * stride + l)]);
      const auto top = std::max_element(line.begin(), line.end()), next = std::find(top + 1, line.end(), *top);
      if (next != line.end()) distances.push_back(next - top);
    }
    return distances;
  }

  void tiesLieAtAllDistances() {
    for (const std::int64_t stride : {1, 8}) {
      std::size_t tied = 0;
      std::set<std::int64_t> seen;
      for (std::uint64_t seed = 1; seed <= 64; ++seed) {
        const std::vector<std::int64_t> distances = tiedAt(seed, stride);
        tied += distances.size();
        seen.insert(distances.begin(), distances.end());
      }
      QVERIFY(tied > 64 * 6);
      for (const std::int64_t d : {1, 31, 32, 33, 64, 256, 500, 512, 999})
        QVERIFY2(seen.contains(d), qPrintable(QString::number(d)));
    }
  }

  void linesAreThoseAmongWhichAPositionIsChosen() {
    const auto spec = parse_spec(
        "op f(x: f32[B, R, C], k: f32[R, D]) -> y: i64[B, C], z: i64[D]\n"
        "  default B = 2, R = 5, C = 7, D = 3\n{\n  t[b, r, c] = x[b, r, c] * 2\n"
        "  y[b, c] = argmax(r) t[b, r, c]\n  z[d] = argmin(r) k[r, d]\n}\n");
    QVERIFY(spec && chooses_position(*spec));
    const auto lines = lines_of(*spec, {});
    QCOMPARE(lines.size(), std::size_t{2});
    QVERIFY(lines.at("x").length == 5 && lines.at("x").stride == 7);
    QVERIFY(lines.at("k").length == 5 && lines.at("k").stride == 3);
    const auto ranks =
        parse_spec("op f(x: f32[N]) -> y: i64[N]\n  default N = 5\n{ y[i] = sum(j) int(x[j] < x[i]) }\n");
    const auto bins =
        parse_spec("op f(k: i32[N] in 0..V) -> y: i64[V]\n  default N = 9, V = 4\n{ y[v] = sum(n : k[n] == v) 1 }");
    QVERIFY(bins && !chooses_position(*bins));
    if (ranks) QVERIFY(chooses_position(*ranks));
  }

  void sharedElements() {
    for (const DType dtype : {DType::f32, DType::i32}) {
      const std::vector<double> a = filled(Distribution::shared, 0, dtype), b = filled(Distribution::shared, 2, dtype);
      std::size_t same = 0;
      for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
      QVERIFY(same > a.size() / 2 && same < a.size() * 9 / 10);
    }
  }

  void shiftedAsAWhole() {
    const std::vector<double> v = filled(Distribution::shifted, 1, DType::f32);
    const auto [least, most] = std::minmax_element(v.begin(), v.end());
    QVERIFY(*most - *least < 12 && *least * *most > 0 && std::min(std::abs(*least), std::abs(*most)) > 50);
    std::vector<float> vector(64);
    fill_input(Distribution::shifted, 7, 1, DType::f32, {}, 64, vector.data(), 64);
    for (const float x : vector) QVERIFY(std::abs(x) < 6);
  }

  // A variance as the difference of two means is below 0 in some of them.
  void tensorsAreNearlyConstant() {
    constexpr std::int64_t row = 64, rows = 64;
    const auto relative = [](const std::vector<float>& v) {
      const auto [least, most] = std::minmax_element(v.begin(), v.end());
      return (*most - *least) / std::abs(*least);
    };
    std::vector<float> v(row * rows);
    for (std::uint64_t turn = 0; turn < 14; ++turn) {
      fill_input(Distribution::narrow, turn << 32 | turn, 0, DType::f32, {}, rows * row, v.data(), row);
      QVERIFY(std::abs(v[0]) > 50 && std::abs(v[0]) < 5000);
      QVERIFY2(relative(v) > 0x1p-17 && relative(v) < 0x1p-8, qPrintable(QString::number(relative(v))));
    }
    fill_input(Distribution::narrow, 1, 0, DType::f32, {}, rows * row, v.data(), -rows * row);
    QVERIFY(relative(v) < 0x1p-8);
    fill_input(Distribution::narrow, 1, 1, DType::f32, {}, rows * row, v.data(), -rows * row);
    QVERIFY(std::ranges::any_of(v, [](float x) { return x < 0; }) &&
            std::ranges::any_of(v, [](float x) { return x > 0; }));
  }

  void plantedValues() {
    const std::vector<double> values = {1234.5, -70, 1e300};
    const auto count = [&](DType dtype, double v, Domain domain = {}) {
      const std::vector<double> drawn = filled(Distribution::planted, 1, dtype, domain, values);
      return std::count(drawn.begin(), drawn.end(), v);
    };
    QVERIFY(count(DType::f32, 1234.5) > 64 && count(DType::f32, std::nextafter(1234.5f, 2e3f)) > 16);
    QVERIFY(count(DType::f64, 1e300) > 64);
    QVERIFY(count(DType::f32, INFINITY) == 0);
    const std::vector<double> drawn = filled(Distribution::planted, 1, DType::f32, {}, {3, -5});
    int single = 0, all = 0;
    for (std::size_t r = 0; r < 64; ++r) {
      const auto first = drawn.begin() + static_cast<std::ptrdiff_t>(50 * r), last = first + 50;
      const auto three = std::count(first, last, 3.0), five = std::count(first, last, -5.0);
      single += std::max(three, five) > 35, all += three + five == 50 && std::min(three, five) > 0;
    }
    QVERIFY(single > 16 && all > 4);
    QVERIFY(count(DType::i32, -70) > 64 && count(DType::i32, -71) > 16);
    QCOMPARE(count(DType::f32, 1234.5, {true, 0, 1}), 0);
    QCOMPARE(count(DType::u8, -70), 0);
    QCOMPARE(filled(Distribution::planted, 1, DType::f32), filled(Distribution::normal, 1, DType::f32));
  }

  void strangeIntegers() {
    const auto range = [](Distribution d, DType dtype, Domain domain = {}) {
      std::vector<std::byte> bytes(64 * 50 * dtype_size(dtype));
      fill_input(d, 7, 1, dtype, domain, 64 * 50, bytes.data(), 50);
      std::pair<std::int64_t, std::int64_t> out{INT64_MAX, INT64_MIN};
      for (std::size_t i = 0; i < 64 * 50; ++i) {
        const std::int64_t v = load_i64(dtype, &bytes[i * dtype_size(dtype)]);
        out = {std::min(out.first, v), std::max(out.second, v)};
      }
      return out;
    };
    using Range = std::pair<std::int64_t, std::int64_t>;
    QCOMPARE(range(Distribution::huge, DType::i8), Range(-128, 127));
    QCOMPARE(range(Distribution::huge, DType::u8), Range(0, 255));
    QCOMPARE(range(Distribution::huge, DType::i32), Range(INT32_MIN, INT32_MAX));
    QCOMPARE(range(Distribution::huge, DType::i64), Range(INT64_MIN, INT64_MAX));
    QCOMPARE(range(Distribution::mixed, DType::i8), Range(-128, 127));
    QVERIFY(range(Distribution::mixed, DType::i64).second > INT64_MAX / 2);
    QCOMPARE(range(Distribution::tiny, DType::i32), Range(-1, 1));
    QCOMPARE(range(Distribution::rows, DType::i32, {true, 0, 50}), Range(0, 49));
    QCOMPARE(range(Distribution::huge, DType::i32, {true, 3, 5}), Range(3, 4));
    QCOMPARE(range(Distribution::rows, DType::boolean), Range(0, 1));
  }

  void names() {
    for (const Distribution d :
         {Distribution::normal, Distribution::uniform, Distribution::positive, Distribution::large,
          Distribution::constant, Distribution::ramp, Distribution::zeros, Distribution::rows, Distribution::nonfinite})
      QCOMPARE(*distribution_from_name(distribution_name(d)), d);
    const auto wrong = distribution_from_name("norml");
    QVERIFY(!wrong && wrong.error().cause == "did you mean 'normal'?");
  }
};

QTEST_APPLESS_MAIN(InputsTest)
#include "inputs_test.moc"
