// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include "base/cuda_folder.h"
#include "base/files.h"
#include "compile/compile.h"
#include "compile/cutlass.h"
#include "compile/nvrtc.h"

namespace ww::compile {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) out.push_back(at->path());
  std::sort(out.begin(), out.end(), std::greater<>());  // newest version first: libnvrtc.so.13 before libnvrtc.so.12
  return out;
}

// A shared library "stem.so…" in one of the folders.
fs::path find_library(const std::vector<fs::path>& folders, const std::string& stem) {
  for (const fs::path& folder : folders)
    for (const fs::path& p : entries(folder))
      if (p.filename().string().starts_with(stem + ".so")) return p;
  return {};
}

fs::path first_file(const std::vector<fs::path>& paths) {
  std::error_code ec;
  for (const fs::path& p : paths)
    if (fs::is_regular_file(p, ec)) return p;
  return {};
}

// Folders that may be the root of a toolkit, in order of preference.
std::vector<fs::path> roots() {
  std::vector<fs::path> out;
  for (NamedCudaFolder& named : named_cuda_folders()) out.push_back(std::move(named.folder));
  out.emplace_back("/usr/local/cuda");
  for (const fs::path& p : entries("/usr/local"))
    if (p.filename().string().starts_with("cuda-")) out.push_back(p);
  out.push_back(cache_dir() / "cuda");        // packaging/setup.sh installs NVIDIA's wheels there,
  out.push_back(cache_dir() / "cuda-tools");  // and its disassembler there
  std::vector<fs::path> all;
  for (const fs::path& r : out) {
    all.push_back(r);
    for (const fs::path& p : entries(r / "nvidia"))
      all.push_back(p);  // wheels: nvidia/cu13, or nvidia/cuda_nvrtc and so on
  }
  return all;
}

}  // namespace

Result<Toolkit> find_toolkit() {
  const std::vector<fs::path> where = roots();
  std::vector<fs::path> libraries, headers, programs;
  for (const fs::path& r : where) {
    for (const char* d : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      libraries.push_back(r / d);
    for (const char* d :
         {"include/cuda_fp16.h", "targets/x86_64-linux/include/cuda_fp16.h", "targets/sbsa-linux/include/cuda_fp16.h"})
      headers.push_back(r / d);
    programs.push_back(r / "bin");
  }
  for (const char* d : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"})
    libraries.emplace_back(d);
  headers.emplace_back("/usr/include/cuda_fp16.h");
  if (const char* path = std::getenv("PATH")) {
    const std::string_view all = path;
    for (std::size_t begin = 0; begin <= all.size();) {
      const std::size_t end = std::min(all.find(':', begin), all.size());
      if (end > begin) programs.emplace_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  Toolkit t;
  t.nvrtc = find_library(libraries, "libnvrtc");
  if (t.nvrtc.empty()) t.nvrtc = "libnvrtc.so.13";  // wherever the loader looks
  auto nvrtc = Nvrtc::open(t.nvrtc);
  if (!nvrtc)
    return fail(Code::unavailable,
                "NVRTC, NVIDIA's run-time compiler, was not found: install the CUDA toolkit 13 or NVIDIA's wheel "
                "nvidia-cuda-nvrtc, and "
                "set WARPWRIGHT_CUDA to its folder",
                nvrtc.error().text());
  t.nvrtc_version = (*nvrtc)->version();
  t.nvjitlink = find_library(libraries, "libnvJitLink");
  t.headers = first_file(headers).parent_path();
  const auto program = [&](const char* name) {
    std::vector<fs::path> paths;
    for (const fs::path& p : programs) paths.push_back(p / name);
    return first_file(paths);
  };
  t.ptxas = program("ptxas");
  t.nvdisasm = program("nvdisasm");
  t.cutlass = find_cutlass();
  return t;
}

}  // namespace ww::compile
