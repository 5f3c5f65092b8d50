// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#include "base/cuda_folder.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "commands.h"
#include "compile/cutlass.h"
#include "compile/header_families.h"
#include "console.h"
#include "explore/generators.h"
#include "generator/names.h"
#include "rpc/worker_report.h"
#include "llm/catalogue.h"
#include "llm/providers.h"
#include "output.h"
#include "rpc/supervisor.h"
#include "rpc/worker_profile.h"
#include "store/database_file.h"
#include "subject.h"
#include "measure/torch.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

struct Finding {
  std::string part;
  bool there = false;
  bool needed = false;  // nothing can be explored without it
  std::string detail;   // what was found, or why not and what to do
  std::string enables;
  enum class Of : std::uint8_t { part, protection, given_up } of = Of::part;
};

Finding driver(int& devices) {
  Finding f{"CUDA driver", false, false, {}, "running and timing kernels on a GPU (device cuda:0)"};
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    f.detail = "no libcuda.so.1: no NVIDIA driver here. Kernels run on the SIMT machine; times cannot be measured";
    return f;
  }
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(library, "cuDeviceGetName"));
  if (!init || !count || !name) {
    f.detail = "libcuda.so.1 lacks the driver's functions; reinstall the driver";
  } else if (const int code = init(0); code != 0 || count(&devices) != 0 || devices == 0) {
    f.detail =
        fmt::format("the driver is installed but offers no GPU (cuInit: {}). Kernels run on the SIMT machine", code);
  } else {
    f.there = true;
    for (int i = 0; i < devices; ++i) {
      char text[128] = "";
      if (name(text, sizeof text - 1, i) == 0) f.detail += fmt::format("{}cuda:{} {}", i ? ", " : "", i, text);
    }
  }
  return f;
}

