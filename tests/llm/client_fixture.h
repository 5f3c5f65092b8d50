// SPDX-License-Identifier: Apache-2.0
// A client of models on a workspace of its own, and models that a test answers for.
#pragma once
#include <QtTest>
#include <atomic>
#include <mutex>
#include "llm/client.h"
#include "llm/fake_provider.h"
#include "llm/tokens.h"

namespace ww::test {

using namespace ww::llm;

inline Status announce(Observer& o, const std::string& url = "http://127.0.0.1:1/v1/chat", int attempt = 1) {
  return o.sending({"POST", url, host_of(url), "{}", attempt});
}

inline Result<Reply> streamed(Observer& o, const std::string& text, std::int64_t prompt = 0,
                              std::int64_t completion = 0) {
  if (Status s = announce(o); !s) return fail(s.error());
  o.received("data: " + text);
  o.delta({Delta::Kind::text, text});
  return reply_of(text, prompt, completion);
}

struct Seen {
  std::mutex mutex;
  std::vector<ModelEvent> events;
  std::atomic<int> inside{0};
  bool overlapped = false;
  ModelEventHandler handler() {
    return [this](const ModelEvent& e) {
      if (++inside != 1) overlapped = true;
      {
        const std::lock_guard lock(mutex);
        events.push_back(e);
      }
      --inside;
    };
  }
  std::string kinds() const {
    std::string text;
    for (const ModelEvent& e : events) text += "Stsp"[e.index()];  // Started, streaming, ended (s), spend (p)
    return text;
  }
};

// For a test to derive from.
class ClientFixture : protected support::WithWorkspace {
 protected:
  void begin() {  // in init()
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    renew();
    run_ = new_run(*workspace_);
  }
  std::unique_ptr<Client> client(SpendLimits limits = {}, ModelEventHandler handler = {}, Limits consent = {}) {
    auto c = Client::make(*workspace_, run_, limits, consent, std::move(handler));
    if (!c) qFatal("%s", c.error().text().c_str());
    return std::move(*c);
  }
  store::ExchangeRecord only() {
    const auto list = workspace_->exchanges(run_).value();
    if (list.size() != 1) qFatal("%zu exchanges", list.size());
    return workspace_->exchange(list[0].id).value();
  }
};

}  // namespace ww::test
