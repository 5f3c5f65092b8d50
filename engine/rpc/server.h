// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol. The first message must be "initialize"; it is handled on the calling thread before
// any other thread exists, so that the sandbox installed by the hook binds all later threads. After that, a reader
// thread receives messages (so that "cancel" arrives during a request) and the calling thread processes them in order.
// End of input ends the process at once.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>
#include "base/protection.h"
#include "rpc/worker_profile.h"

namespace ww::rpc {

struct WarmUp {                   // the purpose of the process
  std::int64_t memory_limit = 0;  // bytes of address space beyond the current use; 0: none
  bool baselines = false;         // baseline plugins are loaded
  WorkerProfile profile = WorkerProfile::simt;
  std::vector<std::filesystem::path> toolkit;  // the compiler's existing files and folders
};

struct Preloaded {
  std::vector<std::string> devices;  // beside "simt"
  std::string devices_error;         // why there are none
  std::string counters_error;        // why hardware counters cannot be read; empty: no known reason
};

struct ServerHooks {
  // Called before the compiler is loaded, with one thread; may continue in a child process.
  std::function<void(const WarmUp&)> isolate;
  // Called once the compiler is loaded, before lock_down: loads everything that will be inaccessible on disk
  // afterwards.
  std::function<Preloaded(const WarmUp&)> preload;
  // Called once the compiler is loaded: enables the last protections. Returns all of them, for the worker's report.
  std::function<std::vector<Protection>(const WarmUp&)> lock_down;
};

// Returns the process's exit status: 0 after "shutdown", 2 if the input violates the protocol.
int serve(int in_fd, int out_fd, const ServerHooks& hooks);

}  // namespace ww::rpc
