// SPDX-License-Identifier: Apache-2.0
// One transfer and the loop that drives all of them: the implementation of http::Client. A transfer is shared by the
// requesting thread and the loop's thread; only the latter calls libcurl, except to set options, which happens before
// the loop gets the transfer.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <curl/curl.h>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include "http/http.h"

namespace ww::http {

using Clock = std::chrono::steady_clock;

struct Transfer {
  static constexpr std::size_t room = std::size_t{1}
                                      << 20;  // bytes buffered for the caller; beyond that the transfer pauses

  Transfer(const Request& request);
  ~Transfer();  // wipes the headers: one holds the secret
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const std::string host, body;
  CURL* easy = nullptr;  // null: libcurl is out of memory, or the transfer is finished
  curl_slist* headers = nullptr;
  char words[CURL_ERROR_SIZE] = "";  // libcurl's error message
  const Clock::time_point began = Clock::now();

  std::mutex mutex;  // guards what follows
  std::condition_variable_any changed;
  Response head;  // status 0: none yet
  std::string pending;
  std::size_t bytes = 0;                       // of the body, so far
  Clock::time_point last_received{}, first{};  // when the last and the first bytes of the body arrived
  bool paused = false, done = false;
  CURLcode result = CURLE_OK;
  long verified = 0, proxy_verified = 0, proxy_status = 0, os_error = 0;
};

class Loop {
 public:
  Loop();
  ~Loop();
  void start(std::shared_ptr<Transfer> t) { ask(Work::start, std::move(t)); }
  void resume(std::shared_ptr<Transfer> t) { ask(Work::resume, std::move(t)); }
  void drop(std::shared_ptr<Transfer> t) {
    ask(Work::drop, std::move(t));
  }             // returns at once; no more data is delivered
  void stop();  // ends everything and waits for its thread

 private:
  struct Work {
    enum Kind : std::uint8_t { start, resume, drop } kind;
    std::shared_ptr<Transfer> transfer;
  };
  void ask(Work::Kind kind, std::shared_ptr<Transfer> t);
  void run();
  void abandon(CURL* easy);
  void finish(CURL* easy, CURLcode result);

  CURLM* multi_ = nullptr;
  std::map<CURL*, std::shared_ptr<Transfer>> running_;  // only on the loop's thread
  Clock::time_point resumed_{};                         // last; likewise
  std::mutex mutex_;
  std::deque<Work> work_;
  bool closed_ = false;
  std::thread thread_;
};

// The error, for people. Call with the transfer's mutex held, once it is done.
Error explain(const Transfer& t, const Request& request);

}  // namespace ww::http
