// SPDX-License-Identifier: Apache-2.0
// A worker's state, and the requests beside the gate that run something on a device. Used on one thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "baseline/baseline.h"
#include "compile/compile.h"
#include "device/device.h"
#include "gate/gate.h"
#include "gate/resident.h"
#include "rpc/handed_kept.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

struct OpenDevice {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<gate::ResidentCache> resident;  // where the device makes sets
};

struct Session {
  std::shared_ptr<HandedKept> kept = std::make_shared<HandedKept>();
  std::unique_ptr<compile::Compiler> compiler;  // null: compiler_error says why
  Error compiler_error;
  int threads = 0;
  gate::ReferenceCache references;
  baseline::List baselines;
  bool baselines_loaded = false;
  std::map<std::string, OpenDevice> devices;

  Result<OpenDevice*> open(const std::string& name);
  // The name of a device whose context was lost: this process cannot use it any more.
  std::optional<std::string> lost() const;
};

// See Supervisor for what they answer. Where a subject's fault takes the device with it, those after it have neither
// times nor an error.
Result<TimeReply> time(Session& session, const TimeRequest& request, const std::stop_token& stop,
                       const ProgressHandler& progress);
Result<profile::CounterReport> count(Session& session, const CountRequest& request, const std::stop_token& stop);
Result<DeviceReply> device_facts(Session& session, const DeviceRequest& request, const std::stop_token& stop);

}  // namespace ww::rpc
