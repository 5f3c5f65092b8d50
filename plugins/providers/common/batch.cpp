// SPDX-License-Identifier: Apache-2.0
#include "providers/common/batch.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <nlohmann/json.hpp>
#include "base/hash.h"
#include "base/json_reader.h"
#include "base/plural.h"
#include "http/retry.h"
#include "providers/common/reply_parser.h"
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

using Clock = std::chrono::steady_clock;
using llm::Delta;
constexpr std::chrono::hours longest{26};  // services promise an answer within 24

// A service's name of a batch or file, before it becomes part of a path.
Result<std::string> id_in(const Json& j, const char* member) {
  const std::string_view id = text_at(j, member);
  const bool good = !id.empty() && id.size() <= 200 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!good)
    return fail(Code::corrupt, "The service's answer about the batch cannot be read",
                std::string("its '") + member + "' is none");
  return std::string(id);
}

Result<Json> read_answer(const std::string& body) {
  Json j = json::json_or_null(body);
  if (!j.is_object()) return fail(Code::corrupt, "The service's answer about the batch is not a JSON object");
  return j;
}

class Batch {
 public:
  Batch(const std::vector<llm::BatchItem>& items, const Dialect& dialect, const llm::Endpoint& endpoint,
        const BatchWire& wire, const std::stop_token& stop)
      : items_(items), dialect_(dialect), endpoint_(endpoint), wire_(wire), stop_(stop), results_(items.size()) {}

