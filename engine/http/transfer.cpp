// SPDX-License-Identifier: Apache-2.0
#include "http/transfer.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include "base/ascii.h"

namespace ww::http {
namespace {

void append_header(curl_slist*& list, std::string_view name, std::string_view value) {
  std::string line;
  line.reserve(name.size() + value.size() + 3);  // no second copy that is never wiped
  line.append(name)
      .append(value.empty() ? ";" : ": ")
      .append(value);  // "name;" is libcurl's way to send an empty value
  if (curl_slist* longer = curl_slist_append(list, line.c_str())) list = longer;
  explicit_bzero(line.data(), line.size());
}

bool is_named(const Headers& headers, std::string_view name) {
  for (const auto& [n, value] : headers)
    if (n.size() == name.size() && strncasecmp(n.data(), name.data(), n.size()) == 0) return true;
  return false;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* self) try {
  Transfer& t = *static_cast<Transfer*>(self);
  const std::string_view line(bytes, size * count);
  const std::lock_guard lock(t.mutex);
  if (line.compare(0, 5, "HTTP/") == 0) {  // also after an interim reply (100)
    t.head = {};
    const std::size_t space = line.find(' ');
    const int status = space == line.npos ? 0 : std::atoi(std::string(line.substr(space + 1, 3)).c_str());
    t.head.version = line.compare(5, 1, "2") == 0     ? 20
                     : line.compare(5, 3, "1.0") == 0 ? 10
                     : line.compare(5, 1, "3") == 0   ? 30
                                                      : 11;
    t.head.status = status < 200 ? 0 : status;
    return line.size();
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return line.size();
  std::string name = ascii_lower(std::string(line.substr(0, colon)));
  const std::size_t begin = std::min(line.find_first_not_of(" \t", colon + 1), line.size()),
                    end = line.find_last_not_of(" \t\r\n") + 1;
  t.head.headers.emplace_back(std::move(name), std::string(line.substr(begin, end - std::min(begin, end))));
  return line.size();
} catch (const std::exception&) { return 0; }

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* self) try {
  Transfer& t = *static_cast<Transfer*>(self);
  const std::lock_guard lock(t.mutex);
  if (t.pending.size() >= Transfer::room) {
    t.paused = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  t.pending.append(bytes, size * count);
  t.bytes += size * count;
  t.last_received = Clock::now();
  if (t.first == Clock::time_point{}) t.first = t.last_received;
  t.changed.notify_all();
  return size * count;
} catch (const std::exception&) { return 0; }

// A name look-up that is no longer needed continues in a thread of libcurl's, so libcurl has to stay when the
// plugin goes.
void keep_libcurl() {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(&curl_multi_init), &where) && where.dli_fname)
    dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

Transfer::Transfer(const Request& request) : host(host_of(request.url)), body(request.body) {
  easy = curl_easy_init();
  if (!easy) return;
  const bool secure = request.url.compare(0, 6, "https:") == 0;
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, words);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (is_this_machine(host)) set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_USERAGENT, "warpwright");
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(request.connect_timeout.count(), 1)));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  const char* authorities = std::getenv("SSL_CERT_FILE");
  if (!request.ca_file.empty())
    set(CURLOPT_CAINFO, request.ca_file.c_str());
  else if (authorities && *authorities)
    set(CURLOPT_CAINFO, authorities);
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(request.http2_prior_knowledge ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS));
  // Waits for a connection that may carry several transfers. Not where that cannot be: there the second would wait for
  // the first one's reply.
  set(CURLOPT_PIPEWAIT, secure ? 1L : 0L);
  if (request.http2_prior_knowledge) {  // libcurl 7.88 cannot use such a connection twice (curl/curl 10634)
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
  }
#if LIBCURL_VERSION_NUM >= 0x075700
  set(CURLOPT_QUICK_EXIT,
      1L);  // ending a transfer does not wait for the look-up of its name, which no one can interrupt
#endif
  if (!body.empty() || request.method == "POST") {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.c_str());
  }
  if (request.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);
  else if (request.method != (body.empty() ? "GET" : "POST"))
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  for (const auto& [name, value] : request.headers) append_header(headers, name, value);
  if (!request.secret_header.empty() && !request.secret.empty()) {
    std::string value;
    value.reserve(request.secret_prefix.size() + request.secret.reveal().size());
    value.append(request.secret_prefix).append(request.secret.reveal());
    append_header(headers, request.secret_header, value);
    explicit_bzero(value.data(), value.size());
  }
  // What libcurl would add of itself.
  for (const char* name : {"Expect", "Content-Type"})
    if (!is_named(request.headers, name))
      if (curl_slist* longer = curl_slist_append(headers, (std::string(name) + ":").c_str())) headers = longer;
  set(CURLOPT_HTTPHEADER, headers);
}

