// SPDX-License-Identifier: Apache-2.0
// A generator plugin whose proposals depend on the request's history alone: costs fall slowly, each seventh is wrong,
// each child names the best so far as its parent.
#include <algorithm>
#include "generator/generator.h"
#include "script.h"

namespace {

using namespace ww::generator;

class Scripted final : public Generator {
 public:
  std::string name() const override { return "scripted"; }
  ww::Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    const Feedback* best = nullptr;
    for (const Feedback& f : request.history)
      if (f.ranked && (!best || f.score < best->score)) best = &f;
    std::vector<Proposal> list;
    while (list.size() < request.wanted) {
      const std::size_t number = next_++;
      Proposal p;
      p.structure = number % 2 ? "row-warp" : "row-block";
      p.text = ww::script::candidate("number " + std::to_string(number),
                                     number % 7 == 6 ? "rejected" : "accepted " + std::to_string(100000 - 100 * number),
                                     p.structure);
      if (std::any_of(request.history.begin(), request.history.end(),
                      [&](const Feedback& f) { return f.text == p.text; }))
        continue;
      p.parent = best ? best->hash : "";
      p.note = "because it is the next";
      list.push_back(std::move(p));
    }
    return list;
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Generator* ww_make_generator() { return new Scripted; }
extern "C" __attribute__((visibility("default"))) int ww_generator_abi() { return generator_abi; }
