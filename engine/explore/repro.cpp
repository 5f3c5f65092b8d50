// SPDX-License-Identifier: Apache-2.0
#include "explore/repro.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/files.h"
#include "rpc/second_judge.h"

namespace ww::explore {
namespace {

using op::Distribution;

constexpr int most_runs = 60;
constexpr std::size_t most_bytes = std::size_t{16} << 20;

class Shrinking {
 public:
  Shrinking(rpc::Supervisor& worker, Repro& repro, std::stop_token stop)
      : worker_(worker), repro_(repro), stop_(std::move(stop)) {}

  Status run() {
    const gate::OneCase found{repro_.failure->binding, repro_.failure->distribution, repro_.failure->seed};
    if (!WW_TRY(fails(found))) return {};
    for (const Distribution d : {Distribution::ramp, Distribution::constant, Distribution::normal}) {
      gate::OneCase plainer = *repro_.one;
      plainer.distribution = d;
      if (plainer.distribution == repro_.one->distribution || WW_TRY(fails(plainer))) break;
    }
    if (!repro_.one->binding.constants.empty()) {
      gate::OneCase usual = *repro_.one;
      usual.binding.constants = repro_.judgement.binding.constants;
      WW_TRY(fails(usual));
    }
    for (bool smaller = true; smaller;) {
      smaller = false;
      const auto symbols = repro_.one->binding.symbols;
      for (const auto& [name, size] : symbols)
        if (WW_TRY(shrink(name, size))) smaller = true;
    }
    return {};
  }

 private:
  // Keeps the case where it fails as the verdict says.
  Result<bool> fails(const gate::OneCase& one) {
    if (stop_.stop_requested()) return fail(Code::cancelled, "cancelled");
    if (runs_++ >= most_runs) return false;
    const Result<gate::Reproduction> shown = worker_.reproduce({repro_.judgement, one}, stop_);
    if (!shown && shown.error().code == Code::cancelled) return fail(shown.error());
    if (!shown || !shown->failure || !gate::same_failure(*verdict_failure(), *shown->failure)) return false;
    repro_.one = one;
    repro_.one->distribution = shown->failure->distribution;
    repro_.one->seed = shown->failure->seed;
    repro_.message = shown->message;
    repro_.failure = shown->failure;
    return true;
  }
  const std::optional<evidence::Failure>& verdict_failure() {
    if (!first_) first_ = repro_.failure;
    return first_;
  }

  Result<bool> shrink(const std::string& name, std::int64_t size) {
    std::vector<std::int64_t> sizes = {1, 2, 3, 4, 8, 16, 32, size / 4, size / 2, size - 1};
    std::erase_if(sizes, [&](std::int64_t s) { return s < 1 || s >= size; });
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const std::int64_t s : sizes) {
      gate::OneCase smaller = *repro_.one;
      smaller.binding.symbols[name] = s;
      if (WW_TRY(fails(smaller))) return true;
    }
    return false;
  }

  rpc::Supervisor& worker_;
  Repro& repro_;
  const std::stop_token stop_;
  std::optional<evidence::Failure> first_;
  int runs_ = 0;
};

}  // namespace

Result<Repro> reproducible(rpc::Supervisor& worker, const rpc::GateRequest& asked, const evidence::Verdict& verdict,
                           std::stop_token stop) {
  const evidence::StageResult* last = verdict.last_stage();
  if (!last) return fail(Code::invalid_argument, "the candidate was proved: there is no failure to reproduce");
  Repro repro{rpc::repeated(asked, verdict), {}, last->message, last->failure};
  if (!repro.failure || repro.failure->case_name.empty()) return repro;
  WW_TRY(Shrinking(worker, repro, std::move(stop)).run());
  return repro;
}

Status write_repro(const std::filesystem::path& file, const Repro& repro) {
  return write_file_atomic(file, json::text_of(repro, 2) + '\n');
}

Result<Repro> read_repro(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, most_bytes);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  Result<Repro> repro = json::read_text<Repro>(*text, "'" + file.string() + "' is not a reproducible case");
  if (!repro) return fail(Code::invalid_argument, repro.error().message, repro.error().cause);
  return repro;
}

}  // namespace ww::explore
