// SPDX-License-Identifier: Apache-2.0
// Between the client's view of an exchange and its stored record.
#pragma once
#include <cstdint>
#include <string>
#include "llm/client.h"
#include "store/workspace.h"

namespace ww::llm {

Usage usage_of(const store::ExchangeRecord& record);
// `prompt`: its estimated tokens, which are lost if the program dies before the reply.
store::ExchangeRecord new_record(const Model& model, const Request& request, const Purpose& purpose, std::int64_t run,
                                 const std::string& host, std::int64_t prompt);
void put_reply(const Reply& reply, const ModelFacts& facts, store::ExchangeRecord& record);  // what it cost

}  // namespace ww::llm
