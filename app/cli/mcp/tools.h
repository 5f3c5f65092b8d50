// SPDX-License-Identifier: Apache-2.0
// The tools that a client of `warpwright-cli mcp` may call. None accepts, signs or asks a model; none reads a file. One
// writes files: into the folder that the person named for it.
#pragma once
#include <functional>
#include <string>
#include <vector>
#include "answer.h"

namespace ww::cli::mcp {

struct Options {
  Common common;                  // its workspace
  std::filesystem::path exports;  // what is exported goes into folders of it; empty: nothing is exported
  bool unsigned_too = false;      // also what no person has signed
};

struct Call {
  const Options& options;
  const op::Library& library;
  const Watch& watch;
  const std::string& client;  // as it calls itself; may be empty
};

struct Tool {
  std::string name, title, description;
  std::string command;               // whose JSON its result is
  std::vector<std::string> members;  // of the result, that are always there
  bool writes = false;               // something that stays
  Json input;                        // JSON Schema
  std::function<Result<Answer>(const Json& arguments, const Call&)> run;
};
std::vector<Tool> tools_of(const Options& options);
Json tool_json(const Tool& tool);  // as tools/list shows it

}  // namespace ww::cli::mcp
