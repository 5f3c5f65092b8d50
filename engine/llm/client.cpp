// SPDX-License-Identifier: Apache-2.0
#include "llm/client.h"
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <set>
#include <stop_token>
#include "llm/exchange_record.h"
#include "llm/message_json.h"
#include "llm/replay.h"
#include "llm/tokens.h"
#include "llm/usage.h"
#include "store/workspace.h"

namespace ww::llm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t least_reply = 1024;  // tokens: a shorter rest of a budget would be paid for a reply that is cut
// An estimate may be wrong by half; a reported count below that is no count of what was sent and received.
constexpr std::int64_t least_of_estimate = 2;
constexpr std::size_t max_raw = std::size_t{4} << 20;  // bytes kept of a failed exchange's bodies

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void take_keys_out(std::string& text) {
  std::string clean = redact(text);
  if (clean != text) text = std::move(clean);
}
void take_keys_out(std::vector<Block>& blocks) {
  for (Block& b : blocks)
    for (std::string* text : {&b.text, &b.raw, &b.id, &b.tool}) take_keys_out(*text);
}

// Redacts what a broken stream left. Returns whether anything was removed, even the mere beginning of a key.
bool take_broken_keys_out(std::vector<Block>& blocks) {
  bool found = false;
  for (Block& b : blocks)
    for (std::string* text : {&b.text, &b.raw, &b.id, &b.tool}) {
      std::string clean = redact_broken(*text);
      found = found || clean != *text;
      *text = std::move(clean);
    }
  return found;
}

struct Grant {              // of the budget, for one call
  std::int64_t output = 0;  // tokens that the answer may have
  std::int64_t tokens = 0;  // held: prompt and answer
  double money = 0;         // held
};

class ClientImpl final : public Client {
 public:
  ClientImpl(store::Workspace& workspace, std::int64_t run, SpendLimits limits, Limits consent,
             ModelEventHandler handler, PauseToken pause)
      : workspace_(workspace),
        run_(run),
        limits_(limits),
        consent_(consent),
        handler_(std::move(handler)),
        pause_(std::move(pause)) {
    spend_.usage.reported = true;
    spend_.token_limit = limits.tokens;
    spend_.money_limit = limits.money;
  }

  Status count_earlier() {  // exchanges of a run that is resumed
    if (run_ == 0) return {};
    const std::vector<store::ExchangeRecord> earlier = WW_TRY(workspace_.exchanges(run_));
    for (const store::ExchangeRecord& e : earlier)
      count(usage_of(e), e.money, e.state != store::ExchangeState::replied);
    return {};
  }

  // What an exchange of an earlier process cost: not counted while it is taken up, and again when it ends.
  void recount(const store::ExchangeRecord& e, bool counted) {
    const std::lock_guard lock(mutex_);
    if (counted) return count(usage_of(e), e.money, true);
    spend_.usage.prompt -= e.prompt_tokens;
    spend_.usage.cached -= e.cached_tokens;
    spend_.usage.cache_written -= e.cache_written_tokens;
    spend_.usage.completion -= e.completion_tokens;
    spend_.usage.reasoning -= e.reasoning_tokens;
    spend_.money -= e.money.value_or(0);
    --spend_.requests;
    --spend_.failed;
  }

  Result<Exchange> ask(const Model& model, Request request, const Purpose& purpose, std::stop_token stop) override {
    try {
      return ask_checked(model, std::move(request), purpose, stop);
    } catch (const std::exception& e) { return fail(Code::internal, "asking the model failed", e.what()); }
  }

  Status outcome(std::int64_t exchange, store::ExchangeOutcome outcome, const std::string& candidate) override {
    return workspace_.set_outcome(exchange, outcome, candidate);
  }

  Spend spend() const override {
    const std::lock_guard lock(mutex_);
    return spend_;
  }

  bool budget_over() const override {
    const std::lock_guard lock(mutex_);
    return over_;
  }

