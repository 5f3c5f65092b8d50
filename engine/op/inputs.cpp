// SPDX-License-Identifier: Apache-2.0
// How element i of a tensor is made (so that a device can make the same bits):
//   The counter is (i mod 2^32, i / 2^32, block, ordinal), the key (seed mod 2^32, seed / 2^32). Block 0 gives
//   words w0..w3.
//   uniform in [0, 1):  u = w0 * 2^-32.
//   normal:             Irwin-Hall with 12 terms. The 12 uniform 16-bit halves h of the words of blocks 0 and 1 (low
//                       half first; the last two words of block 1 are not used) give (sum of (h + 1/2)) * 2^-16 - 6:
//                       mean 0, variance 1 - 2^-32, range (-6, 6). Integer sums and one exact product: no rounding, no
//                       library function.
//   domain, real:       lo + (hi - lo) * u in f64, one product and one sum, kept below hi.
//   domain, integer:    lo + floor(w * (hi - lo) / 2^64), w = w0 * 2^32 + w1, by a 128-bit product.
// Last, the value is rounded to the element type, to nearest even. "positive" draws 1 - u in (0, 1]; after rounding to
// a narrow type the ends of a half-open interval may be reached.
#include "op/inputs.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include "base/parallel.h"
#include "op/names.h"
#include "op/normals.h"
#include "op/parse.h"
#include "op/philox.h"

namespace ww::op {
namespace {

double unit(const std::array<std::uint32_t, 4>& w) { return w[0] * 0x1p-32; }

std::int64_t drawn_integer(const std::array<std::uint32_t, 4>& w, std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  const std::uint64_t word = std::uint64_t{w[0]} << 32 | w[1];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) +
                                   static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * range) >> 64));
}

constexpr std::uint32_t row_block = 2, element_block = 3;  // of the words that distributions by rows draw
constexpr std::uint32_t tensor_block = 4;                  // what a tensor as a whole draws

// Where an element is in its row, and what the row and the element draw.
struct Place {
  std::uint64_t row = 0, at = 0, length = 1;
  bool alone = false;  // the tensor has no other row
  std::array<std::uint32_t, 4> of_row{}, of_element{};
  bool chosen() const { return of_row[1] % length == at; }  // one element of the row
};
Place place_of(std::uint64_t seed, int ordinal, std::uint64_t i, std::int64_t row) {
  Place p;
  p.alone = row < 0;
  p.length = static_cast<std::uint64_t>(std::max<std::int64_t>(std::abs(row), 1));
  p.row = i / p.length;
  p.at = i % p.length;
  // From turn to turn the first word goes through the kinds that rows are of, which a few sets meet all; the others
  // take long odd steps.
  constexpr std::uint32_t steps[] = {1, 0x9e3779b1, 0x85ebca6b, 0xc2b2ae35};
  p.of_row = drawn_words(seed & ~turn_bits, ordinal, p.row, row_block);
  for (std::size_t k = 0; k < p.of_row.size(); ++k)
    p.of_row[k] += steps[k] * static_cast<std::uint32_t>(seed & turn_bits);
  p.of_element = drawn_words(seed, ordinal, i, element_block);
  return p;
}

double sign_of(std::uint32_t word) { return word % 2 != 0 ? -1.0 : 1.0; }

// What distributions stay within for types of a small range.
struct Reach {
  double most;        // of a value
  int scales;         // powers of two, each way, that values are multiplied by
  double tiny, huge;  // factors
  double large;       // of the largest finite value, so that sums of many stay in range in any order
  int shift, shifts;  // the least power of two that a tensor is moved by, and how many there are
};
Reach reach_of(DType dtype) {
  switch (dtype) {
    case DType::e4m3: return {256, 4, 0x1p-6, 0x1p5, 0x1p-3, 2, 3};
    case DType::f16:
    case DType::e5m2: return {1e4, 10, 0x1p-14, 0x1p12, 0x1p-6, 5, 3};
    default: return {std::numeric_limits<double>::infinity(), 40, 0x1p-100, 0x1p100, 0x1p-20, 6, 7};
  }
}

double real_of_row(const Place& p, double usual) {
  const double constant = 4.0 * (p.of_row[2] * 0x1p-32) + 0.5;
  const std::uint32_t kind = p.of_row[0] % 10;
  // A vector is often a bias that a kernel begins its sums with: that far from them it would cost their last digits.
  if (p.alone && kind >= 4) return usual;
  switch (kind) {
    case 0: return 0.0;
    case 1: return sign_of(p.of_row[3]) * constant;
    case 2: return p.chosen() ? constant : 0.0;
    case 3: return 0x1p-60 * usual;
    case 4: return 1024.0 + usual;  // a power of two: in a sum with larger rows all such terms would round to one side
    case 5: return -0x1p22 * (1.0 + p.of_element[0] * 0x1p-32);
    case 6: return 0x1p22 * (1.0 + p.of_element[0] * 0x1p-32);
    case 8:
    case 9: return p.chosen() ? 4.0 + 5.0 * constant : usual;  // so that the others' exponentials are small, yet many
    default: return usual;
  }
}

