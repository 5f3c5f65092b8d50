// SPDX-License-Identifier: Apache-2.0
// Input tensors from (distribution, seed, shape), element by element, with the same bits on every machine and device.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include "base/dtype.h"
#include "base/describe.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

enum class Distribution : std::uint8_t {
  normal,    // mean 0, deviation 1
  uniform,   // [-1, 1)
  positive,  // (0, 1]
  large,     // normal times 100: exposes overflow in exp and loss of accuracy in sums
  constant,  // every element 1: exposes order-dependent and counting errors
  ramp,      // element number mod 17 minus 8, an exact small integer: exposes index errors
  zeros,
  // The following are generated only on the host. In f16 the powers of two are smaller.
  // each row (innermost dimension) differently: zeros, a constant, one-hot, normal times 2^-60, normal + 1024, beyond
  // +-4e6, normal with one element of 6 to 27 (the last three not for vectors), normal; for integers zeros, their
  // limits, a constant, one-hot; for a domain its limits
  rows,
  mixed,  // normal times a power of two from 2^-40 to 2^40 (vectors: to 1); integers: their whole range
  tiny,   // normal times 2^-100; integers: -1, 0, 1
  huge,   // normal times 2^100; integers: the limits of their range, and values next to them and to 0
  // In the next, a vector counts as rows of 16.
  special,    // normal; in a quarter of the rows some zeros of both signs, subnormals, very large and smallest numbers
  nonfinite,  // normal; in a quarter of the rows an infinity, some of one sign, or some of both and NaN
  few,     // each row of a few values: signs; mostly zeros, ones or zeros of both signs; integers, domains: two of them
  shared,  // normal; three of four elements equal those of the first tensor, so that two tensors are mostly equal
  shifted,    // normal, a whole tensor (not a vector) shifted by 2^6 to 2^12
  planted,    // of the planted values: in half of the rows mostly a single one, in a quarter all of them, in the others
              // every other element is one or next to it; the rest as in normal
  infinite,   // as nonfinite, without NaN, but with whole rows of one infinity
  sampled,    // normal; the elements that a sample would take (first, last, middle, quarters, at powers of two) are one
              // number in all tensors: 1, often, else -1, 0, a small whole one or any; of a domain one of its values
  masked,     // normal; in most rows some elements are -infinity: at the beginning or the end, all but one, half of
              // them, or one of 32; in half of the sets also whole rows
  pixels,     // each row of whole numbers, 0..255, 1..255 or 0..9, or of 0..255 divided by 255; one is the largest
  crowded,    // normal; integers, those of a domain, too: one number in a whole tensor, of bytes an odd one, at least a
              // quarter of the largest
  ties,       // normal; make_inputs() (gate/reference.h) lays ties into it (op/ties.h)
  one_sided,  // each row, in half of the sets the tensor, of one sign, and huge: from 2^100 on (f16: 2^12), in half of
              // the rows up to the largest number
  lowest,     // every element -infinity
  highest,    // every element infinity
  retouched,  // the usual draws of the seed without its last byte, but where that byte is odd one element of a row is
              // drawn anew, and where it is even, but not 0, two elements of each row change places
  // In the next two and in level rows, sets whose seeds differ in `turn_bits` alone go through the range together; so
  // they do through the kinds of rows, where there are several, and of samples.
  binades,  // each row in eight binades of the type's range, the next row in the next ones, up to an eighth of the
            // largest number: of both signs, of one sign, in one binade, or all the same. In a third of the sets only
            // the first tensor; the others have no numbers beyond those of `mixed`
  scaled,   // normal; the first tensor (in a third of the sets the others, too) times 2^k, from 2^-120 to 2^116 (f16:
            // 2^-14 to 2^13; the others as in mixed), where k is a quarter above or below a whole number: one for all
            // rows, the next one in the next set, or in an eighth of the sets another for each row
  level_high,  // every element of a row the same power of two, from 2^10 (f16: 2^7) to the largest, drawn for the row
               // among the five (f16: the one) of the set's turn; the other tensors are 1, of a narrow type in the last
               // turns more, up to 2^10. Vectors are as in normal
  level_low,   // the same with the first tensor negative
  level_near,  // the same with the first tensor near 0
  tail,     // normal; of the first tensor one element of each row is 0 and the others lie below it by the logarithm of
            // the row's length and 0 to 12 more, the next row 5 further: each exponential is small, their sum is not
  leading,  // normal; in three of four rows the first half or more is one number: 0, or in a third of them 1; in
            // vectors always, 0; of a domain its first value
  signalling,  // as nonfinite, but each NaN of f32 and f64 is a signalling one, and other narrow ones are quiet
  edges,   // each row near one of the places where exponentials, or their sum, leave the numbers of f32, the next row
           // near the next place: all of it one number, or normal around it. The other tensors are normal
  narrow,  // each tensor (but vectors after the first one) nearly one number: as in shifted, plus normal times
           // 2^-12 to 2^-18 of it, from turn to turn
  nonpositive,  // -|normal|; three of four rows have zeros, all of them -0
  saturated,    // each tensor one number: from turn to turn far above 0, far below, 0 and 1; integers and domains their
                // largest, their least and two of any
};
constexpr auto names_of(Distribution) {
  using enum Distribution;
  return std::to_array<Enumerator<Distribution>>({{normal, "normal"},
                                                  {uniform, "uniform"},
                                                  {positive, "positive"},
                                                  {large, "large"},
                                                  {constant, "constant"},
                                                  {ramp, "ramp"},
                                                  {zeros, "zeros"},
                                                  {rows, "rows"},
                                                  {mixed, "mixed"},
                                                  {tiny, "tiny"},
                                                  {huge, "huge"},
                                                  {special, "special"},
                                                  {nonfinite, "nonfinite"},
                                                  {few, "few"},
                                                  {shared, "shared"},
                                                  {shifted, "shifted"},
                                                  {planted, "planted"},
                                                  {infinite, "infinite"},
                                                  {sampled, "sampled"},
                                                  {masked, "masked"},
                                                  {pixels, "pixels"},
                                                  {crowded, "crowded"},
                                                  {ties, "ties"},
                                                  {one_sided, "one_sided"},
                                                  {lowest, "lowest"},
                                                  {highest, "highest"},
                                                  {retouched, "retouched"},
                                                  {binades, "binades"},
                                                  {scaled, "scaled"},
                                                  {level_high, "level_high"},
                                                  {level_low, "level_low"},
                                                  {level_near, "level_near"},
                                                  {tail, "tail"},
                                                  {leading, "leading"},
                                                  {signalling, "signalling"},
                                                  {edges, "edges"},
                                                  {narrow, "narrow"},
                                                  {nonpositive, "nonpositive"},
                                                  {saturated, "saturated"}});
}
constexpr bool holds_infinities(Distribution d) {  // by design, beside those that mask elements
  return d == Distribution::nonfinite || d == Distribution::signalling || d == Distribution::infinite ||
         d == Distribution::lowest || d == Distribution::highest;
}
// The last bits of a seed: the set's turn among those that go through a range together.
inline constexpr std::uint64_t turn_bits = 0x3ff;
inline constexpr int level_turns = 24;
// Of `scaled`: in the last of so many turns, each row has a scale of its own.
inline constexpr int turns_by_row = 8;
// Turns of `scaled` after which the first tensor has been multiplied by each power of two as a whole, and, if it has
// 16 rows or more, row by row.
int sets_of_all_scales(DType dtype);
std::string_view distribution_name(Distribution d);
Result<Distribution> distribution_from_name(std::string_view name);