  // True, once and for all, when a call that holds `grant` and has used so many tokens has outgrown the budget.
  bool outgrown(const ModelFacts& facts, const Grant& grant, std::int64_t prompt, std::int64_t output) {
    const std::lock_guard lock(mutex_);
    const bool tokens =
        limits_.tokens > 0 && prompt + output > limits_.tokens - total(spend_.usage) - (held_.tokens - grant.tokens);
    const bool money = limits_.money > 0 && cost(facts, {prompt, 0, 0, output, 0, false}).value_or(0) >
                                                limits_.money - spend_.money - (held_.money - grant.money);
    if (tokens || money) over_ = true;
    return tokens || money;
  }

  const Limits& consent() const { return consent_; }

  void emit(const ModelEvent& event) {
    if (!handler_) return;
    const std::lock_guard lock(event_mutex_);
    handler_(event);
  }

  // For a later process, where this one dies before the answer.
  void note_batch(std::int64_t exchange, const BatchPlace& place) {
    (void)workspace_.set_batch(exchange, redact(place.batch), redact(place.item));
  }

  // A service whose context is too short (Ollama's is 4,096 tokens unless it is told otherwise) leaves out the rest.
  void note_cut(const Usage& reported, const store::ExchangeRecord& exchange, std::int64_t prompt) {
    if (!reported.reported || reported.prompt <= 0 || least_of_estimate * reported.prompt >= prompt) return;
    {
      const std::lock_guard lock(mutex_);
      if (!cut_.insert(exchange.model).second) return;
    }
    emit(PromptCut{exchange.id, exchange.model, reported.prompt, prompt});
  }

  // What is believed of a count: where the rest of the budget does not hold it, no more than was reserved. The grant
  // grows to what is believed.
  Usage believed(const ModelFacts& facts, Grant& grant, const Usage& counted, const Usage& reserved,
                 const Usage& wasted) {
    Usage all = counted;
    add(all, wasted);
    const std::optional<double> money = cost(facts, all);
    const std::lock_guard lock(mutex_);
    const bool over =
        (limits_.tokens > 0 && total(all) > limits_.tokens - total(spend_.usage) - (held_.tokens - grant.tokens)) ||
        (limits_.money > 0 && (!money || *money > limits_.money - spend_.money - (held_.money - grant.money)));
    if (over) return reserved;
    const Grant grown{grant.output, std::max(grant.tokens, total(all)), std::max(grant.money, money.value_or(0))};
    held_.tokens += grown.tokens - grant.tokens;
    held_.money += grown.money - grant.money;
    grant = grown;
    return counted;
  }

  void settle(const Grant& g, const Usage& usage, const std::optional<double>& money, bool failed, bool made) {
    {
      const std::lock_guard lock(mutex_);
      held_.tokens -= g.tokens;
      held_.money = --in_flight_ == 0 ? 0 : held_.money - g.money;
      if (made) count(usage, money, failed);
      if (all_spent()) over_ = true;
    }
    changed_.notify_all();
  }

 private:
  Result<Exchange> ask_checked(const Model& model, Request request, const Purpose& purpose, std::stop_token stop);

  Error spent_error() const {
    return {Code::unavailable,
            "the budget of the models is used up: " + std::to_string(total(spend_.usage)) +
                (limits_.tokens > 0 ? " of " + std::to_string(limits_.tokens) : "") + " tokens" +
                (limits_.money > 0 ? ", " + dollars(spend_.money) + " of " + dollars(limits_.money) : "") +
                " are spent, and the next request does not fit into what is left",
            {}};
  }
  // Nothing was sent yet, so nothing is used up.
  Error too_small(std::int64_t prompt) const {
    return {Code::invalid_argument,
            "the budget of the models (" +
                (limits_.tokens > 0 ? std::to_string(limits_.tokens) + " tokens" : std::string()) +
                (limits_.tokens > 0 && limits_.money > 0 ? ", " : "") +
                (limits_.money > 0 ? dollars(limits_.money) : std::string()) +
                ") is too small for one request: the prompt alone takes about " + std::to_string(prompt) +
                " tokens, and its answer comes on top; nothing was sent",
            {}};
  }
  static std::string dollars(double amount) {
    char text[32];
    std::snprintf(text, sizeof text, "$%.4f", amount);
    return text;
  }

