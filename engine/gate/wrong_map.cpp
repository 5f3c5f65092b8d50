// SPDX-License-Identifier: Apache-2.0
#include "gate/wrong_map.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include "gate/compare.h"

namespace ww::gate {
namespace {

// An element in a worse place: one that is wrong before one that is right, then by error.
bool worse(const Judgement& a, const Judgement& b) {
  if (a.right != b.right) return !a.right;
  if (a.checked != b.checked) return a.checked;
  return a.ratio > b.ratio;
}

double ratio_of(const Judgement& j) {
  if (!j.right) return std::max(j.ratio, std::nextafter(1.0, 2.0));
  return j.checked ? std::min(j.ratio, 1.0) : std::numeric_limits<double>::quiet_NaN();
}

evidence::WrongMatrix matrix_of(const evidence::WrongMap& map, const WrongOutput& output, std::int64_t number,
                                const std::vector<std::int64_t>& leading_shape) {
  evidence::WrongMatrix m;
  m.leading = subscripts(number, leading_shape);
  const std::int64_t begin = number * map.rows * map.columns, cells = map.down() * map.across();
  m.element.assign(static_cast<std::size_t>(cells), -1);
  std::vector<Judgement> worst(static_cast<std::size_t>(cells));
  for (std::int64_t row = 0; row < map.rows; ++row)
    for (std::int64_t column = 0; column < map.columns; ++column) {
      const std::int64_t element = row * map.columns + column;
      const auto cell = static_cast<std::size_t>(map.cell_of(element));
      const Judgement j = judge_element(output.expected, output.actual, static_cast<std::size_t>(begin + element));
      if (!j.right && m.wrong++ == 0) m.first = element;
      if (m.element[cell] >= 0 && !worse(j, worst[cell])) continue;
      m.element[cell] = element;
      worst[cell] = j;
    }
  for (std::size_t cell = 0; cell < worst.size(); ++cell) {
    const auto at = static_cast<std::size_t>(begin + m.element[cell]);
    m.expected.push_back(output.expected_at(at));
    m.actual.push_back(output.actual_at(at));
    m.ratio.push_back(ratio_of(worst[cell]));
    if (output.unwritten > 0 && output.unwritten_at(at)) m.unwritten.push_back(static_cast<std::int64_t>(cell));
  }
  return m;
}

}  // namespace

double WrongOutput::expected_at(std::size_t i) const { return expected.value_at(i); }

double WrongOutput::actual_at(std::size_t i) const {
  const std::byte* at = &actual[i * dtype_size(expected.dtype)];
  return expected.dtype == DType::boolean ? static_cast<double>(static_cast<std::uint8_t>(*at))
                                          : load_f64(expected.dtype, at);
}

bool WrongOutput::unwritten_at(std::size_t i) const {
  const std::size_t size = dtype_size(expected.dtype);
  return poison &&
         std::ranges::all_of(actual.subspan(i * size, size), [&](std::byte b) { return b == std::byte{*poison}; });
}

Result<evidence::WrongMap> map_wrong(const WrongOutput& output, const evidence::Failure& failure) {
  const op::ReferenceTensor& expected = output.expected;
  const std::span<const std::byte> actual = output.actual;
  const std::size_t n = is_real(expected.dtype) ? expected.value.size() : expected.integer.size();
  if (!failure.element || actual.size() != n * dtype_size(expected.dtype) || n == 0)
    return fail(Code::internal, "the output differs in size from its reference");
  evidence::WrongMap map;
  map.tensor = failure.element->tensor;
  map.dtype = dtype_name(expected.dtype);
  map.shape = expected.shape;
  map.failure = failure;
  map.failure.fault.reset();  // that is another matter
  std::vector<std::int64_t> leading = expected.shape;
  if (!leading.empty()) map.columns = leading.back(), leading.pop_back();
  if (!leading.empty()) map.rows = leading.back(), leading.pop_back();
  map.matrices = static_cast<std::int64_t>(n) / (map.rows * map.columns);

  std::vector<std::int64_t> wrong_in(static_cast<std::size_t>(map.matrices));
  for (std::size_t i = 0; i < n; ++i)
    wrong_in[i / static_cast<std::size_t>(map.rows * map.columns)] += !judge_element(expected, actual, i).right;
  std::vector<std::int64_t> order;
  for (std::int64_t m = 0; m < map.matrices; ++m)
    if (wrong_in[static_cast<std::size_t>(m)] > 0) order.push_back(m);
  map.wrong_matrices = static_cast<std::int64_t>(order.size());
  if (order.empty()) return fail(Code::not_found, "no element of " + map.tensor + " is wrong");
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::int64_t m) { return wrong_in[static_cast<std::size_t>(m)]; });
  const std::int64_t worst = order.front();
  if (order.size() > evidence::most_map_matrices) order.resize(evidence::most_map_matrices);
  std::ranges::sort(order);
  evidence::choose_cells(map, order.size());
  for (const std::int64_t m : order) map.maps.push_back(matrix_of(map, output, m, leading));

  std::vector<bool> wrong(static_cast<std::size_t>(map.rows * map.columns));
  const std::size_t begin = static_cast<std::size_t>(worst) * wrong.size();
  for (std::size_t i = 0; i < wrong.size(); ++i) wrong[i] = !judge_element(expected, actual, begin + i).right;
  map.wrong_elements = shape_of(wrong, map.rows, map.columns);
  const std::int64_t all = std::accumulate(wrong_in.begin(), wrong_in.end(), std::int64_t{0});
  map.failure.element->wrong = all;  // where some were not written, it counted those alone
  map.wrong_values = output.unwritten >= all ? evidence::WrongValues{evidence::WrongRule::unwritten}
                                             : values_of(output, begin, wrong, map.rows, map.columns);
  return map;
}

}  // namespace ww::gate
