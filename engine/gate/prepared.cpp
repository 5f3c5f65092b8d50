// SPDX-License-Identifier: Apache-2.0
#include "gate/prepared.h"
#include "base/architecture.h"
#include "op/parse.h"
#include "candidate/excluded.h"

namespace ww::gate {
namespace {

constexpr const char* no_kernel = "extern \"C\" __global__ void ww_nothing() {}\n";

Status compile_and_load(Prepared& prepared, const compile::Request& request, compile::Compiler& compiler,
                        device::Device& device) {
  compile::Output output = WW_TRY(compiler.compile(request));
  prepared.output = std::move(output);
  std::shared_ptr<const device::Module> module = WW_TRY(device.load(prepared.output));
  prepared.module = std::move(module);
  return {};
}

}  // namespace

std::string architecture_for(const std::string& asked, const device::Device& device) {
  if (!asked.empty()) return asked;
  return device.facts().architecture.empty() ? default_architecture : device.facts().architecture;
}

compile::Request compile_request(const candidate::Candidate& candidate, const candidate::Tuning& tuning,
                                 const std::string& asked_architecture, const device::Device& device) {
  compile::Request request;
  request.language = candidate.language;
  request.code = candidate.text;
  request.architecture = architecture_for(asked_architecture, device);
  request.defines = tuning;
  request.options = candidate.options;
  return request;
}

Result<Prepared> prepare(const op::Spec& spec, const op::Binding& binding, const std::string& text,
                         candidate::Language language, const std::string& architecture, compile::Compiler& compiler,
                         device::Device& device) {
  Prepared s;
  candidate::Candidate parsed = WW_TRY(candidate::parse(text, language));
  s.candidate = std::move(parsed);
  const candidate::Tuning tuning = candidate::first_tuning(s.candidate);
  WW_TRY(candidate::check_contract(s.candidate, spec));
  const bool claimed = WW_TRY(candidate::claims(s.candidate, spec, binding, tuning));
  if (!claimed)
    return fail(Code::unsupported, "the candidate does not claim this case: " +
                                       candidate::excluded_text(s.candidate, spec, binding, tuning));
  candidate::Plan plan = WW_TRY(candidate::plan(s.candidate, spec, binding, tuning));
  s.plan = std::move(plan);
  WW_TRY(compile_and_load(s, compile_request(s.candidate, tuning, architecture, device), compiler, device));
  for (const candidate::PlannedLaunch& launch : s.plan.launches) WW_TRY(s.module->fits(launch));
  return s;
}

Result<Prepared> prepare_empty(const std::string& architecture, compile::Compiler& compiler, device::Device& device) {
  Prepared s;
  compile::Request request;
  request.code = no_kernel;
  request.architecture = architecture_for(architecture, device);
  WW_TRY(compile_and_load(s, request, compiler, device));
  return s;
}

Result<op::Binding> whole_binding(const op::Spec& spec, const op::Binding& binding) {
  op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  op::Binding whole = binding;
  whole.symbols = std::move(resolved.symbols);
  return whole;
}

}  // namespace ww::gate