double few_values(const Place& p, double usual) {
  const double one = sign_of(p.of_element[1]);
  const bool mostly = p.of_element[0] % 4 != 0;
  switch (p.of_row[0] % 5) {
    case 0: return one;
    case 1: return mostly ? 0.0 : usual;
    case 2: return mostly ? 1.0 : usual;
    case 3: return std::copysign(0.0, one);
    default: return p.of_element[0] % 3 == 0 ? 0.0 : p.of_element[0] % 3 == 1 ? one : usual;
  }
}

// The maximum of most rows is -0.
double nonpositive(const Place& p, double usual) {
  const bool zero = p.of_row[0] % 4 != 0 && (p.chosen() || p.of_element[0] % 8 == 0);
  return zero ? -0.0 : -std::abs(usual);
}

// As images have them.
double pixel(const Place& p) {
  const std::uint32_t kind = p.of_row[0] % 4, word = p.of_element[0];
  const std::uint32_t most = kind == 2 ? 9 : 255;
  const double v = p.chosen() ? most : kind == 1 ? 1 + word % most : word % (most + 1);
  return kind == 3 ? v / most : v;
}

double shift_of(std::uint64_t seed, int ordinal, const Reach& reach) {
  const auto w = drawn_words(seed, ordinal, 0, tensor_block);
  return sign_of(w[0]) * std::exp2(reach.shift + static_cast<int>(w[1] % static_cast<std::uint32_t>(reach.shifts)));
}

// The mean of its squares and the square of its mean differ by less than f32 can hold.
double nearly_constant(double constant, std::uint64_t seed, double usual) {
  constexpr int most = -12, steps = 7;  // powers of two
  return constant * (1 + std::exp2(most - static_cast<int>((seed & turn_bits) % steps)) * usual);
}

// The tensor whose draw this element takes in a set of shared elements.
int shared_ordinal(std::uint64_t seed, int ordinal, std::uint64_t i) {
  return drawn_words(seed, 0, i, element_block)[2] % 4 != 0 ? 0 : ordinal;
}

// In some rows, one element of eleven.
bool is_strange(const Place& p) { return p.of_row[0] % 4 == 0 && (p.chosen() || p.of_element[0] % 11 == 0); }

// A vector has one row only, which would have none of them in most sets.
Place part_of(std::uint64_t seed, int ordinal, std::uint64_t i, std::int64_t row) {
  constexpr std::int64_t part = 16;
  return place_of(seed, ordinal, i, row < -part ? -part : row);
}

// `of_tensor`: in half of the sets all rows have one sign.
double one_sided(const Place& p, const std::array<std::uint32_t, 4>& of_tensor, DType dtype, double huge) {
  const double least = std::log2(huge), most = std::log2(largest_finite(dtype));
  const double from = p.of_row[0] % 2 == 0 ? most - 1 : least;
  const double magnitude = std::exp2(from + (most - from) * unit(p.of_element));
  const std::uint32_t sign = of_tensor[0] % 2 == 0 ? of_tensor[1] : p.of_row[3];
  return sign_of(sign) * std::min(magnitude, largest_finite(dtype));
}

struct Tail {  // of one row
  std::uint64_t chosen = 0;
  double most = 0;          // of the others
  std::uint64_t start = 0;  // how many it begins with that lie further below
};
Tail tail_of(std::uint64_t seed, int ordinal, std::uint64_t row, std::uint64_t length) {
  constexpr double most = 12, step = 5;  // from row to row
  const double first = most * (drawn_words(seed, 0, 0, tensor_block)[2] * 0x1p-32);
  const double depth = std::fmod(first + step * static_cast<double>(row % 12), most);
  const auto of_row = drawn_words(seed, ordinal, row, row_block);
  constexpr std::uint64_t least_start = 32, starts = 6, least_share = 16;  // too few for the sum to miss
  const std::uint64_t start = least_start << of_row[2] % starts, most_start = length / least_share;
  return {of_row[1] % length, -std::log(static_cast<double>(length)) - depth,
          most_start < least_start ? 0 : std::min(start, most_start)};
}
// By 60 to 88.5, in steps that 32 elements in a row all meet: where the largest number so far
// is replaced too late, exponentials overflow within a few of these steps.
double below_the_others(std::uint64_t seed, std::uint64_t at) {
  constexpr std::uint64_t steps = 32, stride = 13;
  constexpr double least = 60, most = 88.5;
  const std::uint64_t step = (stride * at + drawn_words(seed, 0, 0, tensor_block)[3]) % steps;
  return least + (most - least) * static_cast<double>(step) / (steps - 1);
}

