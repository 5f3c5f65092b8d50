// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that launches nothing: it prints what an exported header asks of it, as plan.py does. PARAMETERS: the
// bytes of each kernel's parameters; TENSORS: names by the place that at() gives them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const std::map<std::string, std::vector<int>> parameters = PARAMETERS;
static const std::map<int, std::string> tensors = TENSORS;
static long long carveout = -1;
static bool first = true;

template <class T>
T* at(int place) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(place) << 40);
}
inline long long next(char**& arguments) { return std::atoll(*++arguments); }
inline void begin(bool claimed) { std::printf("{\"claimed\": %s, \"launches\": [", claimed ? "true" : "false"); }
inline void end() { std::printf("]}\n"); }

extern "C" {
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) {
  return *context = at<std::remove_pointer_t<CUcontext>>(1), CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* text) {
  *module = at<std::remove_pointer_t<CUmodule>>(1);
  return std::strstr(static_cast<const char*>(text), ".entry") != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = reinterpret_cast<CUfunction>(const_cast<char*>(parameters.find(name)->first.c_str()));
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) carveout = value;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char value, std::size_t, CUstream) {
  return value == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction function, void** arguments, void**) {
  unsigned cluster[3] = {1, 1, 1};
  for (unsigned i = 0; i < c->numAttrs; ++i)
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      std::memcpy(cluster, &c->attrs[i].value.clusterDim, sizeof cluster);
  std::printf(
      "%s{\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"cluster\": [%u, %u, %u], \"shared\": %u, \"carveout\": "
      "%lld, \"arguments\": [",
      first ? "" : ", ", c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, cluster[0],
      cluster[1], cluster[2], c->sharedMemBytes, carveout);
  first = false;
  carveout = -1;
  const std::vector<int>& bytes = parameters.at(reinterpret_cast<const char*>(function));
  for (std::size_t a = 0; a < bytes.size(); ++a) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[a], static_cast<std::size_t>(bytes[a]));
    std::printf("%s", a == 0 ? "" : ", ");
    const auto tensor = tensors.find(static_cast<int>(value >> 40));
    if (bytes[a] == 8 && value % (1ull << 40) == 0 && tensor != tensors.end()) {
      std::printf("\"%s\"", tensor->second.c_str());
    } else if (bytes[a] == 8 && value >> 40 == 64) {
      std::printf("\"room %llu\"", static_cast<unsigned long long>(value % (1ull << 40)));
    } else {
      for (int b = 0; b < bytes[a]; ++b)
        std::printf("%s%u", b == 0 ? "[" : ", ", static_cast<unsigned>(value >> 8 * b & 255));
      std::printf("]");
    }
  }
  std::printf("]}");
  return CUDA_SUCCESS;
}
}
