// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as the result of a worker's other methods, and as what a worker says of itself. The first byte
// chooses.
#include "evidence/verdict_json.h"
#include "evidence/wrong_map.h"
#include "rpc/cache_messages.h"
#include "rpc/messages.h"
#include "rpc/worker_report.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::rpc;

namespace {
template <class T>
void read_again(const Json& j) {
  const Result<T> read = reply_of<T>(j);
  if (!read) return;
  const std::string once = json::text_of(*read);
  const Result<T> again = json::read_text<T>(once, "");
  fuzz::require(again && json::text_of(*again) == once);
}
void read_map(const Json& j) {
  const Result<evidence::WrongMap> map = reply_of<evidence::WrongMap>(j);
  if (!map || !evidence::misfit_of(*map).empty()) return;
  (void)evidence::wrong_shape_text(*map);
  (void)evidence::wrong_values_text(*map);
  for (const evidence::WrongMatrix& m : map->maps)
    for (const std::int64_t e : m.element) fuzz::require(map->index(m, e).size() == map->shape.size());
}
evidence::WrongMap wrong_map() {
  evidence::WrongMap map;
  map.tensor = "y";
  map.shape = {2, 1, 2};
  map.columns = 2;
  map.matrices = 2;
  map.wrong_matrices = 1;
  map.failure.element = evidence::FailingElement{"y", {1, 0, 1}, 1, 2, 1e-6, 4, 1, 4};
  map.wrong_elements = {evidence::WrongPattern::single, {0, 1, 1}, {1, 1, 1}, {}, 1};
  map.maps = {{{1}, 1, 1, {0, 1}, {1, 1}, {1, 2}, {0.5, 100}}};
  fuzz::require(evidence::misfit_of(map).empty());
  return map;
}
template <class T>
void read_request(const Json& j) {
  if (const Result<T> r = request_of<T>(j)) fuzz::require(check_utf8(json::of(*r)).has_value());
}
}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    TimeReply time;
    time.subjects.push_back({"candidate", "", true, "reference on the device", {{}}});
    time.subjects[0].timings[0].samples.push_back({12.5, 3, 1, {}});
    DeviceReply device;
    device.ceilings.emplace();
    TimeRequest ask{"op a() -> y: f32 { y = 1 }"};
    ask.subjects.push_back({"candidate", "//@ candidate a", {}, ""});
    return fuzz::Seeds{"a" + json::text_of(time),
                       "b" + json::text_of(profile::CounterReport{}),
                       "c" + json::text_of(device),
                       "d" + compile_result({}).dump(),
                       "e" + json::text_of(GateRequest{}),
                       "f" + json::text_of(ask),
                       "g" + json::text_of(CountRequest{}),
                       "i" + json::text_of(wrong_map()),
                       R"(h{"version":1,"worker":{"profile":"simt",)"
                       R"("protections":{"seccomp":{"active":true,"effect":"e","detail":""}}},)"
                       R"("compiler":{"nvrtc":"/usr/lib/libnvrtc.so","includes":["cuda_fp16.h"]},)"
                       R"("devices":[{"name":"simt","error":"e"}]})"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::view(data + 1, size - 1));
  (void)evidence::resources_from_json(text);
  const Result<Json> j = json::parse(text);
  if (!j) return 0;
  if (const auto kept = read_cache(*j)) fuzz::require(read_cache({{"kept", cache_json(*kept)}}) == *kept);
  switch (data[0] % 9) {
    case 'a' % 9: return read_again<TimeReply>(*j), 0;
    case 'b' % 9: return read_again<profile::CounterReport>(*j), 0;
    case 'c' % 9: return read_again<DeviceReply>(*j), 0;
    case 'd' % 9: return (void)compile_output(*j), 0;
    case 'e' % 9: return read_request<GateRequest>(*j), 0;
    case 'f' % 9: return read_request<TimeRequest>(*j), 0;
    case 'g' % 9: return read_request<CountRequest>(*j), read_request<DeviceRequest>(*j), 0;
    case 'i' % 9: return read_again<evidence::WrongMap>(*j), read_map(*j), 0;
    default: break;
  }
  (void)worker_facts(text);
  if (const auto report = worker_report(text)) {
    (void)missing_text(report->protections);
    fuzz::require(json_of(*worker_report(json_of(*report))) == json_of(*report));
  }
  return 0;
}
