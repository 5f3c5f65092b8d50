// SPDX-License-Identifier: Apache-2.0
// Runs whose generator is a function of the test, and what they report, checked as it comes.
#pragma once
#include <atomic>
#include <functional>
#include "explore/generators.h"
#include "explore/run.h"
#include "scripted_options.h"
#include "store/workspace.h"

namespace ww::testing {

using namespace ww::explore;
using namespace ww::generator;

using Propose = std::function<Result<std::vector<Proposal>>(const GeneratorRequest&, int call)>;

class Lambda final : public Generator {
 public:
  explicit Lambda(Propose propose) : propose_(std::move(propose)) {}
  std::string name() const override { return "lambda"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    return propose_(request, calls_++);
  }

 private:
  Propose propose_;
  int calls_ = 0;
};

inline void use(Propose propose) {
  add_generator("lambda", [propose] { return std::make_unique<Lambda>(propose); });
}

inline Proposal proposal(const std::string& name, const std::string& becomes, const std::string& structure = "plain") {
  return {script::candidate(name, becomes, structure), candidate::Language::cuda, "", structure, "why"};
}

// Endless, with falling costs; each fourth is wrong.
inline Result<std::vector<Proposal>> endless(const GeneratorRequest& request, int call) {
  std::vector<Proposal> list;
  for (std::size_t i = 0; i < request.wanted; ++i) {
    const std::string name =
        std::to_string(call) + "/" + std::to_string(i) + "/" + std::to_string(request.history.size());
    list.push_back(
        proposal(name, i % 4 == 3 ? "rejected" : "accepted " + std::to_string(9000 - 10 * call - static_cast<int>(i)),
                 i % 2 ? "odd" : "even"));
  }
  return list;
}

inline RunOptions options_with(int budget, int workers = 1) {
  RunOptions o = script::options("lambda", budget);
  o.workers = workers;
  return o;
}

struct Log {  // what a run reported, checked against the store as it comes
  store::Workspace& workspace;
  std::vector<Event> events;
  std::atomic<int> inside{0};
  std::vector<std::string> complaints;
  std::int64_t run = 0;
  RunEnded ended;
  std::function<void(const Event&)> also;

  explicit Log(store::Workspace& w) : workspace(w) {}
  void complain(const std::string& what) { complaints.push_back(what); }
  EventHandler handler() {
    return [this](const Event& e) {
      if (++inside != 1) complain("two events at once");
      if (const auto* s = std::get_if<RunStarted>(&e)) run = s->run;
      if (const auto* p = std::get_if<CandidateProposed>(&e))
        if (!workspace.candidate(p->row.id)) complain("reported before it was stored");
      if (const auto* j = std::get_if<CandidateJudged>(&e)) {
        const auto c = workspace.candidate(j->row.id);
        if (!c || c->state != j->row.state || (c->state != store::CandidateState::not_judged && !c->verdict))
          complain("verdict reported before it was stored");
      }
      if (const auto* end = std::get_if<RunEnded>(&e)) ended = *end;
      events.push_back(e);
      if (also) also(e);
      --inside;
    };
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> list;
    for (const Event& e : events)
      if (const auto* t = std::get_if<T>(&e)) list.push_back(*t);
    return list;
  }
  std::string says() const {
    std::string text;
    for (const RunMessage& m : all<RunMessage>()) text += m.text + "\n";
    return text;
  }
};

inline int count(store::Workspace& w, std::int64_t run, store::CandidateState state) {
  int n = 0;
  const auto list = w.candidates(run).value();
  for (const auto& c : list) n += c.state == state;
  return n;
}

}  // namespace ww::testing
