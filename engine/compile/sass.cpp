// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include "base/program.h"
#include "compile/compile.h"

namespace ww::compile {
namespace {

class TemporaryFile {              // for nvdisasm, which takes no standard input
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

}  // namespace

Result<std::string> disassemble(std::string_view cubin, CancelToken cancel) {
  if (cubin.empty()) return fail(Code::invalid_argument, "there is no machine code to show: the candidate was not assembled");
  const Result<Toolkit> toolkit = find_toolkit();
  if (!toolkit) return fail(toolkit.error());
  if (toolkit->nvdisasm.empty())
    return fail(Code::unavailable, "machine code is not shown, because nvdisasm was not found: install a CUDA toolkit 13, or NVIDIA's wheel nvidia-cuda-nvdisasm "
                                   "(packaging/run does), or put nvdisasm on the PATH");
  const TemporaryFile file(cubin);
  if (!file.whole()) return fail(Code::io, "the machine code could not be written to a temporary file");
  Result<ProgramOutput> output = run_program(toolkit->nvdisasm, {"--print-code", "--print-line-info", file.path()}, {}, cancel);
  if (!output) return fail(output.error());
  if (output->status != 0) return fail(Code::io, "nvdisasm could not read the machine code", output->errors);
  return std::move(output->out);
}

}  // namespace ww::compile
