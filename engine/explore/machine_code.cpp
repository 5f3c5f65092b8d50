// SPDX-License-Identifier: Apache-2.0
#include "explore/machine_code.h"
#include "rpc/supervisor.h"

namespace ww::explore {
namespace {

Result<compile::Output> compiled(const store::CandidateRecord& candidate, const std::string& architecture,
                                 const CancelToken& cancel) {
  const candidate::Language language = WW_TRY(candidate::language_from_name(candidate.language));
  rpc::CompileRequest request;
  request.candidate = candidate.text;
  request.language = language;
  request.architecture = architecture;
  rpc::Supervisor worker;
  return worker.compile(request, cancel);
}

}  // namespace

Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture,
                                 CancelToken cancel) {
  const compile::Output output = WW_TRY(compiled(candidate, architecture, cancel));
  return compile::disassemble(output.cubin, cancel);
}

Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture,
                                   CancelToken cancel) {
  const compile::Output output = WW_TRY(compiled(candidate, architecture, cancel));
  Result<compile::Sass> sass = compile::disassemble_rows(output.cubin, true, cancel);
  if (!sass) return sass;
  if (!candidate.verdict || candidate.verdict->ptx != output.ptx)
    for (compile::SassRow& row : sass->rows) row.ptx_line = 0;
  return sass;
}

}  // namespace ww::explore
