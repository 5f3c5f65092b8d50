// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a worker's verdict on one request. What is believed survives the store, and can be told to a
// person.
#include "../explore/script.h"
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "evidence/verdict_json.h"
#include "support/fuzz.h"
#include "support/genuine_verdict.h"

using namespace ww;

namespace {
rpc::GateRequest asked() {
  rpc::GateRequest r;
  r.spec = script::spec;
  r.candidate = script::candidate("one", "accepted");
  return r;
}
}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    fuzz::Seeds seeds{evidence::verdict_to_json(support::genuine_verdict(asked()))};
    for (const evidence::Stage stage : evidence::all_stages) {
      evidence::Verdict v = support::genuine_rejection(asked(), stage);
      evidence::StageResult& failed = v.stages.at(static_cast<std::size_t>(stage));
      failed.failure = evidence::Failure{};
      failed.failure->element = evidence::FailingElement{"y", {3}, 6, 7, 1e-6, 4, 34, 33};
      failed.failure->fault = Fault{};
      seeds.push_back(evidence::verdict_to_json(v));
    }
    return seeds;
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rpc::GateRequest request = asked();
  const Result<evidence::Verdict> v = evidence::verdict_from_json(fuzz::view(data, size));
  if (!v) return 0;
  (void)v->summary();
  (void)evidence::failure_text(*v);
  const std::string again = evidence::verdict_to_json(*v);
  const Result<evidence::Verdict> read = evidence::verdict_from_json(again);
  fuzz::require(read && evidence::verdict_to_json(*read) == again);
  const Status believed = rpc::check_verdict(request, *v);
  if (!believed) {
    fuzz::require(believed.error().code == Code::corrupt && !believed.error().cause.empty());
    return 0;
  }
  fuzz::require(v->candidate == rpc::candidate_hash(request) && v->device == request.device);
  for (const evidence::StageResult& s : v->stages) {
    (void)evidence::stage_text(*v, s);
    if (s.failure) (void)evidence::case_text(*s.failure);
    fuzz::require(!v->accepted || s.outcome != evidence::Outcome::failed);
  }
  return 0;
}
