// SPDX-License-Identifier: Apache-2.0
#include "exporter/solution.h"
#include "base/described_json.h"
#include "base/files.h"
#include "exporter/package.h"
#include "exporter/templates.h"

namespace ww::exporter {
namespace {

// Of a Python module: without what runs it alone, and without imports from its own package.
std::string embedded(std::string text) {
  text = text.substr(0, text.find("\nif __name__"));
  for (std::size_t at = 0; (at = text.find("\nfrom .", at)) != text.npos;) text.erase(at, text.find('\n', at + 1) - at);
  return text;
}

// JSON's strings in ASCII are Python's.
std::string python_string(const std::string& text) {
  return json::Json(text).dump(-1, ' ', true, json::Json::error_handler_t::replace);
}

std::string inputs_text(const std::vector<importer::ModuleInput>& inputs) {
  std::string out;
  for (const importer::ModuleInput& i : inputs)
    if (!i.constant)  // the plan has it
      out +=
          (out.empty() ? "" : ", ") + (i.argument ? std::to_string(*i.argument) : python_string(i.state.value_or("")));
  return "[" + out + "]";
}

}  // namespace

Result<std::string> solution_text(store::Workspace& workspace, const op::Library& library,
                                  const store::CandidateRecord& c, const std::vector<importer::ModuleInput>& inputs,
                                  const std::string& task, const std::string& module) {
  const PlanText plan = WW_TRY(plan_text(workspace, library, c));
  const std::filesystem::path files = resources_dir() / "export";
  return filled(WW_TRY(read_file(files / "solution/solution.py")),
                {{"task", task},
                 {"candidate", c.hash.substr(0, 16)},
                 {"plan_code", embedded(WW_TRY(read_file(files / "common/plan.py")))},
                 {"launch_code", embedded(WW_TRY(read_file(files / "pytorch/launch.py")))},
                 {"plan", python_string(json::text_of(plan))},
                 {"source", python_string(c.text)},
                 {"ptx", python_string(c.verdict->ptx)},
                 {"inputs", inputs_text(inputs)},
                 {"module", module}});
}

}  // namespace ww::exporter
