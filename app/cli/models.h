// SPDX-License-Identifier: Apache-2.0
// Shared parts of the commands that ask models: prepares models, asks for consent before anything leaves the machine,
// and shows spend and exchanges as text and JSON.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "command.h"
#include "report/race.h"
#include "explore/run.h"
#include "interrupt.h"
#include "llm/agents.h"
#include "llm/catalogue.h"
#include "llm/consent.h"
#include "output.h"
#include "watch.h"

namespace ww::cli {

// Each of the selections, with key and provider, its host allowed. Asks on a terminal; elsewhere an unknown host is
// refused with the sentence that says how to allow it.
Result<std::vector<llm::Model>> ready_models(const std::vector<std::string>& selections, const llm::Limits& limits,
                                             const std::vector<std::string>& allow_hosts);
void say_what_is_left_out(const std::vector<llm::Model>& models,
                          const generator::ModelOptions& asked);  // temperature and effort, where a model takes none
// Consent for one host. `ask`: asks a person; empty: no one can be asked.
Status settle_host(const llm::Destination& to, const llm::Limits& limits, bool allow,
                   const std::function<bool(const std::string& question)>& ask);
// Says why a question to a model has no answer. A reply that cannot be read, or a refusal, is the model's failure, no
// wrong usage.
int not_answered(const Common& common, const Error& error);
// y or yes on the terminal; no one can be asked where stdin or stderr is not one.
bool on_terminal();
bool ask_person(const std::string& question);

// One question to one model, outside of a run: its desk, and what is shown meanwhile.
class Question {
 public:
  static Result<std::unique_ptr<Question>> prepare(const Common& common, const RunArgs& run);
  const llm::Desk& desk() const { return *desk_; }
  const llm::Settings& settings() const { return settings_; }
  store::Workspace& workspace() { return *workspace_; }
  std::stop_token token() const { return interrupt_.token(); }
  Json spend() const;  // SPEND

 private:
  Question() : interrupt_("\nStopping. Interrupt again to end at once.\n"), watcher_(live_) {}
  Interrupt interrupt_;
  LiveLine live_;
  ModelWatcher watcher_;
  std::unique_ptr<store::Workspace> workspace_;
  llm::PromptLibrary prompts_;
  std::unique_ptr<llm::Client> client_;
  std::unique_ptr<llm::Desk> desk_;
  llm::Settings settings_;
};

// All of a run's options but its op, the models readied (explore.cpp).
Result<generator::RunOptions> options_of(const RunArgs& run);
// The budget of a resumed run with the given flags applied; nothing where they do not change it.
std::optional<generator::Budget> new_budget(const RunArgs& run, const generator::Budget& before);
Status ready_for(const generator::RunOptions& options,
                 const std::vector<std::string>& allow_hosts);  // its models, if it has any

Json spend_json(const llm::Spend& spend);
Result<Json> spend_of_run(store::Workspace& workspace, std::int64_t run);  // from its exchanges
std::string race_text(const report::Race& race);  // who found what when; empty for fewer than two strategies

}  // namespace ww::cli
