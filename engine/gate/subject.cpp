// SPDX-License-Identifier: Apache-2.0
#include "gate/subject.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

constexpr const char* any_architecture = "sm_80";
constexpr const char* no_kernel = "extern \"C\" __global__ void ww_nothing() {}\n";

Status compile_and_load(Subject& subject, const compile::Request& request, compile::Compiler& compiler,
                        device::Device& device) {
  Result<compile::Output> output = compiler.compile(request);
  if (!output) return fail(output.error());
  subject.output = std::move(*output);
  Result<std::shared_ptr<const device::Module>> module = device.load(subject.output);
  if (!module) return fail(module.error());
  subject.module = std::move(*module);
  return {};
}

}  // namespace

std::string architecture_for(const std::string& asked, const device::Device& device) {
  if (!asked.empty()) return asked;
  return device.facts().architecture.empty() ? any_architecture : device.facts().architecture;
}

Result<Subject> make_subject(const op::Spec& spec, const op::Binding& binding, const std::string& text,
                             candidate::Language language, const std::string& architecture, compile::Compiler& compiler,
                             device::Device& device) {
  Subject s;
  Result<candidate::Candidate> parsed = candidate::parse(text, language);
  if (!parsed) return fail(parsed.error());
  s.candidate = std::move(*parsed);
  const candidate::Tuning tuning = candidate::first_tuning(s.candidate);
  if (Status fits = candidate::check_contract(s.candidate, spec); !fits) return fail(fits.error());
  const Result<bool> claimed = candidate::claims(s.candidate, spec, binding, tuning);
  if (!claimed) return fail(claimed.error());
  if (!*claimed) return fail(Code::unsupported, "the candidate does not claim this case: a \"require\" excludes it");
  Result<candidate::Plan> plan = candidate::plan(s.candidate, spec, binding, tuning);
  if (!plan) return fail(plan.error());
  s.plan = std::move(*plan);
  compile::Request request;
  request.language = s.candidate.language;
  request.code = s.candidate.text;
  request.architecture = architecture_for(architecture, device);
  request.defines = tuning;
  request.options = s.candidate.options;
  if (Status made = compile_and_load(s, request, compiler, device); !made) return fail(made.error());
  for (const candidate::PlannedLaunch& launch : s.plan.launches)
    if (Status fits = s.module->fits(launch); !fits) return fail(fits.error());
  return s;
}

Result<Subject> make_empty_subject(const std::string& architecture, compile::Compiler& compiler,
                                   device::Device& device) {
  Subject s;
  compile::Request request;
  request.code = no_kernel;
  request.architecture = architecture_for(architecture, device);
  if (Status made = compile_and_load(s, request, compiler, device); !made) return fail(made.error());
  return s;
}

Result<op::Binding> whole_binding(const op::Spec& spec, const op::Binding& binding) {
  Result<op::Resolved> resolved = op::resolve(spec, binding);
  if (!resolved) return fail(resolved.error());
  op::Binding whole = binding;
  whole.symbols = std::move(resolved->symbols);
  return whole;
}

}  // namespace ww::gate
