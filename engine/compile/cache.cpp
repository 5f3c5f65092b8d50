// SPDX-License-Identifier: Apache-2.0
#include "compile/cache.h"
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"

namespace ww::compile {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr std::string_view magic =
    "warpwright compile 2\n";  // then 64 digits of the hash of key and payload, a newline, the payload in CBOR
constexpr std::size_t hash_digits = 64;

std::string digest_of(const std::string& key, std::string_view payload) {
  return Hasher().field(key).field(payload).hex();
}

std::string encode(const Output& o) {
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

Output decode(std::string_view payload) {
  const json all = json::from_cbor(payload.begin(), payload.end());
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
}

// Its time of modification is now: a byte is written again, because a locked-down worker may not set times.
void mark_used(const fs::path& path) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put(magic[0]);
}

}  // namespace

Cache::Cache(fs::path folder, std::uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path Cache::path_of(const std::string& key) const { return folder_ / key.substr(0, 2) / (key + ".bin"); }

std::optional<Output> Cache::load(const std::string& key) {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = path_of(key);
  std::error_code ec;
  if (!fs::exists(path, ec)) return std::nullopt;
  const auto content = read_file(path);
  if (content) {
    const std::string_view all = *content;
    const std::size_t start = magic.size() + hash_digits + 1;
    if (all.size() > start && all.starts_with(magic) &&
        digest_of(key, all.substr(start)) == all.substr(magic.size(), hash_digits)) {
      try {
        Output o = decode(all.substr(start));
        mark_used(path);
        return o;
      } catch (const std::exception&) {  // an older layout with a valid hash
      }
    }
  }
  log::warn("a damaged entry of the compile cache is dropped: " + path.string());
  fs::remove(path, ec);
  return std::nullopt;
}

void Cache::store(const std::string& key, const Output& output) {
  if (folder_.empty()) return;
  std::string payload;
  try {
    payload = encode(output);
  } catch (const std::exception& e) { return log::warn(std::string("a compilation cannot be cached: ") + e.what()); }
  const std::string content = std::string(magic) + digest_of(key, payload) + "\n" + payload;
  const std::lock_guard lock(mutex_);
  if (auto s = write_file_atomic(path_of(key), content); !s) return log::warn(s.error().text());
  written_ += content.size();
  if (!looked_ || written_ > max_bytes_ / 16) shrink();
}

std::uint64_t Cache::bytes() const {
  std::uint64_t sum = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder_, ec), end; !ec && at != end; at.increment(ec))
    if (std::error_code one; at->is_regular_file(one)) sum += at->file_size(one);
  return sum;
}

void Cache::shrink() {
  looked_ = true;
  written_ = 0;
  struct Entry {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t sum = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder_, ec), end; !ec && at != end; at.increment(ec)) {
    std::error_code one;
    if (!at->is_regular_file(one)) continue;
    entries.push_back({at->last_write_time(one), at->file_size(one), at->path()});
    sum += entries.back().size;
  }
  if (sum <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& e : entries) {
    if (sum <= max_bytes_ / 8 * 7) break;
    fs::remove(e.path, ec);
    sum -= e.size;
  }
}

}  // namespace ww::compile
