// SPDX-License-Identifier: Apache-2.0
#include "library.h"
#include <dlfcn.h>
#include <string>
#include <vector>
#include "base/cuda_folder.h"
#include "base/files.h"

namespace ww::cublas {
namespace {

std::vector<std::string> places() {
  const std::string file = "libcublas.so.13";
  std::vector<std::string> out;
  for (const auto& [folder, variable] : named_cuda_folders())
    for (const char* d : {"lib64", "lib"}) out.push_back((folder / d / file).string());
  for (const char* d : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) out.push_back(d + file);
  out.push_back(
      (cache_dir() / "cuda/nvidia/cu13/lib" / file).string());  // NVIDIA's wheels, where packaging installs them
  out.push_back(file);                                          // wherever the loader looks
  return out;
}

Result<Library> load() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return fail(Code::unavailable, "there is no NVIDIA driver here (libcuda.so.1)");
  void* blas = nullptr;
  std::string why;
  for (const std::string& place : places()) {
    dlerror();
    blas = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (blas) break;
    if (const char* e = dlerror()) why = e;
  }
  if (!blas)
    return fail(
        Code::unavailable,
        "cuBLAS (libcublas.so.13) was not found: install the CUDA toolkit 13 and set WARPWRIGHT_CUDA to its folder",
        why);
  Library l;
  std::string missing;
  const auto take = [&](auto& f, void* from, const char* name) {
    f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(from, name));
    if (!f) missing = name;
  };
  take(l.create, blas, "cublasCreate_v2");
  take(l.destroy, blas, "cublasDestroy_v2");
  take(l.version, blas, "cublasGetVersion_v2");
  take(l.set_stream, blas, "cublasSetStream_v2");
  take(l.set_workspace, blas, "cublasSetWorkspace_v2");
  take(l.set_math, blas, "cublasSetMathMode");
  take(l.status_text, blas, "cublasGetStatusString");
  take(l.gemm, blas, "cublasGemmEx");
  take(l.gemm_batched, blas, "cublasGemmStridedBatchedEx");
  take(l.sgemv, blas, "cublasSgemv_v2");
  take(l.dgemv, blas, "cublasDgemv_v2");
  take(l.allocate, driver, "cuMemAlloc_v2");
  take(l.release, driver, "cuMemFree_v2");
  take(l.create_stream, driver, "cuStreamCreate");
  take(l.destroy_stream, driver, "cuStreamDestroy_v2");
  take(l.synchronize, driver, "cuStreamSynchronize");
  if (!missing.empty()) return fail(Code::unavailable, "the cuBLAS or driver found here lacks " + missing);
  return l;
}

}  // namespace

Result<const Library*> library() {
  static const Library loaded = WW_TRY(load());
  return &loaded;
}

}  // namespace ww::cublas
