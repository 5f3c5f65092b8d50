// SPDX-License-Identifier: Apache-2.0
// The server's side of HTTP/2 (RFC 9113), through nghttp2.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <nghttp2/nghttp2.h>
#include <optional>
#include "support/loopback_parts.h"

namespace ww::support {
namespace {

class Http2 : public Protocol {
 public:
  explicit Http2(Ledger& ledger) : ledger_(ledger) {
    nghttp2_session_callbacks* calls = nullptr;
    nghttp2_session_callbacks_new(&calls);
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            me(self).streams_[frame->hd.stream_id].request.version = 20;
          return 0;
        });
    nghttp2_session_callbacks_set_on_header_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                  const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
          const auto found = me(self).streams_.find(frame->hd.stream_id);
          if (found == me(self).streams_.end()) return 0;
          std::string n(reinterpret_cast<const char*>(name), name_size),
              v(reinterpret_cast<const char*>(value), value_size);
          Received& r = found->second.request;
          if (n == ":method")
            r.method = std::move(v);
          else if (n == ":path")
            r.target = std::move(v);
          else if (n == ":authority")
            r.headers.emplace_back("host", std::move(v));
          else if (n[0] != ':')
            r.headers.emplace_back(std::move(n), std::move(v));
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        calls,
        [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* self) {
          const auto found = me(self).streams_.find(id);
          if (found != me(self).streams_.end())
            found->second.request.body.append(reinterpret_cast<const char*>(data), size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          const auto found = me(self).streams_.find(frame->hd.stream_id);
          if (found == me(self).streams_.end()) return 0;
          if (frame->hd.type == NGHTTP2_RST_STREAM && found->second.reply) me(self).ledger_.client_left();
          if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
              (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
            me(self).complete_.push_back(frame->hd.stream_id);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        calls, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
          me(self).streams_.erase(id);
          return 0;
        });
    nghttp2_session_server_new(&session_, calls, this);
    nghttp2_session_callbacks_del(calls);
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 100}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 1);
  }
  ~Http2() override { nghttp2_session_del(session_); }

  void feed(std::string_view bytes) override {
    const auto n =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (n < 0) finish = Finish::close;
  }
  bool answering() const override {
    return std::any_of(streams_.begin(), streams_.end(), [](const auto& s) { return s.second.reply.has_value(); });
  }
  Clock::time_point due() const override {
    auto first = Clock::time_point::max();
    for (const auto& [id, s] : streams_)
      if (s.reply && !s.reply->said_all()) first = std::min(first, s.reply->due);
    return first;
  }

  void play(Clock::time_point now, std::string& out) override {
    for (; !complete_.empty() && finish == Finish::no; complete_.pop_front()) begin(complete_.front(), now, out);
    if (finish != Finish::no) return;
    for (auto& [id, s] : streams_) {
      if (!s.reply) continue;
      const bool had_all = s.reply->said_all();
      const std::string* piece = s.reply->take_due(now);
      if (piece && !piece->empty()) s.pending.push_back(*piece);
      if (piece || (had_all && !s.told_end)) {
        s.told_end = s.reply->said_all();
        nghttp2_session_resume_data(session_, id);
      }
    }
    drain(out);
    if (!cut_) return;
    nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
    drain(out);
    finish = Finish::close;
  }

 private:
  struct Stream {
    Received request;
    std::optional<Playing> reply;
    std::deque<std::string> pending;  // pieces that are due; each becomes a DATA frame
    std::size_t offset = 0;           // sent of the first
    bool told_end = false;
  };
  static Http2& me(void* self) { return *static_cast<Http2*>(self); }

  void drain(std::string& out) {
    const std::uint8_t* bytes = nullptr;
    for (;;) {
      const auto n = nghttp2_session_mem_send(session_, &bytes);
      if (n <= 0) return;
      out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
    }
  }

  void begin(std::int32_t id, Clock::time_point now, std::string& out) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    Stream& s = found->second;
    const std::string method = s.request.method;
    s.reply = Playing{ledger_.ask(std::move(s.request)), 0, {}};
    const Answer& a = s.reply->answer;
    s.reply->due = now + (a.pieces.empty() ? std::chrono::milliseconds(0) : a.pieces[0].before);
    if (a.end == Answer::End::garbage) {
      for (const Piece& p : a.pieces) out += p.bytes;
      s.reply.reset();
      finish = Finish::close;
      return;
    }
    if (is_silent(a)) {
      s.told_end = true;
      if (a.end == Answer::End::cut) cut_ = true;
      if (a.end == Answer::End::reset)
        nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR), s.reply.reset();
      return;
    }
    std::vector<std::pair<std::string, std::string>> fields = {{":status", std::to_string(a.status)}};
    for (const auto& [name, value] : a.headers)
      if (lower_case(name) != "connection") fields.emplace_back(lower_case(name), value);
    const bool body = has_body(method, a.status);
    if (body && a.length) fields.emplace_back("content-length", std::to_string(announced_length(a)));
    std::vector<nghttp2_nv> list;
    for (auto& [name, value] : fields)
      list.push_back({reinterpret_cast<std::uint8_t*>(name.data()), reinterpret_cast<std::uint8_t*>(value.data()),
                      name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    nghttp2_data_provider provider{};
    provider.read_callback = [](nghttp2_session*, std::int32_t stream, std::uint8_t* to, std::size_t room,
                                std::uint32_t* flags, nghttp2_data_source*,
                                void* self) { return me(self).read(stream, to, room, flags); };
    nghttp2_submit_response(session_, id, list.data(), list.size(), body ? &provider : nullptr);
  }

  ssize_t read(std::int32_t id, std::uint8_t* to, std::size_t room, std::uint32_t* flags) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    Stream& s = found->second;
    if (!s.pending.empty()) {
      const std::string& piece = s.pending.front();
      const std::size_t n = std::min(room, piece.size() - s.offset);
      std::memcpy(to, piece.data() + s.offset, n);
      s.offset += n;
      if (s.offset == piece.size()) s.pending.pop_front(), s.offset = 0;
      return static_cast<ssize_t>(n);
    }
    if (!s.reply || !s.reply->said_all()) return NGHTTP2_ERR_DEFERRED;
    switch (s.reply->answer.end) {
      case Answer::End::complete:
        s.reply.reset();
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        return 0;
      case Answer::End::reset:
        s.reply.reset();
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // makes nghttp2 send RST_STREAM
      case Answer::End::cut: cut_ = true; return NGHTTP2_ERR_DEFERRED;
      default: return NGHTTP2_ERR_DEFERRED;
    }
  }

  Ledger& ledger_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  std::deque<std::int32_t> complete_;  // streams whose request has come whole
  bool cut_ = false;
};

}  // namespace

std::unique_ptr<Protocol> make_http2(Ledger& ledger) { return std::make_unique<Http2>(ledger); }

}  // namespace ww::support
