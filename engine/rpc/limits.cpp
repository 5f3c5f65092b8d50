// SPDX-License-Identifier: Apache-2.0
#include "rpc/limits.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>
#include "base/device_name.h"
#include "candidate/candidate.h"
#include "device/work_limits.h"
#include "gate/limits.h"
#include "gate/prepared.h"
#include "gate/resident.h"
#include "op/parse.h"

namespace ww::rpc {
namespace {

using Time = std::chrono::milliseconds;

constexpr double kept_references = 1 << 30;  // bytes; gate::ReferenceCache
// Bytes of one set of each: at most an element for each unit of work, value and bound.
constexpr double further_cases = 20 * 16 * device::WorkLimits().further_case;
constexpr double simulated_memory = 1 << 30;  // bytes; of the SIMT machine, which keeps as much about them

double temporary_bytes(const op::Spec& spec, const op::Binding& binding, const std::string& text) {
  double bytes = 0;
  for (const auto language : {candidate::Language::cuda, candidate::Language::ptx}) {
    const Result<candidate::Candidate> parsed = candidate::parse(text, language);
    if (!parsed) continue;
    if (const auto plan = candidate::plan(*parsed, spec, binding, candidate::first_tuning(*parsed)))
      for (const candidate::PlannedTensor& t : plan->temps)
        bytes += static_cast<double>(t.count) * static_cast<double>(dtype_size(t.dtype));
    break;
  }
  return bytes;
}

// The process's only child; none: it has none, or several.
std::optional<int> only_child(int pid) {
  const std::string name = std::to_string(pid);
  std::ifstream list("/proc/" + name + "/task/" + name + "/children");
  const std::vector<int> all{std::istream_iterator<int>(list), {}};
  return all.size() == 1 ? std::optional(all[0]) : std::nullopt;
}

// Of proc(5)'s stat, from the third on: the second may hold any character.
std::vector<std::string> fields_of(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  const std::size_t name = text.rfind(')');
  std::istringstream rest(name == std::string::npos ? std::string() : text.substr(name + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

std::optional<Usage> usage_of(int pid) {  // utime and stime are the 14th and 15th field, rss the 24th
  const std::vector<std::string> fields = fields_of(pid);
  if (fields.size() < 22) return std::nullopt;
  static const long ticks = ::sysconf(_SC_CLK_TCK), page = ::sysconf(_SC_PAGESIZE);
  const auto number = [&](std::size_t field) { return std::strtoll(fields[field - 3].c_str(), nullptr, 10); };
  return Usage{number(24) * page, Time((number(14) + number(15)) * 1000 / ticks)};
}

// Of each thread of the process, the time it waited for a processor: the second number of its schedstat
// (https://docs.kernel.org/scheduler/sched-stats.html).
std::map<int, std::chrono::nanoseconds> waits_of(int pid) {
  std::map<int, std::chrono::nanoseconds> out;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(task.path() / "schedstat");
    std::int64_t ran = 0, waited = 0;
    if (file >> ran >> waited) out.emplace(std::atoi(task.path().filename().c_str()), std::chrono::nanoseconds(waited));
  }
  return out;
}

}  // namespace

std::int64_t memory_for(const Need& need) {
  const Result<op::Spec> spec = op::parse_spec(need.spec);
  if (!spec) return 0;
  const Result<op::Binding> binding = gate::whole_binding(*spec, need.binding);
  if (!binding) return 0;
  const double inputs = gate::bytes_of(*spec, spec->inputs, *binding, 0);
  const double tensors = inputs + gate::bytes_of(*spec, spec->outputs, *binding, 0);
  // A reference is made on the host up to that work, of which each element is one; value and bound are 16 bytes.
  const double own = device::work_limits(need.device).default_case;
  const double most = 16 * (own > 0 ? own : gate::host_default_work);
  const double set = std::min(inputs + gate::bytes_of(*spec, spec->outputs, *binding, 16), most);
  const double between = std::min(gate::bytes_of(*spec, spec->temporaries, *binding, 16), most);
  double temporaries = 0;
  for (const std::string& text : need.candidates)
    temporaries = std::max(temporaries, temporary_bytes(*spec, *binding, text));
  const double kept = std::min(kept_references, need.sets * (set + further_cases));
  const double device = is_simt(need.device) ? 2 * std::min(tensors + temporaries, simulated_memory) : 0;
  // While a reference is made its parts are there up to three times; outputs are compared with those of another run.
  return static_cast<std::int64_t>(kept + device + 3 * (set + between) + 2 * std::min(tensors, kept_references));
}

UsageWatch::UsageWatch(int pid, const Usage& most) : most_(most), pid_(pid) {
  for (int level = 0; level < 2; ++level) pid_ = only_child(pid_).value_or(pid_);
  waited_ = waits_of(pid_);
  const std::optional<Usage> now = usage_of(pid_);
  if (most_.processor.count() == 0 || !now) return;
  most_.processor += now->processor;
  rlimit limit{};
  if (::prlimit(pid_, RLIMIT_CPU, nullptr, &limit) != 0) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(most_.processor) + std::chrono::seconds(1);
  limit.rlim_cur = std::min(static_cast<rlim_t>(seconds.count()), limit.rlim_max);
  (void)::prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

Limit UsageWatch::exceeded() const {
  const std::optional<Usage> now = usage_of(pid_);
  if (!now) return Limit::none;
  if (most_.memory > 0 && now->memory > most_.memory) return Limit::memory;
  if (most_.processor.count() > 0 && now->processor > most_.processor) return Limit::processor_time;
  return Limit::none;
}

Time UsageWatch::waited() const {
  std::chrono::nanoseconds longest{0};
  for (const auto& [thread, now] : waits_of(pid_)) {
    const auto before = waited_.find(thread);
    longest = std::max(longest, before == waited_.end() ? now : now - before->second);
  }
  return std::chrono::duration_cast<Time>(longest);
}

bool UsageWatch::lives() const {
  const std::vector<std::string> fields = fields_of(pid_);
  return !fields.empty() && fields[0] != "Z" && fields[0] != "X";
}

}  // namespace ww::rpc
