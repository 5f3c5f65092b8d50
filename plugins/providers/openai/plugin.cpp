// SPDX-License-Identifier: Apache-2.0
#include "providers/openai/openai.h"

extern "C" __attribute__((visibility("default"))) ww::llm::Provider* ww_make_provider(
    const ww::llm::Endpoint& endpoint) {
  return ww::providers::make_openai(endpoint).release();
}
extern "C" __attribute__((visibility("default"))) int ww_provider_abi() { return ww::llm::provider_abi; }