// One row after another takes the next eight binades, from a drawn one on.
double of_binades(const Place& p, std::uint64_t seed, int ordinal, DType dtype) {
  constexpr int window = 8;
  constexpr std::uint64_t stride = 8;  // from set to set
  const std::uint64_t turn = seed & turn_bits;
  seed &= ~turn_bits;
  const auto of_set = drawn_words(seed, 0, turn, tensor_block);
  const int least = std::ilogb(2 * smallest_normal(dtype) * unit_roundoff(dtype)),  // of the subnormals
      most = std::ilogb(largest_finite(dtype));
  const auto windows = static_cast<std::uint64_t>((most - least + window - 1) / window);
  const bool common = of_set[1] % 3 == 1;
  const std::uint64_t phase =
      (common ? drawn_words(seed, 0, 0, tensor_block) : drawn_words(seed, ordinal, 0, tensor_block))[2] + stride * turn;
  const std::uint64_t kind = 3 * p.row % 4;  // so that rows of each kind meet every window
  const int above = static_cast<int>((kind < 2 ? p.of_row[2] : p.of_element[0]) % window);
  int exponent = std::min(least + window * static_cast<int>((phase + p.row) % windows) + above, most - 4);
  const int others = reach_of(dtype).scales;
  if (ordinal > 0) exponent = std::clamp(exponent, -others, p.alone ? 0 : others);
  const double fraction = (kind == 0 ? p.of_row[1] : p.of_element[2]) * 0x1p-32;
  return sign_of(kind == 3 ? p.of_element[1] : p.of_row[3]) * std::ldexp(1 + fraction, exponent);
}

struct Scales {  // powers of two that `scaled` multiplies by
  int least = 0, count = 1;
};
Scales scales_of(int ordinal, DType dtype) {
  const Reach reach = reach_of(dtype);
  if (ordinal > 0) return {-reach.scales, 2 * reach.scales + 1};
  const int least = std::min(std::ilogb(reach.tiny), std::ilogb(smallest_normal(dtype)) + 6);
  const int most = std::max(std::ilogb(reach.huge), std::ilogb(largest_finite(dtype)) - 12);
  return {least, most - least + 1};
}

// The factor that `scaled` takes for an element's row: a quarter above a power of two or below the next, so that what
// is near 1 without it stays within a binade.
double scale_of(const Place& p, std::uint64_t seed, int ordinal, DType dtype) {
  constexpr std::uint64_t rows = 16, row_stride = 101, stride = 89;  // primes: together they meet every scale
  const std::uint64_t turn = seed & turn_bits;
  seed &= ~turn_bits;
  if (ordinal > 0 && drawn_words(seed, 0, turn, tensor_block)[1] % 3 != 0) return 1;
  const std::uint64_t first = drawn_words(seed, ordinal, 0, tensor_block)[2], group = turn / turns_by_row;
  const Scales scales = scales_of(ordinal, dtype);
  const auto n = static_cast<std::uint64_t>(scales.count);
  const bool by_row = turn % turns_by_row == turns_by_row - 1;
  const std::uint64_t half =
      by_row ? first + row_stride * (rows * group + p.row) : 2 * (first + stride * (turn - group)) + (first + turn) % 2;
  const int scale = scales.least + static_cast<int>(half / 2 % n);
  return std::exp2((p.alone && ordinal > 0 ? std::min(scale, 0) : scale) + (half % 2 == 0 ? 0.25 : 0.75));
}

double level(const Place& p, std::uint64_t seed, int ordinal, DType dtype, bool low) {
  const int turn = static_cast<int>((seed & turn_bits) % level_turns);
  const int most = std::ilogb(largest_finite(dtype)), least = std::min(most / 2, 10);
  const int width = (most - least + level_turns) / level_turns, from = least + width * turn;
  if (ordinal > 0) return std::ldexp(1, std::clamp(from - most, 0, reach_of(dtype).scales));
  const int exponent = from + static_cast<int>(p.of_row[2] % static_cast<std::uint32_t>(width));
  return std::ldexp(low ? -1 : 1, std::min(exponent, most));
}

double special_value(DType dtype, std::uint32_t word) {
  const double least = smallest_normal(dtype);
  const bool narrow = dtype == DType::f16 || saturates(dtype);
  const double last = narrow ? 2 * least * unit_roundoff(dtype) : least * 0x1p-7;
  const double large = largest_finite(dtype) * reach_of(dtype).large;
  const double magnitudes[] = {0.0, last, least, large, 1.0};
  return (word % 2 != 0 ? -1.0 : 1.0) * magnitudes[word / 2 % 5];
}

