// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "base/protection.h"

namespace ww::rpc {

// The facts of rpc::Supervisor::describe() as rows for a person: ("compiler, version", "13.0"). Text that is not JSON
// is one row.
std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& describe);

// What the worker reports of its prison; empty where it reports nothing.
std::vector<Protection> protections_of(const std::string& describe);
// What is missing, in one line: "seccomp (why not), landlock (why not)"; empty: nothing.
std::string missing_text(const std::vector<Protection>& all);

struct WorkerDevice {
  std::string name, description;
  std::string error;  // why it cannot be used; empty: it can
};
std::vector<WorkerDevice> worker_devices(const std::string& describe);

}  // namespace ww::rpc
