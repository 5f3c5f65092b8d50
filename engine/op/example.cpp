// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/parse.h"
#include "op/work.h"

namespace ww::op {
namespace {

// Sizes to try, the most telling first: unequal ones show which index is which.
std::vector<std::vector<std::int64_t>> sizes_to_try(std::size_t symbols) {
  std::vector<std::vector<std::int64_t>> out;
  std::vector<std::int64_t> v(symbols);
  for (std::size_t i = 0; i < symbols; ++i) v[i] = 2 + static_cast<std::int64_t>(i % 2);
  out.push_back(v);
  for (std::size_t i = 0; i < symbols; ++i) v[i] = 3 - static_cast<std::int64_t>(i % 2);
  out.push_back(v);
  for (const std::int64_t all : {3, 2, 1}) out.emplace_back(symbols, all);
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < symbols && combinations < 729; ++i) combinations *= 3;
  for (std::size_t c = 0; c < combinations; ++c) {
    std::size_t rest = c;
    for (std::size_t i = 0; i < symbols; ++i) {
      v[i] = 3 - static_cast<std::int64_t>(rest % 3);
      rest /= 3;
    }
    out.push_back(v);
  }
  return out;
}

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", v == 0 ? 0.0 : v);
  return text;
}

std::string table(const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<std::string>& cells) {
  if (shape.empty()) return name + " = " + cells[0] + "\n";
  std::size_t width = 0;
  for (const std::string& c : cells) width = std::max(width, c.size());
  const std::size_t columns = static_cast<std::size_t>(shape.back());
  const std::size_t rows = shape.size() > 1 ? static_cast<std::size_t>(shape[shape.size() - 2]) : 1;
  const std::size_t slices = columns * rows == 0 ? 0 : cells.size() / (columns * rows);
  std::string out;
  if (slices == 0) return name + " is empty\n";
  for (std::size_t s = 0; s < slices; ++s) {
    out += name;
    if (shape.size() > 2) {
      std::vector<std::size_t> at(shape.size() - 2);
      std::size_t rest = s;
      for (std::size_t k = at.size(); k-- > 0;) {
        at[k] = rest % static_cast<std::size_t>(shape[k]);
        rest /= static_cast<std::size_t>(shape[k]);
      }
      out += "[";
      for (const std::size_t a : at) out += std::to_string(a) + ", ";
      out += ":, :]";
    }
    out += " =\n";
    for (std::size_t r = 0; r < rows; ++r) {
      out += " ";
      for (std::size_t c = 0; c < columns; ++c) {
        const std::string& cell = cells[(s * rows + r) * columns + c];
        out += " " + std::string(width - cell.size(), ' ') + cell;
      }
      out += "\n";
    }
  }
  return out;
}

std::string whole(DType dtype, std::int64_t v) {
  return dtype == DType::u64 ? std::to_string(static_cast<std::uint64_t>(v)) : std::to_string(v);
}

// Multiples of a quarter near the values, which keep to the rules as these do. False: there are too few.
bool quarters_by_rules(Domain domain, const std::vector<double>& values, std::vector<double>& out) {
  domain.lo = std::ceil(domain.lo * 4);
  domain.hi = std::ceil(domain.hi * 4);
  std::vector<std::int32_t> whole;
  for (const double v : values) whole.push_back(static_cast<std::int32_t>(std::round(v * 4)));
  if (domain.given && (domain.hi - domain.lo < static_cast<double>(std::max<std::int64_t>(domain.row, 1)) ||
                       std::any_of(whole.begin(), whole.end(), [&](int v) { return v < domain.lo || v >= domain.hi; })))
    return false;
  keep_rules(DType::i32, domain, static_cast<std::int64_t>(whole.size()), whole.data());
  out.clear();
  for (const std::int32_t v : whole) out.push_back(v / 4.0);
  return true;
}