// NaN among others would hide what infinities do to a row.
// Half of them as compilers write NaN, the others of either sign and with other bits.
double some_nan(std::uint32_t word) {
  if (word % 2 == 0) return std::numeric_limits<double>::quiet_NaN();
  constexpr std::uint64_t quiet = 0x7ff8000000000000, bits = std::uint64_t{1} << 51, sign = std::uint64_t{1} << 63;
  const std::uint64_t drawn = std::uint64_t{word} << 31;
  return std::bit_cast<double>(quiet | (drawn % bits) | (word % 4 == 1 ? sign : 0));
}

double nonfinite_value(const Place& p, double usual, bool with_nan) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::uint32_t word = p.of_element[1];
  switch ((p.of_row[2] + p.of_row[0] / 4) % 4) {  // a row is strange in every fourth turn: of one sign, then of both
    case 0: return p.chosen() ? sign_of(p.of_row[3]) * infinity : usual;
    case 2: return sign_of(p.of_row[3]) * infinity;
    default: break;
  }
  if (with_nan && word % 3 == 0) return some_nan(word / 3);
  return sign_of(word / 3) * infinity;
}

// Whether a row of this set may be masked entirely.
bool masks_rows(std::uint64_t seed) { return drawn_words(seed, 0, 0, tensor_block)[3] % 2 != 0; }

bool is_masked(const Place& p, bool rows) {
  constexpr std::uint64_t lanes = 32;  // of a warp, whose threads take every 32nd element
  const std::uint64_t cut = p.of_row[2] % p.length;
  switch (p.of_row[0] % 8) {
    case 0: return p.at < cut;
    case 1: return p.at > cut;
    case 2: return !p.chosen();
    case 3: return !p.chosen() && p.of_element[0] % 2 != 0;
    case 4: return !p.chosen() && p.at % lanes == cut % lanes;
    case 5: return rows;
    default: return false;
  }
}

// Near where e^x leaves the numbers of f32 (88.73), its normal ones (-87.34) and its subnormal ones (-103.98), or the
// sum of a row of them does.
double edge_of_exponentials(const Place& p, std::uint64_t seed, double usual) {
  constexpr double edges[] = {88.7, -88.7, -95.0, -103.5};
  const std::uint64_t turn = (p.row + (seed & turn_bits)) % (std::size(edges) + 1);
  const double drawn = p.of_row[1] * 0x1p-32;
  if (turn == std::size(edges)) return edges[0] - std::log(static_cast<double>(p.length)) + 1.5 * drawn;
  const double spread = p.of_row[0] % 3 == 0 ? 0 : p.of_row[0] % 3 == 1 ? 0.5 : 2.0;  // one number, or near it
  return edges[turn] + (drawn - 0.5) * 8.0 + spread * usual;
}

enum class Level : std::uint8_t { high, low, zero, one };
Level saturated_level(std::uint64_t seed) { return static_cast<Level>((seed & turn_bits) % 4); }

double saturated_value(std::uint64_t seed, DType dtype) {
  switch (saturated_level(seed)) {
    case Level::high: return reach_of(dtype).most;
    case Level::low: return -reach_of(dtype).most;
    case Level::zero: return 0;
    case Level::one: break;
  }
  return 1;
}

double strange_element(Distribution d, DType dtype, std::uint64_t seed, int ordinal, std::uint64_t i,
                       std::int64_t row) {
  const Place p = place_of(seed, ordinal, i, row);
  const auto usual = [&] { return normal(seed, ordinal, i); };
  const Reach reach = reach_of(dtype);
  switch (d) {
    case Distribution::rows: return std::clamp(real_of_row(p, usual()), -reach.most, reach.most);
    case Distribution::mixed: {
      const auto scales = static_cast<std::uint32_t>(2 * reach.scales + 1);
      const int scale = static_cast<int>(p.of_element[0] % scales) - reach.scales;
      return std::ldexp(usual(), p.alone ? std::min(scale, 0) : scale);  // see real_of_row()
    }
    case Distribution::tiny: return usual() * reach.tiny;
    case Distribution::huge: return usual() * reach.huge;
    case Distribution::special: {
      const Place part = part_of(seed, ordinal, i, row);
      return is_strange(part) ? special_value(dtype, part.of_element[1]) : usual();
    }
    case Distribution::nonfinite:
    case Distribution::signalling: {
      const Place part = part_of(seed, ordinal, i, row);
      return is_strange(part) ? nonfinite_value(part, usual(), true) : usual();
    }
    case Distribution::infinite: {
      const Place part = part_of(seed, ordinal, i, row);
      if (p.of_row[0] % 8 == 1) return sign_of(p.of_row[3]) * std::numeric_limits<double>::infinity();
      return is_strange(part) ? nonfinite_value(part, usual(), false) : usual();
    }
    case Distribution::one_sided: return one_sided(p, drawn_words(seed, ordinal, 0, tensor_block), dtype, reach.huge);
    case Distribution::binades: {
      const bool spared = ordinal > 0 && drawn_words(seed & ~turn_bits, 0, seed & turn_bits, tensor_block)[1] % 3 == 0;
      return spared ? usual() : of_binades(part_of(seed, ordinal, i, row), seed, ordinal, dtype);
    }
    case Distribution::scaled: return usual() * scale_of(p, seed, ordinal, dtype);
    case Distribution::level_high:
    case Distribution::level_low:
    case Distribution::level_near:
      if (p.alone && ordinal > 0) return usual();
      if (ordinal == 0 && d == Distribution::level_near) return std::exp2(-1.5 * reach.scales);
      return level(p, seed, ordinal, dtype, d == Distribution::level_low);
    case Distribution::saturated: return saturated_value(seed, dtype);
    case Distribution::edges: return ordinal > 0 ? usual() : edge_of_exponentials(p, seed, usual());
    case Distribution::lowest: return -std::numeric_limits<double>::infinity();
    case Distribution::highest: return std::numeric_limits<double>::infinity();
    case Distribution::few: return few_values(p, usual());
    case Distribution::shared: return normal(seed, shared_ordinal(seed, ordinal, i), i);
    case Distribution::masked:
      return is_masked(p, masks_rows(seed)) ? -std::numeric_limits<double>::infinity() : usual();
    case Distribution::pixels: return pixel(p);
    case Distribution::nonpositive: return nonpositive(p, usual());
    case Distribution::shifted: return usual() + (p.alone ? 0 : shift_of(seed, ordinal, reach));
    case Distribution::narrow:
      return p.alone && ordinal > 0 ? usual() : nearly_constant(shift_of(seed, ordinal, reach), seed, usual());
    default: return usual();
  }
}

