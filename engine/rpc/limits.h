// SPDX-License-Identifier: Apache-2.0
// Resource limits of a worker during a request, and the watch over them.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

struct Usage {
  std::int64_t memory = 0;                 // bytes that are resident
  std::chrono::milliseconds processor{0};  // of all threads together
};

// The inputs that decide how much memory an honest worker needs, for the requests that judge, time or count.
struct Need {
  std::string spec, device;
  op::Binding binding;
  std::vector<std::string> candidates;  // texts; their temporaries count
  int sets = 1;                         // of inputs, for each case
};

// Bytes beyond the worker's own (its code, the compiler, a driver): buffers of the plan on the SIMT machine, inputs,
// references in f64 with their bounds, those that are kept. 0 where the spec cannot be read.
std::int64_t memory_for(const Need& need);

class UsageWatch {
 public:
  // Watches the process `pid`, or its only descendant where it waits in namespaces for one. What it used of its
  // processors so far does not count. It then also has a limit of the system (RLIMIT_CPU), which ends it where nobody
  // watches any more. In `most` 0 is no limit.
  UsageWatch(int pid, const Usage& most);
  Limit exceeded() const;  // at this moment; none where the process has ended
  bool lives() const;

 private:
  Usage most_;
  int pid_;
};

}  // namespace ww::rpc
