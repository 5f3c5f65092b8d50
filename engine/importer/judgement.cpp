// SPDX-License-Identifier: Apache-2.0
#include "importer/judgement.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/hash.h"
#include "rpc/python.h"

namespace ww::importer {
namespace fs = std::filesystem;
using json::Json;
using std::chrono::seconds;
namespace {

constexpr seconds step_limit{600};  // of preparing and of evaluating one solution

struct Prepared {
  std::optional<bool> by_kernel;
  std::string compile_why;
  WW_FIELDS(Prepared, (by_kernel, nullable), compile_why)
};
struct Evaluated {
  bool evaluated = false, correct = false;
  std::string why;
  std::optional<double> kernel_ms, eager_ms, compile_ms;
  WW_FIELDS(Evaluated, evaluated, correct, why, (kernel_ms, nullable), (eager_ms, nullable), (compile_ms, nullable))
};
constexpr const char* unreadable = "the Python helper's answer cannot be read";

}  // namespace

Result<std::vector<fs::path>> evaluation_of(const fs::path& repository) {
  const fs::path folder = repository / "src/kernelbench";
  std::error_code ec;
  if (!fs::is_regular_file(folder / "eval.py", ec) || !fs::is_regular_file(folder / "timing.py", ec))
    return fail(Code::invalid_argument, "'" + repository.string() +
                                            "' has no src/kernelbench/eval.py and timing.py; judging needs "
                                            "KernelBench's whole repository");
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, ec))
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  if (ec) return fail(Code::io, "cannot read the folder '" + folder.string() + "'", ec.message());
  std::sort(files.begin(), files.end());
  return files;
}

KernelBenchJudge::KernelBenchJudge(std::unique_ptr<rpc::PythonHelper> helper, std::string gpu, std::string torch)
    : helper_(std::move(helper)) {
  judgement_.gpu = std::move(gpu);
  judgement_.torch = std::move(torch);
}
KernelBenchJudge::~KernelBenchJudge() = default;

Result<std::unique_ptr<KernelBenchJudge>> KernelBenchJudge::start(const std::string& device,
                                                                  const std::stop_token& cancel) {
  rpc::PythonHelper::Found found = WW_TRY(
      rpc::PythonHelper::find("kernelbench_judge.py", {{"device", device}}, "a PyTorch that sees the GPU", cancel));
  return std::unique_ptr<KernelBenchJudge>(
      new KernelBenchJudge(std::move(found.helper), found.facts["gpu"], found.facts["torch"]));
}

Status KernelBenchJudge::load(const fs::path& repository, const std::stop_token& cancel) {
  std::error_code ec;
  WW_TRY(helper_->call("load", {{"repository", fs::absolute(repository, ec).string()}}, rpc::python_start, cancel));
  return {};
}

Status KernelBenchJudge::prepare(const std::string& name, const std::string& task, const std::string& solution,
                                 const std::stop_token& cancel) {
  const Json answer =
      WW_TRY(helper_->call("prepare", {{"name", name}, {"task", task}, {"solution", solution}}, step_limit, cancel));
  const Prepared prepared = WW_TRY(json::read<Prepared>(answer, unreadable));
  judgement_.hash = hash_hex(solution);
  judgement_.by_kernel = prepared.by_kernel;
  judgement_.compile_why = prepared.compile_why;
  return {};
}

Result<Judgement> KernelBenchJudge::evaluate(const Trials& trials, const std::stop_token& cancel) {
  const Json answer = WW_TRY(helper_->call(
      "evaluate", {{"correct_trials", trials.correct}, {"perf_trials", trials.perf}}, step_limit, cancel));
  const Evaluated found = WW_TRY(json::read<Evaluated>(answer, unreadable));
  Judgement out = judgement_;
  out.trials = trials;
  out.outcome = !found.evaluated ? Judged::not_evaluated : found.correct ? Judged::correct : Judged::incorrect;
  out.why = found.why;
  out.kernel_ms = found.kernel_ms;
  out.eager_ms = found.eager_ms;
  out.compile_ms = found.compile_ms;
  return out;
}

}  // namespace ww::importer