bool by_rows(Distribution d) { return d > Distribution::zeros; }

// Where an element of a retouched set is drawn.
struct Origin {
  std::uint64_t seed = 0, i = 0;
};
Origin origin_of(std::uint64_t seed, int ordinal, std::uint64_t i, std::int64_t row) {
  constexpr std::uint64_t touch = 0xff;
  const std::uint64_t base = seed & ~touch;
  const Place p = place_of(seed, ordinal, i, row);
  if (seed == base || p.length < 2) return {base, i};
  if (seed % 2 != 0) return {p.chosen() ? seed : base, i};
  const std::uint64_t first = p.of_row[1] % p.length, second = (first + 1 + p.of_row[2] % (p.length - 1)) % p.length;
  if (p.at == first) return {base, i - first + second};
  return {base, p.at == second ? i - second + first : i};
}

double real_of_domain(Distribution d, std::uint64_t seed, int ordinal, const Domain& domain, std::uint64_t i,
                      std::int64_t row) {
  const double inner = std::nextafter(domain.hi, domain.lo), width = domain.hi - domain.lo;
  if (d == Distribution::rows || d == Distribution::few) {
    const Place p = place_of(seed, ordinal, i, row);
    const std::uint32_t kind = p.of_row[0] % 4;
    if (d == Distribution::few) return std::min(inner, domain.lo + width * (p.of_row[p.of_element[0] % 4] * 0x1p-32));
    if (kind == 0) return domain.lo;
    if (kind == 1) return inner;
    if (kind == 2) return std::min(inner, domain.lo + width * (p.of_row[2] * 0x1p-32));
  }
  if (d == Distribution::saturated && saturated_level(seed) == Level::high) return inner;
  if (d == Distribution::saturated && saturated_level(seed) == Level::low) return domain.lo;
  if (d == Distribution::shared) ordinal = shared_ordinal(seed, ordinal, i);
  if (d == Distribution::saturated) i = 0;
  double v = domain.lo + width * unit(drawn_words(seed, ordinal, i, 0));
  if (d == Distribution::tiny && domain.lo <= 0 && domain.hi > 0) v *= 0x1p-100;
  return v < domain.hi ? v : std::max(domain.lo, inner);
}

double real_element(Distribution d, std::uint64_t seed, int ordinal, DType dtype, const Domain& domain, std::uint64_t i,
                    std::int64_t row) {
  if (domain.given) return real_of_domain(d, seed, ordinal, domain, i, row);
  if (by_rows(d)) return strange_element(d, dtype, seed, ordinal, i, row);
  switch (d) {
    case Distribution::normal: return normal(seed, ordinal, i);
    case Distribution::uniform: return 2.0 * unit(drawn_words(seed, ordinal, i, 0)) - 1.0;
    case Distribution::positive: return 1.0 - unit(drawn_words(seed, ordinal, i, 0));
    case Distribution::large: return 100.0 * normal(seed, ordinal, i);
    case Distribution::constant: return 1.0;
    case Distribution::ramp: return static_cast<double>(static_cast<std::int64_t>(i % 17) - 8);
    default: return 0.0;
  }
}

