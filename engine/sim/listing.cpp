// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include "sim/code.h"
#include "sim/instruction_text.h"
#include "sim/run.h"
#include "simt/module.h"
#include "simt/program.h"
#include "simt/program_data.h"

namespace ww::sim {
namespace {

std::string param_text(const simt::Variable& v) {
  std::string text(simt::type_name(v.type));
  if (v.is_array) text += "[" + std::to_string(v.count) + "]";
  return text + " " + v.name;
}

}  // namespace

Result<Listing> list(const Job& job, compile::Compiler* compiler) {
  Outcome compiled;
  const std::string ptx = WW_TRY(ptx_of(job, compiler, compiled));
  const std::shared_ptr<const simt::Program> program = WW_TRY(simt::load(ptx));
  const simt::Module& module = program->module();
  const simt::Decoded& code = program->data().decoded(simt::level_full | simt::level_counters);
  Listing out;
  out.version = module.version;
  out.target = module.target;
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const simt::Function& function = module.functions[f];
    if (!function.has_body) continue;
    ListedFunction listed;
    listed.name = function.name;
    listed.is_kernel = function.is_entry;
    for (const simt::Variable& p : function.params) listed.params.push_back(param_text(p));
    listed.registers = static_cast<std::int64_t>(function.registers.size());
    if (const simt::KernelInfo* k = program->kernel(function.name)) {
      listed.static_shared = static_cast<std::int64_t>(k->static_shared);
      listed.local = static_cast<std::int64_t>(k->local_bytes);
    }
    std::map<int, std::string> refused;
    for (const auto& u : code.functions[f].unsupported)
      refused[u.line] = u.reason.empty() ? "the machine does not know it" : u.reason;
    for (const simt::Instruction& i : function.body) {
      const auto why = refused.find(i.line);
      listed.instructions.push_back(
          {instruction_text(function, i), i.line, i.source_line, why == refused.end() ? "" : why->second});
    }
    out.functions.push_back(std::move(listed));
  }
  return out;
}

}  // namespace ww::sim
