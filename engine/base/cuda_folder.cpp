// SPDX-License-Identifier: Apache-2.0
#include "base/cuda_folder.h"
#include <cstdlib>
#include <mutex>

namespace ww {
namespace {

struct Chosen {
  std::mutex mutex;
  std::filesystem::path folder;
};

Chosen& chosen() {
  static Chosen one;
  return one;
}

}  // namespace

void choose_cuda_folder(const std::filesystem::path& folder) {
  const std::lock_guard lock(chosen().mutex);
  chosen().folder = folder;
}

std::filesystem::path chosen_cuda_folder() {
  const std::lock_guard lock(chosen().mutex);
  return chosen().folder;
}

std::vector<NamedCudaFolder> named_cuda_folders() {
  std::vector<NamedCudaFolder> out;
  if (std::filesystem::path folder = chosen_cuda_folder(); !folder.empty()) out.push_back({std::move(folder), {}});
  for (const char* name : {"WARPWRIGHT_CUDA", "CUDA_HOME", "CUDA_PATH"})
    if (const char* v = std::getenv(name); v && *v) out.push_back({v, name});
  return out;
}

}  // namespace ww