// Elements of tensor `param` (row-major, `count` of them, in dtype's memory layout) written to `out` (count *
// dtype_size bytes). Element i depends only on (distribution, seed, the tensor's position `ordinal`, i), by a
// counter-based generator (Philox 4x32-10, Salmon et al. 2011), so that any part can be generated on any device. A
// param's own domain (`lo`, `hi`, resolved by the caller) overrides the distribution: uniform over it. Integer tensors
// without a domain draw from [-8, 8) (unsigned: [0, 16), bool: 0 or 1). `row`: elements of the innermost dimension.
// `planted`: the values of Distribution::planted; those outside the type or the domain are left out.
struct Domain {
  bool given = false;
  double lo = 0, hi = 0;
  ValueRules rules;  // the drawn values are adjusted minimally to follow these, row by row, on the host
  std::int64_t row = 1;
};
void fill_input(Distribution d, std::uint64_t seed, int ordinal, DType dtype, Domain domain, std::int64_t count,
                void* out, std::int64_t row = 1, std::span<const double> planted = {});
// Adjusts values to the rules of `domain`: a nonpositive value becomes its magnitude, or 1 if it is 0; equal values
// move to the next unused ones of their type; rows are sorted. fill_input() ends with this.
void keep_rules(DType dtype, const Domain& domain, std::int64_t count, void* values);
// The domain of `param` under `binding`, with its rules. Fails if it is empty, or has too few values for a row of
// distinct ones.
Result<Domain> domain_of(const Spec& spec, const Param& param, const Binding& binding);

}  // namespace ww::op
