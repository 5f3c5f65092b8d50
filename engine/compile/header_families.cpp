// SPDX-License-Identifier: Apache-2.0
#include "compile/header_families.h"
#include <charconv>
#include <optional>
#include <fmt/format.h>
#include "base/files.h"
#include "compile/headers.h"

namespace ww::compile {
namespace {

struct VersionMacro {  // e.g. 300001 is 3.0.1 where a major version counts 100000 and a minor one 100
  const char *header, *name;
  int major, minor;
};
constexpr VersionMacro cccl{"cuda/std/__cccl/version.h", "CCCL_VERSION", 1'000'000, 1000};
constexpr VersionMacro cub{"cub/version.cuh", "CUB_VERSION", 100'000, 100};

// What a header defines a name as; empty: not a number.
std::optional<int> defined(const std::string& text, const char* name) {
  const std::string key = std::string("#define ") + name + ' ';
  const std::size_t at = text.find(key);
  int value = 0;
  if (at == std::string::npos ||
      std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value).ec != std::errc())
    return {};
  return value;
}

std::string version_of(const HeaderLibrary& headers, const VersionMacro& macro) {
  const Result<std::string> text = read_file(headers.file_of(macro.header));
  const std::optional<int> value = text ? defined(*text, macro.name) : std::nullopt;
  if (!value) return {};
  return fmt::format("{}.{}.{}", *value / macro.major, *value % macro.major / macro.minor, *value % macro.minor);
}

std::string cutlass_version(const HeaderLibrary& headers) {
  const Result<std::string> text = read_file(headers.file_of("cutlass/version.h"));
  if (!text) return {};
  const auto major = defined(*text, "CUTLASS_MAJOR"), minor = defined(*text, "CUTLASS_MINOR"),
             patch = defined(*text, "CUTLASS_PATCH");
  return major && minor && patch ? fmt::format("{}.{}.{}", *major, *minor, *patch) : "";
}

}  // namespace

Result<std::vector<HeaderFamily>> header_families(const Toolkit& toolkit) {
  const std::unique_ptr<HeaderLibrary> headers = WW_TRY(HeaderLibrary::open(
      resources_dir() / "devices/headers.txt", resources_dir() / "devices/headers", toolkit.headers, toolkit.cutlass));
  std::vector<HeaderFamily> all;
  const auto add = [&](const char* name, const char* header, const VersionMacro* macro) {
    const bool there = headers->allowed(header) && !headers->file_of(header).empty();
    all.push_back({name, header, there, there && macro ? version_of(*headers, *macro) : ""});
  };
  add("cuda::std", "cuda/std/limits", &cccl);
  add("cuda::pipeline", "cuda/pipeline", &cccl);
  add("cooperative groups", "cooperative_groups.h", nullptr);
  add("mma.h", "mma.h", nullptr);
  add("CUB", "cub/block/block_reduce.cuh", &cub);
  add("CUTLASS, CuTe", "cute/tensor.hpp", nullptr);
  all.back().of_toolkit = false;
  all.back().folder = toolkit.cutlass;
  if (all.back().there) all.back().version = cutlass_version(*headers);
  return all;
}

}  // namespace ww::compile
