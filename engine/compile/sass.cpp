// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <unistd.h>
#include "base/files.h"
#include "base/program.h"
#include "compile/compile.h"

namespace ww::compile {
namespace {

class TemporaryFile {  // for nvdisasm, which takes no standard input
 public:
  explicit TemporaryFile(std::string_view bytes) {
    std::error_code ec;
    path_ = (std::filesystem::temp_directory_path(ec) / "warpwright-cubin-XXXXXX").string();
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) {
      path_.clear();
      return;
    }
    std::size_t at = 0;
    while (at < bytes.size()) {
      const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    ::close(fd);
    whole_ = at == bytes.size();
  }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool whole() const { return whole_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool whole_ = false;
};

struct Ready {  // nvdisasm and something for it to read
  std::filesystem::path program;
  std::unique_ptr<TemporaryFile> file;
};
Result<Ready> prepare(std::string_view cubin) {
  if (cubin.empty())
    return fail(Code::invalid_argument, "there is no machine code to show: the candidate was not assembled");
  const Toolkit toolkit = WW_TRY(find_toolkit());
  if (toolkit.nvdisasm.empty())
    return fail(Code::unavailable,
                "machine code is not shown, because nvdisasm was not found: install a CUDA toolkit 13, or NVIDIA's "
                "wheel nvidia-cuda-nvdisasm "
                "(packaging/run does), or put nvdisasm on the PATH");
  std::error_code ec;
  Ready ready{std::filesystem::canonical(toolkit.nvdisasm, ec), std::make_unique<TemporaryFile>(cubin)};
  if (!ready.file->whole()) return fail(Code::io, "the machine code could not be written to a temporary file");
  return ready;
}

Result<std::string> print(const Ready& ready, const std::vector<std::string>& options, const std::stop_token& stop) {
  // Behind the walls of a worker: the machine code may come from text that was written to break its readers.
  std::vector<std::string> words = {"--confine", ready.file->path(), ready.program.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(ready.file->path());
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
