// SPDX-License-Identifier: Apache-2.0
#include "corpus/self_test.h"
#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include "base/parallel.h"
#include "rpc/second_judge.h"
#include "rpc/worker_profile.h"

namespace ww::corpus {
namespace {

struct Chosen {
  Kernel kernel;
  Expected expected;
};

constexpr std::pair<const char*, Expected> folders[] = {{"cheats", Expected::rejected}, {"honest", Expected::accepted}};

Result<std::vector<Chosen>> all_kernels() {
  std::vector<Chosen> all;
  for (const auto& [folder, expected] : folders)
    for (const Kernel& k : WW_TRY(kernels_in(corpus_folder() / folder)))
      all.push_back({k, k.limited.empty() ? expected : Expected::limited});
  return all;
}

Result<std::vector<Chosen>> choose(const SelfTestOptions& options) {
  std::vector<Chosen> all = WW_TRY(all_kernels());
  for (const std::string& kind : options.kinds)
    if (std::ranges::none_of(all, [&](const Chosen& c) { return c.kernel.kind == kind; })) {
      std::string names;
      for (const std::string& k : WW_TRY(kinds())) names += (names.empty() ? "" : ", ") + k;
      return fail(Code::invalid_argument, "no kernels of a kind '" + kind + "' are kept; there are: " + names);
    }
  if (!options.kinds.empty())
    std::erase_if(all, [&](const Chosen& c) { return std::ranges::count(options.kinds, c.kernel.kind) == 0; });
  if (options.limit <= 0) return all;
  std::vector<Chosen> some;
  const auto limit = static_cast<std::size_t>(options.limit);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].kernel.kind == all[begin].kernel.kind) ++end;
    const std::size_t of_kind = end - begin, taken = std::min(limit, of_kind);
    for (std::size_t i = 0; i < taken; ++i) some.push_back(std::move(all[begin + i * of_kind / taken]));
  }
  return some;
}

class SelfTest {
 public:
  SelfTest(const SelfTestOptions& options, std::vector<Chosen> kernels, std::stop_token stop, const Tested& progress)
      : options_(options),
        kernels_(std::move(kernels)),
        tested_(kernels_.size()),
        stop_(std::move(stop)),
        progress_(progress) {}

  Result<std::vector<TestedKernel>> run() {
    const int workers = options_.workers > 0 ? options_.workers : std::max(1, hardware_threads() / 2);
    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) threads.emplace_back([this, workers] { work(workers); });
    threads.clear();
    if (error_) return fail(*error_);
    if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
    return std::move(tested_);
  }

 private:
  void work(int workers) {
    rpc::WorkerOptions how = options_.worker;
    how.profile = rpc::worker_profile(options_.device);
    if (how.threads == 0) how.threads = std::max(1, hardware_threads() / workers);
    rpc::Supervisor worker(how);
    rpc::SecondJudge second(how);
    for (;;) {
      std::size_t at = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == kernels_.size() || error_ || stop_.stop_requested()) return;
        at = next_++;
      }
      const Result<TestedKernel> tested = judge(worker, second, kernels_[at]);
      const std::lock_guard lock(mutex_);
      if (!tested && !error_) error_ = tested.error();
      if (!tested) return;
      tested_[at] = *tested;
      if (progress_) progress_(*tested, ++done_, kernels_.size());
    }
  }

  Result<TestedKernel> judge(rpc::Supervisor& worker, rpc::SecondJudge& second, const Chosen& chosen) const {
    const Kernel& k = chosen.kernel;
    rpc::GateRequest r;
    r.spec = k.spec;
    r.candidate = k.text;
    r.binding = k.binding;
    r.secret = options_.secret;
    r.device = options_.device;
    r.architecture = options_.architecture;
    r.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(options_.candidate_seconds * 1000));
    const evidence::Verdict v = WW_TRY(second.judge(WW_TRY(worker.gate(r, stop_)), r, stop_));
    const bool limited = evidence::wrong_in_long(v.proof.long_tensors);
    return TestedKernel{k.kind,  k.name,         chosen.expected, v.ruling(), limited,
                        seen(v), v.proof.secret, k.known,         v.seconds};
  }

  const SelfTestOptions& options_;
  const std::vector<Chosen> kernels_;
  std::vector<TestedKernel> tested_;
  const std::stop_token stop_;
  const Tested& progress_;
  std::mutex mutex_;  // of what follows, and tested_
  std::size_t next_ = 0, done_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<std::string>> kinds() {
  std::vector<std::string> all;
  for (const Chosen& c : WW_TRY(all_kernels()))
    if (all.empty() || all.back() != c.kernel.kind) all.push_back(c.kernel.kind);
  return all;
}

std::vector<KindCount> counts_of(const std::vector<TestedKernel>& kernels) {
  std::vector<KindCount> counts;
  for (const TestedKernel& k : kernels) {
    if (counts.empty() || counts.back().kind != k.kind) counts.push_back({k.kind, k.expected});
    KindCount& c = counts.back();
    ++c.tried;
    c.otherwise += !k.as_expected();
    c.not_judged += k.ruling == evidence::Ruling::not_judged;
  }
  return counts;
}

Result<std::vector<TestedKernel>> self_test(const SelfTestOptions& options, std::stop_token stop,
                                            const Tested& progress) {
  return SelfTest(options, WW_TRY(choose(options)), std::move(stop), progress).run();
}

}  // namespace ww::corpus
