// SPDX-License-Identifier: Apache-2.0
// Folders of a CUDA toolkit that the user named, for this process and for the workers that it starts. Thread-safe.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ww {

void choose_cuda_folder(const std::filesystem::path& folder);  // empty: none
std::filesystem::path chosen_cuda_folder();
struct NamedCudaFolder {
  std::filesystem::path folder;
  std::string variable;  // of the environment; empty: chosen
};
// The chosen one, then those of $WARPWRIGHT_CUDA, $CUDA_HOME and $CUDA_PATH: in order of preference.
std::vector<NamedCudaFolder> named_cuda_folders();

}  // namespace ww
