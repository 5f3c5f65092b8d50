// SPDX-License-Identifier: Apache-2.0
#include "exporter/expected_case.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "exporter/cpp_header.h"
#include "exporter/host_text.h"
#include "gate/compare.h"
#include "op/parse.h"
#include "op/work.h"

namespace ww::exporter {
namespace {

constexpr std::uint64_t expected_seed = 1;
constexpr double most_steps = 1e8;  // of the evaluator

bool is_small(const op::Spec& spec, const op::Binding& binding) {
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list) {
      const auto shape = op::shape_of(spec, p, binding);
      if (!shape || op::element_count(*shape) > most_expected) return false;
    }
  const Result<double> steps = op::steps_of(spec, binding);
  return steps && *steps <= most_steps && op::has_elements(spec, binding);
}

// Each size in turn as small as the candidate claims with the others as they are by then, but not below `least` if it
// claims a larger one.
op::Binding smallest_claimed(const Asked& asked, const candidate::Candidate& candidate, std::int64_t least) {
  const candidate::Tuning tuning = candidate::first_tuning(candidate);
  op::Binding out = asked.binding;
  if (const Result<op::Resolved> resolved = op::resolve(asked.spec, asked.binding))
    for (const std::string& s : asked.spec.symbols) out.symbols[s] = resolved->symbols.at(s);
  for (const std::string& s : asked.spec.symbols) {
    const std::int64_t usual = out.symbols.at(s);
    for (const std::int64_t size : {3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2, 1}) {
      if (size >= usual || (size < least && size > 2)) continue;
      op::Binding tried = out;
      tried.symbols[s] = size;
      if (!op::resolve(asked.spec, tried) || !op::has_elements(asked.spec, tried)) continue;
      if (!candidate::claims(candidate, asked.spec, tried, tuning).value_or(false)) continue;
      out = std::move(tried);
      break;
    }
  }
  return out;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value)) return value > 0 ? "infinity_" : "-infinity_";
  return fmt::format("{:a}", value);
}

std::string wrapped_list(const std::vector<std::string>& list) {
  std::string out, line;
  for (const std::string& text : list) {
    if (line.size() + text.size() > 110) out += "    " + line + '\n', line.clear();
    line += text + ", ";
  }
  return out + "    " + line + '\n';
}

std::string input_data(const TensorText& t, const gate::Reference& expected) {
  std::vector<std::string> bytes;
  for (const std::byte b : expected.inputs.at(t.name).bytes) bytes.push_back(std::to_string(std::to_integer<int>(b)));
  return fmt::format("inline const unsigned char in_{}[] = {{\n{}}};\n", t.name, wrapped_list(bytes));
}

std::string output_data(const TensorText& t, const gate::Reference& expected) {
  const op::ReferenceTensor& tensor = expected.outputs.at(t.name);
  std::vector<std::string> values;
  const auto count = static_cast<std::size_t>(op::element_count(tensor.shape));
  for (std::size_t i = 0; i < count; ++i) {
    const double bound = i < tensor.bound.size() ? tensor.bound[i] : 0;
    values.push_back(fmt::format(
        "{{{}, {}}}", number_text(tensor.value_at(i)),
        number_text(is_real(tensor.dtype) && !tensor.moved ? gate::tolerance_of(tensor.dtype, bound) : bound)));
  }
  return fmt::format("inline const Value out_{}[] = {{\n{}}};\n", t.name, wrapped_list(values));
}

}  // namespace

std::shared_ptr<const gate::Reference> expected_case(const Asked& asked, const candidate::Candidate& candidate) {
  for (const std::int64_t least : {3, 8, 16, 32}) {  // windows may not fit into the smallest
    const op::Binding binding = smallest_claimed(asked, candidate, least);
    if (!is_small(asked.spec, binding)) continue;
    if (auto made = gate::make_reference(asked.spec, {.binding = binding, .seed = expected_seed}, 0, {})) return *made;
  }
  return nullptr;
}

std::map<std::string, std::string> expected_parts(const PlanText& plan, const gate::Reference* expected) {
  std::string sizes, data, tensors, call, results;
  const auto parts = [&] {
    return std::map<std::string, std::string>{{"expected_known", expected ? "true" : "false"},
                                              {"expected_sizes", sizes},
                                              {"expected_data", data},
                                              {"expected_tensors", tensors},
                                              {"expected_call", call},
                                              {"expected_results", results}};
  };
  if (!expected) return parts();
  std::vector<std::string> names;
  for (const std::string& s : plan.symbols)
    sizes += fmt::format("  sizes.{} = {};\n", cpp_name(s), expected->set.binding.symbols.at(s));
  const auto input = [&](const TensorText& t) {
    names.push_back(cpp_name(t.name));
    data += input_data(t, *expected);
    tensors += fmt::format("  {0}* const {1} = ::copied<{0}>(expected::in_{2}, sizeof expected::in_{2});\n",
                           element_type(t.dtype), cpp_name(t.name), t.name);
  };
  for (const InputText& i : plan.inputs) input(i.tensor);
  for (const FixedText& f : plan.fixed) input(f.tensor);
  for (const TensorText& t : plan.outputs) {
    names.push_back(cpp_name(t.name));
    data += output_data(t, *expected);
    tensors += fmt::format("  {0}* const {1} = ::zeros<{0}>(bytes_.{1});\n", element_type(t.dtype), cpp_name(t.name));
    results += fmt::format("  good_ = ::agrees(\"{0}\", \"{1}\", {2}, bytes_.{2}, expected::out_{0}) && good_;\n",
                           t.name, t.dtype, cpp_name(t.name));
  }
  const std::string package = "ww_" + plan.op;
  call = fmt::format(
      "  void* const room_ = ::zeros<void>({0}::workspace_bytes(sizes_));\n  {0}::{1}({2}, sizes_, room_, nullptr);\n"
      "  ::check(cuCtxSynchronize());\n",
      package, cpp_name(plan.op), fmt::join(names, ", "));
  return parts();
}

}  // namespace ww::exporter
