// SPDX-License-Identifier: Apache-2.0
// Anthropic's Messages interface. https://platform.claude.com/docs/en/api/messages.
#pragma once
#include <memory>
#include "providers/common/service.h"

namespace ww::providers {

std::unique_ptr<Dialect> make_messages(const llm::Endpoint& endpoint);
std::unique_ptr<llm::Provider> make_anthropic(const llm::Endpoint& endpoint, const http::RetryOptions& pace = {});

}  // namespace ww::providers