// Values with few digits, so that a person can check the arithmetic.
Result<HostTensor> example_input(const Spec& spec, const Param& p, int ordinal, const Binding& binding) {
  const auto shape = WW_TRY(shape_of(spec, p, binding));
  const auto domain = WW_TRY(domain_of(spec, p, binding));
  HostTensor t;
  t.dtype = p.dtype;
  t.shape = shape;
  const std::int64_t count = element_count(shape);
  t.bytes.resize(static_cast<std::size_t>(count) * dtype_size(p.dtype));
  fill_input(Distribution::normal, 1, ordinal, p.dtype, domain, count, t.bytes.data());
  if (!is_real(p.dtype)) return t;
  if (domain.rules) {
    std::vector<double> values, tidy;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(load_f64(p.dtype, t.bytes.data() + static_cast<std::size_t>(i) * dtype_size(p.dtype)));
    if (!quarters_by_rules(domain, values, tidy)) return t;
    for (std::size_t i = 0; i < tidy.size(); ++i) store_f64(p.dtype, t.bytes.data() + i * dtype_size(p.dtype), tidy[i]);
    return t;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    void* at = t.bytes.data() + static_cast<std::size_t>(i) * dtype_size(p.dtype);
    const double v = load_f64(p.dtype, at), rounded = std::round(v * 4) / 4;
    if (!domain.given || (rounded >= domain.lo && rounded < domain.hi)) store_f64(p.dtype, at, rounded);
  }
  return t;
}

constexpr double most_elements = 10000, most_steps = 1e8;  // of one tensor; of all attempts together

Status check_size(const Spec& spec, const Binding& binding, double& steps_left) {
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list) {
      double n = 1;
      for (const std::int64_t d : WW_TRY(shape_of(spec, p, binding))) n *= static_cast<double>(d);
      if (n > most_elements || (n == 0 && list == &spec.outputs))
        return fail(Code::invalid_argument, "'" + p.name + "' would have " + number(n) + " elements");
    }
  const double steps = WW_TRY(steps_of(spec, binding));
  if (!(steps <= steps_left)) return fail(Code::unsupported, "it would take " + number(steps) + " operations");
  steps_left -= steps;
  return {};
}

Result<std::string> example_at(const Spec& spec, const Binding& binding, double& steps_left) {
  WW_TRY(check_size(spec, binding, steps_left));
  std::map<std::string, HostTensor> inputs;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    auto t = WW_TRY(example_input(spec, spec.inputs[i], static_cast<int>(i), binding));
    inputs[spec.inputs[i].name] = std::move(t);
  }
  EvaluateOptions options;
  options.bounds = false;
  options.threads = 1;
  options.max_operations = most_steps;
  const auto outputs = WW_TRY(evaluate(spec, binding, inputs, options));
  std::string out = spec.name;
  for (const auto& [name, value] : binding.symbols)
    out += (out.size() == spec.name.size() ? " with " : ", ") + name + " = " + std::to_string(value);
  out += "\n";
  for (const Param& p : spec.inputs) {
    const HostTensor& t = inputs[p.name];
    std::vector<std::string> cells;
    for (std::size_t i = 0; i * dtype_size(t.dtype) < t.bytes.size(); ++i) {
      const void* at = t.bytes.data() + i * dtype_size(t.dtype);
      cells.push_back(is_real(t.dtype) ? number(load_f64(t.dtype, at)) : whole(t.dtype, load_i64(t.dtype, at)));
    }
    out += table(p.name, t.shape, cells);
  }
  for (const Param& p : spec.outputs) {
    const ReferenceTensor& t = outputs.at(p.name);
    std::vector<std::string> cells;
    for (const double v : t.value) cells.push_back(number(v));
    for (const std::int64_t v : t.integer) cells.push_back(whole(t.dtype, v));
    out += table(p.name, t.shape, cells);
  }
  return out;
}

}  // namespace

Result<std::string> worked_example(const Spec& spec) {
  Result<std::string> last = fail(Code::invalid_argument, "op '" + spec.name + "' has no small example");
  double steps_left = most_steps;
  for (const std::vector<std::int64_t>& sizes : sizes_to_try(spec.symbols.size())) {
    Binding binding;
    for (std::size_t i = 0; i < sizes.size(); ++i) binding.symbols[spec.symbols[i]] = sizes[i];
    auto example = example_at(spec, binding, steps_left);
    if (example) return example;
    last = fail(example.error());
  }
  return last;
}

}  // namespace ww::op
