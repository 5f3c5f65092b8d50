// SPDX-License-Identifier: Apache-2.0
// A shared library opened at run time. Never closed: NVRTC and similar libraries do not survive that.
#pragma once
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include "base/result.h"

namespace ww::compile {

class Library {
 public:
  static Result<Library> open(const std::filesystem::path& path) {
    Library l;
    l.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (l.handle_) return l;
    const char* why = ::dlerror();
    return fail(Code::unavailable, "cannot load '" + path.string() + "'", why ? why : "");
  }
  // Sets `function` to the symbol; false if the library does not have it.
  template <class F>
  bool find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(::dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace ww::compile
