// SPDX-License-Identifier: Apache-2.0
// The tools of `warpwright-cli mcp`. None accepts, signs or asks a model; none reads a file. One writes files, only
// below the folder named by the user.
#pragma once
#include <functional>
#include <string>
#include <vector>
#include "answer.h"

namespace ww::cli::mcp {

struct Options {
  Common common;                  // with its workspace
  std::filesystem::path exports;  // exports go into subfolders; empty: no exporting
  bool unsigned_too = false;      // also export unsigned candidates
};

struct Call {
  const Options& options;
  const op::Library& library;
  const Watch& watch;
  const std::string& client;  // the name it gives; may be empty
};

struct Tool {
  std::string name, title, description;
  std::string command;               // the command whose JSON is its result
  std::vector<std::string> members;  // of the result, always present
  bool writes = false;               // stores something
  Json input;                        // JSON Schema
  std::function<Result<Answer>(const Json& arguments, const Call&)> run;
};
std::vector<Tool> tools_of(const Options& options);
Json tool_json(const Tool& tool);  // as listed by tools/list

}  // namespace ww::cli::mcp
