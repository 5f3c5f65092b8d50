// SPDX-License-Identifier: Apache-2.0
// What inputs keep to: domains under a binding, and the rules of their rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>
#include "base/parallel.h"
#include "op/inputs.h"
#include "op/parse.h"

namespace ww::op {
namespace {

// Values as integers in the same order, neighbours one apart; both zeros are 0. Infinities and NaN do not occur.
using Key = std::int64_t;

template <class Bits>
Key key_of_bits(Bits bits) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Key magnitude = static_cast<Key>(bits & static_cast<Bits>(sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}
template <class Bits>
Bits bits_of_key(Key key) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  return key < 0 ? static_cast<Bits>(static_cast<Bits>(-key) | sign) : static_cast<Bits>(key);
}
template <class Bits>
Key read_key(const void* at) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  return key_of_bits(bits);
}
template <class Bits>
void write_key(void* at, Key key) {
  const Bits bits = bits_of_key<Bits>(key);
  std::memcpy(at, &bits, sizeof bits);
}

// The bit that differs between a value and its key.
Key flip_of(DType dtype) { return dtype == DType::u64 ? std::numeric_limits<Key>::min() : 0; }

Key key_at(DType dtype, const void* at) {
  switch (is_real(dtype) ? dtype_size(dtype) : 0) {
    case 8: return read_key<std::uint64_t>(at);
    case 4: return read_key<std::uint32_t>(at);
    case 2: return read_key<std::uint16_t>(at);
    case 1: return read_key<std::uint8_t>(at);
    default: return load_i64(dtype, at) ^ flip_of(dtype);
  }
}
void store_key(DType dtype, void* at, Key key) {
  switch (is_real(dtype) ? dtype_size(dtype) : 0) {
    case 8: return write_key<std::uint64_t>(at, key);
    case 4: return write_key<std::uint32_t>(at, key);
    case 2: return write_key<std::uint16_t>(at, key);
    case 1: return write_key<std::uint8_t>(at, key);
    default: return store_i64(dtype, at, key ^ flip_of(dtype));
  }
}
Key key_of(DType dtype, double value) {
  std::uint64_t place = 0;
  store_f64(dtype, &place, value);
  return key_at(dtype, &place);
}
double value_of(DType dtype, Key key) {
  std::uint64_t place = 0;
  store_key(dtype, &place, key);
  return load_f64(dtype, &place);
}

struct Range {
  Key least = 0, most = 0;
  // One less than there are, so that it fits.
  std::uint64_t steps() const { return static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least); }
};
Range range_of(DType dtype, const Domain& domain) {
  Range r;
  if (domain.given && is_real(dtype)) {
    r = {key_of(dtype, domain.lo), key_of(dtype, domain.hi)};
    if (value_of(dtype, r.least) < domain.lo) ++r.least;
    if (value_of(dtype, r.most) >= domain.hi && r.most > r.least) --r.most;
  } else if (domain.given) {
    r = {static_cast<Key>(domain.lo) ^ flip_of(dtype), (static_cast<Key>(domain.hi) - 1) ^ flip_of(dtype)};
  } else if (is_real(dtype)) {
    r.most = key_of(dtype, largest_finite(dtype));
    r.least = -r.most;
  } else if (dtype == DType::u64) {
    r = {std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max()};
  } else {
    r = {least_integer(dtype), most_integer(dtype)};
  }
  if (domain.rules.positive) r.least = std::max<Key>(r.least, flip_of(dtype) + 1);
  return r;
}

void make_positive(DType dtype, std::byte* at) {
  const Key key = key_at(dtype, at);
  if (key > flip_of(dtype)) return;
  if (dtype == DType::u64) return store_i64(dtype, at, 1);
  const Key most = std::numeric_limits<Key>::max();
  if (is_integer(dtype))
    store_i64(dtype, at, key == 0 ? 1 : key == std::numeric_limits<Key>::min() ? most : -key);
  else if (key == 0)
    store_f64(dtype, at, 1.0);
  else
    store_key(dtype, at, -key);
}

// Ascending keys become distinct: each moves up to the next free one, from the top on down.
void spread(std::vector<Key>& keys, const Range& range) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = std::clamp(keys[i], range.least, range.most);
    if (i > 0 && keys[i] <= keys[i - 1]) keys[i] = std::min(keys[i - 1], range.most - 1) + 1;
  }
  Key limit = range.most;
  for (std::size_t i = keys.size(); i-- > 0 && keys[i] >= limit; --limit) keys[i] = limit;
}

void order_row(DType dtype, const Domain& domain, const Range& range, std::size_t n, std::byte* row) {
  const std::size_t size = dtype_size(dtype);
  std::vector<Key> keys(n), ascending(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = key_at(dtype, row + i * size);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < n; ++i) ascending[i] = keys[order[i]];
  if (domain.rules.distinct && range.steps() >= n - 1) spread(ascending, range);
  for (std::size_t i = 0; i < n; ++i) {
    std::byte* at = row + (domain.rules.sorted ? i : order[i]) * size;
    if (key_at(dtype, at) != ascending[i]) store_key(dtype, at, ascending[i]);
  }
}

}  // namespace

void keep_rules(DType dtype, const Domain& domain, std::int64_t count, void* values) {
  if (!domain.rules || count <= 0) return;
  auto* bytes = static_cast<std::byte*>(values);
  const std::size_t size = dtype_size(dtype);
  if (domain.rules.positive)
    for (std::int64_t i = 0; i < count; ++i) make_positive(dtype, bytes + static_cast<std::size_t>(i) * size);
  if (!domain.rules.sorted && !domain.rules.distinct) return;
  const auto row = static_cast<std::size_t>(std::clamp<std::int64_t>(domain.row, 1, count));
  const Range range = range_of(dtype, domain);
  const std::size_t rows = static_cast<std::size_t>(count) / row;
  parallel_for(rows, std::max<std::size_t>(1, (std::size_t{1} << 14) / row), 0,
               [&](std::size_t begin, std::size_t end, int) {
                 for (std::size_t r = begin; r < end; ++r) order_row(dtype, domain, range, row, bytes + r * row * size);
               });
}

Result<Domain> domain_of(const Spec& spec, const Param& param, const Binding& binding) {
  Domain out;
  out.rules = param.rules;
  if (param.lo) {
    // A bound is evaluated as a constant of the spec is: as one more constant after the others.
    Spec extended = spec;
    extended.constants.push_back({"lo of " + param.name, param.lo, param.lo->type});
    extended.constants.push_back({"hi of " + param.name, param.hi, param.hi->type});
    const auto known = WW_TRY(resolve(extended, binding));
    out.given = true;
    out.lo = known.constants[known.constants.size() - 2].real;
    out.hi = known.constants.back().real;
    if (!(out.lo < out.hi)) {
      return fail(Code::invalid_argument, "the domain of '" + param.name + "' is empty: " + print(*param.lo) + ".." +
                                              print(*param.hi) + " is " + std::to_string(out.lo) + ".." +
                                              std::to_string(out.hi));
    }
  }
  if (!out.rules.sorted && !out.rules.distinct) return out;
  const auto shape = WW_TRY(shape_of(spec, param, binding));
  out.row = shape.empty() ? 1 : shape.back();
  const std::uint64_t steps = range_of(param.dtype, out).steps();
  if (out.rules.distinct && out.row > 1 && steps < static_cast<std::uint64_t>(out.row - 1))
    return fail(Code::invalid_argument, "'" + param.name + "' has rows of " + std::to_string(out.row) +
                                            " distinct values, and there are only " + std::to_string(steps + 1));
  return out;
}

}  // namespace ww::op