  void count(const Usage& usage, const std::optional<double>& money, bool failed) {
    add(spend_.usage, usage);
    if (money)
      spend_.money += *money;
    else if (total(usage) > 0)
      spend_.money_known = false;
    ++spend_.requests;
    if (failed) ++spend_.failed;
  }

  bool all_spent() const {
    return (limits_.tokens > 0 && total(spend_.usage) >= limits_.tokens) ||
           (limits_.money > 0 && spend_.money >= limits_.money);
  }

  // Waits while the run is paused, and until the worst case of the call fits beside those in flight. With none in
  // flight what is left is all that there is: the answer gets what fits.
  Result<Grant> admit(const ModelFacts& facts, std::int64_t prompt, std::int64_t output, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    const std::int64_t ticket = next_ticket_++;
    struct Queue {
      std::set<std::int64_t>& waiting;
      std::int64_t ticket;
      std::condition_variable_any& changed;
      Queue(std::set<std::int64_t>& w, std::int64_t t, std::condition_variable_any& c)
          : waiting(w), ticket(t), changed(c) {
        waiting.insert(t);
      }
      ~Queue() {
        waiting.erase(ticket);
        changed.notify_all();
      }
    } queue(waiting_, ticket, changed_);
    std::optional<Result<Grant>> decided;
    const auto decide = [&] {
      if (decided) return true;
      if (over_ || all_spent()) {
        decided = out_of_budget(prompt);
      } else if (*waiting_.begin() == ticket && !pause_.paused()) {
        if (!fits(facts, prompt, std::min(output, least_reply), {}))
          decided = out_of_budget(prompt);
        else if (fits(facts, prompt, output, held_))
          decided = hold(facts, prompt, output);
        else if (in_flight_ == 0)
          decided = hold(facts, prompt, most_output(facts, prompt, output));
      }
      return decided.has_value();
    };
    changed_.wait(lock, stop, decide);
    if (!decided) return fail(Code::cancelled, "the request was cancelled before it was sent");
    return *decided;
  }

  tl::unexpected<Error> out_of_budget(std::int64_t prompt) {
    over_ = true;
    return fail(spend_.requests == 0 && in_flight_ == 0 ? too_small(prompt) : spent_error());
  }

  bool fits(const ModelFacts& facts, std::int64_t prompt, std::int64_t output, const Grant& held) const {
    if (limits_.tokens > 0 && prompt + output > limits_.tokens - total(spend_.usage) - held.tokens) return false;
    return limits_.money <= 0 ||
           worst_cost(facts, prompt, output).value_or(0) <= limits_.money - spend_.money - held.money;
  }

  std::int64_t most_output(const ModelFacts& facts, std::int64_t prompt,
                           std::int64_t output) const {  // at least 1 fits, nothing is held
    if (limits_.tokens > 0) output = std::min(output, limits_.tokens - total(spend_.usage) - prompt);
    const double each = cost(facts, {0, 0, 0, 1000000, 0, false}).value_or(0) / 1e6;
    if (limits_.money > 0 && each > 0)
      output = std::min(output, static_cast<std::int64_t>(std::floor(
                                    (limits_.money - spend_.money - worst_cost(facts, prompt, 0).value_or(0)) / each)));
    return std::max<std::int64_t>(output, 1);
  }

  Grant hold(const ModelFacts& facts, std::int64_t prompt, std::int64_t output) {
    const Grant g{output, prompt + output, worst_cost(facts, prompt, output).value_or(0)};
    held_.tokens += g.tokens;
    held_.money =
        in_flight_++ == 0 ? g.money : held_.money + g.money;  // rounding errors end with the last call in flight
    return g;
  }