Transfer::~Transfer() {
  if (easy) curl_easy_cleanup(easy);
  for (curl_slist* h = headers; h; h = h->next) explicit_bzero(h->data, std::strlen(h->data));
  curl_slist_free_all(headers);
}

Loop::Loop() {
  static const bool ready = [] {
    keep_libcurl();
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  multi_ = ready ? curl_multi_init() : nullptr;
  if (!multi_) {
    closed_ = true;
    return;
  }
  // Signals are for the program's own threads; this one (and libcurl's, which it starts) gets none, SIGPIPE included.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Loop::~Loop() { stop(); }

void Loop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(closed_, true)) curl_multi_wakeup(multi_);  // once closed, its thread may have freed it
  }
  if (thread_.joinable()) thread_.join();
}

void Loop::ask(Work::Kind kind, std::shared_ptr<Transfer> t) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      work_.push_back({kind, std::move(t)});
      curl_multi_wakeup(multi_);
      return;
    }
  }
  if (kind != Work::start) return;
  const std::lock_guard lock(t->mutex);
  t->result = CURLE_ABORTED_BY_CALLBACK;
  t->done = true;
}

// Tell the server of an HTTP/2 stream at once that it is no longer read: it may charge by the token.
// libcurl 7.88 writes the RST_STREAM when it next writes something else on that connection, and leaves the connection
// open. So one without other transfers is closed, and where there are others one of them is made to write.
void Loop::abandon(CURL* easy) {
  const std::shared_ptr<Transfer> t = running_.at(easy);
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  finish(easy, CURLE_ABORTED_BY_CALLBACK);
  std::vector<CURL*> others;
  for (const auto& [other, transfer] : running_) {
    if (transfer->host != t->host) continue;
    const std::lock_guard lock(transfer->mutex);
    if (transfer->head.version == 20 && !transfer->paused) others.push_back(other);
  }
  for (CURL* other : others) {
    curl_easy_pause(other, CURLPAUSE_RECV);
    curl_easy_pause(other, CURLPAUSE_CONT);  // writes the window of its stream
  }
}

void Loop::finish(CURL* easy, CURLcode result) {
  const auto found = running_.find(easy);
  if (found == running_.end()) return;
  const std::shared_ptr<Transfer> t = std::move(found->second);
  running_.erase(found);
  curl_multi_remove_handle(multi_, easy);
  const std::lock_guard lock(t->mutex);
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &t->verified);
  curl_easy_getinfo(easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &t->proxy_verified);
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &t->proxy_status);
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &t->os_error);
  curl_easy_cleanup(easy);
  t->easy = nullptr;
  t->result = result;
  t->done = true;
  t->changed.notify_all();
}

void Loop::run() {
  for (;;) {
    std::deque<Work> work;
    bool closed = false;
    {
      const std::lock_guard lock(mutex_);
      work.swap(work_);
      closed = closed_;
    }
    for (Work& w : work) {
      CURL* easy = w.transfer->easy;
      const bool known = easy && running_.count(easy);
      if (w.kind == Work::start) {
        running_.emplace(easy, w.transfer);
        if (const CURLMcode code = curl_multi_add_handle(multi_, easy); code != CURLM_OK)
          finish(easy, CURLE_FAILED_INIT);
      } else if (w.kind == Work::resume && known) {
        curl_easy_pause(easy, CURLPAUSE_CONT);  // may call take_body, which may pause again
        resumed_ = Clock::now();
      } else if (w.kind == Work::drop && known) {
        abandon(easy);
      }
    }
    work.clear();
    if (closed) break;
    int running = 0;
    curl_multi_perform(multi_, &running);
    int more = 0;
    while (const CURLMsg* m = curl_multi_info_read(multi_, &more))
      if (m->msg == CURLMSG_DONE) finish(m->easy_handle, m->data.result);
    // After a pause libcurl 7.88 may hold bytes of HTTP/2 in its own buffers and wait for the socket anyway.
    const bool hurry = Clock::now() - resumed_ < std::chrono::seconds(1);
    curl_multi_poll(multi_, nullptr, 0, running_.empty() ? 60000 : hurry ? 2 : 1000, nullptr);
  }
  while (!running_.empty()) finish(running_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
  curl_multi_cleanup(multi_);
}

}  // namespace ww::http
