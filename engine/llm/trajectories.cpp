// SPDX-License-Identifier: Apache-2.0
#include "llm/trajectories.h"
#include <map>
#include <nlohmann/json.hpp>
#include "llm/message_json.h"
#include "store/workspace.h"
#include "base/json_reader.h"
#include "base/visible.h"

namespace ww::llm {
namespace {

using Json = nlohmann::ordered_json;

struct Pace {                  // of one kind of score (provenance and unit) in the run
  double best = 0, first = 0;  // lower is better; of all accepted, and of the first that was
  std::int64_t first_order = 0;
};
struct Facts {
  std::map<std::pair<Provenance, std::string>, Pace> paces;
  std::map<std::int64_t, std::string> candidates;  // exchange, hash
};

Result<Facts> read_facts(store::Workspace& workspace, std::int64_t run) {
  Facts facts;
  WW_TRY(workspace.each_candidate(run, [&](const store::CandidateRecord& c) -> Status {
    if (c.exchange != 0) facts.candidates.emplace(c.exchange, c.hash);
    if (c.state != store::CandidateState::accepted || !c.score || !(*c.score > 0)) return {};
    Pace& p = facts.paces[{c.score_provenance, c.score_unit}];
    if (p.first_order == 0 || *c.score < p.best) p.best = *c.score;
    if (p.first_order == 0 || c.order < p.first_order) {
      p.first = *c.score;
      p.first_order = c.order;
    }
    return {};
  }));
  return facts;
}

// The verdict of an exchange's candidate, or of the candidate that it duplicates; and its reward.
Status add_verdict(Json& j, store::Workspace& workspace, std::int64_t run, std::int64_t exchange,
                   const std::string& hash, const Facts& facts) {
  Result<store::CandidateRecord> c = workspace.candidate_of(run, hash);
  if (!c) return c.error().code == Code::not_found ? Status() : fail(c.error());
  const bool repeats = c->state == store::CandidateState::duplicate || c->exchange != exchange;
  if (c->state == store::CandidateState::duplicate) {
    j["duplicate_of"] = c->duplicate_of;
    c = workspace.candidate_of(run, c->duplicate_of);
    if (!c) return c.error().code == Code::not_found ? Status() : fail(c.error());
  }
  if (!c->verdict) return {};
  std::string stage;
  if (const evidence::StageResult* last = c->verdict->last_stage()) stage = enum_name(last->stage);
  const evidence::Ruling ruling = c->verdict->ruling();
  j["verdict"] = {{"accepted", c->verdict->accepted},
                  {"ruling", enum_name(ruling)},
                  {"stage", stage},
                  {"summary", c->verdict->summary()}};
  Json reward;
  const auto pace =
      c->score && *c->score > 0 ? facts.paces.find({c->score_provenance, c->score_unit}) : facts.paces.end();
  if (ruling == evidence::Ruling::not_judged) return {};
  if (repeats) {
    reward = {{"value", 0.0}, {"how", "0: the run had this kernel already"}};
  } else if (ruling == evidence::Ruling::rejected) {
    reward = {{"value", 0.0}, {"how", "0: rejected"}};
  } else if (pace == facts.paces.end()) {
    reward = {{"value", 0.5}, {"how", "0.5: accepted; its speed is not known"}};
  } else {
    const double of_best = pace->second.best / *c->score;
    reward = {{"value", 0.5 + 0.5 * of_best},
              {"how",
               "0.5 + 0.5 x of_best: accepted; of_best is the run's best score over this one, over_first the score of "
               "the run's first accepted candidate over this one"},
              {"speed",
               {{"of_best", of_best},
                {"over_first", pace->second.first / *c->score},
                {"score", *c->score},
                {"unit", c->score_unit},
                {"provenance", enum_string(c->score_provenance)}}}};
  }
  j["reward"] = std::move(reward);
  return {};
}

// Calls of tools, and what they said, beside the text.
void add_calls(Json& j, const std::vector<Block>& blocks) {
  for (const Block& b : blocks) {
    if (b.kind == Block::Kind::call) j["calls"].push_back({{"id", b.id}, {"tool", b.tool}, {"arguments", b.text}});
    if (b.kind == Block::Kind::result) j["results"].push_back({{"id", b.id}, {"tool", b.tool}, {"text", b.text}});
  }
}

Result<std::string> line_of(store::Workspace& workspace, const store::RunRecord& run, std::int64_t id,
                            const Facts& facts) {
  const store::ExchangeRecord e = WW_TRY(workspace.exchange(id));
  const Result<Request> request = request_from_json(e.request);
  if (!request)
    return fail(request.error().code, "exchange " + std::to_string(id) + " cannot be exported",
                request.error().message);
  Json j = {{"schema", trajectory_schema},
            {"run", e.run},
            {"exchange", e.id},
            {"op", run.op_name},
            {"device", run.device},
            {"architecture", run.architecture},
            {"role", enum_name(e.role)},
            {"label", e.label},
            {"model", e.model},
            {"prompt", e.prompt},
            {"state", enum_string(e.state)}};
  Json parameters = {{"max_output_tokens", request->max_output_tokens}};
  if (request->temperature) parameters["temperature"] = *request->temperature;
  if (request->seed) parameters["seed"] = *request->seed;
  if (!request->effort.empty()) parameters["effort"] = request->effort;
  j["parameters"] = std::move(parameters);
  Json messages = Json::array();
  for (const Message& m : request->messages) {
    messages.push_back({{"role", enum_name(m.role)}, {"content", m.text()}});
    add_calls(messages.back(), m.blocks);
  }
  j["messages"] = std::move(messages);
  j["reply"] = nullptr;
  if (!e.reply.empty()) {
    const Result<Reply> reply = reply_from_json(e.reply);
    if (!reply)
      return fail(reply.error().code, "exchange " + std::to_string(id) + " cannot be exported", reply.error().message);
    j["reply"] = reply->text();
    j["stop"] = enum_name(reply->stop);
    add_calls(j, reply->blocks);
    if (const std::string thinking = reply->thinking(); !thinking.empty()) j["thinking"] = thinking;
  }
  if (!e.why.empty()) j["why"] = e.why;
  j["usage"] = {
      {"prompt", e.prompt_tokens},         {"cached", e.cached_tokens},       {"cache_written", e.cache_written_tokens},
      {"completion", e.completion_tokens}, {"reasoning", e.reasoning_tokens}, {"reported", e.tokens_reported}};
  j["money"] = e.money ? Json(*e.money) : Json(nullptr);
  j["seconds"] = e.seconds;
  j["outcome"] = enum_name(e.outcome);
  std::string hash = e.candidate;
  if (const auto made = facts.candidates.find(id); hash.empty() && made != facts.candidates.end()) hash = made->second;
  j["candidate"] = hash;
  if (!hash.empty()) WW_TRY(add_verdict(j, workspace, e.run, e.id, hash, facts));
  return visible(j.dump(-1, ' ', false, Json::error_handler_t::replace), Escapes::json);  // safe to display
}

}  // namespace

Result<std::int64_t> export_trajectories(store::Workspace& workspace, std::int64_t run,
                                         const std::function<Status(std::string_view)>& line) {
  try {
    store::RunRecord record;
    if (run != 0) {
      store::RunRecord there = WW_TRY(workspace.run(run));
      record = std::move(there);
    }
    const Facts facts = WW_TRY(read_facts(workspace, run));
    const std::vector<store::ExchangeRecord> list = WW_TRY(workspace.exchanges(run));
    for (const store::ExchangeRecord& e : list) {
      const std::string text = WW_TRY(line_of(workspace, record, e.id, facts));
      WW_TRY(line(text));
    }
    return static_cast<std::int64_t>(list.size());
  } catch (const std::exception& e) {
    return fail(Code::internal, "the trajectories cannot be written", json::explain_exception(e));
  }
}

}  // namespace ww::llm