  store::Workspace& workspace_;
  const std::int64_t run_;
  const SpendLimits limits_;
  const Limits consent_;
  const ModelEventHandler handler_;
  const PauseToken pause_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable_any changed_;
  Spend spend_;
  Grant held_;
  int in_flight_ = 0;
  bool over_ = false;
  std::int64_t next_ticket_ = 0;
  std::set<std::int64_t> waiting_;
  std::set<std::string> cut_;  // models that read only a part of a prompt

  std::mutex event_mutex_;
  const PauseCallback on_pause_{pause_, [this] {
                                  { const std::lock_guard lock(mutex_); }  // never between a look and its wait
                                  changed_.notify_all();
                                }};
};

// Tokens are estimated: a reply that exceeds the requested length by this factor is treated as endless.
constexpr std::int64_t endless_factor = 4, endless_least = 4096;
constexpr std::int64_t bytes_of_token = 1024;  // on the wire, at most: a stream of empty events has no end either

// What one call sees of its provider.
class Call final : public Observer, public ReplayCost {
 public:
  Call(ClientImpl& client, const Model& model, const Grant& grant, const store::ExchangeRecord& exchange,
       std::int64_t prompt, bool limited, bool patient)
      : sent(!exchange.batch.empty()),
        taken(sent),
        client_(client),
        model_(model),
        grant_(grant),
        exchange_(exchange.id),
        prompt_(prompt),
        place_{exchange.batch, exchange.batch_item},
        limited_(limited),
        patient_(patient) {}

  bool awaits(std::chrono::milliseconds left) override {
    if (!waiting_) {
      if (!patient_ || left > longest_wait - awaited_) return false;
      awaited_ += left + least_wait;  // so that a service cannot ask for ever
    }
    waiting_ = left.count() > 0;
    sent = false;  // what was sent was refused: it costs nothing
    client_.emit(Awaiting{exchange_, host_of(model_.endpoint.base_url), left});
    return true;
  }

  Status sending(const Outgoing& outgoing) override {
    if (stop.stop_requested()) return fail(Code::cancelled, "the request was cancelled before it was sent");
    if (const std::string host = host_of(outgoing.url); !allowed({host, model_.forwarded}, client_.consent()))
      return fail(not_allowed(host));
    raw = redact_broken(raw);  // the attempt before may have ended within a key
    sent = true;
    attempts = std::max(attempts + 1, outgoing.attempt);
    return {};
  }

  void in_batch(const BatchPlace& place) override {
    taken = true;
    client_.note_batch(exchange_, place);
  }
  const BatchPlace* sent_in() const override { return place_.batch.empty() ? nullptr : &place_; }
  void not_charged() override { sent = taken = false; }
  void asked_again(const std::string& why) override { client_.emit(AskedAgain{exchange_, redact(why)}); }

  void spent(const Usage& usage, const std::optional<double>& money, int tried) override {
    billed = usage;
    billed_money = money;
    attempts = tried;
  }

  void received(std::string_view bytes) override {
    if (raw.size() < max_raw) raw.append(bytes.substr(0, max_raw - raw.size()));
    arrived_ += static_cast<std::int64_t>(bytes.size());
    if (cut == Cut::no && arrived_ > bytes_of_token * most_tokens()) {
      cut = Cut::endless;
      stop.request_stop();
    }
  }

