// SPDX-License-Identifier: Apache-2.0
// The tools of a run's writer: compile, check, count, advice, kernel. They run as candidates do, in a worker, on the
// SIMT machine; nothing of what they find is stored as a verdict.
#pragma once
#include <memory>
#include <vector>
#include "generator/generator.h"
#include "llm/tools.h"
#include "model_loop/memory.h"
#include "model_loop/models.h"

namespace ww::model_loop {

// `host` and `survey` outlive it. `remembered`: what the tool "kernel" may show.
std::unique_ptr<llm::Toolbox> make_tools(const generator::Host& host, const Survey& survey,
                                         candidate::Language language, std::vector<Remembered> remembered);

}  // namespace ww::model_loop
