// SPDX-License-Identifier: Apache-2.0
// OpenAI's two interfaces, and the servers that speak them: Azure, OpenRouter, vLLM, llama.cpp, LM Studio, Ollama,
// LiteLLM. https://platform.openai.com/docs/api-reference/chat and /responses.
#pragma once
#include <memory>
#include <string>
#include "providers/common/service.h"

namespace ww::providers {

inline std::string effort_word(const std::string& effort) { return effort == "max" ? "xhigh" : effort; }

std::unique_ptr<Dialect> make_chat(const llm::Endpoint& endpoint);       // Chat Completions
std::unique_ptr<Dialect> make_responses(const llm::Endpoint& endpoint);  // Responses
std::unique_ptr<llm::Provider> make_openai(const llm::Endpoint& endpoint,
                                           const http::RetryOptions& pace = {});  // by Endpoint.dialect; empty: chat

}  // namespace ww::providers
