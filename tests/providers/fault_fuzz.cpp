// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as the body of a service's refusal.
#include "providers/common/fault.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::providers;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    return fuzz::Seeds{
        R"(a{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"429"}})",
        R"(b{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
        R"(c{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream"}}})",
        R"(d[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}])",
        R"(e{"error":"model 'x' not found, try pulling it first"})",
        "f<html><title>502 Bad Gateway</title>"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static constexpr int statuses[] = {200, 400, 401, 402, 403, 404, 413, 429, 500, 502, 529};
  const Fault fault = read_fault(statuses[data[0] % std::size(statuses)], fuzz::view(data + 1, size - 1));
  const Error e = explain(fault, {"openai", "api.openai.com", data[0] & 64 ? "gpt" : "", true, 2});
  fuzz::require(!e.message.empty() && e.message.size() + e.cause.size() < 4096);
  (void)is_transient(fault);
  return 0;
}
