// SPDX-License-Identifier: Apache-2.0
// The models that have one role in turn, for questions outside of runs: where the service of one does not answer, the
// next has the role from then on.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include "llm/agents.h"
#include "llm/roles.h"

namespace ww::llm {

struct Turns {
  std::vector<Settings> models;                 // the first has the role; never empty
  std::function<void(const std::string&)> say;  // a sentence when it passes on; may be empty
  const Settings& now() const { return models.front(); }
};

// The names of a role's models in turn: `chosen`, or the one that is set for the role where that is empty, then the
// role's fallbacks. Empty: none is known.
std::vector<std::string> models_of(const std::vector<RoleSettings>& roles, std::string_view role,
                                   const std::string& chosen);
std::string name_of(const Settings& settings);  // of the model: "a:big"
// "a:big does not answer (…); b:small is asked from now on"; `does`: what `to` does from now on
std::string passed_on(const std::string& from, const Error& why, const Settings& to,
                      const std::string& does = "is asked");
// Whether another model is to be asked instead: its service is out, or answered in none of its attempts.
inline bool passes_on(Code code) {
  return is_outage(code) || code == Code::timeout || code == Code::io || code == Code::corrupt;
}

// Calls ask(settings) for the first, then for the next as long as services are out. Neither a used-up budget nor
// a refusal is passed on.
template <class Ask>
auto in_turn(const Desk& desk, Turns& turns, const std::stop_token& stop, const Ask& ask) {
  for (;;) {
    auto answer = ask(turns.now());
    if (answer || !passes_on(answer.error().code) || turns.models.size() == 1 || desk.client.budget_over() ||
        stop.stop_requested())
      return answer;
    if (turns.say) turns.say(passed_on(name_of(turns.now()), answer.error(), turns.models[1]));
    turns.models.erase(turns.models.begin());
  }
}

inline Result<Formulation> formulate(const Desk& desk, Turns& turns, Source source, const std::string& text,
                                     const std::stop_token& stop) {
  return in_turn(desk, turns, stop, [&](const Settings& s) { return formulate(desk, s, source, text, stop); });
}
inline Result<ReviewNotes> review(const Desk& desk, Turns& turns, const Sheet& sheet, const Label& label,
                                  const std::stop_token& stop) {
  return in_turn(desk, turns, stop, [&](const Settings& s) { return review(desk, s, sheet, label, stop); });
}

}  // namespace ww::llm