std::int64_t strange_integer(Distribution d, const Place& p, std::int64_t lo, std::int64_t hi, bool signed_type,
                             std::int64_t usual) {
  if (d == Distribution::rows) {  // lo and hi: of the usual draws, half-open
    switch (p.of_row[0] % 8) {
      case 0: return std::max<std::int64_t>(lo, 0);
      case 1: return lo;
      case 2: return hi - 1;
      case 3: return drawn_integer({p.of_row[2], p.of_row[3], 0, 0}, lo, hi);
      case 4: return p.chosen() ? hi - 1 : lo;
      default: return usual;
    }
  }
  if (d == Distribution::tiny) return static_cast<std::int64_t>(p.of_element[0] % 3) - (signed_type ? 1 : 0);
  if (d == Distribution::few) {
    const std::size_t first = p.of_element[0] % 4 != 0 ? 0 : 2;  // of the row's two values
    return drawn_integer({p.of_row[first], p.of_row[first + 1], 0, 0}, lo, hi);
  }
  return usual;
}

// Of the type's whole range.
std::int64_t wide_integer(Distribution d, DType dtype, const Place& p) {
  const int bits = static_cast<int>(8 * dtype_size(dtype));
  const std::uint64_t word = std::uint64_t{p.of_element[0]} << 32 | p.of_element[1];
  if (d == Distribution::mixed)
    return is_unsigned(dtype) ? static_cast<std::int64_t>(word >> (64 - bits))
                              : static_cast<std::int64_t>(word) >> (64 - bits);
  const bool all_bits = dtype == DType::u64;
  const std::int64_t high = all_bits ? -1 : most_integer(dtype), low = least_integer(dtype);
  const std::int64_t half = all_bits ? std::numeric_limits<std::int64_t>::min() : high / 2 + 1;
  const std::int64_t ends[] = {low, low + 1, high, high - 1, 0, 1, is_unsigned(dtype) ? half : -1};
  return ends[word % 7];
}

// Of [lo, hi): one of its ends, or any.
std::int64_t crowded_integer(std::uint64_t seed, int ordinal, std::int64_t lo, std::int64_t hi) {
  const auto w = drawn_words(seed, ordinal, 0, tensor_block);
  return w[0] % 4 == 0 ? lo : w[0] % 4 == 1 ? hi - 1 : drawn_integer({w[1], w[2], 0, 0}, lo, hi);
}

// One odd number for a tensor of bytes, so large that a long sum of products leaves the whole numbers of f32.
std::int64_t crowded_byte(std::uint64_t seed, int ordinal, DType dtype) {
  const auto w = drawn_words(seed, ordinal, 0, tensor_block);
  const std::int64_t most = most_integer(dtype), least = most / 4;
  const std::int64_t magnitude = w[0] % 2 == 0 ? most : drawn_integer({w[1], w[2], 0, 0}, least, most);
  return (!is_unsigned(dtype) && w[3] % 2 != 0 ? -magnitude : magnitude) | 1;
}

// Of [lo, hi).
std::int64_t saturated_integer(std::uint64_t seed, int ordinal, std::int64_t lo, std::int64_t hi) {
  const Level level = saturated_level(seed);
  return level == Level::high ? hi - 1 : level == Level::low ? lo : crowded_integer(seed, ordinal, lo, hi);
}

// The distribution's own meaning for integers where it has one; the draws of the header otherwise.
std::int64_t integer_element(Distribution d, std::uint64_t seed, int ordinal, DType dtype, const Domain& domain,
                             std::uint64_t i, std::int64_t row) {
  if (d == Distribution::shared) ordinal = shared_ordinal(seed, ordinal, i);
  if (domain.given) {
    const auto lo = static_cast<std::int64_t>(domain.lo), hi = static_cast<std::int64_t>(domain.hi);
    if (d == Distribution::crowded) return crowded_integer(seed, ordinal, lo, hi);
    if (d == Distribution::saturated) return saturated_integer(seed, ordinal, lo, hi);
    // One in eight is the last, another the first: an index that a narrow type cuts off shows at the end alone. Devices
    // draw the plain distributions themselves.
    constexpr std::uint64_t most_turns = 8;
    const std::uint64_t turns = row < 0 ? std::min(most_turns, static_cast<std::uint64_t>(-row)) : most_turns;
    const std::uint64_t turn = by_rows(d) ? (i + drawn_words(seed, ordinal, 0, tensor_block)[3]) % turns : 1;
    const std::int64_t usual = turn == 0                ? hi - 1
                               : turn == most_turns / 2 ? lo
                                                        : drawn_integer(drawn_words(seed, ordinal, i, 0), lo, hi);
    if (d != Distribution::rows && d != Distribution::few) return usual;
    return strange_integer(d, place_of(seed, ordinal, i, row), lo, hi, false, usual);
  }
  if (d == Distribution::zeros) return 0;
  if (d == Distribution::constant) return 1;
  if (dtype != DType::boolean && (d == Distribution::mixed || d == Distribution::huge))
    return wide_integer(d, dtype, place_of(seed, ordinal, i, row));
  const std::int64_t lo = is_unsigned(dtype) || dtype == DType::boolean ? 0 : -8;
  const std::int64_t hi = dtype == DType::boolean ? 2 : is_unsigned(dtype) ? 16 : 8;
  if (d == Distribution::ramp)
    return dtype == DType::boolean ? static_cast<std::int64_t>(i % 17 % 2)
                                   : static_cast<std::int64_t>(i % 17 % 16) + lo;
  if (d == Distribution::crowded && dtype_size(dtype) == 1 && dtype != DType::boolean)
    return crowded_byte(seed, ordinal, dtype);
  if (d == Distribution::crowded) return crowded_integer(seed, ordinal, lo, hi);
  if (d == Distribution::saturated) return saturated_integer(seed, ordinal, lo, hi);
  const std::int64_t usual = drawn_integer(drawn_words(seed, ordinal, i, 0), lo, hi);
  if (!by_rows(d) || (dtype == DType::boolean && d != Distribution::rows)) return usual;
  return strange_integer(d, place_of(seed, ordinal, i, row), lo, hi, !is_unsigned(dtype) && dtype != DType::boolean,
                         usual);
}

