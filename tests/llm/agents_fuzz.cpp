// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a model's answer to each of the four agents. The first byte chooses the agent; an answer that
// is sent back is given again.
#include "llm/agents.h"
#include "llm/reply_text.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::llm;

namespace {

const char* const spec =
    "op relu(x: f32[R, C]) -> y: f32[R, C]\n  default R = 8, C = 16\n{\n  y[r, c] = max(x[r, c], 0)\n}\n";
const std::string kernel =
    "//@ candidate relu\n//@ launch k grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void k(const float* x, float* y, int C) { y[threadIdx.x] = x[0]; }\n";

class OneAnswer : public Client {
 public:
  explicit OneAnswer(std::string text) : text_(std::move(text)) {}
  Result<Exchange> ask(const Model&, Request, const Purpose&, std::stop_token) override {
    Exchange e;
    e.id = 1;
    e.reply.blocks.push_back({Block::Kind::text, text_, {}});
    return e;
  }
  Status outcome(std::int64_t, store::ExchangeOutcome, const std::string&) override { return {}; }
  Spend spend() const override { return {}; }
  bool budget_over() const override { return false; }

 private:
  std::string text_;
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    return fuzz::Seeds{
        "aHere it is.\n```cuda\n" + kernel + "```\nNote: one warp a row.\n",
        "b{\"bottleneck\": \"memory\", \"evidence\": \"12 sectors\", \"moves\": [{\"name\": \"float4\", \"why\": "
        "\"fewer "
        "loads\", \"gain\": 1.2}]}",
        "c```json\n{\"spec\": \"" + std::string("op a(x: f32[N]) -> y: f32[N]\\n default N = 4\\n{ y[i] = x[i] }") +
            "\", \"explanation\": \"e\", \"assumptions\": [\"N\"]}\n```",
        "c```op\n" + std::string(spec) + "```\n",
        "d{\"summary\": \"fine\", \"notes\": [{\"line\": 2, \"severity\": \"concern\", \"text\": \"no bounds\"}]}"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Result<PromptLibrary> prompts = PromptLibrary::load();
  fuzz::require(prompts.has_value());
  OneAnswer client{std::string(fuzz::view(data + 1, size - 1))};
  const Desk desk{client, *prompts, {}};
  Settings settings;
  settings.model.facts.preset = settings.model.facts.name = "fake";
  const Sheet sheet = {{"spec", spec}, {"device", "sm_80"}, {"case", "R = 8"}, {"candidate", kernel}};
  switch (data[0] % 4) {
    case 'a' % 4:
      if (const auto d = write(desk, settings, Mode::cuda_inline_ptx, sheet, "l", {}))
        fuzz::require(candidate::parse(d->text, d->language).has_value());
      break;
    case 'b' % 4:
      if (const auto d = analyse(desk, settings, sheet, "l", {})) (void)d->text();
      break;
    case 'c' % 4:
      if (const auto f = formulate(desk, settings, Source::sentence, "relu", {}))
        fuzz::require(static_cast<bool>(op::parse(f->text)));
      (void)guess_source(fuzz::view(data + 1, size - 1));
      break;
    default:
      if (const auto r = review(desk, settings, sheet, "l", {}))
        for (const ReviewNote& n : r->notes) fuzz::require(n.line >= 0 && n.line <= 4);
  }
  return 0;
}
