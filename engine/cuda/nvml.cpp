// SPDX-License-Identifier: Apache-2.0
// Declarations and values follow NVIDIA's NVML API Reference Guide (R580); its header is not needed to build.
#include "cuda/nvml.h"
#include <array>
#include <map>
#include <mutex>
#include "compile/library.h"

namespace ww::cuda {
namespace {

using Handle = void*;                          // nvmlDevice_t
using NvmlReturn = int;                        // nvmlReturn_t; 0: NVML_SUCCESS
constexpr int clock_sm = 1, clock_memory = 2;  // nvmlClockType_t
constexpr int sensor_gpu = 0;                  // nvmlTemperatureSensors_t

struct Nvml {
  bool good = false;
  std::string why_not;
  NvmlReturn (*by_bus)(const char*, Handle*) = nullptr;
  NvmlReturn (*clock)(Handle, int, unsigned*) = nullptr;
  NvmlReturn (*max_clock)(Handle, int, unsigned*) = nullptr;
  NvmlReturn (*temperature)(Handle, int, unsigned*) = nullptr;
  NvmlReturn (*power)(Handle, unsigned*) = nullptr;  // milliwatts
  NvmlReturn (*reasons)(Handle, unsigned long long*) = nullptr;
  NvmlReturn (*uuid)(Handle, char*, unsigned) = nullptr;
  NvmlReturn (*driver)(char*, unsigned) = nullptr;
  const char* (*text)(NvmlReturn) = nullptr;

  Nvml() {
    const auto library = compile::Library::open("libnvidia-ml.so.1");
    if (!library) {
      why_not = "there is no NVML (libnvidia-ml.so.1)";
      return;
    }
    NvmlReturn (*init)() = nullptr;
    library->find("nvmlErrorString", text);
    if (!library->find("nvmlInit_v2", init) || !library->find("nvmlDeviceGetHandleByPciBusId_v2", by_bus)) {
      why_not = "libnvidia-ml.so.1 is not a known version of NVML";
      return;
    }
    library->find("nvmlDeviceGetClockInfo", clock);
    library->find("nvmlDeviceGetMaxClockInfo", max_clock);
    library->find("nvmlDeviceGetTemperature", temperature);
    library->find("nvmlDeviceGetPowerUsage", power);
    if (!library->find("nvmlDeviceGetCurrentClocksEventReasons", reasons))
      library->find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
    library->find("nvmlDeviceGetUUID", uuid);
    library->find("nvmlSystemGetDriverVersion", driver);
    if (const NvmlReturn code = init(); code != 0)
      why_not = "NVML does not start: " + reason(code);
    else
      good = true;
  }
  std::string reason(NvmlReturn code) const { return text ? text(code) : "error " + std::to_string(code); }
};

const Nvml& nvml() {
  static const Nvml n;
  return n;
}

template <class F, class... A>
double reading(F function, A... arguments) {
  unsigned value = 0;
  return function && function(arguments..., &value) == 0 ? value : profile::unknown;
}

}  // namespace

Gpu Gpu::at(const std::string& pci_bus_id) {
  static std::mutex mutex;
  static std::map<std::string, Gpu> found;
  const Nvml& n = nvml();
  Gpu g;
  if (!n.good) {
    g.why_not_ = n.why_not;
    return g;
  }
  const std::lock_guard lock(mutex);
  if (const auto known = found.find(pci_bus_id); known != found.end()) return known->second;
  if (const NvmlReturn code = n.by_bus(pci_bus_id.c_str(), &g.handle_); code != 0) {
    g.handle_ = nullptr;
    g.why_not_ = "NVML does not know the GPU at " + pci_bus_id + ": " + n.reason(code);
    return g;
  }
  return found[pci_bus_id] = g;
}

profile::ClockState Gpu::clocks() const {
  profile::ClockState s;
  if (!handle_) return s;
  const Nvml& n = nvml();
  s.sm_mhz = reading(n.clock, handle_, clock_sm);
  s.memory_mhz = reading(n.clock, handle_, clock_memory);
  s.temperature_c = reading(n.temperature, handle_, sensor_gpu);
  s.power_w = reading(n.power, handle_) / 1000;
  unsigned long long bits = 0;
  if (n.reasons && n.reasons(handle_, &bits) == 0) s.throttle = bits;
  return s;
}

double Gpu::max_sm_mhz() const { return handle_ ? reading(nvml().max_clock, handle_, clock_sm) : profile::unknown; }
double Gpu::max_memory_mhz() const {
  return handle_ ? reading(nvml().max_clock, handle_, clock_memory) : profile::unknown;
}

std::string Gpu::uuid() const {
  std::array<char, 128> text{};
  return handle_ && nvml().uuid && nvml().uuid(handle_, text.data(), text.size()) == 0 ? std::string(text.data())
                                                                                       : std::string();
}

std::string Gpu::driver() const {
  std::array<char, 128> text{};
  return handle_ && nvml().driver && nvml().driver(text.data(), text.size()) == 0 ? std::string(text.data())
                                                                                  : std::string();
}

}  // namespace ww::cuda
