// SPDX-License-Identifier: Apache-2.0
#include "llm/replay.h"
#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include "base/hash.h"
#include "llm/exchange_record.h"
#include "llm/message_json.h"
#include "store/workspace.h"

namespace ww::llm {
namespace {

constexpr std::size_t compared =
    200;  // recorded requests that a miss is compared with: those that were not asked yet, in their order

// What tools said is left out: they run again in a replay, and may word it otherwise.
std::string hash_without_limit(Request request) {
  request.max_output_tokens = 0;
  for (Message& m : request.messages)
    for (Block& b : m.blocks)
      if (b.kind == Block::Kind::result) b.text.clear();
  return hash_hex(request_to_json(request));
}

std::string shown(const std::string& text, std::size_t at) {  // some of the line around a place
  std::size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
  begin = begin == text.npos || at == 0 ? 0 : begin + 1;
  if (at > begin + 40) {
    begin = at - 40;
    while (begin < at && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80)
      ++begin;  // not inside of a character
  }
  std::size_t end = std::min({text.find('\n', at), text.size(), begin + 80});
  while (end < text.size() && end > begin && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return end <= begin ? "its end" : "'" + text.substr(begin, end - begin) + "'";
}

std::string number(const std::optional<double>& value) { return value ? std::to_string(*value) : "none"; }
std::string number(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : "none"; }

std::string names_of_tools(const std::vector<Tool>& tools) {
  std::string names;
  for (const Tool& t : tools) names += (names.empty() ? "" : ", ") + t.name;
  return names.empty() ? "none" : names;
}
std::string json_of(const std::vector<Tool>& tools) {
  Request only;
  only.tools = tools;
  return request_to_json(only);
}

std::string difference(const Request& recorded, const Request& asked) {
  const auto differs = [](const char* what, const std::string& there, const std::string& here) {
    return std::string(what) + ": recorded " + there + ", asked " + here;
  };
  if (recorded.model != asked.model) return differs("the model", "'" + recorded.model + "'", "'" + asked.model + "'");
  if (recorded.temperature != asked.temperature)
    return differs("the temperature", number(recorded.temperature), number(asked.temperature));
  if (recorded.seed != asked.seed) return differs("the seed", number(recorded.seed), number(asked.seed));
  if (recorded.effort != asked.effort)
    return differs("the effort", "'" + recorded.effort + "'", "'" + asked.effort + "'");
  if (recorded.schema.has_value() != asked.schema.has_value() ||
      (recorded.schema && (recorded.schema->name != asked.schema->name || recorded.schema->json != asked.schema->json)))
    return differs("the schema", recorded.schema ? "'" + recorded.schema->name + "'" : "none",
                   asked.schema ? "'" + asked.schema->name + "'" : "none");
  if (json_of(recorded.tools) != json_of(asked.tools))
    return differs("the tools", names_of_tools(recorded.tools), names_of_tools(asked.tools));
  for (std::size_t i = 0; i < std::min(recorded.messages.size(), asked.messages.size()); ++i) {
    const Message &a = recorded.messages[i], &b = asked.messages[i];
    const std::string where = "message " + std::to_string(i + 1) + " (" + enum_string(b.role) + ")";
    if (a.role != b.role) return differs((where + ", its role").c_str(), enum_string(a.role), enum_string(b.role));
    const std::string there = a.text(), here = b.text();
    if (there != here) {
      const auto at = static_cast<std::size_t>(
          std::mismatch(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(std::min(there.size(), here.size())),
                        here.begin())
              .first -
          there.begin());
      const auto line = 1 + std::count(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return differs((where + ", line " + std::to_string(line)).c_str(), shown(there, at), shown(here, at));
    }
  }
  if (recorded.messages.size() != asked.messages.size())
    return differs("the number of messages", std::to_string(recorded.messages.size()),
                   std::to_string(asked.messages.size()));
  return "what the messages hold beside their text (reasoning, calls of tools, marks for caching)";
}

// How much two requests have in common: equal settings, then the bytes of equal beginnings of their messages.
std::size_t likeness(const Request& a, const Request& b) {
  std::size_t sum =
      (a.model == b.model) + (a.temperature == b.temperature) + (a.seed == b.seed) + (a.effort == b.effort);
  for (std::size_t i = 0; i < std::min(a.messages.size(), b.messages.size()); ++i) {
    const std::string x = a.messages[i].text(), y = b.messages[i].text();
    const auto common = static_cast<std::size_t>(
        std::mismatch(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(std::min(x.size(), y.size())), y.begin())
            .first -
        x.begin());
    sum += 10 * common;
    if (common < std::max(x.size(), y.size())) break;
  }
  return sum;
}

class Replay final : public Provider {
 public:
  Replay(store::Workspace& workspace, std::int64_t run) : workspace_(workspace), run_(run) {}

  Status read() {
    const std::vector<store::ExchangeRecord> list = WW_TRY(workspace_.exchanges(run_));
    if (list.empty())
      return fail(Code::not_found, "run " + std::to_string(run_) + " has no exchanges with models to replay");
    records_.reserve(list.size());
    for (const bool whole : {true, false})  // interrupted replies come after complete ones
      for (const store::ExchangeRecord& e : list) {
        if ((e.state == store::ExchangeState::replied || e.state == store::ExchangeState::failed) != whole) continue;
        exact_[e.request_hash].push_back(records_.size());
        records_.push_back({e.id, whole, false});
        models_.insert(e.model);
      }
    return {};
  }

  Result<Reply> complete(const Request& request, Observer& observer, std::stop_token stop) override {
    try {
      if (stop.stop_requested()) return fail(Code::cancelled, "the request was cancelled");
      const Record found = WW_TRY(next(request));
      const store::ExchangeRecord e = WW_TRY(workspace_.exchange(found.id));
      if (auto* cost = dynamic_cast<ReplayCost*>(&observer)) cost->spent(usage_of(e), e.money, e.attempts);
      if (!found.whole)
        return fail(Code::cancelled,
                    "the recorded exchange " + std::to_string(e.id) + " has no reply: it was interrupted (" +
                        enum_string(e.state) + ")",
                    e.why);
      Result<Reply> reply = fail(Code::internal, "");
      if (!e.reply.empty()) {
        reply = reply_from_json(e.reply);
        if (!reply)
          return fail(reply.error().code, "the recorded exchange " + std::to_string(e.id) + " cannot be read",
                      reply.error().message);
        for (const Block& b : reply->blocks)
          if (b.kind != Block::Kind::opaque)
            observer.delta({b.kind == Block::Kind::text ? Delta::Kind::text : Delta::Kind::thinking, b.text});
      }
      if (e.state == store::ExchangeState::replied) return reply;
      if (!e.raw.empty()) observer.received(e.raw);
      return fail(code_from_name(e.code), e.why);
    } catch (const std::exception& e) { return fail(Code::internal, "the replay failed", e.what()); }
  }

  Result<std::vector<std::string>> models(std::stop_token) override {
    return std::vector<std::string>(models_.begin(), models_.end());
  }

  bool is_at_end() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::none_of(records_, [](const Record& r) { return r.whole && !r.used; });
  }

 private:
  struct Record {
    std::int64_t id = 0;
    bool whole = false;  // it came to an end
    bool used = false;
  };
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;

  Result<Record> next(const Request& request) {
    const std::lock_guard lock(mutex_);
    const std::string hash = hash_hex(request_to_json(request));
    std::size_t times = 0;
    if (const Record* r = unused(exact_, hash, times)) return *r;
    if (loose_.empty())
      for (std::size_t i = 0; i < records_.size(); ++i) {
        const Request recorded = WW_TRY(stored_request(i));
        loose_[hash_without_limit(recorded)].push_back(i);
      }
    if (const Record* r = unused(loose_, hash_without_limit(request), times)) return *r;
    return fail(miss(request, times));
  }

  const Record* unused(const Index& index, const std::string& hash, std::size_t& times) {
    const auto at = index.find(hash);
    if (at == index.end()) return nullptr;
    times = std::max(times, at->second.size());
    for (const std::size_t i : at->second)
      if (!records_[i].used) {
        records_[i].used = true;
        return &records_[i];
      }
    return nullptr;
  }

  Result<Request> stored_request(std::size_t i) {
    const store::ExchangeRecord e = WW_TRY(workspace_.exchange(records_[i].id));
    return request_from_json(e.request);
  }

  Error miss(const Request& request, std::size_t times) {
    if (times > 0)
      return {Code::not_found,
              "this request was recorded " + std::to_string(times) + (times == 1 ? " time" : " times") + " in run " +
                  std::to_string(run_) + " and is asked once more",
              {}};
    std::optional<Request> nearest;
    std::int64_t id = 0;
    std::size_t best = 0, seen = 0;
    for (const bool used : {false, true}) {
      if (used && nearest) break;
      for (std::size_t i = 0; i < records_.size() && seen < compared; ++i) {
        if (records_[i].used != used) continue;
        ++seen;
        Result<Request> recorded = stored_request(i);
        if (!recorded) return recorded.error();
        const std::size_t like = likeness(*recorded, request);
        if (nearest && like <= best) continue;
        best = like;
        id = records_[i].id;
        nearest = std::move(*recorded);
      }
    }
    return {Code::not_found,
            "this request was not recorded in run " + std::to_string(run_) + "; from the nearest one, exchange " +
                std::to_string(id) + ", it differs in " +
                (nearest ? difference(*nearest, request) : std::string("all")),
            {}};
  }

  store::Workspace& workspace_;
  const std::int64_t run_;
  std::set<std::string> models_;
  mutable std::mutex mutex_;  // of all below
  std::vector<Record> records_;
  Index exact_, loose_;
};

}  // namespace

Result<std::shared_ptr<Provider>> make_replay(store::Workspace& workspace, std::int64_t run) {
  auto replay = std::make_shared<Replay>(workspace, run);
  WW_TRY(replay->read());
  return replay;
}

bool is_replay(const Provider& provider) { return dynamic_cast<const Replay*>(&provider) != nullptr; }

bool is_at_end(const Provider& replay) {
  const auto* const it = dynamic_cast<const Replay*>(&replay);
  return it != nullptr && it->is_at_end();
}

}  // namespace ww::llm
