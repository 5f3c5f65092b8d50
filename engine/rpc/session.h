// SPDX-License-Identifier: Apache-2.0
// A worker's state, and the requests besides the gate that run something on a device. For one thread.
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
#include "rpc/worker_cache.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

struct OpenDevice {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<gate::ResidentCache> resident;  // if the device generates input sets
};

struct Session {
  std::shared_ptr<WorkerCache> kept = std::make_shared<WorkerCache>();
  std::unique_ptr<compile::Compiler> compiler;  // null: see compiler_error
  Error compiler_error;
  int threads = 0;
  gate::ReferenceCache references;
  gate::MutantCache mutants;
  baseline::List baselines;
  bool baselines_loaded = false;
  std::map<std::string, OpenDevice> devices;

  Result<OpenDevice*> open(const std::string& name);
  // A device whose context was lost: this process cannot use it any more.
  std::optional<std::string> lost() const;
};

// See Supervisor for the results. If a subject's fault destroys the device's context, later subjects have neither times
// nor an error.
Result<TimeReply> time(Session& session, const TimeRequest& request, const std::stop_token& stop,
                       const ProgressHandler& progress);
Result<profile::CounterReport> count(Session& session, const CountRequest& request, const std::stop_token& stop);
Result<DeviceReply> device_facts(Session& session, const DeviceRequest& request, const std::stop_token& stop);

}  // namespace ww::rpc
