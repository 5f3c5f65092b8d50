// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol. The first message must be "initialize"; it is handled on the calling thread alone,
// before any other thread of ours exists, so that the sandbox that the hook installs then binds every later thread.
// After it, a reader thread takes messages (so that "cancel" arrives in mid-request) and the calling thread works them
// off in order. End of input ends the process at once.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>
#include "base/protection.h"

namespace ww::rpc {

struct WarmUp {                                // what the process was started for
  std::int64_t memory_limit = 0;               // bytes of address space beyond what is in use now; 0: none
  bool baselines = false;                      // baseline plugins are loaded
  std::string profile;                         // "simt", or "cuda" where a driver must be reached
  std::vector<std::filesystem::path> toolkit;  // the compiler's files and folders that exist
};

struct Preloaded {
  std::vector<std::string> devices;  // beside "simt"
  std::string devices_error;         // why there is none
  std::string counters_error;        // why hardware counters cannot be read; empty: they can, as far as is known
};

struct ServerHooks {
  // Called before the compiler is loaded, with one thread; may go on in a child process.
  std::function<void(const WarmUp&)> isolate;
  // Called once the compiler is loaded, before lock_down: loads what cannot be loaded from the disk afterwards.
  std::function<Preloaded(const WarmUp&)> preload;
  // Called once the compiler is loaded: the last protections. Returns all of them, for the worker's report.
  std::function<std::vector<Protection>(const WarmUp&)> lock_down;
};

// Returns the process's exit status: 0 after "shutdown", 2 when the input does not follow the protocol.
int serve(int in_fd, int out_fd, const ServerHooks& hooks);

}  // namespace ww::rpc
