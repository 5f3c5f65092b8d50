// SPDX-License-Identifier: Apache-2.0
#include "llm/events.h"
#include <fmt/format.h>
#include "llm/model_name.h"

namespace ww::llm {

std::string sentence(const PromptCut& cut) {
  const std::optional<ModelName> name = ModelName::read(cut.model);
  return fmt::format(
      "{} says that it read {} tokens of a prompt of about {}, all of which are counted: its context is too short, and "
      "it left the rest out without a word. Give it a longer one ({}), or send shorter prompts with --prompt-tokens",
      cut.model, cut.read, cut.estimated,
      name && name->preset == "ollama" ? "start Ollama with OLLAMA_CONTEXT_LENGTH=32768" : "an option of its server");
}

std::string sentence(const AskedAgain& again) {
  return fmt::format("request {} is asked again: {}", again.exchange, again.why);
}

}  // namespace ww::llm
