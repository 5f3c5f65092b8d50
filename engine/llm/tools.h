// SPDX-License-Identifier: Apache-2.0
// Tools that a model may call before it answers. What they say helps the model and decides nothing.
#pragma once
#include <stop_token>
#include <string>
#include <vector>
#include "llm/message.h"

namespace ww::llm {

class Toolbox {  // thread-safe
 public:
  virtual ~Toolbox() = default;
  virtual std::vector<Tool> list() const = 0;
  // The result, as text for the model; that a call was wrong, or failed, is one.
  virtual std::string call(const std::string& tool, const std::string& arguments, std::stop_token stop) = 0;
};

}  // namespace ww::llm
