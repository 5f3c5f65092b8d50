// SPDX-License-Identifier: Apache-2.0
// What fuzzers share. `fuzz_x --seeds FOLDER` writes the inputs that the fuzzer makes by itself into FOLDER and ends.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>
#include "base/files.h"

namespace ww::fuzz {

using Seeds = std::vector<std::string>;

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void write(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// For LLVMFuzzerInitialize. `make` is called only where seeds are asked for.
template <class Make>
void seeds(int argc, char** argv, const Make& make) {
  if (argc < 3 || std::string_view(argv[1]) != "--seeds") return;
  std::filesystem::create_directories(argv[2]);
  int number = 0;
  for (const std::string& seed : make())
    write(std::filesystem::path(argv[2]) / ("made" + std::to_string(++number)), seed);
  std::exit(0);
}

// $WW_FUZZ_SOURCE where the fuzzers run elsewhere.
inline std::filesystem::path source_dir() {
  const char* given = std::getenv("WW_FUZZ_SOURCE");
  return given ? given : WW_SOURCE_DIR;
}
inline std::string source_file(const char* name) { return read_file(source_dir() / name).value(); }

// A folder of this process, in memory where there is such a place; it goes with the process.
inline const std::filesystem::path& folder() {
  static const struct Folder {
    std::filesystem::path path;
    Folder() {
      std::error_code ec;
      const char* given = std::getenv("TMPDIR");
      std::string name = std::string(given                                     ? given
                                     : std::filesystem::exists("/dev/shm", ec) ? "/dev/shm"
                                                                               : "/tmp") +
                         "/ww-fuzz-XXXXXX";
      require(::mkdtemp(name.data()) != nullptr);
      path = name;
    }
    ~Folder() {
      std::error_code ec;
      std::filesystem::remove_all(path, ec);
    }
  } made;
  return made.path;
}

}  // namespace ww::fuzz
