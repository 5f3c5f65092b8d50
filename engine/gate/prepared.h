// SPDX-License-Identifier: Apache-2.0
// A candidate prepared for one case on one device outside the gate's stages, to be timed, counted or run once.
#pragma once
#include <memory>
#include <string>
#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "op/spec.h"

namespace ww::gate {

// The target architecture for the device: `asked`, else the device's own, else the SIMT machine's default.
std::string architecture_for(const std::string& asked, const device::Device& device);

compile::Request compile_request(const candidate::Candidate& candidate, const candidate::Tuning& tuning,
                                 const std::string& asked_architecture, const device::Device& device);

struct Prepared {
  candidate::Candidate candidate;
  candidate::Plan plan;  // for its first tuning
  compile::Output output;
  std::shared_ptr<const device::Module> module;
};
// `binding` must give every shape symbol. Errors are the candidate's (parse, invalid_argument, compile, unsupported),
// the compiler's or the device's.
Result<Prepared> prepare(const op::Spec& spec, const op::Binding& binding, const std::string& text,
                         candidate::Language language, const std::string& architecture, compile::Compiler& compiler,
                         device::Device& device);
// Memory and streams without a kernel: the buffers for a library's work.
Result<Prepared> prepare_empty(const std::string& architecture, compile::Compiler& compiler, device::Device& device);

// The binding completed with every shape symbol.
Result<op::Binding> whole_binding(const op::Spec& spec, const op::Binding& binding);

}  // namespace ww::gate
