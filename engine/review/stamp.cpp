// SPDX-License-Identifier: Apache-2.0
#include "review/stamp.h"
#include "base/files.h"
#include "base/plugin.h"

namespace ww::review {

Result<std::unique_ptr<StampService>> stamp_service() {
  const PluginKind kind{"time stamp module", "ww_stamp_abi", "ww_make_stamp_service", stamp_abi};
  const Result<void*> make = open_plugin(plugins_dir() / "stamps/librfc3161.so", kind);
  if (!make) return fail(Code::unavailable, "time stamps cannot be used here", make.error().text());
  return std::unique_ptr<StampService>(reinterpret_cast<StampService* (*)()>(*make)());
}

}  // namespace ww::review