  Result<std::vector<Result<llm::Reply>>> run() {
    WW_TRY(fetch_earlier());
    Members members;
    const Json requests = bodies(members);
    if (!requests.empty()) {
      const std::string id = WW_TRY(start(requests));
      for (const auto& [item, i] : members) items_[i].observer->in_batch({id, item});
      const Json ended = WW_TRY(wait(id, members));
      WW_TRY(read(id, ended, members));
    }
    std::vector<Result<llm::Reply>> out;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i]) items_[i].observer->not_charged();
      out.push_back(results_[i]
                        ? std::move(*results_[i])
                        : Result<llm::Reply>(fail(Code::io, "The service's batch holds no answer to this request")));
    }
    return out;
  }

 private:
  using Members = std::map<std::string, std::size_t>;  // of a batch: places in items_, by custom id

  // What earlier processes sent. What has no answer there keeps no result.
  Status fetch_earlier() {
    std::map<std::string, Members> batches;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (const llm::BatchPlace* place = items_[i].observer->sent_in()) batches[place->batch][place->item] = i;
    for (const auto& [id, members] : batches) {
      const std::string why = WW_TRY(fetch(id, members));
      for (const auto& [item, i] : members) {
        if (results_[i] && !lost_.contains(i)) continue;
        items_[i].observer->asked_again(
            "batch " + id + " holds no answer to this request: " + (results_[i] ? results_[i]->error().cause : why));
        results_[i].reset();
      }
    }
    return {};
  }

  // Why what it did not answer has no answer.
  Result<std::string> fetch(const std::string& id, const Members& members) {
    Result<Json> ended = wait(id, members);
    Status got = ended ? read(id, *ended, members) : Status(fail(ended.error()));
    if (got) return std::string("it is not among its results");
    switch (got.error().code) {
      case Code::corrupt: return std::string("what the service says of the batch cannot be read");
      case Code::invalid_argument:
        return refused_ ? got.error().text() : std::string("the service no longer has the batch");
      default: return fail(std::move(got.error()));
    }
  }

  bool by_file() const { return dialect_.batch_form() == BatchForm::file; }

  // Of those without a result; those that may not be sent have theirs at once.
  Json bodies(Members& members) {
    Json list = Json::array();
    const std::string url = wire_.url(dialect_.batch_path());
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (results_[i]) continue;
      const Result<std::string> body = dialect_.body(*items_[i].request);
      if (!body) {
        results_[i] = fail(body.error());
        continue;
      }
      Json j = json::json_or_null(*body);
      for (const char* of_streams : {"stream", "stream_options", "background"}) j.erase(of_streams);
      if (const Status s = items_[i].observer->sending({"POST", url, host_of(url), dump(j), 1}); !s) {
        results_[i] = fail(s.error());
        continue;
      }
      const std::string id = "request-" + std::to_string(i + 1);
      members.emplace(id, i);
      list.push_back(
          by_file()
              ? Json{{"custom_id", id}, {"method", "POST"}, {"url", "/v1" + dialect_.path()}, {"body", std::move(j)}}
              : Json{{"custom_id", id}, {"params", std::move(j)}});
    }
    return list;
  }

  Result<std::string> start(const Json& requests) {
    Sent sent{"POST", dialect_.batch_path(), {}};
    if (by_file()) {
      const std::string file = WW_TRY(upload(requests));
      sent.body = dump({{"input_file_id", file}, {"endpoint", "/v1" + dialect_.path()}, {"completion_window", "24h"}});
    } else {
      sent.body = dump({{"requests", requests}});
    }
    return id_in(WW_TRY(read_answer(WW_TRY(wire_.call(sent, stop_)))), "id");
  }

  Result<std::string> upload(const Json& requests) {
    std::string lines;
    for (const Json& r : requests) lines += dump(r) + "\n";
    const std::string boundary = "warpwright-" + hash_hex(lines).substr(0, 24);
    const std::string part = "--" + boundary + "\r\ncontent-disposition: form-data; name=";
    Sent sent{"POST", "/files", {}, "multipart/form-data; boundary=" + boundary};
    sent.body = part + "\"purpose\"\r\n\r\nbatch\r\n" + part +
                "\"file\"; filename=\"requests.jsonl\"\r\ncontent-type: application/jsonl\r\n\r\n" + lines + "\r\n--" +
                boundary + "--\r\n";
    return id_in(WW_TRY(read_answer(WW_TRY(wire_.call(sent, stop_)))), "id");
  }

  // Its last state.
  Result<Json> wait(const std::string& id, const Members& members) {
    const std::string path = dialect_.batch_path() + "/" + id;
    const auto start = Clock::now();
    for (;;) {
      Result<std::string> body = wire_.call({"GET", path, {}}, stop_);
      if (stop_.stop_requested()) {
        wire_.give_up({"POST", path + "/cancel", {}});
        return fail(Code::cancelled, "The request was cancelled");
      }
      const Json state = WW_TRY(read_answer(WW_TRY(std::move(body))));
      const std::string status(text_at(state, by_file() ? "status" : "processing_status"));
      if (status == "ended" || status == "completed" || status == "expired" || status == "cancelled") return state;
      if (status == "failed") return fail(refused(state));
      if (Clock::now() - start > longest)
        return fail(Code::timeout, "The service did not finish the batch " + id + " within a day");
      tell(id, status, state, members);
      (void)http::wait_for(endpoint_.batch_poll, stop_);
    }
  }

  void tell(const std::string& id, const std::string& status, const Json& state, const Members& members) {
    const Json& counts = child(state, "request_counts");
    const std::int64_t done = by_file() ? count_at(counts, "completed") : count_at(counts, "succeeded");
    std::string text = "batch " + id + ": " + (status.empty() ? "waiting" : cut_text(status, 40)) + ", " +
                       std::to_string(done) + " of " + plural(members.size(), "request") + " answered";
    if (text == told_) return;
    told_ = std::move(text);
    for (const auto& [item, i] : members) items_[i].observer->delta({Delta::Kind::wait, told_});
  }

  Error refused(const Json& state) {
    refused_ = true;
    for (const Json& e : list_at(child(state, "errors"), "data"))
      return wire_.explained({400, std::string(text_at(e, "code")), cut_text(whole_text(text_at(e, "message")), 300)},
                             items_.front().request->model);
    return {Code::invalid_argument, "The service refused the batch", {}};
  }

  Status read(const std::string& id, const Json& ended, const Members& members) {
    if (!by_file()) return read_lines(dialect_.batch_path() + "/" + id + "/results", members);
    for (const char* file : {"output_file_id", "error_file_id"})
      if (find(ended, file)) WW_TRY(read_lines("/files/" + WW_TRY(id_in(ended, file)) + "/content", members));
    return {};
  }

  Status read_lines(const std::string& path, const Members& members) {
    const std::string body = WW_TRY(wire_.call({"GET", path, {}}, stop_));
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t end = std::min(body.find('\n', at), body.size());
      const Json line = json::json_or_null(std::string_view(body).substr(at, end - at));
      at = end + 1;
      const auto member = members.find(std::string(text_at(line, "custom_id")));
      if (member == members.end() || results_[member->second]) continue;
      results_[member->second] = result_of(line, member->second);
    }
    return {};
  }

  Result<llm::Reply> result_of(const Json& line, std::size_t i) {
    const llm::BatchItem& item = items_[i];
    const std::string& model = item.request->model;
    if (by_file()) {
      const Json& response = child(line, "response");
      const std::int64_t status = count_at(response, "status_code");
      if (status >= 200 && status < 300) return reply_of(child(response, "body"), item);
      if (status == 0) return fail(lost(i, text_at(child(line, "error"), "code")));
      item.observer->not_charged();
      return fail(wire_.explained(
          read_fault(static_cast<int>(std::min<std::int64_t>(status, 599)), dump(child(response, "body"))), model));
    }
    const Json& result = child(line, "result");
    if (text_at(result, "type") == "succeeded") return reply_of(child(result, "message"), item);
    if (text_at(result, "type") != "errored") return fail(lost(i, text_at(result, "type")));
    item.observer->not_charged();
    return fail(wire_.explained(fault_in(0, child(result, "error")), model));
  }

  Error lost(std::size_t i, std::string_view why) {  // "expired", "batch_expired", "canceled"
    lost_.insert(i);
    items_[i].observer->not_charged();
    return {Code::timeout, "The service did not answer this request of the batch",
            "it says: " + (why.empty() ? "nothing" : cut_text(whole_text(why), 80))};
  }

  Result<llm::Reply> reply_of(const Json& body, const llm::BatchItem& item) {
    const std::string bytes = dump(body);
    item.observer->received(bytes);
    const auto parser = dialect_.parser(*item.request, [&](Delta::Kind kind, std::string_view text) {
      item.observer->delta({kind, std::string(text)});
    });
    Status read = parser->feed(bytes);
    if (read) read = parser->end();
    if (!read) return fail(read.error());
    if (parser->fault()) return fail(wire_.explained(*parser->fault(), item.request->model));
    if (!parser->complete()) return fail(Code::corrupt, "The batch holds no reply that can be read");
    llm::Reply reply = parser->take();
    reply.seconds = reply.first_token_seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    return reply;
  }

  const std::vector<llm::BatchItem>& items_;
  const Dialect& dialect_;
  const llm::Endpoint& endpoint_;
  const BatchWire& wire_;
  const std::stop_token& stop_;
  std::vector<std::optional<Result<llm::Reply>>> results_;
  bool refused_ = false;        // the batch, by its last state
  std::set<std::size_t> lost_;  // those whose results say that the service did not come to them
  std::string told_;
  const Clock::time_point begun_ = Clock::now();
};

}  // namespace

Result<std::vector<Result<llm::Reply>>> run_batch(const std::vector<llm::BatchItem>& items, const Dialect& dialect,
                                                  const llm::Endpoint& endpoint, const BatchWire& wire,
                                                  const std::stop_token& stop) {
  return Batch(items, dialect, endpoint, wire, stop).run();
}

}  // namespace ww::providers
