// SPDX-License-Identifier: Apache-2.0
// Constants that a program compares values with. Planted among the inputs, they reach branches that random inputs would
// not.
#pragma once
#include <string_view>
#include <vector>

namespace ww::gate {

inline constexpr std::size_t most_planted = 96;

// The finite immediates of setp and set in a PTX text, and the numbers that are subtracted from floats, in text order,
// each once, at most `most_planted`: as numbers; 32-bit integers that are the bits of an ordinary float also as that
// float. Before them, elements of which the program compares the bits, or a sum or product, with an immediate
// (gate/preimages.h). Empty: there are none, or the text cannot be parsed.
std::vector<double> compared_constants(std::string_view ptx);

// The integers from 2 that the program compares values with by order; ascending.
std::vector<std::int64_t> limits_of_sizes(std::string_view ptx);

// Those that it compares by equality as well, from 64: an index may be.
std::vector<std::int64_t> numbers_of_indices(std::string_view ptx);

// Whether the program turns integers into floats and back, or multiplies two for the upper half of their product: if
// they are indices, the result is right up to some size.
bool rounds_integers(std::string_view ptx);

// The sizes at which an index that the program masks, shifts, narrows or multiplies wraps around or meets another: of
// at least 2^11, beyond what small cases reach; the largest first.
std::vector<std::int64_t> wraps_of_indices(std::string_view ptx);

}  // namespace ww::gate
