// SPDX-License-Identifier: Apache-2.0
#include "explore/options_json.h"
#include <nlohmann/json.hpp>
#include "gate/verdict_json.h"

namespace ww::explore {
using nlohmann::json;
namespace {
constexpr const char* schema = "warpwright/run-options/2";
constexpr const char* before_models =
    "warpwright/run-options/1";  // the same without budget.tokens, budget.money and model

json model_json(const ModelOptions& m) {
  json j = {
      {"strategies", m.strategies},
      {"writer", m.writer},
      {"analyst", m.analyst},
      {"mode", m.mode},
      {"seed", m.seed},
      {"effort", m.effort},
      {"output_tokens", m.output_tokens},
      {"prompt_tokens", m.prompt_tokens},
      {"parallel", m.parallel},
      {"width", m.width},
      {"children", m.children},
      {"patience", m.patience},
      {"fixes", m.fixes},
      {"replay_of", m.replay_of},
      {"limits", {{"sources", m.limits.sources}, {"paths", m.limits.paths}, {"device_name", m.limits.device_name}}}};
  if (m.temperature) j["temperature"] = *m.temperature;
  return j;
}

ModelOptions model_of(const json& j) {
  ModelOptions m;
  m.strategies = j.at("strategies").get<std::vector<std::string>>();
  m.writer = j.at("writer");
  m.analyst = j.at("analyst");
  m.mode = j.at("mode");
  m.seed = j.at("seed");
  m.effort = j.at("effort");
  m.output_tokens = j.at("output_tokens");
  m.prompt_tokens = j.at("prompt_tokens");
  m.parallel = j.at("parallel");
  m.width = j.value("width", m.width);  // runs of before have none of these four
  m.children = j.value("children", m.children);
  m.patience = j.value("patience", m.patience);
  m.fixes = j.value("fixes", m.fixes);
  m.replay_of = j.at("replay_of");
  const json& limits = j.at("limits");
  m.limits = {limits.at("sources"), limits.at("paths"), limits.at("device_name")};
  if (const auto t = j.find("temperature"); t != j.end()) m.temperature = t->get<double>();
  return m;
}

}  // namespace

std::string options_to_json(const RunOptions& o) {
  json given = json::array();
  for (const Proposal& p : o.given)
    given.push_back({{"text", p.text},
                     {"language", p.language == candidate::Language::ptx ? "ptx" : "cuda"},
                     {"parent", p.parent},
                     {"structure", p.structure},
                     {"note", p.note},
                     {"generator", p.generator}});
  const json j = {{"schema", schema},
                  {"spec", o.spec},
                  {"binding", json::parse(gate::binding_to_json(o.binding), nullptr, false)},
                  {"sentence", o.sentence},
                  {"generator", o.generator},
                  {"device", o.device},
                  {"architecture", o.architecture},
                  {"budget",
                   {{"candidates", o.budget.candidates},
                    {"minutes", o.budget.minutes},
                    {"tokens", o.budget.tokens},
                    {"money", o.budget.money}}},
                  {"seeds", o.seeds},
                  {"workers", o.workers},
                  {"candidate_seconds", o.candidate_seconds},
                  {"given", given},
                  {"model", model_json(o.model)},
                  {"worker",
                   {{"program", o.worker.program.string()},
                    {"compile_cache", o.worker.compile_cache.string()},
                    {"start_deadline_ms", o.worker.start_deadline.count()},
                    {"memory_limit", o.worker.memory_limit}}}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RunOptions> options_from_json(const std::string& text) {
  try {
    const json j = json::parse(text);
    const bool old = j.at("schema") == before_models;
    if (!old && j.at("schema") != schema)
      return fail(Code::unsupported, "the run's options were written by another version of Warpwright");
    RunOptions o;
    o.spec = j.at("spec");
    op::Binding binding = WW_TRY(gate::binding_from_json(j.at("binding").dump()));
    o.binding = std::move(binding);
    o.sentence = j.at("sentence");
    o.generator = j.at("generator");
    o.device = j.at("device");
    o.architecture = j.at("architecture");
    o.budget.candidates = j.at("budget").at("candidates");
    o.budget.minutes = j.at("budget").at("minutes");
    if (!old) {
      o.budget.tokens = j.at("budget").at("tokens");
      o.budget.money = j.at("budget").at("money");
      o.model = model_of(j.at("model"));
    }
    o.seeds = j.at("seeds");
    o.workers = j.at("workers");
    o.candidate_seconds = j.value("candidate_seconds", o.candidate_seconds);
    for (const json& g : j.at("given"))
      o.given.push_back({g.at("text"), g.at("language") == "ptx" ? candidate::Language::ptx : candidate::Language::cuda,
                         g.at("parent"), g.at("structure"), g.at("note"), g.value("generator", "")});
    const json& w = j.at("worker");
    o.worker.program = w.at("program").get<std::string>();
    o.worker.compile_cache = w.at("compile_cache").get<std::string>();
    o.worker.start_deadline = std::chrono::milliseconds(w.at("start_deadline_ms").get<std::int64_t>());
    o.worker.memory_limit = w.at("memory_limit");
    return o;
  } catch (const std::exception& e) { return fail(Code::corrupt, "the run's stored options cannot be read", e.what()); }
}

}  // namespace ww::explore
