// SPDX-License-Identifier: Apache-2.0
#include "explore/machine_code.h"
#include "compile/sass.h"
#include "rpc/supervisor.h"

namespace ww::explore {

Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture, CancelToken cancel) {
  const Result<candidate::Language> language = candidate::language_from_name(candidate.language);
  if (!language) return fail(language.error());
  rpc::CompileRequest request;
  request.candidate = candidate.text;
  request.language = *language;
  request.architecture = architecture;
  rpc::Supervisor worker;
  const Result<compile::Output> output = worker.compile(request, cancel);
  if (!output) return fail(output.error());
  return compile::disassemble(output->cubin, cancel);
}

}  // namespace ww::explore
