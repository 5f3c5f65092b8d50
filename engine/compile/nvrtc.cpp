// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc.h"
#include <fmt/format.h>
#include <new>
#include "compile/library.h"

namespace ww::compile {
namespace {

struct ProgramTag;
using Program = ProgramTag*;
// NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_COMPILATION
constexpr int success = 0, out_of_memory = 1, compilation_failed = 6;

// NVRTC opens its builtins by their bare name at the first compilation. Outside the loader's path (NVIDIA's wheels) it
// finds them only where they are in the process already.
void open_builtins(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec))
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so")) (void)Library::open(entry.path());
}

class Loaded final : public Nvrtc {
 public:
  static Result<std::unique_ptr<Nvrtc>> open(const std::filesystem::path& path) {
    open_builtins(path.parent_path());
    const auto library = WW_TRY(Library::open(path));
    auto n = std::make_unique<Loaded>();
    const bool complete =
        library.find("nvrtcVersion", n->version_) && library.find("nvrtcGetErrorString", n->error_string_) &&
        library.find("nvrtcGetNumSupportedArchs", n->arch_count_) &&
        library.find("nvrtcGetSupportedArchs", n->archs_) && library.find("nvrtcCreateProgram", n->create_) &&
        library.find("nvrtcDestroyProgram", n->destroy_) && library.find("nvrtcCompileProgram", n->compile_) &&
        library.find("nvrtcGetProgramLogSize", n->log_size_) && library.find("nvrtcGetProgramLog", n->log_) &&
        library.find("nvrtcGetPTXSize", n->ptx_size_) && library.find("nvrtcGetPTX", n->ptx_) &&
        library.find("nvrtcGetCUBINSize", n->cubin_size_) && library.find("nvrtcGetCUBIN", n->cubin_);
    if (!complete) return fail(Code::unavailable, "'" + path.string() + "' is too old: CUDA 12 or later is needed");
    return std::unique_ptr<Nvrtc>(std::move(n));
  }

  std::string version() const override {
    int major = 0, minor = 0;
    version_(&major, &minor);
    return fmt::format("{}.{}", major, minor);
  }

  std::vector<int> architectures() const override {
    int n = 0;
    if (arch_count_(&n) != success || n <= 0) return {};
    std::vector<int> out(static_cast<std::size_t>(n));
    if (archs_(out.data()) != success) out.clear();
    return out;
  }

  Result<NvrtcOutcome> compile(const std::string& code, const char* name, const std::vector<NamedText>& headers,
                               const std::vector<std::string>& options) const override {
    std::vector<const char*> texts, names, flags;
    for (const NamedText& h : headers) texts.push_back(h.text), names.push_back(h.name);
    for (const std::string& o : options) flags.push_back(o.c_str());
    Program program = nullptr;
    if (const int s =
            create_(&program, code.c_str(), name, static_cast<int>(headers.size()), texts.data(), names.data());
        s != success)
      return fail(Code::internal, "NVRTC refused to create a program", error_string_(s));
    struct Owner {
      const Loaded& n;
      Program p;
      ~Owner() { n.destroy_(&p); }
    } owner{*this, program};
    NvrtcOutcome out;
    out.status = compile_(program, static_cast<int>(flags.size()), flags.data());
    if (out.status == out_of_memory) throw std::bad_alloc();
    out.log = text(program, log_size_, log_);
    if (out.status == success) {
      out.ptx = text(program, ptx_size_, ptx_);
      std::size_t size = 0;
      if (cubin_size_(program, &size) == success && size > 0) {
        out.cubin.resize(size);
        if (cubin_(program, out.cubin.data()) != success) out.cubin.clear();
      }
    } else if (out.status != compilation_failed) {
      return fail(Code::internal, fmt::format("NVRTC failed: {}", error_string_(out.status)), out.log);
    }
    return out;
  }

 private:
  using Size = int(Program, std::size_t*);
  using Text = int(Program, char*);
  // Both count the closing NUL. In a log, what NVRTC and what ptxas say are each closed by one.
  static std::string text(Program program, Size* size_of, Text* get) {
    std::size_t size = 0;
    if (size_of(program, &size) != success || size == 0) return {};
    std::string out(size, '\0');
    if (get(program, out.data()) != success) return {};
    std::erase(out, '\0');
    return out;
  }

  int (*version_)(int*, int*) = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*arch_count_)(int*) = nullptr;
  int (*archs_)(int*) = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  Size *log_size_ = nullptr, *ptx_size_ = nullptr, *cubin_size_ = nullptr;
  Text *log_ = nullptr, *ptx_ = nullptr, *cubin_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Nvrtc>> Nvrtc::open(const std::filesystem::path& library) { return Loaded::open(library); }

}  // namespace ww::compile
