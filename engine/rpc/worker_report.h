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
  std::string version;                                     // of NVRTC: "13.0"
  std::string nvrtc, nvjitlink, headers, ptxas, nvdisasm;  // files and folders
  std::vector<std::string> includes;                       // headers that a candidate may include
  std::string error;                                       // why there is no compiler
  std::string name() const { return version.empty() ? std::string() : "NVRTC " + version; }
  template <class V>
  static void fields(V&& v) {
    v("version", &WorkerCompiler::version, Presence::sparse);
    v("nvrtc", &WorkerCompiler::nvrtc, Presence::sparse);
    v("nvjitlink", &WorkerCompiler::nvjitlink, Presence::sparse);
    v("headers", &WorkerCompiler::headers, Presence::sparse);
    v("ptxas", &WorkerCompiler::ptxas, Presence::sparse);
    v("nvdisasm", &WorkerCompiler::nvdisasm, Presence::sparse);
    v("includes", &WorkerCompiler::includes, Presence::sparse);
    v("error", &WorkerCompiler::error, Presence::sparse);
  }
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
  template <class V>
  static void fields(V&& v) {
    v("name", &WorkerDevice::name, Presence::sparse);
    v("description", &WorkerDevice::description, Presence::sparse);
    v("gpu", &WorkerDevice::gpu, Presence::sparse);
    v("provenance", &WorkerDevice::provenance, Presence::sparse);
    v("architecture", &WorkerDevice::architecture, Presence::sparse);
    v("memory", &WorkerDevice::memory, Presence::sparse);
    v("measures", &WorkerDevice::measures, Presence::sparse);
    v("error", &WorkerDevice::error, Presence::sparse);
  }
};

struct WorkerCounters {
  bool available = false;
  std::string error;  // why they cannot be read
  template <class V>
  static void fields(V&& v) {
    v("available", &WorkerCounters::available);
    v("error", &WorkerCounters::error, Presence::sparse);
  }
};

struct WorkerBaselines {
  struct Refused {
    std::string file, reason;
    template <class V>
    static void fields(V&& v) {
      v("file", &Refused::file);
      v("reason", &Refused::reason);
    }
  };
  std::vector<std::string> usable;  // names
  std::vector<Refused> refused;
  template <class V>
  static void fields(V&& v) {
    v("usable", &WorkerBaselines::usable, Presence::sparse);
    v("refused", &WorkerBaselines::refused, Presence::sparse);
  }
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
  template <class V>
  static void fields(V&& v) {
    v("version", &WorkerReport::version, Presence::sparse);
    v("profile", &WorkerReport::profile, Presence::sparse);
    v("compiler", &WorkerReport::compiler, Presence::defaulted);
    v("devices", &WorkerReport::devices, Presence::sparse);
    v("devices_error", &WorkerReport::devices_error, Presence::sparse);
    v("counters", &WorkerReport::counters, Presence::sparse);
    v("baselines", &WorkerReport::baselines, Presence::sparse);
    v("protections", &WorkerReport::protections, Presence::sparse);
  }
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
