// SPDX-License-Identifier: Apache-2.0
#include "explore/case_tensors.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include "gate/compare.h"
#include "gate/distributions.h"
#include "gate/reference.h"
#include "generator/run_options.h"
#include "op/parse.h"

namespace ww::explore {

namespace {

// By magnitude; what is not finite comes first.
bool stands_out(double a, double b) {
  if (!std::isfinite(b)) return false;
  return !std::isfinite(a) || std::abs(a) > std::abs(b);
}

evidence::WrongMap map_of(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
                          const std::function<double(std::size_t)>& value) {
  evidence::WrongMap map;
  map.tensor = name;
  map.dtype = dtype_name(dtype);
  map.shape = shape;
  std::vector<std::int64_t> leading = shape;
  if (!leading.empty()) map.columns = leading.back(), leading.pop_back();
  if (!leading.empty()) map.rows = leading.back(), leading.pop_back();
  map.matrices = op::element_count(shape) / std::max<std::int64_t>(1, map.rows * map.columns);
  const std::int64_t shown = std::min<std::int64_t>(map.matrices, evidence::most_map_matrices);
  evidence::choose_cells(map, static_cast<std::size_t>(shown));
  for (std::int64_t number = 0; number < shown; ++number) {
    evidence::WrongMatrix m;
    m.leading = gate::subscripts(number, leading);
    const auto cells = static_cast<std::size_t>(map.down() * map.across());
    m.element.assign(cells, -1);
    m.expected.assign(cells, 0);
    for (std::int64_t element = 0; element < map.rows * map.columns; ++element) {
      const auto cell = static_cast<std::size_t>(map.cell_of(element));
      const double v = value(static_cast<std::size_t>(number * map.rows * map.columns + element));
      if (m.element[cell] >= 0 && !stands_out(v, m.expected[cell])) continue;
      m.element[cell] = element;
      m.expected[cell] = v;
    }
    m.actual = m.expected;
    m.ratio.assign(cells, 0);
    map.maps.push_back(std::move(m));
  }
  return map;
}

}  // namespace

std::vector<op::Distribution> distributions_of(const op::Spec& spec) { return gate::distributions_for(spec, true); }

Result<op::Spec> spec_of(store::Workspace& workspace, std::int64_t candidate) {
  const store::CandidateRecord record = WW_TRY(workspace.candidate(candidate));
  const store::RunRecord run = WW_TRY(workspace.run(record.run));
  const generator::RunOptions options = WW_TRY(generator::options_from_json(run.options));
  return op::parse_spec(options.spec);
}

Result<std::vector<CaseTensor>> case_tensors(const op::Spec& spec, const op::Binding& binding,
                                             op::Distribution distribution, std::uint64_t seed, std::stop_token stop) {
  std::int64_t elements = 0;
  for (const auto* params : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *params) {
      const auto shape = WW_TRY(op::shape_of(spec, p, binding));
      elements += op::element_count(shape);
    }
  if (elements > most_shown_elements)
    return fail(Code::invalid_argument,
                fmt::format("the tensors of this case have {} elements in total; at most {} can be shown", elements,
                            most_shown_elements));
  const auto reference = WW_TRY(gate::make_reference(spec, {binding, distribution, seed, {}}, 0, std::move(stop)));
  std::vector<CaseTensor> tensors;
  for (const op::Param& p : spec.inputs) {
    const op::HostTensor& t = reference->inputs.at(p.name);
    const std::size_t size = dtype_size(t.dtype);
    tensors.push_back({false, map_of(p.name, t.dtype, t.shape, [&](std::size_t i) {
                         return t.dtype == DType::boolean ? static_cast<double>(static_cast<std::uint8_t>(t.bytes[i]))
                                                          : load_f64(t.dtype, &t.bytes[i * size]);
                       })});
  }
  for (const op::Param& p : spec.outputs) {
    const op::ReferenceTensor& t = reference->outputs.at(p.name);
    tensors.push_back({true, map_of(p.name, t.dtype, t.shape, [&](std::size_t i) { return t.value_at(i); })});
  }
  return tensors;
}

}  // namespace ww::explore
