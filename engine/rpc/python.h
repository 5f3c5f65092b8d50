// SPDX-License-Identifier: Apache-2.0
// A Python script of the resources in a separate process, called by JSON-RPC on its stdin and stdout
// (resources/python/frames.py).
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::rpc {

class Process;

// $WARPWRIGHT_PYTHON, else every python3 on the PATH, in its order.
std::vector<std::filesystem::path> pythons();
inline constexpr std::chrono::seconds python_start{60};  // until the first answer: it imports what the script needs

class PythonHelper {
 public:
  using Json = nlohmann::ordered_json;
  // `script`: its name in resources/python.
  static Result<std::unique_ptr<PythonHelper>> start(const std::filesystem::path& python, const std::string& script);
  ~PythonHelper();
  struct Found {
    std::unique_ptr<PythonHelper> helper;
    std::string python;
    std::map<std::string, std::string> facts;  // the texts of its answer to `describe`, such as "torch"
  };
  // That of the first interpreter whose answer to the script's `describe` has no `why_not`. Code::unavailable: none
  // has `what`, as in "a PyTorch that sees the GPU"; the cause has a line for each tried.
  static Result<Found> find(const std::string& script, const Json& params, const std::string& what,
                            const std::stop_token& cancel);
  // A call that is cancelled or times out ends the process.
  Result<Json> call(const std::string& method, const Json& params, std::chrono::seconds limit,
                    const std::stop_token& cancel);

 private:
  explicit PythonHelper(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
  std::int64_t id_ = 0;
};

}  // namespace ww::rpc
