// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"
#include <filesystem>
#include <thread>
#include "base/files.h"
#include "base/fresh_file.h"
#include "base/program.h"
#include "compile/compile.h"

namespace ww::compile {
namespace {

struct Ready {  // nvdisasm and something for it to read
  std::filesystem::path program;
  FreshFile file;  // nvdisasm cannot read standard input
};
Result<Ready> prepare(std::string_view cubin) {
  if (cubin.empty())
    return fail(Code::invalid_argument, "there is no machine code to show: the candidate was not assembled");
  const Toolkit toolkit = WW_TRY(find_toolkit());
  if (toolkit.nvdisasm.empty())
    return fail(Code::unavailable,
                "machine code needs nvdisasm, which was not found: install the CUDA toolkit 13 or NVIDIA's wheel "
                "nvidia-cuda-nvdisasm, or put nvdisasm on the PATH");
  std::error_code ec;
  FreshFile file = WW_TRY(FreshFile::beside(std::filesystem::temp_directory_path(ec) / "warpwright-cubin", 0600));
  WW_TRY(file.write(cubin));
  return Ready{std::filesystem::canonical(toolkit.nvdisasm, ec), std::move(file)};
}

Result<std::string> print(const Ready& ready, const std::vector<std::string>& options, const std::stop_token& stop) {
  // In a worker's sandbox: the machine code may come from text written to attack its readers.
  std::vector<std::string> words = {"--confine", ready.file.path().string(), ready.program.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(ready.file.path().string());
  const ProgramOutput output = WW_TRY(run_program(worker_program(), words, {}, stop));
  if (output.status != 0) return fail(Code::io, "nvdisasm could not read the machine code", output.errors);
  return output.out;
}

}  // namespace

Result<std::string> disassemble(std::string_view cubin, std::stop_token stop) {
  const Ready ready = WW_TRY(prepare(cubin));
  return print(ready, {"--print-code", "--print-line-info"}, stop);
}

Result<Sass> disassemble_rows(std::string_view cubin, bool live, std::stop_token stop) {
  const Ready ready = WW_TRY(prepare(cubin));
  Result<std::string> registers = std::string();
  std::thread beside;
  if (live)
    beside = std::thread([&] { registers = print(ready, {"--print-code", "--life-range-mode", "count"}, stop); });
  const Result<std::string> lines =
      print(ready, {"--print-code", "--print-line-info-inline", "--print-line-info-ptx"}, stop);
  if (beside.joinable()) beside.join();
  WW_CHECK(lines);
  return read_sass(*lines,
                   registers ? *registers : std::string());  // without them where nvdisasm cannot follow the code
}

}  // namespace ww::compile