bool is_held(DType dtype, const Domain& domain, double v) {
  if (domain.given && !(v >= domain.lo && v < domain.hi)) return false;
  if (is_real(dtype)) return std::abs(v) <= largest_finite(dtype);
  if (dtype == DType::boolean || v != std::floor(v)) return false;
  const double bits = 8.0 * static_cast<double>(dtype_size(dtype)) - (is_unsigned(dtype) ? 0 : 1);
  return v >= (is_unsigned(dtype) ? 0 : -std::exp2(bits)) && v < std::exp2(std::min(bits, 53.0));
}

// Nothing: the element is drawn as usual.
std::optional<double> planted_element(std::span<const double> planted, std::uint64_t seed, int ordinal, DType dtype,
                                      const Domain& domain, std::uint64_t i, std::int64_t row) {
  if (planted.empty()) return {};
  const Place p = place_of(seed, ordinal, i, row);
  const std::uint32_t kind = p.of_row[0] % 4;
  const bool sparse = kind == 0, single = kind > 1;
  if ((sparse && p.of_element[0] % 2 != 0) || (single && p.of_element[0] % 8 == 0)) return {};
  const std::uint64_t first = drawn_words(seed, ordinal, 0, tensor_block)[2];
  double v = planted[(single ? first + p.row : p.of_element[1]) % planted.size()];
  const int step = !sparse ? 0 : p.of_element[2] % 4 == 0 ? -1 : p.of_element[2] % 4 == 1 ? 1 : 0;
  if (!is_real(dtype))
    v += step;
  else if (step != 0)
    v = std::nextafter(static_cast<float>(v), static_cast<float>(step) * std::numeric_limits<float>::infinity());
  return is_held(dtype, domain, v) ? std::optional(v) : std::nullopt;
}

// Where code looks that judges a tensor by a few of its elements.
bool is_sampled(std::uint64_t i, std::uint64_t count) {
  return (i & (i - 1)) == 0 || i + 1 == count || i == count / 2 || i == count / 4 || i == 3 * count / 4;
}

// The number that a row of a `leading` set begins with; nothing: the element is drawn as usual.
std::optional<double> leading_element(std::uint64_t seed, int ordinal, const Domain& domain, std::uint64_t i,
                                      std::int64_t row) {
  const Place p = place_of(seed, ordinal, i, row);
  const std::uint64_t half = p.length / 2, first = half + p.of_row[1] % std::max<std::uint64_t>(1, p.length - half);
  if ((!p.alone && p.of_row[0] % 4 == 3) || p.at >= first) return {};
  if (domain.given) return domain.lo;
  return !p.alone && p.of_row[2] % 3 == 0 ? 1 : 0;
}

// With the bit that makes a NaN a quiet one cleared.
template <class Float, class Bits>
void make_signalling(std::byte* at, Bits quiet) {
  Float v = 0;
  std::memcpy(&v, at, sizeof v);
  if (!std::isnan(v)) return;
  const Bits bits = (std::bit_cast<Bits>(v) & ~quiet) | 1;
  std::memcpy(at, &bits, sizeof bits);
}

