// SPDX-License-Identifier: Apache-2.0
// What a worker says of itself when it starts (rpc::Supervisor::describe(), JSON): the one reader of it.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/protection.h"

namespace ww::rpc {

struct WorkerDevice {
  std::string name;         // "simt", "cuda:0"
  std::string description;  // "NVIDIA H200, 132 multiprocessors, …"
  std::string gpu;          // "NVIDIA H200"; empty: it is none
  std::string provenance;   // of its numbers
  std::string error;        // why it cannot be used; empty: it can
};

struct WorkerReport {
  bool read = false;     // false: the text is no report; nothing below is known
  std::string compiler;  // "NVRTC 13.0"; empty: unknown
  std::vector<WorkerDevice> devices;
  std::vector<Protection> protections;  // of its sandbox; empty: it reports none
  std::optional<bool> counters;         // whether the GPU's counters may be read; nothing: not tried
  std::string counters_error;           // why not
};
WorkerReport worker_report(const std::string& describe);

// The report as rows for a person: ("compiler, version", "13.0"). Text that is not JSON is one row.
std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& describe);

// What is missing, in one line: "seccomp (why not), landlock (why not)"; empty: nothing.
std::string missing_text(const std::vector<Protection>& all);
// A summary of all of them: how many are on, and what those that are not would keep out. Sentences.
std::string protections_text(const std::vector<Protection>& all);

}  // namespace ww::rpc
