// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as the stored options of a run, and as a campaign's file. The first byte chooses.
#include "explore/campaign.h"
#include "generator/run_options.h"
#include "store/workspace.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;

namespace {
const char* const spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = 2 * x[i]\n}\n";

std::string options() {
  RunOptions o;
  o.spec = spec;
  o.given.push_back({"//@ candidate scale\n"});
  o.model.temperature = 0.5;
  return options_to_json(o);
}
}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    std::string quoted;
    for (const char c : options()) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return fuzz::Seeds{"a" + options(),
                       "b{\"schema\":\"warpwright/campaign/1\",\"state\":\"running\",\"why\":\"\",\"slice\":4,"
                       "\"minutes\":0.5,\"ops\":[{\"weight\":1,\"run\":0,\"ended\":\"\",\"options\":\"" +
                           quoted + "\"}],\"budget\":{\"candidates\":8,\"minutes\":0}}"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::view(data + 1, size - 1));
  if (data[0] % 2 == 'a' % 2) {
    if (const auto o = options_from_json(text)) {
      const auto again = options_from_json(options_to_json(*o));
      fuzz::require(again && options_to_json(*again) == options_to_json(*o));
    }
    return 0;
  }
  static const std::unique_ptr<store::Workspace> workspace =
      std::move(*store::Workspace::open(fuzz::folder() / "workspace"));
  const auto folder = workspace->folder() / "campaigns/1";
  std::filesystem::create_directories(folder);
  fuzz::write(folder / "campaign.json", text);
  if (const auto state = campaign_state(*workspace, 1)) (void)campaign_lines(*state);
  return 0;
}
