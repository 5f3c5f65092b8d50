// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include "base/architecture.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "profile/occupancy.h"

namespace ww::profile {
namespace fs = std::filesystem;

namespace {

using Limits = std::map<std::string, Result<DeviceLimits>, std::less<>>;  // by architecture

Result<DeviceLimits> read_limits(const std::string& name) {
  const auto text = WW_TRY(read_file(resources_dir() / "devices" / (name + ".json")));
  try {
    const auto j = nlohmann::json::parse(text);
    DeviceLimits d;
    d.architecture = j.at("architecture");
    d.examples = j.at("examples");
    d.source = j.at("source");
    const auto take = [&](const char* key, auto& into) {
      into = j.at(key);
      if (into < 0 || (into == 0 && std::string_view(key) != "reserved_shared_per_block"))
        throw std::runtime_error(std::string(key) + " must be positive");
    };
    take("warp_threads", d.warp_threads), take("max_threads_per_block", d.max_threads_per_block),
        take("max_threads_per_sm", d.max_threads_per_sm);
    take("max_blocks_per_sm", d.max_blocks_per_sm), take("registers_per_sm", d.registers_per_sm),
        take("max_registers_per_block", d.max_registers_per_block);
    take("max_registers_per_thread", d.max_registers_per_thread),
        take("register_unit_per_warp", d.register_unit_per_warp);
    take("sub_partitions", d.sub_partitions), take("shared_per_sm", d.shared_per_sm),
        take("max_shared_per_block", d.max_shared_per_block);
    take("reserved_shared_per_block", d.reserved_shared_per_block), take("shared_unit", d.shared_unit);
    return d;
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the limits of '" + name + "' cannot be read", json::explain_exception(e));
  }
}

// Of all files, read once: a worker that is locked down can no longer read them.
const Limits& all_limits() {
  static std::mutex mutex;
  static Limits all;
  const std::lock_guard lock(mutex);
  if (!all.empty()) return all;
  std::error_code ec;
  for (fs::directory_iterator file(resources_dir() / "devices", ec), end; !ec && file != end; file.increment(ec))
    if (const std::string name = file->path().stem().string();
        file->path().extension() == ".json" && name.starts_with("sm_"))
      all.emplace(name, read_limits(name));
  return all;
}

}  // namespace

std::vector<std::string> known_architectures() {
  std::vector<std::string> out;
  for (const auto& [name, limits] : all_limits()) out.push_back(name);
  std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return out;
}

Result<DeviceLimits> device_limits(std::string_view architecture) {
  const std::optional<Architecture> read = read_architecture(architecture);
  const std::string name = read ? fmt::format("sm_{}", read->capability) : std::string(architecture);
  const auto at = all_limits().find(name);
  if (at != all_limits().end()) return at->second;
  return fail(Code::not_found, fmt::format("the limits of '{}' are not known, only those of {}", architecture,
                                           fmt::join(known_architectures(), ", ")));
}

}  // namespace ww::profile
