// SPDX-License-Identifier: Apache-2.0
// Resource limits of a worker during a request, and their enforcement.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

struct Usage {
  std::int64_t memory = 0;                 // resident bytes
  std::chrono::milliseconds processor{0};  // total of all threads
};

// The inputs that determine how much memory an honest worker needs, for requests that judge, time or count.
struct Need {
  std::string spec, device;
  op::Binding binding;
  std::vector<std::string> candidates;  // texts; their temporaries count
  int sets = 1;                         // of inputs, for each case
};

// Bytes beyond the worker's own (its code, the compiler, a driver): buffers of the plan on the SIMT machine, inputs,
// f64 references with their bounds, cached ones. 0 if the spec cannot be parsed.
std::int64_t memory_for(const Need& need);

class UsageWatch {
 public:
  // Watches the process `pid`, or its only descendant if it waits for one in namespaces. CPU time used so far does not
  // count. The process also gets a system limit (RLIMIT_CPU) as a backstop. 0 in `most`: no limit.
  UsageWatch(int pid, const Usage& most);
  Limit exceeded() const;  // currently; none if the process has ended
  bool lives() const;
  // How long a thread of it was ready to run since then and got no processor: the longest of all. 0: not known.
  std::chrono::milliseconds waited() const;

 private:
  Usage most_;
  int pid_;
  std::map<int, std::chrono::nanoseconds> waited_;  // before, by thread
};

}  // namespace ww::rpc
