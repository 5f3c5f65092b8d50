// SPDX-License-Identifier: Apache-2.0
// Options of runs whose worker does what the candidates' comments say.
#pragma once
#include <QtGlobal>
#include "generator/run_options.h"
#include "script.h"

namespace ww::script {

inline generator::RunOptions options(const std::string& generator, int candidates) {
  generator::RunOptions o;
  o.spec = spec;
  o.generator = generator;
  o.budget.candidates = candidates;
  o.workers = 1;
  qputenv("WARPWRIGHT_WORKER", SCRIPTED_WORKER);  // resumed runs use it, too
  return o;
}

}  // namespace ww::script
