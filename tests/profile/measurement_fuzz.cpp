// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a stored measurement, and as rules of advice. The first byte says the record's kind.
#include "profile/advice.h"
#include "profile/measurement_record.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::profile;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    Measurement m;
    m.op = "scale";
    m.binding.symbols["N"] = 64;
    m.subjects.push_back({"candidate 12", "abc"});
    m.subjects[0].timings.emplace_back();
    m.subjects[0].timings[0].samples.push_back({12.5, 3, 1, {}});
    m.counters.emplace();
    m.device.emplace();
    m.ceilings.emplace();
    return fuzz::Seeds{"a" + measurement_to_json(m), "b{\"case\":{\"op\":\"a\",\"symbols\":{}},\"candidates\":[]}",
                       "e" + fuzz::source_file("resources/rules/advice.json").substr(0, 4000)};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::view(data + 1, size - 1));
  using enum MeasurementKind;
  static constexpr MeasurementKind kinds[] = {time, counters, baseline, compare};
  if (const auto m = measurement_from_json(kinds[data[0] % 4], text)) {
    const std::string once = measurement_to_json(*m);
    const auto again = measurement_from_json(kinds[data[0] % 4], once);
    fuzz::require(again && measurement_to_json(*again) == once);
  }
  if (data[0] != 'e') return 0;
  if (const auto rules = AdviceRules::parse(text)) {
    AdviceInput input;
    input.provenance = "simulated";
    input.values = {{"warp_instructions", 1e6}, {"global_sectors", 1e5}, {"occupancy", 0.25}};
    input.text = "extern \"C\" __global__ void k() {}\n";
    (void)advice_text(rules->advise(input), 5);
  }
  return 0;
}
