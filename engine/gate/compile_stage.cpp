// SPDX-License-Identifier: Apache-2.0
#include "gate/judge.h"
#include "gate/limits.h"
#include "gate/planted.h"
#include "gate/prepared.h"
#include "ptx/normal.h"
#include "ptx/notable.h"
#include "ptx/one_way.h"

namespace ww::gate {
namespace {

std::string doubtful(const ptx::Problem& doubt) {
  return "the PTX can be read in two ways, at line " + std::to_string(doubt.place.line) + ": " + doubt.message;
}

}  // namespace

Status Judge::compile() {
  report("compiling", 0.02);
  const ww::compile::Request request = compile_request(candidate_, tuning_, request_.architecture, *services_.device);
  Result<ww::compile::Output> output = services_.compiler->compile(request);
  if (!output) {
    if (output.error().code != Code::compile) return fail(output.error());
    return reject(output.error().message, output.error().cause);
  }
  verdict_.ptx = output->ptx;
  verdict_.resources = output->resources;
  one_by_one_ = services_.device->facts().chooses_order && ptx::blocks_meet(output->ptx);
  result_.detail = output->log;
  if (const auto doubt = ptx::find_ambiguity(output->ptx)) return reject(doubtful(*doubt));
  planted_ = compared_constants(output->ptx);
  WW_TRY(add_compared_cases());
  if (ends_judgement(result_.outcome)) return {};
  Result<std::shared_ptr<const device::Module>> module = services_.device->load(*output);
  if (!module) {
    if (module.error().code == Code::internal || module.error().code == Code::cancelled) return fail(module.error());
    if (lost(module.error())) return lose_device(module.error());
    reject("the device " + verdict_.device + " cannot load the compiled code: " + module.error().message,
           module.error().cause);
    // What the assembler takes and this device cannot read is not judged.
    const bool unread = module.error().code == Code::parse && !output->cubin.empty();
    if (module.error().code == Code::unsupported || unread) blame(FaultKind::unsupported);
    return {};
  }
  module_ = std::move(*module);
  for (const candidate::PlannedLaunch& launch : cases_.back().plan.launches)
    if (Status s = module_->fits(launch); !s) {
      if (s.error().code == Code::internal) return fail(s.error());
      if (lost(s.error())) return lose_device(s.error());
      return reject(s.error().message,
                    s.error().code == Code::not_found ? "kernels: " + kernel_names() : s.error().cause);
    }
  // Hardware says so itself.
  if (services_.device->facts().architecture.empty())
    for (const JudgedCase& c : cases_)
      for (const candidate::PlannedLaunch& launch : c.plan.launches)
        if (const std::string why = refused_by(request.architecture, launch, output->resources); !why.empty())
          return reject(why);
  verdict_.proof.compiler = output->compiler;
  verdict_.proof.compiler_cached = output->from_cache;
  output_ = std::move(*output);
  return load_others(request);
}

Status Judge::lose_device(const Error& error) {
  const RunOutcome outcome = lost_outcome(error);
  reject(outcome.message);
  blame(outcome.fault->kind);
  return {};
}

Status Judge::load_others(const ww::compile::Request& request) {
  if (!services_.device->facts().architecture.empty() || request.language != candidate::Language::cuda ||
      !may_depend_on_architecture(request.code))
    return {};
  for (const char* architecture :
       {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}) {
    if (architecture != request.architecture) WW_TRY(load_other(request, architecture));
    if (ends_judgement(result_.outcome)) return {};
  }
  return {};
}

Status Judge::load_other(ww::compile::Request request, const std::string& architecture) {
  request.architecture = architecture;
  request.resources = false;
  const Result<ww::compile::Output> output = services_.compiler->compile(request);
  // An older compiler does not know all of them.
  if (!output && output.error().code != Code::compile && output.error().code != Code::unsupported)
    return fail(output.error());
  if (!output) return {};
  if (programs_.empty()) programs_.insert(ptx::normalised_entries(output_.ptx));
  if (!programs_.insert(ptx::normalised_entries(output->ptx)).second) return {};
  if (const auto doubt = ptx::find_ambiguity(output->ptx)) return reject(doubtful(*doubt));
  Result<std::shared_ptr<const device::Module>> module = services_.device->load(*output);
  if (!module && (module.error().code == Code::internal || module.error().code == Code::cancelled))
    return fail(module.error());
  if (module) others_.push_back({"compiled for " + architecture, std::move(*module), tuning_});
  return {};
}

std::string Judge::kernel_names() const {
  std::string names;
  for (const device::KernelFacts& k : module_->kernels()) names += (names.empty() ? "" : ", ") + k.name;
  return names.empty() ? "none" : names;
}

}  // namespace ww::gate
