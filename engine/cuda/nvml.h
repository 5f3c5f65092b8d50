// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library (libnvidia-ml.so.1), loaded at run time: clocks, temperature, power, what holds the
// clocks down. Only functions that read are loaded; nothing here can change a setting. Without the library, or where it
// does not know the device, everything is unknown.
#pragma once
#include <string>
#include "profile/measurement.h"

namespace ww::cuda {

class Gpu {  // of NVML; valid for the process's life
 public:
  // `pci_bus_id` as cuDeviceGetPCIBusId gives it. The first call opens the library (some 15 ms); to be called before
  // files are shut off.
  static Gpu at(const std::string& pci_bus_id);

  bool known() const { return handle_ != nullptr; }
  const std::string& why_not() const { return why_not_; }  // of !known()
  // Mostly about a microsecond: the driver hands out readings that it renews some times a second, which then takes 1 to
  // 2 ms.
  profile::ClockState clocks() const;
  double max_sm_mhz() const, max_memory_mhz() const;  // 1 ms
  std::string uuid() const, driver() const;           // "GPU-…", "580.159.04"; empty: unknown

 private:
  void* handle_ = nullptr;
  std::string why_not_;
};

}  // namespace ww::cuda
