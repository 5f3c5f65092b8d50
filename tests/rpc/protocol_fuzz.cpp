// SPDX-License-Identifier: Apache-2.0
// What a broken or hostile peer may send: frames, messages, verdicts. The first byte says where the input is cut in
// two.
#include <cstdint>
#include <cstdlib>
#include "evidence/verdict_json.h"
#include "rpc/framing.h"
#include "rpc/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = bytes.empty() ? 0 : data[0] % (bytes.size() + 1);
  ww::rpc::FrameReader whole(1 << 16), parts(1 << 16);
  const auto drain = [](ww::rpc::FrameReader& reader, std::string& all) {
    for (;;) {
      auto next = reader.next();
      if (!next || !*next) return next.has_value();
      all += **next;
      all += '\n';
      if (const auto m = ww::rpc::read_message(**next)) {
        (void)ww::rpc::request_of<ww::rpc::GateRequest>(m->params);
        if (m->result) (void)ww::rpc::compile_output(*m->result);
      }
    }
  };
  std::string a, b;
  whole.feed(bytes);
  const bool whole_good = drain(whole, a);
  parts.feed(bytes.substr(0, cut));
  bool parts_good = drain(parts, b);
  parts.feed(bytes.substr(cut));
  parts_good = drain(parts, b) && parts_good;
  if (whole_good != parts_good || (whole_good && a != b)) std::abort();  // how the bytes arrive must not matter
  (void)ww::evidence::verdict_from_json(bytes);
  return 0;
}
