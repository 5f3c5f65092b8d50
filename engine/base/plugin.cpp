// SPDX-License-Identifier: Apache-2.0
#include "base/plugin.h"
#include <algorithm>
#include <dlfcn.h>

namespace ww {
namespace fs = std::filesystem;

std::vector<fs::path> plugin_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".so") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

Result<void*> open_plugin(const fs::path& file, const PluginKind& kind) {
  dlerror();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // only looks it up if it is already loaded
  if (!handle) {
    const char* why = dlerror();
    return fail(Code::unavailable, "it cannot be loaded", why ? why : "");
  }
  const auto abi = reinterpret_cast<int (*)()>(dlsym(handle, kind.abi_symbol));
  void* const make = dlsym(handle, kind.make_symbol);
  if (!abi || !make) {
    dlclose(handle);
    return fail(Code::unsupported,
                "it is not a " + kind.what + ": it does not export " + kind.abi_symbol + " and " + kind.make_symbol);
  }
  if (const int version = abi(); version != kind.abi) {
    dlclose(handle);
    return fail(Code::unsupported, "it was built for interface " + std::to_string(version) + ", this program has " +
                                       std::to_string(kind.abi) + "; build it again");
  }
  return make;
}

}  // namespace ww
