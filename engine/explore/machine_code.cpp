// SPDX-License-Identifier: Apache-2.0
#include "explore/machine_code.h"
#include "rpc/supervisor.h"

namespace ww::explore {
namespace {

Result<compile::Output> compiled(const store::CandidateRecord& candidate, const std::string& architecture,
                                 const CancelToken& cancel) {
  const Result<candidate::Language> language = candidate::language_from_name(candidate.language);
  if (!language) return fail(language.error());
  rpc::CompileRequest request;
  request.candidate = candidate.text;
  request.language = *language;
  request.architecture = architecture;
  rpc::Supervisor worker;
  return worker.compile(request, cancel);
}

}  // namespace

Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture,
                                 CancelToken cancel) {
  const Result<compile::Output> output = compiled(candidate, architecture, cancel);
  if (!output) return fail(output.error());
  return compile::disassemble(output->cubin, cancel);
}

Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture,
                                   CancelToken cancel) {
  const Result<compile::Output> output = compiled(candidate, architecture, cancel);
  if (!output) return fail(output.error());
  Result<compile::Sass> sass = compile::disassemble_rows(output->cubin, true, cancel);
  if (!sass) return sass;
  if (!candidate.verdict || candidate.verdict->ptx != output->ptx)
    for (compile::SassRow& row : sass->rows) row.ptx_line = 0;
  return sass;
}

}  // namespace ww::explore
