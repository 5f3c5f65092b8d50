// SPDX-License-Identifier: Apache-2.0
// Parts of requests and replies that the descriptions cannot express: ranges, and the cubin.
#include <set>
#include "rpc/messages.h"
#include "rpc/simulate.h"

namespace ww::rpc {
namespace {

constexpr std::size_t max_subjects = 64;
constexpr int max_rounds = 10'000, max_samples = 1000, max_seeds = 1000;

Status within(int value, int most, const char* what) {
  if (value >= 1 && value <= most) return {};
  return fail(Code::invalid_argument,
              std::string("the number of ") + what + " must lie between 1 and " + std::to_string(most));
}

void resolve_native(std::string& architecture) {
  if (architecture == native_architecture) architecture.clear();
}

}  // namespace

Status accept(GateRequest& r) {
  resolve_native(r.architecture);
  return within(r.seeds, max_seeds, "seeds");
}

Status accept(ReproduceRequest& r) { return accept(r.judgement); }

Status accept(CompileRequest&) { return {}; }

Status accept(TimeRequest& r) {
  resolve_native(r.architecture);
  WW_TRY(within(r.rounds, max_rounds, "rounds"));
  WW_TRY(within(r.samples, max_samples, "samples"));
  if (r.round_offset < 0) return fail(Code::invalid_argument, "the offset of rounds must not be negative");
  if (!r.cold && !r.warm) return fail(Code::invalid_argument, "neither the cold nor the warm cache is asked for");
  if (r.subjects.empty()) return fail(Code::invalid_argument, "at least one subject is needed");
  if (r.subjects.size() > max_subjects)
    return fail(Code::invalid_argument, "at most " + std::to_string(max_subjects) + " subjects can be timed at once");
  std::set<std::string> names;
  for (const TimeSubject& s : r.subjects) {
    if (s.name.empty() || !names.insert(s.name).second)
      return fail(Code::invalid_argument, "every subject needs its own name");
    if (s.candidate.empty() == s.baseline.empty())
      return fail(Code::invalid_argument, "the subject '" + s.name + "' must be a candidate or a baseline");
  }
  return {};
}

Status accept(CountRequest& r) {
  resolve_native(r.architecture);
  return {};
}

Status accept(DeviceRequest&) { return {}; }

Status accept(SimulateRequest&) { return {}; }  // sim::run checks
Status accept(TraceRequest&) { return {}; }     // sim::trace checks
Status accept(FurtherTraceRequest&) { return {}; }

Json compile_result(const compile::Output& output) {
  Json j = json::of(output);
  j["cubin"] = to_hex(output.cubin);
  return j;
}

Result<compile::Output> compile_output(const Json& j) {
  compile::Output output = WW_TRY(reply_of<compile::Output>(j));
  const auto cubin = j.find("cubin");
  if (cubin == j.end() || !cubin->is_string())
    return fail(Code::corrupt, "the worker's reply cannot be read", "it has no cubin");
  output.cubin = WW_TRY(from_hex(cubin->get_ref<const std::string&>()));
  return output;
}

}  // namespace ww::rpc
