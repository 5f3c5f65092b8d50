// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a kept result of the compiler, and as the file that a sealed folder keeps it in.
#include "base/sealed_folder.h"
#include "compile/compile.h"
#include "compile/output_bytes.h"
#include "support/fuzz.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

const std::string name(64, 'a');

compile::Output output() {
  compile::Output o;
  o.ptx = ".version 8.0";
  o.cubin = std::string("cubin\0", 6);
  o.resources.push_back({"k", 16});
  return o;
}

const fs::path& entry() {  // the file of `name`
  static const fs::path file = [] {
    SealedFolder(fuzz::folder() / "kept").store(name, compile::output_bytes(output()));
    for (const auto& e : fs::recursive_directory_iterator(fuzz::folder() / "kept"))
      if (e.is_regular_file() && e.path().filename() != "seal.key") return e.path();
    std::abort();
  }();
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] { return fuzz::Seeds{compile::output_bytes(output()), read_file(entry()).value()}; });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(fuzz::view(data, size));
  if (const auto read = compile::output_of_bytes(bytes))
    fuzz::require(compile::output_of_bytes(compile::output_bytes(*read)).has_value());
  static const std::string genuine = read_file(entry()).value();
  fuzz::write(entry(), bytes);
  static SealedFolder folder(fuzz::folder() / "kept");
  fuzz::require(!folder.load(name) || bytes == genuine);
  return 0;
}