  void delta(const Delta& delta) override {
    if (delta.kind == Delta::Kind::text || delta.kind == Delta::Kind::thinking) {
      if (delta.text.empty()) return;
      if (first < 0) first = seconds_since(start);
      const Block::Kind kind = delta.kind == Delta::Kind::text ? Block::Kind::text : Block::Kind::thinking;
      if (part.empty() || part.back().kind != kind) part.push_back({kind, {}, {}});
      part.back().text += delta.text;
      meter.add(delta.text);
      if (cut == Cut::no && meter.tokens() > most_tokens()) {
        cut = Cut::endless;
        stop.request_stop();
      } else if (limited_ && cut == Cut::no &&
                 client_.outgrown(model_.facts, grant_, wasted.prompt + prompt_, wasted.completion + meter.tokens())) {
        cut = Cut::budget;
        stop.request_stop();
      }
      if (cut == Cut::endless) return;
      emit_text(delta);
      return;
    }
    if (delta.kind == Delta::Kind::restart && !part.empty()) {  // the service has counted what arrived, and the prompt
      wasted.prompt += prompt_;
      wasted.completion += meter.tokens();
      part.clear();
      meter = {};
    }
    if (delta.kind == Delta::Kind::restart) held_.text.clear();
    if (delta.kind == Delta::Kind::wait) sent = false;  // that attempt is over, and what it cost is counted
    emit_rest();
    client_.emit(Streaming{exchange_, {delta.kind, redact(delta.text)}});
  }

  void end_wait() {  // of a call that ended in it
    if (std::exchange(waiting_, false)) client_.emit(Awaiting{exchange_, host_of(model_.endpoint.base_url), {}});
  }

  void emit_rest(bool broken = false) {  // what was held back and turned out not to be a key
    if (!held_.text.empty())
      client_.emit(Streaming{exchange_, {held_.kind, broken ? redact_broken(held_.text) : redact(held_.text)}});
    held_.text.clear();
  }

  static Error not_allowed(const std::string& host) {
    if (host.empty())
      return {Code::invalid_argument,
              "nothing was sent: the address of the model's service has no host that can be checked",
              {}};
    return {Code::unavailable,
            "nothing was sent to " + host +
                ": sending what the request contains is not allowed yet; 'warpwright-cli models allow " + host +
                "' allows it",
            {}};
  }

  std::stop_source stop;
  bool sent = false;
  bool taken = false;  // by the service, which answers and charges even where it is not reached any more
  enum class Cut { no, budget, endless } cut = Cut::no;  // why the reply was stopped
  int attempts = 0;
  std::string raw;
  std::vector<Block> part;      // received, of the present attempt
  TokenMeter meter;             // of it
  Usage wasted;                 // of attempts that broke
  std::optional<Usage> billed;  // in a replay: of the recorded exchange
  std::optional<double> billed_money;
  const Clock::time_point start = Clock::now();
  double first = -1;

 private:
  // To the watchers. An end that may be a part of the endpoint's key waits for what follows: a key may come in pieces.
  void emit_text(const Delta& delta) {
    if (held_.kind != delta.kind) emit_rest();
    held_.kind = delta.kind;
    held_.text += delta.text;
    const std::string_view text = held_.text, key = model_.endpoint.key.reveal();
    std::size_t keep = std::min(text.size(), key.size());
    while (keep > 0 && key.find(text.substr(text.size() - keep)) == key.npos) --keep;
    std::string ready = redact(text.substr(0, text.size() - keep));
    held_.text.erase(0, held_.text.size() - keep);
    if (!ready.empty()) client_.emit(Streaming{exchange_, {delta.kind, std::move(ready)}});
  }

  std::int64_t most_tokens() const { return endless_factor * grant_.output + endless_least; }

  Delta held_;
  std::int64_t arrived_ = 0;  // bytes on the wire
  ClientImpl& client_;
  const Model& model_;
  const Grant grant_;
  const std::int64_t exchange_, prompt_;
  const BatchPlace place_;
  const bool limited_, patient_;
  static constexpr std::chrono::minutes least_wait{1};
  bool waiting_ = false;
  std::chrono::milliseconds awaited_{0};
};

