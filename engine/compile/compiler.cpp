// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include "base/architecture.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "candidate/text.h"
#include "compile/compile.h"
#include "compile/cutlass.h"
#include "compile/headers.h"
#include "compile/nvjitlink.h"
#include "compile/nvrtc.h"
#include "compile/output_bytes.h"
#include "compile/resources.h"
#include "compile/screen.h"
#include "ptx/lines.h"

namespace ww::compile {
namespace fs = std::filesystem;
namespace {

constexpr const char* file_name = "candidate.cu";
constexpr std::size_t max_log = 64 << 10;  // bytes of the compiler's log that are kept

void shorten(std::string& log) {
  if (log.size() <= max_log) return;
  log.resize(log.rfind('\n', max_log) + 1);
  log += "… (the rest of the log is left out)\n";
}

// NVRTC writes source names into ".file" lines below its working folder, which must stay private.
std::string without_folder(std::string text) {
  std::error_code ec;
  const std::string folder = fs::current_path(ec).string();
  if (ec || folder.empty()) return text;
  const std::string prefix = folder + (folder.back() == '/' ? "" : "/");
  std::vector<std::size_t> places;
  for (const ptx::SourceFile& f : ptx::parse(text).files)
    if (f.name.starts_with(prefix)) places.push_back(static_cast<std::size_t>(f.name.data() - text.data()));
  for (auto at = places.rbegin(); at != places.rend(); ++at) text.erase(*at, prefix.size());
  return text;
}

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(Toolkit toolkit, std::unique_ptr<Nvrtc> nvrtc, std::unique_ptr<HeaderLibrary> headers,
                std::shared_ptr<ResultCache> kept)
      : toolkit_(std::move(toolkit)),
        nvrtc_(std::move(nvrtc)),
        headers_(std::move(headers)),
        kept_(std::move(kept)),
        architectures_(nvrtc_->architectures()) {
    if (!toolkit_.nvjitlink.empty()) {
      auto j = NvJitLink::open(toolkit_.nvjitlink);
      if (j)
        jitlink_ = std::move(*j);
      else
        log::warn(j.error().text());
    }
    std::error_code ec;
    // The version has only two components; the library's size distinguishes its builds.
    identity_ = fmt::format("{} {} {}", compiler_name(), fs::file_size(toolkit_.nvrtc, ec),
                            jitlink_ ? fs::file_size(toolkit_.nvjitlink, ec) : 0);
    if (auto list = read_file(resources_dir() / "devices/headers.txt")) identity_ += hash_hex(*list);
  }

  Result<Output> compile(const Request& request) override {
    WW_TRY(check(request));
    const std::string key = key_of(request);
    if (const auto bytes = kept_ ? kept_->load(key) : std::nullopt)
      if (auto earlier = output_of_bytes(*bytes)) return std::move(*earlier);
    const auto begin = std::chrono::steady_clock::now();
    auto out = request.language == candidate::Language::cuda ? cuda(request) : ptx(request);
    if (!out) return out;
    out->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    shorten(out->log);
    if (kept_) kept_->store(key, output_bytes(*out));
    return out;
  }

  void preload() override {
    headers_->preload();
    if (auto done = nvrtc_->compile("__global__ void k() {}", file_name, {}, {"--gpu-architecture=sm_80"}); !done)
      log::warn(done.error().text());
  }

  const Toolkit& toolkit() const override { return toolkit_; }
  ResultCache* kept() const override { return kept_.get(); }
  std::vector<std::string> headers() const override { return headers_->names(); }

 private:
  std::string compiler_name() const { return "NVRTC " + toolkit_.nvrtc_version; }

  Status check(const Request& r) const {
    const std::optional<Architecture> arch = read_architecture(r.architecture);
    if (!arch) return fail(Code::invalid_argument, no_architecture(r.architecture));
    if (std::find(architectures_.begin(), architectures_.end(), arch->capability) == architectures_.end())
      return fail(Code::unsupported, fmt::format("{} cannot compile for {}; it knows sm_{}", compiler_name(),
                                                 r.architecture, fmt::join(architectures_, ", sm_")));
    if (auto good = candidate::check_text(r.code); !good) return good;
    for (const std::string& o : r.options)
      if (auto good = candidate::check_option(o); !good) return good;
    return {};
  }

  std::string key_of(const Request& r) const {
    Hasher h;
    h.field("compile 4")
        .field(identity_)
        .field(candidate::language_name(r.language))
        .field(r.architecture)
        .field(r.resources ? "resources" : "")
        .field(r.debug ? "debug" : "");
    std::vector<std::string> options = r.options;
    std::sort(options.begin(), options.end());
    for (const std::string& o : options) h.field(o);
    h.field("defines");
    for (const auto& [name, value] : r.defines) h.field(name).field(std::to_string(value));
    add_cutlass(h, r);
    return h.field("code").field(r.code).hex();
  }

