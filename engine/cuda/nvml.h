// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library (libnvidia-ml.so.1), loaded at run time: clocks, temperature, power, throttle
// reasons. Loads only functions that read; nothing here can change a setting. Without the library, or if it does not
// know the device, everything is unknown.
#pragma once
#include <string>
#include "profile/measurement.h"

namespace ww::cuda {

class Gpu {  // an NVML device; valid until the process ends
 public:
  // `pci_bus_id` as returned by cuDeviceGetPCIBusId. The first call opens the library (about 15 ms); call it before
  // file access is blocked.
  static Gpu at(const std::string& pci_bus_id);

  bool known() const { return handle_ != nullptr; }
  const std::string& why_not() const { return why_not_; }  // if !known()
  // Usually about a microsecond: the driver returns cached readings, and refreshes them a few times per second, which
  // takes 1 to 2 ms.
  profile::ClockState clocks() const;
  double max_sm_mhz() const, max_memory_mhz() const;  // 1 ms
  std::string uuid() const, driver() const;           // "GPU-…", "580.159.04"; empty: unknown

 private:
  void* handle_ = nullptr;
  std::string why_not_;
};

}  // namespace ww::cuda