bool may_write(
    // tries it, because permissions alone do not show it (read-only and special file systems)
    const fs::path& folder) {
  std::string name = (folder / ".warpwright-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) return false;
  ::close(fd);
  ::unlink(name.c_str());
  return true;
}

Finding workspace(const Common& common) {
  Finding f{"workspace", false, true, {}, "keeping every candidate and verdict"};
  const fs::path folder = common.workspace.empty() ? store::default_workspace() : common.workspace;
  std::error_code ec;
  if (fs::exists(store::database_of(folder), ec)) {
    const Result<std::unique_ptr<store::Workspace>> w = store::Workspace::open(folder, Access::read);
    f.there = w.has_value();
    f.detail = w ? folder.string() : w.error().text();
    return f;
  }
  fs::path existing = fs::absolute(folder, ec);
  while (!fs::exists(existing, ec) && existing.has_relative_path()) existing = existing.parent_path();
  f.there = may_write(existing);
  f.detail = f.there ? folder.string() + " (the first exploration creates it)"
                     : "'" + folder.string() + "' cannot be created: '" + existing.string() +
                           "' is not a writable folder; choose another with --workspace";
  return f;
}

// Each sandbox protection, with what it blocks.
void add_sandbox(const std::vector<Protection>& sandbox, std::vector<Finding>& findings) {
  if (sandbox.empty())
    findings.push_back({"sandbox", false, false, "the worker reports no protections",
                        "isolating the compilation and execution of candidates", Finding::Of::protection});
  for (const Protection& p : sandbox)
    findings.push_back(
        {p.name, p.active, false, (p.active ? "on" : "off") + (p.detail.empty() ? std::string() : ": " + p.detail),
         "keeping the worker from " + p.effect, p.given_up ? Finding::Of::given_up : Finding::Of::protection});
}

constexpr const char* probe_spec = "op probe(x: f32[N]) -> y: f32[N]\n  default N = 4096\n{\n  y[i] = x[i]\n}\n";
constexpr const char* probe_kernel =
    "//@ candidate probe\n//@ launch probe grid(ceildiv(N, 256)) block(256) args(x, y, N)\n"
    "extern \"C\" __global__ void probe(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + "
    "threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n";
constexpr const char* product_spec =
    "op product(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N]\n  default N = 64\n{\n  y[i, j] = sum(k) a[i, k] * b[k, "
    "j]\n}\n";

std::string amount(double value, const char* unit) {
  return std::isfinite(value) ? fmt::format("{:.3g} {}", value, unit) : "unknown " + std::string(unit);
}

Finding ceilings_of(rpc::Supervisor& worker, rpc::DeviceRequest request, const rpc::DeviceReply& reply, Json& device) {
  // Without waiting for a measurement: requested only if an earlier one is cached.
  const bool kept = worker.keeps_ceilings(request.name);
  request.ceilings = kept;
  const Result<rpc::DeviceReply> with_ceilings = kept ? worker.device(request) : reply;
  Finding ceilings{"ceilings", with_ceilings && with_ceilings->ceilings, false, {}, "the roofline's measured rates"};
  if (ceilings.there) {
    const profile::Ceilings& c = *with_ceilings->ceilings;
    ceilings.detail = fmt::format("{} copied, {} from L2, {} from L1", amount(c.copy_bandwidth / 1e9, "GB/s"),
                                  amount(c.l2_bandwidth / 1e12, "TB/s"), amount(c.l1_bandwidth / 1e12, "TB/s"));
    for (const auto& [type, rate] : c.matrix_rate)
      ceilings.detail += fmt::format(", {} {}", type, amount(rate / 1e12, "TFLOP/s"));
    ceilings.detail += fmt::format(" (measured {})", c.measured);
    device["ceilings"] = json::of(c);
  } else {
    ceilings.detail = "not measured yet; the first timing measures them, which takes a few seconds";
    device["ceilings"] = nullptr;
  }
  return ceilings;
}

Finding counters_of(rpc::Supervisor& worker, const std::string& name) {
  rpc::CountRequest count;
  count.spec = probe_spec;
  count.candidate = probe_kernel;
  count.device = name;
  const Result<profile::CounterReport> counted = worker.count(count);
  Finding counters{"counters",
                   counted && counted->why_not.empty(),
                   false,
                   {},
                   "sectors, bank conflicts, stalls … by 'profile'; without them: times, occupancy and the roofline"};
  counters.detail =
      !counted ? counted.error().text()
      : counted->why_not.empty()
          ? fmt::format("allowed ({} of the small set in {:.2f} s)",
                        counted->kernels.empty() ? 0 : counted->kernels.front().values.size(), counted->seconds)
          : counted->why_not;
  return counters;
}

Finding blas_of(rpc::Supervisor& worker, const std::string& name) {
  rpc::TimeRequest timing;
  timing.spec = product_spec;
  timing.device = name;
  timing.rounds = timing.samples = 1;
  timing.verify = false;
  timing.subjects.push_back({"cublas", "", candidate::Language::cuda, "cublas"});
  const Result<rpc::TimeReply> timed = worker.time(timing);
  Finding blas{"cuBLAS",
               timed && !timed->subjects.empty() && timed->subjects.front().error.empty(),
               false,
               {},
               "the baseline of matrix products, and their ceilings"};
  blas.detail = !timed                    ? timed.error().text()
                : timed->subjects.empty() ? "the worker did not answer"
                : blas.there              ? timed->subjects.front().note
                                          : timed->subjects.front().error;
  return blas;
}

// One GPU: its facts, whether its counters may be read, whether cuBLAS and PyTorch work on it. Tried, not guessed.
void add_gpu(const std::string& name, std::vector<Finding>& findings, Json& devices) {
  rpc::WorkerOptions options;
  options.profile = rpc::worker_profile(name);
  options.baselines = true;
  rpc::Supervisor worker(options);
  Finding gpu{"GPU " + name, false, false, {}, "running, timing and counting candidates (--device " + name + ")"};
  rpc::DeviceRequest request;
  request.name = name;
  const Result<rpc::DeviceReply> reply = worker.device(request);
  if (!reply) {
    gpu.detail = reply.error().text();
    findings.push_back(std::move(gpu));
    return;
  }
  const profile::DeviceDetails& d = reply->details;
  gpu.there = true;
  gpu.detail = fmt::format(
      "{} ({}), driver {}, CUDA {}, {} multiprocessors, {:.1f} of {:.1f} GiB free, {}, {} memory, L2 {:.0f} MiB", d.gpu,
      d.architecture, d.driver.empty() ? "unknown" : d.driver, d.cuda, d.multiprocessors,
      static_cast<double>(d.free_memory) / (1 << 30), static_cast<double>(d.memory) / (1 << 30),
      amount(d.sm_max_mhz, "MHz at most"), amount(d.memory_max_mhz, "MHz"), static_cast<double>(d.l2) / (1 << 20));
  findings.push_back(std::move(gpu));
  Json device = json::of(d);

  Finding nvml{
      "NVML", std::isfinite(d.sm_max_mhz), false, {}, "clocks, temperature and throttle reasons beside each time"};
  nvml.detail = nvml.there ? "clocks can be read"
                           : "clocks cannot be read (libnvidia-ml.so.1 is missing): times are reported without them";
  findings.push_back(std::move(nvml));

  findings.push_back(ceilings_of(worker, request, *reply, device));
  findings.push_back(counters_of(worker, name));
  findings.push_back(blas_of(worker, name));
  const Result<std::unique_ptr<measure::TorchHelper>> torch = measure::TorchHelper::start(name);
  findings.push_back({"PyTorch", torch.has_value(), false,
                      torch ? (*torch)->version() + " (" + (*torch)->python() + ")" : torch.error().text(),
                      "the baselines torch eager and torch.compile"});
  devices.push_back(std::move(device));
}

// What asking models needs. libcurl is not linked here: the provider plugins bring it along.
void add_models(std::vector<Finding>& findings) {
  const Result<llm::Catalogue> catalogue = llm::Catalogue::load();
  std::error_code ec;
  const bool own = fs::exists(llm::Catalogue::own_file(), ec);
  findings.push_back({"models", catalogue.has_value(), false,
                      catalogue ? fmt::format("{} services, {} models listed{}", catalogue->presets().size(),
                                              catalogue->models().size(),
                                              own ? ", including your own " + llm::Catalogue::own_file().string() : "")
                                : catalogue.error().text(),
                      "proposing candidates by language models (explore --model); 'warpwright-cli models' lists them"});
  const std::vector<std::string> usable = llm::list_providers();
  std::string names, refused;
  for (const std::string& name : usable) names += (names.empty() ? "" : ", ") + name;
  for (const llm::RefusedProvider& r : llm::refused_providers())
    refused += "; refused " + r.file.filename().string() + ": " + r.reason;
  findings.push_back(
      {"providers", !usable.empty(), false,
       (names.empty() ? "none in " + (plugins_dir() / "providers").lexically_normal().string() : names) + refused,
       "talking to services and local servers"});
  Finding http{"HTTP and TLS", false, false, "no provider plugin loaded libcurl",
               "reaching them over the network, always with verified certificates"};
  if (void* curl = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    const auto version = reinterpret_cast<const char* (*)()>(dlsym(curl, "curl_version"));
    http.there = version != nullptr;
    if (version) http.detail = version();
    dlclose(curl);
  }
  findings.push_back(std::move(http));
  Finding keys{"keys", false, false, {}, "services that require one; servers on this machine need none"};
  std::string wanted;
  for (const llm::Preset& p : catalogue ? catalogue->presets() : std::vector<llm::Preset>()) {
    if (const Secret key = llm::key_for(p); !key.empty())
      keys.detail += (keys.detail.empty() ? "" : ", ") + p.endpoint.preset + " " + key.hint();
    else if (p.key_needed && wanted.find(p.key_variable) == std::string::npos)
      wanted += (wanted.empty() ? "" : ", ") + p.key_variable;
  }
  keys.there = !keys.detail.empty();
  if (!keys.there) keys.detail = "none known; they come from the environment: " + wanted;
  findings.push_back(std::move(keys));
}

std::string header_family_text(const compile::HeaderFamily& f, const std::string& cuda) {
  const std::string version = f.version.empty() ? std::string() : "version " + f.version;
  if (f.of_toolkit) return !f.there ? "not found in the CUDA headers" : version.empty() ? "of CUDA " + cuda : version;
  if (f.there) return f.folder.string() + (version.empty() ? "" : " (" + version + ")");
  const char* named = std::getenv(compile::cutlass_variable);
  if (named && *named) return fmt::format("${} has none: '{}'", compile::cutlass_variable, named);
  return fmt::format("not found: set ${} to a folder of CUTLASS", compile::cutlass_variable);
}

void add_header_families(std::vector<Finding>& findings, const compile::Toolkit& toolkit) {
  const Result<std::vector<compile::HeaderFamily>> families = compile::header_families(toolkit);
  if (!families) {
    findings.push_back({"allowed headers", false, false, families.error().text(), "headers in candidates"});
    return;
  }
  for (const compile::HeaderFamily& f : *families)
    findings.push_back({f.name, f.there, false, header_family_text(f, toolkit.nvrtc_version),
                        "<" + f.header + "> and related headers in candidates"});
}

void add_tools(std::vector<Finding>& findings) {
  const Result<compile::Toolkit> toolkit = compile::find_toolkit();
  const auto tool = [&](const char* part, bool needed, const fs::path& path, const std::string& extra,
                        const char* missing, const char* enables) {
    findings.push_back(
        {part, !path.empty(), needed, path.empty() ? std::string(missing) : path.string() + extra, enables});
  };
  const compile::Toolkit none;
  const compile::Toolkit& t = toolkit ? *toolkit : none;
  tool("NVRTC", true, t.nvrtc, t.nvrtc_version.empty() ? "" : " (CUDA " + t.nvrtc_version + ")",
       toolkit ? "not found" : toolkit.error().text().c_str(), "compiling CUDA C++ candidates");
  for (const NamedCudaFolder& named : named_cuda_folders()) {
    if (t.nvrtc.string().starts_with(named.folder.lexically_normal().string())) break;
    findings.push_back({named.variable, false, false, "'" + named.folder.string() + "' has no NVRTC, so it is skipped",
                        "choosing the CUDA toolkit"});
  }
  tool("CUDA headers", false, t.headers, "", "not found: candidates cannot include any header",
       "cuda_fp16.h and other device headers in candidates");
  add_header_families(findings, t);
  tool("ptxas", false, t.ptxas, "",
       "not found: register and spill counts come from NVRTC's own assembler, or are unknown",
       "register, shared memory and spill counts");
  tool("nvdisasm", false, t.nvdisasm, "", "not found: machine code (SASS) is not shown",
       "machine code beside the source");
}

void add_generators(std::vector<Finding>& findings) {
  const explore::GeneratorList generators = explore::list_generators();
  bool search = false;
  std::string names;
  for (const explore::GeneratorEntry& e : generators.usable) {
    search = search || e.name == generator::search;
    names += (names.empty() ? "" : ", ") + e.name;
  }
  for (const explore::RefusedPlugin& p : generators.refused)
    names += "; refused " + p.file.filename().string() + ": " + p.reason;
  findings.push_back(
      {"generators", search, false,
       names + (search ? "" : "; no search plugin in " + (plugins_dir() / "generators").lexically_normal().string()),
       "proposing candidates; without 'search' only your own are judged"});
}

// A protection that is off does not look like a tool that is merely not installed.
std::string mark_of(const Finding& f) {
  if (f.there) return coloured(Colour::green, "ok     ");
  if (f.needed) return coloured(Colour::red, "MISSING");
  if (f.of == Finding::Of::protection) return coloured(Colour::red, "OFF    ");
  return coloured(Colour::yellow, f.of == Finding::Of::given_up ? "off    " : "absent ");
}

std::string findings_text(const std::vector<Finding>& findings, const Result<rpc::WorkerReport>& worker) {
  std::string out;
  for (const Finding& f : findings) {
    out += fmt::format("{}  {:<19}{}\n", mark_of(f), f.part, safe(f.detail));
    out += fmt::format("{:28}{}\n", "", coloured(Colour::dim, "for " + f.enables));
  }
  if (worker)
    for (const rpc::WorkerDevice& d : worker->devices)
      out += fmt::format("device   {:<19}{}\n", safe(d.name),
                         safe(d.error.empty() ? d.description + " (" + enum_string(d.provenance) + ")"
                                              : "cannot be used: " + d.error));
  return out;
}

// For a worker that did not start: building it only helps if it is missing.
std::string worker_remedy() {
  return ::access(worker_program().c_str(), X_OK) == 0 ? "" : "; build warpwright-worker or set WARPWRIGHT_WORKER";
}

int doctor(const Common& common) {
  std::vector<Finding> findings;
  rpc::Supervisor supervisor;
  const Result<rpc::WorkerReport> worker = supervisor.describe();
  findings.push_back({"worker", worker.has_value(), true,
                      worker ? worker_program().string() : worker.error().text() + worker_remedy(),
                      "compiling and running candidates in a separate process"});
  const std::vector<Protection> protections = worker ? worker->protections : std::vector<Protection>();
  if (worker) add_sandbox(protections, findings);

  add_tools(findings);
  int gpus = 0;
  findings.push_back(driver(gpus));
  Json devices = Json::array();
  for (int i = 0; worker && i < gpus; ++i) add_gpu("cuda:" + std::to_string(i), findings, devices);

  add_generators(findings);
  add_models(findings);
  const Result<op::Library> library = op_library();
  findings.push_back(
      {"resources", library.has_value(), true,
       library ? fmt::format("{} ({} ops)", resources_dir().string(), library->ops().size()) : library.error().text(),
       "the op library and its phrases, ranking rules, reports"});
  findings.push_back(workspace(common));

  bool usable = true;
  for (const Finding& f : findings) usable = usable && (f.there || !f.needed);
  if (common.json) {
    Json list = Json::array();
    for (const Finding& f : findings)
      list.push_back(
          {{"part", f.part}, {"there", f.there}, {"needed", f.needed}, {"detail", f.detail}, {"enables", f.enables}});
    print_json(common, {{"usable", usable},
                        {"parts", list},
                        {"worker", worker ? json::of(*worker) : Json(nullptr)},
                        {"devices", devices}});
  } else {
    std::string out = findings_text(findings, worker) + '\n';
    if (worker) out += safe(rpc::protections_text(protections)) + '\n';
    const bool weak = worker && !rpc::missing_text(protections).empty();
    out +=
        !usable ? "Warpwright cannot work here: see MISSING.\n"
        : weak
            ? "Warpwright can work here, with a weaker sandbox: see OFF. With --require-sandbox it would refuse to.\n"
            : "Warpwright can work here.\n";
    print_text(out);
  }
  return usable ? Exit::done : Exit::environment;
}

}  // namespace

void add_doctor(Commands& commands) {
  commands.add("doctor", "shows what is installed, what is missing, and what each part enables", doctor);
}

}  // namespace ww::cli
