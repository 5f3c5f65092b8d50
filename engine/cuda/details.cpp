// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <cmath>
#include "cuda/context.h"
#include "cuda/memory.h"
#include "cuda/nvml.h"
#include "profile/datasheet.h"

namespace ww::cuda {
namespace {

struct Lanes {
  int f32 = 0, f64 = 0;  // fused multiply-adds of one multiprocessor per clock; 0: not known
};

// CUDA C++ Programming Guide 13.0, "Arithmetic Instructions", table of the throughput of native arithmetic instructions
// (results per clock cycle per multiprocessor), rows "32-bit" and "64-bit floating-point add, multiply, multiply-add".
Lanes lanes_of(int major, int minor) {
  switch (major * 10 + minor) {
    case 70: return {64, 32};
    case 75: return {64, 2};
    case 80: return {64, 32};
    case 86:
    case 89: return {128, 2};
    case 90: return {128, 64};
    case 100: return {128, 64};
    case 103:
    case 120:
    case 121: return {128, 2};
    default: return {};
  }
}

// As NVML and nvidia-smi write it.
std::string spoken(const CUuuid& id) {
  std::string out = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned char>(id.bytes[i]));
  }
  return out;
}

}  // namespace

Result<profile::DeviceDetails> read_details(Context& context) {
  WW_TRY(enter(context));
  const Driver& d = *context.driver;
  profile::DeviceDetails out;
  out.name = context.name;
  char text[256] = "";
  WW_CU(d.cuDeviceGetName_(text, sizeof text, context.device), "read the GPU's name");
  out.gpu = text;
  CUuuid id{};
  if (d.cuDeviceGetUuid_(&id, context.device) == CUDA_SUCCESS) out.uuid = spoken(id);
  out.cuda = fmt::format("{}.{}", d.version / 1000, d.version % 1000 / 10);
  out.architecture = fmt::format("sm_{}{}", context.major, context.minor);
  Gpu gpu;
  char bus[32] = "";
  if (d.cuDeviceGetPCIBusId_(bus, sizeof bus, context.device) == CUDA_SUCCESS) gpu = Gpu::at(bus);
  out.driver = gpu.driver();
  if (out.driver.empty()) out.driver = driver_release();

  out.multiprocessors = context.multiprocessors;
  out.max_threads_per_sm = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  out.warp_threads = context.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  std::size_t total = 0, free = 0;
  WW_CU(d.cuMemGetInfo_(&free, &total), "tell how much memory there is");
  out.memory = static_cast<std::int64_t>(total);
  out.free_memory = static_cast<std::int64_t>(free + context.pool->unused());
  out.l2 = context.l2_bytes;
  out.shared_per_sm = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  out.max_shared_per_block = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  out.registers_per_sm = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);

  // The highest clocks: NVML knows the boost clock; the driver's attributes (kHz) may hold a lower, usual one.
  const auto mhz = [&](CUdevice_attribute which) {
    const int khz = context.attribute(which);
    return khz > 0 ? khz / 1000.0 : profile::unknown;
  };
  out.sm_max_mhz = std::fmax(gpu.max_sm_mhz(), mhz(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
  out.memory_max_mhz = std::fmax(gpu.max_memory_mhz(), mhz(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
  if (const int bits = context.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH); bits > 0)
    out.memory_bus_bits = bits;
  // Two transfers per clock and line (double data rate), eight bits a byte.
  out.peak_bandwidth = out.memory_max_mhz * 1e6 * 2 * out.memory_bus_bits / 8;
  const Lanes lanes = lanes_of(context.major, context.minor);
  const double per_lane = 2 * out.sm_max_mhz * 1e6 * context.multiprocessors;  // a fused multiply-add is two operations
  if (lanes.f32 > 0) out.peak_f32 = per_lane * lanes.f32, out.peak_f64 = per_lane * lanes.f64;

  if (const auto sheet = profile::datasheet(out.gpu)) {
    out.datasheet = sheet->rates;
    out.datasheet_source = sheet->source;
  } else {
    out.datasheet_source = sheet.error().message;
  }
  return out;
}

}  // namespace ww::cuda
