// SPDX-License-Identifier: Apache-2.0
// A service or local server that runs language models. Plugins under plugins/providers/ implement it and export:
//   // The caller deletes the provider.
//   extern "C" __attribute__((visibility("default"))) ww::llm::Provider* ww_make_provider(const ww::llm::Endpoint&);
//   // Returns provider_abi.
//   extern "C" __attribute__((visibility("default"))) int ww_provider_abi();
// Built with the same compiler as the program; loaded by providers.h. "replay" is built in (replay.h).
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>
#include "base/result.h"
#include "base/secret.h"
#include "llm/message.h"

namespace ww::llm {

inline constexpr int provider_abi = 8;

struct Endpoint {          // the address and dialect of a service; created from the catalogue (catalogue.h)
  std::string preset;      // its name there: "openai", "ollama", "work"
  std::string provider;    // the plugin: "openai", "anthropic"
  std::string dialect;     // of openai: "chat", "responses"; else empty
  std::string base_url;    // "https://api.openai.com/v1", without a slash at the end
  Secret key;              // empty: the server needs none
  std::string key_header;  // empty: the dialect's default ("Authorization: Bearer", "x-api-key"); "api-key" for Azure
  std::vector<std::pair<std::string, std::string>> headers,
      query;  // more of them: "OpenAI-Organization", "api-version"
  bool seeds = false, schemas = false, effort = false, cache_marks = false, tools = false,
       usage_in_stream = true;  // features that the server accepts
  bool resumable = false;       // of "responses": the service keeps replies, so that a broken stream can be resumed
                                // (GET /responses/ID); they also run on after a cancellation
  bool batches = false;         // it takes many requests at once and answers within a day, at a lower price
  std::chrono::milliseconds batch_poll{30000};  // between two looks at a batch
  bool legacy_max_tokens = false;               // "max_tokens" instead of "max_completion_tokens"
  std::filesystem::path ca_file;  // a private certificate authority; empty: the system's ($SSL_CERT_FILE is honoured)
  std::chrono::milliseconds connect_timeout{10000};
  std::chrono::milliseconds first_byte_timeout{300000};  // reasoning models are silent for minutes
  std::chrono::milliseconds idle_timeout{120000};        // between two bytes of a stream
  int attempts = 5;                                      // maximum requests per reply
  int busy_attempts = 15;                                // the same if the service is busy
  std::chrono::milliseconds retry_budget{300000};        // total waiting time between attempts
  std::vector<Secret> secrets;                           // of the values of headers and query, for redact()
};

struct Outgoing {                       // one request before it is sent
  std::string method, url, host, body;  // body exactly as sent; the key is in none of them
  int attempt = 1;
};
struct Delta {
  enum class Kind : std::uint8_t {
    text,
    thinking,
    restart,  // discard what arrived so far: the stream broke and the request is repeated; text: the reason
    wait,     // before the next attempt; text: "429: the service asks to wait 12 s"
  } kind = Kind::text;
  std::string text;
};

struct BatchPlace {
  std::string batch, item;  // the service's name of a batch, and what names a request in it
};

class Observer {  // of one call; called on the calling thread, in order
 public:
  virtual ~Observer() = default;
  virtual Status sending(const Outgoing& outgoing) = 0;  // before each attempt; an error stops the call with it
  virtual void received(std::string_view bytes) = 0;     // of a reply's body, as it came (decompressed); all attempts
  virtual void delta(const Delta& delta) = 0;            // never splits a character
  // The service has taken the request as part of a batch, whose answer is now waited for.
  virtual void in_batch(const BatchPlace& place) { (void)place; }
  // Where an earlier process sent the request: its answer is fetched from there. Null: it was not sent.
  virtual const BatchPlace* sent_in() const { return nullptr; }
  // The service gave no answer to this request of a batch, and charges nothing for it.
  virtual void not_charged() {}
  // There is no answer in that batch, for this reason: the request is sent once more.
  virtual void asked_again(const std::string& why) { (void)why; }
  // The service asks to wait longer than Endpoint::retry_budget. Called before the wait, each second of it, and at its
  // end with 0. False: do not wait, or no longer; the call then fails as without it.
  virtual bool awaits(std::chrono::milliseconds left) {
    (void)left;
    return false;
  }
};

inline constexpr std::chrono::seconds longest_list{30};

struct BatchItem {  // outlives the call
  const Request* request = nullptr;
  Observer* observer = nullptr;
};

// Error codes: invalid_argument: the request can never succeed (400, 413; context exceeded); unavailable: no answer or
// no quota (DNS, no connection, 402), also 3xx, 404 and an unknown model, where another service may answer, and 429
// and 5xx after the last attempt; denied: the service refuses the key or its use (401, 403); untrusted: TLS; timeout;
// io: the stream broke on the last attempt; corrupt: the reply violates the dialect; cancelled. The message is one
// plain sentence that says what to do; it never contains the key.
class Provider {  // thread-safe: several calls at a time
 public:
  virtual ~Provider() = default;
  // Streams one reply. Returns within 200 ms of cancellation.
  virtual Result<Reply> complete(const Request& request, Observer& observer, std::stop_token stop) = 0;
  // All of them as one batch (Endpoint::batches); one result each, in order. Observers are called from the calling
  // thread. A cancelled batch is given up. What an earlier process sent (Observer::sent_in) is fetched first.
  virtual Result<std::vector<Result<Reply>>> complete_all(const std::vector<BatchItem>& items, std::stop_token stop) {
    (void)items, (void)stop;
    return fail(Code::unsupported, "this service takes no batches");
  }
  // Listed by the service, sorted. An answer is waited for as long as `longest_list`, once.
  virtual Result<std::vector<std::string>> models(std::stop_token stop) = 0;
};

}  // namespace ww::llm
