// SPDX-License-Identifier: Apache-2.0
// resources/gate/explained.json: what each stage of the gate checks, in order, and how each known kind of cheat is
// countered.
#pragma once
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "evidence/verdict.h"

namespace ww::corpus {

struct ExplainedStage {
  evidence::Stage stage = evidence::Stage::contract;
  std::string checks;
  WW_FIELDS(ExplainedStage, stage, checks)
};

struct Source {
  std::string title, url;
  WW_FIELDS(Source, title, url)
};

struct ExplainedKind {
  std::string name;  // of its file in resources/corpus/cheats, where there is one
  std::string cheat, example, met_by;
  std::vector<Source> sources;  // public ones that describe such cheats
  WW_FIELDS(ExplainedKind, name, cheat, example, met_by, sources)
};

struct Explained {
  std::vector<ExplainedStage> stages;
  std::vector<ExplainedKind> kinds;
  static Result<Explained> load();
  const ExplainedStage* stage(const std::string& name) const;  // null: there is none
  const ExplainedKind* kind(const std::string& name) const;
  WW_FIELDS(Explained, stages, kinds)
};

}  // namespace ww::corpus
