// SPDX-License-Identifier: Apache-2.0
// The built-in search as a generator: structures of the op's family by family lowering, then tuning by what the
// verdicts said.
#include <exception>
#include <optional>
#include "generator/generator.h"
#include "search/tuner.h"

namespace {

using namespace ww;

class SearchGenerator : public generator::Generator {
 public:
  std::string name() const override { return "search"; }
  std::string why_ended() const override {
    return any_ ? std::string()
                : "the search has no structure for this op at these shapes; a model (--model) or your own kernel may";
  }

  Result<std::vector<generator::Proposal>> propose(const generator::GeneratorRequest& request,
                                                   std::stop_token stop) override {
    try {
      return propose_or_throw(request, stop);
    } catch (const std::exception& e) { return fail(Code::internal, "the search stopped unexpectedly", e.what()); }
  }

 private:
  Result<std::vector<generator::Proposal>> propose_or_throw(const generator::GeneratorRequest& request,
                                                            std::stop_token stop) {
    if (!tuner_ || spec_ != request.spec.text || !(binding_ == request.binding)) {
      auto tuner = WW_TRY(search::Tuner::make(request.spec, request.binding, stop));
      tuner_ = std::move(tuner);
      spec_ = request.spec.text;
      binding_ = request.binding;
    }
    std::vector<search::Judged> history;
    for (const generator::Feedback& f : request.history)
      history.push_back({f.hash, f.text, f.accepted, f.ranked, f.score});
    std::vector<generator::Proposal> out;
    for (search::Offer& o : tuner_->next(history, request.wanted, stop))
      out.push_back({.text = std::move(o.text),
                     .parent = std::move(o.parent),
                     .structure = std::move(o.structure),
                     .note = std::move(o.note),
                     .origin = {.move = std::move(o.move)}});
    any_ = any_ || !out.empty() || !request.history.empty();
    return out;
  }

  std::optional<search::Tuner> tuner_;
  std::string spec_;
  op::Binding binding_;
  bool any_ = false;  // something was proposed, in this process or an earlier one
};

}  // namespace

extern "C" __attribute__((visibility("default"))) ww::generator::Generator* ww_make_generator() {
  return new SearchGenerator;
}
extern "C" __attribute__((visibility("default"))) int ww_generator_abi() { return ww::generator::generator_abi; }
