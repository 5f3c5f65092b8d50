// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include "base/base64.h"
#include "candidate/candidate.h"
#include "device/entries.h"
#include "exporter/package.h"
#include "exporter/host_text.h"
#include "generator/run_options.h"
#include "measure/torch.h"
#include "op/fixed_inputs.h"
#include "op/inputs.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::exporter {
namespace {

Result<std::vector<std::string>> texts_of(const std::vector<op::ExprPtr>& list, HostLanguage host) {
  std::vector<std::string> out;
  for (const op::ExprPtr& e : list) out.push_back(WW_TRY(host_text(*e, host)));
  return out;
}

Result<std::vector<std::string>> three_of(const std::array<op::ExprPtr, 3>& list, HostLanguage host) {
  std::vector<std::string> out;
  for (const op::ExprPtr& e : list) out.push_back(e ? WW_TRY(host_text(*e, host)) : "1");
  return out;
}

Result<TensorText> tensor_text(const std::string& name, DType type, const std::vector<op::ExprPtr>& shape,
                               HostLanguage host) {
  return TensorText{name, std::string(dtype_name(type)), WW_TRY(texts_of(shape, host))};
}

Result<LaunchText> launch_text(const candidate::Launch& launch, const std::vector<device::Entry>& entries,
                               const std::vector<std::string>& tensors, HostLanguage host) {
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == launch.kernel; });
  if (entry == entries.end() || entry->parameters.size() != launch.args.size())
    return fail(Code::corrupt, "the stored PTX does not fit the plan's kernel " + launch.kernel);
  LaunchText out;
  out.kernel = launch.kernel;
  out.grid = WW_TRY(three_of(launch.grid, host));
  out.block = WW_TRY(three_of(launch.block, host));
  out.cluster = WW_TRY(three_of(launch.cluster, host));
  out.shared = launch.shared ? WW_TRY(host_text(*launch.shared, host)) : "0";
  out.carveout = launch.carveout ? WW_TRY(host_text(*launch.carveout, host)) : "-1";
  out.cooperative = launch.cooperative;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const op::Expr& e = *launch.args[i];
    const device::Parameter& p = entry->parameters[i];
    ArgumentText a{{}, {}, p.type, static_cast<std::int64_t>(p.size)};
    if (e.kind == op::ExprKind::name && std::find(tensors.begin(), tensors.end(), e.name) != tensors.end())
      a.tensor = e.name;
    else
      a.value = WW_TRY(host_text(e, host));
    out.arguments.push_back(std::move(a));
  }
  return out;
}

// "R*C <= 2147483647" of a tensor [R, C].
Result<std::string> at_most_elements(const op::Param& tensor, std::int64_t most, HostLanguage host) {
  op::ExprPtr count = tensor.shape[0];
  for (std::size_t d = 1; d < tensor.shape.size(); ++d)
    count = op::binary_of(op::BinaryOp::mul, count, tensor.shape[d]);
  return host_text(*op::binary_of(op::BinaryOp::le, count, op::integer_literal(most)), host);
}

}  // namespace

Status accepted_here(const store::CandidateRecord& c) {
  if (!c.imported && c.state == store::CandidateState::accepted && c.verdict && c.verdict->accepted) return {};
  if (c.imported)
    return fail(
        Code::invalid_argument,
        fmt::format("candidate {} was judged on another machine; accept it here first, which judges it again", c.id));
  return fail(Code::invalid_argument,
              fmt::format("the gate has not proved candidate {}, so there is nothing to export", c.id));
}

Result<Asked> asked_of(const store::RunRecord& run) {
  const generator::RunOptions options = WW_TRY(generator::options_from_json(run.options));
  return Asked{WW_TRY(op::parse_spec(options.spec)), options.binding};
}

Result<Asked> asked_of(store::Workspace& workspace, const store::CandidateRecord& c) {
  return asked_of(WW_TRY(workspace.run(c.run)));
}

Result<PlanText> plan_text(store::Workspace& workspace, const op::Library& library, const store::CandidateRecord& c,
                           HostLanguage host) {
  WW_TRY(accepted_here(c));
  const store::RunRecord run = WW_TRY(workspace.run(c.run));
  const auto [spec, binding] = WW_TRY(asked_of(run));
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  const candidate::Candidate parsed = WW_TRY(candidate::parse(c.text, c.language));
  if (parsed.hash != c.hash || c.verdict->candidate != c.hash)
    return fail(Code::corrupt, fmt::format("the text or the verdict of candidate {} does not match its hash", c.id));
  const std::vector<device::Entry> entries = WW_TRY(device::read_entries(c.verdict->ptx));

  PlanText plan;
  plan.op = spec.name;
  plan.spec = spec.text;
  plan.candidate = c.hash;
  plan.architecture = run.architecture;
  plan.reference = measure::torch_expression(library, spec, binding);
  plan.symbols = spec.symbols;
  plan.sizes = resolved.symbols;
  for (const candidate::TuneAxis& axis : parsed.tune) {
    if (axis.values.size() != 1)
      return fail(Code::invalid_argument, fmt::format("candidate {} leaves the choice of {} open", c.id, axis.name));
    plan.tuning[axis.name] = axis.values.front();
  }
  for (const op::Constant& constant : spec.constants) {
    const auto given = binding.constants.find(constant.name);
    ConstantText text{constant.name, WW_TRY(host_text(*constant.value, host))};
    if (given != binding.constants.end())
      text.value = constant.type == op::Type::integer
                       ? host_text(*op::integer_literal(static_cast<std::int64_t>(given->second)), host).value()
                       : real_text(given->second, host);
    plan.constants.push_back(std::move(text));
  }
  std::vector<std::string> tensors;
  const std::map<std::string, op::HostTensor> fixed = WW_TRY(op::fixed_inputs(spec));
  if (!fixed.empty()) plan.reference.clear();  // the library's expression takes all inputs
  for (const op::Param& p : spec.inputs) {
    tensors.push_back(p.name);
    if (const auto value = fixed.find(p.name); value != fixed.end()) {
      plan.fixed.push_back({WW_TRY(tensor_text(p.name, p.dtype, p.shape, host)), to_base64(value->second.bytes)});
      continue;
    }
    const op::Domain domain = WW_TRY(op::domain_of(spec, p, binding));
    InputText input{WW_TRY(tensor_text(p.name, p.dtype, p.shape, host)), {}, {}, {}};
    for (const std::string_view word : op::rule_words(p.rules)) input.rules.emplace_back(word);
    if (domain.given) input.lo = domain.lo, input.hi = domain.hi;
    plan.inputs.push_back(std::move(input));
  }
  for (const op::Param& p : spec.outputs) {
    plan.outputs.push_back(WW_TRY(tensor_text(p.name, p.dtype, p.shape, host)));
    tensors.push_back(p.name);
  }
  for (const candidate::Temp& t : parsed.temps) {
    plan.temporaries.push_back(WW_TRY(tensor_text(t.name, t.dtype, t.shape, host)));
    tensors.push_back(t.name);
  }
  plan.zeroed = parsed.zeroed;
  plan.requirements = WW_TRY(texts_of(parsed.requires_, host));
  if (const auto most = evidence::most_elements(c.verdict->proof.long_tensors))
    for (const auto* list : {&spec.inputs, &spec.outputs})
      for (const op::Param& p : *list)
        if (!p.shape.empty()) plan.requirements.push_back(WW_TRY(at_most_elements(p, *most, host)));
  for (const candidate::Launch& launch : parsed.launches)
    plan.launches.push_back(WW_TRY(launch_text(launch, entries, tensors, host)));
  return plan;
}

}  // namespace ww::exporter
