// SPDX-License-Identifier: Apache-2.0
// What KernelBench's own evaluation says about a solution. A Python process
// (resources/python/kernelbench_judge.py) runs the repository's code, the task and the solution on a GPU, as the person
// and outside of any sandbox: callers ask first (trust.h).
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::rpc {
class PythonHelper;
}

namespace ww::importer {

enum class Judged : std::uint8_t {
  unknown,
  correct,
  incorrect,
  not_evaluated,  // KernelBench cannot evaluate the task
  failed,         // the process crashed or took too long; worth another try
};
constexpr auto names_of(Judged) {
  using enum Judged;
  return std::to_array<Enumerator<Judged>>({{unknown, "unknown"},
                                            {correct, "correct"},
                                            {incorrect, "incorrect"},
                                            {not_evaluated, "not evaluated"},
                                            {failed, "failed"}});
}

struct Trials {  // KernelBench's num_correct_trials and num_perf_trials
  int correct = 5, perf = 100;
  WW_FIELDS(Trials, (correct, "input sets"), (perf, "timed calls"))
};

struct Judgement {
  static constexpr std::string_view described_as = "KERNELBENCH JUDGEMENT";
  Judged outcome = Judged::unknown;
  std::string why;                                        // not correct, not evaluated or failed; or a note
  std::optional<bool> by_kernel;                          // or by the task's own module
  std::optional<double> kernel_ms, eager_ms, compile_ms;  // means, by KernelBench
  std::string compile_why;                                // torch.compile fails
  Trials trials;
  std::string gpu, torch, hash;
  WW_FIELDS(Judgement, (outcome, "`not evaluated`: KernelBench cannot evaluate the task; `failed`: to be tried again"),
            (why, "it is not correct or not judged, in KernelBench's words", sparse),
            (by_kernel, "the solution launches its kernel for the task's inputs; false: it leaves them to the module",
             nullable),
            (kernel_ms, "time of the solution, KernelBench's mean", nullable), (eager_ms, "of the module", nullable),
            (compile_ms, "of the module under torch.compile", nullable),
            (compile_why, "torch.compile cannot compile the module", sparse), trials, gpu, torch,
            (hash, "of the solution's text"))
};

// The repository's evaluation, file by file: what judging runs besides tasks and solutions. Code::invalid_argument: it
// is not KernelBench's repository.
Result<std::vector<std::filesystem::path>> evaluation_of(const std::filesystem::path& repository);

class KernelBenchJudge {
 public:
  ~KernelBenchJudge();
  // The first interpreter whose PyTorch sees the device ("cuda:0"). Runs nothing of the repository yet.
  static Result<std::unique_ptr<KernelBenchJudge>> start(const std::string& device, const std::stop_token& cancel = {});
  Status load(const std::filesystem::path& repository, const std::stop_token& cancel = {});
  // Then, of one solution: a process judges one, since a faulty kernel spoils its context. The texts are run.
  Status prepare(const std::string& name, const std::string& task, const std::string& solution,
                 const std::stop_token& cancel = {});
  // Callers hold the device's turn: the times are worth nothing beside other work.
  Result<Judgement> evaluate(const Trials& trials, const std::stop_token& cancel = {});

 private:
  KernelBenchJudge(std::unique_ptr<rpc::PythonHelper> helper, std::string gpu, std::string torch);
  std::unique_ptr<rpc::PythonHelper> helper_;
  Judgement judgement_;
};

}  // namespace ww::importer
