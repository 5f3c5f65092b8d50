// SPDX-License-Identifier: Apache-2.0
// The faults of tests/corpus/faults and good candidates between them, in one exploration with a workspace: what each
// was expected to be, what the workspace says of it afterwards, how long it took and what became of the worker.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::corpus {

struct FaultKernel {
  std::string name, text;
  std::string cuda, simt;  // what is expected there
  bool extra = false;      // not among the twenty
  const std::string& expected(const std::string& device) const { return device == "simt" ? simt : cuda; }
};
std::filesystem::path faults_folder();  // of the source tree that resources/ belongs to
Result<std::vector<FaultKernel>> fault_kernels(const std::filesystem::path& folder);  // by name

struct FaultRunOptions {
  std::string device = "simt";
  std::string architecture;         // empty: the device's own
  op::Binding binding;              // of relu
  std::filesystem::path workspace;  // a folder that is not there yet
  rpc::WorkerOptions worker;
  int seeds = 2;
  double candidate_seconds = 60;
};

struct FaultRow {
  std::string name, expected, seen;
  std::string wrong;  // what is not as expected; empty: right
  double seconds = 0;
  int line = 0;               // of the candidate's text, where the fault names one
  bool fresh_worker = false;  // it was judged by another process than the one before
};
struct FaultRun {
  std::vector<FaultRow> rows;  // in the order in which they were given
  std::string state, why;      // of the run
  int lost = 0;                // candidates that were reported and that the workspace does not have with their verdict
  int late = 0;                // took longer than their deadline
  double seconds = 0;
  bool right() const;
};

// `goods`: candidates of the same op, accepted wherever they are judged. They come first and alternate with the faults.
Result<FaultRun> run_faults(const std::vector<FaultKernel>& faults, const std::vector<std::string>& goods,
                            const FaultRunOptions& options);

// So many candidates for relu by the search plugin, no two alike.
Result<std::vector<std::string>> good_candidates(const std::string& spec, const op::Binding& binding,
                                                 std::size_t count);
Result<std::string> relu_spec();

}  // namespace ww::corpus
