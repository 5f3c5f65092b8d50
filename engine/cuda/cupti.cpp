// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti.h"
#include <dlfcn.h>
#include <vector>
#include "compile/compile.h"

namespace ww::cuda {
namespace {

#ifdef WW_HAVE_CUPTI
namespace fs = std::filesystem;

#define WW_TEXT_OF(x) #x
#define WW_TEXT(x) WW_TEXT_OF(x)

struct Loaded {
  Cupti cupti;
  Error error;
  bool good = false;
};

// Folders beside NVRTC and the headers where toolkits, extras and NVIDIA's wheels keep CUPTI.
std::vector<fs::path> folders() {
  std::vector<fs::path> out;
  const Result<compile::Toolkit> toolkit = compile::find_toolkit();
  if (!toolkit) return out;
  const auto below = [&](const fs::path& root) {
    for (const char* part :
         {"lib64", "lib", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      out.push_back(root / part);
  };
  if (const fs::path library = toolkit->nvrtc.parent_path(); !library.empty()) {
    out.push_back(library);
    below(library.parent_path());
    out.push_back(library.parent_path().parent_path() / "cuda_cupti" / "lib");  // wheels of CUDA 12: a folder a package
  }
  if (!toolkit->headers.empty()) below(toolkit->headers.parent_path());
  return out;
}

Loaded load() {
  Loaded l;
  void* library = nullptr;
  std::string why;
  const auto attempt = [&](const fs::path& path) {
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      l.cupti.path = path;
    else if (const char* text = ::dlerror())
      why = text;
    return library != nullptr;
  };
  for (const fs::path& folder : folders()) {
    std::error_code ec;
    for (const char* name : {"libcupti.so.13", "libcupti.so"}) {
      if (!fs::exists(folder / name, ec)) continue;
      // CUPTI opens these by their bare names: loaded before, they are found wherever they lie.
      for (const char* part : {"libnvperf_host.so", "libnvperf_target.so"})
        if (fs::exists(folder / part, ec)) ::dlopen((folder / part).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (attempt(folder / name)) break;
    }
    if (library) break;
  }
  if (!library) attempt("libcupti.so.13");
  if (!library) {
    l.error = Error{Code::unavailable,
                    "CUPTI, NVIDIA's counter library, was not found: install the CUDA toolkit 13 or NVIDIA's wheel "
                    "nvidia-cuda-cupti, "
                    "and set WARPWRIGHT_CUDA to its folder",
                    why};
    return l;
  }
#define WW_CUPTI_LOAD(f) l.cupti.f##_ = reinterpret_cast<decltype(&::f)>(::dlsym(library, WW_TEXT(f)));
#define WW_CUPTI_CHECK(f)                                                                                              \
  if (!l.cupti.f##_) {                                                                                                 \
    l.error = Error{                                                                                                   \
        Code::unavailable, "'" + l.cupti.path.string() + "' is too old: it lacks " WW_TEXT(f) "; CUDA 13 has it", {}}; \
    return l;                                                                                                          \
  }
  WW_CUPTI_FUNCTIONS(WW_CUPTI_LOAD)
  WW_CUPTI_SAMPLING(WW_CUPTI_LOAD)
  WW_CUPTI_FUNCTIONS(WW_CUPTI_CHECK)
#undef WW_CUPTI_LOAD
#undef WW_CUPTI_CHECK
  l.good = true;
  return l;
}
#endif

}  // namespace

#ifdef WW_HAVE_CUPTI
std::string Cupti::text(CUptiResult code) const {
  const char* sentence = nullptr;
  if (cuptiGetErrorMessage_) cuptiGetErrorMessage_(code, &sentence);
  return (sentence ? std::string(sentence) : std::string("unknown error")) + " (CUPTI error " +
         std::to_string(static_cast<int>(code)) + ")";
}

Result<const Cupti*> Cupti::get() {
  static const Loaded loaded = load();
  if (!loaded.good) return fail(loaded.error);
  return &loaded.cupti;
}
#else
Result<const Cupti*> Cupti::get() {
  return fail(
      Code::unavailable,
      "this build has no hardware counters: it was built without CUPTI's headers (part of the CUDA toolkit 13)");
}
#endif

}  // namespace ww::cuda
