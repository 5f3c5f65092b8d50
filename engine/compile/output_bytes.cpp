// SPDX-License-Identifier: Apache-2.0
#include "compile/output_bytes.h"
#include <nlohmann/json.hpp>

namespace ww::compile {
using nlohmann::json;

std::string output_bytes(const Output& o) {
  json kernels = json::array();
  for (const KernelResources& k : o.resources)
    kernels.push_back(
        {k.kernel, k.registers, k.static_shared, k.stack, k.spill_stores, k.spill_loads, k.constant, k.barriers});
  const json all{
      {"ptx", o.ptx},           {"cubin", json::binary(std::vector<std::uint8_t>(o.cubin.begin(), o.cubin.end()))},
      {"resources", kernels},   {"log", o.log},
      {"compiler", o.compiler}, {"seconds", o.seconds}};
  std::string out;
  json::to_cbor(all, out);
  return out;
}

std::optional<Output> output_of_bytes(const std::string& bytes) try {
  const json all = json::from_cbor(bytes.begin(), bytes.end());
  Output o;
  o.ptx = all.at("ptx");
  const auto& cubin = all.at("cubin").get_binary();
  o.cubin.assign(cubin.begin(), cubin.end());
  for (const json& k : all.at("resources"))
    o.resources.push_back({k.at(0), k.at(1), k.at(2), k.at(3), k.at(4), k.at(5), k.at(6), k.at(7)});
  o.log = all.at("log");
  o.compiler = all.at("compiler");
  o.seconds = all.at("seconds");
  o.from_cache = true;
  return o;
} catch (const std::exception&) {  // of another version
  return std::nullopt;
}

}  // namespace ww::compile