// A grant of the budget, given back even where something throws.
class HeldGrant {
 public:
  HeldGrant(ClientImpl& client, const Grant& grant) : client_(client), grant_(grant) {}
  HeldGrant(const HeldGrant&) = delete;
  HeldGrant& operator=(const HeldGrant&) = delete;
  ~HeldGrant() {
    if (!settled_) client_.settle(grant_, {}, {}, false, false);
  }
  void settle(const Usage& usage, const std::optional<double>& money, bool failed) {
    settled_ = true;
    client_.settle(grant_, usage, money, failed, true);
  }

 private:
  ClientImpl& client_;
  const Grant& grant_;
  bool settled_ = false;
};

Result<Reply> complete(const Model& model, const Request& request, Call& call, std::stop_token stop) {
  const std::stop_callback forward(stop, [&call] { call.stop.request_stop(); });
  try {
    return model.provider->complete(request, call, call.stop.get_token());
  } catch (const std::exception& e) { return fail(Code::internal, "the provider failed", e.what()); }
}

// The reply, with what the service did not report, or not truly.
// A count beyond any that the request allows is cut to that.
Reply completed_reply(Reply r, const Call& call, std::int64_t prompt, std::int64_t output) {
  r.usage = at_most(r.usage, endless_factor * prompt + endless_least, endless_factor * output + endless_least);
  std::int64_t completion = 0;
  for (const Block& b : r.blocks) completion += estimate_tokens(b.text);
  const bool none = !r.usage.reported && total(r.usage) == 0;
  if (none || least_of_estimate * r.usage.prompt < prompt || least_of_estimate * r.usage.completion < completion) {
    r.usage.prompt = std::max(r.usage.prompt, prompt);
    r.usage.completion = std::max(r.usage.completion, completion);
    r.usage.reported = false;
  }
  r.attempts = std::max(r.attempts, call.attempts);
  return r;
}

// Usage of a call that ended in `error`, counted as the service will: a refusal costs nothing; a stream that broke, or
// an answer that was not waited for, costs what arrived and the prompt.
Reply broken_reply(const Error& error, Call& call, std::int64_t prompt, const std::string& model) {
  Reply r;
  const bool refused =
      !call.taken && (error.code == Code::unavailable || error.code == Code::denied || error.code == Code::untrusted ||
                      error.code == Code::invalid_argument || error.code == Code::not_found);
  if (call.billed)
    r.usage = *call.billed;
  else if (!call.part.empty() || (call.sent && !refused))
    r.usage = {prompt, 0, 0, call.meter.tokens(), 0, false};
  r.blocks = std::move(call.part);
  r.model = model;
  r.stop = Stop::other;
  r.attempts = call.attempts;
  return r;
}

// Why there is no whole reply, without anything that must not be kept.
Error cut_error(const Call& call, const Request& request, const Error& given) {
  Error error = given;
  if (call.cut == Call::Cut::budget)
    error = {Code::unavailable, "the reply was stopped: it used up the budget for models", {}};
  else if (call.cut == Call::Cut::endless)
    error = {Code::corrupt,
             "the reply was stopped: it ran far beyond the " + std::to_string(request.max_output_tokens) +
                 " tokens asked for",
             {}};
  error.message = redact_broken(error.message);
  error.cause = redact_broken(error.cause);
  return error;
}

