// SPDX-License-Identifier: Apache-2.0
// Fixed state of a run that asks models: the models with their prompts, and the facts about op, device and workspace in
// every prompt.
#pragma once
#include <memory>
#include <optional>
#include "appraisal/advice.h"
#include "generator/run_options.h"
#include "llm/agents.h"
#include "llm/batching.h"
#include "llm/tools.h"
#include "model_loop/memory.h"
#include "model_loop/recorded.h"
#include "model_loop/transcript.h"

namespace ww::model_loop {

struct Cast {  // which model has which part
  llm::Settings writer;
  std::vector<llm::Settings> fallbacks;  // that take the writer's part in turn
  std::optional<llm::Settings> fixer;    // of rejected candidates; empty: the writer
  std::optional<llm::Settings> analyst;
  std::vector<llm::Settings> fixer_fallbacks, analyst_fallbacks;

  // After an outage of the writer: the next fallback has its part, and the analyst's where one service had both. False:
  // no one is left.
  bool fall_back();
  bool replace_fixer();  // by its next fallback; false: there is none, and the writer repairs
  bool replace_analyst();
  bool has_fallbacks() const { return !(fallbacks.empty() && fixer_fallbacks.empty() && analyst_fallbacks.empty()); }
};

struct Models {
  llm::Mode mode = llm::Mode::cuda;
  llm::PromptLibrary prompts;
  Cast cast;
  std::unique_ptr<llm::Batches> batches;      // null: each request goes alone
  std::optional<Transcript> transcript;       // of the run that this one replays
  std::unique_ptr<llm::Client> whole_client;  // under `client`, where that ends attempts as recorded
  std::unique_ptr<llm::Client> client;
  generator::Budget budget;             // of the process, or of the one that a replay repeats just now
  std::unique_ptr<llm::Toolbox> tools;  // of the writer; null: none
  bool tools_withdrawn = false;         // from a model that did nothing but call them
  Recorded recorded;                    // of the run that this one replays

  static Result<Models> open(const generator::Host& host);
  // Starts counting with what is stored of the run, as a process that resumes it does. `ends`: in a replay, the
  // recorded process did not come to the run's end.
  Status begin(const generator::Host& host, const generator::Budget& of_process, bool ends = false);
  bool budget_over() const { return client->budget_over(); }
  llm::Toolbox* offered_tools() const { return tools_withdrawn ? nullptr : tools.get(); }  // null: none
};

// Notes what is known of all models that the options name, for replays. What is not known fails when it is asked.
void note_terms(generator::ModelOptions& options);

struct Survey {
  appraisal::RunContext context;
  llm::Sheet sheet;
  std::vector<Remembered> remembered;  // kernels of earlier runs
};
Result<Survey> survey(const generator::Host& host);

}  // namespace ww::model_loop
