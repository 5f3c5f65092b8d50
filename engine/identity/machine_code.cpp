// SPDX-License-Identifier: Apache-2.0
#include "identity/machine_code.h"
#include "rpc/supervisor.h"

namespace ww::identity {
namespace {

Result<compile::Output> compiled(const store::CandidateRecord& candidate, const std::string& architecture,
                                 const std::stop_token& stop) {
  rpc::CompileRequest request;
  request.candidate = candidate.text;
  request.language = candidate.language;
  request.architecture = architecture;
  rpc::Supervisor worker;
  return worker.compile(request, stop);
}

}  // namespace

Result<std::string> machine_code(const store::CandidateRecord& candidate, const std::string& architecture,
                                 std::stop_token stop) {
  const compile::Output output = WW_TRY(compiled(candidate, architecture, stop));
  return compile::disassemble(output.cubin, stop);
}

Result<compile::Sass> machine_rows(const store::CandidateRecord& candidate, const std::string& architecture,
                                   std::stop_token stop) {
  const compile::Output output = WW_TRY(compiled(candidate, architecture, stop));
  Result<compile::Sass> sass = compile::disassemble_rows(output.cubin, true, stop);
  if (!sass) return sass;
  if (!candidate.verdict || candidate.verdict->ptx != output.ptx)
    for (compile::SassRow& row : sass->rows) row.ptx_line = 0;
  return sass;
}

}  // namespace ww::identity
