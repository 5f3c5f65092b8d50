// SPDX-License-Identifier: Apache-2.0
#include "cuda/code.h"
#include <algorithm>
#include <array>
#include "cuda/faults.h"
#include "cuda/memory.h"

namespace ww::cuda {
namespace {

// Loads one image; `log` receives the messages of the driver's compiler.
CUresult load_module(const Driver& driver, const std::string& image, CUmodule& module, std::string& log) {
  std::array<char, 8192> errors{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors.data(), reinterpret_cast<void*>(errors.size())};
  const CUresult code = driver.cuModuleLoadDataEx_(&module, image.c_str(), 2, options, values);
  errors.back() = 0;
  log = errors.data();
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return code;
}

}  // namespace

const device::Entry* Image::entry(const std::string& kernel) const {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const device::Entry& e) { return e.name == kernel; });
  return at == entries.end() ? nullptr : &*at;
}

Result<std::shared_ptr<const Image>> make_image(const compile::Output& output) {
  auto image = std::make_shared<Image>();
  image->ptx = output.ptx;
  image->cubin = output.cubin;
  auto entries = device::read_entries(image->ptx);
  if (!entries) return fail(Code::compile, entries.error().message);
  image->entries = std::move(*entries);
  return std::shared_ptr<const Image>(std::move(image));
}

Result<std::unique_ptr<LoadedCode>> LoadedCode::load(Context& context, std::shared_ptr<const Image> image) {
  const Driver& d = *context.driver;
  CUmodule module = nullptr;
  std::string log;
  CUresult code = CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!image->cubin.empty()) code = load_module(d, image->cubin, module, log);
  const bool other_device = code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_IMAGE;
  if (other_device && !image->ptx.empty()) code = load_module(d, image->ptx, module, log);
  if (code == CUDA_SUCCESS) return std::unique_ptr<LoadedCode>(new LoadedCode(context, std::move(image), module));
  if (classify(code).sticky) return fail(checked(context, code, "load the compiled code").error());
  const std::string cause = d.text(code) + (log.empty() ? "" : "\n" + log);
  switch (code) {
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
      return fail(Code::compile, "the driver does not accept the compiled code", cause);
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
      return fail(Code::unsupported, context.name + " cannot take the compiled code", cause);
    default: return fail(Code::device, "the compiled code could not be loaded on " + context.name, cause);
  }
}

LoadedCode::~LoadedCode() {
  if (!context_.usable) return;
  context_.driver->cuCtxSetCurrent_(context_.context);
  context_.driver->cuModuleUnload_(module_);
}

Result<LoadedCode::Function*> LoadedCode::function(const std::string& kernel) {
  if (const auto at = functions_.find(kernel); at != functions_.end()) return &at->second;
  const Driver& d = *context_.driver;
  Function f;
  const CUresult code = d.cuModuleGetFunction_(&f.handle, module_, kernel.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) return fail(Code::not_found, "the compiled code has no kernel " + kernel);
  WW_TRY(checked(context_, code, "find the kernel " + kernel));
  WW_TRY(checked(context_, d.cuFuncLoad_(f.handle), "load the kernel " + kernel));
  d.cuFuncGetAttribute_(&f.static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f.handle);
  d.cuFuncGetAttribute_(&f.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f.handle);
  d.cuFuncGetAttribute_(&f.max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f.handle);
  return &functions_.emplace(kernel, f).first->second;
}

// The attributes that large shared memory and large clusters need; refusals that can give numbers.
Enqueued LoadedCode::prepare(Function& f, const candidate::PlannedLaunch& launch) {
  const Driver& d = *context_.driver;
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (f.max_threads > 0 && threads > static_cast<std::uint64_t>(f.max_threads))
    return {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "a block of " + std::to_string(threads) + " threads, where " +
                                                    std::to_string(f.max_threads) + " of this kernel fit (" +
                                                    std::to_string(f.registers) +
                                                    " registers per thread, or its own __launch_bounds__)"};
  const auto most =
      static_cast<std::uint64_t>(context_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  if (launch.shared_bytes + static_cast<std::uint64_t>(f.static_shared) > most)
    return {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, bytes_text(launch.shared_bytes + f.static_shared) +
                                                    " of shared memory per block, where the device has " +
                                                    bytes_text(most)};
  if (launch.shared_bytes > f.dynamic_shared && launch.shared_bytes + f.static_shared > 48 << 10) {
    const CUresult code = d.cuFuncSetAttribute_(f.handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                static_cast<int>(launch.shared_bytes));
    if (code != CUDA_SUCCESS) return {code, bytes_text(launch.shared_bytes) + " of dynamic shared memory"};
    f.dynamic_shared = launch.shared_bytes;
  }
  const std::uint64_t cluster = std::uint64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2];
  if (cluster > 1 && context_.major < 9)
    return {CUDA_ERROR_NOT_SUPPORTED, "thread-block clusters, which need compute capability 9.0"};
  if (cluster > 8 && !f.large_clusters) {
    const CUresult code = d.cuFuncSetAttribute_(f.handle, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (code != CUDA_SUCCESS) return {code, "clusters of " + std::to_string(cluster) + " blocks"};
    f.large_clusters = true;
  }
  return {};
}

Result<Enqueued> LoadedCode::enqueue(const candidate::PlannedLaunch& launch, const device::AddressOf& address_of,
                                     CUstream stream) {
  const device::Entry* entry = image_->entry(launch.kernel);
  if (!entry) return fail(Code::not_found, "the compiled code has no kernel " + launch.kernel);
  std::vector<std::byte> block = WW_TRY(device::marshal(launch, entry->parameters, entry->bytes, address_of));
  Function* f = WW_TRY(function(launch.kernel));
  Enqueued out = prepare(*f, launch);
  if (out.code != CUDA_SUCCESS) return out;

  std::vector<void*> parameters;
  for (const device::Parameter& p : entry->parameters) parameters.push_back(block.data() + p.offset);
  CUlaunchAttribute attributes[3] = {};
  CUlaunchConfig config = {};
  config.gridDimX = launch.grid[0], config.gridDimY = launch.grid[1], config.gridDimZ = launch.grid[2];
  config.blockDimX = launch.block[0], config.blockDimY = launch.block[1], config.blockDimZ = launch.block[2];
  config.sharedMemBytes = static_cast<unsigned>(launch.shared_bytes);
  config.hStream = stream;
  config.attrs = attributes;
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
    CUlaunchAttribute& a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a.value.clusterDim.x = launch.cluster[0], a.value.clusterDim.y = launch.cluster[1],
    a.value.clusterDim.z = launch.cluster[2];
  }
  if (launch.cooperative) {
    CUlaunchAttribute& a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    a.value.cooperative = 1;
  }
  if (launch.carveout >= 0) {
    CUlaunchAttribute& a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    a.value.sharedMemCarveout = static_cast<unsigned>(launch.carveout);
  }
  out.code = context_.driver->cuLaunchKernelEx_(&config, f->handle, parameters.data(), nullptr);
  if (out.code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) {
    int resident = 0;
    context_.driver->cuOccupancyMaxActiveBlocksPerMultiprocessor_(
        &resident, f->handle, static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]),
        launch.shared_bytes);
    out.why = std::to_string(std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]) + " blocks, where " +
              std::to_string(resident * context_.multiprocessors) + " run at the same time";
  }
  if (out.code != CUDA_SUCCESS && classify(out.code).sticky) context_.usable = false;
  return out;
}

}  // namespace ww::cuda
