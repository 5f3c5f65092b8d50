// SPDX-License-Identifier: Apache-2.0
// What a worker reports of itself when it starts: compiler, devices, counters, baselines, sandbox. The answer to
// "initialize", and what a run keeps of its workers (store::Workspace::latest_worker).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/protection.h"
#include "base/provenance.h"

namespace ww::rpc {

struct WorkerCompiler {
  std::string version;                                     // of NVRTC: "13.0"
  std::string nvrtc, nvjitlink, headers, ptxas, nvdisasm;  // files and folders
  std::vector<std::string> includes;                       // names of headers that a candidate may include
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
  std::string gpu;                              // "NVIDIA H200"; empty: it is none, or it has not been opened yet
  std::string architecture;                     // "sm_90"
  Provenance provenance = Provenance::unknown;  // of its numbers
  std::int64_t memory = 0;                      // bytes
  bool measures = false;                        // its times are times
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
  int version = 0;      // of the protocol; 0: nothing is known
  std::string profile;  // "simt" or "cuda"
  WorkerCompiler compiler;
  std::vector<WorkerDevice> devices;
  std::string devices_error;               // why there is no GPU among them
  std::optional<WorkerCounters> counters;  // of the GPU; nullopt: not tried
  std::optional<WorkerBaselines> baselines;
  std::vector<Protection> protections;  // of its sandbox; empty: it reports none
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
// Reads reports of earlier versions, too. nullopt: the text is no report.
std::optional<WorkerReport> worker_report(const std::string& json);

// The report as rows for a person: ("compiler, version", "13.0"). Text that is not a report is one row.
std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& json);

// What is missing, in one line: "seccomp (why not), landlock (why not)"; empty: nothing.
std::string missing_text(const std::vector<Protection>& all);
// A summary of all of them: how many are on, and what those that are not would keep out. Sentences.
std::string protections_text(const std::vector<Protection>& all);

}  // namespace ww::rpc
