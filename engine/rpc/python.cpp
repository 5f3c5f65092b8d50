// SPDX-License-Identifier: Apache-2.0
#include "rpc/python.h"
#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include "base/files.h"
#include "base/json_reader.h"
#include "rpc/process.h"

namespace ww::rpc {
namespace fs = std::filesystem;
using Json = PythonHelper::Json;
using std::chrono::seconds;

std::vector<fs::path> pythons() {
  if (const char* given = std::getenv("WARPWRIGHT_PYTHON"); given && *given) return {given};
  std::vector<fs::path> out;
  const char* path = std::getenv("PATH");
  const std::string all = path ? path : "";
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path python = fs::path(all.substr(begin, end - begin)) / "python3";
    std::error_code ec;
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const fs::path& p) { return fs::equivalent(p, python, ec); });
    if (end > begin && !known && ::access(python.c_str(), X_OK) == 0) out.push_back(python);
    begin = end + 1;
  }
  return out;
}

PythonHelper::PythonHelper(std::unique_ptr<Process> process) : process_(std::move(process)) {}
PythonHelper::~PythonHelper() {
  process_->close_input();  // it ends at the end of its input
  process_->pump(Milliseconds(0));
  if (!process_->wait(Milliseconds(2000))) process_->terminate(Milliseconds(500));
}

Result<std::unique_ptr<PythonHelper>> PythonHelper::start(const fs::path& python, const std::string& script) {
  std::unique_ptr<Process> process = WW_TRY(
      Process::start(python, {"-u", (resources_dir() / "python" / script).string()},
                     {"PYTHON*", "VIRTUAL_ENV", "CONDA_*", "TORCH*", "TRITON_*", "OMP_*", "MKL_*", "CC", "CXX"}));
  return std::unique_ptr<PythonHelper>(new PythonHelper(std::move(process)));
}

Result<PythonHelper::Found> PythonHelper::find(const std::string& script, const Json& params, const std::string& what,
                                               const std::stop_token& cancel) {
  std::string reasons;
  const std::vector<fs::path> all = pythons();
  for (const fs::path& python : all) {
    std::string why;
    Result<std::unique_ptr<PythonHelper>> helper = start(python, script);
    if (!helper) {
      why = helper.error().cause;
    } else {
      const Result<Json> answer = (*helper)->call("describe", params, python_start, cancel);
      if (!answer && answer.error().code == Code::cancelled) return fail(answer.error());
      Found found{std::move(*helper), python.string(), {}};
      if (answer)
        for (const auto& [name, value] : answer->items())
          if (value.is_string()) found.facts[name] = value;
      why = answer ? found.facts["why_not"] : answer.error().text();
      if (why.empty()) return found;
    }
    reasons += (reasons.empty() ? "" : "\n") + python.string() + ": " + why;
  }
  return fail(Code::unavailable,
              (all.empty() ? "the PATH has no python3" : "no Python here has " + what) +
                  " (install it with 'pip install torch', or set WARPWRIGHT_PYTHON to a Python that has it)",
              reasons);
}

Result<Json> PythonHelper::call(const std::string& method, const Json& params, seconds limit,
                                const std::stop_token& cancel) {
  const Json request = {{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}};
  process_->post(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const Result<std::optional<std::string>> body = process_->next();
    if (!body) return fail(Code::corrupt, "the Python helper's answer cannot be read", body.error().text());
    if (*body) {
      const Json j = json::json_or_null(**body);
      if (!j.is_object() || !j.contains("id") || j["id"] != id_)
        return fail(Code::corrupt, "the Python helper's answer does not match the request");
      if (const auto error = j.find("error"); error != j.end() && error->is_object()) {
        const Json data = error->value("data", Json::object());
        return fail(code_from_name(data.value("code", std::string("internal"))), error->value("message", std::string()),
                    data.value("cause", std::string()));
      }
      const auto result = j.find("result");
      if (result == j.end() || !result->is_object())
        return fail(Code::corrupt, "the Python helper's answer has no result");
      return *result;
    }
    if (cancel.stop_requested()) {
      process_->terminate(Milliseconds(500));
      return fail(Code::cancelled, "the Python helper was cancelled");
    }
    if (std::chrono::steady_clock::now() > until) {
      process_->terminate(Milliseconds(500));
      return fail(Code::timeout,
                  "Python did not answer within " + std::to_string(limit.count()) + " seconds and was ended");
    }
    if (!process_->pump(Milliseconds(200))) {
      const Result<std::optional<std::string>> last = process_->next();
      if (last && *last) continue;
      process_->wait(Milliseconds(500));
      const std::string& errors = process_->errors();
      return fail(Code::crashed,
                  "the Python helper " +
                      (process_->end_text().empty() ? std::string("closed its output") : process_->end_text()),
                  errors.substr(errors.size() - std::min<std::size_t>(errors.size(), 600)));
    }
  }
}

}  // namespace ww::rpc
