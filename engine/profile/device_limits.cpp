// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include "base/architecture.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "profile/occupancy.h"

namespace ww::profile {
namespace fs = std::filesystem;

std::vector<std::string> known_architectures() {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator at(resources_dir() / "devices", ec), end; !ec && at != end; at.increment(ec))
    if (const fs::path& p = at->path(); p.extension() == ".json" && p.stem().string().starts_with("sm_"))
      out.push_back(p.stem().string());
  std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return out;
}

Result<DeviceLimits> device_limits(std::string_view architecture) {
  const std::optional<Architecture> read = read_architecture(architecture);
  const std::string name = read ? fmt::format("sm_{}", read->capability) : std::string(architecture);
  const std::vector<std::string> known = known_architectures();
  if (std::find(known.begin(), known.end(), name) == known.end())
    return fail(Code::not_found, fmt::format("the limits of '{}' are not known, only those of {}", architecture,
                                             fmt::join(known, ", ")));
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
    return fail(Code::corrupt, "the limits of '" + name + "' cannot be read", json::plain_what(e));
  }
}

}  // namespace ww::profile
