// SPDX-License-Identifier: Apache-2.0
#include "cuda/driver.h"
#include <dlfcn.h>

namespace ww::cuda {
namespace {

#define WW_TEXT_OF(x) #x
#define WW_TEXT(x) WW_TEXT_OF(x)

struct Loaded {
  Driver driver;
  Error error;
  bool good = false;
};

Loaded load() {
  Loaded l;
  const auto failed = [&](Code code, std::string message, std::string cause = {}) {
    l.error = Error{code, std::move(message), std::move(cause)};
    return l;
  };
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failed(Code::unavailable, "there is no CUDA device: no NVIDIA driver is installed (libcuda.so.1)");
  const auto init = reinterpret_cast<decltype(&::cuInit)>(::dlsym(library, "cuInit"));
#define WW_CUDA_LOAD(f)                                                                                \
  l.driver.f##_ = reinterpret_cast<decltype(&::f)>(::dlsym(library, WW_TEXT(f)));                      \
  if (!l.driver.f##_)                                                                                  \
    return failed(Code::unavailable, "the NVIDIA driver is too old for Warpwright: it lacks " WW_TEXT( \
                                         f) "; version 580 or newer is needed");
  WW_CUDA_FUNCTIONS(WW_CUDA_LOAD)
#undef WW_CUDA_LOAD
  if (!init) return failed(Code::unavailable, "libcuda.so.1 is not an NVIDIA driver: it lacks cuInit");
  if (const CUresult code = init(0); code != CUDA_SUCCESS)
    return failed(Code::unavailable, "there is no CUDA device: the NVIDIA driver offers none", l.driver.text(code));
  l.driver.cuDriverGetVersion_(&l.driver.version);
  l.good = true;
  return l;
}

}  // namespace

std::string Driver::text(CUresult code) const {
  const char* name = nullptr;
  const char* sentence = nullptr;
  if (cuGetErrorName_) cuGetErrorName_(code, &name);
  if (cuGetErrorString_) cuGetErrorString_(code, &sentence);
  return (name ? std::string(name) : "CUDA error " + std::to_string(code)) +
         (sentence ? std::string(": ") + sentence : "");
}

Result<const Driver*> Driver::get() {
  static const Loaded loaded = load();
  if (!loaded.good) return fail(loaded.error);
  return &loaded.driver;
}

}  // namespace ww::cuda
