// SPDX-License-Identifier: Apache-2.0
// A worker's report on its start: compiler, devices, counters, baselines, sandbox. The reply to "initialize", stored
// with the run (store::Workspace::latest_worker).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/protection.h"
#include "base/provenance.h"
#include "rpc/worker_profile.h"

namespace ww::rpc {

struct WorkerCompiler {
  std::string version;                                              // of NVRTC: "13.0"
  std::string nvrtc, nvjitlink, headers, ptxas, nvdisasm, cutlass;  // files and folders
  std::vector<std::string> includes;                                // headers that a candidate may include
  std::string error;                                                // why there is no compiler
  std::string name() const { return version.empty() ? std::string() : "NVRTC " + version; }
  WW_FIELDS(WorkerCompiler, (version, sparse), (nvrtc, sparse), (nvjitlink, sparse), (headers, sparse), (ptxas, sparse),
            (nvdisasm, sparse), (cutlass, sparse), (includes, sparse), (error, sparse))
};

struct WorkerDevice {
  std::string name;                             // "simt", "cuda:0"
  std::string description;                      // "NVIDIA H200, 132 multiprocessors, …"
  std::string gpu;                              // "NVIDIA H200"; empty: not a GPU, or not opened yet
  std::string architecture;                     // "sm_90"
  Provenance provenance = Provenance::unknown;  // of its numbers
  std::int64_t memory = 0;                      // bytes
  bool measures = false;                        // its times are measured
  std::string error;                            // why it cannot be used
  WW_FIELDS(WorkerDevice, (name, sparse), (description, sparse), (gpu, sparse), (provenance, sparse),
            (architecture, sparse), (memory, sparse), (measures, sparse), (error, sparse))
};

struct WorkerCounters {
  bool available = false;
  std::string error;  // why they cannot be read
  WW_FIELDS(WorkerCounters, available, (error, sparse))
};

struct WorkerBaselines {
  struct Refused {
    std::string file, reason;
    WW_FIELDS(Refused, file, reason)
  };
  std::vector<std::string> usable;  // names
  std::vector<Refused> refused;
  WW_FIELDS(WorkerBaselines, (usable, sparse), (refused, sparse))
};

struct WorkerReport {
  int version = 0;  // of the protocol; 0: nothing is known
  WorkerProfile profile = WorkerProfile::unknown;
  WorkerCompiler compiler;
  std::vector<WorkerDevice> devices;
  std::string devices_error;               // why there is no GPU among them
  std::optional<WorkerCounters> counters;  // of the GPU; nullopt: not tried
  std::optional<WorkerBaselines> baselines;
  std::vector<Protection> protections;  // of its sandbox; empty: none reported
  WW_FIELDS(WorkerReport, (version, sparse), (profile, sparse), (compiler, defaulted), (devices, sparse),
            (devices_error, sparse), (counters, sparse), (baselines, sparse), (protections, sparse))
};

std::string json_of(const WorkerReport& report);
// Also parses reports of earlier versions. nullopt: not a report.
std::optional<WorkerReport> worker_report(const std::string& json);

// The report as rows for people: ("compiler, version", "13.0"). Other text becomes one row.
std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& json);

// The missing ones in one line: "seccomp (why not), landlock (why not)"; empty: none.
std::string missing_text(const std::vector<Protection>& all);
// A summary: how many are active, and what the inactive ones would block. Sentences.
std::string protections_text(const std::vector<Protection>& all);

}  // namespace ww::rpc