Result<Exchange> ClientImpl::ask_checked(const Model& model, Request request, const Purpose& purpose,
                                         std::stop_token stop) {
  if (!model.provider) return fail(Code::internal, "the model has no provider");
  const bool replay = is_replay(*model.provider);
  const std::string host = replay ? std::string() : host_of(model.endpoint.base_url);
  if (!replay && !allowed({host, model.forwarded}, consent_)) return fail(Call::not_allowed(host));
  if (request.model.empty()) request.model = model.facts.name;
  for (Message& m : request.messages) take_keys_out(m.blocks);
  const std::int64_t prompt = estimate_tokens(request);
  if (limits_.money > 0 && !worst_cost(model.facts, prompt, 1))
    return fail(Code::invalid_argument, "the price of " + ModelName{model.endpoint.preset, request.model}.text() +
                                            " for such a prompt is unknown, so a limit in money cannot be enforced; "
                                            "give its price in models.json, or limit the tokens instead");
  store::ExchangeRecord record;
  if (purpose.taken_up != 0) {
    record = WW_TRY(workspace_.exchange(purpose.taken_up));
    recount(record, false);
  }
  const Result<Grant> admitted = admit(model.facts, prompt, std::max<std::int64_t>(request.max_output_tokens, 1), stop);
  if (!admitted) {
    if (record.id != 0) recount(record, true);
    return fail(admitted.error());
  }
  Grant grant = *admitted;
  request.max_output_tokens = grant.output;
  HeldGrant held(*this, grant);
  if (record.id == 0) {
    record = new_record(model, request, purpose, run_, host, prompt);
    record.id = WW_TRY(workspace_.add_exchange(record));
  }
  emit(ExchangeStarted{record.id, purpose.role, record.label, record.model, host});

  Call call(*this, model, grant, record, prompt, limits_.tokens > 0 || limits_.money > 0, purpose.patient);
  Result<Reply> reply = complete(model, request, call, stop);
  call.end_wait();
  call.emit_rest(!reply);
  Exchange exchange{record.id, {}};
  Reply& r = exchange.reply;
  std::optional<Error> error;
  if (reply) {
    if (!replay) note_cut(reply->usage, record, prompt);
    r = completed_reply(std::move(*reply), call, prompt, grant.output);
    if (!replay) r.usage = believed(model.facts, grant, r.usage, at_most(r.usage, prompt, grant.output), call.wasted);
    record.state = store::ExchangeState::replied;
    record.why = record.code = record.raw = {};  // of an exchange that was taken up
  } else {
    error = cut_error(call, request, reply.error());
    const bool cancelled = reply.error().code == Code::cancelled && call.cut == Call::Cut::no;
    record.state = cancelled ? store::ExchangeState::cancelled : store::ExchangeState::failed;
    record.why = error->text();
    record.code = std::string(code_name(error->code));
    r = broken_reply(reply.error(), call, prompt, request.model);
    // Where the key came in pieces its bytes are not found in what was received.
    record.raw = take_broken_keys_out(r.blocks) ? "not kept: it repeated the key" : redact_broken(call.raw);
  }
  take_keys_out(r.blocks);
  take_keys_out(r.id);
  take_keys_out(r.model);
  if (total(call.wasted) > 0) add(r.usage, call.wasted);  // `wasted` is an estimate, and so is then the sum
  if (r.first_token_seconds <= 0) r.first_token_seconds = std::max(call.first, 0.0);
  if (r.seconds <= 0) r.seconds = seconds_since(call.start);
  if (!error || !r.blocks.empty()) record.reply = reply_to_json(r);
  put_reply(r, model.facts, record);
  if (call.billed) record.money = call.billed_money;
  const Status stored = workspace_.end_exchange(record);
  held.settle(r.usage, record.money, error.has_value());
  WW_CHECK(stored);
  emit(ExchangeEnded{record.id, record.state, record.why, r.usage, record.money, r.seconds});
  if (handler_) {
    const std::lock_guard lock(event_mutex_);
    handler_(SpendChanged{spend()});  // read under the lock of events: the meter never goes back
  }
  if (error) return fail(std::move(*error));
  return exchange;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::make(store::Workspace& workspace, std::int64_t run, SpendLimits limits,
                                             Limits consent, ModelEventHandler handler, PauseToken pause) {
  if (limits.tokens < 0 || !(limits.money >= 0))
    return fail(Code::invalid_argument, "a limit of tokens or money cannot be negative");
  auto client = std::make_unique<ClientImpl>(workspace, run, limits, consent, std::move(handler), std::move(pause));
  WW_TRY(client->count_earlier());
  return client;
}

}  // namespace ww::llm
