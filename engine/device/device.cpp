// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"
#include <algorithm>
#include <map>
#include <mutex>

namespace ww::device {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, Opener, std::less<>> openers{
      {"simt", [](std::string_view name) -> Result<std::unique_ptr<Device>> {
         if (name != "simt")
           return fail(Code::not_found,
                       "there is no device '" + std::string(name) + "': the SIMT machine is called 'simt'");
         return open_simt();
       }}};
};

Registry& registry() {
  static Registry it;
  return it;
}

}  // namespace

void add_kind(std::string kind, Opener opener) {
  std::lock_guard lock(registry().mutex);
  registry().openers.insert_or_assign(std::move(kind), std::move(opener));
}

std::vector<std::string> kinds() {
  std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& [name, opener] : registry().openers) names.push_back(name);
  return names;
}

Result<std::unique_ptr<Device>> open(std::string_view name) {
  Opener opener;
  {
    std::lock_guard lock(registry().mutex);
    const auto at = registry().openers.find(name.substr(0, name.find(':')));
    if (at != registry().openers.end()) opener = at->second;
  }
  if (opener) return opener(name);
  std::string known;
  for (const std::string& k : kinds()) known += (known.empty() ? "" : ", ") + k;
  return fail(Code::unavailable, "there is no device '" + std::string(name) + "' here; available: " + known);
}

Status Execution::allocate_end(const std::string&, DType, std::int64_t, std::int64_t, Access) {
  return fail(Code::unsupported, "this device does not allocate the end of a tensor alone");
}

Counts& Counts::operator+=(const Counts& other) {
  for (const auto& [name, value] : other.values) {
    const auto at =
        std::find_if(values.begin(), values.end(), [&wanted = name](const auto& v) { return v.first == wanted; });
    if (at == values.end())
      values.emplace_back(name, value);
    else
      at->second += value;
  }
  for (const evidence::LineCount& from : other.lines) {
    const auto at = std::lower_bound(lines.begin(), lines.end(), from.line,
                                     [](const evidence::LineCount& l, int line) { return l.line < line; });
    if (at == lines.end() || at->line != from.line) {
      lines.insert(at, from);
      continue;
    }
    *at += from;
  }
  return *this;
}

namespace {

tl::unexpected<Error> cannot(const char* what) {
  return fail(Code::unsupported, std::string("this device cannot ") + what);
}

}  // namespace

Status Execution::fill(const std::string&, const ResidentSet&) { return cannot("hold input sets in its own memory"); }
Result<bool> Execution::holds_set(const std::string&, const ResidentSet&) const {
  return cannot("hold input sets in its own memory");
}
Result<ResidentComparison> Execution::compare_set(const std::string&, const ResidentSet&) const {
  return cannot("compare in its own memory");
}
Result<std::uint64_t> Execution::address(const std::string&) const { return cannot("give out addresses"); }

Result<std::shared_ptr<const ResidentSet>> Device::make_set(const op::Spec&, const SetRequest&, compile::Compiler&) {
  return cannot("hold input sets in its own memory");
}
Result<std::vector<profile::SubjectTiming>> Device::time(std::span<const TimedSubject>, const TimeOptions&) {
  return cannot("measure times: they need a GPU (device cuda:0)");
}
Result<profile::CounterReport> Device::count(Execution&, std::span<const candidate::PlannedLaunch>, const std::string&,
                                             const std::stop_token&) {
  return cannot("read hardware counters: they need a GPU (device cuda:0)");
}
Result<profile::DeviceDetails> Device::details() { return cannot("give hardware details: it is not a GPU"); }
Result<profile::Ceilings> Device::ceilings(compile::Compiler&, const std::stop_token&) {
  return cannot("measure ceilings: they need a GPU (device cuda:0)");
}

}  // namespace ww::device
