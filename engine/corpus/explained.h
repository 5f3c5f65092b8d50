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
  template <class V>
  static void fields(V&& v) {
    v("stage", &ExplainedStage::stage);
    v("checks", &ExplainedStage::checks);
  }
};

struct Source {
  std::string title, url;
  template <class V>
  static void fields(V&& v) {
    v("title", &Source::title);
    v("url", &Source::url);
  }
};

struct ExplainedKind {
  std::string name;  // of its file in resources/corpus/cheats, where there is one
  std::string cheat, example, met_by;
  std::vector<Source> sources;  // public ones that describe such cheats
  template <class V>
  static void fields(V&& v) {
    v("name", &ExplainedKind::name);
    v("cheat", &ExplainedKind::cheat);
    v("example", &ExplainedKind::example);
    v("met_by", &ExplainedKind::met_by);
    v("sources", &ExplainedKind::sources);
  }
};

struct Explained {
  std::vector<ExplainedStage> stages;
  std::vector<ExplainedKind> kinds;
  static Result<Explained> load();
  const ExplainedStage* stage(const std::string& name) const;  // null: there is none
  const ExplainedKind* kind(const std::string& name) const;
  template <class V>
  static void fields(V&& v) {
    v("stages", &Explained::stages);
    v("kinds", &Explained::kinds);
  }
};

}  // namespace ww::corpus