  // Its folder may be a checkout that is worked on: what is read of it counts, not its version. Where this fails, the
  // compilation does, too.
  void add_cutlass(Hasher& h, const Request& r) const {
    if (r.language != candidate::Language::cuda || toolkit_.cutlass.empty()) return;
    const auto includes = screened(r.code);
    if (!includes || std::none_of(includes->begin(), includes->end(), is_cutlass_name)) return;
    if (const auto headers = headers_->closure(*includes))
      for (const NamedText& t : *headers)
        if (is_cutlass_name(t.name)) h.field(t.name).field(t.text);
  }

  Result<std::vector<std::string>> screened(const std::string& code) const {
    return screen(code, [this](const std::string& name) { return headers_->allowed(name); });
  }

  Result<Output> cuda(const Request& r) {
    const auto includes = WW_TRY(screened(r.code));
    const auto headers = WW_TRY(headers_->closure(includes));
    std::vector<std::string> options{
        fmt::format("--gpu-architecture={}_{}", r.resources ? "sm" : "compute", r.architecture.substr(3)),
        "--std=c++17", r.debug ? "--device-debug" : "--generate-line-info", "--device-as-default-execution-space",
        "--no-source-include"};
    if (r.resources) options.push_back("--ptxas-options=-v");
    options.push_back("--define-macro=INFINITY=__int_as_float(0x7f800000)");  // of <math.h>, which NVRTC does not have
    options.push_back("--define-macro=NAN=__int_as_float(0x7fffffff)");
    for (const std::string& o : r.options) options.push_back(o == "fast-math" ? "--use_fast_math" : "--" + o);
    for (const auto& [name, value] : r.defines) options.push_back(fmt::format("--define-macro={}={}", name, value));
    auto done = WW_TRY(nvrtc_->compile(r.code, file_name, headers, options));
    AssemblerLog log = read_assembler_log(done.log);
    if (done.status != 0) {
      shorten(log.rest);
      return fail(Code::compile, first_error(log.rest), log.rest);
    }
    Output out;
    out.ptx = without_folder(std::move(done.ptx));
    out.cubin = std::move(done.cubin);
    out.resources = std::move(log.kernels);
    out.log = std::move(log.rest);
    out.compiler = compiler_name();
    return out;
  }

  Result<Output> ptx(const Request& r) {
    Output out;
    out.ptx = ptx::without_line_information(r.code);
    if (!r.resources) return out;
    if (!jitlink_) {
      out.log = "no resources: nvJitLink was not found\n";
      return out;
    }
    std::vector<std::string> options{"-arch=" + r.architecture, "-Xptxas=-v"};
    for (const std::string& o : r.options)
      if (o != "fast-math") options.push_back("-" + o);  // arithmetic is already chosen in PTX
    auto done = WW_TRY(jitlink_->assemble(out.ptx, options));
    AssemblerLog log = read_assembler_log(done.log);
    if (!done.done) {
      shorten(log.rest);
      return fail(Code::compile, first_error(log.rest), log.rest);
    }
    out.cubin = std::move(done.cubin);
    out.resources = std::move(log.kernels);
    out.log = std::move(log.rest);
    out.compiler = "nvJitLink " + toolkit_.nvrtc_version;
    return out;
  }

  // The log's first line with an error in it.
  static std::string first_error(const std::string& log) {
    for (const char* word : {"error", "fatal"})
      if (const std::size_t at = log.find(word); at != std::string::npos) {
        const std::size_t begin = log.rfind('\n', at) + 1;
        return log.substr(begin, std::min(log.find('\n', at), log.size()) - begin);
      }
    return "the compiler rejected the candidate";
  }

  const Toolkit toolkit_;
  const std::unique_ptr<Nvrtc> nvrtc_;
  const std::unique_ptr<HeaderLibrary> headers_;
  std::unique_ptr<NvJitLink> jitlink_;
  const std::shared_ptr<ResultCache> kept_;
  const std::vector<int> architectures_;
  std::string identity_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> Compiler::open(std::shared_ptr<ResultCache> kept) {
  auto toolkit = WW_TRY(find_toolkit());
  auto nvrtc = WW_TRY(Nvrtc::open(toolkit.nvrtc));
  auto headers = WW_TRY(HeaderLibrary::open(resources_dir() / "devices/headers.txt",
                                            resources_dir() / "devices/headers", toolkit.headers, toolkit.cutlass));
  return std::make_unique<NvrtcCompiler>(std::move(toolkit), std::move(nvrtc), std::move(headers), std::move(kept));
}

}  // namespace ww::compile