double sampled_value(std::uint64_t seed, DType dtype, const Domain& domain) {
  const auto w = drawn_words(seed & ~turn_bits, 0, seed & turn_bits, tensor_block);
  const std::uint32_t kind = drawn_words(seed & ~turn_bits, 0, 0, tensor_block)[0] + (seed & turn_bits);
  if (domain.given && is_real(dtype)) return domain.lo + (domain.hi - domain.lo) * (w[1] * 0x1p-32);
  if (domain.given)
    return static_cast<double>(
        drawn_integer(w, static_cast<std::int64_t>(domain.lo), static_cast<std::int64_t>(domain.hi)));
  switch (kind % 8) {
    case 0: return 0;
    case 1: return is_unsigned(dtype) || dtype == DType::boolean ? 1 : -1;
    case 2: return 2 + w[1] % 5;
    case 3: return is_real(dtype) ? normal(seed, 0, 0) : 1;
    default: return 1;
  }
}

// The number that a distribution sets at this place; nothing: the element is drawn as usual.
std::optional<double> set_element(Distribution d, std::uint64_t seed, int ordinal, DType dtype, const Domain& domain,
                                  std::uint64_t i, std::int64_t row, std::uint64_t count,
                                  std::span<const double> planted) {
  switch (d) {
    case Distribution::planted: return planted_element(planted, seed, ordinal, dtype, domain, i, row);
    case Distribution::leading: return leading_element(seed, ordinal, domain, i, row);
    case Distribution::sampled:
      return is_sampled(i, count) ? std::optional(sampled_value(seed, dtype, domain)) : std::nullopt;
    default: return {};
  }
}

}  // namespace

int sets_of_all_scales(DType dtype) {
  const int n = scales_of(0, dtype).count, part = static_cast<int>(turns_by_row);
  return (n * part + part - 2) / (part - 1);
}

std::string_view distribution_name(Distribution d) { return enum_name(d); }

Result<Distribution> distribution_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [value, n] : names_of(Distribution{})) {
    if (n == name) return value;
    known.emplace_back(n);
  }
  return fail(Code::not_found, "there is no distribution '" + std::string(name) + "'", did_you_mean(name, known));
}

void fill_input(Distribution d, std::uint64_t seed, int ordinal, DType dtype, Domain domain, std::int64_t count,
                void* out, std::int64_t row, std::span<const double> planted) {
  if (count <= 0) return;
  if (row >= count) row = -count;  // see Place::alone
  const std::size_t size = dtype_size(dtype);
  auto* bytes = static_cast<std::byte*>(out);
  const bool plain = dtype == DType::f32 && !domain.given && (d == Distribution::normal || d == Distribution::large);
  parallel_for(static_cast<std::size_t>(count), std::size_t{1} << 14, 0, [&](std::size_t begin, std::size_t end, int) {
    for (; plain && end - begin >= normal_batch; begin += normal_batch) {
      float values[normal_batch];
      normals(seed, ordinal, begin, d == Distribution::large ? 100.0 : 1.0, values);
      std::memcpy(bytes + begin * size, values, sizeof values);
    }
    const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(std::abs(row), 1));
    Tail tail;
    for (std::size_t i = begin; i < end; ++i) {
      if (d == Distribution::tail && ordinal == 0 && is_real(dtype) && !domain.given) {
        if (i == begin || i % length == 0) tail = tail_of(seed, ordinal, i / length, length);
        const std::uint64_t at = i % length;
        const double below = 0.25 * unit(drawn_words(seed, ordinal, i, element_block)) +
                             (at < tail.start ? below_the_others(seed, at) : 0);
        store_f64(dtype, bytes + i * size, at == tail.chosen ? 0 : tail.most - below);
        continue;
      }
      if (const auto v =
              set_element(d, seed, ordinal, dtype, domain, i, row, static_cast<std::uint64_t>(count), planted)) {
        if (is_real(dtype))
          store_f64(dtype, bytes + i * size, *v);
        else
          store_i64(dtype, bytes + i * size, dtype == DType::boolean ? *v != 0 : static_cast<std::int64_t>(*v));
        continue;
      }
      const Origin from = d == Distribution::retouched ? origin_of(seed, ordinal, i, row) : Origin{seed, i};
      if (dtype == DType::f32) {
        const float v = static_cast<float>(real_element(d, from.seed, ordinal, dtype, domain, from.i, row));
        std::memcpy(bytes + i * 4, &v, 4);
      } else if (is_real(dtype)) {
        store_f64(dtype, bytes + i * size, real_element(d, from.seed, ordinal, dtype, domain, from.i, row));
      } else {
        store_i64(dtype, bytes + i * size, integer_element(d, from.seed, ordinal, dtype, domain, from.i, row));
      }
      if (d != Distribution::signalling) continue;
      if (dtype == DType::f32) make_signalling<float, std::uint32_t>(bytes + i * size, 0x00400000);
      if (dtype == DType::f64) make_signalling<double, std::uint64_t>(bytes + i * size, 0x0008000000000000);
    }
  });
  keep_rules(dtype, domain, count, out);
}

}  // namespace ww::op
