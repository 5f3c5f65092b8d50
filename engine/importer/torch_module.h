// SPDX-License-Identifier: Apache-2.0
// A PyTorch module as an op spec, without a model: a Python process (resources/python/torch_import.py) runs the file of
// the person, exports the module and translates its graph; then the spec is evaluated beside the module. Callers ask
// first (trust.h).
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::rpc {
class PythonHelper;
}

namespace ww::importer {

struct ModuleRequest {
  std::filesystem::path file;
  std::string name;                 // of the class or function; empty: Model, or the only module of the file
  std::vector<std::string> inputs;  // "f32[512, 1024]"; empty: the file's get_inputs()
  bool evaluation = false;          // in evaluation mode, not as the file leaves it
  bool pasted = false;              // the file is a copy of a text that is in none
};
// "FILE.py:Class"; empty: not the name of a Python file.
std::optional<ModuleRequest> module_named(const std::string& text);

struct ModuleInput {  // of the spec: an argument of forward(), a tensor of the module, or a constant
  std::string name;
  std::optional<std::int64_t> argument;  // from 0
  std::optional<std::string> state;      // "conv.weight"
  bool constant = false;                 // its value is in the spec (op/fixed_inputs.h)
  WW_FIELDS(ModuleInput, name, (argument, "number of the argument of forward(), from 0", sparse),
            (state, "the parameter, buffer or tensor attribute", sparse),
            (constant, "a constant in forward(), whose value the spec has", sparse))
};

struct Module {
  op::Spec spec;
  std::string text;
  std::vector<ModuleInput> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::int64_t> sizes;  // of the file's own example; the spec's defaults may be smaller
  std::vector<std::string> notes;             // sentences
};

// On random inputs at small sizes, each set at its own.
struct Comparison {
  int sets = 0;       // in which every output agreed
  bool exact = true;  // the module computed in double precision in all of them
  std::vector<std::map<std::string, std::int64_t>> sizes;
  std::string difference;  // of the first set that differs; empty: none does
  std::uint64_t seed = 0;
};

class TorchModules {
 public:
  ~TorchModules();
  // The first interpreter whose PyTorch can export.
  static Result<std::unique_ptr<TorchModules>> start(const std::stop_token& cancel = {});
  const std::string& python() const { return python_; }
  const std::string& torch() const { return torch_; }

  // Runs the file. Code::unsupported where the module cannot be written as a spec; the cause has the graph's line.
  Result<Module> import(const ModuleRequest& request, const std::stop_token& cancel = {});
  // Of the module imported last.
  Result<Comparison> compare(const Module& module, int sets, std::uint64_t seed, const std::stop_token& cancel = {});

 private:
  TorchModules(std::unique_ptr<rpc::PythonHelper> helper, std::string python, std::string torch);
  std::unique_ptr<rpc::PythonHelper> helper_;
  std::string python_, torch_;
};

struct Imported {
  Module module;
  Comparison comparison;  // on compared_sets, or fewer where the module's results are not finite
  std::string python, torch;
};
inline constexpr int compared_sets = 6;
// Imports a module and compares it on random inputs. Code::denied: the file's present content is not one that the
// person allowed (trust.h).
Result<Imported> import_module(TorchModules& torch, const ModuleRequest& request, const std::stop_token& cancel = {});

}  // namespace ww::importer
