// SPDX-License-Identifier: Apache-2.0
// Shared by the commands that ask models: prepares models, asks for consent before anything leaves the machine, and
// shows spend and exchanges as text and JSON.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "command.h"
#include "report/race.h"
#include "explore/run.h"
#include "interrupt.h"
#include "llm/catalogue.h"
#include "llm/consent.h"
#include "llm/turns.h"
#include "output.h"
#include "watch.h"

namespace ww::cli {

// Each of the selections, with key and provider, its host allowed. Asks on a terminal; otherwise an unknown host is
// refused with a sentence on how to allow it.
Result<std::vector<llm::Model>> ready_models(const std::vector<std::string>& selections, const llm::Limits& limits,
                                             const std::vector<std::string>& allow_hosts);
void warn_omitted_options(const std::vector<llm::Model>& models,
                          // temperature and effort, if a model does not accept them
                          const generator::ModelOptions& asked);
// Consent for one host. `ask`: asks the user; empty: it cannot ask.
Status settle_host(const llm::Destination& to, const llm::Limits& limits, bool allow,
                   const std::function<bool(const std::string& question)>& ask);
// Reports why a question to a model has no answer. An unreadable reply or a refusal is the model's failure, not a usage
// error.
int not_answered(const Common& common, const Error& error);
// y or yes on the terminal; cannot ask if stdin or stderr is not one.
bool on_terminal();
bool ask_person(const std::string& question);

// One question to a model outside a run: its desk, and the progress display.
class Question {
 public:
  // As the settings of the role say, where the arguments say nothing.
  static Result<std::unique_ptr<Question>> prepare(const Common& common, const RunArgs& run, std::string_view role);
  const llm::Desk& desk() const { return *desk_; }
  llm::Turns& models() { return models_; }  // of the role, in turn
  store::Workspace& workspace() { return *workspace_; }
  std::stop_token token() const { return interrupt_.token(); }
  Json spend() const;  // SPEND

 private:
  Question() : interrupt_("\nStopping. Interrupt again to exit at once.\n"), watcher_(live_) {}
  Interrupt interrupt_;
  LiveLine live_;
  ModelWatcher watcher_;
  std::unique_ptr<store::Workspace> workspace_;
  llm::PromptLibrary prompts_;
  std::unique_ptr<llm::Client> client_;
  std::unique_ptr<llm::Desk> desk_;
  llm::Turns models_;
};

// All of a run's options except its op, with models ready (explore.cpp).
Result<generator::RunOptions> options_of(const RunArgs& run);
// The budget of a resumed run with the given flags applied; empty if unchanged.
std::optional<generator::Budget> new_budget(const RunArgs& run, const generator::Budget& before);
// A run that is about to be resumed; refused where its models are not ready, or a limit came too late (explore.cpp).
struct Resuming {
  std::int64_t run = 0;
  int judged = 0;                           // before
  std::optional<generator::Budget> budget;  // empty: unchanged
  generator::Budget shown_budget;
};
Result<Resuming> resuming_run(store::Workspace& workspace, const RunArgs& args, std::int64_t run);
Status ready_for(const generator::RunOptions& options,
                 const std::vector<std::string>& allow_hosts);  // its models, if it has any

Json spend_json(const llm::Spend& spend);
Result<Json> spend_of_run(store::Workspace& workspace, std::int64_t run);  // from its exchanges
std::string race_text(const report::Race& race);  // what each strategy found when; empty for fewer than two strategies

}  // namespace ww::cli
