// SPDX-License-Identifier: Apache-2.0
// What the forms of export are, in words for both front ends.
#include <fmt/format.h>
#include "exporter/package.h"
#include "store/paste.h"

namespace ww::exporter {

std::string title_of(Kind kind) {
  switch (kind) {
    case Kind::torch: return "PyTorch operator";
    case Kind::kernels: return "Hugging Face kernel";
    case Kind::cupy: return "CuPy function";
    case Kind::cpp: return "C++ header";
    case Kind::ptx: return "PTX and launch plan";
  }
  return "unknown";
}

std::string summary_of(Kind kind) {
  switch (kind) {
    case Kind::torch:
      return "A Python package with a PyTorch operator: eager, torch.compile and CUDA graphs, with a test and a "
             "benchmark.";
    case Kind::kernels: return "The same operator in the layout that Hugging Face's package kernels loads.";
    case Kind::cupy: return "A Python package that launches the kernel through CuPy.";
    case Kind::cpp: return "One header over the CUDA driver, and an example built with CMake.";
    case Kind::ptx: return "The PTX as it was judged, and how to launch it, as JSON.";
  }
  return "unknown";
}

std::string next_step(Kind kind, const Exported& made) {
  switch (kind) {
    case Kind::torch:
    case Kind::cupy:
      return fmt::format(
          "On a machine with {} and a GPU, 'python3 test_kernel.py' in that folder tests it; use it with "
          "'from {} import {}'.",
          kind == Kind::torch ? "PyTorch" : "CuPy", made.name, made.function);
    case Kind::cpp:
      return "On a machine with the CUDA toolkit and a GPU, "
             "'cmake -B build && cmake --build build && build/example --check' in that folder compares a small case "
             "with the reference.";
    case Kind::kernels:
      return "On a machine with PyTorch, the package kernels and a GPU, 'python3 loaded.py' in that folder tests it.";
    case Kind::ptx: return "'python3 plan.py' in that folder, with the sizes, prints how to launch it.";
  }
  return {};
}

std::string backward_step(const Exported& made, const std::filesystem::path& workspace,
                          const std::vector<std::int64_t>& candidates) {
  const auto with = [&](const std::string& backward) {
    return store::pasted(workspace,
                         fmt::format("export {} --backward {} -o FOLDER", fmt::join(candidates, " "), backward));
  };
  if (!made.backward_candidates.empty())
    return fmt::format("The operator has no backward. '{}' registers candidate {} for autograd.",
                       with(std::to_string(made.backward_candidates.front())), made.backward_candidates.front());
  if (made.gradients == Gradients::refused)
    return "The operator has no backward, and none can be derived: " + made.no_gradient + ".";
  if (made.gradients != Gradients::derived) return {};
  std::string command;
  for (const std::string& word : made.explore_backward)
    command += (command.empty() ? "" : " ") + store::shell_word(word);
  return fmt::format(
      "The operator has no backward. backward.op is the spec of its gradients: '{}' looks for a kernel, and '{}' "
      "registers the candidate NUMBER for autograd.",
      store::pasted(workspace, command), with("NUMBER"));
}

}  // namespace ww::exporter
