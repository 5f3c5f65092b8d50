// SPDX-License-Identifier: Apache-2.0
#include "compile/nvjitlink.h"
#include <fmt/format.h>
#include "compile/library.h"

namespace ww::compile {
namespace {

struct HandleTag;
using Handle = HandleTag*;
constexpr int success = 0, input_ptx = 2;  // NVJITLINK_SUCCESS, NVJITLINK_INPUT_PTX

class Loaded final : public NvJitLink {
 public:
  static Result<std::unique_ptr<NvJitLink>> open(const std::filesystem::path& path) {
    const auto library = WW_TRY(Library::open(path));
    auto n = std::make_unique<Loaded>();
    const bool complete =
        library.find("nvJitLinkCreate", n->create_) && library.find("nvJitLinkDestroy", n->destroy_) &&
        library.find("nvJitLinkAddData", n->add_) && library.find("nvJitLinkComplete", n->complete_) &&
        library.find("nvJitLinkGetErrorLogSize", n->error_size_) && library.find("nvJitLinkGetErrorLog", n->error_) &&
        library.find("nvJitLinkGetInfoLogSize", n->info_size_) && library.find("nvJitLinkGetInfoLog", n->info_) &&
        library.find("nvJitLinkGetLinkedCubinSize", n->cubin_size_) &&
        library.find("nvJitLinkGetLinkedCubin", n->cubin_);
    if (!complete) return fail(Code::unavailable, "'" + path.string() + "' lacks functions that are needed");
    return std::unique_ptr<NvJitLink>(std::move(n));
  }

  Result<Assembled> assemble(const std::string& ptx, const std::vector<std::string>& options) const override {
    std::vector<const char*> flags;
    for (const std::string& o : options) flags.push_back(o.c_str());
    Handle handle = nullptr;
    if (const int s = create_(&handle, static_cast<std::uint32_t>(flags.size()), flags.data()); s != success)
      return fail(Code::unsupported,
                  fmt::format("nvJitLink refused the options {} (status {})", fmt::join(options, " "), s));
    struct Owner {
      const Loaded& n;
      Handle h;
      ~Owner() { n.destroy_(&h); }
    } owner{*this, handle};
    Assembled out;
    int status = add_(handle, input_ptx, ptx.c_str(), ptx.size() + 1, "candidate.ptx");  // with the closing NUL
    if (status == success) status = complete_(handle);
    out.log = text(handle, error_size_, error_) + text(handle, info_size_, info_);
    std::size_t size = 0;
    if (status == success && cubin_size_(handle, &size) == success) {
      out.cubin.resize(size);
      out.done = cubin_(handle, out.cubin.data()) == success;
    }
    return out;
  }

 private:
  using Size = int(Handle, std::size_t*);
  static std::string text(Handle handle, Size* size_of, int (*get)(Handle, char*)) {
    std::size_t size = 0;
    if (size_of(handle, &size) != success || size == 0) return {};
    std::string out(size + 1, '\0');
    if (get(handle, out.data()) != success) return {};
    std::erase(out, '\0');
    return out;
  }

  int (*create_)(Handle*, std::uint32_t, const char**) = nullptr;
  int (*destroy_)(Handle*) = nullptr;
  int (*add_)(Handle, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete_)(Handle) = nullptr;
  Size *error_size_ = nullptr, *info_size_ = nullptr, *cubin_size_ = nullptr;
  int (*error_)(Handle, char*) = nullptr;
  int (*info_)(Handle, char*) = nullptr;
  int (*cubin_)(Handle, void*) = nullptr;
};

}  // namespace

Result<std::unique_ptr<NvJitLink>> NvJitLink::open(const std::filesystem::path& library) {
  return Loaded::open(library);
}

}  // namespace ww::compile
